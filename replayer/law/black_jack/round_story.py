"""A round story read once: who bet, what came before the first card, the deal, the play, the bank's second card."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

BANK: Final = 0
"""The bank's place; seats count from 1."""

CARD: Final = frozenset({"+", "-", ""})
"""Signs of a card dealt: up, down, the log does not say."""
PLAY: Final = "."
APART: Final = "/"
_SHOE_STATES: Final = ("white", "fresh", "unshuffled")
_PLACED: Final = re.compile(r"(?P<place>B|\d+)(?P<sign>[-+.^~/?]?)")


@lru_cache(maxsize=4096)
def _place(word: str) -> tuple[int, str] | None:
    """The place and the sign of a word that belongs to a seat or to the bank; None for any other."""
    match = _PLACED.fullmatch(word)
    return None if match is None else (BANK if match["place"] == "B" else int(match["place"]), match["sign"])


class At(NamedTuple):
    """A word with its place in the story: ``place`` is a seat or ``BANK``, ``sign`` what happened there."""

    word: int
    place: int
    sign: str


@dataclass(frozen=True)
class RoundStory:
    """The words of a round story.

    Attributes:
        words: all of them, so that an index is the one that a breach points at.
        seats: seats with wagers, from the left.
        shoe: ``white``, ``fresh``, ``unshuffled`` or nothing: the state in which the round found the shoe.
    """

    words: tuple[str, ...]
    seats: tuple[int, ...]
    shoe: str

    @classmethod
    def read(cls, story: str) -> RoundStory:
        """Read a story.

        >>> RoundStory.read("w:2,1 fresh nomore 1+ 2+ B+ 1+ 2+ 1. 2. B+ end").seats
        (1, 2)
        """
        words = tuple(story.split())
        seats = words[0].removeprefix("w:")
        state = words[1] if len(words) > 1 and words[1] in _SHOE_STATES else ""
        return cls(words, tuple(sorted(int(seat) for seat in seats.split(",") if seat)), state)

    @cached_property
    def _read(self) -> tuple[tuple[At, ...], tuple[tuple[int, str], ...]]:
        """The words that belong to a seat or to the bank, and the others with their indices."""
        placed, others = [], []
        for index in range(2 if self.shoe else 1, len(self.words)):
            word = self.words[index]
            where = _place(word)
            if where is None:
                others.append((index, word))
            else:
                placed.append(At(index, *where))
        return tuple(placed), tuple(others)

    @property
    def placed(self) -> tuple[At, ...]:
        """The words that belong to a seat or to the bank, in order."""
        return self._read[0]

    def where(self, *prefixes: str) -> Iterator[int]:
        """The indices of the other words that begin with one of ``prefixes``."""
        return (index for index, word in self._read[1] if word.startswith(prefixes))

    @cached_property
    def first_card(self) -> int | None:
        """Where the first card was dealt, even if it was taken back; None where none was."""
        return next((at.word for at in self.placed if at.sign in CARD), None)

    @cached_property
    def _in_time(self) -> tuple[At, ...]:
        """What was placed before the round was over."""
        over = len(self.words) if self.ended is None else self.ended
        return tuple(at for at in self.placed if at.word < over)

    @cached_property
    def first_decision(self) -> int:
        """Where the first decision was taken; the length of the story where none was."""
        return next((at.word for at in self._in_time if at.sign in (PLAY, APART)), len(self.words))

    @cached_property
    def deal(self) -> tuple[At, ...]:
        """The cards dealt before the first decision that were not taken back."""
        standing: list[At] = []
        for at in self._in_time:
            if at.word >= self.first_decision:
                break
            if at.sign == "~":
                last = next((card for card in reversed(standing) if card.place == at.place), None)
                if last is not None:
                    standing.remove(last)
            elif at.sign in CARD:
                standing.append(at)
        return tuple(standing)

    @property
    def deal_ends(self) -> int:
        """The word at which the deal was over: the first decision, or the story's last word."""
        return min(self.first_decision, len(self.words) - 1)

    @cached_property
    def play(self) -> tuple[At, ...]:
        """Cards and decisions at the seats after the first decision, each stretch at one seat as one word."""
        return tuple(at for at in self._in_time if at.sign == PLAY)

    @cached_property
    def bank_second(self) -> At | None:
        """The bank's second card as it stands; None where it has none."""
        dealt = [at for at in self.deal if at.place == BANK]
        later = [at for at in self._in_time if at.place == BANK and at.word > self.first_decision and at.sign in CARD]
        return next(iter([*dealt, *later][1:]), None)

    @cached_property
    def interrupted(self) -> bool:
        """Whether the round was declared void or the equipment failed in it: then it need not be complete."""
        return any(True for _ in self.where("void:", "failed"))

    @cached_property
    def ended(self) -> int | None:
        """Where the round was closed or declared void."""
        return next(self.where("end", "void:"), None)
