"""Insurance (PT aposta de seguro, ZH 保險投注): art. 12, a wager on the bank's Black Jack when an ace lies open."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from replayer.law.black_jack.outcome import BankOutcome
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.seat import Seat
from replayer.law.provision import Paragraph, Provision
from replayer.machine import Violation
from replayer.wagers import Due
from schemas.finding import Severity, declare

INSURANCE_REFUSED: Final = declare("INSURANCE_REFUSED", Severity.PROCEDURE, "Insurance though no ace lay open")


@dataclass(frozen=True)
class Insurance(Provision):
    """Art. 12: the wager, its limits, what it pays.

    Attributes:
        pays: its odds, to one.
        has_floor: whether the text sets a minimum; 141/2000 sets only a maximum.
    """

    pays: Fraction = Fraction(2)
    has_floor: bool = True
    amount: Paragraph = (1,)
    won: Paragraph = (2,)
    lost: Paragraph = (3,)

    def odds(self, rules: Rules) -> Fraction:
        """What it wins, to one."""
        return self.pays

    def refusal(self, seat: Seat) -> Violation | None:
        """Why it may not be placed; None where it may."""
        if seat.upcard in ("A", "?"):
            return None
        return Violation(INSURANCE_REFUSED.code, self.cite(*self.amount), "the bank's open card is no ace")

    def part_accepted(self, rules: Rules) -> tuple[Fraction, Fraction]:
        """The least and the greatest part of the original stake that the bank accepts, as elected."""
        least, greatest = rules.options.insurance_accepts
        return (least if self.has_floor else Fraction(0)), greatest

    def name_doubts(self, rules: Rules) -> None:
        """Consult the settled rulings on which a payment rests.

        BJ-17: the text's "double" is what is won, the stake comes back in addition. BJ-18: insurance also wins where a
        look at the hidden card finds the Black Jack before the players act.
        """
        rules.readings("BJ-17")
        if rules.options.checks_hole:
            rules.readings("BJ-18")

    def due(self, bank: BankOutcome | None, rules: Rules) -> Due:
        """What insurance is due."""
        if bank is None:
            return Due(None, self.cite(*self.lost), unjudged="whether the bank has Black Jack is not known")
        if not bank.natural:
            return Due.of(Fraction(-1), self.cite(*self.lost), "the bank has no Black Jack: insurance is lost")
        self.name_doubts(rules)
        article, odds = self.cite(*self.won), self.odds(rules)
        return Due.of(odds, article, f"the bank has Black Jack: insurance pays {odds} to 1")

    def collects(self) -> str:
        """The citation of the rule by which a bank with Black Jack takes the bets of players without."""
        return self.cite(*self.won)
