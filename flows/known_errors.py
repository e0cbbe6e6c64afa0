"""Known errors, which a user sees as one line instead of a traceback."""

from __future__ import annotations

from typing import Final

from replayer.sources.safe_files import NO_RIGHT

_OWN: Final = ("schemas", "replayer", "producers", "analytics", "flows")
_LINE: Final = 4_000
"""Characters of an error's line at most."""


class CouldNotRun(Exception):
    """What was asked for cannot be done; the message is one line that says why and what to do."""


def message_of(error: BaseException) -> str | None:
    """What to say of an error that we or the machine raised on purpose, in one line; None where it is the program's fault."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryException":
        # The database's; its module is none that everybody imports. Where a bound was given, ``sql`` says so itself.
        return "the machine has no memory left for this: use fewer --workers, or a larger machine"
    if type(error).__name__ == "BrokenProcessPool":  # whose module takes its time to import
        return "a worker process was killed, for want of memory say: run it again, with fewer --workers where it is killed again"
    if isinstance(error, PermissionError) and error.filename:
        return one_line(f"{error.filename}: {error.strerror}; {NO_RIGHT}")
    if isinstance(error, OSError) and error.strerror:
        return one_line(f"{error.filename}: {error.strerror}" if error.filename else error.strerror)
    if type(error).__module__.partition(".")[0] in _OWN:
        return one_line(error)
    return None


def one_line(error: object) -> str:
    """A message without line breaks, cut where it repeats an argument of any length."""
    text = " ".join(str(error).split())
    return text if len(text) <= _LINE else f"{text[: _LINE // 2]} ... {text[-_LINE // 2 :]}"
