"""Wagers placed too late or too high, which the texts of both games refuse without a remedy for one that was accepted; and
wagers settled before the cards decided them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

from replayer.contract.outcomes import Awaited, Breach
from replayer.contract.readings import Readings
from replayer.contract.rules import AnyRules
from replayer.contract.wagers import RETURNED, Due, StakeSituation, Timing
from schemas.finding import Severity, of_procedure
from schemas.plural import spoken

PAID_BEFORE_RESULT: Final = of_procedure("PAID_BEFORE_RESULT", "A wager settled before the cards could tell its result")
_WITHOUT_BANK: Final = "settled before the bank's cards could tell what it is due"


def as_late(due: Due, article: str, readings: Readings) -> Due:
    """What a late wager is due: ``due`` is its due by the cards, ``article`` the one whose deadline it missed. X-7: it counts, or
    it is void and its stake goes back. A wager whose stake goes back anyway depends on neither."""
    if due.odds == 0 or readings("X-7") != "void":
        return due
    return Due.of(RETURNED, article, "placed after its moment: void, the stake goes back")


def base_of(stake: StakeSituation, readings: Readings) -> int | None:
    """The stake that a wager rests on; None where there is none. X-7: what was added to it too late counts, or is void."""
    if stake.base_minor is None or not stake.late_minor or readings("X-7") != "void":
        return stake.base_minor
    return stake.base_minor - stake.late_minor


def of_excess(stake: StakeSituation, most: Fraction | int) -> str:
    """What there is to say of a stake above ``most`` beside that; empty of any other."""
    silent = ", and no text at hand says what the excess is due"
    return silent if stake.total_minor > most else ""


def not_before(due: Due, awaits: Awaited, message: str = _WITHOUT_BANK) -> Due:
    """The due, with the timing that what it ``awaits`` of the bank (``replayer.contract.outcomes``) must be known first."""
    return replace(due, timing=Timing(Breach(PAID_BEFORE_RESULT, due.article, message), awaits=awaits))


def before_hand_ended(due: Due, rules: AnyRules) -> Breach | None:
    """The breach where a wager was settled before its own hand had the card or the decision that decides it. None where the
    stake goes back without a tie, or is lost by a breach, neither of which needs a hand, and where the log does not record the
    order of events."""
    by_breach = any(each.code.severity is not Severity.ADVISORY for each in due.breaches)
    if by_breach or not (due.odds or due.timing) or not rules.records("deal_order"):
        return None
    return Breach(PAID_BEFORE_RESULT, due.article, "settled before its hand had the card or decision that decides it")


def before_last_round(kind: str, due: Due, round_: int) -> Breach:
    """The breach where a wager was settled in a round after which it ran on."""
    message = f"the {spoken(kind)} was settled in round {round_}, which did not decide it"
    return Breach(PAID_BEFORE_RESULT, due.article, message)
