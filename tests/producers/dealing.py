"""Events of table T1, which deals card after card to the first seat, and its files in an archive."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from replayer.sources.layout import PartName
from replayer.sources.table_days import TableDayRef
from schemas.event import CardAt, Event
from tests.archives import read_events

DAY = dt.date(2026, 1, 5)
NEXT_DAY = dt.date(2026, 1, 6)
NOON = 1_767_585_600_000_000


def card_dealt(seq: int, card: str = "Th", day: dt.date = DAY, table_id: str = "T1") -> Event:
    """An event of a dealt card."""
    return Event(table_id, seq, NOON + seq, day, "CardDealt", 1, card=CardAt(1, 0, card, "up"))


def seqs(archive: Path, table_id: str = "T1") -> list[int]:
    """The numbers of the day's events that are sealed."""
    return [event.seq for event in read_events(TableDayRef(DAY, table_id, archive))]


def journal(archive: Path, part: int = 0) -> Path:
    """The journal of a part of the day."""
    return PartName(DAY, "T1", part).journal(archive)
