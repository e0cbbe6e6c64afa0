"""The machine of the order in which hands get their cards, and of their number (arts. 7 and 11(1))."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from replayer.law.fortune_3_card_poker.cards import CARDS
from replayer.law.fortune_3_card_poker.dealing import BANK
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.machine import Violation
from schemas.finding import Severity, declare

F3_CARD_NUMBER: Final = declare("F3_CARD_NUMBER", Severity.MONEY, "A hand of more or fewer than three cards")
F3_DEAL_ORDER: Final = declare("F3_DEAL_ORDER", Severity.MONEY, "Cards dealt in a wrong order")

OUT_OF_ORDER: Final = "out of order"
"""The mark of the first card that came out of its turn."""
LAST_CARD: Final = "last card of "
LAST_CARD_LEFT: Final = "last card left of "
"""With a place behind, the mark of the last card that its hand got, and of the last one if open ones are replaced."""


class OutOfOrder(NamedTuple):
    """A card that ``place`` got in place of ``due``; the same place got it where it came too late, after a decision."""

    place: int
    due: int


@dataclass(frozen=True, slots=True)
class Order:
    """Cards dealt to the hands of a deal.

    Attributes:
        hands: the places with a wager from the left, then the croupier.
        in_turn: whether each gets its cards one by one, in turn with the others (7(1)), or all at once (7(2)).
        counts: how many cards each hand got; four are four or more.
        wrong: the first card that came out of order.
    """

    hands: tuple[int, ...]
    in_turn: bool
    counts: tuple[int, ...]
    wrong: OutOfOrder | None = None

    @classmethod
    def of(cls, places: tuple[int, ...], *, in_turn: bool) -> Order:
        """A deal to ``places`` and the croupier that has not begun."""
        hands = (*sorted(places), BANK)
        return cls(hands, in_turn, (0,) * len(hands))

    @property
    def begun(self) -> bool:
        """Whether a card was dealt."""
        return any(self.counts)

    @property
    def regular(self) -> bool:
        """Whether all cards were dealt, each in its turn."""
        return self.wrong is None and all(count == CARDS for count in self.counts)

    def dealt(self, place: int, rules: Rules, *, late: bool) -> Order:
        """With one more card to a hand; ``late`` where it came after a decision."""
        at, dealt = self.hands.index(place), sum(self.counts)
        counts = (*self.counts[:at], min(self.counts[at] + 1, CARDS + 1), *self.counts[at + 1 :])
        if self.wrong is not None or dealt >= CARDS * len(self.hands):
            return replace(self, counts=counts)
        due = rules.regulation.art7.next_hand(self.hands, dealt, in_turn=self.in_turn)
        if place == due and not late:
            return replace(self, counts=counts)
        return replace(self, counts=counts, wrong=OutOfOrder(place, place if late else due))

    def miscounted(self, rules: Rules, mark: str = LAST_CARD) -> Iterator[Violation]:
        """11(1): hands of another number of cards than three, each at its ``mark``."""
        irregular = rules.regulation.art11
        unrecorded = "deal_order" in rules.options.not_recorded  # such a source may leave out hands that nobody opened
        for place, count in zip(self.hands, self.counts, strict=True):
            if not irregular.number_is_right(count) and not (unrecorded and count == 0):
                message = f"{hand_of(place)} got {{cards}} cards: the bets are void, the round is invalid"
                yield Violation(F3_CARD_NUMBER.code, irregular.cite(1), message, f"{mark}{place}")

    def misordered(self, rules: Rules) -> Iterator[Violation]:
        """11(1): another order than art. 7 prescribes."""
        if self.wrong is None or "deal_order" in rules.options.not_recorded:
            return
        place, due = self.wrong
        text = "a card dealt after a decision"
        if place != due:
            text = f"{hand_of(place)} got a card that was due to {hand_of(due)}"
        yield Violation(
            F3_DEAL_ORDER.code, rules.regulation.art11.cite(1), f"{text}: the round is invalid", OUT_OF_ORDER
        )


def hand_of(place: int) -> str:
    """The hand of a place, in words."""
    return "the croupier" if place == BANK else f"place {place}"
