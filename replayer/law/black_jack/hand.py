"""What cards are worth and which hand wins: arts. 8, 9 and 11; and a player's hand as it is played.

The articles are cited as in 56/2004 and 57/2009; other instruments number them otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from replayer.law.black_jack.bank_hand import BankHand
from replayer.law.black_jack.cards import Cards
from replayer.law.black_jack.points import MOST, CalledTotal
from replayer.law.black_jack.rules import Rules
from replayer.law.provision import Paragraph, Provision
from replayer.law.rulings import Readings
from replayer.wagers import LOST, ONE_TO_ONE, RETURNED, Due

Answer = TypeVar("Answer")

STOOD: Final = "stood"
DOUBLED: Final = "doubled"
BUSTED: Final = "bust"
"""What ended a hand, besides the decisions that close it."""


def by_reading(readings: Readings, ruling: str, **answers: Answer) -> Answer:
    """The answer by the reading in force. The ruling is consulted only where the answers differ.

    >>> from replayer.law.rulings import Readings
    >>> by_reading(Readings(), "BJ-9", lose="nothing asked", tie="nothing asked")
    'nothing asked'
    """
    different = {repr(answer) for answer in answers.values()}
    if len(different) == 1:
        return next(iter(answers.values()))
    return answers[readings(ruling)]


class Hand(NamedTuple):
    """A player's hand.

    Attributes:
        cards: its cards.
        called: the total announced since its last card.
        drawn: whether its last card came after play of the seat had begun.
        down: whether a card was dealt to it face down since it was doubled.
        ended: the decision or event that ended it, empty while it is open.
        asked: whether a card was asked for and not dealt yet; ``owed``: cards removed and not replaced yet.
        split: made by a split; ``resplit``: by a later one than the first.
        aces: one of two split aces.
        doubled: the mode in which it was doubled, empty where it was not.
        double_staked, split_staked: whether such a stake was placed on it; ``undecided``: a stake made it, no decision yet.
        staked_as: the mode in which a second stake doubles it that came without a decision, as long as none is taken.
        staked_late: whether a second stake was placed after it got its one card.
        acted: whether a decision was taken that is a play of it.
        early: whether it was surrendered before the bank had looked at its hidden card.
        half_agreed: whether it was last surrendered without the right to it.
        prize: the decision about a special prize, empty where there was none.
    """

    cards: Cards = Cards()
    called: CalledTotal = CalledTotal.NOTHING
    drawn: bool = False
    down: bool = False
    ended: str = ""
    asked: bool = False
    owed: int = 0
    split: bool = False
    resplit: bool = False
    aces: bool = False
    doubled: str = ""
    double_staked: bool = False
    split_staked: bool = False
    undecided: bool = False
    staked_as: str = ""
    staked_late: bool = False
    acted: bool = False
    early: bool = False
    half_agreed: bool = False
    prize: str = ""

    @property
    def known(self) -> bool:
        """Whether all its cards are named."""
        return not self.cards.unnamed

    @property
    def natural(self) -> bool:
        """Black Jack: arts. 10(1), and 10(6): 21 on separated bets never is."""
        return not self.split and self.cards.natural

    def with_card(self, cards: Cards, *, drawn: bool, down: bool, ended: str, owed: int) -> Hand:
        """The hand with one more card, which changes its first seven fields."""
        return Hand(cards, CalledTotal.NOTHING, drawn, down, ended, False, owed, *self[7:])

    def parted(self, *, unpaired: bool = False) -> tuple[Hand, Hand]:
        """The two hands that a split makes: two cards are separated; any other number, or ``unpaired`` ones, stay together.

        A split ace stays marked as one, whatever it is split from later.
        """
        pair = self.cards.size == 2 and not unpaired
        aces = pair and self.cards.ranks == ("A", "A")
        stays, goes = self.cards.parted() if pair else (self.cards, Cards())
        kept = self._replace(
            cards=stays, called=CalledTotal.NOTHING, drawn=self.drawn and not pair, split=True, aces=self.aces or aces
        )
        return kept, Hand(goes, split=True, resplit=self.split, aces=aces)


@dataclass(frozen=True)
class CardValues(Provision):
    """Art. 8: the ace is 1 or 11 as the player chooses, figures are 10, other cards their pips."""

    def of_player(self, hand: Hand, rules: Rules) -> int:
        """A player's points; BJ-6: the best total, or the one that was announced for a hand with an ace."""
        cards = hand.cards
        if not (cards.soft and hand.called is CalledTotal.HARD):
            return cards.best
        return by_reading(rules.readings, "BJ-6", best=cards.best, declared=cards.hard)

    def of_bank(self, hand: BankHand, rules: Rules) -> int:
        """The bank's points; the article gives the choice to the player only. BJ-5: 11 unless that busts, or as called.

        Black Jack is 21 whatever was called.
        """
        if hand.natural or not (hand.soft and hand.called is CalledTotal.HARD):
            return hand.best
        return by_reading(rules.readings, "BJ-5", best=hand.best, choice_logged=hand.hard)


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
