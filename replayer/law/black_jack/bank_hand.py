"""The bank's hand: what a rule can still need of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from replayer.cards import NOT_KNOWN
from replayer.law.black_jack.points import MOST, PIPS, CalledTotal, ace_counts_eleven

MANY: Final = 3
"""The number of cards at which counting stops."""
_FAR_OVER: Final = 31
"""Points at which counting stops: a bank that draws correctly reaches 26 at most."""
_HARD_17: Final = 17
"""Above these points no rule asks for the cards."""
_OF_TWO: Final = (7, 11)
"""Points, with the ace at one, of an ace and a six and of Black Jack, which are counted otherwise than more cards are."""


@dataclass(frozen=True, slots=True)
class BankHand:
    """The bank's hand.

    Attributes:
        cards: how many it has; two are Black Jack, or an ace and a six, three are any others.
        hard: its points with every ace at one; 31 are 31 or more, and 0 where a card is not named.
        ace, six: whether it has one; not kept above 17, nor an ace without a six above 11.
        unnamed: whether the log does not name one of its cards.
        called: the total announced since its last card.
        over_soft17: whether a card was drawn on a soft 17, as long as it is soft.
    """

    cards: int = 0
    hard: int = 0
    ace: bool = False
    six: bool = False
    unnamed: bool = False
    called: CalledTotal = CalledTotal.NOTHING
    over_soft17: bool = False

    @property
    def known(self) -> bool:
        """Whether it has its two cards and all are named."""
        return self.cards >= 2 and not self.unnamed

    @property
    def soft(self) -> bool:
        """Whether an ace counts eleven in its best points."""
        return self.ace and ace_counts_eleven(self.hard)

    @property
    def best(self) -> int:
        """Its points with one ace at eleven where that does not exceed 21."""
        return self.hard + 10 if self.soft else self.hard

    @property
    def natural(self) -> bool:
        """Whether it is Black Jack: no other two cards come to a soft 21."""
        return self.cards == 2 and self.best == MOST

    @property
    def ace_and_six(self) -> bool:
        """Whether it is an ace and a six: no other two cards come to a soft 17."""
        return self.cards == 2 and self.soft and self.best == _HARD_17

    def dealt(self, rank: str, *, over_soft17: bool = False) -> BankHand:
        """With one more card, ``?`` one that is not named; ``over_soft17`` is whether it was drawn on a soft 17."""
        cards = min(self.cards + 1, MANY)
        if self.unnamed or rank == NOT_KNOWN:
            return BankHand(MANY if self.cards else 1, unnamed=True)
        hard = min(self.hard + PIPS[rank], _FAR_OVER)
        matters = hard <= _HARD_17
        six = matters and (self.six or rank == "6")
        ace = matters and (self.ace or rank == "A") and (six or ace_counts_eleven(hard))
        soft = ace and ace_counts_eleven(hard)
        if cards == 2 and not (ace and hard in _OF_TWO):
            cards = MANY
        return BankHand(cards, hard, ace, six, over_soft17=soft and (self.over_soft17 or over_soft17))

    def announced(self, points: int) -> BankHand:
        """With a total called, which matters where its cards can be counted."""
        if not self.known:
            return self
        return replace(self, called=CalledTotal.HARD if self.soft and points == self.hard else CalledTotal.BEST)

    def counts(self, points: int) -> bool:
        """Whether its cards come to ``points`` with every ace at one."""
        return min(points, _FAR_OVER) == self.hard
