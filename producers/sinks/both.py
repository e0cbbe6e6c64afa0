"""Two sinks as one: the same events into the archive and into Kafka."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from producers.sinks import NotDurable, Sink


class BothSinks:
    """Writes every event to both; durable is what both acknowledged."""

    def __init__(self, first: Sink, second: Sink) -> None:
        self._sinks = (first, second)

    def last_seq(self, table_id: str) -> int:
        """The highest ``seq`` of the table, which both must agree on.

        Raises:
            NotDurable: one of them holds other events of the table than the other.
        """
        first, second = (sink.last_seq(table_id) for sink in self._sinks)
        if first != second:
            raise NotDurable(
                f"table {table_id}: one sink ends with seq {first}, the other with {second}; "
                "they must hold the same log: choose an empty archive and an empty topic"
            )
        return first

    def append(self, table_id: str, gaming_day: dt.date, seq: int, message: bytes) -> None:
        """Give the event to both."""
        for sink in self._sinks:
            sink.append(table_id, gaming_day, seq, message)

    def flush(self) -> Mapping[str, int]:
        """Make all durable in both; the lower of the two acknowledgements by table."""
        first, second = (sink.flush() for sink in self._sinks)
        return {table_id: min(seq, second.get(table_id, 0)) for table_id, seq in first.items()}

    def seal(self, table_id: str, gaming_day: dt.date) -> None:
        """Seal the table-day in both."""
        for sink in self._sinks:
            sink.seal(table_id, gaming_day)

    def close(self) -> None:
        """Let go of both."""
        for sink in self._sinks:
            sink.close()
