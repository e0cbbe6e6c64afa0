"""A playing card as rules see it, made once from its name in the log."""

from __future__ import annotations

from typing import Final, NamedTuple

from schemas.cards import RANKS, SUITS, UNKNOWN, UNKNOWN_SUIT

NOT_KNOWN: Final = "?"
"""The rank of a card that the log does not name."""


class Card(NamedTuple):
    """A card.

    Attributes:
        rank: one of ``RANKS``, or :data:`NOT_KNOWN`.
        suit: one of ``SUITS``, ``x`` where the log does not tell it; empty where no rule needs it, to stand for any suit.
    """

    rank: str
    suit: str = ""

    @property
    def named(self) -> bool:
        """Whether the log says which card it is."""
        return self.rank != NOT_KNOWN

    @property
    def of_its_rank(self) -> Card:
        """A card of its rank and any suit."""
        return Card(self.rank)

    @property
    def of_no_suit(self) -> Card:
        """The card with an unknown suit."""
        return Card(self.rank, UNKNOWN_SUIT)

    def __str__(self) -> str:
        """Its name.

        >>> str(card_of("9h")), str(card_of("9h").of_its_rank), str(UNNAMED)
        ('9h', '9', '??')
        """
        return self.rank + self.suit


UNNAMED: Final = Card(*UNKNOWN)
"""A card that the log does not name."""
_CARDS: Final = {str(card): card for card in (Card(rank, suit) for rank in RANKS for suit in (*SUITS, UNKNOWN_SUIT))}


def card_of(name: str | None) -> Card:
    """The card of a name as events carry it (``schemas.cards``); :data:`UNNAMED` where there is none."""
    return _CARDS.get(name or UNKNOWN, UNNAMED)
