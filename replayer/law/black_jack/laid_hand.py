"""A player's hand on the table: its cards with their positions, and the events that set the marks of its machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from typing import TypeAlias

from replayer.contract.cards import UNNAMED, Card
from replayer.law.black_jack.doubling import CARD_DOWN
from replayer.law.black_jack.hand import MANY, Cards, cards_of, many
from replayer.law.black_jack.marks import LAST_CARD
from replayer.law.black_jack.points import CalledTotal
from replayer.law.black_jack.splitting import MADE
from schemas.cards import UNKNOWN_SUIT

_ByPosition: TypeAlias = "Mapping[int, LaidCard]"


class LaidCard:
    """A card on the table: the ``card`` as far as the log has named it, the positions that dealt and turned it, zero where none
    did. ``hidden`` is whether it was dealt face down."""

    __slots__ = ("card", "dealt_at", "hidden", "turned_at")

    def __init__(self, card: Card, dealt_at: int, *, hidden: bool) -> None:
        self.card = card
        self.dealt_at = dealt_at
        self.hidden = hidden
        self.turned_at = 0

    @property
    def lies_down(self) -> bool:
        """Whether it lies face down."""
        return self.hidden and not self.turned_at


class LaidHand:
    """A hand on the table.

    Attributes:
        cards: its cards by the position that dealt each, in order.
        totals: the total announced since each card, by the position that dealt it.
        marks: the position of each mark.
        down_at: the positions that dealt it a card face down since it was doubled, in order.
    """

    __slots__ = ("_index", "_lying", "cards", "down_at", "marks", "totals")

    def __init__(self, made_at: int = 0) -> None:
        self.cards: dict[int, LaidCard] = {}
        self.totals: dict[int, int] = {}
        self.marks = {MADE: made_at}
        self.down_at: dict[int, None] = {}
        self._lying = 0
        self._index: _Index | None = None

    @property
    def ranks(self) -> list[str]:
        """The ranks of its cards."""
        return [lies.card.rank for lies in self.cards.values()]

    @property
    def all_open(self) -> bool:
        """Whether none of its cards lies face down."""
        return not self._lying

    @property
    def last_at(self) -> int:
        """The position that dealt its last card; zero where it has none."""
        return next(reversed(self.cards), 0)

    def counted(self) -> tuple[Cards, CalledTotal]:
        """Its cards as the rules see them, and which of their totals was announced."""
        few = len(self.cards) < MANY  # of more cards, only the points matter
        cards = cards_of(lies.card for lies in self.cards.values()) if few else many(self._indexed().counts)
        return cards, cards.called(self.totals.get(self.last_at, 0))

    def lay(self, card: LaidCard) -> None:
        """Add a card."""
        self.cards[card.dealt_at] = card
        self._lying += card.lies_down
        if self._index is not None:
            self._index.add(card)

    def part(self) -> LaidCard:
        """Take off its last card, which goes to another hand."""
        return self._take(self.cards[self.last_at])

    def name(self, card: Card) -> LaidCard | None:
        """Name its first unnamed card; gives that card, None where there is none."""
        lies = self._indexed().first_unnamed(self.cards)
        if lies is not None:
            self._rename(lies, card)
        return lies

    def _rename(self, lies: LaidCard, card: Card) -> None:
        index = self._indexed()
        index.counts[lies.card.rank] -= 1
        lies.card = card
        index.add(lies)

    def has(self, rank: str) -> bool:
        """Whether it has a card of a rank."""
        return self._indexed().counts[rank] > 0

    def lies_down(self, card: Card) -> LaidCard | None:
        """The first such card that lies face down; by rank alone where a suit is unknown."""
        wanted = _lying_as(card) or (card.of_its_rank,)
        return next(filter(None, (self._indexed().lying(self.cards, each) for each in wanted)), None)

    def turn(self, card: Card, position: int) -> None:
        """Turn the first such card that lies face down, or else one of its rank, if there is one. A card of unknown suit gets the
        suit that it shows."""
        lies = self.lies_down(card) or self._indexed().lying(self.cards, card.of_its_rank)
        if lies is not None:
            lies.turned_at = position
            self._lying -= 1
            if lies.card == card.of_no_suit:
                self._rename(lies, card)

    def take_away(self, card: Card) -> LaidCard | None:
        """Remove the last such card, or else one of its rank, or else the last unnamed one; None where there is none of these."""
        index = self._indexed()
        wanted = (*_lying_as(card), card.of_its_rank, UNNAMED.of_its_rank)
        lies = next(filter(None, (index.last(self.cards, each) for each in wanted)), None)
        if lies is not None:
            self._take(lies)
            self.down_at.pop(lies.dealt_at, None)
        return lies

    def _take(self, card: LaidCard) -> LaidCard:
        del self.cards[card.dealt_at]
        self._lying -= card.lies_down
        if self._index is not None:
            self._index.counts[card.card.rank] -= 1
        return card

    def _indexed(self) -> _Index:
        """The index, made on first use: few hands have cards turned or removed."""
        if self._index is None:
            self._index = _Index()
            for card in self.cards.values():
                self._index.add(card)
        return self._index

    def where(self, mark: str) -> int:
        """The position that set a mark."""
        if mark == LAST_CARD:
            return self.last_at
        return next(iter(self.down_at)) if mark == CARD_DOWN else self.marks.get(mark, 0)


def _lying_as(card: Card) -> tuple[Card, ...]:
    """The names under which a suited card may lie there; none where its suit is unknown."""
    return () if card.suit in ("", UNKNOWN_SUIT) else (card, card.of_no_suit)


class _Index:
    """The places of a hand's cards by rank, which find a card in the same time for any number of cards.

    Entries of cards that were removed, named or turned since are dropped from the heaps when they come up.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._unnamed: list[int] = []
        self._last: dict[Card, list[int]] = {}
        self._lying: dict[Card, list[int]] = {}

    def add(self, lies: LaidCard) -> None:
        """Add a card, or a card's new name."""
        self.counts[lies.card.rank] += 1
        if not lies.card.named:
            heappush(self._unnamed, lies.dealt_at)
        for wanted in {lies.card, lies.card.of_its_rank}:
            heappush(self._last.setdefault(wanted, []), -lies.dealt_at)
            if lies.lies_down:
                heappush(self._lying.setdefault(wanted, []), lies.dealt_at)

    def first_unnamed(self, cards: _ByPosition) -> LaidCard | None:
        """The first unnamed card."""
        return _top(self._unnamed, cards, lambda lies: not lies.card.named)

    def last(self, cards: _ByPosition, wanted: Card) -> LaidCard | None:
        """The last card that matches ``wanted``."""
        return _top(self._last.get(wanted, []), cards, lambda lies: lies.card.is_one(wanted))

    def lying(self, cards: _ByPosition, wanted: Card) -> LaidCard | None:
        """The first card that matches ``wanted`` and lies face down."""
        return _top(self._lying.get(wanted, []), cards, lambda lies: lies.card.is_one(wanted) and lies.lies_down)


def _top(heap: list[int], cards: _ByPosition, holds: Callable[[LaidCard], bool]) -> LaidCard | None:
    while heap:
        card = cards.get(abs(heap[0]))
        if card is not None and holds(card):
            return card
        heappop(heap)
    return None
