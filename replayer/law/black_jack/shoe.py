"""The machines of the shoe in a round (art. 2) and of its burned cards (art. 4).

The steps keep the state; the articles, in ``shuffling``, give the violations.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from replayer.contract.machine import SEVERAL, Violation
from replayer.contract.symbols import FoundShoe
from replayer.law.black_jack.rules import Rules


class Behind(Enum):
    """How many cards lie behind the second white card."""

    NO_CARD = "there is none"
    LESS = "fewer than the last 30"
    RIGHT = "the last 30"
    MORE = "more than the last 30"


LAST_CARDS: Final = 30


class Shoe(NamedTuple):
    """The shoe in a round: how its cards were shuffled and cut, and whether the white card is out.

    Attributes:
        found: how the round found it; that the white card was out matters until the first card only.
        decks: the decks last shuffled by hand; 0 where there are none, or a machine shuffled since.
        cut: whether they were cut.
        whites, behind: white cards put in (counted to two; of one deck, which calls for none, one counts as two), and where a
            single one is.
        out: whether the white card came out since, before the first card.
        dealt: whether the first card was dealt.
        again, during: whether it was shuffled since the last card of the round, and whether the round went on after a shuffle.
    """

    found: FoundShoe = FoundShoe.USED
    decks: int = 0
    cut: bool = False
    whites: int = 0
    behind: Behind = Behind.NO_CARD
    out: bool = False
    dealt: bool = False
    again: bool = False
    during: bool = False

    def is_shuffled(self, method: str, decks: int, rules: Rules) -> tuple[Shoe, tuple[Violation, ...]]:
        """After a shuffle of so many decks. One in the round ends the shoe in use, and gives the violations of that one too."""
        law = rules.regulation
        violations = (*law.shuffling.by_method(method, rules), *law.material.of_decks(decks, rules))
        shuffled = Shoe(self.found, decks if method == "hand" else 0)
        if not self.dealt:
            return shuffled, violations
        return shuffled._replace(dealt=True, again=True, during=self.during), (
            *law.shuffling.of_the_cards(self, rules),
            *violations,
        )

    @property
    def _in_use(self) -> bool:
        """Whether the cards are being dealt."""
        return self.dealt and not self.again

    def is_cut(self) -> Shoe:
        """After a cut, which matters only for cards shuffled by hand and not yet dealt."""
        return self if self._in_use else self._replace(cut=self.decks > 0)

    def takes_white_card(self, behind: int) -> Shoe:
        """After a white card was put in before the last ``behind`` cards; the first one does not matter once cards are dealt."""
        if not self.decks or (self._in_use and not self.whites):
            return self
        if self.whites or self.decks == 1:
            return self._replace(whites=SEVERAL, behind=Behind.NO_CARD)
        depth = Behind.LESS if behind < LAST_CARDS else Behind.MORE if behind > LAST_CARDS else Behind.RIGHT
        return self._replace(whites=1, behind=depth)

    def gives_white_card(self) -> Shoe:
        """After the white card came out."""
        return self if self.dealt or self.found is FoundShoe.WHITE_CARD_OUT else self._replace(out=True)

    def deals(self, rules: Rules) -> tuple[Shoe, tuple[Violation, ...]]:
        """After a card was dealt; the first one of the round gives the violations of the shoe's state."""
        if self.dealt:
            return (self._replace(again=False, during=True) if self.again else self), ()
        violations = tuple(rules.regulation.shuffling.before_the_deal(self, rules))
        found = FoundShoe.USED if self.found is FoundShoe.WHITE_CARD_OUT else self.found
        return self._replace(found=found, dealt=True, out=False), violations

    def goes_on(self) -> Shoe:
        """After a decision, or a card of a hand in play."""
        return self._replace(during=True) if self.again else self


class Second(Enum):
    """The bank's second card, and a card burned before it in the round, seen or not."""

    NOT_DEALT = "not dealt, and no card was burned"
    AFTER_A_BURN = "a card was burned, and it follows or not"
    WITHOUT_A_BURN = "dealt, and no card was burned before"


class BurnedCards(NamedTuple):
    """The burned cards of a round: those before its first card, and those before the bank's second one.

    Attributes:
        unshuffled: whether the log has no shuffle of the cards, as long as a burn may be wanting.
        decks: the decks of a shuffle after which no card was dealt yet; 0 where there is none.
        before: cards burned since, before a card is dealt, counted to one more than the decks; within a round only up to the
            number that the shoe requires, as any further one counts as burned during the round.
        dealt: whether the first card was dealt.
        first: whether the round is the first one of its shoe, shuffled for it or in it.
        unseen: cards burned unseen since the first card, counted to two.
        second: the bank's second card.
    """

    unshuffled: bool = False
    decks: int = 0
    before: int = 0
    dealt: bool = False
    first: bool = False
    unseen: int = 0
    second: Second = Second.NOT_DEALT

    def is_shuffled(self, decks: int) -> BurnedCards:
        """After a shuffle of so many decks."""
        unshuffled = self.unshuffled and self.dealt
        return self._replace(unshuffled=unshuffled, decks=decks, before=0)

    def opens(self, rules: Rules) -> bool:
        """Whether a card burned now counts as burned before the deal: before the first card, or still required by a shoe shuffled
        in the round."""
        return not self.dealt or (
            self.decks > 0 and self.before < rules.regulation.burns.of_a_shoe(self.decks, rules)[-1]
        )

    def burns(self, rules: Rules, *, seen: bool) -> BurnedCards:
        """After a card was burned; ``seen`` marks one that came out face up, which is void (art. 5)."""
        if self.opens(rules):
            return self._replace(before=min(self.before, self.decks or rules.options.decks) + 1)
        unseen = self.unseen if seen else min(self.unseen + 1, SEVERAL)
        if self.second is not Second.NOT_DEALT:
            return self._replace(unseen=unseen)
        return self._replace(unshuffled=False, unseen=unseen, second=Second.AFTER_A_BURN)

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
        return self._replace(second=Second.WITHOUT_A_BURN) if self.second is Second.NOT_DEALT else self
