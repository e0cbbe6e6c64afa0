"""A seat's first cards followed event by event: which card lies where, so that one taken back or named later is known again."""

from __future__ import annotations

from collections import defaultdict
from heapq import heappop, heappush
from itertools import islice

from replayer.law.black_jack.actions import Action
from replayer.law.black_jack.outcome import Opening, Pairing
from replayer.law.black_jack.settlement import SPLIT
from replayer.symbols import DOWN, Dealt, Decided, Removed, SeatSymbol, Staked, Turned
from schemas.cards import SUITS, UNKNOWN, UNKNOWN_SUIT


class FirstCardsFold:
    """A seat's first cards so far, and those of the hands split from it (:class:`replayer.game.FirstCardsFold`).

    Cards are known by their numbers, in the order in which they were dealt.
    """

    def __init__(self) -> None:
        self._names: list[str] = []
        self._down: set[int] = set()
        self._hands = [_Hand()]
        self._pairings: dict[int, tuple[int, int, int]] = {}
        self._pairings_of: defaultdict[int, list[int]] = defaultdict(list)
        self._after_split: dict[int, int] = {}
        self._divided: list[int] = []
        self._surrendered = False

    def follow(self, symbol: SeatSymbol) -> None:
        """What happened next at the seat."""
        match symbol:
            case Dealt(card, face, hand):
                if face == DOWN:
                    self._down.add(len(self._names))
                self._deal(card, hand)
            case Turned(card, hand):
                self._turn(card, hand)
            case Removed(card, hand):
                self._take_back(card, hand)
            case Decided(Action.SURRENDER.value):
                self._surrendered = True
            case Decided(Action.SPLIT.value, _, hand):
                self._part(hand)
            case Staked(kind, hand) if kind == SPLIT and hand >= len(self._hands):
                self._part(self._first_pair())  # it tells of a split whose decision the log does not show

    def _deal(self, name: str, hand: int) -> None:
        while hand >= len(self._hands):
            self._hands.append(_Hand())
        lying, number = self._hands[hand], len(self._names)
        self._names.append(name)
        if len(lying.cards) == 1:
            (first,) = lying.cards
            self._pair(hand, first, number)
        if self._divided:
            self._after_split.setdefault(hand, number)
        lying.lay(number, name)

    def _pair(self, hand: int, first: int, second: int) -> None:
        self._pairings[second] = hand, first, second  # no other pairing has this second card
        for number in (first, second):
            self._pairings_of[number].append(second)

    def _turn(self, name: str, hand: int) -> None:
        """A card that lay face down is shown: the one that the log named so when it was dealt, else the first that it did not,
        which is named now."""
        lying = self._hand(hand)
        number = lying.first_down(name, self._names, self._down)
        if number is None:
            number = lying.first_unnamed(self._names)
            if number is not None:
                self._names[number] = name
                lying.lay(number, name)
        if number is not None:
            self._down.discard(number)

    def _take_back(self, name: str, hand: int) -> None:
        """A card is void: it never was one of the hand's first two."""
        lying = self._hand(hand)
        number = lying.last(name, self._names)
        if number is None:
            return
        del lying.cards[number]
        for second in self._pairings_of.pop(number, ()):
            self._pairings.pop(second, None)
        self._after_split = {hand: card for hand, card in self._after_split.items() if card != number}

    def _hand(self, hand: int) -> _Hand:
        return self._hands[hand] if hand < len(self._hands) else _Hand()

    def _first_pair(self) -> int:
        pairs = (number for number, hand in enumerate(self._hands) if len(hand.cards) == 2 and self._alike(*hand.cards))
        return next(pairs, len(self._hands))

    def _alike(self, first: int, second: int) -> bool:
        return self._names[first][0] == self._names[second][0]

    def _part(self, hand: int) -> None:
        """The second card of a hand goes to a new one, numbered after the others."""
        lying = self._hand(hand)
        if len(lying.cards) != 2:
            return
        _, moved = lying.cards
        del lying.cards[moved]
        made = _Hand()
        made.lay(moved, self._names[moved])
        self._hands.append(made)
        self._divided.append(hand)

    def became(self) -> Opening:
        """What became of them if nothing more happens at the seat."""
        names, third = self._names, [*islice(self._hands[0].cards, 2, 3)]
        return Opening(
            tuple(Pairing(hand, (names[first], names[second])) for hand, first, second in self._pairings.values()),
            names[third[0]] if third and not self._divided else None,
            tuple((hand, names[number]) for hand, number in self._after_split.items()),
            tuple(sorted(self._divided)),
            self._surrendered,
        )


class _Hand:
    """The cards of a hand: ``cards`` has their numbers, in order.

    A card that left the hand or was named since stays in the heaps until it comes up.
    """

    def __init__(self) -> None:
        self.cards: dict[int, None] = {}
        self._first: defaultdict[str, list[int]] = defaultdict(list)
        self._last: defaultdict[str, list[int]] = defaultdict(list)

    def lay(self, number: int, name: str) -> None:
        """A card lies there, or has its name now."""
        self.cards[number] = None
        heappush(self._last[name], -number)
        heappush(self._first[name], number)

    def first_unnamed(self, names: list[str]) -> int | None:
        """The first card that is not named."""
        return self._top(self._first[UNKNOWN], UNKNOWN, names)

    def first_down(self, name: str, names: list[str], down: set[int]) -> int | None:
        """The first card of a name that lies face down; one whose suit is not known may be it."""
        if name == UNKNOWN:
            return None
        found = (self._top(self._first[each], each, names, down) for each in (name, name[0] + UNKNOWN_SUIT))
        return next((number for number in found if number is not None), None)

    def last(self, name: str, names: list[str]) -> int | None:
        """The last card of a name, or else of its rank, or else the last one not named; the last of all where nothing of it is
        told."""
        if name == UNKNOWN:
            return next(reversed(self.cards), None)
        of_rank = [name[0] + suit for suit in SUITS + UNKNOWN_SUIT]
        told = [] if name[1] == UNKNOWN_SUIT else [name, name[0] + UNKNOWN_SUIT]
        for among in (*([each] for each in told), of_rank, [UNKNOWN]):
            found = [self._top(self._last[each], each, names) for each in among]
            if any(number is not None for number in found):
                return max(number for number in found if number is not None)
        return None

    def _top(self, heap: list[int], name: str, names: list[str], among: set[int] | None = None) -> int | None:
        while heap:
            number = abs(heap[0])
            if number in self.cards and names[number] == name and (among is None or number in among):
                return number
            heappop(heap)
        return None
