"""Keeps events in memory, for tests and for replaying events just recorded."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Mapping

from producers.sinks import SequenceConflict
from replayer.sources.layout import require_table_id
from schemas.codec import decode
from schemas.event import Event


class MemorySink:
    """Keeps the messages of each table by ``seq``; only flushed ones can be read."""

    def __init__(self) -> None:
        self._pending: dict[str, dict[int, bytes]] = {}
        self._durable: dict[str, dict[int, bytes]] = {}
        self._lock = threading.RLock()

    def last_seq(self, table_id: str) -> int:
        """The highest ``seq`` of the table."""
        require_table_id(table_id)
        return max(self._durable.get(table_id, {}).keys() | self._pending.get(table_id, {}).keys(), default=0)

    def append(self, table_id: str, gaming_day: dt.date, seq: int, message: bytes) -> None:
        """Add an event, unless it is there."""
        require_table_id(table_id)
        with self._lock:
            durable, pending = self._durable.setdefault(table_id, {}), self._pending.setdefault(table_id, {})
            held = durable.get(seq) or pending.setdefault(seq, message)
        if held != message:
            raise SequenceConflict(f"table {table_id} has another event {seq}")

    def flush(self) -> Mapping[str, int]:
        """Acknowledge all events."""
        with self._lock:
            for table_id, pending in self._pending.items():
                self._durable[table_id] |= pending
                pending.clear()
            return {table_id: max(held) for table_id, held in self._durable.items() if held}

    def seal(self, table_id: str, gaming_day: dt.date) -> None:
        """Flush."""
        self.flush()

    def close(self) -> None:
        """Drop events that were not flushed."""
        with self._lock:
            self._pending.clear()

    def messages(self, table_id: str) -> list[bytes]:
        """The durable messages of a table by ``seq``."""
        held = self._durable.get(table_id, {})
        return [held[seq] for seq in sorted(held)]

    def events(self) -> list[Event]:
        """The durable events of every table, by ``seq``."""
        return [decode(message) for table_id in self._durable for message in self.messages(table_id)]
