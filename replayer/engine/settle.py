"""Settles the wagers of table-days again: what each is due, by which article, and on which rulings that depends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import polars as pl

from replayer.columns import SUM, TEXT, is_wager, may_repeat, widened
from replayer.engine.carried_wagers import STILL_RUNNING, UNKNOWN_DUE, CarriedResults
from replayer.engine.distinct_values import ColumnOf
from replayer.engine.due_lookup import DueTable, due_numbers
from replayer.engine.first_cards import FirstCards
from replayer.engine.histories import SEAT_KEY, Histories
from replayer.engine.judgements import Judgements, NotedBreach
from replayer.engine.late_wagers import with_lateness
from replayer.engine.round_context import RoundContext
from replayer.engine.rounds import some_at_a_time
from replayer.engine.ruled import Ruled
from replayer.game import Game
from replayer.outcomes import Judgement
from replayer.wagers import Due, StakeSituation

_WAGERS_AT_A_TIME: Final = 1 << 16
"""More wagers than most batches of table-days have."""
RUN_UNJUDGED: Final = "a later round, in which it was still running, cannot be judged"


def wagers_due(
    histories: Histories, context: RoundContext, judgements: Judgements, carried_results: CarriedResults, game: Game
) -> tuple[pl.DataFrame, ColumnOf[Ruled[Due]]]:
    """The placed wagers with their dues: ``num`` / ``den`` of the stake, article, rulings, reason, ``ended_ri``.

    The second part has the complete dues; ``due`` is a due's number in it.
    """
    on_first_cards = _of_kinds(histories.wagers, game.wagers.first_cards)
    first_cards = FirstCards(histories, histories.wagers.select(SEAT_KEY)["key"].gather(on_first_cards), game)
    based = [_with_base(some, game) for some in _some_wagers(histories.wagers, histories)]
    wagers = with_lateness(pl.concat(based), first_cards, context.evaluators, context.evaluator_numbers, game)
    dues = DueTable()
    of_wager = due_numbers(wagers, histories, context, judgements, first_cards, game, dues)
    ended = wagers["ri"]
    of_wager, ended = _follow_carried(wagers, of_wager, ended, dues, context, carried_results, game)
    due_column = ColumnOf(dues.all, of_wager.to_numpy())
    for some in _some_wagers(_with_other_side_wagers(wagers, ended, game), histories):
        _judge_stakes(some, context, judgements, game)
    _note_breaches(wagers, due_column, judgements)
    judged = histories.wagers.with_columns(wagers["begun"], **_columns(due_column), ended_ri=ended, due=of_wager)
    if context.round_rulings:
        own = [due.rulings for due in due_column.values]
        rested = zip(judged["ri"].to_list(), of_wager.to_list(), strict=True)
        texts = [_rulings_text(own[due], tuple(context.round_rulings.get(ri, ()))) for ri, due in rested]
        judged = judged.with_columns(rulings=pl.Series(texts, dtype=TEXT))
    return judged, due_column


@lru_cache(maxsize=1 << 12)
def _rulings_text(rulings: tuple[str, ...], of_round: tuple[str, ...]) -> str:
    """The rulings of a wager and of its round, each once."""
    return " ".join(dict.fromkeys((*rulings, *of_round)))


def _of_kinds(wagers: pl.DataFrame, kinds: frozenset[str]) -> pl.Series:
    """The rows of wagers of some kinds."""
    of_kinds = wagers["kind"].is_in(sorted(kinds)) if kinds else pl.Series([False])
    return of_kinds.arg_true()


def _some_wagers(wagers: pl.DataFrame, histories: Histories) -> Iterator[pl.DataFrame]:
    """The wagers of some rounds at a time: grouping them takes several times their memory."""
    return (some for some, _, _ in some_at_a_time(wagers, histories.rounds.height, _WAGERS_AT_A_TIME))


def _columns(dues: ColumnOf[Ruled[Due]]) -> dict[str, pl.Series]:
    odds = [due.value.odds for due in dues.values]
    reasons = [due.value.unjudged if due.value.odds is None else None for due in dues.values]
    distinct = {
        "num": pl.Series([None if o is None else o.numerator for o in odds], dtype=pl.Int64),
        "den": pl.Series([None if o is None else o.denominator for o in odds], dtype=pl.Int64),
        "article": pl.Series([due.value.article for due in dues.values], dtype=TEXT),
        "rulings": pl.Series([" ".join(due.rulings) for due in dues.values], dtype=TEXT),
        "reason": pl.Series(reasons, dtype=TEXT),
    }
    return {name: values.gather(dues.of_row) for name, values in distinct.items()}


def _note_breaches(wagers: pl.DataFrame, dues: ColumnOf[Ruled[Due]], judgements: Judgements) -> None:
    places = wagers.select("ri", "seat", "seq")
    for row, due in dues.rows(lambda due: bool(due.value.breaches)):
        ri, seat, seq = places.row(row)
        judgements.noted += [NotedBreach(breach, ri, seat, "wager", seq=seq) for breach in due.value.breaches]


def _judge_stakes(wagers: pl.DataFrame, context: RoundContext, judgements: Judgements, game: Game) -> None:
    """Note the breaches of every wager by its time and stake."""
    parts = StakeSituation._fields
    evaluator = pl.lit(context.evaluator_numbers).gather(pl.col("ri")).alias("evaluator")
    placed = wagers.select(evaluator, *parts)
    refused: dict[int, Judgement[None]] = {}
    distinct = placed.filter(pl.col("evaluator").is_not_null()).unique(maintain_order=True)
    for row, (number, *situation) in enumerate(distinct.iter_rows()):
        named = dict(zip(parts, situation, strict=True))
        others = {name: _kinds_in(named[name], game) for name in ("beside", "running")}
        judgement = context.evaluators[number].stake(StakeSituation(**named | others)).value
        if judgement.breaches or judgement.not_checked:
            refused[row] = judgement
    if not refused:
        return
    known = distinct[[*refused]].with_columns(judgement=pl.Series([*refused]))
    refusals = placed.join(known, on=["evaluator", *parts], how="left", nulls_equal=True, maintain_order="left")[
        "judgement"
    ]
    rows = refusals.is_not_null().arg_true()
    for number, (ri, seat, seq) in zip(
        refusals[rows], wagers.select("ri", "seat", "seq")[rows].iter_rows(), strict=True
    ):
        judgement = refused[number]
        if not context.unjudged_reasons[ri]:
            judgements.noted += [NotedBreach(breach, ri, seat, "wager", seq=seq) for breach in judgement.breaches]
            if judgement.not_checked:
                judgements.not_checked.append((ri, judgement.not_checked))


def _with_base(wagers: pl.DataFrame, game: Game) -> pl.DataFrame:
    """Add the stake of the base wager and what the player staked on the same before and after, the seat's number among those that
    the player took in the round, and the player's among those who took the seat: who sits there is the first, whoever placed
    before him. A wager with no stake takes no seat."""
    base = is_wager(game.wagers.base)
    taking = wagers.filter(is_wager(game.wagers.seat) & (pl.col("stake_minor") > 0))
    stakes = taking.group_by("ri", "seat", "player", maintain_order=True).agg(
        pl.col("position", "seq").min(),
        base_minor=pl.when(base.any()).then(pl.col("stake_minor").filter(base).cast(SUM).sum()),
    )
    nearest_first = pl.col("position").fill_null(0), pl.col("position").is_null(), pl.col("seq")
    stakes = stakes.select(
        "ri",
        "seat",
        "player",
        "base_minor",
        seats=pl.when(pl.col("player").is_not_null()).then(_number_in_group(stakes, "ri", "player")),
        bettors=_number_in_group(stakes, "ri", "seat", order=nearest_first),
    )
    same = ("ri", "seat", "hand", "kind", "player")
    in_parts = may_repeat(wagers, same)
    before = (
        pl.col("stake_minor").cast(SUM).cum_sum().over(same, order_by="seq") - pl.col("stake_minor")
        if in_parts
        else pl.lit(0)
    )
    after = pl.col("stake_minor").cast(SUM).sum().over(same) - pl.col("stake_minor") - before if in_parts else pl.lit(0)
    counted = widened(wagers, stakes, ["ri", "seat", "player"])
    return counted.with_columns(
        pl.col("seats", "bettors").fill_null(1), before_minor=before.cast(SUM), after_minor=after.cast(SUM)
    )


def _number_in_group(stakes: pl.DataFrame, *group: str, order: Sequence[pl.Expr] = (pl.col("seq"),)) -> pl.Series:
    """The number of each row within its ``group``, in ``order``; most groups have one row."""
    number = pl.Series([1], dtype=pl.Int64).new_from_index(0, stakes.height)
    several = stakes.select(group).is_duplicated().arg_true()
    if several.is_empty():
        return number
    own = pl.col("ri").cum_count().cast(pl.Int64).over(group, order_by=order)
    return number.scatter(several, stakes[several].select(own).to_series())


def _with_other_side_wagers(wagers: pl.DataFrame, ended: pl.Series, game: Game) -> pl.DataFrame:
    """Add the other side wagers of the same player on the same seat, a bit for each kind (:func:`_kinds_in`): of the round, and
    carried ones from earlier rounds."""
    place = ["seat", "player"]
    rows = _of_kinds(wagers, game.wagers.first_cards | game.wagers.carried)
    none = pl.Series([0], dtype=pl.Int64).new_from_index(0, wagers.height)
    if rows.is_empty():
        return wagers.with_columns(none.alias("beside"), none.alias("running"))
    side = wagers.select("ri", *place, "kind", ended_ri=ended)[rows]
    carried = side.filter(is_wager(game.wagers.carried))
    kinds = _side_kinds(game)
    bit = pl.col("kind").cast(pl.String).replace_strict(kinds, [1 << place for place in range(len(kinds))])
    of_kinds = bit.unique().sum()
    beside = side.group_by("ri", *place).agg(beside=of_kinds)
    running = (
        carried.select("ri", *place)
        .unique()
        .join(carried.select(*place, "kind", "ended_ri", began="ri"), on=place, nulls_equal=True)
        .filter((pl.col("began") < pl.col("ri")) & (pl.col("ri") <= pl.col("ended_ri")))
        .group_by("ri", *place)
        .agg(running=of_kinds)
    )
    others = side.select("ri", *place).join(
        beside, on=["ri", *place], how="left", nulls_equal=True, maintain_order="left"
    )
    others = others.join(running, on=["ri", *place], how="left", nulls_equal=True, maintain_order="left")
    return wagers.with_columns(
        none.scatter(rows, others[name].fill_null(0)).alias(name) for name in ("beside", "running")
    )


def _side_kinds(game: Game) -> list[str]:
    return sorted(game.wagers.first_cards | game.wagers.carried)


def _kinds_in(bits: int, game: Game) -> tuple[str, ...]:
    """The kinds of side wagers of which the bits are set."""
    return tuple(kind for place, kind in enumerate(_side_kinds(game)) if bits >> place & 1)


def _follow_carried(
    wagers: pl.DataFrame,
    of_wager: pl.Series,
    ended: pl.Series,
    dues: DueTable,
    context: RoundContext,
    carried_results: CarriedResults,
    game: Game,
) -> tuple[pl.Series, pl.Series]:
    """Follow carried wagers, by player and seat, to the round in which each ends."""
    rows = _of_kinds(wagers, game.wagers.carried)
    if rows.is_empty():
        return of_wager, ended
    carried_results.late = _late_bases(wagers, game)
    numbers, ends = [], []
    for ri, seat, player, kind, late in wagers[rows].select("ri", "seat", "player", "kind", "late").iter_rows():
        evaluator = context.evaluator_of[ri]
        carried_due, end = (None, ri) if evaluator is None else carried_results.due(evaluator, ri, seat, player, kind)
        if evaluator is not None and late and ri not in context.voids:
            void = evaluator.late(Ruled(UNKNOWN_DUE), late)
            if void.value.odds is not None:
                carried_due, end = void, ri
            elif carried_due is not None:
                carried_due = carried_due.resting_on(void.rulings)
        ends.append(end)
        due, rulings = (carried_due.value, carried_due.rulings) if carried_due else (None, ())
        if due is not None and due.odds is None and any(context.unjudged_reasons[ri + 1 : end + 1]):
            due, rulings = Due(None, "", unjudged=RUN_UNJUDGED), ()
        numbers.append(dues.number(due, rulings, context.unjudged_reasons[ri] or STILL_RUNNING))
    return of_wager.scatter(rows, pl.Series(numbers, dtype=pl.Int64)), ended.scatter(
        rows, pl.Series(ends, dtype=pl.Int64)
    )


def _late_bases(wagers: pl.DataFrame, game: Game) -> dict[tuple[int, int, str | None], str]:
    """The bettors all of whose base wagers on a seat came too late in a round, with the article after whose moment."""
    if not wagers.select((pl.col("late") != "").any()).item():
        return {}
    bases = wagers.filter(is_wager(game.wagers.base))
    late = bases.group_by("ri", "seat", "player").agg(late=pl.col("late").first(), every=(pl.col("late") != "").all())
    return {(ri, seat, player): article for ri, seat, player, article, every in late.iter_rows() if every}
