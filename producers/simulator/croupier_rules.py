"""The rules in force, as a croupier uses them: the decisions open to a hand, its outcome, whether the bank draws, what is due.

Each answer is computed once per state, and each state from the one before, so that no history is evaluated again. The engine's
automaton cannot tell them: its transitions are those of rounds that are over, without what is open on the way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from replayer.contract.machine import AnyBankState, AnySeatState
from replayer.contract.outcomes import BankOutcome, Judgement, SeatOutcome
from replayer.contract.rules import Rules
from replayer.contract.symbols import SeatSymbol
from replayer.contract.wagers import Due, WagerSituation
from replayer.engine.distinct_values import Numbered
from replayer.engine.evaluator import Evaluator
from replayer.engine.event_symbols import Happened, bank_symbol, seat_symbol

_MOST_STATES: Final = 20_000
"""States of seats and banks that the rules of a table keep; a round under way keeps those it has."""


@dataclass(slots=True, eq=False)
class KnownJudgement:
    """A distinct judgement of seats, with the dues of their wagers by kind, hand and bank; None while the bank plays."""

    judgement: Judgement[SeatOutcome]
    dues: dict[tuple[str, int, BankOutcome | None], Due] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class KnownSeat:
    """A state of a seat, its answers so far, and the next states: by a symbol's number, or by the bank's open card."""

    state: AnySeatState
    after: dict[int | str, KnownSeat] = field(default_factory=dict)
    open: dict[int, frozenset[str]] = field(default_factory=dict)
    judged: KnownJudgement | None = None


@dataclass(slots=True, eq=False)
class KnownBank:
    """A state of the bank's hand, and the next states."""

    state: AnyBankState
    after: dict[Happened, KnownBank] = field(default_factory=dict)


class CroupierRules:
    """An evaluator's rules (:class:`replayer.engine.evaluator.Evaluator`) in the middle of a round."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.game = evaluator.game
        self.rules: Rules[Any, Any] = evaluator.rules  # the croupier of a game knows its law and options
        self._symbols = Numbered[SeatSymbol]()
        self._numbers: dict[Happened, int] = {}
        self._forget()

    def _forget(self) -> None:
        self._seats: dict[AnySeatState, KnownSeat] = {}
        self._judgements: dict[Judgement[SeatOutcome], KnownJudgement] = {}
        self._banks: dict[AnyBankState, KnownBank] = {}
        self.new_seat = self._seat(self.game.seat.new)
        self.new_bank = self._bank(self.game.bank.new)

    def _seat(self, state: AnySeatState) -> KnownSeat:
        return self._seats.setdefault(state, KnownSeat(state))  # most are new

    def begin_round(self) -> None:
        """Begin anew where it knows very many states."""
        if len(self._seats) + len(self._banks) > _MOST_STATES:
            self._forget()

    # A seat

    def follows(self, seat: KnownSeat, happened: Happened) -> KnownSeat:
        """The seat after an event."""
        number = self._numbers.get(happened)
        if number is None:  # the same at every seat, and for every suit where suits do not matter
            suited = happened.card.rank in self.game.seat.suited
            symbol = seat_symbol(happened, self.game.actions.timed, suited=suited)
            number = self._numbers[happened] = self._symbols.number(symbol)
        known = seat.after.get(number)
        if known is None:
            state, _ = seat.state.step(self._symbols.all[number], self.rules)
            known = seat.after[number] = self._seat(state.lawful())
        return known

    def faces(self, seat: KnownSeat, upcard: str) -> KnownSeat:
        """The seat with the class of the bank's open card."""
        known = seat.after.get(upcard)
        if known is None:
            known = seat.after[upcard] = self._seat(seat.state.faces(upcard))
        return known

    def open(self, seat: KnownSeat, hand: int) -> frozenset[str]:
        """What a hand may do now."""
        known = seat.open.get(hand)
        if known is None:
            known = seat.open[hand] = seat.state.open(hand, self.rules)
        return known

    def judgement(self, seat: KnownSeat) -> Judgement[SeatOutcome]:
        """The judgement of the seat."""
        return self._judged(seat).judgement

    def _judged(self, seat: KnownSeat) -> KnownJudgement:
        if seat.judged is None:
            judgement = seat.state.so_far(self.rules)
            known = self._judgements.get(judgement)
            seat.judged = known or self._judgements.setdefault(judgement, KnownJudgement(judgement))
        return seat.judged

    # The bank

    def _bank(self, state: AnyBankState) -> KnownBank:
        return self._banks.get(state) or self._banks.setdefault(state, KnownBank(state))

    def bank_follows(self, bank: KnownBank, happened: Happened) -> KnownBank:
        """The bank after an event."""
        if self.game.turns_nothing and happened.kind == "CardTurned":
            return bank
        known = bank.after.get(happened)
        if known is None:
            symbol = bank_symbol(happened, suited=happened.card.rank in self.game.bank.suited)
            known = bank.after[happened] = self._bank(bank.state.step(symbol, self.rules)[0])
        return known

    # Payment

    def due(self, kind: str, hand: int, seat: KnownSeat, bank: BankOutcome | None) -> Due:
        """What a wager on a hand is due against a bank."""
        judged = self._judged(seat)
        due = judged.dues.get((kind, hand, bank))
        if due is None:
            situation = WagerSituation(kind, hand, judged.judgement.outcome, bank)
            due = judged.dues[kind, hand, bank] = self.evaluator.wager(situation).value
        return due
