"""Decides when to seal a table-day: a minute after its closing, or when its gaming day is over and it has been quiet long enough.

Quiet time is measured on the topic, not by the clock alone: from the last event's arrival to the last snapshot at which the
partition had been read completely. A topic that cannot be read is not quiet, nor is one whose tables have just got their broker
back. The arrival survives a restart as the journal's time of change; a clock that was set back never makes it earlier.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from producers.archiver.interface import Options
from producers.sinks import TableDayName
from producers.sinks.archive import ArchiveSink
from schemas.codec import decode

_CLOSED_SECONDS: Final = 60.0
"""Events that belong to a closing, a count of the drop, say, may come a moment after it."""
_TAIL: Final = 64
"""Events at the end of a journal among which its closing is looked for."""


@dataclass(slots=True)
class _OpenTableDay:
    """A table-day that is not sealed.

    Attributes:
        late: whether an earlier part of it was sealed.
        last_event_at: when its last event came, by the monotonic clock.
        closed: whether its closing came, and no opening after it.
    """

    late: bool
    last_event_at: float
    closed: bool = False

    def note(self, kind: str) -> None:
        if kind in ("TableClosed", "TableOpened"):
            self.closed = kind == "TableClosed"


class Sealing:
    """Decides when one archiver seals table-days. A table that cannot be opened raises the sink's SinkBusy or NotDurable."""

    def __init__(self, sink: ArchiveSink, options: Options) -> None:
        self._sink = sink
        self._options = options
        self._open: dict[TableDayName, _OpenTableDay] = {}
        self._reconnected_at = float("-inf")

    def note_event(self, table_day: TableDayName, kind: str) -> None:
        """Note an event of a table-day."""
        open_ = self._open.get(table_day)
        if open_ is None:
            open_ = self._open[table_day] = _OpenTableDay(bool(self._sink.day(*table_day).parts), 0.0)
        open_.last_event_at = self._options.monotonic()
        open_.note(kind)

    def note_reconnect(self) -> None:
        """Note that the broker is back: tables may have events left to send."""
        self._reconnected_at = self._options.monotonic()

    def quiet_seconds(self, table_day: TableDayName) -> int | None:
        """How long ago the last event of a table-day came; None where unknown."""
        open_ = self._open.get(table_day)
        return None if open_ is None else round(self._options.monotonic() - open_.last_event_at)

    def is_ready(self, table_day: TableDayName, read_until: float) -> bool:
        """Whether to seal a table-day whose partition was read up to the end that it had at a moment."""
        open_ = self._open.get(table_day) or self._resume(table_day)
        silent = read_until - max(open_.last_event_at, self._reconnected_at)
        if open_.closed:
            return silent >= min(self._options.quiet_seconds, _CLOSED_SECONDS)
        return silent >= self._options.quiet_seconds and (open_.late or self._options.today() > table_day[1])

    def forget(self, table_day: TableDayName) -> None:
        """Forget a table-day that was sealed, or is another archiver's."""
        self._open.pop(table_day, None)

    def _resume(self, table_day: TableDayName) -> _OpenTableDay:
        """Go on with a table-day that was under way when this archiver took its partition."""
        day, ago = self._sink.day(*table_day), 0.0
        if day.journal is not None:
            with suppress(FileNotFoundError):
                ago = max(0.0, self._options.now() - day.journal.path.stat().st_mtime)
        open_ = self._open[table_day] = _OpenTableDay(bool(day.parts), self._options.monotonic() - ago)
        for entry in day.entries()[-_TAIL:]:
            open_.note(decode(entry.message).kind)
        return open_
