"""Files and folders put in place so that they are there whole or not at all, also after a power cut.

A name is durable once its folder was synced, and a new folder once the one above it was. Others than the owner and its
group see nothing unless a file mode says so.
"""

from __future__ import annotations

import datetime as dt
import errno
import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from replayer.sources.layout import FILE_MODE, gaming_days, journals

DRAFT: Final = ".tmp"
"""What the name of a hidden draft ends with."""
_KEPT: Final = (".avro", ".arrow", ".parquet", ".duckdb")
"""What archive and lake keep, wherever it lies."""
_REPORTS: Final = "reports"
"""The folder of a lake for what was made from it."""


def write_durably(path: Path, data: bytes, mode: int = FILE_MODE, *, synced: bool = True, named: bool = True) -> None:
    """Put a whole file in place: written beside it, synced, renamed, the folder synced; a power cut may take one not ``synced``,
    and one that is not ``named`` until somebody syncs the folder: who writes several files does it once.

    A kill leaves one draft at most, which whoever writes the file next takes; two who write it at once wait for each other.

    Raises:
        OSError: it could not be written; the error names the file, and what was there before is untouched.
    """
    draft = path.with_name(f".{path.name}{DRAFT}")
    try:
        descriptor = _draft(draft, mode)
        try:
            os.ftruncate(descriptor, 0)
            os.fchmod(descriptor, mode)  # whatever the process masks, and whoever began the draft
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


def _draft(draft: Path, mode: int) -> int:
    """Open the draft for this process only; anything there that is not a writable file is removed."""
    while True:
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
        except OSError as error:
            # Another owner's file, a link, a pipe. Where nothing stands there, the folder cannot be written.
            if error.errno not in (errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENXIO) or not os.path.lexists(draft):
                raise
            draft.unlink()
            continue
        try:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            held = os.fstat(descriptor)
            if not stat.S_ISREG(held.st_mode):
                draft.unlink(missing_ok=True)
            elif _is_at(draft, held):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_at(draft: Path, held: os.stat_result) -> bool:
    """Whether an open file still bears its name: who held the lock before may have put it in place."""
    try:
        return os.path.samestat(draft.lstat(), held)
    except FileNotFoundError:
        return False


def write_output(path: Path, data: bytes, mode: int = FILE_MODE) -> None:
    """Write an output that a person asked for: a file, completely or not at all; or into an existing pipe or device.

    Raises:
        OSError: it could not be written, or as :func:`require_output`; the error names the file.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        try:
            with path.open("wb", buffering=0) as opened:
                opened.write(data)
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(path)) from error
        return
    require_output(path)
    write_durably(path.resolve(), data, mode)


def require_output(path: Path, archive: Path | None = None) -> None:
    """Hold that an output takes no place of evidence: it lies nowhere in an archive or a lake but among a lake's reports, and
    would replace no log, manifest, columns or verdicts. ``archive`` is one that is to be made.

    Raises:
        OSError: it does.
    """
    file, to_be_made = path.resolve(), archive and archive.resolve()
    for folder in file.parents:
        if is_lake(folder):
            if file.parent != folder and file.relative_to(folder).parts[0] == _REPORTS:
                return
            raise OSError(errno.EINVAL, f"lies in a lake, {folder}; name a file elsewhere for the output", str(path))
        if folder == to_be_made or _is_archive(folder):
            raise OSError(
                errno.EINVAL, f"lies in an archive, {folder}; name a file elsewhere for the output", str(path)
            )
    if file.is_file() and (file.suffix in _KEPT or file.with_suffix(".avro").exists()):
        raise OSError(errno.EEXIST, "is a file of an archive or a lake; name another one for the output", str(path))


def _is_archive(folder: Path) -> bool:
    """Whether a folder holds what only an archive has: something under way, or a log in the folder of a gaming day."""
    days = (folder / day.isoformat() for day in _days_in(folder))
    return journals(folder).is_dir() or any(next(day.glob("*.avro"), None) for day in days)


def is_lake(folder: Path) -> bool:
    """Whether a folder holds what only a lake has: its database, or what it knows of gaming days."""
    return (folder / "lake.duckdb").is_file() or any(_days_in(folder / name) for name in ("runs", "judged"))


def _days_in(folder: Path) -> list[dt.date]:
    with suppress(OSError):  # a folder that cannot be read, above the one that the output is for
        return gaming_days(folder)
    return []


def write_all(descriptor: int, data: bytes, at: int) -> None:
    """Write all of ``data`` at a byte of an open file."""
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, at)
        view, at = view[written:], at + written


def make_folder(folder: Path, mode: int = FILE_MODE) -> None:
    """Make a folder and those above it that are missing, each durable, open to those who may read files of ``mode``."""
    if folder.is_dir():
        return
    make_folder(folder.parent, mode)
    searchable = mode | (mode & 0o444) >> 2
    try:
        folder.mkdir(searchable)
    except FileExistsError:  # another process was quicker
        return
    folder.chmod(searchable)  # whatever the process masks
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
