"""Checks across the seats of a round: who decides at another's seat, who decides and who follows where several bet on one,
what the wagers of a round come to together, and which seats the table has."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from replayer.columns import SUM, of_kind
from replayer.engine.judgements import Noted
from replayer.engine.round_context import RoundContext
from replayer.game import Game, SharedSeatLaw
from replayer.rules import ElectedOptions
from replayer.wagers import Bet


def across_seats(
    events: pl.DataFrame, rounds: pl.Series, wagers: pl.DataFrame, context: RoundContext, game: Game
) -> list[Noted]:
    """The decisions of players who do not bet at the seat, those at shared seats that were another bettor's, the wagers there
    that not all followed, those beyond a limit for the whole table, and those beyond its last seat.

    ``rounds`` has the numbers of the rounds by index; ``wagers`` are all that were placed.
    """
    shared, taken = game.shared_seats, _named_decisions(events, rounds)
    noted = list(_interferences(taken, wagers, context, game))
    if shared is not None:
        if (wagers["position"] > 0).any():  # where all are seated, nobody shares
            others = taken.filter(~pl.col("seq").is_in([each.seq for each in noted]))
            noted += _decisions(others, _shared_bets(wagers, game), context, shared)
        noted += _followed(wagers, context, game, shared)
    return [*noted, *_limits(wagers, context, game), *_places(wagers, context, game)]


def _interferences(taken: pl.DataFrame, wagers: pl.DataFrame, context: RoundContext, game: Game) -> Iterator[Noted]:
    """The decisions at a seat, all of whose bettors are named, by a player who is none of them. Where several bet and none is
    known to sit, who bets at no other seat may be the seated player."""
    place = ["ri", "seat"]
    bases = wagers.filter(pl.col("kind").is_in(sorted(game.wagers.base))).select(*place, "position", by="player")
    theirs = taken.join(bases, on=[*place, "by"], how="anti")
    if theirs.is_empty():
        return
    named = bases.filter(pl.col("by").null_count().over(place) == 0)
    known = named.filter((pl.col("by").n_unique() == 1).over(place) | (pl.col("position") == 0).any().over(place))
    betting = theirs.join(bases, on=["ri", "by"], how="semi").join(named, on=place, how="semi")
    strangers = theirs.join(bases, on=["ri", "by"], how="anti").join(known, on=place, how="semi")
    for ri, seat, seq, action in betting.vstack(strangers).select(*place, "seq", "action").iter_rows():
        evaluator = context.of[ri]
        breach = None if evaluator is None else game.seat.judge_other(action, evaluator.rules)
        if breach is not None:
            yield Noted(breach, ri, seat, "wager", seq=seq)


def _shared_bets(wagers: pl.DataFrame, game: Game) -> pl.DataFrame:
    """The bets on seats on which not all bettors sit, each player's put together; those that name nobody are each a bet."""
    place = ["ri", "seat"]
    bases = wagers.filter(pl.col("kind").is_in(sorted(game.wagers.base)))
    beside = bases.filter(pl.col("position") > 0).select(place).unique()
    shared = bases.join(beside, on=place, how="semi", maintain_order="left")
    unnamed = pl.when(pl.col("player").is_null()).then("seq").alias("unnamed")
    return shared.group_by(*place, "player", unnamed, maintain_order=True).agg(
        position=pl.when(pl.col("position").null_count() == 0).then(pl.col("position").min()),
        stake_minor=pl.col("stake_minor").cast(SUM).sum(),
    )


def _decisions(
    taken: pl.DataFrame, bets: pl.DataFrame, context: RoundContext, law: SharedSeatLaw[object, ElectedOptions]
) -> Iterator[Noted]:
    """The decisions, of those ``taken`` by named players, that were another bettor's."""
    place = ["ri", "seat"]
    shared = taken.join(bets.select(place).unique(), on=place, how="semi")
    doubtful = shared.join(_plain(bets), on=place, how="left").filter(pl.col("by").ne_missing(pl.col("plain")))
    if doubtful.is_empty():
        return
    several = bets.group_by(place).agg(pl.col("player").n_unique()).filter(pl.col("player") > 1)
    decisions = doubtful.join(several, on=place, how="semi")
    deciders: dict[tuple[int, int], frozenset[str]] = {}
    laid = bets.join(decisions.select(place).unique(), on=place, how="semi")
    for ri, seat, *columns in laid.group_by(place).agg("player", "position", "stake_minor").iter_rows():
        evaluator = context.of[ri]
        if evaluator is not None:
            of_seat = tuple(Bet(*bet) for bet in zip(*columns, strict=True))
            deciders[ri, seat] = law.deciders(of_seat, evaluator.rules)
    for ri, seq, seat, action, by in decisions.select("ri", "seq", "seat", "action", "by").iter_rows():
        evaluator = context.of[ri]
        if evaluator is not None:
            breach = law.judge(action, by, deciders[ri, seat], evaluator.rules)
            if breach is not None:
                yield Noted(breach, ri, seat, "wager", seq=seq)


def _plain(bets: pl.DataFrame) -> pl.DataFrame:
    """Who sits at a seat and bets most there: he may decide by any rule, and need not be asked about."""
    place = ["ri", "seat"]
    most = pl.col("stake_minor") == pl.col("stake_minor").max().over(place)
    return bets.filter(most).filter(pl.col("position") == 0).select(*place, plain="player").unique(place)


def _named_decisions(events: pl.DataFrame, rounds: pl.Series) -> pl.DataFrame:
    """The decisions that a named player took: ``ri``, ``seat``, ``seq``, ``action``, ``by``."""
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


def _followed(
    wagers: pl.DataFrame, context: RoundContext, game: Game, law: SharedSeatLaw[object, ElectedOptions]
) -> Iterator[Noted]:
    """The first wager of each kind on each hand that not every bettor on its seat followed, where all are named and all must."""
    not_followed = [law.not_followed(evaluator.rules) for evaluator in context.evaluators]
    if not any(not_followed):
        return
    place, base = ["ri", "seat"], pl.col("kind").is_in(sorted(game.wagers.base))
    laid = wagers.filter(base | pl.col("kind").is_in(sorted(law.followed)))
    named = laid.filter(pl.col("player").null_count().over(place) == 0)
    bettors = named.filter(base).group_by(place).agg(bettors=pl.col("player").unique())
    stakes = named.filter(~base).group_by(*place, "kind", "hand").agg("player", seq=pl.col("seq").min())
    for ri, seat, players, seq, of_seat in (
        stakes.join(bettors, on=place).select(*place, "player", "seq", "bettors").iter_rows()
    ):
        breach = not_followed[context.of_round[ri]] if not context.why_not[ri] else None
        if breach is not None and not set(of_seat) <= set(players):
            yield Noted(breach, ri, seat, "wager", seq=seq)


def _limits(wagers: pl.DataFrame, context: RoundContext, game: Game) -> Iterator[Noted]:
    """The first wager of each round with which all of them together are more than the table's limit."""
    limits = [game.placing.table_limit(evaluator.rules) for evaluator in context.evaluators]
    if not any(limits):
        return
    most = pl.Series([limit[0] if limit else None for limit in limits], dtype=pl.Int64).gather(context.of_round)
    total = wagers.select(pl.col("stake_minor").cast(SUM).cum_sum().over("ri", order_by="seq")).to_series()
    beyond = wagers.select("ri", "seat", "seq").filter(total > most.gather(wagers["ri"]))
    for ri, seat, seq in beyond.sort("seq").unique("ri", keep="first", maintain_order=True).iter_rows():
        limit = limits[context.of_round[ri]]
        if limit is not None and not context.why_not[ri]:
            yield Noted(limit[1], ri, seat, "wager", seq=seq)


def _places(wagers: pl.DataFrame, context: RoundContext, game: Game) -> Iterator[Noted]:
    """The first wager of each round on each seat that the table does not have."""
    places = [game.placing.places(evaluator.rules) for evaluator in context.evaluators]
    last = pl.Series([place[0] if place else None for place in places], dtype=pl.Int64).gather(context.of_round)
    beyond = (wagers["seat"] > last.gather(wagers["ri"])).arg_true()
    if beyond.is_empty():
        return
    placed = wagers.select("ri", "seat", "seq")[beyond].sort("seq").unique(["ri", "seat"], keep="first")
    for ri, seat, seq in placed.iter_rows():
        place = places[context.of_round[ri]]
        if place is not None and not context.why_not[ri]:
            yield Noted(place[1], ri, seat, "wager", seq=seq)
