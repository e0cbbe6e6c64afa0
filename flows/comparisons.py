"""The comparisons of ``replayer.verdicts.compare`` over an archive: a few table-days at a time, on one process or several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import polars as pl

from replayer.engine.elections import ReplaySettings
from replayer.integrity.log import TableDay
from replayer.law.odds.spread import Progress, spread
from replayer.sources.archive import TableDayDamaged, TableDayRef
from replayer.verdicts.compare import CHANGES, LedgerLine, added, ledger, what_if
from replayer.verdicts.run import judged_apart, read_table_days

Result = TypeVar("Result")
_TOGETHER: Final = 8
"""Table-days of a job: few, so that progress shows and memory stays flat."""


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
    parts = list(spread(_what_if, _jobs(refs, workers, before, after), workers, progress))
    frame = pl.concat([CHANGES.to_frame(), *(result for part in parts for result in part.result)])
    return Compared(frame, tuple(damage for part in parts for damage in part.damage))


def ledger_of(
    refs: Sequence[TableDayRef], settings: ReplaySettings, workers: int = 1, progress: Progress | None = None
) -> Compared[list[LedgerLine]]:
    """What each other reading of each ruling on which money hangs would change."""
    parts = list(spread(_ledger, _jobs(refs, workers, settings), workers, progress))
    lines = added([result for part in parts for result in part.result])
    return Compared(lines, tuple(damage for part in parts for damage in part.damage))


def _jobs(
    refs: Sequence[TableDayRef], workers: int, before: ReplaySettings, after: ReplaySettings | None = None
) -> list[Job]:
    together = max(1, min(_TOGETHER, len(refs) // workers))
    return [Job(refs[at : at + together], before, after) for at in range(0, len(refs), together)]


def _what_if(job: Job) -> Compared[list[pl.DataFrame]]:
    after = job.after or job.before
    return _compare(job, lambda days: what_if(days, job.before, after))


def _ledger(job: Job) -> Compared[list[list[LedgerLine]]]:
    return _compare(job, lambda days: ledger(days, job.before))


def _compare(job: Job, compare: Callable[[Sequence[TableDay]], Result]) -> Compared[list[Result]]:
    """The comparison of a job's table-days, in one part or, where one of them cannot be judged, in one for each other."""
    damage: list[str] = []
    results, failed = judged_apart(list(_whole(job.refs, damage)), compare)
    return Compared(results, (*damage, *(why for _, why in failed)))


def _whole(refs: Sequence[TableDayRef], damage: list[str]) -> Iterator[TableDay]:
    for read in read_table_days(refs):
        if isinstance(read, TableDayDamaged):
            damage.append(str(read))
        else:
            yield read
