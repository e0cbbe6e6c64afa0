"""Which wagers came too late: each game says by which article (``Game.too_late``), and what that makes of their dues."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from replayer.game import CARD_DEALT, Game, StakeSituation
from replayer.judge import Judge
from replayer.stories import Stories, seat_key
from replayer.words import word


def with_lateness(
    wagers: pl.DataFrame, stories: Stories, judges: Sequence[Judge], judge_of_round: pl.Series, game: Game
) -> pl.DataFrame:
    """Add ``so_far``, ``told`` and ``late`` to the wagers of ``Stories``, see :func:`_with_told` and :func:`_with_late`."""
    return _with_late(_with_told(wagers, stories, game), judges, judge_of_round, game)


def _with_told(wagers: pl.DataFrame, stories: Stories, game: Game) -> pl.DataFrame:
    """Add ``so_far``, the seat's story until then, and ``told``, its number of words, to wagers on opening cards that were placed
    when cards lay already; empty and zero for all others."""
    late = (wagers["kind"].is_in(sorted(game.opening_wagers)) & (wagers["moment"] & CARD_DEALT > 0)).arg_true()
    so_far = pl.Series([""], dtype=pl.String).new_from_index(0, wagers.height)
    told = pl.Series([0], dtype=pl.Int64).new_from_index(0, wagers.height)
    if late.len():
        places = wagers[late].select("ri", "seat", "seq").rows()
        keys = pl.Series([seat_key(ri, seat) for ri, seat, _ in places], dtype=pl.Int64)
        words = {
            key: [(at, word(symbol)) for at, symbol in told]
            for key, told in stories.seat_symbols(keys.unique(), game).items()
        }
        until = [[word for at, word in words[key] if at < seq] for key, (_, _, seq) in zip(keys, places, strict=True)]
        begun = [" ".join((stories.upcards[ri], *told)) for (ri, _, _), told in zip(places, until, strict=True)]
        so_far = so_far.scatter(late, pl.Series(begun, dtype=pl.String))
        told = told.scatter(late, pl.Series([len(words) for words in until], dtype=pl.Int64))
    return wagers.with_columns(so_far=so_far, told=told)


def _with_late(wagers: pl.DataFrame, judges: Sequence[Judge], judge_of_round: pl.Series, game: Game) -> pl.DataFrame:
    """Add ``late``, the article after whose moment a wager was placed, or the one that it rests on; empty where in time."""
    parts = ["kind", "hand", "moment", "begun", "so_far"]
    known = wagers.select("ri", *parts, row=pl.int_range(pl.len())).filter(pl.col("moment") > 0)
    judged = known.with_columns(judge=pl.lit(judge_of_round).gather(pl.col("ri"))).filter(pl.col("judge").is_not_null())
    late = pl.Series([""], dtype=pl.String).new_from_index(0, wagers.height)
    for judge, kind, hand, moment, begun, so_far, rows in (
        judged.group_by("judge", *parts).agg("row").select("judge", *parts, "row").iter_rows()
    ):
        stake = StakeSituation(kind, hand, moment, 0, None, None, begun=begun, so_far=so_far)
        article = judges[judge].too_late(stake).value
        if article:
            late = late.scatter(rows, article)
    wagers = wagers.with_columns(late=late)
    if not (late != "").any():
        return wagers
    bettor = ["ri", "seat", "player"]
    bases = wagers.filter(pl.col("kind").is_in(sorted(game.base_wagers))).group_by(bettor)
    base = bases.agg(base_late=pl.when((pl.col("late") != "").all()).then(pl.col("late").first()).otherwise(pl.lit("")))
    rests = pl.col("kind").is_in(sorted(game.play_wagers - game.seat_wagers)) & (pl.col("late") == "")
    return (
        wagers.join(base, on=bettor, how="left", nulls_equal=True, maintain_order="left")
        .with_columns(late=pl.when(rests).then(pl.col("base_late").fill_null("")).otherwise("late"))
        .drop("base_late")
    )
