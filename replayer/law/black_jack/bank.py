"""The machine of the bank: the cards that it must and must not take (arts. 6(1), 6(6), 7(1))."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from replayer.law.black_jack.bank_hand import BankHand
from replayer.law.black_jack.points import Called
from replayer.law.black_jack.rules import Rules
from replayer.machine import Violation, Violations
from replayer.outcomes import HAND_AWAITED, NATURAL_AWAITED, NOT_AWAITED
from replayer.rules import TOTALS, stays_hidden
from schemas.finding import Severity, declare

BANK_SURPLUS_CARD: Final = declare(
    "BANK_SURPLUS_CARD", Severity.PROCEDURE, "The bank took a card that it must not take"
)
BANK_DID_NOT_DRAW: Final = declare(
    "BANK_DID_NOT_DRAW", Severity.PROCEDURE, "The bank did not take a card that it must take"
)
HOLE_CARD_NOT_OPENED: Final = declare(
    "HOLE_CARD_NOT_OPENED", Severity.PROCEDURE, "The bank's hidden card was never shown though money hung on it"
)
BANK_TOTAL_WRONG: Final = declare("BANK_TOTAL_WRONG", Severity.PROCEDURE, "A wrong total called for the bank")
BANK_TOTAL_NOT_CALLED: Final = declare(
    "BANK_TOTAL_NOT_CALLED", Severity.PROCEDURE, "The bank's total that was not called"
)

LAST_CARD: Final = "last card"
HIDDEN: Final = "hidden card"
"""Marks: the bank's last card, and the first one never seen."""


@dataclass(frozen=True, slots=True)
class Bank:
    """The bank in a round.

    Attributes:
        hand: the valid cards.
        void: whether its last card is void.
        hidden: whether a valid card was never seen.
    """

    hand: BankHand = field(default_factory=BankHand)
    void: bool = False
    hidden: bool = False

    def takes(self, rank: str, rules: Rules, *, seen: bool = True, removed: bool = False) -> tuple[Bank, Violations]:
        """After one more card, as finally known: ``?`` where not named, ``seen`` by the players, ``removed`` again.

        Art. 6(1): a card that it must not take is void; BJ-7 if it was not seen.
        """
        drawing, hand = rules.regulation.drawing, self.hand
        violations: Violations = ()
        counts = not removed
        if hand.known and not drawing.bank_must_draw(hand, rules):
            consequence = "void" if seen else drawing.unseen_surplus(rules)
            fate = {
                "void": "it is void" + ("" if removed else " and was to be removed"),
                "next_card": "not shown, it is the next card of the shoe",
                "in_hand": "not shown, it is held valid",
            }[consequence]
            message = f"the bank took a card on {drawing.bank_points(hand, rules)}: {fate}"
            violations = (Violation(BANK_SURPLUS_CARD.code, drawing.cite(*drawing.bank), message),)
            counts = counts and consequence == "in_hand"
        if not counts:
            return replace(self, void=True), violations
        hidden = self.hidden or stays_hidden(rank, rules, seen=seen)
        return Bank(drawing.bank_takes(hand, rank, rules), hidden=hidden), violations

    def calls(self, called: int, rules: Rules) -> tuple[Bank, Violations]:
        """With a total called. Art. 7(1): with an ace either total is right; another one behind a void card may count it."""
        if not self.hand.known:
            return self, ()
        drawing = rules.regulation.drawing
        after = replace(self, hand=self.hand.announced(called))
        points = drawing.bank_points(after.hand, rules)
        if called == points or after.hand.counts(called):
            return after, ()
        if self.void:
            return self, ()
        if not drawing.totals_called:
            return after, ()
        rules.readings("BJ-33")  # whether or not it had to be called
        message = f"{called} was called, the bank has {points}"
        return after, (Violation(BANK_TOTAL_WRONG.code, _called(rules), message),)

    def finish(self, awaited: str, rules: Rules, *, found: bool) -> Iterator[Violation]:
        """What is missing; ``awaited`` is one of ``HAND_AWAITED``, ``NATURAL_AWAITED`` or ``NOT_AWAITED``, and
        ``found`` whether its look at its hidden card found Black Jack.

        A hand that lacks a card is settled as it is.
        """
        hidden = self.hidden and not found
        if (self.hand.cards == 1 or hidden) and not rules.options.not_recorded and _must_show(awaited, rules):
            article = rules.regulation.deal.second_card_article(rules)
            if self.hand.cards == 1:
                message = f"{_WHY[awaited]}, and it took no second card"
                yield Violation(BANK_DID_NOT_DRAW.code, article, message, LAST_CARD)
            if hidden:
                message = "the bank's hidden card was never shown, and hands or insurance wait for it"
                yield Violation(HOLE_CARD_NOT_OPENED.code, article, message, HIDDEN)
        if not self.hand.known:
            return
        drawing, hand = rules.regulation.drawing, self.hand
        points = drawing.bank_points(hand, rules)
        if self.must_draw(awaited, rules):
            message = f"the bank must draw on {points} and did not: the wagers are settled on the cards as they are"
            yield Violation(BANK_DID_NOT_DRAW.code, drawing.cite(*drawing.bank), message, LAST_CARD)
        if hand.called is Called.NOTHING and TOTALS in rules.recorded and drawing.calls_bank(rules):
            rules.readings("BJ-33")
            message = f"the bank's total of {points} was not called"
            yield Violation(BANK_TOTAL_NOT_CALLED.code, _called(rules), message, LAST_CARD)

    def must_draw(self, awaited: str, rules: Rules) -> bool:
        """Whether the bank must take another card: its second one always, others where a hand waits, or always (BJ-8)."""
        drawing, hand = rules.regulation.drawing, self.hand
        if hand.cards < 2:
            return True
        if not hand.known or not drawing.bank_must_draw(hand, rules):
            return False
        return awaited == HAND_AWAITED or drawing.bank_plays_out(rules)


_WHY: Final = {
    HAND_AWAITED: "hands wait for the bank",
    NATURAL_AWAITED: "money hangs on whether the bank has Black Jack",
    NOT_AWAITED: "the bank plays out",
}


def _must_show(awaited: str, rules: Rules) -> bool:
    """Art. 7(1): whether the bank must show its hand. BJ-8: only where a bet, even the insurance, is undecided, or always."""
    return awaited != NOT_AWAITED or rules.regulation.drawing.bank_plays_out(rules)


def _called(rules: Rules) -> str:
    """The citation of the rule that cards are shown and totals called."""
    busting = rules.regulation.busting
    return busting.cite(*busting.called)
