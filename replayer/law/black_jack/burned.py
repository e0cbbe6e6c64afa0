"""The machine of the burned cards of a round: those before its first card, and those before the bank's second one (art. 4)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple

from replayer.law.black_jack.rules import Rules
from replayer.machine import Violation

_MANY: Final = 2
"""Cards burned during the round from which on no rule counts them."""


class Second(Enum):
    """The bank's second card."""

    NOT_DEALT = "not dealt"
    AFTER_A_BURN = "dealt after a card was burned in the round"
    WITHOUT_A_BURN = "dealt, and no card was burned before"


class Burned(NamedTuple):
    """The burned cards of a round.

    Attributes:
        unshuffled: whether no shuffle of the cards is on the log.
        decks: those of the last shuffle before the first card; 0 where there was none.
        before: cards burned since, before the first card; one more than the decks is that or more.
        dealt: whether the first card was dealt.
        unseen: cards burned unseen since the first card; two are two or more.
        any_since: whether any was burned since then, seen or not, as long as the bank has no second card.
        second: the bank's second card.
    """

    unshuffled: bool = False
    decks: int = 0
    before: int = 0
    dealt: bool = False
    unseen: int = 0
    any_since: bool = False
    second: Second = Second.NOT_DEALT

    def is_shuffled(self, decks: int, rules: Rules) -> Burned:
        """After a shuffle of so many decks, 0 where the log does not count them; of no matter in the round."""
        return self if self.dealt else Burned(self.unshuffled, decks or rules.options.decks)

    def burns(self, rules: Rules, *, seen: bool) -> Burned:
        """After a card was burned; ``seen`` is one that came out face up, which is void (art. 5)."""
        if not self.dealt:
            return self._replace(before=min(self.before, self.decks or rules.options.decks) + 1)
        unseen = self.unseen if seen else min(self.unseen + 1, _MANY)
        return self._replace(unseen=unseen, any_since=self.second is Second.NOT_DEALT)

    def deals(self, rules: Rules) -> tuple[Burned, tuple[Violation, ...]]:
        """After a card was dealt. With the first of the round it is told what had to be burned before."""
        if self.dealt:
            return self, ()
        return self._replace(before=0, dealt=True), tuple(rules.regulation.burns.before_the_deal(self, rules))

    def deals_second(self) -> Burned:
        """After the bank took its second card."""
        second = Second.AFTER_A_BURN if self.any_since else Second.WITHOUT_A_BURN
        return self._replace(second=second, any_since=False)

    def finish(self, rules: Rules, *, interrupted: bool) -> Iterator[Violation]:
        """What is missing; ``interrupted`` is a round that was declared void or in which the equipment failed."""
        if self.dealt and not interrupted:
            yield from rules.regulation.burns.before_the_second_card(self, rules)
