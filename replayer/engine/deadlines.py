"""Checks when things were done: before play went on to another place or other wagers were settled, and not before the hands were
known, one's own and the bank's."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

import polars as pl

from replayer.columns import in_slices, is_kind, of_kind
from replayer.engine.histories import SEAT_KEY
from replayer.engine.judgements import Noted
from replayer.engine.reconstruct import JudgedDays, Reconstruction
from replayer.game import Game
from replayer.outcomes import NATURAL_AWAITED
from replayer.wagers import Timing


class Course:
    """Where play was at any moment: at the place of the last card or decision, zero for the bank."""

    def __init__(self, events: pl.DataFrame, game: Game) -> None:
        self._events = events
        self._side_actions = sorted(game.seat.side_actions)
        self._closed_by = sorted(game.seat.closed_by)

    @cached_property
    def _acts(self) -> pl.DataFrame:
        columns = ("seq", "round", "kind", "card_seat", "decision_seat", "decision_action")
        acts = of_kind(self._events, ("CardDealt", "CardTurned", "DecisionTaken"), *columns)
        beside = is_kind("DecisionTaken") & pl.col("decision_action").is_in(self._side_actions).fill_null(value=True)
        turned = is_kind("CardTurned") & pl.col("card_seat").is_not_null()
        return acts.filter(~beside & ~turned).select(
            "seq", "round", place=pl.coalesce("card_seat", "decision_seat").fill_null(0)
        )

    @cached_property
    def _bank(self) -> pl.DataFrame:
        """The bank's cards, its looks at its hidden one, and the ends of rounds."""
        kinds = is_kind("CardDealt", "CardTurned", "HoleCardChecked", "RoundClosed")
        columns = ("seq", "round", "kind", "card_face", "decision_action", "card_seat")
        return self._events.select(columns).filter(kinds & pl.col("card_seat").is_null()).drop("card_seat")

    def came_early(self, awaits: str, seqs: pl.Series, rounds: pl.Series) -> pl.Series:
        """Whether the bank had yet to show, by the ``seq`` beside each round, what is awaited (``replayer.outcomes``), and did:
        its Black Jack by its look, or else by its second card; its hand by its last card. What came before the cards was taken
        back, and is not early."""
        looked, closed = is_kind("HoleCardChecked"), is_kind("RoundClosed")
        if awaits == NATURAL_AWAITED:
            hidden = (pl.col("card_face").cast(pl.String) == "down").fill_null(value=False)
            second = is_kind("CardDealt") & (pl.col("round") == pl.col("round").shift())
            shows = tells = looked | is_kind("CardTurned") | (second & ~hidden)
        else:
            shows, tells = ~looked, looked & (pl.col("decision_action") == "natural")
        showing = self._bank.filter(shows | closed)
        shown_in = showing.select(pl.when(~closed).then("round")).to_series()
        following = shown_in.gather(showing["seq"].search_sorted(seqs, side="right"), null_on_oob=True)
        early = (following == rounds).fill_null(value=False)
        if early.any():
            early &= _preceded(self._acts, seqs, rounds) & ~_preceded(self._bank.filter(tells), seqs, rounds)
        return early

    def moved_on(self, seqs: pl.Series, seats: pl.Series) -> pl.Series:
        """Whether play had gone on from each seat by the ``seq`` beside it."""
        last = self._acts["seq"].search_sorted(seqs, side="left").cast(pl.Int64) - 1
        return self._acts["place"].gather(last) != seats

    def followed(self, settled: pl.DataFrame, closed: Collection[str]) -> pl.DataFrame:
        """The rows of ``settled``, few, after whose ``settled_seq`` their ``hand`` got a card in their ``round`` or, of the kinds
        that a hand is ``closed`` for, was closed."""
        places = ("card_seat", "card_hand", "decision_seat", "decision_hand")
        dealt = is_kind("CardDealt") & pl.col("card_seat").is_not_null()
        decided = is_kind("DecisionTaken") & pl.col("decision_action").is_in(self._closed_by)
        acts = self._events.select("seq", "round", "kind", *places, "decision_action").filter(
            pl.col("round").is_in(settled["round"].unique().implode()) & (dealt | decided)
        )
        at_hands = acts.select(
            pl.col("seq").alias("at"),
            "round",
            seat=pl.coalesce("card_seat", "decision_seat"),
            hand=pl.coalesce("card_hand", "decision_hand").fill_null(0),
            closes=is_kind("DecisionTaken"),
        )
        after = settled.join(at_hands, on=["round", "seat", "hand"], maintain_order="left")
        counts = ~pl.col("closes") | pl.col("kind").is_in(sorted(closed))
        return after.filter((pl.col("at") > pl.col("settled_seq")) & counts).unique("settled_seq", maintain_order=True)


def _preceded(events: pl.DataFrame, seqs: pl.Series, rounds: pl.Series) -> pl.Series:
    """Whether the event before each ``seq`` is one of the round beside it."""
    of_last = pl.concat([events["round"].clear(1), events["round"]]).gather(events["seq"].search_sorted(seqs))
    return (of_last == rounds).fill_null(value=False)


def missed_deadlines(made: Reconstruction, judged: JudgedDays, matched: pl.DataFrame) -> Iterator[Noted]:
    """What came too late, or too early. ``matched`` has the wagers of ``made`` with their settlements."""
    course = Course(made.events, judged.game)
    yield from _not_shown(judged, course)
    dues = enumerate(made.dues.values)
    timings = {number: due.value.timing for number, due in dues if due.value.timing is not None}
    settled = matched.select("ended_ri", "seat", "hand", "kind", "player", "seq", "settled_seq", due="answer")
    untimely = list(_untimely(settled, timings, course, made.rounds))
    with_the_deal = {note.seq for note in judged.judgements.noted if note.of == "round"}
    yield from (note for note in untimely if note.seq not in with_the_deal)  # one settlement is found once
    found = with_the_deal | {note.seq for note in untimely}
    yield from (note for note in _before_hands_ended(made, judged, settled, course) if note.seq not in found)


def _before_hands_ended(
    made: Reconstruction, judged: JudgedDays, settled: pl.DataFrame, course: Course
) -> Iterator[Noted]:
    """Settlements that came before the last card of their hand, or before it was closed. Not where something else was wrong at
    the seat: what followed may have been that."""
    kinds, rows = judged.game.wagers, judged.histories.rows["seat"]
    of_hands = pl.col("kind").is_in(sorted(kinds.hand | kinds.seat)) & (pl.col("seq") < pl.col("settled_seq"))

    def played_on(some: pl.DataFrame) -> pl.DataFrame:
        """Those, of wagers that lie on hands, at whose seat anything happened since; nearly always nothing did."""
        own = some.filter(of_hands)
        key = own.select("seat", ri="ended_ri").select(SEAT_KEY).to_series()
        last = rows["key"].search_sorted(key, side="right").cast(pl.Int64) - 1
        return own.filter(rows["seq"].gather(last, null_on_oob=True) > own["settled_seq"])

    own = in_slices(settled, played_on)
    if own.is_empty():
        return
    early = course.followed(own.with_columns(round=made.rounds.gather(own["ended_ri"])), kinds.hand)
    wrong = {(note.ri, note.seat) for note in judged.judgements.noted if note.of == "seat"}
    for number, ri, seat, seq in early.select("due", "ended_ri", "seat", "settled_seq").iter_rows():
        judge = judged.context.of[ri]
        if judge is not None and (ri, seat) not in wrong:
            breach = judged.game.settlement.early(made.dues.values[number].value, judge.rules)
            if breach is not None:
                yield Noted(breach, ri, seat, "wager", seq=seq)


def _not_shown(judged: JudgedDays, course: Course) -> Iterator[Noted]:
    """What is a breach if it came when play had gone on, where play had, at the events that it stands on: these are counted from
    the end of a seat's history."""
    possible = [each.value.if_play_went_on for each in judged.judgements.seats.values]
    breaches = pl.DataFrame(
        [(number, breach, one.position) for number, each in enumerate(possible) for breach, one in enumerate(each)],
        {"answer": pl.Int64, "breach": pl.Int64, "position": pl.Int64},
        orient="row",
    )
    histories, answer = judged.histories, judged.judgements.seats.of_row.cast(pl.Int64)
    seats = histories.seats.select("ri", "seat", SEAT_KEY, answer=answer)
    shown = seats.filter(pl.col("answer").is_in(breaches["answer"].unique().implode()))
    shown = shown.join(breaches, on="answer", maintain_order="left_right")
    rows = histories.rows["seat"]
    seq = rows["seq"].gather(rows["key"].search_sorted(shown["key"], side="right") + shown["position"])
    late = shown.with_columns(seq).filter(course.moved_on(seq, shown["seat"]))
    for number, breach, ri, seat, seq in late.select("answer", "breach", "ri", "seat", "seq").iter_rows():
        yield Noted(possible[number][breach], ri, seat, "seat", seq=seq)


def _untimely(
    wagers: pl.DataFrame, timings: Mapping[int, Timing], course: Course, rounds: pl.Series
) -> Iterator[Noted]:
    """Settlements that came after play had gone on, after those that they go ahead of, or before what they await was known.
    ``due`` numbers the timings."""
    settled = pl.col("settled_seq").is_not_null()
    for kinds, awaits in {(timing.ahead_of, timing.awaits) for timing in timings.values()}:
        own = [number for number, timing in timings.items() if (timing.ahead_of, timing.awaits) == (kinds, awaits)]
        rows = wagers.filter(settled & pl.col("due").is_in(own))
        if awaits:
            wrong = course.came_early(awaits, rows["settled_seq"], rounds.gather(rows["ended_ri"]))
        else:
            wrong = _after(rows, wagers, kinds) if kinds else course.moved_on(rows["settled_seq"], rows["seat"])
        for number, ri, seat, seq in rows.filter(wrong).select("due", "ended_ri", "seat", "settled_seq").iter_rows():
            yield Noted(timings[number].breach, ri, seat, "wager", seq=seq)


def _after(rows: pl.DataFrame, wagers: pl.DataFrame, kinds: frozenset[str]) -> pl.Series:
    """Whether each of ``rows`` was settled after a wager of ``kinds`` that its bettor has on the seat."""
    bettor = ["ended_ri", "seat", "player"]
    others = wagers.filter(pl.col("kind").is_in(sorted(kinds))).group_by(bettor).agg(first=pl.col("settled_seq").min())
    beside = rows.join(others, on=bettor, how="left", nulls_equal=True, maintain_order="left")
    return (beside["settled_seq"] > beside["first"]).fill_null(value=False)
