"""The rules in force, as a croupier asks them: what is open to a hand, what became of it, whether the bank draws, what is due.

Each is asked once of a state. A state is found from the one before by what happened, so that nobody looks at all of it again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from replayer.engine.evaluator import Evaluator
from replayer.engine.happened import Happened, seat_symbol
from replayer.outcomes import BankOutcome, Judgement, SeatOutcome
from replayer.states import SeatState
from replayer.symbols import BankHistory, BankSymbol, History
from replayer.wagers import Due, WagerSituation

_REMEMBERED: Final = 100_000
"""How many steps of seats and banks, and how many dues, the rules of a table keep."""


@dataclass(slots=True, eq=False)
class KnownSeat:
    """A state of a seat, what was asked of it, and the states that came after it."""

    state: SeatState
    after: dict[tuple[object, ...], KnownSeat] = field(default_factory=dict)
    facing: dict[str, KnownSeat] = field(default_factory=dict)
    open: dict[int, frozenset[str]] = field(default_factory=dict)
    became: Judgement[SeatOutcome] | None = None


@dataclass(slots=True, eq=False)
class KnownBank:
    """What happened to the bank's hand so far, what was asked of it, and what came after it."""

    history: BankHistory
    after: dict[BankSymbol, KnownBank] = field(default_factory=dict)
    draws: bool | None = None
    became: Judgement[BankOutcome] | None = None


class CroupierRules:
    """An evaluator's rules (:class:`replayer.engine.evaluator.Evaluator`), asked in the middle of a round."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.game = evaluator.game
        self.rules = evaluator.rules
        self._begin()

    def _begin(self) -> None:
        self._seats: dict[SeatState, KnownSeat] = {}
        self._banks: dict[str, KnownBank] = {}
        self._dues: dict[tuple[str, int, KnownSeat, BankOutcome | None], Due] = {}
        self._steps = 0
        self.new_seat = self._seat(self.game.seat.new)

    def _seat(self, state: SeatState) -> KnownSeat:
        return self._seats.get(state) or self._seats.setdefault(state, KnownSeat(state))

    def _takes_a_step(self) -> None:
        self._steps += 1
        if self._steps > _REMEMBERED:  # rounds that run go on with the states that they have
            self._begin()

    # A seat

    def follows(self, seat: KnownSeat, happened: Happened) -> KnownSeat:
        """The seat after what happened there."""
        what = (happened.kind, *happened[2:])  # the same at every seat
        known = seat.after.get(what)
        if known is None:
            self._takes_a_step()
            symbol = seat_symbol(happened, self.game.seat.timed, suited=True)
            known = seat.after[what] = self._seat(seat.state.follows(symbol, self.rules))
        return known

    def faces(self, seat: KnownSeat, upcard: str) -> KnownSeat:
        """The seat with the class of the bank's open card."""
        known = seat.facing.get(upcard)
        if known is None:
            known = seat.facing[upcard] = self._seat(seat.state.faces(upcard))
        return known

    def open(self, seat: KnownSeat, hand: int) -> frozenset[str]:
        """What a hand may do now."""
        known = seat.open.get(hand)
        if known is None:
            known = seat.open[hand] = seat.state.open(hand, self.rules)
        return known

    def became(self, seat: KnownSeat) -> Judgement[SeatOutcome]:
        """What became of the seat."""
        if seat.became is None:
            seat.became = seat.state.became(self.rules)
        return seat.became

    # The bank

    def new_bank(self, awaited: str) -> KnownBank:
        """The bank before its first card, for which ``awaited`` waits (see ``replayer.game``)."""
        return self._banks.get(awaited) or self._banks.setdefault(awaited, KnownBank(History(awaited)))

    def bank_follows(self, bank: KnownBank, symbol: BankSymbol) -> KnownBank:
        """The bank after what happened to it."""
        known = bank.after.get(symbol)
        if known is None:
            self._takes_a_step()
            history = History(bank.history.begin, (*bank.history.symbols, symbol))
            known = bank.after[symbol] = KnownBank(history)
        return known

    def bank_draws(self, bank: KnownBank) -> bool:
        """Whether the bank must take another card."""
        if bank.draws is None:
            bank.draws = self.game.bank.draws(bank.history, self.rules)
        return bank.draws

    def bank_became(self, bank: KnownBank) -> Judgement[BankOutcome]:
        """What became of the bank."""
        if bank.became is None:
            bank.became = self.evaluator.bank(bank.history).value
        return bank.became

    # Payment

    def due(self, kind: str, hand: int, seat: KnownSeat, bank: BankOutcome | None) -> Due:
        """What a wager on a hand is due against a bank."""
        asked = (kind, hand, seat, bank)
        due = self._dues.get(asked)
        if due is None:
            if len(self._dues) > _REMEMBERED:
                self._dues.clear()
            outcome = self.became(seat).outcome
            due = self._dues[asked] = self.evaluator.wager(WagerSituation(kind, hand, outcome, bank)).value
        return due
