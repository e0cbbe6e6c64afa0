"""What of a lake waits, was not judged or is damaged: of the last gaming days, by notes, manifests and what the views show."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from analytics.lake import Change, LakeUnusable, LeftOut, contents_of, days_of, note_or_empty, require_usable, views
from analytics.lake.contents import LAKE_DAMAGED
from analytics.lake.lock import Holder, holder
from analytics.lake.note import day_file, unacknowledged_findings
from analytics.lake.statuses import TableStatus, checked_against_register
from flows.pending_days import HELD_DAYS, clock_fault, first_within, known_of, left_behind, to_catch_up
from flows.settings import Settings
from flows.status.alarms import Alarm, Raised, raised_for
from replayer.sources.layout import gaming_days
from replayer.sources.misplaced import misplaced
from replayer.sources.safe_texts import json_object
from schemas.plural import plural

VERDICTS_SECONDS: Final = 7200
"""So long after its end a gaming day should have its verdicts: the night begins a quarter of an hour after it and may wait."""
HELD_SECONDS: Final = 10_800
"""Who writes the lake is waited for so long: a run of a large gaming day takes minutes, a replay of a year an hour or two."""
_CAUGHT_UP_DAYS: Final = 31
"""So many of the last gaming days are looked at for what was sealed since; a year of them takes a dozen seconds."""


@dataclass(frozen=True, slots=True)
class LakeStatus:
    """The status of a lake.

    Attributes:
        held_by: who writes it at present; ``hangs`` where that has gone on for longer than :data:`HELD_SECONDS`.
        last_judged: the last gaming day that a run accounted for.
        waiting: the gaming days that wait for verdicts; ``overdue`` those that should have
            them by now; ``left_behind`` those with logs that lie too far back for a night to catch up with.
        tables: tables of the days looked at that are absent, not sealed, damaged, failed or unexpected.
        unjudged_wagers: those of these days.
        damaged: verdicts of these days that are missing or were altered.
        log_changes: logs of these days that were replaced after they were judged, not acknowledged.
        found: what was found on these days, in a few words, of those into which nobody said to have looked.
        clock: that the machine's clock went back; empty where it did not.
    """

    folder: Path
    held_by: Holder | None
    hangs: bool
    last_judged: dt.date | None
    waiting: tuple[dt.date, ...]
    overdue: tuple[dt.date, ...]
    left_behind: tuple[dt.date, ...]
    tables: tuple[tuple[dt.date, TableStatus], ...]
    unjudged_wagers: int
    damaged: tuple[LeftOut, ...]
    log_changes: tuple[Change, ...]
    found: Mapping[dt.date, str]
    clock: str

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return json_object(self) | {
            "folder": str(self.folder),
            "tables": [
                {
                    "table_id": each.table_id,
                    "gaming_day": day.isoformat(),
                    "status": each.status.value,
                    "expected": each.expected,
                    "why": each.why,
                }
                for day, each in self.tables
            ],
            "damaged": [
                {"table_id": each.table_id, "gaming_day": each.gaming_day.isoformat(), "why": each.why}
                for each in self.damaged
            ],
            "log_changes": [each.to_dict() for each in self.log_changes],
            "found": {day.isoformat(): what for day, what in self.found.items()},
        }

    def alarms(self) -> Iterator[Raised]:
        """What somebody should look at."""
        lately = f"the next night makes those of the last {HELD_DAYS} days in the lake anew, `pitaudit backfill` all"
        said = f"verdicts are missing or not as they were written ({lately}): "
        which = [f"{each.gaming_day} {each.table_id or 'note of the day'}" for each in self.damaged]
        yield from raised_for(Alarm.LAKE_DAMAGED, said, which)
        said = "sealed logs are not those that were judged before (`pitaudit acknowledge`): "
        which = [f"{each.gaming_day} {each.table_id} {each.code}" for each in self.log_changes]
        yield from raised_for(Alarm.LOG_CHANGED, said, which)
        if self.hangs and self.held_by:
            said = f"held since {self.held_by.since} by {self.held_by.work}"
            who = f"process {self.held_by.pid} on {self.held_by.host}"
            yield Raised(Alarm.LAKE_HELD, 1, f"{said}; no run can write the lake: end {who} if it hangs")
        which = [f"{day} {each.table_id} {each.in_words}" for day, each in self.tables]
        yield from raised_for(Alarm.TABLE_NOT_JUDGED, "not judged, or not expected: ", which)
        said = "no verdicts yet (`pitaudit nightly`): "
        yield from raised_for(Alarm.DAY_WAITING, said, list(map(str, self.overdue)))
        said = "logs without verdicts, and no night reaches so far back (catch_up_days; `pitaudit backfill`): "
        yield from raised_for(Alarm.LEFT_BEHIND, said, list(map(str, self.left_behind)))
        said = "nobody said to have looked into it (`pitaudit acknowledge --day`): "
        which = [f"{day}: {what}" for day, what in sorted(self.found.items(), reverse=True)]
        yield from raised_for(Alarm.FINDINGS, said, which)
        if unjudged := self.unjudged_wagers:
            yield Raised(Alarm.WAGERS_UNJUDGED, unjudged, f"{plural(unjudged, 'wager')} could not be judged")
        if self.clock:
            yield Raised(Alarm.CLOCK_BACK, 1, self.clock)


def look_at_lake(folder: Path, archive: Path | None, now: dt.datetime, chosen: Settings, days: int) -> LakeStatus:
    """Look at a lake, at the last ``days`` gaming days that it knows, without blocking a run that writes it. Raises LakeUnusable
    where there is no lake at the path, or it has no locks."""
    require_usable(folder, archive)
    held_by = holder(folder)
    known = [_Day(folder, day) for day in last_days(folder, days, chosen.last_gaming_day(now))]
    held_by = held_by or holder(folder)
    held_seconds = held_by.seconds(now) if held_by else None
    at_work = held_seconds is not None and held_seconds <= HELD_SECONDS
    judged = next((day for day in reversed(days_of(folder, None, None)) if note_or_empty(folder, day).accounted), None)
    waiting, left = tuple[dt.date, ...](), tuple[dt.date, ...]()
    if archive is not None:
        last = chosen.last_gaming_day(now)
        waiting = tuple(_waiting(folder, archive, chosen, last))
        left = left_behind(archive, folder, first_within(chosen.catch_up_days, last + dt.timedelta(days=1)))
    late = dt.timedelta(seconds=VERDICTS_SECONDS)
    quiet = [day for day in known if not (at_work and day.under_way)]
    return LakeStatus(
        folder,
        held_by,
        held_seconds is not None and not at_work,
        judged,
        waiting,
        () if at_work else tuple(day for day in waiting if now - chosen.end_of(day) > late),
        () if at_work else left,
        tuple((day.day, each) for day in quiet for each in day.tables),
        sum(day.unjudged for day in quiet),
        tuple(left for day in quiet for left in day.damaged),
        tuple(change for day in quiet for change in day.changes),
        {day.day: day.found for day in quiet if day.found},
        clock_fault(folder, now),
    )


def _waiting(lake: Path, archive: Path, chosen: Settings, last: dt.date) -> Iterator[dt.date]:
    """The gaming days that the next night would judge; of those long ago only the ones that no run ever judged."""
    until = last + dt.timedelta(days=1)
    first = first_within(chosen.catch_up_days, until)
    days_of_misplaced = {each.gaming_day for each in misplaced(archive) if each.gaming_day}
    recorded = {*gaming_days(archive), *days_of_misplaced, *days_of(lake, None, None)}
    known = sorted(day for day in recorded if first <= day < until)
    oldest = min(known[-_CAUGHT_UP_DAYS:], default=until)
    yield from (day for day in known if day < oldest and not day_file(lake, day).exists())
    near = max(first, min(oldest, first_within(_CAUGHT_UP_DAYS, until)))
    due = to_catch_up(archive, lake, near, until, chosen.expecting)
    yield from due
    if (
        last not in due
        and not note_or_empty(lake, last).accounted
        and chosen.expecting.on(last, partial(known_of, archive, lake)).tables
    ):
        yield last  # nothing was ever recorded, or for long: the night judges its own day all the same


def last_days(folder: Path, days: int, over: dt.date) -> list[dt.date]:
    """The last gaming days that a lake knows up to ``over``, and all behind it, some of which may be dated wrongly."""
    known = days_of(folder, None, None)
    return known[-days - sum(day > over for day in known) :]


class _Day:
    """What a lake holds of one gaming day; ``under_way``: a run is judging it, or was killed."""

    def __init__(self, lake: Path, day: dt.date) -> None:
        self.day = day
        note = note_or_empty(lake, day)
        self.found = unacknowledged_findings(lake, day, note)
        self.under_way = note.quarantined is None
        contents = contents_of(lake, day, day, ("wagers", "table_days"))
        self.changes = contents.open_changes
        self.damaged = [left for left in contents.left_out if left.code == LAKE_DAMAGED]
        self.unjudged = 0
        games: dict[str, str | None] = {}
        if contents.runs:
            try:
                with views(lake, contents) as connection:
                    found = connection.sql("SELECT count(*) FROM wagers WHERE due_minor IS NULL")
                    [(self.unjudged,)] = found.fetchall()
                    games.update(connection.sql("SELECT table_id, game FROM table_days").fetchall())
            except LakeUnusable as unusable:  # a file was changed in this moment, or cannot be read
                self.damaged.append(LeftOut("", day, str(unusable)))
        damaged_tables = {left.table_id for left in self.damaged}
        noted = checked_against_register(lake, day, contents.statuses.get(day, ()), games)
        self.tables = [each for each in noted if each.open and each.table_id not in damaged_tables]
