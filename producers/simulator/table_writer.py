"""Writes the events of a table-day with their times, as a table system would record them.

The time advances with every action, in smaller steps where many rounds must fit into the gaming day.
"""

from __future__ import annotations

import datetime as dt
from random import Random
from typing import Final

from producers.recorder import GamingDays
from producers.simulator.facts import Fact
from producers.simulator.faults import PlantedFaults
from schemas.table_day import EncodedDay, Row, encoded_day

SECOND: Final = 1_000_000
_HOUR: Final = 3600 * SECOND
_WORKING: Final = 22 * _HOUR
"""The longest time that a table is open; the rest of the gaming day is for opening, closing and counting."""
_CLOCK_SETBACK: Final = 90 * SECOND
_BEFORE_OTHERS: Final = frozenset({"hit", "stand", "fold"})
"""Decisions followed by another event of the same round, so that a lost one is found in that round."""


class Clock:
    """A table's clock; ``at`` is the time in UTC microseconds since 1970."""

    def __init__(self, day: dt.date, rounds: int, round_seconds: int, random: Random) -> None:
        self._roll = random.random
        begin = GamingDays().begin(day)
        self.shut = begin + _HOUR // 2 + _WORKING
        self._round = round_seconds * SECOND
        spare = max(0, _WORKING - rounds * self._round * 5 // 4)
        self.at = begin + _HOUR // 2 + int(random.random() * spare)
        self._pace = 1.0

    def keep_up(self, rounds_left: int) -> None:
        """Set the pace so that the remaining rounds fit into the day."""
        self._pace = min(1.0, max(1, self.shut - self.at) / (rounds_left * self._round))

    def tick(self, least: int, most: int) -> int:
        """Advance by ``least`` to ``most`` milliseconds, scaled by the pace; returns the time."""
        milliseconds = least + (most - least) * self._roll()
        self.at += 1 + int(milliseconds * 1000 * self._pace)
        return self.at


class TableWriter:
    """Writes one table-day, numbered from ``last_seq`` + 1.

    Attributes:
        round: the number of the current round, None between rounds.
        intact: whether no event of this round may be lost, because other rounds depend on it.
    """

    def __init__(self, table_id: str, day: dt.date, last_seq: int, clock: Clock, faults: PlantedFaults) -> None:
        self.clock = clock
        self.faults = faults
        self.round: int | None = None
        self.intact = False
        self._table_id, self._day, self._seq = table_id, day, last_seq
        self._rows: list[Row] = []

    def write(self, fact: Fact, least: int, most: int, *, beside: bool = False) -> int:
        """Write a fact of the current round, or ``beside`` it of none, which takes ``least`` to ``most`` milliseconds;
        returns its ``seq``."""
        at = self.clock.tick(least, most)
        self._seq = seq = self._seq + 1
        if fact.kind == "DecisionTaken":
            self._decision(seq, at, fact)
        else:
            self._rows.append((seq, at, None if beside else self.round, fact.tail))
        return seq

    def written(self) -> EncodedDay:
        """The table-day written so far."""
        return encoded_day(self._table_id, self._day, self._rows)

    def _decision(self, seq: int, at: int, fact: Fact) -> None:
        """Write a player's decision, at which faults of the log itself may happen."""
        faults, decided = self.faults, fact.happened
        if faults.take("clock_backwards"):
            faults.expect("CLOCK_BACKWARDS", seq=seq, seat=decided.seat)
            at -= _CLOCK_SETBACK
        elif decided.said in _BEFORE_OTHERS and not self.intact and faults.take("event_lost"):
            faults.expect("SEQUENCE_GAP", seq=seq + 1)
            return
        self._rows.append((seq, at, self.round, fact.tail))
