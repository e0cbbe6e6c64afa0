"""Playing cards as two letters: rank, then suit. ``Th`` is the ten of hearts, ``9x`` a nine whose suit is not known."""

from __future__ import annotations

from typing import Final, NewType

Card = NewType("Card", str)

RANKS: Final = "A23456789TJQK"
SUITS: Final = "cdhs"
UNKNOWN_SUIT: Final = "x"
UNKNOWN: Final = "??"
"""A card that lies face down and that the log does not name."""

RED: Final = frozenset("dh")
DECK: Final[tuple[Card, ...]] = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
_KNOWN: Final = frozenset(DECK) | {Card(rank + UNKNOWN_SUIT) for rank in RANKS}


class UnknownCard(ValueError):
    """The text names no card."""


def parse_card(text: str) -> Card:
    """The card that ``text`` names, in any case of letters, ``10`` accepted for ``T``.

    >>> parse_card("10H")
    'Th'

    Raises:
        UnknownCard: when it names none.
    """
    compact = text.strip().replace("10", "T")
    if len(compact) == 1:
        compact += UNKNOWN_SUIT
    card = compact[:1].upper() + compact[1:].lower()
    if card not in _KNOWN:
        raise UnknownCard(f"{text!r} is no card; a card is a rank of {RANKS} and a suit of {SUITS}, as in 9c")
    return Card(card)


def is_card(text: str) -> bool:
    """Whether ``text`` is a card as events carry it (suit possibly unknown)."""
    return text in _KNOWN
