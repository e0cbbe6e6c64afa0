"""The machine of the order in which hands get their cards, and of their number (arts. 7 and 11(1))."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from replayer.contract.symbols import BANK
from replayer.law.fortune_3_card_poker.cards import CARDS

OUT_OF_ORDER: Final = "out of order"
"""The mark of the first card that came out of its turn."""
LAST_CARD: Final = "last card of"
LAST_CARD_LEFT: Final = "last card left of"
"""Followed by a blank and a place, the mark of the last card that its hand got, or got if exposed ones are replaced."""


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
