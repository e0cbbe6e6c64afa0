"""What is wrong with a table's numbers from one gaming day to the next: some are missing, or stand on two days.

What is said of a day depends on every gaming day of its tables, so on one that came, went or was changed since, too. The note of
each day keeps the numbers that its manifests claim: a night need not read those of a year.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Final

from analytics.lake import days_of, note_or_empty
from analytics.lake.files import NotIntact, Stamp, stamp_of
from analytics.lake.note import Numbers, day_file
from flows.unsealed import parts_of
from replayer.log.numbers import runs_of, without
from replayer.sources.archive import read_table_day
from replayer.sources.layout import gaming_days
from replayer.sources.left_out import noted
from replayer.sources.listing import cached_by_folder, sealed_in
from replayer.sources.manifests import TableDayDamaged, claimed_totals, read_manifests
from replayer.sources.misplaced import NOT_READ
from replayer.sources.table_days import TableDayRef
from replayer.verdicts.replay_totals import Outcome, continuity
from schemas.finding import Finding

_DAYS: Final = 1024
"""Gaming days remembered: three years of them."""

_Noted = tuple[Mapping[str, Numbers], tuple[Finding, ...] | None]
"""The numbers of a gaming day, and the findings between it and others, as noted; None where no run accounted for the day."""


def claimed_numbers(archive: Path, day: dt.date, tables: Iterable[str]) -> dict[str, Numbers]:
    """The numbers that the manifests of some tables claim of a gaming day, without tables whose manifests cannot be read, and
    logs out of their place."""
    in_place = (table for table in tables if not table.endswith(NOT_READ))
    claimed = ((table, _claimed(TableDayRef(day, table, archive))) for table in in_place)
    return {table: numbers for table, numbers in claimed if numbers}


def gaps_before(archive: Path, lake: Path, day: dt.date, own: Mapping[str, Numbers]) -> tuple[Finding, ...]:
    """The findings between a gaming day with these numbers, by table, and all others of its tables in the archive."""
    days = {each: _numbers_on(archive, each, _noted(lake, each)[0]) for each in gaming_days(archive)} | {day: own}
    detached = {table for table, here in own.items() if not _goes_on(here, days.values(), table)}
    return tuple(_found(_spans(days, detached), archive, day).get(day, ()))


def days_with_other_gaps(archive: Path, lake: Path, first: dt.date, last: dt.date) -> list[dt.date]:
    """The gaming days from ``first`` to ``last`` that a run accounted for, and of whose numbers the archive says something else
    by now: another day came, went or was changed."""
    notes = {each: _noted(lake, each) for each in {*gaming_days(archive), *days_of(lake, None, None)}}
    days = {each: _numbers_on(archive, each, numbers) for each, (numbers, _) in notes.items()}
    found = _found(_spans(days), archive)
    return sorted(
        day
        for day, (_, between) in notes.items()
        if first <= day <= last and between is not None and list(between) != found.get(day, [])
    )


def _noted(lake: Path, day: dt.date) -> _Noted:
    try:
        return _noted_once(lake, day, stamp_of(day_file(lake, day)))
    except NotIntact:
        return {}, None


@lru_cache(_DAYS)
def _noted_once(lake: Path, day: dt.date, _stamp: Stamp) -> _Noted:
    note = note_or_empty(lake, day)
    return note.numbers, note.between if note.accounted else None


def _numbers_on(archive: Path, day: dt.date, noted: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """The numbers of the tables of a gaming day: as noted, or by the manifests of a table that has other parts by now."""
    numbers: dict[str, Numbers] = {}
    for table, parts in parts_of(archive, day).items():
        known = noted.get(table)
        if known is None or known.parts != parts:
            known = _claimed_in(archive / day.isoformat()).get(table)
        if known:
            numbers[table] = known
    return numbers


def _goes_on(here: Numbers, days: Iterable[Mapping[str, Numbers]], table: str) -> bool:
    """Whether a table-day's numbers follow the highest one of all the table's gaming days that begin before it."""
    first = here.runs[0][0]
    others = (
        each for numbers in days if (each := numbers.get(table)) and each is not here and each.runs[0][0] <= first
    )
    return here.since is None and first == 1 + max((each.runs[-1][1] for each in others), default=0)


def _spans(days: Mapping[dt.date, Mapping[str, Numbers]], tables: Collection[str] | None = None) -> Iterator[Outcome]:
    for day, numbers in days.items():
        for table in numbers if tables is None else numbers.keys() & tables:
            yield Outcome(table, day, numbers=numbers[table].runs, since=numbers[table].since)


@partial(cached_by_folder, most=_DAYS)
def _claimed_in(folder: Path) -> dict[str, Numbers]:
    """The :func:`claimed_numbers` of a gaming day's folder, which the runs of all days of a new lake ask for."""
    return claimed_numbers(folder.parent, dt.date.fromisoformat(folder.name), sealed_in(folder))


def _claimed(ref: TableDayRef) -> Numbers | None:
    """The numbers that a table-day's manifests claim: all from the first to the last, without those that other days hold by its
    containers' notes. None where they cannot be read, which replay reports."""
    try:
        manifests = read_manifests(ref)
    except TableDayDamaged:
        return None
    first, last, count = claimed_totals(manifests)
    notes = [noted(part.name, ref.archive) for part in manifests] if count != last - first + 1 else []
    held = [run for note in notes for run in (*note.earlier, *note.later)]
    runs = without(first, last, held) or ((first, last),)
    return Numbers(len(manifests), runs, noted(manifests[0].name, ref.archive).since)


def _found(spans: Iterable[Outcome], archive: Path, day: dt.date | None = None) -> dict[dt.date, list[Finding]]:
    """The findings between table-days, by gaming day; where a day is given, of that day only."""
    stretches = _stretches(spans)
    read = (_read(each, archive) if day in (None, *(span.gaming_day for span in each)) else each for each in stretches)
    found: dict[dt.date, list[Finding]] = {}
    for finding in continuity([span for stretch in read for span in stretch]):
        found.setdefault(finding.gaming_day, []).append(finding)
    return found


def _stretches(spans: Iterable[Outcome]) -> Iterator[list[Outcome]]:
    """The days of each table in the order of their numbers, together those that have numbers between the same two."""
    in_order = sorted(spans, key=lambda each: (each.table_id, each.first_seq))
    for _, own in groupby(in_order, key=attrgetter("table_id")):
        stretch, reached = list[Outcome](), 0
        for span in own:
            if stretch and span.first_seq > reached:
                yield stretch
                stretch = []
            stretch.append(span)
            reached = max(reached, span.last_seq)
        yield stretch


def _read(stretch: Collection[Outcome], archive: Path) -> Iterator[Outcome]:
    """Days whose numbers overlap, with the numbers read from their events: a manifest only counts these, and some may be there
    twice while others are missing."""
    if len(stretch) == 1:
        yield from stretch
        return
    for span in stretch:
        with suppress(TableDayDamaged):  # its replay reports it
            seqs = read_table_day(TableDayRef(span.gaming_day, span.table_id, archive)).events["seq"]
            yield replace(span, numbers=runs_of(seqs))
