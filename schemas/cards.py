"""Playing cards as two letters: rank, then suit. ``Th`` is the ten of hearts, ``9x`` a nine whose suit is not known."""

from __future__ import annotations

from typing import Final, NewType

CardName = NewType("CardName", str)

RANKS: Final = "A23456789TJQK"
SUITS: Final = "cdhs"
UNKNOWN_SUIT: Final = "x"
UNKNOWN: Final = "??"
"""A card that lies face down and that the log does not name."""

RED: Final = frozenset("dh")
DECK: Final[tuple[CardName, ...]] = tuple(CardName(rank + suit) for suit in SUITS for rank in RANKS)
_KNOWN: Final = frozenset(DECK) | {CardName(rank + UNKNOWN_SUIT) for rank in RANKS}


def is_card(text: str) -> bool:
    """Whether ``text`` is a card as events carry it (suit possibly unknown)."""
    return text in _KNOWN
