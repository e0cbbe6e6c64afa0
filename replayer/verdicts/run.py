"""Replays many table-days on one process or several; the result depends neither on their number nor on the order."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import attrgetter
from typing import Final, TypeVar

from replayer.engine.replay_settings import ReplaySettings
from replayer.log.columns import TableDay
from replayer.processes.failure import in_one_line, is_failure
from replayer.processes.judging import release, within_a_query
from replayer.processes.spread import some_of_size, spread
from replayer.sources.archive import read_table_days
from replayer.sources.manifests import TableDayDamaged, read_manifests
from replayer.sources.table_days import TableDayRef
from replayer.verdicts.replay import Replayed, replay_table_days
from replayer.verdicts.replay_totals import (
    CONTAINER_DAMAGED,
    TABLE_DAY_UNJUDGED,
    Outcome,
    Summary,
    continuity,
    outcome_of,
    without_verdicts,
)

EVENTS_PER_BATCH: Final = 200_000
"""Events of the table-days replayed together: enough to share the fixed costs, few enough to keep memory flat."""
EVENTS_AT_LEAST: Final = 500
"""A table-day counts for at least so many events, because it has fixed costs of its own."""
KEPT_TOGETHER: Final = 800_000
"""Events of the table-days of a gaming day whose verdicts are kept together, unless one has more: some 130,000 rows of wagers, as
many as a process keeps in memory, and as a flipped bit in the lake makes a night judge again."""
SHORT: Final = 32
"""Up to so many batches, the calling process takes part in the work."""

_LOG: Final = logging.getLogger(__name__)

Result = TypeVar("Result")
Day = TypeVar("Day", bound=TableDay | TableDayRef)
Sized = TypeVar("Sized")
Keep = Callable[[Sequence[Replayed]], None]
"""Takes the verdicts of some table-days in the process that made them (to write them to a lake, say)."""


def replay_all(
    refs: Sequence[TableDayRef],
    *,
    workers: int = 1,
    settings: ReplaySettings | None = None,
    keep: Keep | None = None,
    on_table_day: Callable[[Outcome], None] | None = None,
) -> Summary:
    """Replay some table-days; with several workers, ``keep`` must be picklable."""
    began = time.perf_counter()
    settings = settings or ReplaySettings()
    summary = Summary()
    shares = [*_shares(refs, workers, kept=keep is not None)]
    # Starting a process takes a second; in a long run this process saves its memory for later work.
    short = sum(map(len, shares)) <= SHORT
    jobs = [(share, settings, keep) for share in shares]
    for outcome in chain.from_iterable(spread(replay_some, jobs, workers, taking_part=short)):
        summary.outcomes.append(outcome)
        if on_table_day is not None:
            on_table_day(outcome)
    summary.between = continuity(summary.outcomes)
    summary.seconds = time.perf_counter() - began
    return summary


def batches(refs: Sequence[TableDayRef], workers: int = 1) -> list[list[TableDayRef]]:
    """The table-days in the order given, cut into batches of limited size, at least one per worker if possible."""
    return _batches(refs, {ref: _events_of(ref) for ref in refs}, workers)


def _batches(refs: Sequence[TableDayRef], events: Mapping[TableDayRef, int], workers: int) -> list[list[TableDayRef]]:
    counts = _sizes(events[ref] for ref in refs)
    most = min(EVENTS_PER_BATCH, max(1, sum(counts) // workers))
    return list(some_of_size(refs, counts, most))


def kept_together(table_days: Sequence[Sized], events: Iterable[int]) -> list[list[Sized]]:
    """The table-days of a gaming day, in the order of their tables, as their verdicts are kept together; ``events`` has their
    sizes."""
    return list(some_of_size(table_days, _sizes(events), KEPT_TOGETHER))


def is_large(events: Iterable[int]) -> bool:
    """Whether table-days with so many events have most of what is kept together."""
    return 2 * sum(_sizes(events)) > KEPT_TOGETHER


def _shares(refs: Sequence[TableDayRef], workers: int, *, kept: bool) -> Iterator[list[list[TableDayRef]]]:
    """The batches that a process takes at a time: one, or in a long run all of what is large and ``kept`` together; the last ones
    singly, so that no process waits long for another."""
    events = {ref: _events_of(ref) for ref in refs}
    last = list(refs)
    if kept and len(_batches(refs, events, 1)) > SHORT:
        days = [list(of_day) for _, of_day in groupby(refs, key=attrgetter("gaming_day"))]
        parts = [part for of_day in days for part in kept_together(of_day, (events[ref] for ref in of_day))]
        last = []
        for part in parts[:-workers]:
            if is_large(events[ref] for ref in part):
                yield from ([batch] for batch in _batches(last, events, 1))
                yield _batches(part, events, 1)
                last = []
            else:
                last += part
        last += chain.from_iterable(parts[-workers:])
    yield from ([batch] for batch in _batches(last, events, workers))


def _sizes(events: Iterable[int]) -> list[int]:
    return [max(EVENTS_AT_LEAST, number) for number in events]


def _events_of(ref: TableDayRef) -> int:
    """The number of events by a table-day's manifests; zero where it is damaged, which reading it will report."""
    try:
        return sum(manifest.count for manifest in read_manifests(ref))
    except TableDayDamaged:
        return 0


@within_a_query
def replay_some(job: tuple[Sequence[Sequence[TableDayRef]], ReplaySettings, Keep | None]) -> list[Outcome]:
    """Read and replay some batches of table-days one after the other, and keep their verdicts together; a damaged table-day gives
    an outcome, not an exception."""
    some, settings, keep = job
    outcomes: list[Outcome] = []
    kept: list[Replayed] = []
    for refs in some:
        whole: list[TableDay] = []
        for ref, read in zip(refs, read_table_days(refs), strict=True):
            if isinstance(read, TableDay):
                whole.append(read)
            else:
                outcomes.append(without_verdicts(ref.table_id, ref.gaming_day, CONTAINER_DAMAGED, str(read)))
        outcomes += replay_read(whole, settings, keep and kept.extend)
        whole.clear()
        release()
    if keep is not None and kept:
        keep(kept)
    return outcomes


def replay_read(days: Sequence[TableDay], settings: ReplaySettings, keep: Keep | None = None) -> list[Outcome]:
    """Replay some table-days, already read, together; one on which judging fails gives an outcome too."""
    judged, failed = judged_one_by_one(days, lambda some: replay_table_days(some, settings, play=keep is not None))
    outcomes = [without_verdicts(day.table_id, day.gaming_day, TABLE_DAY_UNJUDGED, why) for day, why in failed]
    for batch in judged:
        if keep is not None:
            keep(batch)
        outcomes += map(outcome_of, batch)
    return outcomes


def judged_one_by_one(
    days: Sequence[Day], judge: Callable[[Sequence[Day]], Result]
) -> tuple[list[Result], list[tuple[Day, str]]]:
    """The results of ``judge`` on some table-days: on all together or, where that fails, on each half in turn, down to single
    ones; and those that fail alone, with the reason in one line."""
    if not days:
        return [], []
    try:
        return [judge(days)], []
    except BaseException as error:
        if not is_failure(error):
            raise
        if len(days) == 1:
            why = f"table {days[0].table_id} of {days[0].gaming_day} could not be judged: {in_one_line(error)}"
            _LOG.debug(why, exc_info=True)
            return [], [(days[0], why)]
    half = len(days) // 2
    results, failed = judged_one_by_one(days[:half], judge)
    others, failed_too = judged_one_by_one(days[half:], judge)
    return results + others, failed + failed_too
