"""Writes and reads the lake's files: atomically, and checked against their digests.

A run that writes or spills holds a shared lock on the lake's folder; removing the drafts of killed runs takes the exclusive one:
process ids would not tell a live run's from those, as two hosts use the same ones.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from producers.sinks.durable import make_folder
from replayer.sources.safe_files import MOST_NOTE, read_file
from replayer.sources.safe_texts import TextRefused, read_digested_json

MOST_TABLE: Final = 1 << 36
"""Bytes of the largest Parquet file that is read."""
SPILL: Final = ".spill-"
_DRAFT: Final = re.compile(r"\.[A-Za-z0-9_-]+\.(parquet|json|jsonl|duckdb)\.tmp")
_UNWRITABLE: Final = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG}

Stamp = tuple[int, int, int]
"""Inode, size and time of change of a file, which tell whether it has changed."""


class NotIntact(Exception):
    """A file of the lake is missing, or not as it was written."""

    def __init__(self, file: Path, what: str) -> None:
        super().__init__(file, what)
        self.file = file
        self.what = what

    def __str__(self) -> str:
        return f"{self.file} {self.what}"


class LakeUnusable(RuntimeError):
    """The lake cannot be used; the message says which file or folder, why, and what to do."""


class LakeNotWritable(OSError):
    """The lake cannot be written: its disk is full, its quota used up, or it is read-only."""


def sha256_of(data: bytes) -> str:
    """SHA-256 as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def read_whole(file: Path, most: int = MOST_TABLE) -> bytes:
    """The bytes of a regular file; raises NotIntact where it is missing, no regular file, larger than ``most``, or unreadable."""
    with _refusals_of(file):
        return read_file(file, most)


def stamp_of(file: Path) -> Stamp:
    """The stamp of a file as it is now; raises NotIntact where it is missing or inaccessible."""
    with _refusals_of(file):
        about = file.stat()
    return about.st_ino, about.st_size, about.st_ctime_ns


def is_there(file: Path) -> bool:
    """Whether anything has that name, even a dangling link; raises NotIntact where the system cannot tell."""
    with _refusals_of(file), suppress(FileNotFoundError, NotADirectoryError):
        file.lstat()
        return True
    return False


@contextmanager
def _refusals_of(file: Path) -> Iterator[None]:
    """A context that raises the system's errors on a file as :class:`NotIntact`."""
    try:
        yield
    except FileNotFoundError:
        raise NotIntact(file, "is missing") from None
    except OSError as error:
        raise NotIntact(file, f"cannot be read: {error.strerror}") from None


def read_note_file(file: Path) -> tuple[dict[str, Any], str]:
    """The JSON object of a file that has its own digest, and the SHA-256 of the file. Raises NotIntact where it is missing or
    damaged."""
    data = read_whole(file, MOST_NOTE)
    try:
        return read_digested_json(data), sha256_of(data)
    except TextRefused as error:
        raise NotIntact(file, f"cannot be read: {error}") from None


@contextmanager
def write_guard(lake: Path) -> Iterator[None]:
    """A context for writing into a lake: creates its folder, keeps drafts from being removed, and raises LakeNotWritable, with
    the file and what to do, where the disk is full, say."""
    try:
        make_folder(lake)
        with locked(lake):
            yield
    except LakeNotWritable:
        raise
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        then = "make room there (or let it be written) and run it again; all other table-days are as they were"
        raise LakeNotWritable(error.errno, f"{error.strerror}: {then}", str(error.filename or lake)) from error


@contextmanager
def locked(lake: Path, how: int = fcntl.LOCK_SH) -> Iterator[bool]:
    """A context in which no other process removes the lake's drafts; gives whether it is locked."""
    handle = os.open(lake, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    taken = False
    try:
        with suppress(OSError):  # on a file system without locks nobody can remove drafts
            fcntl.flock(handle, how)
            taken = True
        yield taken
    finally:
        os.close(handle)


def remove_leftovers(lake: Path) -> None:
    """Remove the leftovers of killed runs, unless a run is under way: the next run will."""
    with suppress(OSError), locked(lake, fcntl.LOCK_EX | fcntl.LOCK_NB) as taken:
        for path in _hidden(lake, 3) if taken else ():
            if path.name.startswith(SPILL) and path.parent == lake:
                shutil.rmtree(path, ignore_errors=True)
            elif _DRAFT.fullmatch(path.name):
                with suppress(OSError):
                    path.unlink()


def _hidden(folder: Path, deep: int) -> Iterator[Path]:
    """The hidden files and folders in a folder and those below it. Only names are read, as a year's lake has many."""
    try:
        names = [entry.name for entry in os.scandir(folder)]
    except OSError:
        return
    for name in names:
        if name.startswith("."):
            yield folder / name
        elif deep and "." not in name:  # probably a folder
            yield from _hidden(folder / name, deep - 1)
