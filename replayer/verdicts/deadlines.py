"""Checks when wagers were settled and hands shown: not after play had moved on or later wagers were settled, nor before the hands
of player and bank were known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Literal

import polars as pl

from replayer.contract.game import Game, WagerKinds
from replayer.contract.outcomes import Awaited
from replayer.contract.symbols import FOUND_NATURAL
from replayer.contract.wagers import Timing
from replayer.engine.evaluator import Evaluator
from replayer.engine.histories import SEAT_KEY, Subject
from replayer.engine.judgements import NotedBreach
from replayer.engine.reconstruct import Reconstruction
from replayer.engine.removed_in_columns import taken_away_in_rounds, taken_back_in_rounds
from replayer.engine.round_context import JudgedDays
from replayer.engine.stacked_days import SPAN
from replayer.law.untimely import before_hand_ended, before_last_round
from replayer.log.columns import in_slices, is_kind, is_wager, lies, of_kind, without
from replayer.verdicts.payment import PLACE, SETTLED_AS_IT_RAN
from schemas.finding import Severity


class PlaceOfPlay:
    """The place of play at any moment: that of the last card or decision, zero for the bank. A card that was taken away at once
    does not count."""

    def __init__(self, events: pl.DataFrame, judged: JudgedDays) -> None:
        self._events = without(events, judged.histories.nobodys)
        self._aside = sorted(judged.game.actions.aside)
        self._closing = sorted(judged.game.actions.closing)

    @cached_property
    def _stays(self) -> pl.Expr:
        """Whether an event dealt or turned no card that was taken away at once."""
        rows = self._events.select("seq", "kind", "card_seat", "card_card", "card_face", ri="round")
        return ~pl.col("seq").is_in(taken_back_in_rounds(rows, taken_away_in_rounds(rows)))

    @cached_property
    def _acts(self) -> pl.DataFrame:
        columns = ("seq", "round", "kind", "card_seat", "decision_seat", "decision_action")
        acts = of_kind(self._events, ("CardDealt", "CardTurned", "DecisionTaken"), *columns)
        beside = is_kind("DecisionTaken") & pl.col("decision_action").is_in(self._aside).fill_null(value=True)
        turned = is_kind("CardTurned") & pl.col("card_seat").is_not_null()
        return acts.filter(~beside & ~turned & self._stays).select(
            "seq", "round", place=pl.coalesce("card_seat", "decision_seat").fill_null(0)
        )

    @cached_property
    def _bank(self) -> pl.DataFrame:
        """The bank's cards, its looks at its hidden one, and the ends of rounds."""
        kinds = is_kind("CardDealt", "CardTurned", "HoleCardChecked", "RoundClosed")
        columns = ("seq", "round", "kind", "card_face", "decision_action", "card_seat")
        of_bank = kinds & pl.col("card_seat").is_null() & self._stays
        return self._events.select(columns).filter(of_bank).drop("card_seat")

    def came_early(self, awaits: Awaited, settled: pl.DataFrame) -> pl.Series:
        """Whether, at the ``seq`` of a settlement in a ``round``, the bank had not yet shown what is awaited
        (``replayer.contract.outcomes``) but did so later: its natural by its look or its second card, its hand by its last
        card. A settlement of nothing before the cards takes a wager back, and is not early."""
        looked, closed = is_kind("HoleCardChecked"), is_kind("RoundClosed")
        if awaits is Awaited.NATURAL:
            second = is_kind("CardDealt") & ~pl.col("round").is_first_distinct()
            shows = tells = looked | is_kind("CardTurned") | (second & ~lies("down"))
        else:
            shows, tells = ~looked, looked & (pl.col("decision_action") == FOUND_NATURAL)
        showing = self._bank.filter(shows | closed)
        at = settled.select("seq", "round")
        early = _beside(showing.select("seq", "round", early=~closed), at, "forward")["early"].fill_null(value=False)
        if early.any():
            begun = _preceded(self._acts, at) | (settled["net_minor"] != 0)
            early &= begun & ~_preceded(self._bank.filter(tells), at)
        return early

    def moved_on(self, seqs: pl.Series, seats: pl.Series, rounds: pl.Series) -> pl.Series:
        """Whether play had left each seat by the ``seq`` beside it; events of other rounds do not count."""
        own = self._acts.filter(pl.col("round").is_in(rounds.unique().implode()))
        last = _beside(own, pl.DataFrame({"seq": seqs, "round": rounds}), "backward")
        return last["place"] != seats

    def continued_after(self, settled: pl.DataFrame, kinds: WagerKinds) -> pl.DataFrame:
        """The rows of ``settled`` (few) whose ``hand`` got a card after ``settled_seq`` in the same ``round``, for wagers on
        first cards one of its first two, or, for those on the hand, was closed after it: one for its cards, one for each
        ``action`` that closed it and who took it, ``by``."""
        places = ("card_seat", "card_hand", "decision_seat", "decision_hand")
        taken = ("decision_action", "decision_player")
        dealt = is_kind("CardDealt") & pl.col("card_seat").is_not_null()
        decided = is_kind("DecisionTaken") & pl.col("decision_action").is_in(self._closing)
        acts = self._events.select("seq", "round", "kind", *places, *taken).filter(
            pl.col("round").is_in(settled["round"].unique().implode()) & (dealt | decided) & self._stays
        )
        seat, hand = pl.coalesce("card_seat", "decision_seat"), pl.coalesce("card_hand", "decision_hand").fill_null(0)
        closes = is_kind("DecisionTaken")
        number = pl.int_range(pl.len()).over("round", seat, hand, closes) + hand.clip(0, 1)  # one came to it by a split
        # The last of a hand's cards, and of what closed it: where all rounds have one number there are thousands for each wager.
        at_hands = acts.group_by(
            "round",
            seat=seat,
            hand=hand,
            closes=closes,
            first=number < 2,
            action=pl.col("decision_action").cast(pl.String),
            by="decision_player",
            maintain_order=True,
        ).agg(at=pl.col("seq").max())
        after = settled.join(at_hands, on=["round", "seat", "hand"], maintain_order="left")
        counts = pl.when("closes").then(is_wager(kinds.hand)).otherwise(pl.col("first") | ~is_wager(kinds.first_cards))
        return after.filter((pl.col("at") > pl.col("settled_seq")) & counts)

    def hands_at(self, seqs: Sequence[int]) -> dict[int, int]:
        """The hand of each event of ``seqs``, the first one where it names none."""
        hand = pl.coalesce("card_hand", "decision_hand", "wager_hand").fill_null(0)
        return dict(self._events.filter(pl.col("seq").is_in(seqs)).select("seq", hand).iter_rows())


def _beside(events: pl.DataFrame, at: pl.DataFrame, strategy: Literal["backward", "forward"]) -> pl.DataFrame:
    """The last or the next of ``events`` in the same ``round`` for each ``seq`` of ``at``, in its order."""
    ordered = at.with_row_index("row").sort("seq")
    beside = ordered.join_asof(
        events, on="seq", by="round", strategy=strategy, allow_exact_matches=False, check_sortedness=False
    )
    return beside.sort("row")


def _preceded(events: pl.DataFrame, at: pl.DataFrame) -> pl.Series:
    """Whether any of ``events`` stands in the same ``round`` before each ``seq`` of ``at``."""
    return _beside(events.select("seq", "round", preceded=True), at, "backward")["preceded"].fill_null(value=False)


def missed_deadlines(rebuilt: Reconstruction, judged: JudgedDays, matched: pl.DataFrame) -> Iterator[NotedBreach]:
    """Settlements and shown hands that came too late or too early. ``matched`` has the wagers with their settlements."""
    play = PlaceOfPlay(rebuilt.events, judged)
    yield from shown_late(judged, play, rebuilt.rounds)
    dues = enumerate(rebuilt.dues.values)
    timings = {number: due.value.timing for number, due in dues if due.value.timing is not None}
    columns = (*PLACE, "seq", "settled_seq", "settled_ri", "net_minor", "reason", "due")
    settled = matched.select(columns).filter(pl.col("seq") < pl.col("settled_seq"))
    in_its_round = settled.filter(~SETTLED_AS_IT_RAN)
    mistimed = [*_before_last_rounds(rebuilt, matched), *_mistimed(in_its_round, timings, play, rebuilt.rounds)]
    with_the_deal = {note.seq for note in judged.judgements.noted if note.subject is Subject.ROUND}
    yield from (note for note in mistimed if note.seq not in with_the_deal)  # one settlement is found once
    found = with_the_deal | {note.seq for note in mistimed}
    yield from (note for note in _before_hands_ended(rebuilt, judged, settled, play) if note.seq not in found)


def _before_last_rounds(rebuilt: Reconstruction, matched: pl.DataFrame) -> Iterator[NotedBreach]:
    """Settlements of carried wagers in rounds after which they ran on."""
    early = matched.filter(SETTLED_AS_IT_RAN).select("kind", "settled_ri", "seat", "settled_seq", "due")
    for kind, ri, seat, seq, number in early.iter_rows():
        breach = before_last_round(kind, rebuilt.dues.values[number].value, rebuilt.rounds[ri] % SPAN)
        yield NotedBreach(breach, ri, seat, Subject.WAGER, seq=seq)


def _before_hands_ended(
    rebuilt: Reconstruction, judged: JudgedDays, settled: pl.DataFrame, play: PlaceOfPlay
) -> Iterator[NotedBreach]:
    """Settlements before the last card of their hand, or before it was closed. They are left out where a breach at the hand
    follows, other than an advisory: the later card or decision may be that breach."""
    kinds, rows = judged.game.wagers, judged.histories.rows[Subject.SEAT]
    of_hands = is_wager(kinds.hand | kinds.seat | kinds.first_cards | kinds.carried)

    def played_on(some: pl.DataFrame) -> pl.DataFrame:
        """The wagers on hands at whose seat something happened after settlement; nearly always none."""
        own = some.filter(of_hands)
        key = own.select("seat", ri="ended_ri").select(SEAT_KEY).to_series()
        last = rows["key"].search_sorted(key, side="right").cast(pl.Int64) - 1
        return own.filter(rows["seq"].gather(last, null_on_oob=True) > own["settled_seq"])

    own = in_slices(settled, played_on)
    if own.is_empty():
        return
    early = play.continued_after(own.with_columns(round=rebuilt.rounds.gather(own["ended_ri"])), kinds)
    if early.is_empty():
        return
    at_seats = (note for note in judged.judgements.noted if note.subject is Subject.SEAT)
    breached = (note for note in at_seats if note.breach.code.severity is not Severity.ADVISORY)
    wrong = sorted(breached, key=attrgetter("seq"))
    hand_of = play.hands_at([note.seq for note in wrong])
    last_wrong = {(note.ri, note.seat, hand_of[note.seq]): note.seq for note in wrong}
    columns = ("due", "ended_ri", "seat", "hand", "player", "settled_seq", "action", "by")
    found: dict[int, NotedBreach] = {}
    for number, ri, seat, hand, player, seq, action, by in early.select(columns).iter_rows():
        evaluator = judged.context.evaluator_of[ri]
        if evaluator is not None and last_wrong.get((ri, seat, hand), seq) <= seq:
            breach = before_hand_ended(rebuilt.dues.values[number].value, evaluator.rules)
            if breach is not None and not _claimed_by_another(action, by, player, evaluator, judged.game):
                found.setdefault(seq, NotedBreach(breach, ri, seat, Subject.WAGER, seq=seq))
    yield from found.values()


def _claimed_by_another(
    action: str | None, by: str | None, player: str | None, evaluator: Evaluator, game: Game
) -> bool:
    """Whether what closed a hand was another bettor's claim for himself, which closes no wager of the ``player``."""
    shared = game.shared_seats
    if shared is None or action not in shared.claims or None in (by, player) or by == player:
        return False
    return shared.for_himself(action, evaluator.rules)


def shown_late(judged: JudgedDays, play: PlaceOfPlay, rounds: pl.Series) -> Iterator[NotedBreach]:
    """The breaches of ``Judgement.if_play_went_on`` whose event came after play had left the seat. Their positions are counted
    from the end of the seat's history."""
    possible = [each.value.if_play_went_on for each in judged.judgements.seats.values]
    breaches = pl.DataFrame(
        [(number, breach, one.position) for number, each in enumerate(possible) for breach, one in enumerate(each)],
        {"judgement": pl.Int64, "breach": pl.Int64, "position": pl.Int64},
        orient="row",
    )
    histories, judgement = judged.histories, judged.judgements.seats.of_row
    seats = histories.seats.select("ri", "seat", SEAT_KEY, judgement=judgement)
    shown = seats.filter(pl.col("judgement").is_in(breaches["judgement"].unique().implode()))
    shown = shown.join(breaches, on="judgement", maintain_order="left_right")
    rows = histories.rows[Subject.SEAT]
    seq = rows["seq"].gather(rows["key"].search_sorted(shown["key"], side="right") + shown["position"])
    late = shown.with_columns(seq).filter(play.moved_on(seq, shown["seat"], rounds.gather(shown["ri"])))
    for number, breach, ri, seat, seq in late.select("judgement", "breach", "ri", "seat", "seq").iter_rows():
        yield NotedBreach(possible[number][breach], ri, seat, Subject.SEAT, seq=seq)


def _mistimed(
    wagers: pl.DataFrame, timings: Mapping[int, Timing], play: PlaceOfPlay, rounds: pl.Series
) -> Iterator[NotedBreach]:
    """Settlements after play had left the seat, after the wagers that they must precede, or before what they await was known.
    ``due`` is the number of a timing."""
    for kinds, awaits in {(timing.ahead_of, timing.awaits) for timing in timings.values()}:
        own = [number for number, timing in timings.items() if (timing.ahead_of, timing.awaits) == (kinds, awaits)]
        rows = wagers.filter(pl.col("due").is_in(own))
        ended = rounds.gather(rows["ended_ri"])
        if awaits:
            wrong = play.came_early(awaits, rows.select("net_minor", seq="settled_seq", round=ended))
        elif kinds:
            wrong = _settled_after(rows, wagers, kinds)
        else:
            wrong = play.moved_on(rows["settled_seq"], rows["seat"], ended)
        for number, ri, seat, seq in rows.filter(wrong).select("due", "ended_ri", "seat", "settled_seq").iter_rows():
            yield NotedBreach(timings[number].breach, ri, seat, Subject.WAGER, seq=seq)


def _settled_after(rows: pl.DataFrame, wagers: pl.DataFrame, kinds: frozenset[str]) -> pl.Series:
    """Whether each of ``rows`` was settled after a wager of ``kinds`` of the same bettor on the seat."""
    bettor = ["ended_ri", "seat", "player"]
    others = wagers.filter(is_wager(kinds)).group_by(bettor).agg(first=pl.col("settled_seq").min())
    beside = rows.join(others, on=bettor, how="left", nulls_equal=True, maintain_order="left")
    return (beside["settled_seq"] > beside["first"]).fill_null(value=False)
