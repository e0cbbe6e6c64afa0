"""Finds the wagers that came too late; the game names the article (``Placing.too_late``)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from replayer.columns import SUM, TEXT, is_wager
from replayer.engine.evaluator import Evaluator
from replayer.engine.first_cards import FirstCards
from replayer.engine.judgements import moves_money
from replayer.game import Game
from replayer.symbols import CARD_DEALT
from replayer.wagers import StakeSituation


def with_lateness(
    wagers: pl.DataFrame,
    first_cards: FirstCards,
    evaluators: Sequence[Evaluator],
    evaluator_of_round: pl.Series,
    game: Game,
) -> pl.DataFrame:
    """Add to the wagers of ``Histories`` ``parted``; ``late``, the article by which a wager or its base wager came too late,
    empty where in time; ``late_by``, the rulings on which it hangs whether it did, separated by blanks; and ``late_minor``, what
    was added too late to a base wager that was in time."""
    wagers = _with_first_cards(wagers, first_cards, game)
    parts = ["kind", "hand", "moment", "begun", "parted"]
    known = wagers.select("ri", *parts, row=pl.int_range(pl.len())).filter(pl.col("moment") > 0)
    judged = known.with_columns(evaluator=pl.lit(evaluator_of_round).gather(pl.col("ri"))).filter(
        pl.col("evaluator").is_not_null()
    )
    late, late_by = (pl.Series([""], dtype=TEXT).new_from_index(0, wagers.height) for _ in range(2))
    for evaluator, kind, hand, moment, begun, parted, rows in (
        judged.group_by("evaluator", *parts).agg("row").select("evaluator", *parts, "row").iter_rows()
    ):
        stake = StakeSituation(kind, hand, moment, 0, None, None, begun=begun, parted=parted)
        article = evaluators[evaluator].too_late(stake)
        if article.value:
            late = late.scatter(rows, article.value)
        if doubts := " ".join(filter(moves_money, article.rulings)):
            late_by = late_by.scatter(rows, doubts)
    wagers = wagers.with_columns(late=late, late_by=late_by, late_minor=pl.lit(0, dtype=SUM))
    if not wagers.select((pl.col("late") != "").any()).item():
        return wagers
    in_time = pl.lit("", dtype=TEXT)  # made here: a text column kept alive keeps the texts of all logs alive
    bettor = ["ri", "seat", "player"]
    bases = wagers.filter(is_wager(game.wagers.base)).group_by(bettor)
    came_late = pl.col("late") != ""
    added = pl.col("stake_minor").filter(came_late).cast(SUM).sum()
    base = bases.agg(
        base_late=pl.when(came_late.all()).then(pl.col("late").first()).otherwise(in_time),
        added=pl.when(came_late.all()).then(0).otherwise(added),
    )
    rests = is_wager(game.wagers.play - game.wagers.seat) & (pl.col("late") == "")
    return (
        wagers.join(base, on=bettor, how="left", nulls_equal=True, maintain_order="left")
        .with_columns(
            late=pl.when(rests).then(pl.col("base_late").fill_null(in_time)).otherwise("late"),
            late_minor=pl.col("added").fill_null(0),
        )
        .drop("base_late", "added")
    )


def _with_first_cards(wagers: pl.DataFrame, first_cards: FirstCards, game: Game) -> pl.DataFrame:
    """Add ``parted`` and set ``begun`` (``StakeSituation``) for wagers on first cards that were placed after the deal began."""
    late = (wagers["kind"].is_in(sorted(game.wagers.first_cards)) & (wagers["moment"] & CARD_DEALT > 0)).arg_true()
    parted = pl.Series([0], dtype=pl.Int64).new_from_index(0, wagers.height)
    if late.is_empty():
        return wagers.with_columns(parted=parted)
    places = wagers[late].select("ri", "seat", "seq", "hand").rows()
    lay = [(first_cards.of(ri, seat, until=seq), hand) for ri, seat, seq, hand in places]
    return wagers.with_columns(
        parted=parted.scatter(late, [cards.parted(hand) for cards, hand in lay]),
        begun=wagers["begun"].scatter(late, [cards.begun(hand) for cards, hand in lay]),
    )
