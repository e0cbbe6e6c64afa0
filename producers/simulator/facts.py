"""Facts as a table writes them and as its rules read them, cached so that each is built and checked against the contract once.

Players keep their seats and stakes for many rounds, and a deck has 52 cards, so most facts of a day are repeated.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

from replayer.engine.event_symbols import Happened, happened
from schemas.event import CardAt, Decision, Shoe, Wager
from schemas.table_day import Tail, tailed

_REMEMBERED: Final = 1 << 15


class Fact(NamedTuple):
    """An event without table, number and time."""

    kind: str
    tail: Tail
    happened: Happened


def fact(kind: str, **bodies: Any) -> Fact:
    """A fact of a kind, with bodies by their names in an event."""
    event, tail = tailed(kind, **bodies)
    return Fact(kind, tail, happened(event))


@lru_cache(_REMEMBERED)
def plain_fact(kind: str) -> Fact:
    """A fact without a body."""
    return fact(kind)


@lru_cache(_REMEMBERED)
def card_fact(kind: str, seat: int | None, hand: int, card: str | None, face: str) -> Fact:
    """A card is dealt, turned or burned."""
    return fact(kind, card=CardAt(seat, hand, card, face))


@lru_cache(_REMEMBERED)
def shoe_fact(
    kind: str,
    shoe: int,
    method: str | None = None,
    decks: int | None = None,
    cut_by: str | None = None,
    behind: int | None = None,
) -> Fact:
    """Something happens to the cards of a shoe."""
    return fact(kind, shoe=Shoe(shoe, method, decks, cut_by, behind))


@lru_cache(_REMEMBERED)
def decision(
    kind: str,
    seat: int | None,
    hand: int = 0,
    action: str | None = None,
    player: str | None = None,
    points: int | None = None,
) -> Fact:
    """A decision, an announcement, or a moved marker."""
    return fact(kind, decision=Decision(seat, hand, action, player, points))


@lru_cache(_REMEMBERED)
def cached_wager(kind: str, seat: int, stake_minor: int, player: str, position: int = 0, hand: int = 0) -> Wager:
    """A wager; the same object for the same values."""
    return Wager(kind, seat, stake_minor, hand, player, position)


@lru_cache(_REMEMBERED)
def placed(wager: Wager) -> Fact:
    """A wager is placed."""
    return fact("WagerPlaced", wager=wager)


@lru_cache(_REMEMBERED)
def settled(wager: Wager, stake_minor: int, net_minor: int) -> Fact:
    """A wager is settled with a net, on a stake."""
    paid = Wager(wager.kind, wager.seat, stake_minor, wager.hand, wager.player, wager.position, net_minor)
    return fact("WagerSettled", wager=paid)
