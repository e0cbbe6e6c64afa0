"""The cards of one hand on the table: finds the card meant when one is turned or removed."""

from __future__ import annotations

from collections import defaultdict, deque
from heapq import heappop, heappush
from typing import Generic, TypeVar

from replayer.contract.cards import UNNAMED, Card

Item = TypeVar("Item")


class LaidCards(Generic[Item]):
    """Cards that lie face down or open, each with an item of the caller. Finding a card takes the same time for any number of
    cards."""

    def __init__(self) -> None:
        self._laid = 0
        self._down: defaultdict[Card, deque[tuple[int, Item]]] = defaultdict(deque)
        self._open: defaultdict[Card, list[tuple[int, Item]]] = defaultdict(list)  # the last one on top

    def lay(self, card: Card, item: Item, *, seen: bool) -> None:
        """Add a card; ``seen`` where it lies open."""
        self._laid += 1
        name = card if card.named else UNNAMED
        if seen:
            heappush(self._open[name], (-self._laid, item))
        else:
            self._down[name].append((self._laid, item))

    def turn(self, card: Card) -> Item | None:
        """Turn a card: the first that lay face down as this card, as one of its rank without a suit, or without a name; else the
        last that lay open as one of these. From then on it lies open as this card. None where there is no such card."""
        names = (card, card.of_no_suit, UNNAMED)
        if was := next((name for name in names if self._down.get(name)), None):
            number, item = self._down[was].popleft()
        elif was := next((name for name in names if self._open.get(name)), None):
            last, item = heappop(self._open[was])
            number = -last
        else:
            return None
        heappush(self._open[card], (-number, item))
        return item

    def take(self, card: Card) -> Item | None:
        """Remove a card: the last that is this card, else the last without a name. None where there is neither."""
        for lies in (card, UNNAMED):
            down, open_ = self._down.get(lies), self._open.get(lies)
            if down and (not open_ or down[-1][0] > -open_[0][0]):
                return down.pop()[1]
            if open_:
                return heappop(open_)[1]
        return None
