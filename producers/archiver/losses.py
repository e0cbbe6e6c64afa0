"""Writes down what a topic no longer has and the archive never took."""

from __future__ import annotations

from pathlib import Path

from producers.sinks import NotDurable
from producers.sinks.durable import make_folder, write_durably
from replayer.sources.layout import FILE_MODE
from replayer.sources.lost import Lost, lost_file


def write_lost(archive: Path, lost: Lost, mode: int = FILE_MODE) -> bool:
    """Write a range down for good; False where that was done before, by an archiver that was killed then, say.

    Raises:
        NotDurable: the disk refused.
    """
    file = lost_file(archive, lost)
    try:
        if file.exists():
            return False
        make_folder(file.parent, mode)
        write_durably(file, lost.to_json().encode(), mode)
    except OSError as error:
        raise NotDurable(f"{file}: {error.strerror}; make room") from error
    return True
