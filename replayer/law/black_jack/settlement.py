"""What the main wager, splits, doubles and insurance are due, by the outcomes of seat and bank."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from replayer.contract.outcomes import HAND_AWAITED, NATURAL_AWAITED, Breach, Step
from replayer.contract.wagers import LOST, RETURNED, Due, WagerSituation
from replayer.law.black_jack.outcome import (
    BANK_NATURAL,
    BANK_NATURAL_POSSIBLE,
    EVEN_MONEY,
    FIVE_CARD_HALF,
    PLAYED,
    SURRENDER,
    UNKNOWN_HAND,
    BankOutcome,
    FirstCardsOutcome,
    HandOutcome,
    SeatOutcome,
)
from replayer.law.black_jack.points import MOST
from replayer.law.black_jack.rules import Rules
from replayer.law.codes import LAW_TEXT_UNVERIFIED
from replayer.law.late_wager import as_late
from replayer.law.settled_early import not_before

MAIN: Final = "main"
DOUBLE: Final = "double"
SPLIT: Final = "split"
INSURANCE: Final = "insurance"
HAND_WAGERS: Final = frozenset({MAIN, DOUBLE, SPLIT})
PLAY_WAGERS: Final = HAND_WAGERS | {INSURANCE}


Wager: TypeAlias = WagerSituation[SeatOutcome, BankOutcome, FirstCardsOutcome]


class Unit(NamedTuple):
    """One stake on a hand: the one that it began with, or its double."""

    hand: int
    double: bool = False


INITIAL: Final = Unit(0)


def meets(seat: SeatOutcome | None, hand: int, bank: BankOutcome | None) -> bool:
    """Whether a hand is compared with the bank's points: both were played out and did not bust.

    >>> seat = SeatOutcome("x", (HandOutcome(17), HandOutcome(22)))
    >>> meets(seat, 0, BankOutcome(19)), meets(seat, 1, BankOutcome(19)), meets(seat, 0, BankOutcome(22))
    (True, False, False)
    """
    if seat is None or bank is None or bank.fate != PLAYED or hand >= len(seat.hands):
        return False
    return not (seat.hands[hand].ending or seat.hands[hand].bust or seat.hands[hand] == UNKNOWN_HAND)


def reduced(wager: Wager) -> Wager:
    """A wager of ``PLAY_WAGERS`` without the bank's points where its hand is not compared with them. It also lacks what matters
    only against Black Jack: the other hands, the origin of the hand and, unless the hand waits for it, the bank's open card.

    >>> seat = SeatOutcome("T", (HandOutcome(22), HandOutcome(17, split=True)))
    >>> reduced(WagerSituation("split", 1, seat, BankOutcome(19))).seat == SeatOutcome("x", (HandOutcome(17),))
    True
    """
    kind, number, seat, bank = wager.kind, wager.hand, wager.seat, wager.bank
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
        two=hand.two and hand.points == MOST,
        prize=hand.prize,
        shared=hand.shared,
        half_agreed=hand.half_agreed,
        staked_late=kind == DOUBLE and hand.staked_late,
    )
    upcard = seat.upcard if turns_on_natural(own) else "x"
    return WagerSituation(kind, 0, SeatOutcome(upcard, (own,)), against)


_ANY_POINTS: Final = BankOutcome(MOST)


def turns_on_bank(hand: HandOutcome, rules: Rules) -> bool:
    """Whether a hand's result depends on the bank's points, and not only on its Black Jack (:func:`turns_on_natural`)."""
    if hand.ending or hand.bust or hand.natural:
        return False
    if hand.half_agreed and rules.regulation.surrender.is_half_without_right(rules):
        return False
    return not hand.prize or bool(rules.readings("BJ-55") == "additional")


def turns_on_natural(hand: HandOutcome) -> bool:
    """Whether a hand's due may depend on the bank's Black Jack, which its second card decides."""
    return not hand.ending and (hand.natural or hand.half_agreed)


def settle(wager: Wager, rules: Rules) -> Due:
    """What a wager of ``PLAY_WAGERS`` is due, and what of the bank must be known before it is settled."""
    due = _settle(wager, rules)
    if due.odds is None or due.timing or not rules.records("deal_order"):
        return due
    with rules.readings.uncounted():  # the due rests on the same rulings
        awaits = _awaits(wager, rules)
    return not_before(due, awaits) if awaits else due


def _awaits(wager: Wager, rules: Rules) -> str:
    """What a wager waits for; empty where it is decided without the bank."""
    if wager.kind == INSURANCE:
        return NATURAL_AWAITED
    if wager.seat is None:
        return ""
    hand = wager.seat.hands[wager.hand]
    if turns_on_bank(hand, rules):
        return HAND_AWAITED
    return NATURAL_AWAITED if turns_on_natural(hand) and wager.seat.upcard in BANK_NATURAL_POSSIBLE else ""


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
    due = _on_hand(seat, Unit(wager.hand, wager.kind == DOUBLE), wager.bank, rules)
    if wager.kind == DOUBLE and hand.staked_late:
        return settle_late(due, rules.regulation.doubling.article(rules), rules)
    return due


def settle_late(due: Due, article: str, rules: Rules) -> Due:
    """What a wager is due that was placed too late; under house rules that is its due by the cards."""
    return as_late(due, article, rules.readings) if rules.regulation.deal.late_in_doubt else due


def _on_hand(seat: SeatOutcome, unit: Unit, bank: BankOutcome | None, rules: Rules) -> Due:
    law, hand = rules.regulation, seat.hands[unit.hand]
    due: Due
    if unit.double and hand.ending:  # a doubled hand cannot be closed, so the double was placed on a closed one
        due = Due.of(RETURNED, law.closed_by(hand.ending), "laid when the hand was over: no bet, the stake goes back")
    elif hand.ending == SURRENDER:
        due = law.surrender.due(hand, bank, rules)
    elif hand.ending == EVEN_MONEY:
        due = law.natural.even_money_due()
    elif hand.ending == FIVE_CARD_HALF:
        due = law.five_cards.due(hand, rules)
    elif hand.prize:
        due = law.special_prize.due(rules, lambda: _against_bank(seat, unit, bank, rules), double=unit.double)
    elif hand.half_agreed:
        due = _surrendered_without_right(seat, unit, bank, rules)
    else:
        due = _against_bank(seat, unit, bank, rules)
    return due


def _surrendered_without_right(seat: SeatOutcome, unit: Unit, bank: BankOutcome | None, rules: Rules) -> Due:
    """X-6: the bank's Black Jack takes the whole bet by either reading, and a hand over 21 is lost."""
    hand, surrender = seat.hands[unit.hand], rules.regulation.surrender
    natural_possible = seat.upcard in BANK_NATURAL_POSSIBLE if bank is None else bank.natural
    if natural_possible or hand.bust or not surrender.is_half_without_right(rules):
        return _against_bank(seat, unit, bank, rules)
    return surrender.due(hand, bank, rules)


def _against_bank(seat: SeatOutcome, unit: Unit, bank: BankOutcome | None, rules: Rules) -> Due:
    """A hand that was played out: over 21, Black Jack, against the bank's Black Jack, or on points."""
    law, hand = rules.regulation, seat.hands[unit.hand]
    if hand.bust and not _may_come_back(seat, unit, bank, rules):
        return law.scoring.due()
    if hand.natural and (bank is not None or seat.upcard not in BANK_NATURAL_POSSIBLE):
        return law.natural.due(bank, rules)
    if bank is None:
        if hand.bust:
            return _bust_against_unknown(seat, unit, rules)
        return Due(None, "", unjudged="what the bank has is not known")
    if bank.natural:
        return _against_natural(seat, unit, rules)
    if bank.points is None:
        return Due(None, "", unjudged="the bank's points are not known")
    return _on_points(hand, bank.points, rules)


def _on_points(hand: HandOutcome, bank: int, rules: Rules) -> Due:
    """Arts. 9, 10(4) and 11: what hands without Black Jack are due."""
    law, shown = rules.regulation, f"{hand.points} against {'a bank over 21' if bank > MOST else bank}"
    if hand.points == bank:
        return law.ties.of_points(shown)
    if hand.points == MOST and not hand.two:
        return law.natural.of_other_21(shown)
    return law.higher_wins.due(hand.points, bank, shown)


# Against the bank's Black Jack


def _may_come_back(seat: SeatOutcome, unit: Unit, bank: BankOutcome | None, rules: Rules) -> bool:
    """Whether a stake on a bust hand could come back: only beside the initial one, and only against Black Jack."""
    if bank not in (BANK_NATURAL, None) or seat.upcard not in BANK_NATURAL_POSSIBLE:
        return False
    return len(_units(seat, rules)) > 1 and unit != INITIAL


def _bust_against_unknown(seat: SeatOutcome, unit: Unit, rules: Rules) -> Due:
    """A stake on a bust hand where the bank did not play out: lost unless the bank's Black Jack would return it."""
    scoring = rules.regulation.scoring
    if _against_natural(seat, unit, rules).odds == LOST:
        return scoring.due()
    why = "what the bank has is not known, and its Black Jack would spare this stake"
    return Due(None, scoring.cite(*scoring.bust), unjudged=why)


def bust_may_come_back(seat: SeatOutcome, rules: Rules) -> bool:
    """Whether a stake on a hand that bust would come back against the bank's Black Jack, so that the bank has to show (BJ-12)."""
    if seat.upcard not in BANK_NATURAL_POSSIBLE or (len(seat.hands) == 1 and not seat.hands[0].doubled):
        return False
    bust = [unit for unit in _units(seat, rules) if seat.hands[unit.hand].bust]
    return any(
        _may_come_back(seat, unit, None, rules) and _against_natural(seat, unit, rules).odds != LOST for unit in bust
    )


def _units(seat: SeatOutcome, rules: Rules) -> list[Unit]:
    """Every stake on the seat's hands that were played out, in order. BJ-55: a prize in lieu of the win closes its hand."""
    units = []
    for number, hand in enumerate(seat.hands):
        if not hand.bare and not hand.ending and not (hand.prize and rules.readings("BJ-55") == "in_lieu"):
            units.append(Unit(number))
            if hand.doubled:
                units.append(Unit(number, double=True))
    return units


def _against_natural(seat: SeatOutcome, unit: Unit, rules: Rules) -> Due:
    """Arts. 10(6), 12(2) and, where split or doubled bets come back, 16(6), 17(3) and 10(7)."""
    law, hand = rules.regulation, seat.hands[unit.hand]
    lost = law.natural.cite(*law.natural.of_bank) if hand.points == MOST else law.insurance.collects()
    if hand.bust:
        lost = law.scoring.cite(*law.scoring.bust)
    lose = _odds_against_natural(seat, unit, rules, ties=False)
    odds = lose
    if law.natural.split_21_in_doubt and any(_is_split_21(other) for other in seat.hands):
        odds = rules.readings.answer("BJ-9", lose=lose, tie=_odds_against_natural(seat, unit, rules, ties=True))
    breaches = tuple(_unverified(unit, hand, rules))
    if odds == LOST:
        if rules.options.deal_procedure == 3:
            rules.readings("BJ-20")  # of the seat's wagers only the main one is collected at once
        why = "over 21" if hand.bust else "the bank has Black Jack"
        return Due(LOST, lost, (Step(lost, f"{why}: lost"),), breaches=breaches)
    if odds != lose and _is_split_21(hand):
        return law.ties.of_points("21 against 21")
    article = (
        law.doubling.relief_article(hand.doubled, rules) if unit.double else law.splitting.cite(*law.splitting.relief)
    )
    others = "" if _is_split_21(hand) else "only the initial bet is lost, "  # by either reading of BJ-9
    step = Step(article, f"the bank has Black Jack: {others}this stake goes back")
    return Due(odds, article, (step,), breaches=breaches)


def _is_split_21(hand: HandOutcome) -> bool:
    """Whether a hand is a 21 in two cards on separated bets, which no sentence compares with Black Jack (BJ-9)."""
    return hand.two and hand.points == MOST


def _odds_against_natural(seat: SeatOutcome, unit: Unit, rules: Rules, *, ties: bool) -> Fraction:
    """What one stake is due against Black Jack; ``ties`` is whether a split 21 in two cards ties with it."""
    if ties and _is_split_21(seat.hands[unit.hand]):
        return RETURNED
    units = [other for other in _units(seat, rules) if not (ties and _is_split_21(seat.hands[other.hand]))]
    if unit != INITIAL and not _spared(seat, unit, rules):
        return LOST
    if INITIAL in units and not any(seat.hands[other.hand].bust for other in units):
        return LOST if unit == INITIAL else RETURNED
    if len(seat.hands) > 1 and not _splits_spared(seat, rules):  # by art. 10(7) alone each hand loses its first stake
        return LOST if unit == INITIAL or seat.hands[unit.hand].bust else RETURNED
    covered = [other for other in units if other == INITIAL or _spared(seat, other, rules)]
    bust = [other for other in covered if seat.hands[other.hand].bust]
    unbusted = [other for other in covered if other not in bust]
    first_unbusted, first_bust = unbusted[:1], bust[:1]
    return rules.readings.answer(
        "BJ-12",
        max=LOST if unit in (bust or first_unbusted) else RETURNED,
        total_initial=LOST if unit in (first_bust or first_unbusted) else RETURNED,
        keep_busted_plus_initial=LOST if unit in (*bust, *first_unbusted) else RETURNED,
    )


def _spared(seat: SeatOutcome, unit: Unit, rules: Rules) -> bool:
    """Whether a stake beside the initial one comes back against Black Jack."""
    law, hand = rules.regulation, seat.hands[unit.hand]
    if unit.double:
        return law.doubling.relieves(hand.doubled, rules)
    return unit != INITIAL and law.splitting.relieves(hand, rules)


def _splits_spared(seat: SeatOutcome, rules: Rules) -> bool:
    """Whether all hands together lose only the initial bet, so that a bust hand counts towards it (BJ-12)."""
    return any(rules.regulation.splitting.relieves(hand, rules) for hand in seat.hands if hand.split)


def _unverified(unit: Unit, hand: HandOutcome, rules: Rules) -> list[Breach]:
    """The finding on a stake beside the initial one that is settled by a text that is not at hand (BJ-75)."""
    law = rules.regulation.doubling if unit.double else rules.regulation.splitting
    if unit == INITIAL or hand.bust or not law.unverified or (unit.double and rules.options.bj_double_relief):
        return []
    message = f"whether {law.unverified} spares this stake does not show in the texts at hand"
    return [Breach(LAW_TEXT_UNVERIFIED.code, law.cite(), message)]
