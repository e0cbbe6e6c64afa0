"""Cards that were taken away again. Such a card was void (57/2009 art. 5(1)(1)) or another's (5(1)(2)), so it does not count
among the cards that the bank showed. Where no wager, decision or settlement came in between, it is no additional card either.

They are looked for among the events of one hand, or of many rounds at once."""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

import polars as pl

from replayer.contract.cards import Card, card_of
from replayer.contract.laid_cards import LaidCards
from replayer.engine.event_symbols import CARD_KINDS
from replayer.log.columns import is_kind, lies_open
from schemas.cards import SUITS, UNKNOWN, UNKNOWN_SUIT

Of = TypeVar("Of", bound=Hashable)
Place = TypeVar("Place", bound=Hashable)
Item = TypeVar("Item")
ACTED: Final = ("WagerPlaced", "DecisionTaken", "WagerSettled")
"""The kinds of events before which a card must be taken away to count for nothing."""
Acts: TypeAlias = Iterable[tuple[int, str, Card, bool]]
"""A hand's events in order: sequence number, kind, card, whether it lay open."""


class Misdealt(Generic[Of, Place]):
    """The cards of a round that were taken away from the hand where they lay. Each may go on to its rightful hand, once: such a
    card left the shoe once."""

    def __init__(self) -> None:
        self._lay: set[tuple[Of, Place]] = set()
        self._free: dict[Of, Counter[Place]] = {}

    def goes_on(self, card: Of, place: Place) -> bool:
        """Whether a card dealt to a hand is one that was taken away from another."""
        free = self._free.get(card)
        other = next((each for each in free if each != place), None) if free else None
        if free is None or other is None:
            return False
        free[other] -= 1
        if not free[other]:
            del free[other]
        return True

    def take(self, kind: str, card: Of, place: Place) -> None:
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


# In many rounds at once


def taken_away_in_rounds(rows: pl.DataFrame) -> dict[int, int]:
    """:func:`taken_away` at all places of the rounds to which the events ``rows`` belong."""
    return dict(
        _found(lambda acts: taken_away(acts).items(), rows, "card_card", "card_face", pl.lit(value=True), "card_seat")
    )


def taken_back_in_rounds(rows: pl.DataFrame, removed: Mapping[int, int]) -> list[int]:
    """Those of :func:`taken_away_in_rounds` that were taken away before any wager, decision or settlement of their round."""
    if not removed:
        return []
    dealt = rows.filter(pl.col("seq").is_in(list(removed))).select("seq", "ri")
    acted = rows.filter(is_kind(*ACTED)).join(dealt, on="ri", how="semi").group_by("ri").agg(pl.col("seq").sort())
    of_round: dict[int, list[int]] = dict(acted.select("ri", "seq").iter_rows())
    return [seq for seq, ri in dealt.iter_rows() if is_taken_back(seq, removed[seq], of_round.get(ri, ()))]


def bank_cards_taken_away(rows: pl.DataFrame, card: str, face: str, bank: pl.Expr) -> list[int]:
    """The events that dealt or turned cards of the bank which were taken away later, by sequence number. ``card`` and ``face``
    name the columns of a card and how it lies, ``bank`` marks the bank's rows."""
    return sorted(_found(taken_away, rows, card, face, bank))


def bank_cards_taken_unnamed(rows: pl.DataFrame) -> list[int]:
    """:func:`taken_unnamed` at the banks of the rounds to which the events ``rows`` belong."""
    return sorted(_found(taken_unnamed, rows, "card_card", "card_face", pl.col("card_seat").is_null()))


def dealt_to_rightful_hand(cards: pl.DataFrame) -> list[int]:
    """The sequence numbers of events that deal a card which was earlier removed from another hand of the round: an error in the
    deal is put right by giving the card to its rightful hand (57/2009 art. 5(1)(2)). ``cards`` are in order."""
    rounds = cards.filter(is_kind("CardRemoved")).select("round").unique()
    named = cards.filter(pl.col("card_card").is_not_null()).join(rounds, on="round", how="semi", maintain_order="left")
    misdealt: defaultdict[int, Misdealt[str, tuple[int | None, int]]] = defaultdict(Misdealt)
    again: list[int] = []
    for seq, kind, card, round_, seat, hand in named.select(
        "seq", "kind", "card_card", "round", "card_seat", "card_hand"
    ).iter_rows():
        if kind == "CardDealt" and misdealt[round_].goes_on(card, (seat, hand)):
            again.append(seq)
        misdealt[round_].take(kind, card, (seat, hand))
    return again


def _found(
    numbers: Callable[[Acts], Iterable[Item]], rows: pl.DataFrame, card: str, face: str, chosen: pl.Expr, *within: str
) -> list[Item]:
    """The ``numbers`` of the ``chosen`` cards of each round, and each place ``within`` it, from which one was removed."""
    place = ("ri", *within)
    removed = rows.filter(is_kind("CardRemoved") & chosen).select(place).unique()
    if removed.is_empty():
        return []
    acts = rows.filter(is_kind(*CARD_KINDS) & chosen)
    acts = acts.join(removed, on=place, how="semi", nulls_equal=True).sort("ri", "seq")
    named = pl.col(card).cast(pl.String).fill_null(UNKNOWN)
    done = acts.select(*place, "seq", pl.col("kind").cast(pl.String), card=named, seen=lies_open(face))
    hands = done.group_by(place, maintain_order=True).agg("seq", "kind", "card", "seen")
    found: list[Item] = []
    for seqs, kinds, cards, open_ in hands.drop(place).iter_rows():
        found += numbers(zip(seqs, kinds, map(card_of, cards), open_, strict=True))
    return found
