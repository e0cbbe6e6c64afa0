"""Checks across the seats of a round: decisions at another's seat, decisions and matching wagers at shared seats, the table's
limit for all wagers of a round, and wagers beyond the last seat."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from replayer.columns import SUM, is_wager, of_kind
from replayer.engine.judgements import NotedBreach
from replayer.engine.round_context import RoundContext
from replayer.game import Game, SharedSeatLaw
from replayer.rules import ElectedOptions
from replayer.wagers import Bet


def across_seats(
    events: pl.DataFrame, rounds: pl.Series, wagers: pl.DataFrame, context: RoundContext, game: Game
) -> list[NotedBreach]:
    """The breaches that only a look at all seats of a round shows.

    ``rounds`` has the numbers of the rounds by index; ``wagers`` are all wagers placed.
    """
    shared, taken = game.shared_seats, _named_decisions(events, rounds)
    noted = list(_decisions_of_strangers(taken, wagers, context, game))
    if shared is not None:
        if (wagers["position"] > 0).any():  # where all are seated, nobody shares
            others = taken.filter(~pl.col("seq").is_in([each.seq for each in noted]))
            noted += _decisions_of_others(others, _shared_bets(wagers, game), context, shared)
        noted += _unmatched(wagers, context, game, shared)
    return [*noted, *_beyond_limit(wagers, context, game), *_beyond_last_seat(wagers, context, game)]


def _decisions_of_strangers(
    taken: pl.DataFrame, wagers: pl.DataFrame, context: RoundContext, game: Game
) -> Iterator[NotedBreach]:
    """The decisions at a seat by a named player who does not bet there, where all bettors of the seat are named. Where several
    bet and the log does not say who sits, a player without a bet elsewhere may be the seated player."""
    place = ["ri", "seat"]
    bases = wagers.filter(is_wager(game.wagers.base)).select(*place, "position", by="player")
    theirs = taken.join(bases, on=[*place, "by"], how="anti")
    if theirs.is_empty():
        return
    named = bases.filter(pl.col("by").null_count().over(place) == 0)
    known = named.filter((pl.col("by").n_unique() == 1).over(place) | (pl.col("position") == 0).any().over(place))
    betting = theirs.join(bases, on=["ri", "by"], how="semi").join(named, on=place, how="semi")
    strangers = theirs.join(bases, on=["ri", "by"], how="anti").join(known, on=place, how="semi")
    for ri, seat, seq, action in betting.vstack(strangers).select(*place, "seq", "action").iter_rows():
        evaluator = context.evaluator_of[ri]
        breach = None if evaluator is None else game.seat.judge_other(action, evaluator.rules)
        if breach is not None:
            yield NotedBreach(breach, ri, seat, "wager", seq=seq)


def _shared_bets(wagers: pl.DataFrame, game: Game) -> pl.DataFrame:
    """The bets on seats on which not all bettors sit, one row per player; each bet without a player is a row of its own."""
    place = ["ri", "seat"]
    bases = wagers.filter(is_wager(game.wagers.base))
    beside = bases.filter(pl.col("position") > 0).select(place).unique()
    shared = bases.join(beside, on=place, how="semi", maintain_order="left")
    unnamed = pl.when(pl.col("player").is_null()).then("seq").alias("unnamed")
    return shared.group_by(*place, "player", unnamed, maintain_order=True).agg(
        position=pl.when(pl.col("position").null_count() == 0).then(pl.col("position").min()),
        stake_minor=pl.col("stake_minor").cast(SUM).sum(),
    )


def _decisions_of_others(
    taken: pl.DataFrame, bets: pl.DataFrame, context: RoundContext, law: SharedSeatLaw[object, ElectedOptions]
) -> Iterator[NotedBreach]:
    """The decisions ``taken`` by a named player that another bettor of the seat had to take."""
    place = ["ri", "seat"]
    shared = taken.join(bets.select(place).unique(), on=place, how="semi")
    doubtful = shared.join(_clear_deciders(bets), on=place, how="left").filter(
        pl.col("by").ne_missing(pl.col("decider"))
    )
    if doubtful.is_empty():
        return
    several = bets.group_by(place).agg(pl.col("player").n_unique()).filter(pl.col("player") > 1)
    decisions = doubtful.join(several, on=place, how="semi")
    deciders: dict[tuple[int, int], frozenset[str]] = {}
    laid = bets.join(decisions.select(place).unique(), on=place, how="semi")
    for ri, seat, *columns in laid.group_by(place).agg("player", "position", "stake_minor").iter_rows():
        evaluator = context.evaluator_of[ri]
        if evaluator is not None:
            of_seat = tuple(Bet(*bet) for bet in zip(*columns, strict=True))
            deciders[ri, seat] = law.deciders(of_seat, evaluator.rules)
    for ri, seq, seat, action, by in decisions.select("ri", "seq", "seat", "action", "by").iter_rows():
        evaluator = context.evaluator_of[ri]
        if evaluator is not None:
            breach = law.judge(action, by, deciders[ri, seat], evaluator.rules)
            if breach is not None:
                yield NotedBreach(breach, ri, seat, "wager", seq=seq)


def _clear_deciders(bets: pl.DataFrame) -> pl.DataFrame:
    """The seated players with the highest bet on their seat: these may decide under any version, so the law is not asked."""
    place = ["ri", "seat"]
    most = pl.col("stake_minor") == pl.col("stake_minor").max().over(place)
    return bets.filter(most).filter(pl.col("position") == 0).select(*place, decider="player").unique(place)


def _named_decisions(events: pl.DataFrame, rounds: pl.Series) -> pl.DataFrame:
    """The decisions of named players: ``ri``, ``seat``, ``seq``, ``action``, ``by``."""
    index = pl.DataFrame({"round": rounds, "ri": pl.int_range(rounds.len(), eager=True)})
    columns = ("seq", "round", "decision_seat", "decision_action", "decision_player")
    taken = of_kind(events, ("DecisionTaken",), *columns)
    named = taken.filter(pl.col("decision_player").is_not_null())
    return named.join(index, on="round").select(
        "ri",
        "seq",
        seat=pl.col("decision_seat").cast(pl.Int32),
        action=pl.col("decision_action").cast(pl.String),
        by=pl.col("decision_player"),
    )


def _unmatched(
    wagers: pl.DataFrame, context: RoundContext, game: Game, law: SharedSeatLaw[object, ElectedOptions]
) -> Iterator[NotedBreach]:
    """The first wager of each kind on each hand that some bettor of the seat did not match, where all are named and all must."""
    not_followed = [law.not_followed(evaluator.rules) for evaluator in context.evaluators]
    if not any(not_followed):
        return
    place, base = ["ri", "seat"], is_wager(game.wagers.base)
    laid = wagers.filter(base | is_wager(law.followed))
    named = laid.filter(pl.col("player").null_count().over(place) == 0)
    bettors = named.filter(base).group_by(place).agg(bettors=pl.col("player").unique())
    stakes = named.filter(~base).group_by(*place, "kind", "hand").agg("player", seq=pl.col("seq").min())
    for ri, seat, players, seq, of_seat in (
        stakes.join(bettors, on=place).select(*place, "player", "seq", "bettors").iter_rows()
    ):
        breach = not_followed[context.evaluator_numbers[ri]] if not context.unjudged_reasons[ri] else None
        if breach is not None and not set(of_seat) <= set(players):
            yield NotedBreach(breach, ri, seat, "wager", seq=seq)


def _beyond_limit(wagers: pl.DataFrame, context: RoundContext, game: Game) -> Iterator[NotedBreach]:
    """The wager of each round whose stake takes the sum of all stakes above the table's limit."""
    limits = [game.placing.table_limit(evaluator.rules) for evaluator in context.evaluators]
    if not any(limits):
        return
    most = pl.Series([limit[0] if limit else None for limit in limits], dtype=pl.Int64).gather(
        context.evaluator_numbers
    )
    total = wagers.select(pl.col("stake_minor").cast(SUM).cum_sum().over("ri", order_by="seq")).to_series()
    beyond = wagers.select("ri", "seat", "seq").filter(total > most.gather(wagers["ri"]))
    for ri, seat, seq in beyond.sort("seq").unique("ri", keep="first", maintain_order=True).iter_rows():
        limit = limits[context.evaluator_numbers[ri]]
        if limit is not None and not context.unjudged_reasons[ri]:
            yield NotedBreach(limit[1], ri, seat, "wager", seq=seq)


def _beyond_last_seat(wagers: pl.DataFrame, context: RoundContext, game: Game) -> Iterator[NotedBreach]:
    """The first wager of each round on each seat beyond the table's last one."""
    places = [game.placing.places(evaluator.rules) for evaluator in context.evaluators]
    last = pl.Series([place[0] if place else None for place in places], dtype=pl.Int64).gather(
        context.evaluator_numbers
    )
    beyond = (wagers["seat"] > last.gather(wagers["ri"])).arg_true()
    if beyond.is_empty():
        return
    placed = wagers.select("ri", "seat", "seq")[beyond].sort("seq").unique(["ri", "seat"], keep="first")
    for ri, seat, seq in placed.iter_rows():
        place = places[context.evaluator_numbers[ri]]
        if place is not None and not context.unjudged_reasons[ri]:
            yield NotedBreach(place[1], ri, seat, "wager", seq=seq)
