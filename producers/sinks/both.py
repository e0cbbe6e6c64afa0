"""Writes the same events to two sinks: the archive and Kafka."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from producers.sinks import NotDurable, Sink


class BothSinks:
    """Writes every event to two sinks; it is durable when both have acknowledged it."""

    def __init__(self, first: Sink, second: Sink) -> None:
        self._sinks = (first, second)

    def last_seq(self, table_id: str) -> int:
        """The highest ``seq`` of the table, which must be the same in both (NotDurable)."""
        first, second = (sink.last_seq(table_id) for sink in self._sinks)
        if first != second:
            raise NotDurable(
                f"table {table_id}: one sink ends with seq {first}, the other with {second}; "
                "they must hold the same log: choose an empty archive and an empty topic"
            )
        return first

    def append(self, table_id: str, gaming_day: dt.date, seq: int, message: bytes) -> None:
        """Add the event to both."""
        for sink in self._sinks:
            sink.append(table_id, gaming_day, seq, message)

    def flush(self) -> Mapping[str, int]:
        """Flush both; returns the lower acknowledgement of each table."""
        first, second = (sink.flush() for sink in self._sinks)
        return {table_id: min(seq, second.get(table_id, 0)) for table_id, seq in first.items()}

    def seal(self, table_id: str, gaming_day: dt.date) -> None:
        """Seal the table-day in both."""
        for sink in self._sinks:
            sink.seal(table_id, gaming_day)

    def close(self) -> None:
        """Close both."""
        for sink in self._sinks:
            sink.close()
