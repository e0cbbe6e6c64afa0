"""Checks deadlines: what must be done before play goes on to another place, or before other wagers are settled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import polars as pl

from replayer.columns import is_kind, of_kind
from replayer.engine.histories import SEAT_KEY
from replayer.engine.judgements import Noted
from replayer.engine.reconstruct import Reconstruction
from replayer.game import Game
from replayer.wagers import Timing


class Course:
    """Where play was at any moment: at the place of the last card or decision, zero for the bank."""

    def __init__(self, events: pl.DataFrame, game: Game) -> None:
        self._events = events
        self._side_actions = sorted(game.seat.side_actions)

    @cached_property
    def _acts(self) -> pl.DataFrame:
        columns = ("seq", "kind", "card_seat", "decision_seat", "decision_action")
        acts = of_kind(self._events, ("CardDealt", "CardTurned", "DecisionTaken"), *columns)
        beside = is_kind("DecisionTaken") & pl.col("decision_action").is_in(self._side_actions).fill_null(value=True)
        turned = is_kind("CardTurned") & pl.col("card_seat").is_not_null()
        return acts.filter(~beside & ~turned).select(
            "seq", place=pl.coalesce("card_seat", "decision_seat").fill_null(0)
        )

    def moved_on(self, seqs: pl.Series, seats: pl.Series) -> pl.Series:
        """Whether play had gone on from each seat by the ``seq`` beside it."""
        last = self._acts["seq"].search_sorted(seqs, side="left").cast(pl.Int64) - 1
        return self._acts["place"].gather(last) != seats


def missed_deadlines(made: Reconstruction, matched: pl.DataFrame) -> Iterator[Noted]:
    """What came too late. ``matched`` has the wagers of ``made`` with their settlements."""
    if made.judgements is None or made.game is None:
        return
    course = Course(made.events, made.game)
    yield from _not_shown(made, course)
    dues = enumerate(made.dues.values)
    timings = {number: due.value.timing for number, due in dues if due.value.timing is not None}
    if timings:
        settled = matched.select("ended_ri", "seat", "kind", "player", "settled_seq", due="answer")
        yield from _paid_late(settled, timings, course)


def _not_shown(made: Reconstruction, course: Course) -> Iterator[Noted]:
    """What is a breach if it came when play had gone on, where play had, at the events that it stands on: these are counted from
    the end of a seat's history."""
    if made.judgements is None or made.histories is None:
        return
    possible = [judged.value.if_play_went_on for judged in made.judgements.seats.values]
    breaches = pl.DataFrame(
        [(number, breach, one.position) for number, each in enumerate(possible) for breach, one in enumerate(each)],
        {"answer": pl.Int64, "breach": pl.Int64, "position": pl.Int64},
        orient="row",
    )
    seats = made.histories.seats.select("ri", "seat", SEAT_KEY, answer=made.judgements.seats.of_row.cast(pl.Int64))
    shown = seats.filter(pl.col("answer").is_in(breaches["answer"].unique().implode()))
    shown = shown.join(breaches, on="answer", maintain_order="left_right")
    rows = made.histories.rows["seat"]
    seq = rows["seq"].gather(rows["key"].search_sorted(shown["key"], side="right") + shown["position"])
    late = shown.with_columns(seq).filter(course.moved_on(seq, shown["seat"]))
    for number, breach, ri, seat, seq in late.select("answer", "breach", "ri", "seat", "seq").iter_rows():
        yield Noted(possible[number][breach], ri, seat, "seat", seq=seq)


def _paid_late(wagers: pl.DataFrame, timings: Mapping[int, Timing], course: Course) -> Iterator[Noted]:
    """Settlements that came after play had gone on, or after those that they go ahead of. ``due`` numbers the timings."""
    settled = pl.col("settled_seq").is_not_null()
    for kinds in {timing.ahead_of for timing in timings.values()}:
        own = [number for number, timing in timings.items() if timing.ahead_of == kinds]
        rows = wagers.filter(settled & pl.col("due").is_in(own))
        late = rows.filter(_after(rows, wagers, kinds) if kinds else course.moved_on(rows["settled_seq"], rows["seat"]))
        for number, ri, seat, seq in late.select("due", "ended_ri", "seat", "settled_seq").iter_rows():
            yield Noted(timings[number].breach, ri, seat, "wager", seq=seq)


def _after(rows: pl.DataFrame, wagers: pl.DataFrame, kinds: frozenset[str]) -> pl.Series:
    """Whether each of ``rows`` was settled after a wager of ``kinds`` that its bettor has on the seat."""
    bettor = ["ended_ri", "seat", "player"]
    others = wagers.filter(pl.col("kind").is_in(sorted(kinds))).group_by(bettor).agg(first=pl.col("settled_seq").min())
    beside = rows.join(others, on=bettor, how="left", nulls_equal=True, maintain_order="left")
    return (beside["settled_seq"] > beside["first"]).fill_null(value=False)
