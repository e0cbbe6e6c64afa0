"""What placed wagers are due, looked up by their kind and by what became of their hand and of the bank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import polars as pl

from replayer.columns import TEXT
from replayer.engine.carried import UNKNOWN_DUE
from replayer.engine.evaluator import Evaluator
from replayer.engine.first_cards import FirstCards
from replayer.engine.histories import SEAT_KEY, Histories, seat_key
from replayer.engine.judgements import NOBODY, Judgements
from replayer.engine.numbered import Numbered
from replayer.engine.round_context import RoundContext
from replayer.engine.ruled import Ruled
from replayer.engine.ruled_column import RuledColumn
from replayer.game import Game
from replayer.outcomes import BankOutcome, Judgement
from replayer.wagers import AnyWager, Due, WagerSituation
from schemas.bounds import LAST_HAND

_HANDS: Final = LAST_HAND + 1
_NOT_MET: Final = -1


class DueTable:
    """The distinct dues, numbered."""

    def __init__(self) -> None:
        # Judges remember their dues, so that the same one is one.
        self._distinct = Numbered[tuple[Due, tuple[str, ...], str]](lambda due: (id(due[0]), *due[1:]))

    def number(self, due: Due | None, rulings: tuple[str, ...] = (), reason: str = "") -> int:
        """The number of a due. ``reason`` is why it cannot be said, should it not say so itself."""
        return self._distinct.number((due or UNKNOWN_DUE, rulings, reason))

    @property
    def all(self) -> list[Ruled[Due]]:
        """The dues by their numbers."""
        return [Ruled(_with_reason(due, reason)).resting_on(rulings) for due, rulings, reason in self._distinct.all]


def _with_reason(due: Due, reason: str) -> Due:
    known = due.odds is not None or due.unjudged
    return due if known else replace(due, unjudged=reason or "not judged")


def due_numbers(
    wagers: pl.DataFrame,
    histories: Histories,
    context: RoundContext,
    judgements: Judgements,
    first_cards: FirstCards,
    game: Game,
    dues: DueTable,
) -> pl.Series:
    """The number of each wager's due; 0 for wagers that live on into later rounds, whose dues other rounds tell."""
    outcomes = _Outcomes(judgements)
    stands = [evaluator is not None and ri not in context.voids for ri, evaluator in enumerate(context.of)]
    placed = wagers.select(
        "ri",
        "seat",
        "hand",
        "kind",
        "parted",
        "late",
        row=pl.int_range(pl.len()),
        own=outcomes.of_wagers(wagers, histories),
        bank=pl.lit(outcomes.banks).gather(pl.col("ri")),
        evaluator=pl.lit(context.of_round).gather(pl.col("ri")),
        plain=pl.col("kind").is_in(sorted(game.wagers.play))
        & (pl.col("late") == "")
        & pl.lit(pl.Series(stands, dtype=pl.Boolean)).gather(pl.col("ri")),
    )
    plain = placed.filter("plain")
    others = placed.filter(~(pl.col("plain") | pl.col("kind").is_in(sorted(game.wagers.carried))))
    numbers = _OfHands(context.evaluators, outcomes, game, dues).numbers(plain)
    more = _one_by_one(others, context, outcomes, first_cards, game, dues)
    of_wager = pl.Series([0], dtype=pl.Int64).new_from_index(0, wagers.height)
    return of_wager.scatter(plain["row"], numbers).scatter(others["row"], pl.Series(more, dtype=pl.Int64))


def _one_by_one(
    wagers: pl.DataFrame,
    context: RoundContext,
    outcomes: _Outcomes,
    first_cards: FirstCards,
    game: Game,
    dues: DueTable,
) -> list[int]:
    """The dues of wagers on first cards, of late ones, of those in void rounds and of those that nobody can judge."""
    numbers = []
    parts = ("ri", "seat", "kind", "hand", "own", "bank", "parted", "late")
    for ri, seat, kind, hand, own, bank, parted, late in wagers.select(parts).iter_rows():
        evaluator = context.of[ri]
        if evaluator is None:
            numbers.append(dues.number(None, reason=context.why_not[ri]))
        elif ri in context.voids:
            void = evaluator.void((kind, context.voids[ri]))
            numbers.append(dues.number(void.value, void.rulings))
        elif kind in game.wagers.first_cards:
            cards = first_cards.of(ri, seat)
            due = evaluator.wager(WagerSituation(kind, hand, first_cards=cards, parted=parted), late)
            numbers.append(dues.number(due.value, due.rulings))
        else:
            became, banked = outcomes.of[own], outcomes.of[bank]
            due = evaluator.wager(WagerSituation(kind, hand, became.outcome, banked.outcome), late)
            rulings = due.rulings + became.rulings + banked.rulings
            numbers.append(dues.number(due.value, rulings, became.unjudged or banked.unjudged))
    return numbers


class _Outcome(NamedTuple):
    """What of a judgement a wager's due can depend on: its outcome, why there is none, the rulings that it rests on."""

    outcome: Any
    unjudged: str
    rulings: tuple[str, ...]


class _Outcomes:
    """Numbers the distinct outcomes of seats and banks, so that dues can be looked up by them.

    Attributes:
        of: the outcomes by their numbers; ``banks`` has those of the rounds.
    """

    def __init__(self, judgements: Judgements) -> None:
        self._outcomes = Numbered[_Outcome]()
        self._seats = self._of(judgements.seats)
        self.banks = self._of(judgements.banks)
        self._nobody = self._number(NOBODY)
        self._of_bettors = [
            (seat_key(ri, seat), player, self._number(judged))
            for (ri, seat, player), judged in judgements.of_bettors.items()
        ]
        self.of = self._outcomes.all

    def _number(self, judged: Ruled[Judgement[Any]]) -> int:
        return self._outcomes.number(_Outcome(judged.value.outcome, judged.value.unjudged, judged.rulings))

    def _of(self, judged: RuledColumn[Judgement[Any]]) -> pl.Series:
        numbers = [self._number(each) for each in judged.values]
        return pl.Series(numbers, dtype=pl.Int64).gather(judged.of_row)

    def of_wagers(self, wagers: pl.DataFrame, histories: Histories) -> pl.Series:
        """The number of what became of each wager's seat, or of its bettor where that may differ."""
        seats = pl.DataFrame({"key": histories.seat_keys, "own": self._seats})
        placed = wagers.select(SEAT_KEY)
        own = placed.join(seats, on="key", how="left", maintain_order="left")["own"].fill_null(self._nobody)
        if not self._of_bettors:
            return own
        bettors = pl.DataFrame(self._of_bettors, {"key": pl.Int64, "player": TEXT, "one": pl.Int64}, orient="row")
        one = placed.with_columns(wagers["player"]).join(
            bettors, on=["key", "player"], how="left", nulls_equal=True, maintain_order="left"
        )["one"]
        return one.fill_null(own)

    def by_fate(self) -> tuple[pl.Series, list[int]]:
        """By bank the number of those that became the same in a word, on the same rulings, and one of them by that number."""
        fates = Numbered[int](lambda bank: (_fate(self.of[bank].outcome), *self.of[bank][1:]))
        of_bank: list[int] = [0] * len(self.of)
        for bank in self.banks.unique().to_list():
            of_bank[bank] = fates.number(bank)
        return pl.Series(of_bank, dtype=pl.Int64), fates.all


def _fate(bank: BankOutcome | None) -> tuple[str | None] | None:
    return None if bank is None else (bank.fate,)


def _looked_up(questions: pl.Series, ask: Callable[[int], int]) -> pl.Series:
    """The answers to numbered questions, each asked once."""
    distinct = questions.unique()
    answers = pl.Series([ask(question) for question in distinct.to_list()], dtype=pl.Int64)
    return questions.replace_strict(distinct, answers)


class _Hand(NamedTuple):
    """What the dues of a hand's wagers depend on, against banks that ended in the same way (``BankOutcome.fate``).

    ``wager`` is one of them, reduced; ``meets`` is whether the hand is compared with the bank's hand itself.
    """

    wager: AnyWager
    meets: bool
    unjudged: str
    rulings: tuple[str, ...]


class _Wager(NamedTuple):
    """What the due of a wager depends on under any rules."""

    wager: AnyWager
    unjudged: str
    rulings: tuple[str, ...]


class _OfHands:
    """Looks up the dues of wagers that were placed in time and that the outcomes of hand and bank decide.

    It looks up four things, each by numbers and each distinct one once: what the dues of a hand depend on; how the hand compares
    with the bank's, where they depend on that; what the due of each kind of wager on it depends on; what that is due.
    """

    def __init__(self, evaluators: Sequence[Evaluator], outcomes: _Outcomes, game: Game, dues: DueTable) -> None:
        self._evaluators = evaluators
        self._outcomes = outcomes.of
        self._settlement = game.settlement
        self._held = sorted(game.wagers.hand)
        self._dues = dues
        self._kinds = sorted(game.wagers.play)
        self._fates, self._of_fate = outcomes.by_fate()
        self._hands = Numbered[_Hand]()
        self._met = Numbered[Ruled[Any]]()
        self._wagers = Numbered[_Wager]()

    def numbers(self, wagers: pl.DataFrame) -> pl.Series:
        """The numbers of their dues; ``own`` and ``bank`` are the numbers of outcomes."""
        many = len(self._outcomes)
        against = pl.lit(0) if self._settlement.met is None else pl.col("evaluator") * many + pl.col("own")
        wanted = wagers.select(
            "evaluator",
            hand=(pl.col("own") * _HANDS + pl.col("hand")) * len(self._of_fate)
            + pl.lit(self._fates).gather(pl.col("bank")),
            meeting=against * many + pl.col("bank"),
            kind=pl.col("kind").cast(pl.Enum(self._kinds)).to_physical().cast(pl.Int64),
            held=pl.col("kind").is_in(self._held),
        )
        hand = _looked_up(wanted["hand"], self._hand)
        meets = pl.Series([each.meets for each in self._hands.all], dtype=pl.Boolean).gather(hand) & wanted["held"]
        met = _looked_up(wanted["meeting"].zip_with(meets, pl.Series([_NOT_MET], dtype=pl.Int64)), self._meeting)
        wager = _looked_up((hand * len(self._met.all) + met) * len(self._kinds) + wanted["kind"], self._wager)
        return _looked_up(wanted["evaluator"] * len(self._wagers.all) + wager, self._due)

    def _hand(self, question: int) -> int:
        question, fate = divmod(question, len(self._of_fate))
        own, hand = divmod(question, _HANDS)
        seat, bank = self._outcomes[own], self._outcomes[self._of_fate[fate]]
        meets = self._settlement.meets(seat.outcome, hand, bank.outcome)
        # Under any rules: what is taken away from it is the same however they met.
        met = self._evaluators[0].met(seat.outcome, bank.outcome).value if meets else bank.outcome
        wager = self._settlement.reduced(WagerSituation(self._kinds[0], hand, seat.outcome, met))
        unjudged, rulings = seat.unjudged or bank.unjudged, seat.rulings + bank.rulings
        return self._hands.number(_Hand(wager._replace(bank=bank.outcome), meets, unjudged, rulings))

    def _meeting(self, question: int) -> int:
        if question == _NOT_MET:
            return self._met.number(Ruled(None))
        question, bank = divmod(question, len(self._outcomes))
        number, own = divmod(question, len(self._outcomes))
        return self._met.number(self._evaluators[number].met(self._outcomes[own].outcome, self._outcomes[bank].outcome))

    def _wager(self, question: int) -> int:
        question, kind = divmod(question, len(self._kinds))
        number, meeting = divmod(question, len(self._met.all))
        hand, met = self._hands.all[number], self._met.all[meeting]
        wager = hand.wager._replace(kind=self._kinds[kind], bank=met.value or hand.wager.bank)
        return self._wagers.number(_Wager(self._settlement.reduced(wager), hand.unjudged, met.rulings + hand.rulings))

    def _due(self, question: int) -> int:
        number, asked = divmod(question, len(self._wagers.all))
        wager, unjudged, rulings = self._wagers.all[asked]
        due = self._evaluators[number].due(wager)
        return self._dues.number(due.value, due.rulings + rulings, unjudged)
