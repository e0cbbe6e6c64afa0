"""The port through which events leave a table, and what its adapters have in common.

An adapter takes events in the order of their ``seq`` and acknowledges what is durable; nothing else counts as recorded.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Protocol


class NotDurable(RuntimeError):
    """Events could not be made durable. Those acknowledged before are safe; the others count as not recorded."""


class SinkBusy(RuntimeError):
    """Another writer has the table open."""


class NothingToSeal(LookupError):
    """The sink holds no event of the table-day, sealed or not."""


class SequenceConflict(ValueError):
    """The sink holds another event under the same table and ``seq``; that one stays."""


class Sink(Protocol):
    """What a recorder writes to. Several tables may share one sink."""

    def last_seq(self, table_id: str) -> int:
        """The highest ``seq`` that the sink holds of the table, 0 when it holds none.

        Raises:
            TableIdRefused, SinkBusy, NotDurable: the table cannot be opened.
        """

    def append(self, table_id: str, gaming_day: dt.date, seq: int, message: bytes) -> None:
        """Take an event as an Avro single-object message. It is not durable before the next :meth:`flush`.

        Raises:
            TableIdRefused, SinkBusy, NotDurable: it could not be taken.
            SequenceConflict: the sink knows another event under this ``seq`` (not every sink can know).
        """

    def flush(self) -> Mapping[str, int]:
        """Make all that was taken durable; the highest durable ``seq`` of each table open in this sink.

        Raises:
            NotDurable: some of it could not be made durable.
        """

    def seal(self, table_id: str, gaming_day: dt.date) -> None:
        """No more events of this table-day are expected; flushes first. A sink without table-days only flushes.

        Raises:
            NothingToSeal: it holds no event of the table-day. One that is sealed already stays as it is.
            NotDurable: it could not be sealed; sealing again completes it.
        """

    def close(self) -> None:
        """Let go of every table. What was not flushed is not recorded. A sink that lets others have its tables takes no event
        any more (NotDurable)."""
