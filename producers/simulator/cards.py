"""The cards of a table: shuffled, and drawn one by one until the white card or the next shuffle."""

from __future__ import annotations

from random import Random

from producers.simulator.chance import shuffle
from schemas.cards import DECK, SUITS, CardName


class Cards:
    """The cards of some decks. ``behind`` is the number of cards behind the white card, None where there is none.

    ``seen`` are the cards that the log names since the last shuffle.
    """

    def __init__(self, decks: int, random: Random) -> None:
        self.decks = decks
        self.seen: list[CardName] = []
        self.behind: int | None = None
        self.white_is_out = False
        self._random = random
        self._left: list[CardName] = []

    def shuffle(self, behind: int | None = None) -> None:
        """Put all the cards together and shuffle them."""
        self._left = list(DECK) * self.decks
        shuffle(self._random, self._left)
        self.seen.clear()
        self.behind = behind
        self.white_is_out = False

    def __len__(self) -> int:
        return len(self._left)

    def white_comes(self) -> bool:
        """Whether the white card comes out before the next card; true once."""
        if self.behind is None or self.white_is_out or len(self._left) > self.behind:
            return False
        self.white_is_out = True
        return True

    def draw(self) -> CardName:
        """The next card."""
        return self._left.pop()

    def misread(self, card: CardName) -> CardName | None:
        """A card of the same rank of which the log has every copy; misreading ``card`` as that one makes one too many."""
        twins = (CardName(card[0] + suit) for suit in SUITS)
        return next((twin for twin in twins if twin != card and self.seen.count(twin) == self.decks), None)
