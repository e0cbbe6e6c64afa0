"""Writes what happens at a table: every fact at its time, through the recorder, as a table system would."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final

from producers.recorder import Recorder
from producers.simulator.clock import SECOND, Clock
from producers.simulator.faults import PlantedFaults
from producers.sinks import Sink
from schemas.event import Event

_BACK: Final = 90 * SECOND
_FOLLOWED: Final = frozenset({"hit", "stand", "fold"})
"""Decisions that another event of the same round follows, so that a loss shows in their round."""


class LossySink:
    """A sink that lets go of one event when told to: a message that never arrives."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self.lose = False

    def last_seq(self, table_id: str) -> int:
        """The highest ``seq`` that the sink holds."""
        return self._sink.last_seq(table_id)

    def append(self, table_id: str, gaming_day: dt.date, seq: int, message: bytes) -> None:
        """Pass the event on, unless it is the one to be lost."""
        if self.lose:
            self.lose = False
            return
        self._sink.append(table_id, gaming_day, seq, message)

    def flush(self) -> Mapping[str, int]:
        """Make the rest durable."""
        return self._sink.flush()

    def seal(self, table_id: str, gaming_day: dt.date) -> None:
        """Seal the table-day."""
        self._sink.seal(table_id, gaming_day)

    def close(self) -> None:
        """Let go of every table."""
        self._sink.close()


class TableWriter:
    """Writes one table-day.

    Attributes:
        round: the number of the round that runs, None between rounds.
        intact: whether no event of this round is to be lost, because more than this round would hang on it.
    """

    def __init__(self, sink: Sink, table_id: str, day: dt.date, clock: Clock, faults: PlantedFaults) -> None:
        self._sink = LossySink(sink)
        self._recorder = Recorder(self._sink, table_id)
        self._day = day
        self.clock = clock
        self.faults = faults
        self.round: int | None = None
        self.intact = False
        self.events = 0

    def write(self, kind: str, least: int, most: int, **bodies: Any) -> Event:
        """Write a fact of the round that runs; it takes between ``least`` and ``most`` milliseconds."""
        at = self.clock.tick(least, most)
        if kind == "DecisionTaken":
            return self._decision(at, bodies)
        self.events += 1
        return self._recorder.record(kind, round=self.round, at=at, gaming_day=self._day, **bodies)

    def write_beside(self, kind: str, least: int, most: int, **bodies: Any) -> Event:
        """Write a fact that belongs to no round, even while one runs."""
        at = self.clock.tick(least, most)
        self.events += 1
        return self._recorder.record(kind, at=at, gaming_day=self._day, **bodies)

    def seal(self) -> None:
        """The day is over: nothing more is written for it."""
        self._recorder.seal(self._day)

    def _decision(self, at: int, bodies: dict[str, Any]) -> Event:
        """A decision of a player, which is where the log itself may err without any chip being touched."""
        faults, decision = self.faults, bodies["decision"]
        seq = self._recorder.last_seq + 1
        if faults.take("clock_backwards"):
            faults.found("CLOCK_BACKWARDS", seq=seq, seat=decision.seat)
            at -= _BACK
        elif decision.action in _FOLLOWED and not self.intact and faults.take("event_lost"):
            faults.found("SEQUENCE_GAP", seq=seq + 1)
            self._sink.lose = True
        self.events += 1
        return self._recorder.record("DecisionTaken", round=self.round, at=at, gaming_day=self._day, **bodies)
