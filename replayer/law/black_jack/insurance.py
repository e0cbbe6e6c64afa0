"""Insurance (PT aposta de seguro, ZH 保險投注): art. 12, a wager on the bank's Black Jack when an ace lies open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from replayer.contract.machine import Violation
from replayer.contract.outcomes import Breach
from replayer.contract.symbols import ADDITIONAL_CARD, BANK_DEALT, CARD_DEALT, HOLE_CHECKED
from replayer.contract.wagers import LOST, Due, StakeSituation
from replayer.law.black_jack.deadlines import WAGER_TOO_EARLY, WAGER_TOO_LATE, bank_known, before_cards
from replayer.law.black_jack.hand import Seat
from replayer.law.black_jack.outcome import BankOutcome
from replayer.law.black_jack.rules import Rules
from replayer.law.regulation import Paragraph, Provision
from replayer.law.untimely import of_excess
from schemas.finding import of_money, of_procedure
from schemas.money import format_amount

INSURANCE_BOUNDS: Final = of_money("INSURANCE_BOUNDS", "An insurance beyond its bounds")
INSURANCE_REFUSED: Final = of_procedure("INSURANCE_REFUSED", "Insurance though no ace lay open")


@dataclass(frozen=True)
class Insurance(Provision):
    """Art. 12: the wager, its limits, what it pays.

    Attributes:
        pays: its odds, to one.
        has_floor: whether the text sets a minimum; 141/2000 sets only a maximum.
        odds_in_doubt: whether the text leaves open what its "double" is (BJ-17), and where else it wins (BJ-18).
    """

    pays: Fraction = Fraction(2)
    has_floor: bool = True
    odds_in_doubt: bool = True
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
        return Violation(INSURANCE_REFUSED, self.cite(*self.amount), "the bank's open card is no ace")

    def of_stake(self, stake: StakeSituation, base: int, rules: Rules) -> Iterator[Breach]:
        """12(1): the breach of an amount that the bank does not accept; BJ-15: or up to a ceiling within that span."""
        least, most = rules.options.insurance_accepts
        least, amount = least if self.has_floor else Fraction(0), stake.total_minor
        if not stake.beyond(least * base, most * base):
            return
        if amount < least * base and rules.readings("BJ-15") == "ceiling":
            return
        message = f"insurance of {format_amount(amount)} on {format_amount(base)}: {least} to {most} of it is accepted"
        yield Breach(INSURANCE_BOUNDS, self.cite(*self.amount), message + of_excess(stake, most * base))

    def article(self, rules: Rules) -> str:
        """12(1): the citation of the rule by which it is placed."""
        return self.cite(*self.amount)

    def in_time(self, stake: StakeSituation, rules: Rules) -> Breach | None:
        """12(1): the breach of placing it before any card, or when the bank's second one was known. BJ-16: no deadline is stated;
        once the hidden card was checked there is nothing left to insure."""
        article, moment = self.cite(*self.amount), stake.moment
        if untimely := before_cards(stake, article) or bank_known(stake, article):
            return untimely
        if moment & HOLE_CHECKED:
            return Breach(WAGER_TOO_LATE, article, "placed after the hole card was checked")
        if moment & ADDITIONAL_CARD and rules.readings("BJ-16") == "before_additional_card":
            return Breach(WAGER_TOO_LATE, article, "placed after the first additional card")
        return None

    def early(self, stake: StakeSituation, rules: Rules) -> Iterator[Breach]:
        """12(1): the breach of placing it before the bank's first card, which makes it possible. Apart from :meth:`in_time`, by
        which a wager that comes after the first card is late."""
        dealt_to = stake.moment & (CARD_DEALT | BANK_DEALT)
        if dealt_to == CARD_DEALT and rules.records("deal_order", "times"):
            yield Breach(WAGER_TOO_EARLY, self.cite(*self.amount), "placed before the bank's first card was dealt")

    def due(self, bank: BankOutcome | None, rules: Rules) -> Due:
        """What insurance is due. BJ-17: the text's "double" is what is won, the stake comes back in addition. BJ-18: it also wins
        where a look at the hidden card finds the Black Jack before the players act."""
        if bank is None:
            return Due(None, self.cite(*self.lost), unjudged="whether the bank has Black Jack is not known")
        if not bank.natural:
            return Due.of(LOST, self.cite(*self.lost), "the bank has no Black Jack: insurance is lost")
        if self.odds_in_doubt:
            rules.readings("BJ-17")
            if rules.options.checks_hole:
                rules.readings("BJ-18")
        article, odds = self.cite(*self.won), self.odds(rules)
        return Due.of(odds, article, f"the bank has Black Jack: insurance pays {odds} to 1")
