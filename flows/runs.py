"""The runs themselves, as plain functions: a gaming day, a range of days. Prefect is one way to start them, not a need.

A run does only what changed: table-days whose verdicts in the lake were made from the very bytes in the archive, under
the same rules and settings, are left alone. One that cannot be replayed is told at the end and never stops the others.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analytics.lake import (
    Change,
    DayNote,
    LakeNotWritable,
    LakeUnusable,
    LakeWriter,
    changes_of,
    clear_away,
    damage_of,
    days_of,
    forget,
    is_current,
    note_day,
    read_note,
    require_usable,
    tables_of,
)
from analytics.reconcile import Reconciliation, reconcile
from flows.pins import pins_of
from replayer.elections import ReplaySettings
from replayer.failure import in_one_line, is_failure
from replayer.run import TABLE_DAY_UNJUDGED, Outcome, Summary, continuity, replay_all
from replayer.sources.archive import TableDayDamaged, TableDayRef, claimed, read_manifests, table_days, unsealed
from replayer.sources.layout import gaming_days
from replayer.sources.left_out import reached_before
from replayer.sources.lost import Lost, lost_messages
from replayer.sources.quarantine import quarantined
from schemas.finding import Finding

_LOG = logging.getLogger(__name__)

OnTableDay = Callable[[str], None]
"""Told the table of each table-day that was dealt with."""


class NothingToRun(LookupError):
    """The archive holds no sealed table-day of what was asked for; the message says what there is."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What there is to do on a gaming day.

    ``gone`` are tables in the lake whose files the archive no longer has; ``made_anew`` maps tables whose verdicts in the
    lake are not as they were written to what is wrong with them (the empty one stands for the note of the day).
    """

    archive: Path
    lake: Path
    day: dt.date
    stale: tuple[TableDayRef, ...]
    unchanged: tuple[TableDayRef, ...]
    unsealed: tuple[TableDayRef, ...]
    gone: tuple[str, ...] = ()
    made_anew: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Batch:
    """What became of some table-days. ``damaged`` and ``failed`` say why, by table."""

    replayed: list[str] = field(default_factory=list)
    damaged: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def undone(self) -> dict[str, str]:
        """Tables without verdicts, and why."""
        return {**self.damaged, **self.failed}

    def add(self, other: Batch) -> None:
        """Take over what another batch did."""
        self.replayed += other.replayed
        self.damaged |= other.damaged
        self.failed |= other.failed


@dataclass(frozen=True, slots=True)
class Night:
    """A gaming day after its run. ``failed`` names table-days on which the program itself failed, and why.

    ``made_anew`` names table-days whose verdicts were damaged in the lake, and how; they were judged again. The empty name
    stands for the note of the day.
    """

    reconciliation: Reconciliation
    replayed: tuple[str, ...]
    unchanged: tuple[str, ...]
    unsealed: tuple[str, ...]
    failed: Mapping[str, str]
    seconds: float
    made_anew: Mapping[str, str] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """Whether everything ran and agrees."""
        return self.reconciliation.clean and not self.failed

    @property
    def undone(self) -> dict[str, str]:
        """Tables without verdicts, and why: damaged or failed."""
        return {**self.reconciliation.damaged, **self.failed}

    def to_dict(self) -> dict[str, Any]:
        """A JSON object: the run, then the reconciliation."""
        return {
            "replayed": list(self.replayed),
            "unchanged": list(self.unchanged),
            "unsealed": list(self.unsealed),
            "failed": dict(self.failed),
            "made_anew": dict(self.made_anew),
            "seconds": round(self.seconds, 3),
            **self.reconciliation.to_dict(),
            "clean": self.clean,
        }


def plan(archive: Path, lake: Path, day: dt.date, settings: ReplaySettings) -> Plan:
    """What a run of ``day`` has to do.

    What runs that were killed left in the lake is cleared away, and the lake is told which table-days wait to be judged: who
    reads it meanwhile, or after a kill, misses them.

    Raises:
        NothingToRun: nothing of that day is sealed.
        LakeUnusable: the path is none of a lake.
        LakeNotWritable: the lake's disk is full, say.
    """
    require_usable(lake, archive)
    clear_away(lake)
    present = table_days(archive, day=day)
    waiting = unsealed(archive, day=day)
    held = tables_of(lake, day)
    if not present and not held:
        raise NothingToRun(_nothing(archive, day, len(waiting)))
    pins = pins_of(settings)
    current = {ref for ref in present if is_current(lake, ref, pins)}
    stale = tuple(ref for ref in present if ref not in current)
    made_anew = _damaged_in(lake, day, [ref.table_id for ref in stale])
    note_waiting(lake, stale)
    return Plan(
        archive=archive,
        lake=lake,
        day=day,
        stale=stale,
        unchanged=tuple(ref for ref in present if ref in current),
        unsealed=tuple(waiting),
        gone=tuple(sorted(held - {ref.table_id for ref in present})),
        made_anew=made_anew,
    )


def note_waiting(lake: Path, refs: Iterable[TableDayRef]) -> None:
    """Note in the lake which table-days a run is about to judge.

    Raises:
        LakeNotWritable: the lake's disk is full, say.
    """
    tables: dict[dt.date, list[str]] = {}
    for ref in refs:
        tables.setdefault(ref.gaming_day, []).append(ref.table_id)
    for day, waiting in tables.items():
        note = None
        with suppress(LakeUnusable):  # it is made anew
            note = read_note(lake, day)
        earlier = note or DayNote()
        note_day(lake, day, dataclasses.replace(earlier, quarantined=None, waiting=tuple(sorted(waiting))))


def _damaged_in(lake: Path, day: dt.date, tables: Sequence[str]) -> dict[str, str]:
    """What of a gaming day's tables in the lake is not as it was written; those that its note names have no verdicts."""
    try:
        note = read_note(lake, day)
    except LakeUnusable as unusable:
        damaged = {"": str(unusable)}
        noted: Mapping[str, str] = {}
    else:
        damaged = {}
        noted = note.damaged if note else {}
    damaged |= {table: damage_of(lake, day, table) for table in tables if table not in noted}
    return {table: what for table, what in damaged.items() if what}


def _nothing(archive: Path, day: dt.date, waiting: int) -> str:
    if not archive.is_dir():
        return f"{archive}: there is no archive; make one with `pitaudit simulate`, `import` or `archive`"
    days = gaming_days(archive)
    has = f"it has {len(days)} gaming day(s), {days[0]} to {days[-1]}" if days else "it has none at all"
    under_way = f"; {waiting} table-day(s) are under way and not sealed" if waiting else ""
    return f"{archive} has no sealed table-day of {day}: {has}{under_way}"


def replay_batch(
    lake: Path,
    refs: Sequence[TableDayRef],
    settings: ReplaySettings,
    *,
    workers: int = 1,
    on_table_day: OnTableDay = lambda _: None,
) -> Batch:
    """Replay some table-days of one gaming day into the lake.

    Raises:
        LakeNotWritable: the lake's disk is full, say.
    """
    keep = LakeWriter(lake, pins_of(settings))
    done = Batch()

    def note(outcome: Outcome) -> None:
        if TABLE_DAY_UNJUDGED.code in outcome.findings:
            done.failed[outcome.table_id] = outcome.damage
        elif outcome.damage:
            done.damaged[outcome.table_id] = outcome.damage
        else:
            done.replayed.append(outcome.table_id)
        on_table_day(outcome.table_id)

    try:
        replay_all(refs, workers=workers, settings=settings, keep=keep, on_table_day=note)
    except LakeNotWritable:  # no other table-day can be written either
        raise
    except BaseException as error:  # whatever it is, it must not keep the other table-days from being done
        if not is_failure(error):
            raise
        if len(refs) > 1:
            dealt_with = {*done.replayed, *done.undone}
            for ref in refs:
                if ref.table_id not in dealt_with:
                    done.add(replay_batch(lake, [ref], settings, on_table_day=on_table_day))
            return done
        table = refs[0].table_id
        _LOG.debug("table %s of %s could not be replayed", table, refs[0].gaming_day, exc_info=True)
        done.failed[table] = in_one_line(error)
        on_table_day(table)
    return done


def conclude(plan: Plan, done: Batch, seconds: float = 0.0) -> Night:
    """Note what concerns the day as a whole and reconcile its tables.

    Tables without verdicts are taken out of the lake, so that no earlier verdicts pass for this run's.
    """
    missing = dict.fromkeys(plan.gone, "its files are no longer in the archive")
    missing |= done.damaged | {table: f"not replayed: {why}" for table, why in done.failed.items()}
    for table in missing:
        forget(plan.lake, plan.day, table)
    refused = quarantined(plan.archive)
    for message in refused:
        if message.unreadable:
            _LOG.warning(message.reason)
    lost = tuple(lost_messages(plan.archive, plan.day))
    note = DayNote(len(refused), missing, tuple(gaps_before(plan)), lost=lost)
    note_day(plan.lake, plan.day, note)
    return Night(
        reconciliation=reconcile(plan.lake, plan.day),
        replayed=tuple(sorted(done.replayed)),
        unchanged=tuple(ref.table_id for ref in plan.unchanged),
        unsealed=tuple(ref.table_id for ref in plan.unsealed),
        failed=done.failed,
        seconds=seconds,
        made_anew={table: what for table, what in plan.made_anew.items() if table not in missing},
    )


def note_replay(lake: Path, summary: Summary, refused: int, lost: Sequence[Lost] = ()) -> None:
    """Note in the lake what a replay of whole gaming days found besides verdicts; ``refused`` counts the quarantine, ``lost``
    are the messages that the archive misses."""
    for outcome in summary.damaged:
        forget(lake, outcome.gaming_day, outcome.table_id)
    damaged: dict[dt.date, dict[str, str]] = {outcome.gaming_day: {} for outcome in summary.outcomes}
    between: dict[dt.date, list[Finding]] = {day: [] for day in damaged}
    for outcome in summary.damaged:
        damaged[outcome.gaming_day][outcome.table_id] = outcome.damage
    for finding in summary.between:
        between[finding.gaming_day].append(finding)
    for day in sorted(damaged):
        concerns = tuple(each for each in lost if each.concerns(day))
        note_day(lake, day, DayNote(refused, damaged[day], tuple(between[day]), lost=concerns))


def open_changes(lake: Path, summary: Summary) -> list[Change]:
    """The changes of the replayed logs that nobody acknowledged."""
    return [
        change
        for outcome in summary.outcomes
        for change in changes_of(lake, outcome.gaming_day, outcome.table_id)
        if change.acknowledged is None
    ]


def gaps_before(plan: Plan) -> Iterator[Finding]:
    """Numbers missing between each table's gaming day and the one before it, by the archive's manifests."""
    days = gaming_days(plan.archive)
    apart = [ref.table_id for ref in (*plan.stale, *plan.unchanged) if not _goes_on(ref, days)]
    spans: dict[str, list[Outcome]] = {table: [] for table in apart}
    for day in days if apart else ():  # any other day may hold what came before
        for table in apart:
            span = _span(TableDayRef(day, table, plan.archive))
            spans[table] += [span] if span else []
    for own in spans.values():
        yield from (finding for finding in continuity(own) if finding.gaming_day == plan.day)


def _goes_on(ref: TableDayRef, days: Sequence[dt.date]) -> bool:
    """Whether a table-day's numbers follow those of the table's gaming day before it, or cannot be read."""
    here = _span(ref)
    if here is None or here.first_seq == 1:
        return True
    if here.since is not None:
        return False
    earlier = (_span(TableDayRef(day, ref.table_id, ref.archive)) for day in reversed(days) if day < ref.gaming_day)
    before = next(filter(None, earlier), None)
    return before is not None and (before.last_seq or 0) + 1 == here.first_seq


def _span(ref: TableDayRef) -> Outcome | None:
    """The numbers that a table-day's manifests claim; None where they cannot be read, which is told elsewhere."""
    try:
        first, last, count = claimed(read_manifests(ref))
    except TableDayDamaged:
        return None
    since = reached_before(ref)
    return Outcome(ref.table_id, ref.gaming_day, events=count, first_seq=first, last_seq=last, since=since)


def run_nightly(
    archive: Path,
    lake: Path,
    day: dt.date,
    settings: ReplaySettings | None = None,
    *,
    workers: int = 1,
    on_table_day: OnTableDay = lambda _: None,
) -> Night:
    """Replay what changed of a gaming day, and reconcile all its tables.

    Raises:
        NothingToRun: nothing of that day is sealed.
        LakeUnusable: the path is none of a lake.
        LakeNotWritable: the lake's disk is full, say; what was written before stays.
    """
    began = time.perf_counter()
    chosen = settings or ReplaySettings()
    planned = plan(archive, lake, day, chosen)
    done = replay_batch(lake, planned.stale, chosen, workers=workers, on_table_day=on_table_day)
    return conclude(planned, done, time.perf_counter() - began)


def days_between(archive: Path, lake: Path, first: dt.date, last: dt.date) -> list[dt.date]:
    """The gaming days from ``first`` to ``last``, both included, that archive or lake know.

    Raises:
        NothingToRun: there are none.
    """
    known = {*gaming_days(archive), *days_of(lake, first, last)}
    days = sorted(
        day for day in known if first <= day <= last and (table_days(archive, day=day) or tables_of(lake, day))
    )
    if not days:
        raise NothingToRun(_nothing(archive, first, 0) + f" (nor of any day to {last})")
    return days


def run_backfill(
    archive: Path,
    lake: Path,
    first: dt.date,
    last: dt.date,
    settings: ReplaySettings | None = None,
    *,
    workers: int = 1,
    on_day: Callable[[Night], None] = lambda _: None,
) -> list[Night]:
    """Run every gaming day from ``first`` to ``last``, both included.

    Raises:
        NothingToRun: nothing of those days is sealed.
    """
    nights = []
    for day in days_between(archive, lake, first, last):
        nights.append(run_nightly(archive, lake, day, settings, workers=workers))
        on_day(nights[-1])
    return nights
