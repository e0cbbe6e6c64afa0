"""The machine of the cards before the deal: shuffled since the round before, by hand or by machine, and cut (arts. 1 and 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from replayer.contract.machine import Violation
from replayer.contract.symbols import FoundShoe
from replayer.law.fortune_3_card_poker.rules import Rules

ROUND: Final = "round"
SHUFFLED_AGAIN: Final = "shuffle"
"""Marks: the round's beginning, the first shuffle after a card was dealt that was followed by another card."""


class Shoe(NamedTuple):
    """The cards of a round.

    Attributes:
        found: how the round found them; the cut card, which lies at the bottom, tells nothing of them.
        by_hand, cut: whether they were shuffled by hand, and whether they were cut, since the last card was dealt.
        dealt: whether a card was dealt; ``again``, ``during``: whether they were shuffled since, or between two cards.
    """

    found: FoundShoe
    by_hand: bool = False
    cut: bool = False
    dealt: bool = False
    again: bool = False
    during: bool = False

    def shuffled(self, decks: int, rules: Rules, *, by_hand: bool) -> tuple[Shoe, tuple[Violation, ...]]:
        """With a shuffle of ``decks``."""
        after = self._replace(by_hand=by_hand, again=self.dealt and not self.during)
        return after, rules.regulation.material.of_decks(decks)

    def deals(self, rules: Rules) -> tuple[Shoe, tuple[Violation, ...]]:
        """With a card dealt; another shuffle needs another cut."""
        found = rules.regulation.shuffle.before_a_card(self, rules)
        return Shoe(self.found, dealt=True, during=self.during or self.again), found

    def was_cut(self) -> Shoe:
        """With a cut, which may come before or after the shuffle (F3-15)."""
        return self._replace(cut=True)

    def finish(self, rules: Rules, *, interrupted: bool) -> Iterator[Violation]:
        """What was wrong with the shuffles, unless the deal was ``interrupted``."""
        if rules.records("shuffle"):
            yield from rules.regulation.shuffle.after_the_round(self, interrupted=interrupted)
