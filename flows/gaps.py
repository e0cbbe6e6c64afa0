"""Numbers that are missing between a table's gaming days."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from replayer.log.numbers import runs_of, without
from replayer.sources.archive import read_columns
from replayer.sources.layout import gaming_days
from replayer.sources.left_out import noted
from replayer.sources.manifests import TableDayDamaged, claimed_totals, read_manifests
from replayer.sources.table_days import TableDayRef
from replayer.verdicts.continuity import continuity
from replayer.verdicts.replay_totals import Outcome
from schemas.finding import Finding


def gaps_before(archive: Path, day: dt.date, refs: Iterable[TableDayRef]) -> Iterator[Finding]:
    """Numbers missing between some tables' gaming day and the one before it, by the archive's manifests."""
    days = gaming_days(archive)
    detached = [ref.table_id for ref in refs if not _goes_on(ref, days)]
    spans: dict[str, list[Outcome]] = {table: [] for table in detached}
    for other in days if detached else ():  # any other day may hold what came before
        for table in detached:
            span = _span(TableDayRef(other, table, archive))
            spans[table] += [span] if span else []
    for own in spans.values():
        yield from (
            finding
            for finding in continuity(list(_read_where_they_overlap(own, day, archive)))
            if finding.gaming_day == day
        )


def _goes_on(ref: TableDayRef, days: Sequence[dt.date]) -> bool:
    """Whether a table-day's numbers follow those of the table's gaming day before it, or cannot be read."""
    here = _span(ref)
    if here is None:
        return True
    if here.since is not None:
        return False
    earlier = (_span(TableDayRef(day, ref.table_id, ref.archive)) for day in reversed(days) if day < ref.gaming_day)
    before = next(filter(None, earlier), None)
    return here.numbers[0][0] == 1 + (before.numbers[-1][1] if before else 0)


def _span(ref: TableDayRef) -> Outcome | None:
    """The numbers that a table-day's manifests claim: all from the first to the last, without those that other days hold by its
    containers' notes. None where they cannot be read, which replay reports."""
    try:
        manifests = read_manifests(ref)
    except TableDayDamaged:
        return None
    first, last, count = claimed_totals(manifests)
    notes = [noted(part.name, ref.archive) for part in manifests] if count != last - first + 1 else []
    held = [run for note in notes for run in (*note.earlier, *note.later)]
    numbers = without(first, last, held) or ((first, last),)
    return Outcome(ref.table_id, ref.gaming_day, numbers=numbers, since=noted(manifests[0].name, ref.archive).since)


def _read_where_they_overlap(spans: Sequence[Outcome], day: dt.date, archive: Path) -> Iterator[Outcome]:
    """A table's days; those whose numbers overlap with those of ``day``, and that day itself, with the numbers read from their
    events: a manifest only counts these, and some may be there twice while others are missing."""
    here = [span for span in spans if span.gaming_day == day]
    for span in spans:
        if not any(_reach_into(span, other) for other in (spans if span in here else here)):
            yield span
            continue
        with suppress(TableDayDamaged):  # its replay reports it
            seqs = read_columns(TableDayRef(span.gaming_day, span.table_id, archive))["seq"]
            yield replace(span, numbers=runs_of(seqs))


def _reach_into(one: Outcome, other: Outcome) -> bool:
    """Whether two days of a table have numbers between the same two."""
    [(first, last), (begin, end)] = ((each.numbers[0][0], each.numbers[-1][1]) for each in (one, other))
    return one is not other and first <= end and begin <= last
