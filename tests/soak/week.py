"""What is played in a compressed week, when, and what is done to it; all of it follows from the seed."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from producers.simulator import simulate
from replayer.sources.table_days import table_days
from schemas.codec import encode
from tests.archives import read_events

FIRST: Final = dt.date(2009, 6, 1)
PLAYED: Final = 0.75
"""The share of a day's seconds in which its events happen; in the rest its tables are closed and sealed."""

TableDay = tuple[str, dt.date]


@dataclass(frozen=True)
class Script:
    """What is done on which day, counted from 0. None: it is not done.

    Attributes:
        absent, late: a table and its day, of which nothing is ever recorded, or whose link is cut until the day after.
        cut: the day on which the topic loses messages that the archive never took.
        full_disk: the day on which the archive's disk is full for a while.
        dead_worker: the day whose night finds no worker.
        operators: the day whose night is run by two operators and a backfill beside the schedule.
        brokers, archivers, recorders: the days on which each of them is killed.
    """

    absent: tuple[str, int]
    late: tuple[str, int] | None
    cut: int | None
    full_disk: int | None
    dead_worker: int | None
    operators: int
    brokers: frozenset[int]
    archivers: frozenset[int]
    recorders: frozenset[int]


@dataclass(frozen=True)
class Week:
    """A week in small."""

    seed: int
    days: int
    tables: int
    rounds: int
    day_seconds: float
    quiet_seconds: float
    script: Script

    @property
    def dates(self) -> list[dt.date]:
        """The gaming days."""
        return [FIRST + dt.timedelta(days=number) for number in range(self.days)]

    def simulate(self, archive: Path) -> dict[TableDay, list[tuple[int, bytes]]]:
        """Play the week undisturbed into an archive: the events of each table-day as they are to be recorded."""
        simulate(archive, day=FIRST, days=self.days, tables=self.tables, rounds=self.rounds, seed=self.seed)
        return {
            (ref.table_id, ref.gaming_day): [(event.seq, encode(event)) for event in read_events(ref)]
            for ref in table_days(archive)
        }


def long_week(seed: int, days: int, minutes: float, table_ids: list[str], rounds: int) -> Week:
    """A week of which every fault has its day; from three days up."""
    rng = Random(f"soak {seed}")
    whole = list(range(days))
    absent, late = rng.sample(table_ids, 2)
    cut = days - 1  # what a topic lost concerns every day until it is found, and the clock says that is years later
    before = whole[:-1]
    full = rng.choice(before)
    off = rng.choice(before[1:])  # a recorder that never claimed its table cannot begin without a broker
    day_seconds = minutes * 60 / (days + 0.5)
    return Week(
        seed=seed,
        days=days,
        tables=len(table_ids),
        rounds=rounds,
        day_seconds=day_seconds,
        quiet_seconds=max(
            10.0, day_seconds / 10
        ),  # a recorder that was killed is back by then, or its table is sealed open
        script=Script(
            absent=(absent, rng.choice(before[1:])),
            late=(late, off),
            cut=cut,
            full_disk=full,
            dead_worker=rng.choice([day for day in before if day != off]),
            operators=rng.choice(whole),
            brokers=frozenset({0, *rng.sample(before, (days + 1) // 3)}),
            archivers=frozenset(before) - {full},
            recorders=frozenset(rng.sample(whole, (days + 1) // 2)),
        ),
    )


def short_week(seed: int, table_ids: list[str]) -> Week:
    """Two days in which everything goes from end to end: broker and archiver killed, a table that never comes, no worker
    in the first night, and two operators at once in the second."""
    absent = Random(f"soak {seed}").choice(table_ids)
    once = frozenset({0})
    return Week(
        seed=seed,
        days=2,
        tables=len(table_ids),
        rounds=15,
        day_seconds=10.0,
        quiet_seconds=6.0,
        script=Script(
            absent=(absent, 1),
            late=None,
            cut=None,
            full_disk=None,
            dead_worker=0,
            operators=1,
            brokers=once,
            archivers=once,
            recorders=frozenset(),
        ),
    )
