"""The outcomes of a player's hand and of the croupier's: all that settlement needs."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from replayer.law.fortune_3_card_poker.cards import NO_HAND, NOT_KNOWN, Hand

RAISED: Final = "raised"
FOLDED: Final = "folded"
ALONE: Final = "alone"
"""Pair Plus without an ante."""
NULL: Final = "null"
"""No wager at all, or none when the hand was dealt, or no hand dealt to it."""
VOID: Final = "void"
"""A wrong number of cards."""


class SeatOutcome(NamedTuple):
    """The outcome of a player's hand.

    Attributes:
        fate: one of the words above.
        hand: what he holds; ``NO_HAND`` where it is null or void.
    """

    fate: str
    hand: Hand = NO_HAND

    @property
    def fates(self) -> tuple[str]:
        """The fate of the seat's one hand."""
        return (self.fate,)


class Met(StrEnum):
    """How the croupier's hand compares with the player's: it is higher, lower, equal, or below a queen."""

    HIGHER = "higher"
    LOWER = "lower"
    EQUAL = "equal"
    BELOW = "below"


class BankOutcome(NamedTuple):
    """The outcome of the croupier's hand.

    Attributes:
        hand: what he holds; ``NO_HAND`` where it is void, or where only ``met`` matters.
        void: whether it is void, with a wrong number of cards or one that lay open.
        met: how it compares with the hand of a player who raised, where nothing else of it matters.
    """

    hand: Hand = NO_HAND
    void: bool = False
    met: Met | None = None

    @property
    def fate(self) -> str | None:
        """Its fate, in one word; None where its cards are unknown."""
        return VOID if self.void else None if self.hand == NOT_KNOWN else "played"

    def __str__(self) -> str:
        """As the lake shows it."""
        return VOID if self.void else str(self.hand)
