"""The players at a table, who come and go, take two seats or bet behind others, and the dealers' rota."""

from __future__ import annotations

import datetime as dt
from bisect import bisect_right
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import Final

from producers.recorder import GamingDays
from producers.simulator.chance import pick, seeded_random
from producers.simulator.plan import TablePlan
from producers.simulator.skills import SKILLS, Skill
from producers.simulator.table_writer import SECOND

_PLAYER_IDS: Final = 4000
_ARRIVES: Final = 0.07
_LEAVES: Final = 0.03
_JOINS_BEHIND: Final = 0.04
_SECOND_SEAT: Final = 0.12
_LONGEST_DAY: Final = 26 * 3600 * SECOND


@dataclass(slots=True, eq=False)
class Player:
    """A player at this table, with their chips and their usual stake."""

    name: str
    skill: Skill
    unit_minor: int
    chips_minor: int = 0


@dataclass(slots=True, eq=False)
class Seat:
    """A taken seat: the seated player, and those who bet behind."""

    number: int
    seated: Player
    behind: list[Player] = field(default_factory=list)

    def bettors(self) -> list[tuple[int, Player]]:
        """All bettors on the seat by position; the seated player is 0."""
        return list(enumerate((self.seated, *self.behind)))


class Crowd:
    """The players at a table, seat by seat."""

    def __init__(self, plan: TablePlan, random: Random, *, most_seats: int, sharing: bool) -> None:
        self.seats: dict[int, Seat] = {}
        self._plan, self._random = plan, random
        self._most_seats, self._sharing = most_seats, sharing
        self._skills = [SKILLS[skill] for skill, weight in plan.crowd.items() for _ in range(weight)]
        while len(self.seats) < 2:
            self._arrive()

    def __iter__(self) -> Iterator[Seat]:
        """The taken seats from the left."""
        return (self.seats[number] for number in sorted(self.seats))

    def move(self, *, stays: Set[str]) -> None:
        """Between rounds, let some players leave and others come. Those in ``stays`` do not leave."""
        roll = self._random.random
        leaving = {
            seat.seated.name for seat in self.seats.values() if roll() < _LEAVES and seat.seated.name not in stays
        }
        for number, seat in list(self.seats.items()):
            if seat.behind and stays.isdisjoint(player.name for player in seat.behind) and roll() < 4 * _LEAVES:
                seat.behind.clear()
            keeps = any(player.name in stays for player in seat.behind)
            if seat.seated.name in leaving and not keeps:
                del self.seats[number]
        for number in range(1, self._plan.seats + 1):
            if number not in self.seats and roll() < _ARRIVES:
                self._arrive(number)
        while not self.seats:
            self._arrive()
        if self._sharing and roll() < _JOINS_BEHIND:
            seat = self.seats[pick(self._random, sorted(self.seats))]
            if len(seat.behind) < 2:
                seat.behind.append(self.newcomer())

    def newcomer(self) -> Player:
        """A new player who is not at the table."""
        present = {player.name for seat in self.seats.values() for player in (seat.seated, *seat.behind)}
        while (name := f"P{100_000 + int(self._random.random() * _PLAYER_IDS)}") in present:
            pass
        times = pick(self._random, (1, 1, 1, 2, 2, 3, 5, 10))
        return Player(name, pick(self._random, self._skills), self._plan.minimum_minor * times)

    def _arrive(self, number: int | None = None) -> None:
        free = [n for n in range(1, self._plan.seats + 1) if n not in self.seats]
        number = number or pick(self._random, free)
        player = self.newcomer()
        self.seats[number] = Seat(number, player)
        beside = number + 1
        if self._most_seats > 1 and beside in free and self._random.random() < _SECOND_SEAT:
            self.seats[beside] = Seat(beside, player)


class Rota:
    """The rota of a string of dealers: all its tables change dealers together, every 20 to 40 minutes."""

    def __init__(self, plan: TablePlan, day: dt.date, seed: object) -> None:
        random = seeded_random(seed, day, "rota", *plan.dealers)
        turns = (20 * 60 * SECOND + int(random.random() * 20 * 60 * SECOND) for _ in range(80))
        begin = GamingDays().begin(day)
        self._changes = [at for at in accumulate(turns, initial=begin) if at < begin + _LONGEST_DAY]
        self._plan = plan

    def at(self, moment: int) -> str:
        """The dealer whose turn it is."""
        string = self._plan.dealers
        return string[(bisect_right(self._changes, moment) + self._plan.place) % len(string)]
