"""A seat of Black Jack by its history: what becomes of it, what is found at it, and what its wagers are due."""

from __future__ import annotations

from replayer.contract.outcomes import Judgement
from replayer.contract.rules import Rules
from replayer.contract.symbols import ADDITIONAL_CARD, BANK_OPEN, BETS_CLOSED, CARD_DEALT, HOLE_CHECKED
from replayer.contract.wagers import Due, WagerSituation
from replayer.law.black_jack import GAME
from tests.law.notation import MOMENTS, judge_seat
from tests.law.outcomes import bank as bank_of
from tests.law.rules import rules

DEALT = MOMENTS[BETS_CLOSED | CARD_DEALT]
LATER = MOMENTS[BETS_CLOSED | CARD_DEALT | ADDITIONAL_CARD]
CHECKED = MOMENTS[BETS_CLOSED | CARD_DEALT | HOLE_CHECKED]
OPENED = MOMENTS[BETS_CLOSED | CARD_DEALT | BANK_OPEN]
"""When a decision was taken, as its word in a history says."""


def judge(history: str, law: Rules | None = None) -> Judgement:
    """What becomes of it, under the rules of 57/2009 where no others are named."""
    return judge_seat(GAME, history, law or rules())


def codes(history: str, law: Rules | None = None) -> list[str]:
    """What is found."""
    return [breach.code for breach in judge(history, law).breaches]


def due(history: str, bank: str, law: Rules | None = None, kind: str = "main", hand: int = 0) -> Due:
    """What a wager of it is due against what the bank came to."""
    law = law or rules()
    return GAME.settlement.due(WagerSituation(kind, hand, judge(history, law).outcome, bank_of(bank)), law)
