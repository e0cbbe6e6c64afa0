"""Facts as a table writes them and as its rules read them, cached so that each is built and checked against the contract once.

Players keep their seats and stakes for many rounds, and a deck has 52 cards, so most facts of a day are repeated.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

from replayer.engine.event_symbols import Happened, happened
from schemas.event import CardAt, Chips, Decision, Denomination, Wager
from schemas.table_day import Tail, tailed

_REMEMBERED: Final = 1 << 15
_DENOMINATIONS: Final = tuple(value * 100 for value in (10_000, 5_000, 1_000, 500, 100, 50))
_SMALL: Final = ((5_000, 100), (10_000, 200), (50_000, 200), (100_000, 200))
"""The number of chips of each smaller value that a dealer keeps at hand, as far as the tray allows."""


class Fact(NamedTuple):
    """An event without table, number and time."""

    kind: str
    tail: Tail
    happened: Happened


def fact(kind: str, **bodies: Any) -> Fact:
    """A fact of a kind, with bodies by their names in an event."""
    event, tail = tailed(kind, **bodies)
    return Fact(kind, tail, happened(event))


cached_fact: Final = lru_cache(_REMEMBERED)(fact)
"""The same, for a fact that is repeated."""


@lru_cache(_REMEMBERED)
def card_fact(kind: str, seat: int | None, hand: int, card: str | None, face: str) -> Fact:
    """A card is dealt, turned or burned."""
    return fact(kind, card=CardAt(seat, hand, card, face))


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
def settled(wager: Wager, stake_minor: int, net_minor: int) -> Fact:
    """A wager is settled with a net, on a stake."""
    paid = Wager(wager.kind, wager.seat, stake_minor, wager.hand, wager.player, wager.position, net_minor)
    return fact("WagerSettled", wager=paid)


def counted(amount_minor: int, slip: str | None = None, player: str | None = None) -> Chips:
    """An amount in chips by denomination, small ones kept at hand first.

    Players change chips at any time, so the simulator tracks only the tray's sum, and derives the denominations at a count.

    Raises:
        ValueError: the amount is below zero or no multiple of the smallest chip.
    """
    if amount_minor < 0 or amount_minor % _DENOMINATIONS[-1]:
        raise ValueError(f"{amount_minor} cannot be laid out in chips")
    counts: dict[int, int] = {}
    left = amount_minor
    for value, kept in _SMALL:
        counts[value] = min(kept, left // (2 * value))
        left -= counts[value] * value
    for value in _DENOMINATIONS:
        number, left = divmod(left, value)
        counts[value] = counts.get(value, 0) + number
    chips = tuple(Denomination(value, counts[value]) for value in _DENOMINATIONS if counts[value])
    return Chips(amount_minor, slip, player, chips)
