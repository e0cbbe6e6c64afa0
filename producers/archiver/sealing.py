"""Decides when to seal a table-day: a minute after its closing, or when its gaming day is over and it has been quiet long enough.

Quiet time is measured on the topic, not by the clock alone: from the last event's arrival to the last snapshot at which the
partition had been read completely. A topic that cannot be read is not quiet, nor is one whose tables have just got their broker
back. The arrival survives a restart as the journal's time of change; a clock that was set back never makes it earlier.
"""

from __future__ import annotations

from typing import Final

from producers.archiver.options import Options
from producers.archiver.place import TableDay
from producers.sinks.archive import ArchiveSink
from replayer.sources.layout import PartName
from schemas.codec import decode

_CLOSED_SECONDS: Final = 60.0
"""Events that belong to a closing, a count of the drop, say, may come a moment after it."""


class Sealing:
    """Decides when one archiver seals table-days. A table that cannot be opened raises the sink's SinkBusy or NotDurable."""

    def __init__(self, sink: ArchiveSink, options: Options) -> None:
        self._sink = sink
        self._options = options
        self._last_event_at: dict[TableDay, float] = {}
        self._closed: set[TableDay] = set()
        self._late: set[TableDay] = set()
        self._reconnected_at = float("-inf")

    def note_event(self, table_day: TableDay, kind: str) -> None:
        """Note an event of a table-day."""
        if table_day not in self._last_event_at and self._sink.manifests(*table_day):
            self._late.add(table_day)
        self._last_event_at[table_day] = self._options.monotonic()
        self._note(table_day, kind)

    def resume(self, table_day: TableDay) -> None:
        """Resume a table-day that was under way when this archiver took its partition."""
        table_id, gaming_day = table_day
        parts = len(self._sink.manifests(table_id, gaming_day))
        if parts:
            self._late.add(table_day)
        journal = PartName(gaming_day, table_id, parts).journal(self._sink.archive)
        try:
            ago = max(0.0, self._options.now() - journal.stat().st_mtime)
        except FileNotFoundError:
            ago = 0.0
        self._last_event_at[table_day] = self._options.monotonic() - ago
        for message in self._sink.tail(table_id, gaming_day):
            self._note(table_day, decode(message).kind)

    def note_reconnect(self) -> None:
        """Note that the broker is back: tables may have events left to send."""
        self._reconnected_at = self._options.monotonic()

    def last_event_at(self, table_day: TableDay) -> float | None:
        """When the last event of a table-day came, by the monotonic clock; None where unknown."""
        return self._last_event_at.get(table_day)

    def is_ready(self, table_day: TableDay, read_until: float) -> bool:
        """Whether to seal a table-day whose partition was read up to the end that it had at a moment."""
        if table_day not in self._last_event_at:
            self.resume(table_day)
        silent = read_until - max(self._last_event_at[table_day], self._reconnected_at)
        if table_day in self._closed:
            return silent >= min(self._options.quiet_seconds, _CLOSED_SECONDS)
        return silent >= self._options.quiet_seconds and (
            table_day in self._late or self._options.today() > table_day[1]
        )

    def forget(self, table_day: TableDay) -> None:
        """Forget a table-day that was sealed, or is another archiver's."""
        self._last_event_at.pop(table_day, None)
        self._closed.discard(table_day)
        self._late.discard(table_day)

    def _note(self, table_day: TableDay, kind: str) -> None:
        if kind == "TableClosed":
            self._closed.add(table_day)
        elif kind == "TableOpened":
            self._closed.discard(table_day)
