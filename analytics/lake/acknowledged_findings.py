"""What nights found, and who said to have looked into it.

A night reports what it found once, as it ends. Where nobody heard of it, nobody would: so a day's note keeps it in a few words,
and ``pitaudit status`` lists it until somebody puts a name and a reason to it. ``LAKE/acknowledged/found/DAY.jsonl`` keeps that,
written and held as the lake's memory is (:mod:`analytics.lake.memory`). It holds for what was found then, by the digest of these
findings: a later run of the day that finds something else is reported again. A line of an earlier program names no digest, and
neither do the notes of that program: it holds until the day is run again. It changes no verdict, no report, and not whether the
day is clean.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from analytics.lake.memory import Acknowledgement, NothingToAcknowledge, acknowledgements, keep_acknowledgement
from analytics.lake.note import DayNote, read_note


def looked_into_file(lake: Path, gaming_day: dt.date) -> Path:
    """Where the lake keeps who looked into what was found on a gaming day."""
    return lake / "acknowledged" / "found" / f"{gaming_day.isoformat()}.jsonl"


def not_looked_into(lake: Path, gaming_day: dt.date, note: DayNote) -> str:
    """What the last run of a gaming day found and nobody looked into, in a few words; empty where there is nothing."""
    if not note.found:
        return ""
    known = acknowledgements(looked_into_file(lake, gaming_day))
    return "" if any(stands == _key(note) for stands, _ in known) else note.found


def _key(note: DayNote) -> list[str]:
    """What was found, as an acknowledgement names it."""
    return [note.found, *filter(None, [note.findings_digest])]


def acknowledge_found(lake: Path, gaming_day: dt.date, who: Acknowledgement) -> str:
    """Say that somebody looked into what was found on a gaming day; what that is.

    Raises:
        NothingToAcknowledge: nothing was found, or somebody said so already.
        LakeUnusable: the day's note is not as it was written.
        NotHeld: what was acknowledged before cannot be read.
        LakeNotWritable: the disk is full, say.
    """
    note = read_note(lake, gaming_day) or DayNote()
    found = not_looked_into(lake, gaming_day, note)
    if not found:
        raise NothingToAcknowledge(f"nothing found on {gaming_day} waits to be acknowledged")
    keep_acknowledgement(lake, looked_into_file(lake, gaming_day), _key(note), who)
    return found
