"""A player's hand on the table: its cards with their positions, and the events that set the marks of its machine."""

from __future__ import annotations

from replayer.contract.cards import Card
from replayer.contract.laid_cards import LaidCard, LaidCards
from replayer.law.black_jack.doubling import CARD_DOWN
from replayer.law.black_jack.hand import MANY, Cards, cards_of, many
from replayer.law.black_jack.marks import LAST_CARD
from replayer.law.black_jack.points import CalledTotal
from replayer.law.black_jack.splitting import MADE


class LaidHand(LaidCards):
    """A hand on the table.

    Attributes:
        totals: the total announced since each card, by the position that dealt it.
        marks: the position of each mark.
        down_at: the positions that dealt it a card face down since it was doubled, in order.
    """

    __slots__ = ("down_at", "marks", "totals")

    def __init__(self, made_at: int = 0) -> None:
        super().__init__()
        self.totals: dict[int, int] = {}
        self.marks = {MADE: made_at}
        self.down_at: dict[int, None] = {}

    def counted(self) -> tuple[Cards, CalledTotal]:
        """Its cards as the rules see them, and which of their totals was announced."""
        few = len(self.cards) < MANY  # of more cards, only the points matter
        cards = cards_of(self) if few else many(self.counts)
        return cards, cards.called(self.totals.get(self.last_at, 0))

    def take(self, card: Card) -> LaidCard | None:
        """Remove a card."""
        taken = super().take(card)
        if taken is not None:
            self.down_at.pop(taken.dealt_at, None)
        return taken

    def where(self, mark: str) -> int:
        """The position that set a mark."""
        if mark == LAST_CARD:
            return self.last_at
        return next(iter(self.down_at)) if mark == CARD_DOWN else self.marks.get(mark, 0)
