"""Claims to money on a hand: the special prize (art. 15), surrender (art. 18) and half for five cards (art. 19)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from replayer.contract.machine import Violation, Violations
from replayer.contract.outcomes import Breach, Step
from replayer.contract.symbols import ADDITIONAL_CARD, BANK_OPEN, HOLE_CHECKED
from replayer.contract.wagers import LOST, Due, Timing
from replayer.law.black_jack.hand import Hand, Seat
from replayer.law.black_jack.outcome import BANK_NATURAL, BankOutcome, HandOutcome
from replayer.law.black_jack.points import SIX_SEVEN_EIGHT, THREE_SEVENS
from replayer.law.black_jack.rules import Rules
from replayer.law.regulation import Paragraph, Provision
from schemas.cards import UNKNOWN_SUIT
from schemas.finding import of_procedure

FIVE_CARDS_REFUSED: Final = of_procedure("FIVE_CARDS_REFUSED", "Half asked for without five cards or against an ace")
FIVE_CARDS_LATE: Final = of_procedure("FIVE_CARDS_LATE", "Half for five cards asked for too late")
PRIZE_REFUSED: Final = of_procedure("PRIZE_REFUSED", "A special prize asked for without its cards")
PRIZE_LATE: Final = of_procedure("PRIZE_LATE", "A special prize not paid at once")
SURRENDER_REFUSED: Final = of_procedure("SURRENDER_REFUSED", "A surrender that the rules do not allow")
SURRENDER_LATE: Final = of_procedure("SURRENDER_LATE", "A surrender after an additional card")
SURRENDER_EARLY: Final = of_procedure("SURRENDER_EARLY", "A surrender before the hidden card was checked")

CLAIM: Final = "claim"
"""Mark: the last claim to a special prize."""


@dataclass(frozen=True)
class SpecialPrize(Provision):
    """Art. 15: a suited 6-7-8, or three sevens, wins three times the bet at once, even against an ace."""

    times: int = 3

    def holds(self, hand: Hand, rules: Rules) -> bool | None:
        """Whether a hand has the cards; None where a suit that decides it is not on the log. BJ-57: the order of the cards makes
        no difference and they are all of one hand; "same suit" goes with 6-7-8."""
        cards = hand.cards
        if cards.prize not in (SIX_SEVEN_EIGHT, THREE_SEVENS) or not rules.options.special_prizes:
            return False
        if cards.prize == SIX_SEVEN_EIGHT and (not cards.suits or UNKNOWN_SUIT in cards.suits):
            return None
        return not hand.split or rules.readings("BJ-57a") != "no"

    def is_taken(self, hand: Hand, rules: Rules) -> bool:
        """Whether a hand that has the cards takes the prize. BJ-56: by itself, or only when asked for."""
        return rules.readings("BJ-56") == "yes" if hand.prize is None else hand.prize

    def of_hand(self, hand: Hand, rules: Rules) -> tuple[bool | None, Violations]:
        """Whether a hand takes the prize; None where that is unknown."""
        held = self.holds(hand, rules)
        if held:
            return self.is_taken(hand, rules), ()
        if held is None or not hand.prize:
            return held, ()
        article, why = self.cite(), "6-7-8 of one suit and three sevens earn one"
        if not rules.options.special_prizes:
            article, why = rules.regulation.waived(self) or article, "the house gives none"
        elif hand.cards.prize in (SIX_SEVEN_EIGHT, THREE_SEVENS):
            why = "grown from a separated pair"  # BJ-57a
        return False, (Violation(PRIZE_REFUSED, article, f"{{cards}} earns no special prize: {why}", CLAIM),)

    def closes(self, hand: HandOutcome, rules: Rules) -> bool:
        """Whether a hand is over with its prize. BJ-55: in lieu of the win, or beside what its 21 brings."""
        return bool(hand.prize) and rules.readings("BJ-55") == "in_lieu"

    def due(self, rules: Rules, otherwise: Callable[[], Due], *, double: bool) -> Due:
        """What a stake on a hand with the prize is due; ``double`` where it is the stake of a double.

        ``otherwise`` gives what the stake is due on the hand as an ordinary 21.

        BJ-55: in lieu of the win, or in addition to it. BJ-57b: the base is what lies on the hand, or the initial bet.
        """
        article = self.cite()
        prize = Fraction(self.times)
        if double:
            prize = rules.readings.answer("BJ-57b", hand_stake=prize, initial=Fraction(0))
        late = Breach(PRIZE_LATE, article, "the special prize is due at once, and was paid when play had gone on")
        recorded = rules.records("deal_order")
        steps = (Step(article, f"special prize: {prize} to 1 at once"),)
        in_lieu = Due(prize, article, steps, timing=Timing(late) if recorded else None)
        if rules.readings("BJ-55") == "in_lieu":
            return in_lieu
        played = otherwise()
        if played.odds is None:
            return played
        return Due(prize + played.odds, article, (*in_lieu.steps, *played.steps))


@dataclass(frozen=True)
class Surrender(Provision):
    """Art. 18 (PT desistência, ZH 放棄牌局): a player may give up half of the bet, not against an ace, before any additional
    card, irrevocably.

    Half is a right, and three things can be wrong with a surrender that the dealer accepted:

    - There is no right to it: an ace lies open (18(1)), the house has waived art. 18 (21(2)), the hand is one of a separated
      pair or has been played on, or it is too late by every reading of 18(2): the hand had an additional card, or the bank's
      second card is known, because it lies open, or because the look at it found Black Jack and the bank collects at once
      (5(2)(3)(4)). It then counts for nothing: the bank's Black Jack takes the whole bet (12(2)); without it, what the hand is
      due is X-6.
    - Another seat had its additional card, and this hand none. Whether that is too late is BJ-66: it is a matter of procedure,
      so that there is a finding and the surrender stands.
    - It came before the look at a hidden card. It waits for that look (BJ-67): Black Jack takes the whole bet, else half.

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
            return Violation(SURRENDER_REFUSED, waived, "the house offers no surrender")
        if seat.upcard == "A" and not self.against_ace(rules):
            return Violation(SURRENDER_REFUSED, article, "the bank's open card is an ace")
        known, more = moment & BANK_OPEN, hand.cards.size > 2
        if (known or more) and not hand.split and self.has_deadline:
            message = "the hand had an additional card" if more else "the bank's second card was known"
            return Violation(SURRENDER_LATE, self.cite(*self.time), message)
        if hand.split or hand.acted or hand.cards.size != 2:
            message = "a hand is surrendered with its first two cards, before anything else"
            return Violation(SURRENDER_REFUSED, self.cite(*self.time), message)
        return None

    def against_ace(self, rules: Rules) -> bool:
        """Whether it is open against an ace."""
        return False

    def is_half_without_right(self, rules: Rules) -> bool:
        """X-6: whether a surrender accepted without the right to it is worth half where the bank has no Black Jack. The hand is
        settled on its cards otherwise."""
        return self.half_in_doubt and rules.readings("X-6") == "half"

    def due(self, hand: HandOutcome, bank: BankOutcome | None, rules: Rules) -> Due:
        """Half is lost. BJ-67: whether a surrender before the check counts against the bank's Black Jack. Where it does not, a
        hand that has Black Jack as well ties."""
        law, article = rules.regulation, self.cite(*self.right)
        if not (hand.early and bank == BANK_NATURAL) or rules.readings("BJ-67") == "before_peek":
            return Due.of(-self.loses, article, f"surrendered: {self.loses} of the stake is lost")
        if hand.natural:
            return law.natural.due(bank, rules)
        article = law.insurance.cite(*law.insurance.won)
        return Due.of(LOST, article, "surrendered before the look that found Black Jack: lost")

    def untimely(self, seat: Seat, moment: int, rules: Rules) -> Violation | None:
        """Why a surrender came at the wrong moment; it is settled all the same. BJ-66: before any additional card of the table,
        or only of the own hand. BJ-67: with a hidden card to be checked first, after the check."""
        if not self.has_deadline:
            return None
        article = self.cite(*self.time)
        if moment & ADDITIONAL_CARD and rules.readings("BJ-66") == "table":
            return Violation(SURRENDER_LATE, article, "the bank had dealt an additional card")
        early = rules.records("hole_check") and self.before_check(seat, moment, rules)
        if early and rules.readings("BJ-67") == "after_peek":
            return Violation(SURRENDER_EARLY, article, "the bank checks its hidden card first")
        return None

    def before_check(self, seat: Seat, moment: int, rules: Rules) -> bool:
        """Whether the bank had yet to look at a hidden card that could make its Black Jack."""
        open_ = self.has_deadline and rules.options.checks_hole
        return open_ and seat.upcard in "AT" and not moment & HOLE_CHECKED


@dataclass(frozen=True)
class FiveCards(Provision):
    """Art. 19: five cards not over 21, and no ace open: the player may ask for half of the bet (ZH 五張紙牌)."""

    claim: Paragraph = (1,)

    def offered(self, rules: Rules) -> bool:
        """Whether a player may ask for half at all."""
        return True

    def refusal(self, seat: Seat, hand: Hand, rules: Rules) -> Violation | None:
        """Why half may not be asked for; None where it may."""
        message = "half may be asked for with exactly five cards not over 21"
        if not self.offered(rules):
            message = "the house offers no half for five cards"
        elif seat.upcard == "A":
            message = "the bank's open card is an ace"
        elif hand.cards.five and not hand.doubled and not hand.asked:
            return None
        return Violation(FIVE_CARDS_REFUSED, self.cite(*self.claim), message)

    def lateness(self, moment: int, rules: Rules) -> Violation | None:
        """Why it was asked for too late. BJ-70a: before the bank's second card lies open."""
        if not moment & BANK_OPEN:
            return None
        rules.readings("BJ-70a")
        message = "asked for when the bank's second card was known"
        return Violation(FIVE_CARDS_LATE, self.cite(*self.claim), message)

    def untold(self, hand: HandOutcome, rules: Rules) -> bool:
        """Whether it is not told who asked for half. BJ-70b: on a shared seat the decider asks for all, or each bettor for
        himself, which a seat's history does not show."""
        return hand.shared and rules.readings("BJ-70b") == "each"

    def due(self, hand: HandOutcome, rules: Rules) -> Due:
        """BJ-69: half is won and the stake comes back, or half of the stake comes back."""
        article = self.cite(*self.claim)
        if self.untold(hand, rules):
            return Due(None, article, unjudged="which of the bettors on the seat asked for half is not told")
        odds = rules.readings.answer("BJ-69", plus_half=Fraction(1, 2), return_half=Fraction(-1, 2))
        return Due.of(odds, article, f"half for five cards was asked for: {odds} to 1")
