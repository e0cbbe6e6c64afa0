"""What no single situation shows: who decides where several bet on one seat, and what a round's wagers come to together."""

from __future__ import annotations

import polars as pl

from replayer.game import Bet, Game
from replayer.opinion import Noted, Opinion
from replayer.settle import Bench


def note_together(
    events: pl.DataFrame, rounds: pl.Series, wagers: pl.DataFrame, bench: Bench, formed: Opinion, game: Game
) -> None:
    """Note the decisions at shared seats that were another bettor's, and the wagers beyond a limit for the whole table.

    ``rounds`` has the numbers of the rounds by index; ``wagers`` are all that were placed.
    """
    _decisions(events, rounds, wagers, bench, formed, game)
    _limits(wagers, bench, formed, game)


def _decisions(
    events: pl.DataFrame, rounds: pl.Series, wagers: pl.DataFrame, bench: Bench, formed: Opinion, game: Game
) -> None:
    bases = wagers.filter(pl.col("kind").is_in(sorted(game.base_wagers)) & pl.col("player").is_not_null())
    seats = bases.group_by("ri", "seat").agg("player", "position", "stake_minor")
    shared = seats.filter(pl.col("player").list.n_unique() > 1)
    if shared.is_empty():
        return
    index = pl.DataFrame({"round": rounds, "ri": pl.int_range(rounds.len(), eager=True)}).join(shared, on="ri")
    taken = events.filter((pl.col("kind") == "DecisionTaken") & pl.col("decision_player").is_not_null())
    decisions = taken.select(
        "seq", "round", "decision_action", decided_by="decision_player", seat=pl.col("decision_seat").cast(pl.Int32)
    ).join(index.with_columns(pl.col("seat").cast(pl.Int32)), on=["round", "seat"])
    columns = ("ri", "seq", "seat", "decision_action", "decided_by", "player", "position", "stake_minor")
    for ri, seq, seat, action, by, players, positions, stakes in decisions.select(columns).iter_rows():
        judge = bench.of(ri)
        if judge is None:
            continue
        bets = tuple(Bet(*bet) for bet in zip(players, positions, stakes, strict=True))
        breach = game.judge_decider(action, by, bets, judge.rules)
        if breach is not None:
            formed.noted.append(Noted(breach, ri, seat, "wager", seq=seq))


def _limits(wagers: pl.DataFrame, bench: Bench, formed: Opinion, game: Game) -> None:
    """The first wager of each round with which all of them together are more than the table's limit."""
    limits = [game.table_limit(judge.rules) for judge in bench.judges]
    if not any(limits):
        return
    most = pl.Series([limit[0] if limit else None for limit in limits], dtype=pl.Int64)
    told = wagers.with_columns(judge=pl.lit(bench.of_round).gather(pl.col("ri"))).with_columns(
        most=pl.lit(most).gather(pl.col("judge")), total=pl.col("stake_minor").cum_sum().over("ri", order_by="seq")
    )
    beyond = told.filter(pl.col("total") > pl.col("most")).sort("seq").unique("ri", keep="first", maintain_order=True)
    for ri, seat, seq, number in beyond.select("ri", "seat", "seq", "judge").iter_rows():
        limit = limits[number]
        if limit is not None and not bench.why_not[ri]:
            formed.noted.append(Noted(limit[1], ri, seat, "wager", seq=seq))
