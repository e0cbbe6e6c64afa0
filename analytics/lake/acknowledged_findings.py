"""Acknowledgements of the findings of nights.

A night reports its findings once, as it ends, and that report may be missed. So the day's note keeps a summary of them, which
``pitaudit status`` lists until somebody acknowledges it with a name and a reason. ``LAKE/acknowledged/found/DAY.jsonl`` keeps
that (:mod:`analytics.lake.acknowledged`). An acknowledgement is valid for findings of one digest: a later run of the day with
other findings is reported again. No verdict or report changes by it, nor whether the day is clean.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from analytics.lake.acknowledged import Acknowledgement, NothingToAcknowledge, acknowledgements, keep_acknowledgement
from analytics.lake.note import DayNote, read_note


def acknowledged_findings_file(lake: Path, gaming_day: dt.date) -> Path:
    """The file of those who acknowledged the findings of a gaming day."""
    return lake / "acknowledged" / "found" / f"{gaming_day.isoformat()}.jsonl"


def unacknowledged_findings(lake: Path, gaming_day: dt.date, note: DayNote) -> str:
    """The summary of what the last run of a gaming day found, unless it is acknowledged; empty where there is nothing."""
    if not note.found:
        return ""
    known = acknowledgements(acknowledged_findings_file(lake, gaming_day))
    return "" if any(subject == _key(note) for subject, _ in known) else note.found


def _key(note: DayNote) -> list[str]:
    """The findings as an acknowledgement names them."""
    return [note.found, note.findings_digest]


def acknowledge_found(lake: Path, gaming_day: dt.date, who: Acknowledgement) -> str:
    """Acknowledge the findings of a gaming day; returns their summary.

    Raises:
        NothingToAcknowledge: nothing was found, or it is acknowledged already.
        LakeUnusable: the day's note is damaged.
        NotIntact: earlier acknowledgements cannot be read.
        LakeNotWritable: the disk is full, say.
    """
    note = read_note(lake, gaming_day) or DayNote()
    found = unacknowledged_findings(lake, gaming_day, note)
    if not found:
        raise NothingToAcknowledge(f"nothing found on {gaming_day} waits to be acknowledged")
    keep_acknowledgement(lake, acknowledged_findings_file(lake, gaming_day), _key(note), who)
    return found
