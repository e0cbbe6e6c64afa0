"""Wagers settled before the cards decided them, in any game."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from replayer.contract.outcomes import Awaited, Breach
from replayer.contract.rules import AnyRules
from replayer.contract.wagers import Due, Timing
from schemas.finding import Severity, declare

PAID_BEFORE_RESULT: Final = declare(
    "PAID_BEFORE_RESULT", Severity.PROCEDURE, "A wager settled before the cards could tell its result"
)


_WITHOUT_BANK: Final = "settled before the bank's cards could tell what it is due"


def not_before(due: Due, awaits: Awaited, message: str = _WITHOUT_BANK) -> Due:
    """The due, with the timing that what it ``awaits`` of the bank (``replayer.contract.outcomes``) must be known first."""
    return replace(due, timing=Timing(Breach(PAID_BEFORE_RESULT.code, due.article, message), awaits=awaits))


def before_hand_ended(due: Due, rules: AnyRules) -> Breach | None:
    """The breach where a wager was settled before its own hand had the card or the decision that decides it. None where the
    stake goes back, which needs no hand, and where the log does not record the order of events."""
    if not due.odds or not rules.records("deal_order"):
        return None
    return Breach(PAID_BEFORE_RESULT.code, due.article, "settled before its hand had its last card or decision")
