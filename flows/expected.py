"""Finds the tables that a gaming day should have: those of a dated register, or else those of the gaming days before it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from replayer.sources.layout import TABLE_ID, named_day
from replayer.sources.table_days import table_days_in_place, unsealed

REGISTER: Final = "register"
DAYS_BEFORE: Final = "days before"
NOTHING: Final = "nothing"


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
    """The tables that a gaming day should have, and the source of that list (``basis``).

    ``games`` has their games by the register. ``rest``: the register has tables, but none plays on this day of the week.
    ``found`` are the tables on which an earlier run has a finding, expected or not.
    """

    basis: str
    tables: frozenset[str] = frozenset()
    games: Mapping[str, str] = field(default_factory=dict)
    rest: bool = False
    found: frozenset[str] = frozenset()

    def of(self, table_id: str) -> bool | None:
        """Whether a table was expected; None where that is unknown."""
        return table_id in self.tables or (False if self.basis == REGISTER else None)


@dataclass(frozen=True, slots=True)
class Expecting:
    """The source of the tables that a gaming day should have: a register, or the tables of the ``look_back_days`` before it."""

    register: tuple[RegisteredTable, ...] = ()
    look_back_days: int = 7

    def on(
        self, archive: Path, lake: Path, day: dt.date, known: Callable[[dt.date], Collection[str]] | None = None
    ) -> Expectation:
        """The tables that a gaming day should have. ``known``: :func:`known_of`, to share it between many days."""
        if self.register:
            due = [line for line in self.register if line.should_play(day)]
            games = {line.table_id: line.game for line in due if line.game}
            rest = not due and any(line.in_force(day) for line in self.register)
            return Expectation(REGISTER, frozenset(line.table_id for line in due), games, rest)
        played = known or partial(known_of, archive, lake)
        before = frozenset(
            table
            for back in range(1, min(self.look_back_days, (day - dt.date.min).days) + 1)
            for table in played(day - dt.timedelta(days=back))
        )
        return Expectation(DAYS_BEFORE if before else NOTHING, before)


def known_of(archive: Path, lake: Path, day: dt.date) -> set[str]:
    """The tables that played on a gaming day, by archive and lake together: one may have what the other lost."""
    from analytics.lake import tables_of  # noqa: PLC0415 - settings say how tables are expected, and need no lake

    names = {*names_in_place(archive, day), *tables_of(lake, day), *_found_on(lake, day)}
    return {name for name in names if not is_odd(name)}


def is_odd(name: str) -> bool:
    """Whether a name is no table's: that of a foreign file, or of something in the place of a gaming day's folder."""
    return TABLE_ID.fullmatch(name) is None or named_day(name) is not None


def names_in_place(archive: Path, day: dt.date) -> set[str]:
    """The names under which an archive has anything of a gaming day in its place, sealed or not: of tables, and odd ones."""
    return {ref.table_id for ref in (*table_days_in_place(archive, day), *unsealed(archive, day=day))}


def _found_on(lake: Path, day: dt.date) -> Iterator[str]:
    """The tables that a run found on a gaming day."""
    from analytics.lake import note_or_empty  # noqa: PLC0415
    from analytics.lake.statuses import Status  # noqa: PLC0415

    note = note_or_empty(lake, day)
    yield from (*note.damaged, *note.waiting)
    yield from (each.table_id for each in note.tables or () if each.status is not Status.ABSENT)


def still_expected(archive: Path, lake: Path, day: dt.date, expecting: Expecting) -> Expectation:
    """The tables that a day should have, and those that an earlier run found on it. Without a register those that an earlier run
    expected are not forgotten."""
    from analytics.lake import note_or_empty  # noqa: PLC0415

    expected, earlier = expecting.on(archive, lake, day), note_or_empty(lake, day).tables or ()
    found = {*_found_on(lake, day), *(each.table_id for each in earlier if not each.expected)}  # and gone since
    expected = replace(expected, found=frozenset(name for name in found if not is_odd(name)))
    if expecting.register:
        return expected
    tables = expected.tables.union(each.table_id for each in earlier if each.expected)
    return replace(expected, basis=DAYS_BEFORE if tables else NOTHING, tables=tables)
