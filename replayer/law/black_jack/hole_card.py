"""The machine of the bank's hidden card: its first two cards, and its look at them before the players act (art. 5(2)(3))."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from replayer.cards import NOT_KNOWN
from replayer.law.black_jack.points import TEN_VALUES
from replayer.law.black_jack.rules import Rules
from replayer.machine import Violation

TEN_OR_ACE: Final = frozenset("ATJQK")

LOOK: Final = "look"
PLAY: Final = "play"
"""Marks: the look at the hidden card, the first decision that is a play of a hand."""


class FirstTwo(StrEnum):
    """What the bank's first two cards are."""

    NOT_THERE = "fewer than two cards"
    NATURAL = "Black Jack"
    NAMED = "any other two"
    UNNAMED = "not both named, and no Black Jack, or the bank looked"
    POSSIBLE = "not both named, and perhaps Black Jack"


class Look(StrEnum):
    """What the look at the hidden card found, and whether play went on."""

    NONE = "it did not look"
    PLAYED_ON = "it did not look, and play began"
    NOT_DUE = "it did not look, under neither an ace nor a ten"
    NATURAL = "Black Jack"
    NATURAL_PLAYED_ON = "Black Jack, and play went on"
    NO_NATURAL = "no Black Jack"


_PLAYED_ON: Final = {Look.NONE: Look.PLAYED_ON, Look.NATURAL: Look.NATURAL_PLAYED_ON}


@dataclass(frozen=True, slots=True)
class HoleCard:
    """The bank's first two cards and its look at them.

    ``first`` is its first card as long as that is alone: ``A``, ``T`` for ten and court cards, ``x`` any other, ``?`` not named.
    """

    first: str = ""
    first_two: FirstTwo = FirstTwo.NOT_THERE
    look: Look = Look.NONE

    @property
    def looked(self) -> bool:
        """Whether the bank looked."""
        return self.look not in (Look.NONE, Look.PLAYED_ON, Look.NOT_DUE)

    @property
    def is_due(self) -> bool:
        """Whether its first card is an ace or a ten, and it did not look."""
        dealt = self.first or self.first_two is not FirstTwo.NOT_THERE
        return bool(dealt) and self.look in (Look.NONE, Look.PLAYED_ON)

    @property
    def found_natural(self) -> bool:
        """Whether the look was said to have found Black Jack."""
        return self.look in (Look.NATURAL, Look.NATURAL_PLAYED_ON)

    def dealt(self, rank: str) -> HoleCard:
        """With one more card of the bank that counts."""
        if self.first_two is not FirstTwo.NOT_THERE:
            return self
        card = "T" if rank in TEN_VALUES else rank if rank in ("A", NOT_KNOWN) else "x"
        if self.first:
            return HoleCard("", _first_two({self.first, card}), self.look)._known_by_the_look()
        due = self.looked or card in TEN_OR_ACE
        return replace(self, first=card, look=self.look if due else Look.NOT_DUE)._known_by_the_look()

    def looked_at(self, *, natural: bool) -> HoleCard:
        """With a look that was said to have found Black Jack, or none."""
        return replace(self, look=Look.NATURAL if natural else Look.NO_NATURAL)._known_by_the_look()

    def _known_by_the_look(self) -> HoleCard:
        """Without whether cards that are not named could be Black Jack, once the bank looked."""
        if self.looked and (self.first == NOT_KNOWN or self.first_two is FirstTwo.POSSIBLE):
            return HoleCard("", FirstTwo.UNNAMED, self.look)
        return self

    def played(self) -> HoleCard:
        """With the first decision that is a play of a hand."""
        return replace(self, look=_PLAYED_ON.get(self.look, self.look))

    def natural(self) -> bool | None:
        """Whether it is Black Jack; None where neither the cards nor the look tell."""
        if self.found_natural:
            return True
        if self.first_two in (FirstTwo.NATURAL, FirstTwo.NAMED):
            return self.first_two is FirstTwo.NATURAL
        alone = self.first_two is FirstTwo.NOT_THERE and self.first != "x"
        return None if (alone or self.first_two is FirstTwo.POSSIBLE) and not self.looked else False

    def finish(self, rules: Rules) -> Iterator[Violation]:
        """What was wrong with the look."""
        return rules.regulation.deal.of_the_look(self, rules)


def _first_two(both: set[str]) -> FirstTwo:
    if NOT_KNOWN in both:
        return FirstTwo.POSSIBLE if both <= {"A", "T", NOT_KNOWN} else FirstTwo.UNNAMED
    return FirstTwo.NATURAL if both == {"A", "T"} else FirstTwo.NAMED
