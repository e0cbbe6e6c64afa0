"""Replays many table-days on one process or several; the result depends neither on their number nor on the order."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from itertools import chain
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
SHORT: Final = 32
"""Up to so many batches, the calling process takes part in the work."""

_LOG: Final = logging.getLogger(__name__)

Result = TypeVar("Result")
Day = TypeVar("Day", bound=TableDay | TableDayRef)
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
    jobs = [(batch, settings, keep) for batch in batches(refs, workers)]
    # Starting a process takes a second; in a long run this process saves its memory for later work.
    for outcome in chain.from_iterable(spread(replay_some, jobs, workers, taking_part=len(jobs) <= SHORT)):
        summary.outcomes.append(outcome)
        if on_table_day is not None:
            on_table_day(outcome)
    summary.between = continuity(summary.outcomes)
    summary.seconds = time.perf_counter() - began
    return summary


def batches(refs: Sequence[TableDayRef], workers: int = 1) -> list[list[TableDayRef]]:
    """The table-days in the order given, cut into batches of limited size, at least one per worker if possible."""
    counts = [max(EVENTS_AT_LEAST, _events_of(ref)) for ref in refs]
    most = min(EVENTS_PER_BATCH, max(1, sum(counts) // workers))
    return list(some_of_size(refs, counts, most))


def _events_of(ref: TableDayRef) -> int:
    """The number of events by a table-day's manifests; zero where it is damaged, which reading it will report."""
    try:
        return sum(manifest.count for manifest in read_manifests(ref))
    except TableDayDamaged:
        return 0


@within_a_query
def replay_some(job: tuple[Sequence[TableDayRef], ReplaySettings, Keep | None]) -> list[Outcome]:
    """Read and replay some table-days together; a damaged one gives an outcome, not an exception."""
    refs, settings, keep = job
    whole: list[TableDay] = []
    outcomes: list[Outcome] = []
    for ref, read in zip(refs, read_table_days(refs), strict=True):
        if isinstance(read, TableDay):
            whole.append(read)
        else:
            outcomes.append(without_verdicts(ref.table_id, ref.gaming_day, CONTAINER_DAMAGED, str(read)))
    outcomes += replay_read(whole, settings, keep)
    whole.clear()
    release()
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
