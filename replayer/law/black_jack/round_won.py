"""Whether a seat's round was won, as winning streaks count it (57/2009 arts. 11(2), 16(7), 18(3))."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from replayer.contract.outcomes import Awaited
from replayer.contract.wagers import WagerSituation
from replayer.law.black_jack.drawing import BANK_STANDS
from replayer.law.black_jack.outcome import (
    BANK_NATURAL,
    BANK_NATURAL_POSSIBLE,
    EVEN_MONEY,
    FIVE_CARD_HALF,
    OVER,
    SURRENDER,
    BankOutcome,
    HandOutcome,
    SeatOutcome,
)
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.settlement import settle
from replayer.law.black_jack.streak import LOSES, Result

_BANKS: Final = tuple(map(BankOutcome, range(BANK_STANDS, OVER + 1)))
"""Every outcome of the bank's hand except Black Jack."""


def result(seat: SeatOutcome | None, bank: BankOutcome | None, rules: Rules) -> Result | None:
    """The result of a seat; None where the log does not tell. Insurance never matters (BJ-50).

    BJ-53: it is the seat's result, for every player who bets on it.
    """
    of_hands = [_of_hand(seat.upcard, hand, bank, rules) for hand in seat.hands] if seat else []
    results = [each for each in of_hands if each is not None]
    if not results or len(results) < len(of_hands):
        return None
    if bank == BANK_NATURAL:
        rules.readings("BJ-50")
    if Result.SURRENDERED in results:
        rules.readings("BJ-53")
        return Result.SURRENDERED
    return results[0] if len(results) == 1 else rules.regulation.splitting.result(results, rules)


def awaits(seat: SeatOutcome, rules: Rules) -> Awaited:
    """What the bank must show to decide a seat; no streak that ends with the seat may be settled before."""
    if not rules.records("deal_order"):
        return Awaited.NOTHING
    with rules.readings.uncounted():  # the due rests on the same rulings
        ends = {_end(seat, bank, rules) for bank in _BANKS}
        if len(ends) > 1:
            return Awaited.HAND
        turns_on_natural = seat.upcard in BANK_NATURAL_POSSIBLE and _end(seat, BANK_NATURAL, rules) not in ends
        return Awaited.NATURAL if turns_on_natural else Awaited.NOTHING


def _end(seat: SeatOutcome, bank: BankOutcome, rules: Rules) -> Result | None:
    """The result of a seat, with one result for all ways of losing."""
    ended = result(seat, bank, rules)
    return Result.LOST if ended in LOSES else ended


def _of_hand(upcard: str, hand: HandOutcome, bank: BankOutcome | None, rules: Rules) -> Result | None:
    """The result of one hand: as a wager on it would be settled if it were the seat's only one.

    Where a stake comes back against Black Jack (arts. 16(6), 17(3)), the hand is lost nevertheless (art. 9). X-6: a surrender
    without the right to it may count as one, which ends the streaks (art. 18(3)).
    """
    surrender = rules.regulation.surrender
    if hand.ending == SURRENDER:
        if not (hand.early and bank == BANK_NATURAL):
            return Result.SURRENDERED
        none = Result.NEITHER if hand.natural else Result.LOST
        return rules.readings.answer("BJ-67", after_peek=none, before_peek=Result.SURRENDERED)
    if hand.half_agreed and not hand.bust and bank != BANK_NATURAL and surrender.is_half_without_right(rules):
        return Result.SURRENDERED
    if hand.ending == FIVE_CARD_HALF:
        if rules.regulation.five_cards.untold(hand, rules):
            return None
        return rules.readings.answer("BJ-48", win=Result.WON, neutral=Result.NEITHER, loss=Result.LOST)
    if hand.ending == EVEN_MONEY:
        return rules.readings.answer("BJ-49a", win=Result.WON, neutral=Result.NEITHER)
    played = _settled(upcard, hand, bank, rules)
    if hand.prize:
        without = _settled(upcard, hand._replace(prize=False), bank, rules)
        if played != without and rules.readings("BJ-55") == "in_lieu":
            return rules.readings.answer("BJ-49b", win=Result.WON, neutral=Result.NEITHER)
        played = without
    if played is None:
        return None
    return Result.WON if played > 0 else Result.LOST if played < 0 else Result.NEITHER


def _settled(upcard: str, hand: HandOutcome, bank: BankOutcome | None, rules: Rules) -> Fraction | None:
    """The odds at which a first stake on a hand is settled as the seat's only one. BJ-53: a hand counts without a stake too."""
    staked = hand._replace(bare=False)
    return settle(WagerSituation("main", 0, SeatOutcome(upcard, (staked,)), bank), rules).odds
