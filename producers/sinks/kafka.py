"""A Kafka topic as a sink, behind a local spool, so that play continues without a broker.

An event is acknowledged when it is durable in the spool. A thread sends spooled events in order. A table belongs to one
recorder at a time, by its claim (:mod:`producers.claims`). All events of a table are in one partition; ``producers/README.md``
says what a message looks like. :mod:`producers.archiver` writes the topic into an archive, each event exactly once.
"""

from __future__ import annotations

import datetime as dt
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from producers.claims import RecorderRefused
from producers.kafka_client import KafkaFailed, Settings
from producers.link import DELIVERY_MS, Target
from producers.sender import Sender, SpooledTable
from producers.sinks import NotDurable, each_of
from producers.spool import SEGMENT_BYTES, SpoolFull, TableSpool, spool_id, spooled_tables
from replayer.sources.layout import require_table_id
from schemas.codec import MessageUnreadable, decode
from schemas.plural import plural

LIMIT_BYTES: Final = 1024**3
"""The default limit of a spool: about ten million events."""

WARN_AT: Final = 0.8
"""The share of the limit from which on the table is warned."""

_SEGMENTS: Final = 16
_PATIENCE_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class Fill:
    """How full a spool is."""

    events: int  # that wait for the topic
    bytes: int  # their size in complete segments, of limit_bytes
    limit_bytes: int
    oldest_at: int | None  # UTC microseconds since 1970; None where none waits
    connected: bool  # whether the last attempt reached the broker
    last_error: str  # what keeps events from the topic

    @property
    def share(self) -> float:
        """The used share of the limit, 0 to 1."""
        return self.bytes / self.limit_bytes


class KafkaSink:
    """Records through the spool in a folder into ``topic``, which must exist, as must ``TOPIC.recorders``.

    Arguments:
        spool: a local folder on a disk that survives a power cut; the same after every restart.
        settings: passed on to kafka-python.
        limit_bytes: the limit of the spool; beyond it no event is accepted.
        take_over: continue tables that another recorder claimed, which thereby ends. Opening such a table waits until no event
            of that recorder can be in flight any more.
        delivery_ms: how long an event may be in flight before it is looked up and sent again.
        on_fill: called, by :meth:`flush`, each time the spool is at ``WARN_AT`` of its limit or beyond, and once when it no
            longer is.
        on_trouble: called, in the thread that sends, when a table was refused or cannot be sent, when Kafka refuses what is sent
            rather than not answering, when what another program sent cannot be read, or when acknowledged events are gone.

    Raises:
        NotDurable: the spool cannot be used.
    """

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        spool: str | os.PathLike[str],
        *,
        settings: Settings | None = None,
        limit_bytes: int = LIMIT_BYTES,
        take_over: bool = False,
        delivery_ms: int = DELIVERY_MS,
        on_fill: Callable[[Fill], None] = lambda _: None,
        on_trouble: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._topic = topic
        self._spool = spool = Path(spool)
        self._limit_bytes = limit_bytes
        self._take_over = take_over
        self._on_fill = on_fill
        self._warned = False
        self._closed = False
        self._opening = threading.Lock()
        self._tables: dict[str, SpooledTable] = {}
        where = Target(bootstrap, topic, spool, spool_id(spool), settings or {}, delivery_ms)
        self._sender = Sender(where, self._tables, on_trouble)

    def last_seq(self, table_id: str) -> int:
        """The highest ``seq`` of the table. The first call claims the table.

        A spool that has claimed the table before continues without a broker; the claim is checked against others when the
        broker is back. A spool new to the table needs the topic to know the table's numbers.

        Raises:
            TableIdRefused: the table id is not allowed in an archive.
            RecorderRefused: it belongs to another recorder, without ``take_over``.
            SinkBusy: another process records it through this spool.
            KafkaFailed: the spool is new to the table and Kafka does not answer.
            NotDurable: the disk failed, or the sink was closed.
        """
        return self._table(table_id).spool.last_seq

    def _table(self, table_id: str) -> SpooledTable:
        table = self._tables.get(table_id)
        if table is None:
            require_table_id(table_id)
            table = self._open(table_id)
        self._raise_if_refused(table)
        return table

    def _open(self, table_id: str) -> SpooledTable:
        patience = 0 if self._sender.trouble else _PATIENCE_SECONDS
        table = self._opened(table_id)
        claimed_before = table.spool.known and table.spool.claim.number > 0
        self._start_sending(table)
        table.checked.wait(patience if claimed_before and not self._take_over else None)
        if self._closed:
            raise self._closed_for(table)
        if table.refused or (table.failed and not claimed_before):
            self._tables.pop(table_id, None)
            table.spool.close()
            raise RecorderRefused(table.refused) if table.refused else KafkaFailed(table.failed)
        return table

    def _opened(self, table_id: str) -> SpooledTable:
        segment_bytes = min(SEGMENT_BYTES, self._limit_bytes // _SEGMENTS)
        return SpooledTable(table_id, TableSpool(self._spool, table_id, segment_bytes), self._take_over)

    def _start_sending(self, table: SpooledTable) -> None:
        with self._opening:
            if self._closed:
                table.spool.close()
                raise self._closed_for(table)
            self._tables[table.table_id] = table
            self._sender.wake()
            if self._sender.ident is None:
                self._sender.start()

    def _closed_for(self, table: SpooledTable) -> NotDurable:
        return NotDurable(f"table {table.table_id} of {self._spool}: the sink was closed; make another one to record")

    def resume(self) -> list[str]:
        """Send the events that an earlier process left in the spool; returns all tables that are sent, unless another process
        records one of them (SinkBusy)."""
        for table_id in spooled_tables(self._spool):
            if table_id not in self._tables:
                table = self._opened(table_id)
                if table.spool.waiting:
                    self._start_sending(table)
                else:
                    table.spool.close()
        return sorted(self._tables)

    def append(self, table_id: str, gaming_day: dt.date, seq: int, message: bytes) -> None:
        """Add an event for the next :meth:`flush`; raises as :meth:`last_seq`, RecorderRefused where the table was taken over,
        SpoolFull where the spool has reached its limit, SequenceConflict where the number has been used."""
        table = self._table(table_id)
        if self._bytes() + len(message) > self._limit_bytes:
            fill = self.fill
            waiting = f"{plural(fill.events, 'event waits', 'events wait')} for topic {self._topic}"
            used = f"{fill.bytes} of {fill.limit_bytes} bytes"
            why = fill.last_error or "they are being sent, give it time"
            raise SpoolFull(f"{self._spool} is full: {waiting}, {used}; {why}")
        table.spool.add(seq, message)

    def flush(self) -> Mapping[str, int]:
        """Wait until all events are durable in the spool, without waiting for the broker.

        Raises:
            RecorderRefused: another recorder took a table over since its events were added. They remain on disk.
            NotDurable: the disk failed.
        """
        tables = list(self._tables.values())  # another thread may open one
        late = [table for table in tables if table.spool.pending]
        durable = each_of(lambda table: (table.table_id, table.spool.sync()), tables)
        self._sender.wake()
        near = self._bytes() >= WARN_AT * self._limit_bytes
        if near or self._warned:
            self._on_fill(self.fill)
        self._warned = near
        for table in late:
            self._raise_if_refused(table)
        return {table_id: seq for table_id, seq in durable if seq}

    @property
    def fill(self) -> Fill:
        """How full the spool is now."""
        tables = list(self._tables.values())
        waiting = sum(table.spool.waiting for table in tables)
        oldest_at = min(filter(None, map(_oldest_at, tables)), default=None)
        whys = [self._sender.trouble, *(table.refused or table.failed for table in tables)]
        why = next(filter(None, whys), "")
        return Fill(waiting, self._bytes(), self._limit_bytes, oldest_at, self._sender.connected, why)

    def seal(self, table_id: str, gaming_day: dt.date) -> None:
        """Flush: a topic has no table-days, the archiver seals them."""
        self.flush()

    def drain(self, seconds: float) -> None:
        """Wait until the topic has all flushed events.

        Raises:
            RecorderRefused: another recorder took a table over, whose events remain in the spool; the others are sent.
            KafkaFailed: it has not after ``seconds``. Nothing is lost: the spool sends the rest when it is opened again.
        """
        deadline = time.monotonic() + seconds
        while any(table.spool.waiting and not table.refused for table in list(self._tables.values())):
            if time.monotonic() > deadline:
                fill = self.fill
                waiting = plural(fill.events, "event still waits", "events still wait")
                raise KafkaFailed(f"{waiting} in {self._spool}: {fill.last_error or 'no answer yet'}")
            time.sleep(0.01)
        for table in list(self._tables.values()):
            if table.spool.waiting:
                self._raise_if_refused(table)

    def close(self) -> None:
        """Release every table for good. Flushed events that are not sent remain in the spool until it is opened again."""
        with self._opening:
            self._closed = True
        self._sender.stop()
        for table in list(self._tables.values()):
            table.spool.close()
            table.checked.set()  # whoever opens it waits for an answer
        self._tables.clear()

    def _bytes(self) -> int:
        return sum(table.spool.size for table in list(self._tables.values()))

    def _raise_if_refused(self, table: SpooledTable) -> None:
        if table.refused:
            raise RecorderRefused(table.refused)


def _oldest_at(table: SpooledTable) -> int | None:
    try:
        return next((decode(entry.message).at for entry in table.spool.unsent(1)), None)
    except (NotDurable, MessageUnreadable):  # unreadable, which the sender reports
        return None
