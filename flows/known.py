"""Errors that are known: what a user is told of them in one line, instead of a traceback."""

from __future__ import annotations

from typing import Final

_OWN: Final = ("schemas", "replayer", "producers", "analytics", "flows")


def known(error: BaseException) -> str | None:
    """What to tell of an error that we or the machine raised on purpose, in one line; None where it is the program's fault."""
    if isinstance(error, MemoryError):
        return "the machine has no memory left for this: use fewer --workers, or a larger machine"
    if isinstance(error, OSError) and error.strerror:
        return one_line(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
    if type(error).__module__.partition(".")[0] in _OWN:
        return one_line(error)
    return None


def one_line(error: object) -> str:
    """A message without line breaks."""
    return " ".join(str(error).split())
