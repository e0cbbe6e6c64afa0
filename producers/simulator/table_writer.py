"""Writes the events of a table-day with their times, as a table system would record them."""

from __future__ import annotations

import datetime as dt
from typing import Final

from producers.simulator.clock import SECOND, Clock
from producers.simulator.facts import Fact
from producers.simulator.faults import PlantedFaults
from schemas.table_day import EncodedDay, Row, encoded_day

_CLOCK_SETBACK: Final = 90 * SECOND
_BEFORE_OTHERS: Final = frozenset({"hit", "stand", "fold"})
"""Decisions followed by another event of the same round, so that a lost one is found in that round."""


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

    def write(self, fact: Fact, least: int, most: int) -> int:
        """Write a fact of the current round, which takes ``least`` to ``most`` milliseconds; returns its ``seq``."""
        at = self.clock.tick(least, most)
        self._seq = seq = self._seq + 1
        if fact.kind == "DecisionTaken":
            self._decision(seq, at, fact)
        else:
            self._rows.append((seq, at, self.round, fact.tail))
        return seq

    def write_beside(self, fact: Fact, least: int, most: int) -> None:
        """Write a fact that belongs to no round, even during one."""
        at = self.clock.tick(least, most)
        self._seq += 1
        self._rows.append((self._seq, at, None, fact.tail))

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
