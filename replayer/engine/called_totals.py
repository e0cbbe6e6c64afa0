"""The order in which the totals of seats are called when the cards lie there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from replayer.engine.histories import Subject
from replayer.engine.judgements import NotedBreach
from replayer.engine.round_context import JudgedDays
from replayer.log.columns import is_kind, lies, of_kind

_DEALT: Final = 2
"""The cards of a seat after the deal."""
_HIDDEN: Final = 4
"""For what a hidden card counts among them: its seat has no total to call."""


def called_out_of_order(events: pl.DataFrame, judged: JudgedDays) -> Iterator[NotedBreach]:
    """The first call of each seat behind that of a seat farther to the right, if its two cards lay open by then and it had not
    been played: what is called later is the total of a hand in play."""
    context, place = judged.context, ["round", "seat"]
    behind_others = judged.game.seat.called_behind
    calls = of_kind(events, ("TotalAnnounced",), "seq", "round", "decision_seat").drop_nulls()
    if calls.is_empty() or not any(behind_others(evaluator.rules) for evaluator in context.evaluators):
        return
    first = calls.rename({"decision_seat": "seat"}).unique(place, keep="first", maintain_order=True)
    farthest = pl.col("seat").cum_max().over("round")
    behind = first.filter(pl.col("seat") < farthest)
    if behind.is_empty():
        return
    farther = behind.join(first, on="round", suffix="_other").filter(pl.col("seat_other") > pl.col("seat"))
    since = farther.group_by(*place, "seq").agg(since=pl.col("seq_other").min())
    decided = of_kind(events, ("DecisionTaken",), "round", "decision_seat", "seq").rename({"decision_seat": "seat"})
    played = since.join(decided, on=place, suffix="_other").filter(pl.col("seq_other") < pl.col("seq"))
    cards = of_kind(events, ("CardDealt", "CardRemoved"), "round", "card_seat", "card_face", "kind", "seq")
    number = pl.when(is_kind("CardRemoved")).then(-1).when(lies("down")).then(_HIDDEN).otherwise(1)
    dealt = since.join(cards.select("round", at="seq", seat="card_seat", number=number), on=place)
    lying = dealt.group_by(*place, "seq").agg(
        then=pl.col("number").filter(pl.col("at") < pl.col("since")).sum(),
        now=pl.col("number").filter(pl.col("at") < pl.col("seq")).sum(),
    )
    found = lying.filter(then=_DEALT, now=_DEALT).join(played, on="seq", how="anti")
    of_rounds = found.join(judged.histories.rounds.select("round", "ri"), on="round").sort("seq")
    for ri, seat, seq in of_rounds.select("ri", "seat", "seq").iter_rows():
        evaluator = context.evaluator_of[ri]
        if evaluator is not None and (breach := behind_others(evaluator.rules)) is not None:
            yield NotedBreach(breach, ri, seat, Subject.CARD, seq=seq)
