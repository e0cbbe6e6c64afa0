"""Whether a seat's round was won, as winning streaks count it (57/2009 arts. 11(2), 16(7), 18(3))."""

from __future__ import annotations

from fractions import Fraction

from replayer.law.black_jack.hand import by_reading
from replayer.law.black_jack.outcome import (
    BANK_NATURAL,
    EVEN_MONEY,
    FIVE_CARD_HALF,
    SURRENDER,
    BankOutcome,
    HandOutcome,
    SeatOutcome,
)
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.settlement import settle
from replayer.law.black_jack.streak import LOST, LOST_ON_HANDS, NEITHER, SURRENDERED, UNKNOWN, WON
from replayer.wagers import WagerSituation


def result(seat: SeatOutcome | None, bank: BankOutcome | None, rules: Rules) -> str:
    """One letter for the round of a seat; insurance never matters (BJ-50).

    BJ-53: it is the seat's result, for every player who bets on it.
    """
    letters = [_letter(seat.upcard, hand, bank, rules) for hand in seat.hands] if seat else []
    if not letters or UNKNOWN in letters:
        return UNKNOWN
    if bank == BANK_NATURAL:
        rules.readings("BJ-50")
    if SURRENDERED in letters:
        rules.readings("BJ-53")
        return SURRENDERED
    return letters[0] if len(letters) == 1 else _of_split_hands(letters, rules)


def _of_split_hands(letters: list[str], rules: Rules) -> str:
    """Art. 16(7). BJ-47: hands won are held against hands lost, or must be most of all hands."""
    won, lost = letters.count(WON), letters.count(LOST)
    if lost > won:
        return LOST_ON_HANDS
    more = WON if won > lost else NEITHER
    most = WON if 2 * won > len(letters) else NEITHER
    return by_reading(rules.readings, "BJ-47", wins_vs_losses=more, strict_majority=most)


def _letter(upcard: str, hand: HandOutcome, bank: BankOutcome | None, rules: Rules) -> str:
    """One hand's round: as a wager on it would be settled if it were the seat's only one.

    That a stake comes back against Black Jack (arts. 16(6), 17(3)) is about the stake; the hand is lost all the same (art. 9).
    """
    if hand.ending == SURRENDER:
        if not (hand.early and bank == BANK_NATURAL):
            return SURRENDERED
        none = NEITHER if hand.natural else LOST
        return by_reading(rules.readings, "BJ-67", after_peek=none, before_peek=SURRENDERED)
    if hand.half_agreed and not hand.bust and bank != BANK_NATURAL and _gives_up(rules):
        return SURRENDERED
    if hand.ending == FIVE_CARD_HALF:
        return by_reading(rules.readings, "BJ-48", win=WON, neutral=NEITHER, loss=LOST)
    if hand.ending == EVEN_MONEY:
        return by_reading(rules.readings, "BJ-49a", win=WON, neutral=NEITHER)
    played = _settled(upcard, hand, bank, rules)
    if hand.prize:
        without = _settled(upcard, hand._replace(prize=""), bank, rules)
        if played != without and rules.readings("BJ-55") == "in_lieu":
            return by_reading(rules.readings, "BJ-49b", win=WON, neutral=NEITHER)
        played = without
    if played is None:
        return UNKNOWN
    return WON if played > 0 else LOST if played < 0 else NEITHER


def _gives_up(rules: Rules) -> bool:
    """X-6: whether a surrender without the right to it is one all the same, so that it ends the streaks (art. 18(3))."""
    surrender = rules.regulation.surrender
    return bool(surrender.is_half_all_the_same(rules))


def _settled(upcard: str, hand: HandOutcome, bank: BankOutcome | None, rules: Rules) -> Fraction | None:
    """The odds at which the first stake of a hand is settled, no other hand being there."""
    return settle(WagerSituation("main", 0, SeatOutcome(upcard, (hand,)), bank), rules).odds
