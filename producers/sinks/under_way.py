"""The table-days that are not sealed: how much of each is on the disk, and since when nothing came.

Anybody may look, at any time, without a lock: a journal that is being written is read as far as it is acknowledged.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path

from producers.sinks.journal import JournalDamaged, read_journal
from replayer.sources.layout import journals, part_name
from schemas.codec import MessageUnreadable, decode
from schemas.event import moment


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A part of a table-day that is not sealed; part 0 is the first, all others are late.

    Attributes:
        events: on the disk; ``last_seq`` the highest number of them.
        last_at: when the event that came last happened, by its own time; None where there is none or it cannot be read.
        changed_at: when it came, by the machine's clock.
        damage: why the journal cannot be read; empty where it can.
    """

    table_id: str
    gaming_day: dt.date
    part: int
    events: int
    last_seq: int
    last_at: dt.datetime | None
    changed_at: dt.datetime | None
    damage: str = ""


def under_way(archive: Path, day: dt.date | None = None, table: str | None = None) -> list[UnderWay]:
    """The table-days that have a journal, by gaming day and table."""
    found: list[UnderWay] = []
    for path in journals(archive).glob(f"{day.isoformat() if day else '*'}/*.journal"):
        name = part_name(path)
        if name is None or table not in (None, name.table_id):
            continue
        try:
            changed = dt.datetime.fromtimestamp(path.stat().st_mtime, dt.UTC)
        except FileNotFoundError:  # it was sealed in this moment
            continue
        try:
            entries = read_journal(path).entries
            damage = ""
        except (JournalDamaged, OSError) as error:
            entries = ()
            damage = str(error)
        last_seq = max((entry.seq for entry in entries), default=0)
        last_at = _at(entries[-1].message) if entries else None
        found.append(
            UnderWay(name.table_id, name.gaming_day, name.part, len(entries), last_seq, last_at, changed, damage)
        )
    return sorted(found, key=lambda each: (each.gaming_day, each.table_id, each.part))


def _at(message: bytes) -> dt.datetime | None:
    try:
        return moment(decode(message).at)
    except (MessageUnreadable, OverflowError):
        return None
