"""Cards that were taken away again. Such a card was void (57/2009 art. 5(1)(1)) or another's (5(1)(2)), so it does not count
among the cards that the bank showed. Where no wager, decision or settlement came in between, it is no additional card either."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from replayer.contract.cards import Card
from replayer.contract.laid_cards import LaidCards
from schemas.cards import SUITS, UNKNOWN_SUIT

Named = TypeVar("Named", bound=Hashable)
Place = TypeVar("Place", bound=Hashable)
ACTED: Final = ("WagerPlaced", "DecisionTaken", "WagerSettled")
"""The kinds of events before which a card must be taken away to count for nothing."""
Acts: TypeAlias = Iterable[tuple[int, str, Card, bool]]
"""A hand's events in order: sequence number, kind, card, whether it lay open."""


class Misdealt(Generic[Named, Place]):
    """The cards of a round that were taken away from the hand where they lay. Each may go on to its rightful hand, once: such a
    card left the shoe once."""

    def __init__(self) -> None:
        self._lay: set[tuple[Named, Place]] = set()
        self._free: dict[Named, Counter[Place]] = {}

    def goes_on(self, card: Named, place: Place) -> bool:
        """Whether a card dealt to a hand is one that was taken away from another."""
        free = self._free.get(card)
        other = next((each for each in free if each != place), None) if free else None
        if free is None or other is None:
            return False
        free[other] -= 1
        if not free[other]:
            del free[other]
        return True

    def take(self, kind: str, card: Named, place: Place) -> None:
        """Take in an event at a card that it names."""
        if kind != "CardRemoved":
            self._lay.add((card, place))
        elif (card, place) in self._lay:
            self._free.setdefault(card, Counter())[place] += 1


class _Removal(NamedTuple):
    """A card taken away: the event that did so and the card that it names; the events that dealt and turned the card, each with
    the card's name since then; and how many cards of each name still lie there."""

    seq: int
    card: Card
    events: list[tuple[int, Card]]
    others: Counter[Card]


def taken_away(acts: Acts) -> dict[int, int]:
    """The sequence numbers of the events that dealt or turned cards taken away later, each with that of the event that did so."""
    return {seq: removal.seq for removal in _removals(acts) for seq, _ in removal.events}


def is_taken_back(seq: int, removed: int, acted: Sequence[int]) -> bool:
    """Whether none of the events ``acted``, in order, lies between the one that dealt or turned a card and the one that took it
    away."""
    return bisect(acted, seq) == bisect(acted, removed)


def taken_unnamed(acts: Acts) -> set[int]:
    """The sequence numbers of the events that took away an unnamed card while a card of the rank that they name, of another suit,
    lay there: without suits, the two cannot be told apart."""
    return {removal.seq for removal in _removals(acts) if _took_unnamed(removal)}


def _took_unnamed(removal: _Removal) -> bool:
    (_, name), card, others = removal.events[-1], removal.card, removal.others
    if name.named or card.suit == UNKNOWN_SUIT or others[card.of_no_suit]:
        return False
    return any(others[Card(card.rank, suit)] for suit in SUITS)


def _removals(acts: Acts) -> Iterator[_Removal]:
    laid = LaidCards[list[tuple[int, Card]]]()
    lying = Counter[Card]()
    for seq, kind, card, seen in acts:
        if kind == "CardDealt":
            laid.lay(card, [(seq, card)], seen=seen)
            lying[card] += 1
        elif kind == "CardTurned" and (turned := laid.turn(card)) is not None:
            lying[turned[-1][1]] -= 1
            turned.append((seq, card))
            lying[card] += 1
        elif kind == "CardRemoved" and (taken := laid.take(card)) is not None:
            lying[taken[-1][1]] -= 1
            yield _Removal(seq, card, taken, lying)
