"""The tables that a gaming day should have: those of a dated register, or else those of the gaming days before it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RegisteredTable:
    """A line of the register: a table plays from ``first`` to ``until``, both included, on some or all days of the week.

    ``weekdays`` are numbers from 0 (Monday); ``game`` is the one that it plays, None where any may be.
    """

    table_id: str
    game: str | None = None
    first: dt.date = dt.date.min
    until: dt.date = dt.date.max
    weekdays: frozenset[int] = frozenset(range(7))

    def in_force(self, day: dt.date) -> bool:
        """Whether the table is in use at all by then."""
        return self.first <= day <= self.until

    def should_play(self, day: dt.date) -> bool:
        """Whether the table should play on a gaming day."""
        return self.in_force(day) and day.weekday() in self.weekdays

    def plays_with(self, other: RegisteredTable) -> bool:
        """Whether there is a day on which the tables of both lines should play."""
        first, until = max(self.first, other.first), min(self.until, other.until)
        week = [first + dt.timedelta(days=after) for after in range(min(7, (until - first).days + 1))]
        return any(self.should_play(day) and other.should_play(day) for day in week)

    def contradicts(self, other: RegisteredTable) -> bool:
        """Whether another line of the same table has it play another game on a day of this one."""
        return bool(self.game and other.game) and self.game != other.game and self.plays_with(other)


@dataclass(frozen=True, slots=True)
class Expectation:
    """The tables that a gaming day should have.

    ``games`` has their games, where they are ``registered``; ``in_use`` is whether any table of the register is, on whichever
    days of the week. ``found`` are the tables on which an earlier run has a finding, expected or not.
    """

    tables: frozenset[str] = frozenset()
    registered: bool = False
    games: Mapping[str, str] = field(default_factory=dict)
    in_use: bool = False
    found: frozenset[str] = frozenset()

    @property
    def basis(self) -> str:
        """The source of the list, in words."""
        return "register" if self.registered else "days before" if self.tables else "nothing"

    def of(self, table_id: str) -> bool | None:
        """Whether a table was expected; None where that is unknown."""
        return table_id in self.tables or (False if self.registered else None)


@dataclass(frozen=True, slots=True)
class Expecting:
    """The source of the tables that a gaming day should have: a register, or the tables of the ``look_back_days`` before it."""

    register: tuple[RegisteredTable, ...] = ()
    look_back_days: int = 7

    def on(self, day: dt.date, known: Callable[[dt.date], Collection[str]]) -> Expectation:
        """The tables that a gaming day should have; ``known`` gives those that played on a day."""
        if self.register:
            due = [line for line in self.register if line.should_play(day)]
            games = {line.table_id: line.game for line in due if line.game}
            in_use = any(line.in_force(day) for line in self.register)
            return Expectation(frozenset(line.table_id for line in due), True, games, in_use)
        return Expectation(
            frozenset(
                table
                for back in range(1, min(self.look_back_days, (day - dt.date.min).days) + 1)
                for table in known(day - dt.timedelta(days=back))
            )
        )
