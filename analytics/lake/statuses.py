"""The status of each table of a gaming day (judged, damaged, failed, not sealed or absent), and who acknowledged it.

A run notes the status of every table that it expected or found (``LAKE/days``). A table that is absent, or that played although
no register names it, is a finding until it is acknowledged (``LAKE/acknowledged/2026-01-05/T1.jsonl``). An acknowledgement is
valid for one table, gaming day and status only: it does not cover a table acknowledged as absent whose events turn up later, nor
its absence once they are gone again; nor another game than the register's, of one that it did not name.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from analytics.lake.acknowledged import Acknowledgement, acknowledgement_of, keep_acknowledgement
from replayer.sources.layout import TABLE_ID, require_table_id
from schemas.finding import of_integrity
from schemas.plural import spoken

TABLE_ABSENT: Final = of_integrity("TABLE_ABSENT", "A table has no log of the gaming day")
TABLE_NOT_SEALED: Final = of_integrity("TABLE_NOT_SEALED", "Events of a table are not sealed, so nobody judged them")
TABLE_UNEXPECTED: Final = of_integrity(
    "TABLE_UNEXPECTED", "A table has a log of a gaming day on which no register names it"
)


class Status(StrEnum):
    """The status of a table on a gaming day."""

    JUDGED = "judged"
    DAMAGED = "damaged"
    FAILED = "failed"
    NOT_SEALED = "not_sealed"
    ABSENT = "absent"

    @property
    def in_words(self) -> str:
        """The same for a reader."""
        return spoken(self)


FOUND_BEFORE: Final = "the archive has nothing of it, though an earlier run found something"
"""Why a table is absent of which an earlier run found something that it could not judge."""


@dataclass(frozen=True, slots=True)
class TableStatus:
    """The status of one table on a gaming day, with what is known of its log.

    Attributes:
        expected: whether the register names it, or earlier days have it; False where a register does not name it, None where
            there is no register and no earlier day has it.
        parts: the number of sealed parts of its log that were judged, or that the archive had where it could not be read.
        events: the number of its events not sealed; None where unknown.
        last_at: the time of the last of these (ISO 8601, UTC).
        why: what is wrong, where it is not judged or not expected.
        game: its game by the register; None where the register names none.
    """

    table_id: str
    status: Status
    expected: bool | None = None
    parts: int = 0
    events: int | None = None
    last_at: str | None = None
    why: str = ""
    game: str | None = None
    acknowledged: Acknowledgement | None = None

    @property
    def code(self) -> str:
        """The code of the finding; empty where the status is no finding, or where the log or the lake has the finding."""
        if self.status is Status.ABSENT:
            return TABLE_ABSENT
        if self.status is Status.NOT_SEALED:
            return TABLE_NOT_SEALED
        return TABLE_UNEXPECTED if self.status is Status.JUDGED and self.expected is False else ""

    @property
    def in_words(self) -> str:
        """The status for a reader."""
        return "not expected" if self.code == TABLE_UNEXPECTED else self.status.in_words

    @property
    def open(self) -> bool:
        """Whether it keeps the gaming day from being clean."""
        return self.acknowledged is None and (self.status is not Status.JUDGED or bool(self.code))


def acknowledged_file(lake: Path, gaming_day: dt.date, table_id: str) -> Path:
    """The file of those who acknowledged that a table is absent, or played unexpectedly."""
    return lake / "acknowledged" / gaming_day.isoformat() / f"{table_id}.jsonl"


def with_acknowledgement(lake: Path, gaming_day: dt.date, known: TableStatus) -> TableStatus:
    """The status with its acknowledgement in the lake at present; a damaged file gives none."""
    if known.code not in _ACKNOWLEDGEABLE or not TABLE_ID.fullmatch(known.table_id):
        return replace(known, acknowledged=None)
    file = acknowledged_file(lake, gaming_day, known.table_id)
    return replace(known, acknowledged=acknowledgement_of(file, _subject(gaming_day, known)))


def _subject(gaming_day: dt.date, known: TableStatus) -> list[str]:
    """What is acknowledged; with table and day, as the file may be another's, and why, where the code covers more."""
    another_game = known.code == TABLE_UNEXPECTED and known.game is not None
    why = [known.why] if another_game or known.why == FOUND_BEFORE else []
    return [known.code, gaming_day.isoformat(), known.table_id, *why]


def checked_against_register(
    lake: Path, gaming_day: dt.date, statuses: Iterable[TableStatus], games: Mapping[str, str | None]
) -> Iterator[TableStatus]:
    """The statuses, where ``games`` are those of the logs: a table that played another than the register says is not expected."""
    for each in statuses:
        game = games.get(each.table_id, each.game)
        if each.game in (None, game):
            yield each
        else:
            why = f"the register says {each.game}, its log says {game}"
            yield with_acknowledgement(lake, gaming_day, replace(each, expected=False, why=why))


_ACKNOWLEDGEABLE: Final = {TABLE_ABSENT, TABLE_UNEXPECTED}
"""Statuses that may be legitimate. Events that are not sealed, or cannot be read, must be repaired, not acknowledged."""


def acknowledge_status(lake: Path, gaming_day: dt.date, known: TableStatus, who: Acknowledgement) -> bool:
    """Acknowledge that a table is absent, or played unexpectedly; False where its status cannot or need not be acknowledged."""
    require_table_id(known.table_id)
    if not known.open or known.code not in _ACKNOWLEDGEABLE:
        return False
    keep_acknowledgement(lake, acknowledged_file(lake, gaming_day, known.table_id), _subject(gaming_day, known), who)
    return True
