"""Records the messages that a topic lost before the archive had them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from producers.archiver.place import TableDay
from producers.sinks import disk_explained
from producers.sinks.durable import make_folder, write_durably
from replayer.sources.archive import table_days_in_place
from replayer.sources.layout import FILE_MODE
from replayer.sources.lost import Lost, NoSuchLoss, lost_file
from replayer.sources.safe_files import MOST_SMALL, read_file

_A_DAY: Final = dt.timedelta(days=1)
_BEHIND: Final = dt.timedelta(days=7)
"""A table without events for longer counts as closed, not as late."""


def first_day_lost(archive: Path, oldest: dt.date, under_way: Iterable[TableDay]) -> dt.date:
    """The oldest gaming day of which events may be lost now, where ``oldest`` is under way: a table that is further behind,
    because its recorder had no network, sends its later days late.
    """
    come: dict[str, dt.date] = {}
    for back in range(_BEHIND.days, 0, -1):
        come |= {ref.table_id: ref.gaming_day for ref in table_days_in_place(archive, oldest - back * _A_DAY)}
    for table_id, day in sorted(under_way):
        come[table_id] = max(day, come.get(table_id, day))
    sealed_since = {ref.table_id for ref in table_days_in_place(archive, oldest)}
    return min([oldest, *(day + _A_DAY for table_id, day in come.items() if table_id not in sealed_since)])


def write_lost(archive: Path, lost: Lost, mode: int = FILE_MODE) -> bool:
    """Record a range permanently; False where it is recorded already, by an archiver that was then killed, say.

    A longer range with the same beginning replaces a shorter one: the topic was cut again before an archiver continued.

    Raises:
        NotDurable: the disk failed.
    """
    file = lost_file(archive, lost)
    with disk_explained(file, "make room"):
        if file.exists() and not _shorter(file, lost):
            return False
        make_folder(file.parent, mode)
        write_durably(file, lost.to_json().encode(), mode)
    return True


def _shorter(file: Path, than: Lost) -> bool:
    try:
        earlier = Lost.from_json(read_file(file, MOST_SMALL))
    except NoSuchLoss:  # reported as unreadable; the file stays
        return False
    return earlier.end is not None and (than.end is None or than.end > earlier.end)
