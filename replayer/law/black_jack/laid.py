"""A player's hand as it lies on the table: which card lies where, and which event set which mark of its machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from typing import TypeAlias

from replayer.law.black_jack.cards import MANY, Cards, cards_of, many
from replayer.law.black_jack.doubling import DOWN
from replayer.law.black_jack.play import LAST_CARD, MADE
from replayer.law.black_jack.points import NOT_KNOWN, Called
from schemas.cards import UNKNOWN_SUIT

_ByPosition: TypeAlias = "Mapping[int, LaidCard]"


class LaidCard:
    """A card as it lies: its ``text`` as the log tells it, the positions that dealt it and that turned it, zero where none did.
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
        cards: its cards by the position that dealt each, in their order; ``hidden``: whether any was dealt face down.
        total: the one last announced since its last card; zero where none was.
        marks: the positions that set them.
        down_at: the positions that dealt it a card face down since it was doubled, in their order.
    """

    __slots__ = ("_index", "_lying", "cards", "down_at", "hidden", "marks", "total")

    def __init__(self, made_at: int = 0) -> None:
        self.cards: dict[int, LaidCard] = {}
        self.hidden = False
        self.total = 0
        self.marks = {MADE: made_at}
        self.down_at: dict[int, None] = {}
        self._lying = 0
        self._index: _Index | None = None

    @property
    def ranks(self) -> str:
        """Those of its cards."""
        return "".join([card.text[0] for card in self.cards.values()])

    @property
    def all_open(self) -> bool:
        """Whether none of its cards lies face down."""
        return not self._lying

    @property
    def last_at(self) -> int:
        """The position that dealt its last card; zero where it has none."""
        return next(reversed(self.cards), 0)

    def counted(self) -> tuple[Cards, Called]:
        """Its cards as the rules see them, and which total of theirs was announced."""
        texts = [card.text for card in self.cards.values()] if len(self.cards) < MANY else None
        # No rule asks more of many cards than what they count.
        cards = many(self._indexed().counts) if texts is None else cards_of(texts)
        return cards, cards.called(self.total)

    def lay(self, card: LaidCard) -> None:
        """One more card lies there."""
        self.cards[card.dealt_at] = card
        self.hidden = self.hidden or card.hidden
        self._lying += card.lies_down
        if self._index is not None:
            self._index.add(card)

    def part(self) -> LaidCard:
        """Its last card goes to another hand."""
        return self._take(self.cards[self.last_at])

    def name(self, text: str) -> bool:
        """The first card that is not named becomes ``text``; whether there was one."""
        index = self._indexed()
        card = index.first_unnamed(self.cards)
        if card is None:
            return False
        index.counts[NOT_KNOWN] -= 1
        card.text = text[0] + (text[1:] or card.text[1:])
        index.add(card)
        return True

    def has(self, rank: str) -> bool:
        """Whether it has a card of a rank."""
        return self._indexed().counts[rank] > 0

    def lies_down(self, text: str) -> LaidCard | None:
        """The first card of a name that lies face down; of a rank alone where one of the suits is not known."""
        names = _named(text) or (text[0],)
        return next(filter(None, (self._indexed().lying(self.cards, name) for name in names)), None)

    def turn(self, text: str, position: int) -> None:
        """The first card of a name that lies face down, or else of its rank, is turned by a position, if there is one."""
        card = self.lies_down(text) or self._indexed().lying(self.cards, text[0])
        if card is not None:
            card.turned_at = position
            self._lying -= 1

    def take_away(self, text: str) -> LaidCard | None:
        """The last card of a name, or else of its rank, or else the last one that is not named, is taken away; None where there
        is none of these."""
        index = self._indexed()
        names = (*_named(text), text[0], NOT_KNOWN)
        card = next(filter(None, (index.last(self.cards, name) for name in names)), None)
        if card is not None:
            self._take(card)
            self.down_at.pop(card.dealt_at, None)
        return card

    def _take(self, card: LaidCard) -> LaidCard:
        del self.cards[card.dealt_at]
        self._lying -= card.lies_down
        if self._index is not None:
            self._index.counts[card.text[0]] -= 1
        return card

    def _indexed(self) -> _Index:
        """Made when it is first asked: few hands have cards turned or taken away."""
        if self._index is None:
            self._index = _Index()
            for card in self.cards.values():
                self._index.add(card)
        return self._index

    def where(self, mark: str) -> int:
        """The position that set a mark."""
        if mark == LAST_CARD:
            return self.last_at
        return next(iter(self.down_at)) if mark == DOWN else self.marks.get(mark, 0)


def _named(text: str) -> tuple[str, ...]:
    """The names under which a card of a rank and a suit may lie; none where its suit is not told."""
    return () if text[1:] in ("", UNKNOWN_SUIT) else (text, text[0] + UNKNOWN_SUIT)


class _Index:
    """Where a hand's cards of each rank lie: which one is meant is found at once, however many there are.

    A card that was taken away, named or turned since stays in the heaps until it comes up.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._unnamed: list[int] = []
        self._last: dict[str, list[int]] = {}
        self._lying: dict[str, list[int]] = {}

    def add(self, card: LaidCard) -> None:
        """A card lies there, or has its name now."""
        rank = card.text[0]
        self.counts[rank] += 1
        if rank == NOT_KNOWN:
            heappush(self._unnamed, card.dealt_at)
        for name in {rank, card.text}:
            heappush(self._last.setdefault(name, []), -card.dealt_at)
            if card.lies_down:
                heappush(self._lying.setdefault(name, []), card.dealt_at)

    def first_unnamed(self, cards: _ByPosition) -> LaidCard | None:
        """The first card that is not named."""
        return _top(self._unnamed, cards, lambda card: card.text[0] == NOT_KNOWN)

    def last(self, cards: _ByPosition, name: str) -> LaidCard | None:
        """The last card of a rank, or of a rank and a suit."""
        return _top(self._last.get(name, []), cards, lambda card: card.text.startswith(name))

    def lying(self, cards: _ByPosition, name: str) -> LaidCard | None:
        """The first card of a rank, or of a rank and a suit, that lies face down."""
        return _top(self._lying.get(name, []), cards, lambda card: card.text.startswith(name) and card.lies_down)


def _top(heap: list[int], cards: _ByPosition, holds: Callable[[LaidCard], bool]) -> LaidCard | None:
    while heap:
        card = cards.get(abs(heap[0]))
        if card is not None and holds(card):
            return card
        heappop(heap)
    return None
