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


class BurnedCards(NamedTuple):
    """The burned cards of a round.

    Attributes:
        unshuffled: whether the log has no shuffle of the cards, as long as a burn may be wanting.
        decks: the decks of a shuffle after which no card was dealt yet; 0 where there is none.
        before: cards burned since, before a card is dealt, counted to one more than the decks; within a round only up to the
            number that the shoe requires, as any further one counts as burned during the round.
        dealt: whether the first card was dealt.
        first: whether the round is the first one of its shoe, shuffled for it or in it.
        unseen: cards burned unseen since the first card, counted to two.
        any_since: whether any was burned since then, seen or not, while the bank has no second card.
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

    def is_shuffled(self, decks: int, rules: Rules) -> BurnedCards:
        """After a shuffle of so many decks, 0 where the log does not count them."""
        unshuffled = self.unshuffled and self.dealt
        return self._replace(unshuffled=unshuffled, decks=decks or rules.options.decks, before=0)

    def opens(self, rules: Rules) -> bool:
        """Whether a card burned now counts as burned before the deal: before the first card, or still required by a shoe shuffled
        in the round."""
        return not self.dealt or (self.decks > 0 and self.before < rules.regulation.burns.of_a_shoe(self.decks, rules))

    def burns(self, rules: Rules, *, seen: bool) -> BurnedCards:
        """After a card was burned; ``seen`` marks one that came out face up, which is void (art. 5)."""
        if self.opens(rules):
            return self._replace(before=min(self.before, self.decks or rules.options.decks) + 1)
        unseen = self.unseen if seen else min(self.unseen + 1, SEVERAL)
        before_second = self.second is Second.NOT_DEALT
        unshuffled = self.unshuffled and not before_second
        return self._replace(unshuffled=unshuffled, unseen=unseen, any_since=before_second)

    def deals(self, rules: Rules) -> tuple[BurnedCards, tuple[Violation, ...]]:
        """After a card was dealt; with the first one of the round, or of a shoe, gives the violations of the burns before it."""
        if self.dealt and not self.decks:
            return self, ()
        after = self._replace(
            unshuffled=self.unshuffled and not self.decks, decks=0, before=0, dealt=True, first=self.decks > 0
        )
        return after, tuple(rules.regulation.burns.before_the_deal(self, rules))

    def deals_second(self) -> BurnedCards:
        """After the bank took its second card."""
        second = Second.AFTER_A_BURN if self.any_since else Second.WITHOUT_A_BURN
        return self._replace(second=second, any_since=False)

    def finish(self, rules: Rules, *, interrupted: bool) -> Iterator[Violation]:
        """What is missing; ``interrupted`` is a round that was declared void or in which the equipment failed."""
        if self.dealt and not interrupted:
            yield from rules.regulation.burns.before_the_second_card(self, rules)
