"""What wagers are due: the main one, splits, doubles and insurance by the outcomes of seat and bank; others by art. 13."""

from __future__ import annotations

from typing import Final, TypeAlias

from replayer.contract.cards import NOT_KNOWN
from replayer.contract.outcomes import Awaited
from replayer.contract.wagers import LOST, RETURNED, Due, WagerSituation
from replayer.law.black_jack.hand import Action
from replayer.law.black_jack.outcome import (
    BANK_NATURAL,
    BANK_NATURAL_POSSIBLE,
    INITIAL,
    UNKNOWN_HAND,
    BankOutcome,
    FirstCardsOutcome,
    HandOutcome,
    SeatOutcome,
    Stake,
)
from replayer.law.black_jack.points import MOST
from replayer.law.black_jack.rules import Rules
from replayer.law.untimely import as_late, not_before

MAIN: Final = "main"
DOUBLE: Final = "double"
SPLIT: Final = "split"
INSURANCE: Final = "insurance"
HAND_WAGERS: Final = frozenset({MAIN, DOUBLE, SPLIT})
PLAY_WAGERS: Final = HAND_WAGERS | {INSURANCE}


Wager: TypeAlias = WagerSituation[SeatOutcome, BankOutcome, FirstCardsOutcome]


def meets(seat: SeatOutcome | None, hand: int, bank: BankOutcome | None) -> bool:
    """Whether a hand is compared with the bank's points: both were played out and did not bust.

    >>> seat = SeatOutcome("x", (HandOutcome(17), HandOutcome(22)))
    >>> meets(seat, 0, BankOutcome(19)), meets(seat, 1, BankOutcome(19)), meets(seat, 0, BankOutcome(22))
    (True, False, False)
    """
    if seat is None or bank is None or bank.points is None or bank.natural or bank.bust or hand >= len(seat.hands):
        return False
    return not (seat.hands[hand].ending or seat.hands[hand].bust or seat.hands[hand] == UNKNOWN_HAND)


def reduced(wager: Wager) -> Wager:
    """A wager of ``PLAY_WAGERS`` without the bank's points where its hand is not compared with them. It also lacks what matters
    only against Black Jack: the other hands, the origin of the hand and, unless the hand waits for it or was closed by a claim,
    the bank's open card. A wager on first cards stays as it is: few of these differ in what decides nothing.

    >>> seat = SeatOutcome("T", (HandOutcome(22), HandOutcome(17, split=True)))
    >>> reduced(WagerSituation("split", 1, seat, BankOutcome(19))).seat == SeatOutcome("x", (HandOutcome(17),))
    True
    """
    kind, number, seat, bank = wager.kind, wager.hand, wager.seat, wager.bank
    if kind not in PLAY_WAGERS:
        return wager
    if kind == INSURANCE:
        number, seat = 0, None
    if bank is None or bank.points is None or bank.natural:
        return WagerSituation(kind, number, seat, bank)
    against = bank if bank.bust or meets(seat, number, bank) else _ANY_POINTS
    if seat is None or number >= len(seat.hands):
        return WagerSituation(kind, number, seat, against)
    hand = seat.hands[number]
    own = HandOutcome(
        hand.points,
        hand.natural,
        hand.ending,
        hand.doubled if kind == DOUBLE else "",
        split_21=hand.split_21,
        prize=hand.prize,
        shared=hand.shared,
        half_agreed=hand.half_agreed,
        staked_late=kind == DOUBLE and hand.staked_late,
    )
    upcard = seat.upcard if turns_on_natural(own) or hand.ending else "x"
    return WagerSituation(kind, 0, SeatOutcome(upcard, (own,)), against)


_ANY_POINTS: Final = BankOutcome(MOST)


def turns_on_bank(hand: HandOutcome, rules: Rules) -> bool:
    """Whether a hand's result depends on the bank's points, and not only on its Black Jack (:func:`turns_on_natural`)."""
    if hand.ending or hand.bust or hand.natural:
        return False
    if hand.half_agreed and rules.regulation.surrender.is_half_without_right(rules):
        return False
    return not rules.regulation.special_prize.closes(hand, rules)


def turns_on_natural(hand: HandOutcome) -> bool:
    """Whether a hand's due may depend on the bank's Black Jack, which its second card decides."""
    return not hand.ending and (hand.natural or hand.half_agreed)


def right_untold(upcard: str, hand: HandOutcome, rules: Rules) -> str:
    """Why the log does not tell the right to the claim that closed a hand, empty where it does: it turns on the hand's cards
    (arts. 10(3), 19(1)) or the bank's open card (arts. 10(3), 18(1), 19(1)), which are not named. Where no faces are recorded no
    card is known to lie open, and a claim that was taken counts."""
    given_up = hand.ending == Action.SURRENDER
    if not hand.ending or (given_up and rules.regulation.surrender.against_ace(rules)):
        return ""
    if not given_up and not hand.points:
        return "a card of the hand is not named, and the right to a claim turns on it"
    if upcard == NOT_KNOWN and rules.records("faces"):
        return "the log does not tell the bank's open card, and the right to a claim turns on it"
    return ""


def settle(wager: Wager, rules: Rules) -> Due:
    """What a wager is due and, of one of ``PLAY_WAGERS``, what of the bank must be known before it is settled."""
    if wager.kind not in PLAY_WAGERS:
        return rules.regulation.additional_wagers.due(wager, rules)
    due = _settle(wager, rules)
    if due.odds is None or due.timing or not rules.records("deal_order"):
        return due
    with rules.readings.uncounted():  # the due rests on the same rulings
        awaits = _awaits(wager, rules)
    return not_before(due, awaits) if awaits else due


def _awaits(wager: Wager, rules: Rules) -> Awaited:
    if wager.kind == INSURANCE:
        return Awaited.NATURAL
    if wager.seat is None:
        return Awaited.NOTHING
    hand = wager.seat.hands[wager.hand]
    if turns_on_bank(hand, rules):
        return Awaited.HAND
    may_be_natural = turns_on_natural(hand) and wager.seat.upcard in BANK_NATURAL_POSSIBLE
    return Awaited.NATURAL if may_be_natural else Awaited.NOTHING


def _settle(wager: Wager, rules: Rules) -> Due:
    if wager.kind == INSURANCE:
        return rules.regulation.insurance.due(wager.bank, rules)
    seat = wager.seat
    if seat is None:
        return Due(None, "")
    if wager.hand >= len(seat.hands):
        return Due(None, "", unjudged="there is no such hand")
    hand = seat.hands[wager.hand]
    needs_all = wager.bank is None or wager.bank.natural  # against Black Jack a due may depend on all hands of the seat
    if hand == UNKNOWN_HAND or (needs_all and UNKNOWN_HAND in seat.hands):
        return Due(None, "")
    if wager.kind == DOUBLE and not hand.doubled:
        return Due(None, "", unjudged="the hand was not doubled")
    due = _on_hand(seat, Stake(wager.hand, wager.kind == DOUBLE), wager.bank, rules)
    if wager.kind == DOUBLE and hand.staked_late:
        return settle_late(due, rules.regulation.doubling.article(rules), rules)
    return due


def settle_late(due: Due, article: str, rules: Rules) -> Due:
    """What a wager is due that was placed too late; under house rules that is its due by the cards."""
    return as_late(due, article, rules.readings) if rules.regulation.deal.late_in_doubt else due


def _on_hand(seat: SeatOutcome, stake: Stake, bank: BankOutcome | None, rules: Rules) -> Due:
    law, hand = rules.regulation, seat.hands[stake.hand]
    if untold := right_untold(seat.upcard, hand, rules):
        return Due(None, "", unjudged=untold)
    if stake.double and hand.ending:  # a doubled hand cannot be closed, so the double was placed on a closed one
        return Due.of(RETURNED, law.closed_by(hand.ending), "laid when the hand was over: no bet, the stake goes back")
    if hand.ending == Action.SURRENDER:
        return law.surrender.due(hand, bank, rules)
    if hand.ending == Action.EVEN_MONEY:
        return law.natural.even_money_due()
    if hand.ending == Action.FIVE_CARD_HALF:
        return law.five_cards.due(hand, rules)
    if hand.prize:
        return law.special_prize.due(rules, lambda: _against_bank(seat, stake, bank, rules), double=stake.double)
    if hand.half_agreed:
        return _surrendered_without_right(seat, stake, bank, rules)
    return _against_bank(seat, stake, bank, rules)


def _surrendered_without_right(seat: SeatOutcome, stake: Stake, bank: BankOutcome | None, rules: Rules) -> Due:
    """X-6: the bank's Black Jack takes the whole bet by either reading, and a hand over 21 is lost."""
    hand, surrender = seat.hands[stake.hand], rules.regulation.surrender
    natural_possible = seat.upcard in BANK_NATURAL_POSSIBLE if bank is None else bank.natural
    if natural_possible or hand.bust or not surrender.is_half_without_right(rules):
        return _against_bank(seat, stake, bank, rules)
    return surrender.due(hand, bank, rules)


def _against_bank(seat: SeatOutcome, stake: Stake, bank: BankOutcome | None, rules: Rules) -> Due:
    """A hand that was played out: over 21, Black Jack, against the bank's Black Jack, or on points."""
    law, hand = rules.regulation, seat.hands[stake.hand]
    if hand.bust and not _may_come_back(seat, stake, bank, rules):
        return law.scoring.due()
    if hand.natural and (bank is not None or seat.upcard not in BANK_NATURAL_POSSIBLE):
        return law.natural.due(bank, rules)
    if bank is None:
        spared = ", and its Black Jack would spare this stake" if hand.bust else ""
        article = law.scoring.cite(*law.scoring.bust) if hand.bust else ""
        return Due(None, article, unjudged=f"what the bank has is not known{spared}")
    if bank.natural:
        return law.natural.against_bank_natural(seat, stake, rules)
    if bank.points is None:
        return Due(None, "", unjudged="the bank's points are not known")
    return _on_points(hand, bank.points, rules)


def _on_points(hand: HandOutcome, bank: int, rules: Rules) -> Due:
    """Arts. 9, 10(4) and 11: what hands without Black Jack are due."""
    law, shown = rules.regulation, f"{hand.points} against {'a bank over 21' if bank > MOST else bank}"
    if hand.points == bank:
        return law.ties.of_points(shown)
    if hand.points == MOST and not hand.split_21:
        return law.natural.of_other_21(shown)
    return law.higher_wins.due(hand.points, bank, shown)


# Against the bank's Black Jack


def _may_come_back(seat: SeatOutcome, stake: Stake, bank: BankOutcome | None, rules: Rules) -> bool:
    """Whether a stake on a bust hand could come back: only beside the initial one, and only against Black Jack; where the bank
    did not play out, only if its Black Jack would return it."""
    natural = rules.regulation.natural
    if bank not in (BANK_NATURAL, None) or seat.upcard not in BANK_NATURAL_POSSIBLE:
        return False
    if len(natural.stakes(seat, rules)) < 2 or stake == INITIAL:
        return False
    return bank is not None or natural.against_bank_natural(seat, stake, rules).odds != LOST


def bust_may_come_back(seat: SeatOutcome, rules: Rules) -> bool:
    """Whether a stake on a hand that bust would come back against the bank's Black Jack, so that the bank has to show (BJ-12)."""
    if len(seat.hands) == 1 and not seat.hands[0].doubled:
        return False
    stakes = rules.regulation.natural.stakes(seat, rules)
    return any(_may_come_back(seat, stake, None, rules) for stake in stakes if seat.hands[stake.hand].bust)
