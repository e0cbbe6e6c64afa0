"""What cards are worth and which hand wins: arts. 8, 9 and 11; and a seat's hands as they are played.

The articles are cited as in 56/2004 and 57/2009; other instruments number them otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from replayer.law.black_jack.bank_hand import BankHand, Called
from replayer.law.black_jack.points import best_points, hard_points
from replayer.law.black_jack.rules import Rules
from replayer.law.provision import Provision
from replayer.law.rulings import Readings

Answer = TypeVar("Answer")


def by_reading(readings: Readings, ruling: str, **answers: Answer) -> Answer:
    """The answer of the reading in force. The reading is asked for only where the answers part.

    >>> from replayer.law.rulings import Readings
    >>> by_reading(Readings(), "BJ-9", lose="nothing asked", tie="nothing asked")
    'nothing asked'
    """
    different = {repr(answer) for answer in answers.values()}
    if len(different) == 1:
        return next(iter(answers.values()))
    return answers[readings(ruling)]


@dataclass(slots=True)
class Hand:
    """A player's hand as it is played.

    Attributes:
        ranks, suits: of its cards in the order dealt; ``?`` a card not known, suits only where the story has them.
        called: the total last announced; zero where none was since the last card.
        split: grown from a pair that was separated; ``resplit``: not from the first one.
        aces: one of two aces that were separated.
        doubled: the mode in which it was doubled, empty where it was not.
        ended: the decision or event that ended it, empty while it is open.
        early: whether it was surrendered before the bank had looked at its hidden card.
        half_agreed: whether it was last surrendered without the right to it.
        prize: the decision about a special prize, or whether it is held.
        staked_late: whether a second stake was placed when it had its one card.
        double_stakes, split_stakes: stakes placed on it; ``undecided``: a stake made it, and no decision yet.
        asked: cards asked for and not dealt yet; ``owed``: cards taken away and not replaced yet.
        made_at, doubled_at, prize_at: the words at which it was split off, was doubled, its prize was decided on.
        dealt_at: the words at which its cards were dealt, in their order.
        hidden: of those that were dealt face down, the word at which each one was turned; zero where it was not.
    """

    ranks: str = ""
    suits: str = ""
    called: int = 0
    split: bool = False
    resplit: bool = False
    aces: bool = False
    doubled: str = ""
    double_stakes: int = 0
    staked_late: bool = False
    split_stakes: int = 0
    undecided: bool = False
    acted: bool = False
    ended: str = ""
    early: bool = False
    half_agreed: bool = False
    prize: str = ""
    asked: int = 0
    owed: int = 0
    made_at: int = 0
    doubled_at: int = 0
    prize_at: int = 0
    dealt_at: list[int] = field(default_factory=list)
    hidden: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class Seat:
    """A seat in a round: the class of the bank's open card (``?`` unknown) and its hands."""

    upcard: str
    hands: list[Hand] = field(default_factory=lambda: [Hand()])


@dataclass(frozen=True)
class CardValues(Provision):
    """Art. 8: the ace is 1 or 11 as the player chooses, figures are 10, other cards their pips."""

    def of_player(self, hand: Hand, rules: Rules) -> int:
        """A player's points; BJ-6: the best total, or the one that was announced for a hand with an ace."""
        best = best_points(hand.ranks)
        hard = hard_points(hand.ranks)
        if best == hard or hand.called != hard:
            return best
        return by_reading(rules.readings, "BJ-6", best=best, declared=hard)

    def of_bank(self, hand: BankHand, rules: Rules) -> int:
        """The bank's points; the article gives the choice to the player only. BJ-5: 11 unless that busts, or as called."""
        if not (hand.soft and hand.called is Called.HARD):
            return hand.best
        return by_reading(rules.readings, "BJ-5", best=hand.best, choice_logged=hand.hard)


@dataclass(frozen=True)
class HigherWins(Provision):
    """Art. 9: more points than the bank win, fewer lose. That a win is paid one to one, and that a bank over 21 loses, no text
    says; ``unwritten`` is the ruling by which it is so, empty where it is not in doubt."""

    unwritten: str = "X-4"


@dataclass(frozen=True)
class Ties(Provision):
    """Art. 11: both have Black Jack, or equal points; the stake is returned."""

    both_natural: tuple[int | str, ...] = (1, 1)
    equal_points: tuple[int | str, ...] = (1, 2)
