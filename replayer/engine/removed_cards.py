"""Cards that were taken away again. Such a card was void (57/2009 art. 5(1)(1)) or another's (5(1)(2)), so it does not count
among the cards that the bank showed. Where no wager, decision or settlement came in between, it is no additional card either."""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from replayer.contract.cards import Card
from replayer.contract.laid_cards import LaidCard, LaidCards

Place: TypeAlias = tuple[int | None, int]
"""A seat, or the bank, and the number of a hand."""
ACTED: Final = ("WagerPlaced", "DecisionTaken", "WagerSettled")
"""The kinds of events before which a card must be taken away to count for nothing."""
_FEWEST: Final = 2
"""The cards that make a hand, at least."""
Acts: TypeAlias = Iterable[tuple[int, str, Card, bool]]
"""A hand's events in order: sequence number, kind, card, whether it was dealt face down."""


class Misdealt:
    """The cards of a round that were taken away from the hand where they lay. Each may go on to its rightful hand, once: such a
    card left the shoe once."""

    def __init__(self) -> None:
        self._lay: set[tuple[Card, Place]] = set()
        self._free: defaultdict[Card, Counter[Place]] = defaultdict(Counter)

    @property
    def any_taken(self) -> bool:
        """Whether any card was taken away."""
        return bool(self._free)

    def goes_on(self, card: Card, place: Place) -> bool:
        """Whether a card dealt to a hand is one that was taken away from another."""
        free = self._free.get(card, Counter[Place]())
        other = next((each for each in free if each != place), None)
        if other is None:
            return False
        free[other] -= 1
        if not free[other]:
            del free[other]
        return True

    def take(self, kind: str, card: Card, place: Place) -> None:
        """Take in an event at a card that it names."""
        if kind != "CardRemoved":
            self._lay.add((card, place))
        elif (card, place) in self._lay:
            self._free[card][place] += 1

    def follow(self, kind: str, card: Card, place: Place) -> bool:
        """Take in an event, and give whether it deals a card that was taken away from another hand."""
        goes_on = kind == "CardDealt" and self.goes_on(card, place)
        self.take(kind, card, place)
        return goes_on


class AtHand(NamedTuple):
    """An event at a hand of a seat or of the bank: a card dealt or removed, a settlement (``hand`` None for the whole seat, and
    any for the bank), or a decision that makes two hands of one."""

    seq: int
    kind: str
    hand: int | None


def collected(events: Iterable[AtHand]) -> set[int]:
    """The sequence numbers of the events that collected cards, among those ``events`` at one place, in order: each took one from
    a hand that had been settled since its last card, and of which no hand of two cards lies any more. One of which some are
    taken and others stay is put right, not collected."""
    lie = Counter[int]()
    taken: dict[int, list[int]] = {}  # from the settled hands
    separated = 0
    for seq, kind, hand in events:
        if kind == "WagerSettled":
            taken |= {each: [] for each in (lie if hand is None else (hand,)) if each not in taken}
        elif hand is None:
            continue
        elif kind == "DecisionTaken":
            separated = hand
        elif kind == "CardDealt":
            if hand and hand not in lie:
                lie.update({separated: -1, hand: 1})
            lie[hand] += 1 - len(taken.pop(hand, ()))
        elif hand in taken:
            taken[hand].append(seq)
        else:
            lie[hand] -= 1
    return {seq for hand, seqs in taken.items() if lie[hand] - len(seqs) < _FEWEST for seq in seqs}


def cards_left(acts: Acts) -> list[Card]:
    """The cards that lie at a hand after its events."""
    laid = LaidCards()
    for _ in _removals(acts, laid):
        pass
    return list(laid)


def taken_away(acts: Acts) -> dict[int, int]:
    """The sequence numbers of the events that dealt or turned cards taken away later, each with that of the event that did so."""
    return {seq: removed for removed, events in _removals(acts, LaidCards()) for seq in events}


def is_taken_back(seq: int, removed: int, acted: Sequence[int]) -> bool:
    """Whether none of the events ``acted``, in order, lies between the one that dealt or turned a card and the one that took it
    away."""
    return bisect(acted, seq) == bisect(acted, removed)


def _removals(acts: Acts, laid: LaidCards) -> Iterator[tuple[int, list[int]]]:
    """The removals among a hand's events, which are done to the cards ``laid``; each with the events that dealt and turned the
    card."""
    events = defaultdict[int, list[int]](list)
    for seq, kind, card, hidden in acts:
        if kind == "CardDealt":
            laid.lay(LaidCard(card, seq, hidden=hidden))
            events[seq].append(seq)
        elif kind == "CardTurned" and (turned := laid.turn(card, seq)) is not None:
            events[turned.dealt_at].append(seq)
        elif kind == "CardRemoved" and (taken := laid.take(card)) is not None:
            yield seq, events[taken.dealt_at]
