"""A player's hand as it lies on the table: which card lies where, and which event set which mark of its machine."""

from __future__ import annotations

from replayer.law.black_jack.cards import MANY, Cards, cards_of, many
from replayer.law.black_jack.doubling import DOWN
from replayer.law.black_jack.play import LAST_CARD, MADE
from replayer.law.black_jack.points import NOT_KNOWN, Called


class LaidCard:
    """A card as it lies: its ``text`` as the log tells it, the words that dealt it and that turned it, zero where none did.
    ``hidden`` is whether it was dealt face down."""

    __slots__ = ("dealt_at", "hidden", "text", "turned_at")

    def __init__(self, text: str, dealt_at: int, *, hidden: bool) -> None:
        self.text = text
        self.dealt_at = dealt_at
        self.hidden = hidden
        self.turned_at = 0

    @property
    def lies_down(self) -> bool:
        """Whether it lies face down."""
        return self.hidden and not self.turned_at


class LaidHand:
    """A hand as it lies on the table.

    Attributes:
        cards: its cards; ``hidden``: whether any was dealt face down.
        total: the one last announced since its last card; zero where none was.
        marks: the words that set them.
        down_at: the words that dealt it a card face down since it was doubled.
    """

    __slots__ = ("cards", "down_at", "hidden", "marks", "total")

    def __init__(self, made_at: int = 0) -> None:
        self.cards: list[LaidCard] = []
        self.hidden = False
        self.total = 0
        self.marks = {MADE: made_at}
        self.down_at: list[int] = []

    @property
    def ranks(self) -> str:
        """Those of its cards."""
        return "".join([card.text[0] for card in self.cards])

    @property
    def all_open(self) -> bool:
        """Whether none of its cards lies face down."""
        return not (self.hidden and any(card.lies_down for card in self.cards))

    def counted(self) -> tuple[Cards, Called]:
        """Its cards as the rules see them, and which total of theirs was announced."""
        told = [card.text for card in self.cards]
        # No rule asks more of many cards than what they count.
        cards = cards_of(told) if len(told) < MANY else many(self.ranks)
        return cards, cards.called(self.total)

    def last(self, rank: str) -> LaidCard | None:
        """The last card of a rank, or else the last one that is not named."""
        for wanted in (rank, NOT_KNOWN):
            for card in reversed(self.cards):
                if card.text[0] == wanted:
                    return card
        return None

    def where(self, mark: str) -> int:
        """The word that set a mark."""
        if mark == LAST_CARD:
            return self.cards[-1].dealt_at
        return self.down_at[0] if mark == DOWN else self.marks.get(mark, 0)
