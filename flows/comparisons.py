"""The comparisons of ``replayer.verdicts.compare`` over an archive: some table-days at a time, on one process or several."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, pairwise
from typing import Any, Final, TypeAlias, TypeVar

import polars as pl

from replayer.engine.judgements import WOULD_DRAW
from replayer.engine.replay_settings import ReplaySettings
from replayer.log.columns import SUM, TableDay
from replayer.processes.spread import Progress, spread
from replayer.sources.archive import read_table_days
from replayer.sources.manifests import TableDayDamaged
from replayer.sources.table_days import TableDayRef
from replayer.verdicts.compare import CHANGES, LedgerLine, added, ledger, what_if
from replayer.verdicts.run import batches, judged_one_by_one

Result = TypeVar("Result")
Compare: TypeAlias = Callable[[Iterator[Sequence[TableDay]]], Result]
"""Compares table-days that are read in batches."""
_BATCHES_A_JOB: Final = 10
"""Batches of a job of the ledger at most: few, so that progress shows, yet enough that few rounds are not settled by themselves.
Every worker has as many jobs."""
NOT_KNOWN: Final = f"one side is not settled, or {WOULD_DRAW}"
"""Why the difference of a changed wager cannot be said."""


def what_if_of(
    refs: Sequence[TableDayRef],
    before: ReplaySettings,
    after: ReplaySettings,
    workers: int = 1,
    progress: Progress | None = None,
) -> tuple[pl.DataFrame, frozenset[str], frozenset[str], list[str]]:
    """The wagers that would be due something else (schema ``CHANGES``), by day and table and in the order of the log; the games
    that were compared; the names of the options elected in them; and the damage of table-days that could not be read or judged
    for it."""
    parts, damage = _spread(partial(_what_if, before=before, after=after), batches(refs, workers), workers, progress)
    changes, games, elected = zip((CHANGES.to_frame(), set[str](), set[str]()), *parts, strict=True)
    return pl.concat(changes), frozenset().union(*games), frozenset().union(*elected), damage


def ledger_of(
    refs: Sequence[TableDayRef], settings: ReplaySettings, workers: int = 1, progress: Progress | None = None
) -> tuple[list[LedgerLine], list[str]]:
    """The effect of each other reading of each ruling that moves money; and the damage, likewise."""
    made = batches(refs, workers)
    shares = workers * -(-len(made) // (workers * _BATCHES_A_JOB))
    cuts = [len(made) * share // shares for share in range(shares + 1)] if made else []
    jobs = [list(chain(*made[begin:end])) for begin, end in pairwise(cuts) if begin < end]
    parts, damage = _spread(partial(ledger, settings=settings), jobs, workers, progress)
    return added(parts), damage


def _what_if(
    read: Iterable[Sequence[TableDay]], *, before: ReplaySettings, after: ReplaySettings
) -> tuple[pl.DataFrame, set[str], set[str]]:
    parts, games, elected = [], set[str](), set[str]()
    for days in read:
        parts.append(what_if(days, before, after))
        games.update(*(day.events["table_game"].drop_nulls() for day in days))
        elected.update(*(day.events["option_name"].drop_nulls() for day in days))
    return pl.concat(parts), games, elected


def _spread(
    compare: Compare[Result], jobs: Sequence[Sequence[TableDayRef]], workers: int, progress: Progress | None
) -> tuple[list[Result], list[str]]:
    done = list(spread(partial(_compare, compare), jobs, workers, progress))
    return [result for results, _ in done for result in results], [each for _, damage in done for each in damage]


def _compare(compare: Compare[Result], job: Sequence[TableDayRef]) -> tuple[list[Result], list[str]]:
    """The comparison of a job's table-days, read batch by batch: in one part or, where one cannot be judged, in several."""

    def compared(refs: Sequence[TableDayRef]) -> tuple[Result, list[str]]:
        damage: list[str] = []
        return compare(list(_readable(batch, damage)) for batch in batches(refs)), damage

    done, failed = judged_one_by_one(job, compared)
    whys = [*chain.from_iterable(damage for _, damage in done), *(why for _, why in failed)]
    return [result for result, _ in done], whys


def _readable(refs: Sequence[TableDayRef], damage: list[str]) -> Iterator[TableDay]:
    for read in read_table_days(refs):
        if isinstance(read, TableDayDamaged):
            damage.append(str(read))
        else:
            yield read


def summed(changes: pl.DataFrame) -> dict[str, Any]:
    """The changes in all, by wager, by table and by round, as ``pitaudit whatif --json`` prints them."""
    known = by_currency(changes)
    several = {"change_in_win_minor": None, "by_currency": known}
    nothing_known = changes.height and not known
    return {
        "wagers_changed": changes.height,
        **(several if len(known) > 1 else {"change_in_win_minor": None if nothing_known else sum(known.values())}),
        "unsettled": changes["change_in_win"].null_count(),
        "by_wager": sums_by(changes, "wager"),
        "by_table": sums_by(changes, "table_id"),
        "rounds": rounds_of(changes).to_dicts(),
    }


def rounds_of(changes: pl.DataFrame) -> pl.DataFrame:
    """The rounds that change, each with its wagers."""
    wagers = pl.struct(
        "seat", "hand", "wager", "stake_minor", due_before_minor="due_before", due_after_minor="due_after",
        change_in_win_minor=_whole(pl.col("change_in_win"), pl.col("parts")),
    )  # fmt: skip
    rounds = changes.group_by("table_id", "gaming_day", "currency", "round", maintain_order=True)
    return rounds.agg(change_in_win_minor=_known_sum(changes), wagers=wagers)


def _whole(amount: pl.Expr, parts: pl.Expr) -> pl.Expr:
    """So many parts of a minor unit in whole ones, toward zero."""
    return amount.sign() * (amount.abs() // parts)


def _known_sum(changes: pl.DataFrame) -> pl.Expr:
    """The change in win as far as it can be said, added exactly; null where none can."""
    parts = math.lcm(*changes["parts"].unique())
    win = pl.col("change_in_win") * (pl.lit(parts, dtype=SUM) // pl.col("parts"))
    return pl.when(win.count() > 0).then(_whole(win.sum(), pl.lit(parts, dtype=SUM)))


def by_currency(changes: pl.DataFrame) -> dict[str, int]:
    """The change in win of each currency in which any can be said; amounts of several are never added up."""
    known = changes.drop_nulls("change_in_win").group_by(pl.col("currency").fill_null("unknown"))
    return dict(sorted(known.agg(_known_sum(changes)).rows()))


def sums_by(changes: pl.DataFrame, name: str) -> list[dict[str, Any]]:
    """The changes by the values of a column and currency."""
    sums = changes.group_by(name, "currency").agg(
        wagers=pl.len(), unsettled=pl.col("change_in_win").null_count(), change_in_win_minor=_known_sum(changes)
    )
    return sums.sort(name, "currency").rename({name: "name"}).to_dicts()
