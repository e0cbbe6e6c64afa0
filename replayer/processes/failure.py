"""Recognises a library's failure on one table-day's data, and describes it in one line."""

from __future__ import annotations

from typing import Final

_PANIC: Final = "PanicException"
_HEARD: Final = "Query interrupted"
_CALLED: Final = "<class 'KeyboardInterrupt'>"
_MOST: Final = 300


def is_failure(error: BaseException) -> bool:
    """Whether an error is a failure of work on data. A panic of a Rust library is one, although its class derives from
    ``BaseException``; each such library has its own class. Ctrl-C is none, whatever a library made of it."""
    if is_interrupt(error):
        return False
    return isinstance(error, Exception) or type(error).__name__ == _PANIC


def is_interrupt(error: BaseException) -> bool:
    """Whether an error is Ctrl-C, of which DuckDB makes an error of its own, and Polars a panic where it had called Python."""
    if type(error).__name__ == _PANIC:
        return _CALLED in str(error)
    return isinstance(error, KeyboardInterrupt) or (type(error) is RuntimeError and str(error) == _HEARD)


def in_one_line(error: BaseException) -> str:
    """The type and message of an error, without line breaks and shortened."""
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return said if len(said) <= _MOST else f"{said[:_MOST]}..."
