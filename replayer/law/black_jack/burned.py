"""The machine of the burned cards of a round: those before its first card, and those before the bank's second one (art. 4)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from replayer.law.black_jack.rules import Rules
from replayer.machine import SEVERAL, Violation


class Second(Enum):
    """The bank's second card."""

    NOT_DEALT = "not dealt"
    AFTER_A_BURN = "dealt after a card was burned in the round"
    WITHOUT_A_BURN = "dealt, and no card was burned before"


class Burned(NamedTuple):
    """The burned cards of a round.

    Attributes:
        unshuffled: whether no shuffle of the cards is on the log.
        decks: those of a shuffle since which no card was dealt; 0 where there was none.
        before: cards burned since, before a card is dealt. One more than the decks is that or more; in the round none is more
            than the shoe calls for: any further one is burned during the round.
        dealt: whether the first card was dealt.
        first: whether the cards were shuffled for this round, or in it: it is the first one of its shoe.
        unseen: cards burned unseen since the first card; two are two or more.
        any_since: whether any was burned since then, seen or not, as long as the bank has no second card.
        second: the bank's second card.
    """

    unshuffled: bool = False
    decks: int = 0
    before: int = 0
    dealt: bool = False
    first: bool = False
    unseen: int = 0
    any_since: bool = False
    second: Second = Second.NOT_DEALT

    def is_shuffled(self, decks: int, rules: Rules) -> Burned:
        """After a shuffle of so many decks, 0 where the log does not count them."""
        return self._replace(decks=decks or rules.options.decks, before=0)

    def opens(self, rules: Rules) -> bool:
        """Whether a card burned now is one of those before the deal: before the first card, or one that a shoe shuffled in the
        round still calls for."""
        return not self.dealt or (self.decks > 0 and self.before < rules.regulation.burns.of_a_shoe(self.decks, rules))

    def burns(self, rules: Rules, *, seen: bool) -> Burned:
        """After a card was burned; ``seen`` is one that came out face up, which is void (art. 5)."""
        if self.opens(rules):
            return self._replace(before=min(self.before, self.decks or rules.options.decks) + 1)
        unseen = self.unseen if seen else min(self.unseen + 1, SEVERAL)
        return self._replace(unseen=unseen, any_since=self.second is Second.NOT_DEALT)

    def deals(self, rules: Rules) -> tuple[Burned, tuple[Violation, ...]]:
        """After a card was dealt. With the first of the round, or of a shoe, it is told what had to be burned before."""
        if self.dealt and not self.decks:
            return self, ()
        after = self._replace(
            unshuffled=self.unshuffled and not self.decks, decks=0, before=0, dealt=True, first=self.decks > 0
        )
        return after, tuple(rules.regulation.burns.before_the_deal(self, rules))

    def deals_second(self) -> Burned:
        """After the bank took its second card."""
        second = Second.AFTER_A_BURN if self.any_since else Second.WITHOUT_A_BURN
        return self._replace(second=second, any_since=False)

    def finish(self, rules: Rules, *, interrupted: bool) -> Iterator[Violation]:
        """What is missing; ``interrupted`` is a round that was declared void or in which the equipment failed."""
        if self.dealt and not interrupted:
            yield from rules.regulation.burns.before_the_second_card(self, rules)
