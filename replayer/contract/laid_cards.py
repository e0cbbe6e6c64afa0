"""The cards of one hand on the table: which of them is meant when one is turned or removed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from heapq import heappop, heappush
from typing import TypeAlias

from replayer.contract.cards import UNNAMED, Card
from schemas.cards import SUITS, UNKNOWN_SUIT

_Meant: TypeAlias = tuple[tuple[Card, ...], ...]
_Key: TypeAlias = tuple[bool | None, Card]
"""Of the places of cards by their names: of those still to be shown, of those shown, or of all."""
_Place: TypeAlias = tuple[bool, int]
"""Orders cards of one name, the first one meant first. The number is the position that dealt it, or its negative."""


class LaidCard:
    """A card on the table.

    Attributes:
        card: as far as the log has named it; ``was``: before it was last turned.
        dealt_at, turned_at: the positions, from 1, that dealt and first showed it, zero where none did.
        hidden: whether it was dealt face down.
        unnamed: whether the log has not named it yet, though ``card`` may tell what it will be named when it is turned.
    """

    __slots__ = ("card", "dealt_at", "hidden", "turned_at", "unnamed", "was")

    def __init__(self, card: Card, dealt_at: int, *, hidden: bool, unnamed: bool = False) -> None:
        self.card = self.was = card
        self.dealt_at = dealt_at
        self.hidden = hidden
        self.unnamed = unnamed or not card.named
        self.turned_at = 0

    @property
    def lies_down(self) -> bool:
        """Whether it lies face down."""
        return self.hidden and not self.turned_at

    @property
    def places(self) -> dict[_Key, _Place]:
        """Where it stands. A card that the log has not named is still to be shown, however it lies, but after those that lie face
        down; of all cards the last one comes first."""
        to_show = self.lies_down or self.unnamed
        return {(to_show, self.card): (not self.lies_down, self.dealt_at), (None, self.card): (False, -self.dealt_at)}


class LaidCards:
    """The cards of a hand, by the position that dealt each, in order. Finding one takes the same time for any number of cards.

    An event means the card that it names; else one of this rank without a suit; else one without a name; else, as the log
    contradicts itself, one of this rank and another suit. An event that names no suit means any card of its rank, else one
    without a name.

    Args:
        one_deck: whether a card turned is never one of another suit: suits matter, and there is one of each card.
    """

    __slots__ = ("_counts", "_one_deck", "_places", "cards", "lying")

    def __init__(self, *, one_deck: bool = False) -> None:
        self.cards: dict[int, LaidCard] = {}
        self.lying = 0  # how many lie face down
        self._one_deck = one_deck
        # Made on first use: few hands have cards turned or removed.
        self._places: defaultdict[_Key, list[_Place]] | None = None
        self._counts = Counter[str]()

    def __iter__(self) -> Iterator[Card]:
        return (lies.card for lies in self.cards.values())

    @property
    def ranks(self) -> list[str]:
        """The ranks of its cards."""
        return [card.rank for card in self]

    @property
    def counts(self) -> Counter[str]:
        """How many cards it has of each rank."""
        self._indexed()
        return self._counts

    @property
    def last_at(self) -> int:
        """The position that dealt its last card; zero where it has none."""
        return next(reversed(self.cards), 0)

    def lay(self, lies: LaidCard) -> None:
        """Add a card."""
        self.cards[lies.dealt_at] = lies
        self.lying += lies.lies_down
        if self._places is not None:
            self._add(lies)

    def take_last(self) -> LaidCard:
        """Take off its last card, which goes to another hand."""
        return self.remove(self.cards[self.last_at])

    def turn(self, card: Card, at: int) -> LaidCard | None:
        """Turn a card, which gets the name or the suit that it shows where the log had not told it: the first one meant that is
        still to be shown, else the first one. None where there is none."""
        meant = _meant(card)[: 3 if self._one_deck else None]
        lies = self._first(meant, to_show=True) or self._first(meant, to_show=False)
        if lies is not None:
            self._counts[lies.card.rank] -= 1
            lies.was = lies.card
            if lies.lies_down:
                lies.turned_at = at
                self.lying -= 1
            if not lies.card.named or (lies.card.suit not in SUITS and card.suit in SUITS):
                lies.card = card
            lies.unnamed = not lies.card.named
            self._add(lies)
        return lies

    def take(self, card: Card) -> LaidCard | None:
        """Remove a card: the last one meant. None where there is none."""
        lies = self._first(_meant(card), to_show=None)
        return None if lies is None else self.remove(lies)

    def remove(self, lies: LaidCard) -> LaidCard:
        """Take off one of its cards."""
        del self.cards[lies.dealt_at]
        self.lying -= lies.lies_down
        self._counts[lies.card.rank] -= 1
        return lies

    def _first(self, meant: _Meant, *, to_show: bool | None) -> LaidCard | None:
        places = self._indexed()
        for names in meant:
            tops = [top for name in names if (key := (to_show, name)) in places and (top := self._top(key))]
            if tops:
                return self.cards[abs(min(tops)[1])]
        return None

    def _top(self, key: _Key) -> _Place | None:
        """The first place at which a card stands still; None where there is none."""
        heap = self._indexed()[key]
        while heap:
            lies = self.cards.get(abs(heap[0][1]))
            if lies is not None and lies.places.get(key) == heap[0]:
                return heap[0]
            heappop(heap)
        return None

    def _indexed(self) -> defaultdict[_Key, list[_Place]]:
        if self._places is None:
            self._places = defaultdict(list)
            self._counts.clear()
            for lies in self.cards.values():
                self._add(lies)
        return self._places

    def _add(self, lies: LaidCard) -> None:
        """Add the places of a card that was dealt or turned."""
        self._counts[lies.card.rank] += 1
        for key, place in lies.places.items():
            heappush(self._indexed()[key], place)


@cache
def _meant(card: Card) -> _Meant:
    """The names of the cards that an event may mean, those that it rather means first."""
    if not card.named:
        return ((UNNAMED,),)
    of_rank = tuple([Card(card.rank, suit) for suit in (*SUITS, UNKNOWN_SUIT, "")])
    if card.suit not in SUITS:
        return of_rank, (UNNAMED,)
    return (card,), (card.of_no_suit,), (UNNAMED,), of_rank
