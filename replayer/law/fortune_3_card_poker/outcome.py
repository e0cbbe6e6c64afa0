"""What became of a seat and of the croupier: all that settling needs to know of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from replayer.law.fortune_3_card_poker.cards import NOT_KNOWN

RAISED: Final = "raised"
FOLDED: Final = "folded"
ALONE: Final = "alone"
"""Pair Plus without an ante."""
NULL: Final = "null"
"""No wager at all, or none when the hand was dealt, or no hand dealt to it."""
VOID: Final = "void"
"""A wrong number of cards."""


@dataclass(frozen=True, slots=True)
class SeatOutcome:
    """What became of a seat: ``fate`` in a word, and its hand as it is written where one counts."""

    fate: str
    hand: str = ""

    @property
    def fates(self) -> Sequence[str]:
        """What became of each of its hands: it has one."""
        return (self.fate,)

    def text(self) -> str:
        """Fate and hand: ``raised KT4``."""
        return f"{self.fate} {self.hand}" if self.hand else self.fate

    @classmethod
    def read(cls, text: str) -> SeatOutcome:
        """The outcome of a text that :meth:`text` wrote."""
        fate, _, hand = text.partition(" ")
        return cls(fate, hand)


@dataclass(frozen=True, slots=True)
class CroupierOutcome:
    """What became of the croupier: his hand as it is written, ``void`` where there is none."""

    hand: str

    @property
    def fate(self) -> str | None:
        """What became of it in a word; None where that cannot be told."""
        return VOID if self.hand == VOID else None if self.hand in ("", NOT_KNOWN) else "played"

    def text(self) -> str:
        """The hand, or ``void``."""
        return self.hand
