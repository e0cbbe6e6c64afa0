"""The cards of a table: shuffled, drawn one by one, taken back by a machine or used up until the white card comes."""

from __future__ import annotations

from collections import Counter
from random import Random

from schemas.cards import DECK, Card


class Cards:
    """So many decks. ``behind`` cards lie behind the white card, None where there is none.

    ``seen`` counts the cards whose faces the log has since the last shuffle.
    """

    def __init__(self, decks: int, random: Random) -> None:
        self.decks = decks
        self.seen: Counter[str] = Counter()
        self.behind: int | None = None
        self.white_is_out = False
        self._random = random
        self._left: list[Card] = []

    def shuffle(self, behind: int | None = None) -> None:
        """Put all the cards together and shuffle them."""
        self._left = list(DECK) * self.decks
        self._random.shuffle(self._left)
        self.seen.clear()
        self.behind = behind
        self.white_is_out = False

    def __len__(self) -> int:
        return len(self._left)

    def white_comes(self) -> bool:
        """Whether the white card comes out before the next card; says so once."""
        if self.behind is None or self.white_is_out or len(self._left) > self.behind:
            return False
        self.white_is_out = True
        return True

    def draw(self) -> Card:
        """The next card."""
        return self._left.pop()

    def surplus(self) -> Card | None:
        """A card of which the log has every copy already, though not every card of its rank; None where there is none."""
        ranks = Counter[str]()
        for card, count in self.seen.items():
            ranks[card[0]] += count
        every, whole = self.decks, 4 * self.decks
        spent = [card for card, count in self.seen.items() if count == every and ranks[card[0]] < whole]
        return Card(min(spent)) if spent else None
