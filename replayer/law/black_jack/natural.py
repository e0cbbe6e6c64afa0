"""Black Jack (PT «Black Jack», ZH 《Black Jack》): art. 10, an ace with a ten-value card in the first two cards."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from replayer.law.black_jack.hand import Hand
from replayer.law.black_jack.outcome import BankOutcome
from replayer.law.black_jack.points import MOST
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.seat import Seat
from replayer.law.provision import Paragraph, Provision
from replayer.machine import Violation
from replayer.symbols import BANK_OPEN, HOLE_CHECKED
from replayer.wagers import ONE_TO_ONE, Due
from schemas.finding import Severity, declare

EVEN_MONEY_REFUSED: Final = declare(
    "EVEN_MONEY_REFUSED", Severity.PROCEDURE, "Even money asked for without the right to it"
)
EVEN_MONEY_LATE: Final = declare("EVEN_MONEY_LATE", Severity.PROCEDURE, "Even money asked for too late")


@dataclass(frozen=True)
class BlackJack(Provision):
    """Art. 10: what Black Jack is, what it pays, how it compares, and what the bank may offer to doubled bets.

    Attributes:
        pays: its odds, to one.
        even_against: the bank's open cards against which even money may be asked for.
        offers_relief: whether art. 10(7) lets the bank return doubled bets.
        split_21_in_doubt: whether the text leaves open how 21 in two cards on split bets compares with Black Jack (BJ-9).
    """

    pays: Fraction = Fraction(3, 2)
    even_against: str = "AT"
    offers_relief: bool = True
    split_21_in_doubt: bool = True
    definition: Paragraph = (1,)
    wins: Paragraph = (2,)
    even_money: Paragraph = (3,)
    other_21: Paragraph = (4,)
    beats_21: Paragraph = (5,)
    of_bank: Paragraph = (6,)
    relief: Paragraph = (7,)

    def odds(self, rules: Rules) -> Fraction:
        """What it wins, to one."""
        return self.pays

    def due(self, bank: BankOutcome | None, rules: Rules) -> Due:
        """What Black Jack is due against ``bank``; None stands for a bank that cannot have Black Jack."""
        if bank is not None and bank.natural:
            return rules.regulation.ties.of_naturals()
        article = self.cite(*(self.beats_21 if bank is not None and bank.points == MOST else self.wins))
        odds = self.odds(rules)
        return Due.of(odds, article, f"Black Jack, and the bank has none: {odds} to 1")

    def may_ask_even_money(self, rules: Rules) -> bool:
        """Whether a player with Black Jack may ask for even money at all."""
        return True

    def even_money_refusal(self, seat: Seat, hand: Hand, rules: Rules) -> Violation | None:
        """Art. 10(3): why one to one may not be asked for; None where it may."""
        if self.may_ask_even_money(rules) and hand.natural and seat.upcard in self.even_against + "?":
            return None
        message = "only a player with Black Jack may ask, when the bank's open card is an ace, a ten or a figure"
        return Violation(EVEN_MONEY_REFUSED.code, self.cite(*self.even_money), message)

    def even_money_lapsed(self, moment: int, rules: Rules) -> Violation | None:
        """Why it was asked for too late to count. BJ-14: the text sets no time."""
        if not moment & (BANK_OPEN | HOLE_CHECKED) or rules.readings("BJ-14") == "any":
            return None
        message = "asked for when the bank's second card was known"
        return Violation(EVEN_MONEY_LATE.code, self.cite(*self.even_money), message)

    def even_money_due(self) -> Due:
        """One to one at once, whatever the bank gets."""
        return Due.of(ONE_TO_ONE, self.cite(*self.even_money), "even money was asked for: 1 to 1 at once")

    def of_other_21(self, shown: str) -> Due:
        """10(4): what 21 without Black Jack is due that beats the bank, one to one."""
        return Due.of(ONE_TO_ONE, self.cite(*self.other_21), f"{shown}: 1 to 1")
