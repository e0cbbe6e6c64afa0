"""Writes down what a topic no longer has and the archive never took."""

from __future__ import annotations

from pathlib import Path

from producers.sinks import NotDurable
from producers.sinks.durable import make_folder, write_durably
from replayer.sources.careful import MOST_SMALL, read_file
from replayer.sources.layout import FILE_MODE
from replayer.sources.lost import Lost, NoSuchLoss, lost_file


def write_lost(archive: Path, lost: Lost, mode: int = FILE_MODE) -> bool:
    """Write a range down for good; False where that was done before, by an archiver that was killed then, say.

    A longer one that begins where a shorter one does takes its place: the topic was cut again before anybody went on.

    Raises:
        NotDurable: the disk refused.
    """
    file = lost_file(archive, lost)
    try:
        if file.exists() and not _shorter(file, lost):
            return False
        make_folder(file.parent, mode)
        write_durably(file, lost.to_json().encode(), mode)
    except OSError as error:
        raise NotDurable(f"{file}: {error.strerror}; make room") from error
    return True


def _shorter(file: Path, than: Lost) -> bool:
    try:
        earlier = Lost.from_json(read_file(file, MOST_SMALL))
    except NoSuchLoss:  # it is reported as one that cannot be read, and its file stays
        return False
    return earlier.end is not None and (than.end is None or than.end > earlier.end)
