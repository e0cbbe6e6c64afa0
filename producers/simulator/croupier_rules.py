"""The rules in force, as a croupier asks them: what is open to a hand, what became of it, whether the bank draws, what is due.

Rounds are much alike: what was asked of a state is kept with the state, and so is the state that comes after it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from replayer.engine.evaluator import Evaluator
from replayer.outcomes import BankOutcome, Judgement, SeatOutcome
from replayer.states import SeatState
from replayer.symbols import BankHistory, SeatSymbol
from replayer.wagers import Due, WagerSituation

_REMEMBERED: Final = 1 << 15
"""How many answers to each question the rules of a table keep."""


class CroupierRules:
    """An evaluator's rules (:class:`replayer.engine.evaluator.Evaluator`), asked in the middle of a round."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.game = game = evaluator.game
        self.rules = rules = evaluator.rules

        @lru_cache(_REMEMBERED)
        def follows(seat: SeatState, symbol: SeatSymbol) -> SeatState:
            return seat.follows(symbol, rules)

        @lru_cache(_REMEMBERED)
        def faces(seat: SeatState, upcard: str) -> SeatState:
            return seat.faces(upcard)

        @lru_cache(_REMEMBERED)
        def open_to(seat: SeatState, hand: int) -> frozenset[str]:
            return seat.open(hand, rules)

        @lru_cache(_REMEMBERED)
        def became(seat: SeatState) -> Judgement[SeatOutcome]:
            return seat.became(rules)

        @lru_cache(_REMEMBERED)
        def bank_draws(bank: BankHistory) -> bool:
            return game.bank.draws(bank, rules)

        @lru_cache(_REMEMBERED)
        def due(kind: str, hand: int, seat: SeatState, bank: BankOutcome | None) -> Due:
            return evaluator.wager(WagerSituation(kind, hand, became(seat).outcome, bank)).value

        self.follows, self.faces, self.open_to, self.became = follows, faces, open_to, became
        self.bank_draws, self.due = bank_draws, due
