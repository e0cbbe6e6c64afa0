"""Table-days as a careless dealer, a torn connection or a wrong program leaves them: healthy ones with a few things put wrong.

Unlike those of ``tests.odd``, most of what they say still makes sense, so that every later check gets something to look at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Final

from schemas.event import CardAt, Event, Wager

_Events = list[Event]


def disturbed(events: Sequence[Event], random: Random) -> list[Event]:
    """The events with some of them put wrong, numbered anew; the first and the last one stay where they are."""
    made = list(events)
    for _ in range(random.randint(1, 6)):
        random.choice(_DISTURBANCES)(made, random)
    return [replace(event, seq=seq) for seq, event in enumerate(made, 1)]


def _anywhere(events: _Events, random: Random) -> int:
    return random.randrange(1, len(events) - 1)


def _lost(events: _Events, random: Random) -> None:
    del events[_anywhere(events, random)]


def _told_twice(events: _Events, random: Random) -> None:
    at = _anywhere(events, random)
    events.insert(min(len(events) - 1, at + random.randint(1, 20)), events[at])


def _told_elsewhere(events: _Events, random: Random) -> None:
    at = _anywhere(events, random)
    event = events.pop(at)
    events.insert(max(1, min(len(events) - 1, at + random.randint(-30, 30))), event)


def _rounds_exchanged(events: _Events, random: Random) -> None:
    """Two rounds that follow on one another have each other's number."""
    rounds = sorted({event.round for event in events if event.round is not None})
    first = random.randrange(len(rounds) - 1)
    one, other = rounds[first : first + 2]
    exchanged = {one: other, other: one}
    events[:] = [
        event if event.round is None else replace(event, round=exchanged.get(event.round, event.round))
        for event in events
    ]


def _of_another_round(events: _Events, random: Random) -> None:
    at = _anywhere(events, random)
    number = events[at].round
    if number is not None:
        events[at] = replace(events[at], round=max(1, number + random.choice((-1, 1))))


def _round_voided(events: _Events, random: Random) -> None:
    at = random.choice([at for at, event in enumerate(events) if event.kind == "RoundClosed"])
    events[at] = replace(events[at], kind="RoundVoided")


def _another_face(events: _Events, random: Random) -> None:
    at = _anywhere(events, random)
    card = events[at].card
    if isinstance(card, CardAt) and card.face is not None:
        events[at] = replace(events[at], card=replace(card, face=random.choice(("up", "down", None))))


def _of_wager(kind: str, events: _Events, random: Random) -> tuple[int, Wager]:
    """The place of one of the events of a kind, and its wager."""
    return random.choice([(at, event.wager) for at, event in enumerate(events) if event.kind == kind and event.wager])


def _stake_in_parts(events: _Events, random: Random) -> None:
    at, wager = _of_wager("WagerPlaced", events, random)
    part = (wager.stake_minor or 0) // 2
    events.insert(at, replace(events[at], wager=replace(wager, stake_minor=part)))
    events[at + 1] = replace(events[at + 1], wager=replace(wager, stake_minor=(wager.stake_minor or 0) - part))


def _another_stake(events: _Events, random: Random) -> None:
    at, wager = _of_wager("WagerPlaced", events, random)
    stake = (wager.stake_minor or 0) + random.choice((-100, -1, 1, 100))
    events[at] = replace(events[at], wager=replace(wager, stake_minor=max(0, stake)))


def _paid_otherwise(events: _Events, random: Random) -> None:
    at, wager = _of_wager("WagerSettled", events, random)
    net = (wager.net_minor or 0) + random.choice((-100, -1, 1, 100))
    events[at] = replace(events[at], wager=replace(wager, net_minor=net))


def _paid_together(events: _Events, random: Random) -> None:
    """As a log does that settles a seat or a hand in one amount."""
    at, wager = _of_wager("WagerSettled", events, random)
    player = random.choice((wager.player, None))
    events[at] = replace(events[at], wager=replace(wager, kind=random.choice(("all", "hand")), player=player))


def _another_player(events: _Events, random: Random) -> None:
    at, wager = _of_wager(random.choice(("WagerPlaced", "WagerSettled")), events, random)
    events[at] = replace(events[at], wager=replace(wager, player=random.choice((None, "p1", "stranger"))))


def _another_place(events: _Events, random: Random) -> None:
    at, wager = _of_wager(random.choice(("WagerPlaced", "WagerSettled")), events, random)
    moved = replace(wager, seat=random.randint(1, 7), hand=random.randint(0, 2))
    events[at] = replace(events[at], wager=moved)


_DISTURBANCES: Final[Sequence[Callable[[_Events, Random], None]]] = (
    _lost,
    _told_twice,
    _told_elsewhere,
    _rounds_exchanged,
    _of_another_round,
    _round_voided,
    _another_face,
    _stake_in_parts,
    _another_stake,
    _paid_otherwise,
    _paid_together,
    _another_player,
    _another_place,
)
