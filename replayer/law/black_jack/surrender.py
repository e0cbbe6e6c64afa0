"""Surrender (PT desistência, ZH 放棄牌局): art. 18, half of the bet is lost and the hand is out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from replayer.game import ADDITIONAL_CARD, HOLE_CHECKED, Breach, Due, Rules, Step
from replayer.law.black_jack.hand import Hand, Seat, by_reading
from replayer.law.black_jack.outcome import NATURAL, HandOutcome
from replayer.law.black_jack.shuffling import Path
from replayer.law.provision import Provision
from schemas.finding import Severity, declare

SURRENDER_REFUSED: Final = declare("SURRENDER_REFUSED", Severity.PROCEDURE, "A surrender that the rules do not allow")
SURRENDER_LATE: Final = declare("SURRENDER_LATE", Severity.PROCEDURE, "A surrender after an additional card")
SURRENDER_EARLY: Final = declare(
    "SURRENDER_EARLY", Severity.PROCEDURE, "A surrender before the hidden card was checked"
)


@dataclass(frozen=True)
class Surrender(Provision):
    """Art. 18: not against an ace, before any additional card, irrevocable."""

    loses: Fraction = Fraction(1, 2)
    right: Path = (1,)
    time: Path = (2,)
    streaks: Path = (3,)

    def refusal(self, seat: Seat, hand: Hand, rules: Rules) -> Breach | None:
        """Why a hand may not be surrendered; None where it may, its moment apart. BJ-66: never a split hand."""
        article = self.cite(*self.right)
        if not rules.options.surrender:
            return Breach(SURRENDER_REFUSED.code, article, "the house offers no surrender")
        if seat.upcard == "A" and not self.against_ace(rules):
            return Breach(SURRENDER_REFUSED.code, article, "the bank's open card is an ace")
        if hand.split or hand.acted or len(hand.ranks) != 2:
            message = "a hand is surrendered with its first two cards, before anything else"
            return Breach(SURRENDER_REFUSED.code, self.cite(*self.time), message)
        return None

    def against_ace(self, rules: Rules) -> bool:
        """Whether it is open against an ace."""
        return False

    def untimely(self, seat: Seat, moment: int, rules: Rules) -> Breach | None:
        """Why a surrender came at the wrong moment; it is settled all the same.

        BJ-66: before any additional card of the table, or only of the own hand. BJ-67: with a hidden card to be checked
        first, after the check.
        """
        article = self.cite(*self.time)
        if moment & ADDITIONAL_CARD and rules.readings("BJ-66") == "table":
            return Breach(SURRENDER_LATE.code, article, "the bank had dealt an additional card")
        if self.before_check(seat, moment, rules) and rules.readings("BJ-67") == "after_peek":
            return Breach(SURRENDER_EARLY.code, article, "the bank checks its hidden card first")
        return None

    def before_check(self, seat: Seat, moment: int, rules: Rules) -> bool:
        """Whether the bank had yet to look at a hidden card that could make its Black Jack."""
        return bool(rules.options.checks_hole and seat.upcard in "AT" and not moment & HOLE_CHECKED)

    def due(self, hand: HandOutcome, bank: str, rules: Rules) -> Due:
        """Half is lost. BJ-67: one that came before the check is none against the bank's Black Jack, or is one.

        Where it is none, a hand that has Black Jack as well ties.
        """
        article = self.cite(*self.right)
        odds = -self.loses
        if hand.early and bank == NATURAL:
            odds = by_reading(rules.readings, "BJ-67", after_peek=Fraction(0 if hand.natural else -1), before_peek=odds)
        return Due(odds, article, (Step(article, f"surrendered: {-odds} of the stake is lost"),))
