"""The note of a gaming day: the facts of the day as a whole, as opposed to those of one table-day.

A night reports its findings once, as it ends, and that report may be missed. So ``pitaudit status`` lists the note's summary of
them until it is acknowledged (``LAKE/acknowledged/found/DAY.jsonl``), which is valid for findings of one digest and changes no
verdict, no report, nor whether the day is clean.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from analytics.lake.acknowledged import Acknowledgement, NothingToAcknowledge, acknowledgement_of, keep_acknowledgement
from analytics.lake.acknowledged_messages import AcknowledgedMessages
from analytics.lake.files import LakeUnusable, NotIntact, is_there, read_note_file, write_guard
from analytics.lake.statuses import Status, TableStatus
from producers.sinks.durable import write_durably
from replayer.log.numbers import Runs
from replayer.sources.lost import Lost
from replayer.sources.safe_texts import digested_json, json_object, parsed
from schemas.finding import CODES, Finding

FORMAT: Final = 3


@dataclass(frozen=True, slots=True)
class DatedAhead:
    """A table-day of the archive dated later than the day of a run."""

    table_id: str
    gaming_day: dt.date

    def __str__(self) -> str:
        return f"{self.table_id} of {self.gaming_day}"


@dataclass(frozen=True, slots=True)
class Numbers:
    """The sequence numbers that the manifests of a table-day claim, and of how many parts.

    ``since`` is as in :class:`replayer.sources.left_out.NumbersLeftOut`.
    """

    parts: int
    runs: Runs
    since: int | None = None


@dataclass(frozen=True, slots=True)
class DayNote:
    """The facts of a gaming day as a whole.

    Attributes:
        quarantined: the number of messages in quarantine; None while a run is under way.
        damaged: the tables that could not be read, with the reason.
        between: findings between table-days (numbers that are missing, or stand on several).
        numbers: the numbers of the tables with sealed logs, by which those of other days are checked.
        waiting: tables whose verdicts a run is about to write, so that they are known to be missing if it is killed.
        tables: the status of each table that the day had or should have had; None where no run recorded it.
        basis: the source of that list of tables.
        lost: messages that a topic lost before the archive had them, and that may concern the day.
        answered: acknowledged messages in quarantine.
        found: a summary of the findings at judged tables, empty where there are none.
        misplaced: the number of logs of the archive in places that tell no gaming day.
        ahead: the archive's table-days dated later than the day of the run.
        left_behind: the gaming days with logs and no verdicts that lie too far back for a night to catch up with.
        findings_digest: the digest of the findings; empty before they were counted.
    """

    quarantined: int | None = 0
    damaged: Mapping[str, str] = field(default_factory=dict)
    between: tuple[Finding, ...] = ()
    numbers: Mapping[str, Numbers] = field(default_factory=dict)
    waiting: tuple[str, ...] = ()
    tables: tuple[TableStatus, ...] | None = None
    basis: str = ""
    lost: tuple[Lost, ...] = ()
    answered: tuple[AcknowledgedMessages, ...] = ()
    found: str = ""
    misplaced: int = 0
    ahead: tuple[DatedAhead, ...] = ()
    left_behind: tuple[dt.date, ...] = ()
    findings_digest: str = ""

    @property
    def accounted(self) -> bool:
        """Whether a run recorded the status of the day's tables and completed."""
        return self.tables is not None and self.quarantined is not None

    @property
    def unread(self) -> dict[str, str]:
        """The tables whose logs the last run could not read, with the reason."""
        return {each.table_id: each.why for each in self.tables or () if each.status is Status.DAMAGED}


def day_file(lake: Path, gaming_day: dt.date) -> Path:
    """The file of a gaming day's note."""
    return lake / "days" / f"{gaming_day.isoformat()}.json"


def note_day(lake: Path, gaming_day: dt.date, note: DayNote) -> None:
    """Write a day's note, in place of an earlier one."""
    between = [
        {"code": f.code, "table_id": f.table_id, "seq": f.seq, "message": f.message}
        for f in note.between
        if f.gaming_day == gaming_day
    ]
    values = json_object(note) | {
        "format": FORMAT,
        "gaming_day": gaming_day.isoformat(),
        "between": between,
        "lost": [lost.to_dict() for lost in note.lost],
    }
    file = day_file(lake, gaming_day)
    with write_guard(lake):
        write_durably(file, digested_json(values).encode())


def read_note(lake: Path, gaming_day: dt.date) -> DayNote | None:
    """A day's note; None where there is none. Raises LakeUnusable where it is damaged, or another day's."""
    file = day_file(lake, gaming_day)
    try:
        return _note(file, gaming_day) if is_there(file) else None
    except NotIntact as damaged:
        anew = f"run the day again: `pitaudit nightly --day {gaming_day}` makes it anew"
        raise LakeUnusable(f"{damaged}; {anew}") from None


def note_or_empty(lake: Path, gaming_day: dt.date) -> DayNote:
    """A day's note; an empty one where there is none, or an unreadable one, which the day's own run reports."""
    with suppress(LakeUnusable):
        return read_note(lake, gaming_day) or DayNote()
    return DayNote()


def _note(file: Path, gaming_day: dt.date) -> DayNote:
    values, _ = read_note_file(file)
    try:
        header = values.pop("format"), values.pop("gaming_day")
        values["between"] = [{**each, "gaming_day": header[1]} for each in values["between"]]
        lost = tuple(map(Lost.from_dict, values.pop("lost")))
        note = replace(parsed(DayNote, values), lost=lost)
    except (ValueError, KeyError, TypeError):
        raise NotIntact(file, "is no note of a gaming day") from None
    if header != (FORMAT, gaming_day.isoformat()):
        raise NotIntact(file, f"is no note of {gaming_day} in format {FORMAT}")
    unknown = sorted({str(finding.code) for finding in note.between} - CODES.keys())
    if unknown:
        raise NotIntact(file, f"has finding codes that are not known: {', '.join(unknown)}")
    return note


def acknowledged_findings_file(lake: Path, gaming_day: dt.date) -> Path:
    """The file of those who acknowledged the findings of a gaming day."""
    return lake / "acknowledged" / "found" / f"{gaming_day.isoformat()}.jsonl"


def unacknowledged_findings(lake: Path, gaming_day: dt.date, note: DayNote) -> str:
    """The summary of what the last run of a gaming day found, unless it is acknowledged; empty where there is nothing."""
    file = acknowledged_findings_file(lake, gaming_day)
    known = note.found and acknowledgement_of(file, [note.found, note.findings_digest])
    return "" if known else note.found


def acknowledge_found(lake: Path, gaming_day: dt.date, who: Acknowledgement) -> str:
    """Acknowledge the findings of a gaming day; returns their summary.

    Raises:
        NothingToAcknowledge: nothing was found, or it is acknowledged already.
        LakeUnusable: the day's note is damaged.
    """
    note = read_note(lake, gaming_day) or DayNote()
    if not unacknowledged_findings(lake, gaming_day, note):
        raise NothingToAcknowledge(f"nothing found on {gaming_day} waits to be acknowledged")
    subject = [note.found, note.findings_digest]
    keep_acknowledgement(lake, acknowledged_findings_file(lake, gaming_day), subject, who)
    return note.found
