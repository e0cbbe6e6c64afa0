"""What ante, raise and Pair Plus are due, by the outcomes of place and croupier."""

from __future__ import annotations

from typing import Final, TypeAlias

from replayer.contract.outcomes import Awaited, FirstCardsOutcome
from replayer.contract.wagers import LOST, Due, WagerSituation
from replayer.law.fortune_3_card_poker.bets import ANTE, PAIR_PLUS, RAISE
from replayer.law.fortune_3_card_poker.cards import NOT_KNOWN, Hand
from replayer.law.fortune_3_card_poker.despacho_78_2008 import DSEF_78_2008
from replayer.law.fortune_3_card_poker.outcome import ALONE, FOLDED, NULL, RAISED, VOID, BankOutcome, Met, SeatOutcome
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.law.untimely import not_before

HAND_WAGERS: Final = frozenset((ANTE, RAISE))

Wager: TypeAlias = WagerSituation[SeatOutcome, BankOutcome, FirstCardsOutcome]

_MET: Final = {met: BankOutcome(met=met) for met in Met}


def meets(seat: SeatOutcome | None, hand: int, bank: BankOutcome | None) -> bool:
    """Whether the hand of a player who raised is compared with the croupier's."""
    if seat is None or seat.fate != RAISED or bank is None or bank.void:
        return False
    return NOT_KNOWN not in (seat.hand, bank.hand)


def met(seat: SeatOutcome, bank: BankOutcome, rules: Rules) -> BankOutcome:
    """The croupier's outcome with the result of the comparison in place of his hand."""
    return _MET[bank.met or rules.regulation.play.meet(seat.hand, bank.hand, rules.readings)]


def reduced(wager: Wager) -> Wager:
    """A wager without the croupier's hand where the hands are not compared. Then, or where the result of the comparison is known,
    any hand of the same combination stands for the player's, if no ruling decides its rank; 97/2008 left art. 8 unchanged."""
    seat, bank = wager.seat, wager.bank
    if bank is not None and bank.void:
        return WagerSituation(wager.kind, 0, None, bank)
    held = wager.kind in HAND_WAGERS and meets(seat, wager.hand, bank)
    if seat is not None and (bank is None or bank.met or not held):
        same = DSEF_78_2008.combinations.same_combination
        seat = SeatOutcome(seat.fate, same.get(seat.hand, seat.hand))
    return WagerSituation(wager.kind, 0, seat, bank if held else None)


def settle(wager: Wager, rules: Rules) -> Due:
    """What a wager is due: arts. 9, 10 and 11(1)."""
    law, kind, seat, bank = rules.regulation, wager.kind, wager.seat, wager.bank
    fate, hand = (seat.fate, seat.hand) if seat else ("", NOT_KNOWN)
    if fate == VOID or (bank is not None and bank.void):
        return law.irregularities.nothing_due(law.irregularities.cite(1))
    if fate == NULL:
        return law.irregularities.null_hand()
    if kind == PAIR_PLUS:
        return _pair_plus(fate, hand, rules)
    if kind not in HAND_WAGERS:
        return Due(None, law.kinds_of_bet.cite(1), unjudged=f"{kind!r} is no bet of this game")
    if fate == ALONE and kind == RAISE:
        return law.play.raise_alone()
    # An ante alone is one that X-7 makes void; a player who does not play would lose it otherwise.
    if fate in (FOLDED, ALONE):
        return law.play.folded(kind)
    if fate != RAISED or bank is None or NOT_KNOWN in (hand, bank.hand):
        return Due(None, law.play.cite(), unjudged="the hands are not known")
    how = bank.met or law.play.meet(hand, bank.hand, rules.readings)
    due = law.play.due(kind, hand, how, rules.readings)
    if not rules.records("deal_order"):
        return due
    return not_before(due, Awaited.HAND, "settled before the croupier's hand lay open")


def _pair_plus(fate: str, hand: Hand, rules: Rules) -> Due:
    law = rules.regulation
    if fate not in (RAISED, FOLDED, ALONE):
        return Due(None, law.pair_plus.cite(), unjudged="the hand is not known")
    due: Due = law.pair_plus.due(hand, rules.readings)
    if fate == FOLDED and due.odds != LOST and law.play.fold_collects_pair_plus(rules.readings):
        return law.play.folded(PAIR_PLUS)
    return law.play.pair_plus_due(due, rules)
