"""Files and folders put in place so that they are there whole or not at all, also after a power cut."""

from __future__ import annotations

import os
from pathlib import Path

from producers.sinks.journal import sync_folder


def write_durably(path: Path, data: bytes) -> None:
    """Put a whole file in place: written beside it, synced, renamed, the folder synced.

    Raises:
        OSError: it could not be written; what was at ``path`` before is untouched.
    """
    beside = path.with_name(f".{path.name}.tmp")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.rename(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, each durable."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)
