"""A Kafka topic as a sink, behind a local spool: play goes on whatever becomes of the broker.

An event is acknowledged when the spool's disk has it. A thread sends what is spooled, in order. A table belongs to one
recorder at a time, by its claim (:mod:`producers.claims`). All events of a table are in one partition. What the topic
holds becomes an archive, each event exactly once, through :mod:`producers.archiver`.

=====================  ======================================================================================
key                    the table id
value                  Avro single-object message (schema fingerprint in its header)
timestamp              the event's own time
``content-type``       ``application/avro``; with ``schema``, the fingerprint in hexadecimal
``recorder``           the id of the spool that the event was recorded through
``claim``              the number of the recorder's claim to the table, in decimal
=====================  ======================================================================================
"""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from producers.claims import RecorderRefused
from producers.kafka_client import KafkaFailed, Settings
from producers.link import DELIVERY_MS
from producers.sender import Line, Sender, Where
from producers.sinks import NotDurable
from producers.spool import SEGMENT_BYTES, SpoolFull, TableSpool, spool_id, spooled_tables
from replayer.sources.layout import require_table_id
from replayer.wording import plural
from schemas.codec import MessageUnreadable, decode

LIMIT_BYTES: Final = 1024**3
"""How much may wait for the topic: some ten million events."""

WARN_AT: Final = 0.8
"""From this share of the limit on, the table is warned."""

_SEGMENTS: Final = 16
_PATIENCE_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class Fill:
    """How full a spool is.

    Attributes:
        events: how many wait for the topic.
        bytes: what they take, of ``limit_bytes``; in whole segments.
        oldest_at: when the oldest of them happened, in UTC microseconds since 1970; None where none waits.
        connected: whether the broker answered last.
        last_error: what keeps events from the topic; empty where nothing does.
    """

    events: int
    bytes: int
    limit_bytes: int
    oldest_at: int | None = None
    connected: bool = False
    last_error: str = ""

    @property
    def share(self) -> float:
        """The share of the limit that is taken, 0 to 1."""
        return self.bytes / self.limit_bytes


class KafkaSink:
    """Records through the spool in a folder into ``topic``, which must exist, as must ``TOPIC.recorders``.

    Arguments:
        spool: a folder of this machine's own, on a disk that survives a power cut; the same after every restart.
        settings: passed through to kafka-python.
        limit_bytes: what may wait in the spool; beyond it nothing is accepted.
        take_over: go on with tables that another recorder claimed, which has then ended. Opening such a table waits until
            nothing of that recorder can be on its way any more.
        delivery_ms: so long an event may be on its way to the broker before it is looked up and sent again.
        on_fill: called, by :meth:`flush`, each time the spool is at ``WARN_AT`` of its limit or beyond, and once when it no
            longer is.
        on_trouble: called, in the thread that sends, when a table was refused or cannot be sent, or acknowledged events are gone.

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
        self._lines: dict[str, Line] = {}
        where = Where(bootstrap, topic, spool, spool_id(spool), settings or {}, delivery_ms)
        self._sender = Sender(where, on_trouble)

    def last_seq(self, table_id: str) -> int:
        """The highest ``seq`` of the table. The first call claims the table.

        A spool that has claimed the table before continues without a broker; the claim is checked against others when the
        broker is back. A spool new to the table needs the topic to know the table's numbers.

        Raises:
            TableIdRefused: the table id could not stand in an archive.
            RecorderRefused: it belongs to another recorder, and ``take_over`` was not said.
            SinkBusy: another process records it through this spool.
            KafkaFailed: the spool is new to the table and Kafka does not answer.
        """
        if table_id not in self._lines:
            require_table_id(table_id)
            self._open(table_id)
        self._raise_if_refused(self._lines[table_id])
        return self._lines[table_id].spool.last_seq

    def _open(self, table_id: str) -> None:
        offline = self._sender.trouble and not self._sender.connected
        line = self._line(table_id)
        claimed_before = line.spool.known and line.spool.claim.number > 0
        self._send(line)
        line.answered.wait((0 if offline else _PATIENCE_SECONDS) if claimed_before and not self._take_over else None)
        if line.refused or (line.failed and not claimed_before):
            self._sender.leave(line)
            del self._lines[table_id]
            line.spool.close()
            raise RecorderRefused(line.refused) if line.refused else KafkaFailed(line.failed)

    def _line(self, table_id: str) -> Line:
        if self._closed:
            raise NotDurable(f"table {table_id} of {self._spool}: the sink was closed; make another one to record")
        segment_bytes = min(SEGMENT_BYTES, self._limit_bytes // _SEGMENTS)
        return Line(table_id, TableSpool(self._spool, table_id, segment_bytes), self._take_over)

    def _send(self, line: Line) -> None:
        self._lines[line.table_id] = line
        self._sender.take(line)
        if self._sender.ident is None:
            self._sender.start()

    def resume(self) -> list[str]:
        """Send what an earlier process left in the spool, of tables that need not be recorded any more; their names.

        Raises:
            NotDurable: the spool cannot be read.
            SinkBusy: another process records one of them.
        """
        for table_id in spooled_tables(self._spool):
            if table_id not in self._lines:
                line = self._line(table_id)
                if line.spool.waiting:
                    self._send(line)
                else:
                    line.spool.close()
        return sorted(self._lines)

    def append(self, table_id: str, gaming_day: dt.date, seq: int, message: bytes) -> None:
        """Take an event for the next :meth:`flush`.

        Raises:
            TableIdRefused, SinkBusy, KafkaFailed: the table cannot be opened, or was taken over.
            SpoolFull: too much waits for the topic already.
            SequenceConflict: its number was used already.
        """
        line = self._lines.get(table_id)
        if line is None:
            self.last_seq(table_id)
            line = self._lines[table_id]
        self._raise_if_refused(line)
        if self._bytes() + len(message) > self._limit_bytes:
            fill = self.fill
            raise SpoolFull(
                f"{self._spool} is full: {plural(fill.events, 'event waits', 'events wait')} for topic {self._topic}, "
                f"{fill.bytes} of {fill.limit_bytes} bytes; {fill.last_error or 'they are being sent, give it time'}"
            )
        line.spool.add(seq, message)

    def flush(self) -> Mapping[str, int]:
        """Wait until the spool's disk has everything; never for the broker.

        Raises:
            RecorderRefused: another recorder took a table over since its events were taken. They are on the disk, and stay.
            NotDurable: the disk cannot take it.
        """
        late = [line for line in self._lines.values() if line.refused and line.spool.pending]
        for line in self._lines.values():
            line.spool.sync()
        self._sender.wake()
        near = self._bytes() >= WARN_AT * self._limit_bytes
        if near or self._warned:
            self._on_fill(self.fill)
        self._warned = near
        for line in late:
            self._raise_if_refused(line)
        return {table_id: line.spool.last_seq for table_id, line in self._lines.items() if line.spool.last_seq}

    @property
    def fill(self) -> Fill:
        """How full the spool is now."""
        lines = list(self._lines.values())
        whys = [self._sender.trouble, *(line.refused or line.failed for line in lines)]
        return Fill(
            sum(line.spool.waiting for line in lines),
            self._bytes(),
            self._limit_bytes,
            min(filter(None, (_oldest_at(line) for line in lines)), default=None),
            self._sender.connected,
            next(filter(None, whys), ""),
        )

    def seal(self, table_id: str, gaming_day: dt.date) -> None:
        """Flush: a topic has no table-days, the archiver seals them."""
        self.flush()

    def drain(self, seconds: float) -> None:
        """Wait until the topic has everything that was flushed.

        Raises:
            RecorderRefused: another recorder took a table over, and what it left stays in the spool; the others are done.
            KafkaFailed: it has not after so many seconds. Nothing is lost: the spool sends it when it is opened again.
        """
        deadline = time.monotonic() + seconds
        self._sender.wake()
        while any(line.spool.waiting and not line.refused for line in self._lines.values()):
            if time.monotonic() > deadline:
                fill = self.fill
                waiting = plural(fill.events, "event still waits", "events still wait")
                raise KafkaFailed(f"{waiting} in {self._spool}: {fill.last_error or 'no answer yet'}")
            time.sleep(0.01)
        for line in self._lines.values():
            if line.spool.waiting:
                self._raise_if_refused(line)

    def close(self) -> None:
        """Let go of every table for good. What was flushed and not sent stays in the spool until it is opened again."""
        self._closed = True
        self._sender.end()
        for line in self._lines.values():
            line.spool.close()
        self._lines.clear()

    def _bytes(self) -> int:
        return sum(line.spool.size for line in self._lines.values())

    def _raise_if_refused(self, line: Line) -> None:
        if line.refused:
            raise RecorderRefused(line.refused)


def _oldest_at(line: Line) -> int | None:
    try:
        return next((decode(entry.message).at for entry in line.spool.unsent(1)), None)
    except (NotDurable, MessageUnreadable):  # it cannot be read, and the sender says so
        return None
