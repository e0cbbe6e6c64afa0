"""What became of a player's hand and of the croupier's: all that settling needs to know of them."""

from __future__ import annotations

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
    """What became of a player's hand.

    Attributes:
        fate: one of the words above.
        hand: what he holds; ``NO_HAND`` where it is null or void.
    """

    fate: str
    hand: Hand = NO_HAND

    @property
    def fates(self) -> tuple[str]:
        """What became of the seat's one hand."""
        return (self.fate,)


class BankOutcome(NamedTuple):
    """What became of the croupier's hand.

    Attributes:
        hand: what he holds; ``NO_HAND`` where it is void, or where only ``met`` matters.
        void: whether it counts for nothing, with a wrong number of cards or one that lay open.
        met: how it met the hand of a player who raised (``higher``, ``lower``, ``equal``, ``below``), where nothing else of it
            matters.
    """

    hand: Hand = NO_HAND
    void: bool = False
    met: str = ""

    @property
    def fate(self) -> str | None:
        """What became of it, in a word; None where its cards are not known."""
        return VOID if self.void else None if self.hand == NOT_KNOWN else "played"

    def __str__(self) -> str:
        """As the lake shows it."""
        return VOID if self.void else str(self.hand)
