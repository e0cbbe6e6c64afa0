"""What became of a seat, as one short text: all that settling needs to know of its story.

First the class of the bank's open card, then each hand: its points (``bust`` over 21, ``bj`` for Black Jack) and, behind
colons, how it came to them and how it ended. ``T 18:doubled=split_first_two:split 21:split:two`` is a pair that was
separated against a ten: one hand doubled to 18, the other with 21 in two cards.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import Final

BUST: Final = "bust"
NATURAL: Final = "bj"
NO_NATURAL: Final = "no bj"
"""Outcome of a bank whose points are not known, but that it has no Black Jack is."""
PLAYED: Final = "played"
"""A hand that counts by its points."""
BANK_NATURAL_POSSIBLE: Final = frozenset({"A", "T", "?"})

SURRENDER: Final = "surrender"
EVEN_MONEY: Final = "even_money"
FIVE_CARD_HALF: Final = "five_card_half"
CLOSED: Final = frozenset({SURRENDER, EVEN_MONEY, FIVE_CARD_HALF})
"""Endings that close a hand, whatever the bank gets."""


@dataclass(frozen=True, slots=True)
class HandOutcome:
    """What became of a hand.

    Attributes:
        points: its points as settled; over 21 where it bust.
        natural: Black Jack.
        ending: one of ``CLOSED``, empty where it was played out.
        doubled: the mode in which it was doubled, empty where it was not.
        split: grown from a separated pair; ``resplit``: by separating again.
        two: whether it has two cards only.
        prize: whether its cards earn the special prize; ``asked``: whether the log shows that it was taken.
        early: surrendered before the bank looked at its hidden card.
        shared: half for five cards was asked for on a seat on which several bet.
        half_agreed: surrendered without the right to it; what that is worth is X-6, the hand is played out otherwise.
        staked_late: its double was staked when it had its card.
        bare: a further hand on which no stake lies: a bettor on a shared seat did not follow the split (BJ-71).
    """

    points: int
    natural: bool = False
    ending: str = ""
    doubled: str = ""
    split: bool = False
    resplit: bool = False
    two: bool = False
    prize: str = ""
    early: bool = False
    shared: bool = False
    half_agreed: bool = False
    staked_late: bool = False
    bare: bool = False

    @property
    def bust(self) -> bool:
        """Over 21."""
        return self.points > 21

    @property
    def fate(self) -> str:
        """How it ended, in a word: ``played`` where its points were held against the bank's."""
        if self.ending:
            return self.ending
        return "natural" if self.natural else BUST if self.bust else "prize" if self.prize else PLAYED

    def text(self) -> str:
        """The hand in a seat's outcome."""
        words = [NATURAL if self.natural else BUST if self.points > 21 else str(self.points)]
        if self.ending:
            words.append(f"ending={self.ending}")
        if self.doubled:
            words.append(f"doubled={self.doubled}")
        if self.prize:
            words.append(f"prize={self.prize}")
        if self.split:
            words.append("split")
            words += [key for key in ("resplit", "two", "bare") if getattr(self, key)]
        words += [key for key in ("early", "shared") if getattr(self, key)] if self.ending else []
        words += [key for key in ("half_agreed", "staked_late") if getattr(self, key)]
        return ":".join(words)

    @classmethod
    def read(cls, text: str) -> HandOutcome:
        """The hand that a text describes."""
        points, *marks = text.split(":")
        pairs = [mark.partition("=") for mark in marks]
        known = {name.name for name in fields(cls)}
        values: dict[str, object] = {key: value if sep else True for key, sep, value in pairs if key in known}
        number = 21 if points == NATURAL else 22 if points == BUST else int(points)
        return cls(number, natural=points == NATURAL, **values)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class SeatOutcome:
    """What became of a seat: the class of the bank's open card and the seat's hands."""

    upcard: str
    hands: tuple[HandOutcome, ...]

    def text(self) -> str:
        """The seat's outcome."""
        return " ".join([self.upcard, *(hand.text() for hand in self.hands)])


@cache
def read_outcome(text: str) -> SeatOutcome:
    """The seat that an outcome describes; no hands where the text is empty.

    >>> read_outcome("T bust:split 20:split:doubled=first_two").hands[1].doubled
    'first_two'
    """
    upcard, *hands = text.split() or ["?"]
    return SeatOutcome(upcard, tuple(HandOutcome.read(hand) for hand in hands))


def bank_fate(outcome: str) -> str | None:
    """How the bank's hand ended, in a word, from its outcome; None where no more is known than that it is no Black Jack.

    >>> bank_fate("bj"), bank_fate("bust"), bank_fate("19"), bank_fate("no bj")
    ('natural', 'bust', 'played', None)
    """
    return {NATURAL: "natural", BUST: BUST}.get(outcome, PLAYED if outcome.isdecimal() else None)
