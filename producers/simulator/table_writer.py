"""Writes what happens at a table, every fact at its time: a whole table-day, as a table system would have recorded it."""

from __future__ import annotations

import datetime as dt
from typing import Final

from producers.simulator.clock import SECOND, Clock
from producers.simulator.facts import Fact
from producers.simulator.faults import PlantedFaults
from schemas.table_day import EncodedDay, Row, encoded_day

_BACK: Final = 90 * SECOND
_FOLLOWED: Final = frozenset({"hit", "stand", "fold"})
"""Decisions that another event of the same round follows, so that a loss shows in their round."""


class TableWriter:
    """Writes one table-day, whose first event has the number after ``last_seq``.

    Attributes:
        round: the number of the round that runs, None between rounds.
        intact: whether no event of this round may be lost, because other rounds depend on it.
    """

    def __init__(self, table_id: str, day: dt.date, last_seq: int, clock: Clock, faults: PlantedFaults) -> None:
        self.clock = clock
        self.faults = faults
        self.round: int | None = None
        self.intact = False
        self._table_id, self._day, self._seq, self._before = table_id, day, last_seq, last_seq
        self._rows: list[Row] = []

    @property
    def events(self) -> int:
        """How many were written, lost ones included."""
        return self._seq - self._before

    def write(self, fact: Fact, least: int, most: int) -> int:
        """Write a fact of the round that runs; it takes between ``least`` and ``most`` milliseconds. Gives its ``seq``."""
        at = self.clock.tick(least, most)
        self._seq = seq = self._seq + 1
        if fact.kind == "DecisionTaken":
            self._decision(seq, at, fact)
        else:
            self._rows.append((seq, at, self.round, fact.tail))
        return seq

    def write_beside(self, fact: Fact, least: int, most: int) -> None:
        """Write a fact that belongs to no round, even while one runs."""
        at = self.clock.tick(least, most)
        self._seq += 1
        self._rows.append((self._seq, at, None, fact.tail))

    def written(self) -> EncodedDay:
        """The table-day, as far as it was written."""
        return encoded_day(self._table_id, self._day, self._rows)

    def _decision(self, seq: int, at: int, fact: Fact) -> None:
        """A decision of a player, which is where the log itself may err without any chip being touched."""
        faults, decided = self.faults, fact.happened
        if faults.take("clock_backwards"):
            faults.expect("CLOCK_BACKWARDS", seq=seq, seat=decided.seat)
            at -= _BACK
        elif decided.said in _FOLLOWED and not self.intact and faults.take("event_lost"):
            faults.expect("SEQUENCE_GAP", seq=seq + 1)
            return
        self._rows.append((seq, at, self.round, fact.tail))
