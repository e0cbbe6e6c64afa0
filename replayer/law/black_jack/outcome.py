"""The outcomes of a hand, of a seat, of its first cards and of the bank: all that settlement needs."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from replayer.contract.cards import Card
from replayer.law.black_jack.points import MOST

OVER: Final = MOST + 1
"""The points of any hand that bust."""
BANK_NATURAL_POSSIBLE: Final = frozenset({"A", "T", "?"})


class HandOutcome(NamedTuple):
    """The outcome of a hand.

    Attributes:
        points: its points as settled; ``OVER`` where it bust, 0 where a claim closed it and a card of it is not named.
        natural: Black Jack.
        ending: the decision that closed it (``hand.CLOSED``), empty where it was played out.
        doubled: the mode in which it was doubled, empty where it was not.
        split: made by a split; ``resplit``: by a later one than the first.
        split_21: 21 in two cards on separated bets, which no sentence compares with Black Jack (BJ-9).
        prize: whether its cards earn the special prize.
        early: surrendered before the bank looked at its hidden card.
        shared: half for five cards was claimed on a seat with several bettors.
        half_agreed: surrendered without the right to it; what that is worth is X-6, the hand is played out otherwise.
        staked_late: its double was staked when it had its card.
        bare: a split hand without a stake: a bettor on a shared seat did not match the split (BJ-71).
    """

    points: int
    natural: bool = False
    ending: str = ""
    doubled: str = ""
    split: bool = False
    resplit: bool = False
    split_21: bool = False
    prize: bool = False
    early: bool = False
    shared: bool = False
    half_agreed: bool = False
    staked_late: bool = False
    bare: bool = False

    @property
    def bust(self) -> bool:
        """Over 21."""
        return self.points > MOST

    @property
    def fate(self) -> str | None:
        """How it ended, in one word: ``played`` where its points count; None where that is unknown."""
        if self == UNKNOWN_HAND:
            return None
        if self.ending:
            return self.ending
        return "natural" if self.natural else "bust" if self.bust else "prize" if self.prize else "played"


class Stake(NamedTuple):
    """One stake on a hand: the one that it began with, or its double."""

    hand: int
    double: bool = False


INITIAL: Final = Stake(0)


class Untold(StrEnum):
    """Why the log does not tell the outcome of a hand."""

    CARDS = "the hand has fewer than two cards on the log"
    CARD = "a card of the hand is not named"
    SUIT = "a suit that the special prize turns on is not named"


UNKNOWN_HAND: Final = HandOutcome(-1)
"""One of several hands, whose outcome the log does not tell."""


class SeatOutcome(NamedTuple):
    """The outcome of a seat: the class of the bank's open card and the seat's hands, some of which may be
    :data:`UNKNOWN_HAND`."""

    upcard: str
    hands: tuple[HandOutcome, ...]

    @property
    def fates(self) -> tuple[str | None, ...]:
        """How each hand ended; None where that is unknown."""
        return tuple(hand.fate for hand in self.hands)


class Pairing(NamedTuple):
    """Two cards with which a hand began: the seat's own, or those after a split."""

    hand: int
    cards: tuple[Card, Card]


class FirstCardsOutcome(NamedTuple):
    """The outcome of a seat's first cards: all on which the wagers on them depend.

    Attributes:
        pairings: the first two cards of every hand, in the order of completion; the seat's own come first.
        third: the third card of a seat that was not split; None also where no wager depends on it.
        after_split: the first card dealt to each hand after the first split, as (hand, card) in the order of the log, where a
            wager may depend on it.
        divided: the number of the hand of each split, sorted.
        surrendered: whether a hand was given up (BJ-68).
    """

    pairings: tuple[Pairing, ...] = ()
    third: Card | None = None
    after_split: tuple[tuple[int, Card], ...] = ()
    divided: tuple[int, ...] = ()
    surrendered: bool = False

    @property
    def split(self) -> bool:
        """Whether the seat was split."""
        return bool(self.divided)

    @property
    def first(self) -> tuple[Card, Card] | None:
        """The seat's first two cards, before any split; None where it had no two."""
        return self.pairings[0].cards if self.pairings else None

    def of_hand(self, hand: int, splits: int) -> tuple[Card, Card] | None:
        """The first two cards of a hand after so many ``splits``; None where it had no two."""
        own = [pairing.cards for pairing in self.pairings if pairing.hand == hand]
        return own[splits] if splits < len(own) else None

    def splits(self, hand: int) -> int:
        """How often a hand was split."""
        return self.divided.count(hand)

    def begun(self, hand: int) -> bool:
        """Whether a hand, since it was last split, had its two cards."""
        return self.of_hand(hand, self.splits(hand)) is not None


class BankOutcome(NamedTuple):
    """The outcome of the bank's hand.

    Attributes:
        points: ``OVER`` where it bust; None where only known to be no Black Jack.
        natural: Black Jack.
    """

    points: int | None
    natural: bool = False

    @property
    def bust(self) -> bool:
        """Over 21."""
        return self.points == OVER

    @property
    def fate(self) -> str | None:
        """How it ended, in one word; None where its points are unknown.

        >>> BANK_NATURAL.fate, BankOutcome(OVER).fate, BankOutcome(19).fate, NO_NATURAL.fate
        ('natural', 'bust', 'played', None)
        """
        if self.points is None:
            return None
        return "natural" if self.natural else "bust" if self.bust else "played"

    def __str__(self) -> str:
        """As the lake and the odds show it: ``bj``, ``bust``, its points, or ``no bj``."""
        if self.points is None:
            return "no bj"
        return "bj" if self.natural else "bust" if self.bust else str(self.points)


BANK_NATURAL: Final = BankOutcome(MOST, natural=True)
NO_NATURAL: Final = BankOutcome(None)
"""A bank with unknown points that has no Black Jack."""
