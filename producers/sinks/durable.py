"""Writes files and folders atomically and durably, also in case of a power cut.

A name is durable once its folder is synced, and a new folder once its parent is. Files are readable by owner and group only,
unless a file mode says otherwise.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from replayer.sources.layout import FILE_MODE

DRAFT: Final = ".tmp"
"""The suffix of a hidden draft."""


def write_durably(path: Path, data: bytes, mode: int = FILE_MODE, *, synced: bool = True, named: bool = True) -> None:
    """Write a file atomically, in a folder that is made where it is missing: to a draft next to it, which is synced and renamed,
    and the folder synced.

    Without ``synced`` a power cut may lose the file; without ``named`` it may until the caller has synced the folder, once for
    several files. A kill leaves one draft at most, which the next writer of the file reuses; concurrent writers wait for each
    other. OSError, with the file's name, where it could not be written; an earlier file is then untouched.
    """
    draft = path.with_name(f".{path.name}{DRAFT}")
    try:
        make_folder(path.parent, mode)
        descriptor = _open_draft(draft, mode)
        try:
            os.ftruncate(descriptor, 0)
            os.fchmod(descriptor, mode)  # regardless of the umask, and of the draft's creator
            write_all(descriptor, data, 0)
            if synced:
                os.fsync(descriptor)
            draft.replace(path)
        except OSError:
            draft.unlink(missing_ok=True)
            raise
        finally:
            os.close(descriptor)
        if synced and named:
            sync_folder(path.parent)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error


def _open_draft(draft: Path, mode: int) -> int:
    """Open the draft for this process only; anything there that is not a writable file is removed."""
    while True:
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
        except OSError as error:
            # Another owner's file, a link or a pipe. If there is nothing, the folder cannot be written.
            if error.errno not in (errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENXIO) or not os.path.lexists(draft):
                raise
            draft.unlink()
            continue
        try:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                draft.unlink(missing_ok=True)
            elif _is_named(draft, status):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_named(draft: Path, status: os.stat_result) -> bool:
    """Whether an open file still has its name: the previous holder of the lock may have renamed it."""
    try:
        return os.path.samestat(draft.lstat(), status)
    except FileNotFoundError:
        return False


def write_all(descriptor: int, data: bytes, at: int) -> None:
    """Write all of ``data`` at an offset of an open file."""
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, at)
        view, at = view[written:], at + written


def make_folder(folder: Path, mode: int = FILE_MODE) -> None:
    """Create a folder and its missing parents durably, accessible to those who may read files of ``mode``."""
    if folder.is_dir():
        return
    make_folder(folder.parent, mode)
    searchable = mode | (mode & 0o444) >> 2
    try:
        folder.mkdir(searchable)
    except FileExistsError:  # another process was faster
        return
    folder.chmod(searchable)  # regardless of the umask
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
