"""Numbers that are missing between a table's gaming days."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from replayer.sources.archive import TableDayDamaged, TableDayRef, claimed_totals, read_manifests
from replayer.sources.layout import gaming_days
from replayer.sources.left_out import reached_before
from replayer.verdicts.continuity import continuity
from replayer.verdicts.outcome import Outcome
from schemas.finding import Finding


def gaps_before(archive: Path, day: dt.date, refs: Iterable[TableDayRef]) -> Iterator[Finding]:
    """Numbers missing between some tables' gaming day and the one before it, by the archive's manifests."""
    days = gaming_days(archive)
    apart = [ref.table_id for ref in refs if not _goes_on(ref, days)]
    spans: dict[str, list[Outcome]] = {table: [] for table in apart}
    for other in days if apart else ():  # any other day may hold what came before
        for table in apart:
            span = _span(TableDayRef(other, table, archive))
            spans[table] += [span] if span else []
    for own in spans.values():
        yield from (finding for finding in continuity(own) if finding.gaming_day == day)


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
    """The numbers that a table-day's manifests claim; None where they cannot be read, which replay reports."""
    try:
        first, last, count = claimed_totals(read_manifests(ref))
    except TableDayDamaged:
        return None
    since = reached_before(ref)
    return Outcome(ref.table_id, ref.gaming_day, events=count, first_seq=first, last_seq=last, since=since)
