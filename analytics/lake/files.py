"""Writes and reads the lake's files: atomically, and trusted only by their digest.

The draft of a running process must not be removed: a process that writes or spills holds a shared lock on the lake's
folder, and one that removes drafts of killed runs needs it exclusively. Process ids would not do, as two hosts use the same
ones.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from producers.sinks.durable import make_folder
from replayer.sources.safe_files import MOST_NOTE, read_file

MOST_TABLE: Final = 1 << 36
"""Bytes of the largest Parquet file that is read."""
SPILL: Final = ".spill-"
_DRAFT: Final = re.compile(r"\.[A-Za-z0-9_-]+\.(parquet|json|jsonl|duckdb)\.(tmp|[0-9a-f]+)")
"""Earlier programs gave every draft a name of its own."""
_SEAL: Final = re.compile(rb'(?P<before>,?)\n  "sha256": "(?P<sha256>[0-9a-f]{64})"(?P<behind>,?)(?=\n)')
_UNWRITABLE: Final = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG}

Stamp = tuple[int, int, int]
"""Inode, size and time of change of a file; they differ once the file has changed."""


class NotHeld(Exception):
    """A file of the lake is not there or not as it was written."""

    def __init__(self, file: Path, what: str) -> None:
        super().__init__(file, what)
        self.file = file
        self.what = what

    def __str__(self) -> str:
        return f"{self.file} {self.what}"


class LakeUnusable(RuntimeError):
    """The lake cannot be used; the message says which file or folder, why, and what to do."""


class LakeNotWritable(OSError):
    """The lake takes no more (its disk is full, its quota used up, it is read-only): no table-day can be written."""


def sha256_of(data: bytes) -> str:
    """SHA-256 as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def read_whole(file: Path, most: int = MOST_TABLE) -> bytes:
    """The bytes of a regular file.

    Raises:
        NotHeld: it is missing, no file, larger than ``most``, or the disk does not give it.
    """
    with _asked_of(file):
        return read_file(file, most)


def stamp_of(file: Path) -> Stamp:
    """The stamp of a file as it is now.

    Raises:
        NotHeld: there is none that can be looked at.
    """
    with _asked_of(file):
        about = file.stat()
    return about.st_ino, about.st_size, about.st_ctime_ns


def is_there(file: Path) -> bool:
    """Whether anything has that name, a dangling link as well.

    Raises:
        NotHeld: the system does not say.
    """
    with _asked_of(file), suppress(FileNotFoundError, NotADirectoryError):
        file.lstat()
        return True
    return False


@contextmanager
def _asked_of(file: Path) -> Iterator[None]:
    """A context for system calls on a file: a refusal means that the file does not hold."""
    try:
        yield
    except FileNotFoundError:
        raise NotHeld(file, "is missing") from None
    except OSError as error:
        raise NotHeld(file, f"cannot be read: {error.strerror}") from None


def sealed(values: Mapping[str, Any], *, lines: bool = False) -> str:
    """A JSON object as text with its own digest in ``sha256``; on one line with ``lines``."""
    plain = _text(values, lines=lines)
    return _text({**values, "sha256": sha256_of(plain.encode())}, lines=lines)


def _text(values: Mapping[str, Any], *, lines: bool) -> str:
    return json.dumps(values, indent=None if lines else 2, sort_keys=True) + "\n"


def unsealed(text: bytes, *, lines: bool = False) -> dict[str, Any]:
    """The JSON object of a text that :func:`sealed` made, to the letter.

    Raises:
        ValueError: it is anything else; the message says what is wrong.
    """
    try:
        values = json.loads(text.decode())
    except json.JSONDecodeError as error:
        raise ValueError(f"is no JSON at line {error.lineno}, column {error.colno}") from None
    except (ValueError, RecursionError):  # no UTF-8, a number of thousands of digits, brackets without end
        raise ValueError("is no JSON") from None
    if not isinstance(values, dict):
        raise ValueError("is no JSON object")
    said = {name: value for name, value in values.items() if name != "sha256"}
    try:
        whole = sealed(said, lines=True).encode() == text if lines else _keeps_its_seal(text)
    except RecursionError:
        raise ValueError("is no JSON") from None
    if not whole:
        raise ValueError("is not as it was written: its SHA-256 is another")
    return said


def _keeps_its_seal(text: bytes) -> bool:
    """Whether a text of several lines, without the line that has its digest, has that digest.

    Nothing is written anew to be compared: a night reads every manifest of its gaming day several times.
    """
    seal = _SEAL.search(text)
    if seal is None:
        return False
    begin = seal.end("before") if seal["behind"] else seal.start()  # of two commas around the line one stays
    return sha256_of(text[:begin] + text[seal.end() :]) == seal["sha256"].decode()


def read_sealed_text(file: Path) -> tuple[dict[str, Any], str]:
    """The JSON object of a file that :func:`sealed` made, and the SHA-256 of the file.

    Raises:
        NotHeld: it is not there or not as it was written.
    """
    data = read_whole(file, MOST_NOTE)
    try:
        return unsealed(data), sha256_of(data)
    except ValueError as error:
        raise NotHeld(file, str(error)) from None


@contextmanager
def written(lake: Path) -> Iterator[None]:
    """Around all that writes into a lake: makes its folder, and keeps the drafts from being cleared away.

    Raises:
        LakeNotWritable: the disk is full, say. The message names the file and says what to do.
    """
    try:
        make_folder(lake)
        with in_use(lake):
            yield
    except LakeNotWritable:
        raise
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        then = "make room there (or let it be written) and run it again; all other table-days are as they were"
        raise LakeNotWritable(error.errno, f"{error.strerror}: {then}", str(error.filename or lake)) from error


@contextmanager
def in_use(lake: Path) -> Iterator[None]:
    """As long as the block runs, drafts in this lake are somebody's."""
    with _locked(lake, fcntl.LOCK_SH):
        yield


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Others that ask for the same folder wait until the block has ended."""
    make_folder(folder)
    with _locked(folder, fcntl.LOCK_EX):
        yield


@contextmanager
def _locked(folder: Path, how: int) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a file system without locks: nobody can clear away anything there
            fcntl.flock(handle, how)
        yield
    finally:
        os.close(handle)


def clear_away(lake: Path) -> None:
    """Take away what runs that were killed left behind, unless a run is under way: the next one will."""
    try:
        handle = os.open(lake, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for left in _hidden(lake, 3):
            if left.name.startswith(SPILL) and left.parent == lake:
                shutil.rmtree(left, ignore_errors=True)
            elif _DRAFT.fullmatch(left.name) and left.is_file():
                with suppress(OSError):
                    left.unlink()
    except OSError:
        return
    finally:
        os.close(handle)


def _hidden(folder: Path, deep: int) -> Iterator[Path]:
    """The hidden files and folders in a folder and those below it: a year's lake has hundreds of thousands of others."""
    try:
        names = [entry.name for entry in os.scandir(folder)]
    except OSError:
        return
    for name in names:
        if name.startswith("."):
            yield folder / name
        elif deep and "." not in name:  # a folder by its name, and listed only if it is one
            yield from _hidden(folder / name, deep - 1)
