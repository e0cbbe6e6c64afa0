"""The comparisons of ``replayer.verdicts.compare`` over an archive: some table-days at a time, on one process or several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Final, Generic, TypeVar

import polars as pl

from replayer.engine.rules_in_force import ReplaySettings
from replayer.integrity.log import TableDay
from replayer.sources.archive import TableDayDamaged, TableDayRef
from replayer.spread import Progress, spread
from replayer.verdicts.compare import CHANGES, LedgerLine, added, ledger, what_if
from replayer.verdicts.run import batches, judged_one_by_one, read_table_days

Result = TypeVar("Result")
_BATCHES_A_JOB: Final = 10
"""Batches of a job of the ledger at most: few, so that progress shows, yet enough that few rounds are not settled by themselves.
Every worker has as many jobs."""


@dataclass(frozen=True, slots=True)
class Job:
    """Some table-days and what to compare: the rules of ``after`` where it is given, else every reading of each ruling."""

    refs: Sequence[TableDayRef]
    before: ReplaySettings
    after: ReplaySettings | None = None


@dataclass(frozen=True, slots=True)
class Compared(Generic[Result]):
    """A comparison and the damage of the table-days that could not be read or judged for it."""

    result: Result
    damage: tuple[str, ...]


def what_if_of(
    refs: Sequence[TableDayRef],
    before: ReplaySettings,
    after: ReplaySettings,
    workers: int = 1,
    progress: Progress | None = None,
) -> Compared[pl.DataFrame]:
    """The wagers that would be due something else (schema ``CHANGES``), by day and table and in the order of the log."""
    jobs = [Job(batch, before, after) for batch in batches(refs, workers)]
    parts = list(spread(_what_if, jobs, workers, progress))
    frame = pl.concat([CHANGES.to_frame(), *(result for part in parts for result in part.result)])
    return Compared(frame, tuple(damage for part in parts for damage in part.damage))


def ledger_of(
    refs: Sequence[TableDayRef], settings: ReplaySettings, workers: int = 1, progress: Progress | None = None
) -> Compared[list[LedgerLine]]:
    """The effect of each other reading of each ruling that moves money."""
    made = batches(refs, workers)
    shares = workers * -(-len(made) // (workers * _BATCHES_A_JOB))
    cuts = [len(made) * share // shares for share in range(shares + 1)] if made else []
    jobs = [Job(list(chain(*made[begin:end])), settings) for begin, end in pairwise(cuts) if begin < end]
    parts = list(spread(_ledger, jobs, workers, progress))
    lines = added([result for part in parts for result in part.result])
    return Compared(lines, tuple(damage for part in parts for damage in part.damage))


def _what_if(job: Job) -> Compared[list[pl.DataFrame]]:
    after = job.after or job.before
    return _compare(job, lambda read: pl.concat([what_if(days, job.before, after) for days in read]))


def _ledger(job: Job) -> Compared[list[list[LedgerLine]]]:
    return _compare(job, lambda read: ledger(read, job.before))


def _compare(job: Job, compare: Callable[[Iterator[Sequence[TableDay]]], Result]) -> Compared[list[Result]]:
    """The comparison of a job's table-days, read batch by batch: in one part or, where one cannot be judged, in several."""

    def compared(refs: Sequence[TableDayRef]) -> Compared[Result]:
        damage: list[str] = []
        result = compare(list(_readable(batch, damage)) for batch in batches(refs))
        return Compared(result, tuple(damage))

    done, failed = judged_one_by_one(job.refs, compared)
    damage = chain.from_iterable(part.damage for part in done)
    return Compared([part.result for part in done], (*damage, *(why for _, why in failed)))


def _readable(refs: Sequence[TableDayRef], damage: list[str]) -> Iterator[TableDay]:
    for read in read_table_days(refs):
        if isinstance(read, TableDayDamaged):
            damage.append(str(read))
        else:
            yield read
