"""What a library's failure on one table-day's data is: trouble of that table-day, said in one line."""

from __future__ import annotations

from typing import Final

_PANIC: Final = "PanicException"
_MOST: Final = 300


def is_failure(error: BaseException) -> bool:
    """Whether an error is a failure of work on data. A panic of a library in Rust is, though Python has it beside
    ``KeyboardInterrupt``; each such library has a class of its own for it."""
    return isinstance(error, Exception) or type(error).__name__ == _PANIC


def in_one_line(error: BaseException) -> str:
    """The kind of an error and its words, without line breaks and cut where they are many."""
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return said if len(said) <= _MOST else f"{said[:_MOST]}..."
