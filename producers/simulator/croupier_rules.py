"""The rules in force, as a croupier asks them: what is open to a hand, what became of it, whether the bank draws, what is due.

Each is asked once of a state. A state is found from the one before by what happened, so that nobody looks at all of it again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from replayer.engine.evaluator import Evaluator
from replayer.engine.event_symbols import Happened, bank_symbol, seat_symbol
from replayer.outcomes import BankOutcome, Judgement, SeatOutcome
from replayer.states import BankState, SeatState
from replayer.symbols import BankHistory, History
from replayer.wagers import Due, WagerSituation

_REMEMBERED: Final = 100_000
"""How many steps of seats and banks, and how many dues, the rules of a table keep."""


@dataclass(slots=True, eq=False)
class KnownJudgement:
    """What became of seats in one and the same way, and what their wagers are due: by kind, hand and bank."""

    judgement: Judgement[SeatOutcome]
    dues: dict[tuple[str, int, BankOutcome | None], Due] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class KnownSeat:
    """A state of a seat, what was asked of it, and the states that came after it: by what happened, and by the symbol of that."""

    state: SeatState
    after: dict[object, KnownSeat] = field(default_factory=dict)
    facing: dict[str, KnownSeat] = field(default_factory=dict)
    open: dict[int, frozenset[str]] = field(default_factory=dict)
    became: KnownJudgement | None = None


@dataclass(slots=True, eq=False)
class KnownBank:
    """A state of the bank's hand with one history that leads to it, what was asked of it, and what came after it. Where a rule
    was not kept there is no state, and the history is the only one."""

    history: BankHistory
    state: BankState | None
    after: dict[Happened, KnownBank] = field(default_factory=dict)
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
        self._judgements: dict[Judgement[SeatOutcome], KnownJudgement] = {}
        self._banks: dict[tuple[str, BankState], KnownBank] = {}
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
        """The seat after what happened there. A card that is turned has been named since it was dealt, and changes nothing."""
        if happened.kind == "CardTurned":
            return seat
        what = happened.kind, happened[2:]  # the same at every seat
        known = seat.after.get(what)
        if known is None:
            self._takes_a_step()
            suited = happened.card.rank in self.game.seat.suited
            symbol = seat_symbol(happened, self.game.seat.timed, suited=suited)
            known = seat.after.get(symbol)
            if known is None:
                known = seat.after[symbol] = self._seat(seat.state.follows(symbol, self.rules).lawful())
            seat.after[what] = known
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
        return self._became(seat).judgement

    def _became(self, seat: KnownSeat) -> KnownJudgement:
        if seat.became is None:
            judgement = seat.state.became(self.rules)
            known = self._judgements.get(judgement)
            seat.became = known or self._judgements.setdefault(judgement, KnownJudgement(judgement))
        return seat.became

    # The bank

    def new_bank(self, awaited: str) -> KnownBank:
        """The bank before its first card, for which ``awaited`` waits (see ``replayer.game``)."""
        return self._bank(History(awaited), self.game.bank.new)

    def _bank(self, history: BankHistory, state: BankState | None) -> KnownBank:
        if state is None:
            return KnownBank(history, None)
        at = history.begin, state
        return self._banks.get(at) or self._banks.setdefault(at, KnownBank(history, state))

    def bank_follows(self, bank: KnownBank, happened: Happened) -> KnownBank:
        """The bank after what happened to it."""
        if self.game.turns_nothing and happened.kind == "CardTurned":
            return bank
        known = bank.after.get(happened)
        if known is None:
            self._takes_a_step()
            symbol = bank_symbol(happened, suited=self.game.suited)
            history = History(bank.history.begin, (*bank.history.symbols, symbol))
            state = None if bank.state is None else bank.state.after(symbol, self.rules)
            known = bank.after[happened] = self._bank(history, state)
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
        became, asked = self._became(seat), (kind, hand, bank)
        due = became.dues.get(asked)
        if due is None:
            self._takes_a_step()
            outcome = became.judgement.outcome
            due = became.dues[asked] = self.evaluator.wager(WagerSituation(kind, hand, outcome, bank)).value
        return due
