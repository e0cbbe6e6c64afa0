"""The note of a gaming day: facts that concern the day as a whole and no single table-day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from analytics.lake.acknowledged_messages import Answered
from analytics.lake.files import LakeUnusable, NotHeld, is_there, read_sealed_text, sealed, written
from analytics.lake.statuses import Status, TableStatus
from producers.sinks.durable import make_folder, write_durably
from replayer.sources.lost import Lost
from schemas.finding import CODES, Finding

FORMAT: Final = 2


class DatedAhead(NamedTuple):
    """A table-day of the archive that was dated beyond the day of a run."""

    table_id: str
    gaming_day: dt.date

    def __str__(self) -> str:
        return f"{self.table_id} of {self.gaming_day}"

    def to_dict(self) -> dict[str, str]:
        """A JSON object."""
        return {"table_id": self.table_id, "gaming_day": self.gaming_day.isoformat()}

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> DatedAhead:
        """What :meth:`to_dict` gave.

        Raises:
            ValueError, TypeError, KeyError: it gave something else.
        """
        return cls(str(said["table_id"]), dt.date.fromisoformat(said["gaming_day"]))


@dataclass(frozen=True, slots=True)
class DayNote:
    """What concerns a gaming day as a whole.

    ``quarantined`` counts messages that could not be taken, None as long as a run is under way; ``damaged`` maps tables that
    could not be read to why; ``between`` holds findings between table-days (missing numbers); ``waiting`` are tables whose
    verdicts a run is about to write, so that they are missed if it is killed. ``tables`` says what became of each table that
    the day should have had or had, None where no run recorded it; ``basis`` the source of that list of tables; ``lost`` are
    messages that a topic no longer has and the archive never took, and that may concern the day; ``answered`` are those in
    quarantine that somebody answered for; ``found`` is what the run found at tables that were judged, in a few words, empty
    where it found nothing (:mod:`analytics.lake.acknowledged_findings`), ``findings_digest`` the digest of these findings, empty
    in a note of an earlier program; ``misplaced`` counts logs of the archive in places that tell no gaming day, ``ahead`` has its
    table-days dated beyond the day of the run.
    """

    quarantined: int | None = 0
    damaged: Mapping[str, str] = field(default_factory=dict)
    between: tuple[Finding, ...] = ()
    waiting: tuple[str, ...] = ()
    tables: tuple[TableStatus, ...] | None = None
    basis: str = ""
    lost: tuple[Lost, ...] = ()
    answered: tuple[Answered, ...] = ()
    found: str = ""
    misplaced: int = 0
    ahead: tuple[DatedAhead, ...] = ()
    findings_digest: str = ""

    @property
    def accounted(self) -> bool:
        """Whether a run accounted for the day's tables and finished."""
        return self.tables is not None and self.quarantined is not None

    @property
    def unread(self) -> dict[str, str]:
        """The tables whose logs the last run could not read, and why."""
        return {each.table_id: each.why for each in self.tables or () if each.status is Status.DAMAGED}


def day_file(lake: Path, gaming_day: dt.date) -> Path:
    """Where the note of a gaming day lies."""
    return lake / "days" / f"{gaming_day.isoformat()}.json"


def note_day(lake: Path, gaming_day: dt.date, note: DayNote) -> None:
    """Keep a day's note, in place of an earlier one.

    Raises:
        LakeNotWritable: the disk is full, say.
    """
    between = [
        {"code": f.code, "table_id": f.table_id, "seq": f.seq, "message": f.message}
        for f in note.between
        if f.gaming_day == gaming_day
    ]
    values = {
        "format": FORMAT,
        "gaming_day": gaming_day.isoformat(),
        "quarantined": note.quarantined,
        "damaged": dict(note.damaged),
        "between": between,
        "waiting": list(note.waiting),
        "tables": None if note.tables is None else [known.to_dict() for known in note.tables],
        "basis": note.basis,
        "lost": [lost.to_dict() for lost in note.lost],
        "answered": [each.to_dict() for each in note.answered],
        "found": note.found,
        "findings_digest": note.findings_digest,
        "misplaced": note.misplaced,
        "ahead": [each.to_dict() for each in note.ahead],
    }
    file = day_file(lake, gaming_day)
    with written(lake):
        make_folder(file.parent)
        write_durably(file, sealed(values).encode())


def read_note(lake: Path, gaming_day: dt.date) -> DayNote | None:
    """A day's note; None where none was made.

    Raises:
        LakeUnusable: it is not as it was written, or it is another day's.
    """
    file = day_file(lake, gaming_day)
    try:
        return _note(file, gaming_day) if is_there(file) else None
    except NotHeld as damaged:
        anew = f"run the day again: `pitaudit nightly --day {gaming_day}` makes it anew"
        raise LakeUnusable(f"{damaged}; {anew}") from None


def noted(lake: Path, gaming_day: dt.date) -> DayNote:
    """A day's note, and one without any facts where none was made or none can be read, which the day's own run reports."""
    with suppress(LakeUnusable):
        return read_note(lake, gaming_day) or DayNote()
    return DayNote()


def _note(file: Path, gaming_day: dt.date) -> DayNote:
    values, _ = read_sealed_text(file)
    try:
        said = values["format"], values["gaming_day"]
        between = tuple(
            Finding(f["code"], f["table_id"], gaming_day, f["seq"], message=f["message"]) for f in values["between"]
        )
        tables = values.get("tables")  # a note of an earlier program has none
        known = None if tables is None else tuple(map(TableStatus.from_dict, tables))
        lost = tuple(map(Lost.from_dict, values.get("lost", ())))
        note = DayNote(
            values["quarantined"],
            dict(values["damaged"]),
            between,
            tuple(values["waiting"]),
            known,
            values.get("basis", ""),
            lost,
            tuple(map(Answered.from_dict, values.get("answered", ()))),
            values.get("found", ""),
            values.get("misplaced", 0),
            tuple(map(DatedAhead.from_dict, values.get("ahead", ()))),
            values.get("findings_digest", ""),
        )
        texts = (*note.damaged, *note.damaged.values(), *note.waiting, note.basis, note.found, note.findings_digest)
        whole = isinstance(note.quarantined, int | None) and isinstance(note.misplaced, int)
        whole = whole and all(isinstance(text, str) for text in texts)
    except (ValueError, KeyError, TypeError):
        whole = False
    if not whole:
        raise NotHeld(file, "is no note of a gaming day")
    if said != (FORMAT, gaming_day.isoformat()):
        raise NotHeld(file, f"is no note of {gaming_day} in format {FORMAT}")
    unknown = sorted({str(finding.code) for finding in between} - CODES.keys())
    if unknown:
        raise NotHeld(file, f"has finding codes that are not known: {', '.join(unknown)}")
    return note
