"""Files and folders put in place so that they are there whole or not at all, also after a power cut.

A name is durable once its folder was synced, and a new folder once the one above it was. Others than the owner and its
group see nothing unless a file mode says so.
"""

from __future__ import annotations

import os
from pathlib import Path

from replayer.sources.layout import FILE_MODE


def write_durably(path: Path, data: bytes, mode: int = FILE_MODE) -> None:
    """Put a whole file in place: written beside it, synced, renamed, the folder synced.

    Raises:
        OSError: it could not be written; what was at ``path`` before is untouched.
    """
    beside = path.with_name(f".{path.name}.tmp")
    try:
        # A draft that a kill left may have another owner or mode, or be no file at all.
        beside.unlink(missing_ok=True)
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            os.fchmod(descriptor, mode)  # whatever the process masks
            write_all(descriptor, data, 0)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        beside.rename(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


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
