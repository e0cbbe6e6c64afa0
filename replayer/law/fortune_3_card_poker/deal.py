"""The machines of shuffle and deal: the cards, shuffled and cut (arts. 1, 3), the order in which hands get them, and their number
(arts. 7, 11(1)), exposed cards, a failing shuffler, a void round, and when the croupier opens his hand (arts. 9, 11)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from replayer.contract.machine import Violation, Violations
from replayer.contract.symbols import BANK, FoundShoe
from replayer.law.fortune_3_card_poker.cards import CARDS
from replayer.law.fortune_3_card_poker.options import HAND
from replayer.law.fortune_3_card_poker.rules import Rules

# The cards before the deal


class Shoe(NamedTuple):
    """The cards of a round: shuffled since the round before, by hand or by machine, and cut.

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

    def shuffled(self, method: str, decks: int, rules: Rules) -> tuple[Shoe, tuple[Violation, ...]]:
        """With a shuffle of ``decks``."""
        law, after = rules.regulation, self._replace(by_hand=method == HAND, again=self.dealt and not self.during)
        return after, (*law.shuffle.by_method(method, rules), *law.material.of_decks(decks))

    def deals(self, rules: Rules) -> tuple[Shoe, tuple[Violation, ...]]:
        """With a card dealt; another shuffle needs another cut."""
        found = rules.regulation.shuffle.before_a_card(self, rules)
        return Shoe(self.found, dealt=True, during=self.during or self.again), found


# The order of the hands

_TRANSITIONS: Final = 1 << 14
"""How many are cached; a regular deal to seven places has 24."""


class OutOfOrder(NamedTuple):
    """A card that ``place`` got instead of ``due``; both are the croupier's where a card came too late, after a decision."""

    place: int
    due: int


class Order(NamedTuple):
    """Cards dealt to the hands of a deal.

    Attributes:
        turns: the places in each order in which they may get their cards, as far as the cards fit it; none once they fit none.
        counts: the cards that each hand got, as (place, number), counted to four.
        wrong: the first card that came out of order.
    """

    turns: tuple[tuple[int, ...], ...]
    counts: tuple[tuple[int, int], ...]
    wrong: OutOfOrder | None = None

    @classmethod
    def of(cls, *turns: tuple[int, ...]) -> Order:
        """A deal that has not begun, to hands that get their cards in one of these ``turns``."""
        return cls(turns, tuple((place, 0) for place in dict.fromkeys(turns[0])))

    @property
    def hands(self) -> Sequence[int]:
        """The places that get cards."""
        return [place for place, _ in self.counts]

    @property
    def begun(self) -> bool:
        """Whether a card was dealt."""
        return any(count for _, count in self.counts)

    @property
    def complete(self) -> bool:
        """Whether every hand has its cards."""
        return all(count == CARDS for _, count in self.counts)

    @lru_cache(maxsize=_TRANSITIONS)  # noqa: B019 - of values
    def dealt(self, place: int, *, late: bool) -> Order:
        """With one more card to a hand; ``late`` where it came after a decision."""
        at = sum(count for _, count in self.counts)
        counts = tuple((hand, min(count + (hand == place), CARDS + 1)) for hand, count in self.counts)
        if self.wrong is not None or at >= len(self.turns[0]):
            return self._replace(counts=counts)
        fitting = () if late else tuple(turns for turns in self.turns if turns[at] == place)
        wrong = None if fitting else OutOfOrder(BANK, BANK) if late else OutOfOrder(place, self.turns[0][at])
        return Order(fitting, counts, wrong)

    def taken(self, place: int) -> Order:
        """With one card less at a hand: it was put aside."""
        return self._replace(counts=tuple((hand, count - (hand == place)) for hand, count in self.counts))


def hand_of(place: int) -> str:
    """The hand of a place, in words."""
    return "the croupier" if place == BANK else f"place {place}"


# The deal


class Failure(Enum):
    """Whether the shuffler failed."""

    NONE = "it did not"
    BEFORE = "before the deal"
    IN_THE_DEAL = "after a card, and none came since"
    PLAYED_ON = "during the deal, which went on"


class Opened(Enum):
    """Whether the croupier's hand was opened."""

    NONE = "it was not"
    OPEN = "it was, and nobody decided since"
    EARLY = "before somebody decided"


class Deal(NamedTuple):
    """A deal.

    Attributes:
        places: those with a wager.
        in_turn: whether their hands get their cards one by one (7(1)), or three at once (7(2)); None where either is lawful, as
            nothing tells what is dealt from.
        given: the cards of their hands and of the croupier's.
        left: those of them that count, without an exposed card of the croupier where it is replaced (F3-11).
        astray: the places without a wager that got cards.
        irregular: whether a card was exposed, or went to a place without a wager; ``bank_exposed``: whether one of the croupier
            was exposed.
        failure: whether the shuffler failed; of a void round no rule asks whether before the deal, or whether that went on.
        void: whether the round was declared void.
        decided: whether a player decided; ``opened``: whether the croupier's hand was opened before that.
        burned, over: whether a card was burned, and the round ended, so that what is missing was omitted.
    """

    places: tuple[int, ...]
    in_turn: bool | None
    given: Order
    left: Order
    astray: frozenset[int] = frozenset()
    irregular: bool = False
    bank_exposed: bool = False
    failure: Failure = Failure.NONE
    void: bool = False
    decided: bool = False
    opened: Opened = Opened.NONE
    burned: bool = False
    over: bool = False

    @classmethod
    def of(cls, places: tuple[int, ...], rules: Rules, shuffled: str = "") -> Deal:
        """A deal to the places with wagers that has not begun, of cards ``shuffled`` by hand or by machine, empty where the log
        does not show it. A place that the layout does not have gets no turn."""
        distribution = rules.regulation.distribution
        in_turn = distribution.in_turn(rules.options, shuffled)
        on_layout = tuple(filter(rules.regulation.places.on_layout, places))
        ways = (True, False) if in_turn is None else (in_turn,)
        order = Order.of(*(distribution.order(on_layout, in_turn=way) for way in ways))
        return cls(places, in_turn, order, order)

    @property
    def begun(self) -> bool:
        """Whether a card was dealt, even if only to a place without a wager."""
        return self.given.begun or bool(self.astray)

    @property
    def idle(self) -> bool:
        """Whether there was no bet, and so no card dealt."""
        return not (self.places or self.begun)

    @property
    def interrupted(self) -> bool:
        """Whether it was broken off, so that cards may have been dealt again."""
        return self.void or self.failure is not Failure.NONE

    @property
    def failed_in_the_deal(self) -> bool:
        """Whether the shuffler failed between the first card and the last, of which 11(4) speaks."""
        return self.failure in (Failure.IN_THE_DEAL, Failure.PLAYED_ON)

    def shuffled(self, method: str, rules: Rules) -> Deal:
        """After a shuffle, which decides how the cards are dealt; once cards lie on the table it is for another deal."""
        if self.begun:
            return self
        fresh = Deal.of(self.places, rules, method)
        return self._replace(in_turn=fresh.in_turn, given=fresh.given, left=fresh.left)

    def dealt(self, place: int, rules: Rules, *, seen: bool) -> tuple[Deal, Violations]:
        """With one more card. Art. 11(2), (3): one that is exposed, or dealt to a place without a wager, is a violation."""
        seen = seen and rules.records("faces")
        deal, found = self._exposed(place, rules) if seen else (self, ())
        if place in self.given.hands:
            given = self.given.dealt(place, late=self.decided)
            aside = seen and place == BANK and rules.regulation.irregularities.replaces_exposed(rules.readings)
            left = self.left if aside else self.left.dealt(place, late=self.decided)
            goes_on = self.failure is Failure.IN_THE_DEAL and not self.void
            failure = Failure.PLAYED_ON if goes_on else self.failure
            return deal._replace(given=given, left=left, failure=failure), found
        if place not in self.astray and place not in self.places:
            found = (*found, rules.regulation.irregularities.without_wager(place))
            deal = deal._replace(astray=self.astray | {place}, irregular=True)
        return deal, found

    def _exposed(self, place: int, rules: Rules) -> tuple[Deal, Violations]:
        after = self._replace(irregular=True, bank_exposed=self.bank_exposed or place == BANK)
        return after, (rules.regulation.irregularities.lay_open(place),)

    def failed(self) -> Deal:
        """After a failure of the shuffler; 11(4) does not apply once every hand has its cards."""
        if self.left.complete or self.failure is Failure.PLAYED_ON:
            return self
        if self.begun:
            return self._replace(failure=Failure.IN_THE_DEAL)
        return self if self.interrupted else self._replace(failure=Failure.BEFORE)

    @property
    def under_way(self) -> bool:
        """Whether cards were dealt and the croupier, who is last (art. 7), has not all of his."""
        _, of_croupier = self.given.counts[-1]
        return self.given.begun and not self.decided and of_croupier < CARDS

    def turned(self, place: int, rules: Rules) -> tuple[Deal, Violations]:
        """With a card turned. Art. 11(2): during the deal it is exposed, and opens no hand."""
        if self.under_way:
            if not rules.options.records_turns_in_the_deal:
                return self, ()
            deal, found = self._exposed(place, rules)
            aside = place == BANK and rules.regulation.irregularities.replaces_exposed(rules.readings)
            lay_face_down = self.left.counts[-1][1]
            return (deal._replace(left=self.left.taken(BANK)) if aside and lay_face_down else deal), found
        return (self._replace(opened=Opened.OPEN) if self.opened is Opened.NONE and place == BANK else self), ()

    def decides(self, rules: Rules) -> tuple[Deal, Violations]:
        """With a decision. Art. 9: the croupier plays against those who are left when all have decided. One before the first
        card interrupts no deal; whether it was allowed is judged at its place."""
        if not self.given.begun:
            return self, ()
        if self.opened is not Opened.OPEN:
            return (self if self.decided else self._replace(decided=True)), ()
        return self._replace(decided=True, opened=Opened.EARLY), (rules.regulation.play.opened_early(),)

    def paid(self, rules: Rules) -> Deal:
        """With the first wager settled."""
        if self.decided:
            rules.regulation.play.paid_after_decisions(rules.readings)
        return self.ended()

    def ended(self) -> Deal:
        """With its end, which no rule asks of a round that was declared void."""
        return self if self.void else self._replace(over=True)

    def declared_void(self) -> Deal:
        """With the round declared void."""
        failure = Failure.IN_THE_DEAL if self.failed_in_the_deal else Failure.NONE
        return self._replace(failure=failure, void=True, over=False)
