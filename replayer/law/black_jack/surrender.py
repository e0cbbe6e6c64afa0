"""Surrender (PT desistência, ZH 放棄牌局): art. 18, half of the bet is lost and the hand is out.

Half is a right, and three things can be wrong with a surrender that the dealer accepted:

- There is no right to it: an ace lies open (18(1)), the house has waived art. 18 (21(2)), the hand is one of a separated
  pair or has been played on, or it is too late by every reading of 18(2): the hand had an additional card, or the bank's
  second card is known, because it lies open, or because the look at it found Black Jack and the bank collects at once
  (5(2)(3)(4)). It then counts for nothing: the bank's Black Jack takes the whole bet (12(2)); without it, what the hand is
  due is X-6.
- Another seat had its additional card, and this hand none. Whether that is too late is BJ-66: it is a matter of procedure,
  so that there is a finding and the surrender stands.
- It came before the look at a hidden card. It waits for that look (BJ-67): Black Jack takes the whole bet, else half.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from replayer.contract.machine import Violation
from replayer.contract.symbols import ADDITIONAL_CARD, BANK_OPEN, HOLE_CHECKED
from replayer.contract.wagers import LOST, Due
from replayer.law.black_jack.hand import Hand, Seat
from replayer.law.black_jack.outcome import BANK_NATURAL, BankOutcome, HandOutcome
from replayer.law.black_jack.rules import Rules
from replayer.law.provision import Paragraph, Provision
from schemas.finding import Severity, declare

SURRENDER_REFUSED: Final = declare("SURRENDER_REFUSED", Severity.PROCEDURE, "A surrender that the rules do not allow")
SURRENDER_LATE: Final = declare("SURRENDER_LATE", Severity.PROCEDURE, "A surrender after an additional card")
SURRENDER_EARLY: Final = declare(
    "SURRENDER_EARLY", Severity.PROCEDURE, "A surrender before the hidden card was checked"
)


@dataclass(frozen=True)
class Surrender(Provision):
    """Art. 18: a player may give up half of the bet, not against an ace, before any additional card, irrevocably.

    Attributes:
        loses: the part of the stake that is lost.
        has_deadline: whether it must come before any additional card, and may have to wait for the look at a hidden one.
        half_in_doubt: whether it is open what one accepted without the right to it is worth (X-6).
    """

    loses: Fraction = Fraction(1, 2)
    has_deadline: bool = True
    half_in_doubt: bool = True
    right: Paragraph = (1,)
    time: Paragraph = (2,)
    streaks: Paragraph = (3,)

    def refusal(self, seat: Seat, hand: Hand, moment: int, rules: Rules) -> Violation | None:
        """Why there is no right to surrender a hand; None where there is, or was for this hand. BJ-66: never a split hand."""
        article = self.cite(*self.right)
        if not rules.options.surrender:
            waived = rules.regulation.waived(self) or article
            return Violation(SURRENDER_REFUSED.code, waived, "the house offers no surrender")
        if seat.upcard == "A" and not self.against_ace(rules):
            return Violation(SURRENDER_REFUSED.code, article, "the bank's open card is an ace")
        known, more = moment & BANK_OPEN, hand.cards.size > 2
        if (known or more) and not hand.split and self.has_deadline:
            message = "the hand had an additional card" if more else "the bank's second card was known"
            return Violation(SURRENDER_LATE.code, self.cite(*self.time), message)
        if hand.split or hand.acted or hand.cards.size != 2:
            message = "a hand is surrendered with its first two cards, before anything else"
            return Violation(SURRENDER_REFUSED.code, self.cite(*self.time), message)
        return None

    def against_ace(self, rules: Rules) -> bool:
        """Whether it is open against an ace."""
        return False

    def is_half_without_right(self, rules: Rules) -> bool:
        """X-6: whether a surrender accepted without the right to it is worth half where the bank has no Black Jack.

        The hand is settled on its cards otherwise.
        """
        return self.half_in_doubt and rules.readings("X-6") == "half"

    def due(self, hand: HandOutcome, bank: BankOutcome | None, rules: Rules) -> Due:
        """Half is lost. BJ-67: whether a surrender before the check counts against the bank's Black Jack.

        Where it does not, a hand that has Black Jack as well ties.
        """
        law, article = rules.regulation, self.cite(*self.right)
        if not (hand.early and bank == BANK_NATURAL) or rules.readings("BJ-67") == "before_peek":
            return Due.of(-self.loses, article, f"surrendered: {self.loses} of the stake is lost")
        if hand.natural:
            return law.natural.due(bank, rules)
        return Due.of(LOST, law.insurance.collects(), "surrendered before the look that found Black Jack: lost")

    def untimely(self, seat: Seat, moment: int, rules: Rules) -> Violation | None:
        """Why a surrender came at the wrong moment; it is settled all the same.

        BJ-66: before any additional card of the table, or only of the own hand. BJ-67: with a hidden card to be checked
        first, after the check.
        """
        if not self.has_deadline:
            return None
        article = self.cite(*self.time)
        if moment & ADDITIONAL_CARD and rules.readings("BJ-66") == "table":
            return Violation(SURRENDER_LATE.code, article, "the bank had dealt an additional card")
        early = rules.records("hole_check") and self.before_check(seat, moment, rules)
        if early and rules.readings("BJ-67") == "after_peek":
            return Violation(SURRENDER_EARLY.code, article, "the bank checks its hidden card first")
        return None

    def before_check(self, seat: Seat, moment: int, rules: Rules) -> bool:
        """Whether the bank had yet to look at a hidden card that could make its Black Jack."""
        open_ = self.has_deadline and rules.options.checks_hole
        return open_ and seat.upcard in "AT" and not moment & HOLE_CHECKED
