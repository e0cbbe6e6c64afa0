"""What cards are worth and which hand wins: arts. 8 to 11.

The articles are cited as in 56/2004 and 57/2009; other instruments number them otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from replayer.contract.machine import Violation
from replayer.contract.outcomes import Breach, Step
from replayer.contract.symbols import BANK_OPEN, HOLE_CHECKED
from replayer.contract.wagers import LOST, ONE_TO_ONE, RETURNED, Due
from replayer.law.black_jack.bank import BankHand
from replayer.law.black_jack.hand import Hand, Seat
from replayer.law.black_jack.outcome import INITIAL, BankOutcome, HandOutcome, SeatOutcome, Stake
from replayer.law.black_jack.points import MOST, CalledTotal
from replayer.law.black_jack.rules import Rules
from replayer.law.codes import LAW_TEXT_UNVERIFIED
from replayer.law.regulation import Paragraph, Provision
from schemas.finding import of_procedure

EVEN_MONEY_REFUSED: Final = of_procedure("EVEN_MONEY_REFUSED", "Even money asked for without the right to it")
EVEN_MONEY_LATE: Final = of_procedure("EVEN_MONEY_LATE", "Even money asked for too late")


@dataclass(frozen=True)
class CardValues(Provision):
    """Art. 8: the ace is 1 or 11 as the player chooses, figures are 10, other cards their pips."""

    def counts(self, cards: str, points: int) -> Step:
        """What a hand counts, for the explanation."""
        return Step(self.cite(), f"{cards} counts {points}")

    def of_player(self, hand: Hand, rules: Rules) -> int:
        """A player's points; BJ-6: the best total, or the one that was announced for a hand with an ace."""
        cards = hand.cards
        if not (cards.soft and hand.called is CalledTotal.HARD):
            return cards.best
        return rules.readings.answer("BJ-6", best=cards.best, declared=cards.hard)

    def of_bank(self, hand: BankHand, rules: Rules) -> int:
        """The bank's points; the article gives the choice to the player only. BJ-5: 11 unless that busts, or as called.

        Black Jack is 21 whatever was called.
        """
        if hand.natural or not (hand.soft and hand.called is CalledTotal.HARD):
            return hand.best
        return rules.readings.answer("BJ-5", best=hand.best, choice_logged=hand.hard)


@dataclass(frozen=True)
class HigherWins(Provision):
    """Art. 9: more points than the bank win, fewer lose.

    Attributes:
        unwritten: the ruling that a win is paid one to one and a bank over 21 loses, which no text says; empty without doubt.
    """

    unwritten: str = "X-4"

    def due(self, points: int, bank: int, shown: str) -> Due:
        """What a hand is due that has other ``points`` than the ``bank``; ``shown`` is the comparison in words."""
        if bank > MOST or points > bank:
            return Due.of(ONE_TO_ONE, self.cite(), f"{shown}: 1 to 1{self.unwritten and f' ({self.unwritten})'}")
        return Due.of(LOST, self.cite(), f"{shown}: lost")


@dataclass(frozen=True)
class BlackJack(Provision):
    """Art. 10: what Black Jack is, what it pays, how it compares, and what the bank may offer to doubled bets.

    Attributes:
        pays: its odds, to one.
        split_21_in_doubt: whether the text leaves open how 21 in two cards on split bets compares with Black Jack (BJ-9).
    """

    pays: Fraction = Fraction(3, 2)
    split_21_in_doubt: bool = True
    definition: Paragraph = (1,)
    wins: Paragraph = (2,)
    even_money: Paragraph = (3,)
    other_21: Paragraph = (4,)
    beats_21: Paragraph = (5,)
    of_bank: Paragraph = (6,)
    relief: Paragraph = (7,)

    def defines(self, cards: str) -> Step:
        """10(1): that a hand is Black Jack, for the explanation."""
        return Step(self.cite(*self.definition), f"{cards} is Black Jack")

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
        message = "only a player with Black Jack may ask for even money"
        if not self.may_ask_even_money(rules):
            message = "the house offers no even money"
        elif hand.cards.may_be_natural and not hand.split:
            if seat.upcard in "AT?":
                return None
            message = "the bank's open card is neither an ace nor a ten or a figure"
        return Violation(EVEN_MONEY_REFUSED, self.cite(*self.even_money), message)

    def even_money_lapsed(self, moment: int, rules: Rules) -> Violation | None:
        """Why it was asked for too late to count. BJ-14: the text sets no time."""
        if not moment & (BANK_OPEN | HOLE_CHECKED) or rules.readings("BJ-14") == "any":
            return None
        message = "asked for when the bank's second card was known"
        return Violation(EVEN_MONEY_LATE, self.cite(*self.even_money), message)

    def even_money_due(self) -> Due:
        """One to one at once, whatever the bank gets."""
        return Due.of(ONE_TO_ONE, self.cite(*self.even_money), "even money was asked for: 1 to 1 at once")

    def of_other_21(self, shown: str) -> Due:
        """10(4): what 21 without Black Jack is due that beats the bank, one to one."""
        return Due.of(ONE_TO_ONE, self.cite(*self.other_21), f"{shown}: 1 to 1")

    def after_split(self, cards: str) -> Step:
        """10(6): that 21 on split bets is no Black Jack, for the explanation."""
        return Step(self.cite(*self.of_bank), f"{cards} of a split counts 21 and is no Black Jack")

    # What the bank's Black Jack takes

    def against_bank_natural(self, seat: SeatOutcome, stake: Stake, rules: Rules) -> Due:
        """10(6): what a stake is due against the bank's Black Jack, which beats 21 too; below 21 art. 12(2) has the bet taken.
        Only the initial one is lost where arts. 16(6) and 17(3) or 10(7) spare split or doubled bets."""
        law, hands, hand = rules.regulation, seat.hands, seat.hands[stake.hand]
        lose = odds = self._odds_against_natural(seat, stake, rules, ties=False)
        if self.split_21_in_doubt and any(each.split_21 for each in hands):
            odds = rules.readings.answer(
                "BJ-9", lose=lose, tie=self._odds_against_natural(seat, stake, rules, ties=True)
            )
        surely_lost = _is_surely_lost(stake, self.stakes(seat, rules), hands)
        breaches = () if surely_lost else tuple(_unverified(stake, hand, rules))
        if odds == LOST:
            if rules.options.deal_procedure == 3:
                rules.readings("BJ-20")  # of the seat's wagers only the main one is collected at once
            lost = self.cite(*self.of_bank) if hand.points == MOST else law.insurance.cite(*law.insurance.won)
            if hand.bust:
                lost = law.scoring.cite(*law.scoring.bust)
            why = "over 21" if hand.bust else "the bank has Black Jack"
            return Due(LOST, lost, (Step(lost, f"{why}: lost"),), breaches=breaches)
        if odds != lose and hand.split_21:
            return law.ties.of_points("21 against 21")
        article = law.splitting.cite(*law.splitting.relief)
        if stake.double:
            article = law.doubling.relief_article(hand.doubled, rules)
        others = "" if hand.split_21 else "only the initial bet is lost, "  # by either reading of BJ-9
        step = Step(article, f"the bank has Black Jack: {others}this stake goes back")
        return Due(odds, article, (step,), breaches=breaches)

    def _odds_against_natural(self, seat: SeatOutcome, stake: Stake, rules: Rules, *, ties: bool) -> Fraction:
        """What a stake is due against the bank's Black Jack; ``ties`` is whether a split 21 in two cards ties with it."""
        law, hands = rules.regulation, seat.hands
        if ties and hands[stake.hand].split_21:
            return RETURNED
        stakes = [each for each in self.stakes(seat, rules) if not (ties and hands[each.hand].split_21)]
        if _is_surely_lost(stake, stakes, hands) or (stake != INITIAL and not _is_spared(seat, stake, rules)):
            return LOST
        if INITIAL in stakes and not any(hands[each.hand].bust for each in stakes):
            return RETURNED
        if len(hands) > 1 and not any(law.splitting.relieves(hand, rules) for hand in hands if hand.split):
            # By 10(7) alone each hand loses its first stake.
            return LOST if stake == INITIAL or hands[stake.hand].bust else RETURNED
        covered = [each for each in stakes if each == INITIAL or _is_spared(seat, each, rules)]
        bust = [each for each in covered if hands[each.hand].bust]
        first_bust, first_unbusted = bust[:1], [each for each in covered if each not in bust][:1]
        return rules.readings.answer(
            "BJ-12",
            max=LOST if stake in (bust or first_unbusted) else RETURNED,
            total_initial=LOST if stake in (first_bust or first_unbusted) else RETURNED,
            keep_busted_plus_initial=LOST if stake in (*bust, *first_unbusted) else RETURNED,
        )

    def stakes(self, seat: SeatOutcome, rules: Rules) -> list[Stake]:
        """Every stake on the seat's hands that were played out, in order."""
        prize, stakes = rules.regulation.special_prize, []
        for number, hand in enumerate(seat.hands):
            if not hand.bare and not hand.ending and not prize.closes(hand, rules):
                stakes.append(Stake(number))
                if hand.doubled:
                    stakes.append(Stake(number, double=True))
        return stakes


def _is_surely_lost(stake: Stake, stakes: list[Stake], hands: Sequence[HandOutcome]) -> bool:
    """Whether a stake is lost to Black Jack by every reading: the first of those that lie there still, none of which bust."""
    return stakes[:1] == [stake] and not any(hands[each.hand].bust for each in stakes)


def _is_spared(seat: SeatOutcome, stake: Stake, rules: Rules) -> bool:
    """Whether a stake beside the initial one comes back against Black Jack."""
    law, hand = rules.regulation, seat.hands[stake.hand]
    if stake.double:
        return law.doubling.relieves(hand.doubled, rules)
    return stake != INITIAL and law.splitting.relieves(hand, rules)


def _unverified(stake: Stake, hand: HandOutcome, rules: Rules) -> Iterator[Breach]:
    """The finding on a stake beside the initial one that is settled by a text that is not at hand (BJ-75)."""
    law = rules.regulation.doubling if stake.double else rules.regulation.splitting
    if stake == INITIAL or hand.bust or not law.unverified or (stake.double and rules.options.bj_double_relief):
        return
    message = f"whether {law.unverified} spares this stake does not show in the texts at hand"
    yield Breach(LAW_TEXT_UNVERIFIED, law.cite(), message)


@dataclass(frozen=True)
class Ties(Provision):
    """Art. 11: both have Black Jack, or equal points; the stake is returned."""

    both_natural: Paragraph = (1, 1)
    equal_points: Paragraph = (1, 2)

    def of_naturals(self) -> Due:
        """11(1)(1): what Black Jack is due against the bank's."""
        return Due.of(RETURNED, self.cite(*self.both_natural), "both have Black Jack: the stake goes back")

    def of_points(self, shown: str) -> Due:
        """11(1)(2): what a hand is due that has the bank's points."""
        return Due.of(RETURNED, self.cite(*self.equal_points), f"{shown}: a tie, the stake goes back")
