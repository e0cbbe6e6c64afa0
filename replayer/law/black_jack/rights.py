"""What is open to a hand: the same rules that a decision on it is held against."""

from __future__ import annotations

from replayer.law.black_jack.actions import AFTER_STANDING, Action
from replayer.law.black_jack.hand import STOOD, Hand
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.seat import Seat
from replayer.law.black_jack.special import HELD


def open_to(hand: Hand, seat: Seat, rules: Rules) -> frozenset[Action]:
    """The decisions open to a hand; none where it is over or waits for a card.

    Whether a surrender comes in time for the table (art. 18(2)) does not show at one seat.
    """
    if hand.ended not in ("", STOOD) or hand.asked or not hand.cards.size or not hand.known:
        return frozenset()
    law = rules.regulation
    refusals = {
        Action.HIT: law.drawing.refusal(hand, rules),
        Action.DOUBLE: law.doubling.refusal(hand, rules),
        Action.SPLIT: law.splitting.refusal(seat, hand, rules),
        Action.SURRENDER: law.surrender.refusal(seat, hand, 0, rules),
        Action.EVEN_MONEY: law.natural.even_money_refusal(seat, hand, rules),
        Action.FIVE_CARD_HALF: law.five_cards.refusal(seat, hand, rules),
    }
    open_ = {action for action, refusal in refusals.items() if refusal is None}
    if hand.ended == STOOD:
        return frozenset(open_ & {*AFTER_STANDING})
    if hand.cards.size < 2:
        return frozenset(open_ & {Action.DOUBLE})
    if seat.upcard == "A" and not seat.insured and seat.hands == 1 and not hand.acted:
        open_.add(Action.INSURANCE)
    prize = law.special_prize
    if prize.holds(hand, rules) == HELD and not prize.is_taken(hand, rules):
        open_.add(Action.TAKE_PRIZE)
    if open_ - {Action.INSURANCE}:
        open_.add(Action.STAND)
    return frozenset(open_)
