"""Takes a Kafka topic over into the archive, exactly once.

Every step is in the order that a kill cannot hurt: events into the journals and onto the disk, refused messages into
the quarantine and onto the disk, then how far the topic was read into the archive's own offsets file, and last the same
to Kafka, where it serves those who watch the lag. What is read again after a kill is recognised and dropped. So the
archive alone says how far it is, and a topic may be taken into several archives.

Anybody may write to a topic: each message is held to the whole contract, and one that breaks it is refused.
"""

from __future__ import annotations

import datetime as dt
import json
import time
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import UnknownTopicOrPartitionError
from kafka.structs import OffsetAndMetadata

from producers.fence import Fence, FencedOff
from producers.kafka_client import KafkaFailed, Settings, connect, explained
from producers.quarantine import QuarantineFile
from producers.sinks import NotDurable, SequenceConflict
from producers.sinks.archive import ArchiveSink
from producers.sinks.durable import make_folder, write_durably
from replayer.sources.careful import MOST_NOTE, TextRefused, read_file, read_json
from replayer.sources.layout import FILE_MODE, TableIdRefused, offsets_file, quarantine_file
from replayer.sources.quarantine import Quarantined
from schemas.codec import MessageUnreadable, admit, decode
from schemas.event import EventRejected

GROUP: Final = "pitaudit-archiver"
_CLOSING: Final = "TableClosed"
_BATCH: Final = 10_000
_FLUSH_EVENTS: Final = 50_000
_FLUSH_SECONDS: Final = 1.0
_POLL_MS: Final = 250
_FROM_THE_BEGINNING: Final = "remove it and the topic is read again from its beginning"

TableDay = tuple[str, dt.date]
Headers = Iterable[tuple[str, bytes | None]]


@dataclass(slots=True)
class Archived:
    """What a run of the archiver did. ``offsets`` gives the next offset of each partition."""

    events: int = 0
    duplicates: int = 0
    quarantined: int = 0
    sealed: list[TableDay] = field(default_factory=list)
    offsets: dict[int, int] = field(default_factory=dict)
    behind: int = 0


@dataclass(slots=True)
class _Place:
    """How far a topic was taken over, and the table-days from it that are not sealed yet."""

    file: Path
    file_mode: int = FILE_MODE
    offsets: dict[int, int] = field(default_factory=dict)
    under_way: set[TableDay] = field(default_factory=set)

    @classmethod
    def read(cls, file: Path, file_mode: int) -> _Place:
        try:
            said = read_json(read_file(file, MOST_NOTE))
            checksum = said.pop("crc32", None)  # a file of an earlier program has none
            if said.keys() != {"offsets", "under_way"} or checksum not in (None, _checksum(said)):
                raise TextRefused("it is not as it was written")
            offsets = {int(partition): int(offset) for partition, offset in said["offsets"].items()}
            under_way = {(str(table), dt.date.fromisoformat(day)) for table, day in said["under_way"]}
        except FileNotFoundError:
            return cls(file, file_mode)
        except (OSError, ValueError, TypeError, AttributeError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise NotDurable(f"{file}: {why}; {_FROM_THE_BEGINNING}") from error
        return cls(file, file_mode, offsets, under_way)

    def write(self) -> None:
        said: dict[str, Any] = {
            "offsets": {str(partition): offset for partition, offset in sorted(self.offsets.items())},
            "under_way": [[table_id, day.isoformat()] for table_id, day in sorted(self.under_way)],
        }
        said["crc32"] = _checksum(said)
        try:
            make_folder(self.file.parent, self.file_mode)
            write_durably(self.file, (json.dumps(said, indent=2) + "\n").encode(), self.file_mode)
        except OSError as error:
            raise NotDurable(f"{self.file}: {error.strerror}; make room and run again") from error


def _checksum(said: dict[str, Any]) -> int:
    """Of how far a topic was taken: a digit that changed would leave events out."""
    return zlib.crc32(json.dumps(said, sort_keys=True).encode())


def archive_topic(
    bootstrap: str,
    topic: str,
    archive: Path,
    *,
    until_end: bool = False,
    quiet_seconds: float = 900.0,
    timeout_seconds: float = 60.0,
    group: str = GROUP,
    settings: Settings | None = None,
    file_mode: int = FILE_MODE,
    on_progress: Callable[[Archived], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
    monotonic: Callable[[], float] = time.monotonic,
) -> Archived:
    """Take ``topic`` over into ``archive`` and seal finished table-days.

    With ``until_end`` it ends where the topic ended when it began, and seals every table-day that it took events of.
    Without, it goes on until ``stop`` says so, and seals a table-day ``quiet_seconds`` after its last event, once its
    TableClosed is there; what comes later goes into a linked part.

    Raises:
        KafkaFailed: no connection, no such topic, or no answer for ``timeout_seconds``.
        NotDurable: the disk is full, say. What was taken is safe; run again and it goes on.
        SinkBusy: another process writes one of the tables.
    """
    reading = {
        "group_id": group,
        "enable_auto_commit": False,
        "auto_offset_reset": "earliest",
        "isolation_level": "read_committed",
        "allow_auto_create_topics": False,
        "max_poll_records": _BATCH,
    }
    consumer = connect(KafkaConsumer, bootstrap, topic, **(reading | dict(settings or {})))
    sink = ArchiveSink(archive, file_mode)
    try:
        with explained(bootstrap, topic):
            run = _Run(consumer, sink, topic, archive, on_progress, monotonic)
            run.read(until_end, quiet_seconds, timeout_seconds, stop)
        return run.done
    finally:
        sink.close()
        consumer.close()


class _Run:
    """One run over one topic."""

    def __init__(
        self,
        consumer: Any,
        sink: ArchiveSink,
        topic: str,
        archive: Path,
        on_progress: Callable[[Archived], None],
        monotonic: Callable[[], float],
    ) -> None:
        self.done = Archived()
        self._consumer = consumer
        self._sink = sink
        self._topic = topic
        self._quarantine = QuarantineFile(quarantine_file(archive, topic), sink.file_mode)
        self._place = _Place.read(offsets_file(archive, topic), sink.file_mode)
        self._fence = Fence(archive, topic, sink.file_mode)
        self._on_progress = on_progress
        self._monotonic = monotonic
        self._unflushed = 0
        self._heard: dict[TableDay, float] = {}
        self._closed: set[TableDay] = set()
        for table_id, day in self._place.under_way:
            if sink.first_seq(table_id, day) is None:
                what = f"events of table {table_id} on gaming day {day} were taken, and the archive has none of them"
                raise NotDurable(f"{self._place.file}: {what}; {_FROM_THE_BEGINNING}")
            self._heard[table_id, day] = monotonic()
            if sink.parts(table_id, day) or any(
                decode(message).kind == _CLOSING for message in sink.tail(table_id, day)
            ):
                self._closed.add((table_id, day))
        self._partitions = [TopicPartition(topic, number) for number in sorted(consumer.partitions_for_topic(topic))]
        if not self._partitions:
            raise UnknownTopicOrPartitionError
        consumer.assign(self._partitions)
        begins = consumer.beginning_offsets(self._partitions)
        self._ends = consumer.end_offsets(self._partitions)
        for partition in self._partitions:
            # An offset beyond the end means that the topic was made anew: read it all, what is known is dropped.
            held = self._place.offsets.get(partition.partition, 0)
            fits = begins[partition] <= held <= self._ends[partition]
            consumer.seek(partition, held if fits else begins[partition])

    def read(self, until_end: bool, quiet_seconds: float, timeout_seconds: float, stop: Callable[[], bool]) -> None:
        flushed = answered = self._monotonic()
        while not stop() and not (until_end and self._behind() == 0):
            before = self._behind()
            for partition, records in self._consumer.poll(timeout_ms=_POLL_MS).items():
                for record in records:
                    self._take(partition.partition, record.offset, record.value, record.headers or ())
            now = self._monotonic()
            if self._unflushed >= _FLUSH_EVENTS or now - flushed >= _FLUSH_SECONDS:
                self._flush()
                flushed = now
            if self._behind() != before or not until_end:
                answered = now
            elif now - answered >= timeout_seconds:
                raise KafkaFailed(
                    f"topic {self._topic}: no answer for {timeout_seconds:g} seconds, {before} messages short of the "
                    "end; what was taken is safe, run again and it goes on"
                )
            if not until_end:
                self._seal(day for day in self._closed if now - self._heard[day] >= quiet_seconds)
        self._flush()
        if until_end:
            self._seal(self._place.under_way)

    def _behind(self) -> int:
        return sum(max(0, self._ends[tp] - self._consumer.position(tp)) for tp in self._partitions)

    def _take(self, partition: int, offset: int, message: bytes | None, headers: Headers) -> None:
        self._unflushed += 1
        try:
            said, kept = admit(message or b"")
            self._fence.admit(said, headers, self._sink.last_seq(said.table_id))
            before = self._sink.duplicates
            self._sink.append(said.table_id, said.gaming_day, said.seq, kept)
        except (MessageUnreadable, EventRejected, TableIdRefused, SequenceConflict, FencedOff) as error:
            self.done.quarantined += self._quarantine.add(
                Quarantined(self._topic, partition, offset, str(error), message or b"")
            )
            return
        repeated = self._sink.duplicates - before
        self.done.duplicates += repeated
        self.done.events += 1 - repeated
        table_day = said.table_id, said.gaming_day
        self._place.under_way.add(table_day)
        self._heard[table_day] = self._monotonic()
        if said.kind == _CLOSING or self._sink.parts(*table_day):
            self._closed.add(table_day)

    def _flush(self) -> None:
        self._sink.flush()
        self._quarantine.flush()
        self._fence.flush()
        self._place.offsets = {tp.partition: self._consumer.position(tp) for tp in self._partitions}
        if self._unflushed:
            self._place.write()
            self._consumer.commit(
                {
                    TopicPartition(self._topic, partition): OffsetAndMetadata(offset, "", -1)
                    for partition, offset in self._place.offsets.items()
                }
            )
        self._unflushed = 0
        self.done.offsets = dict(self._place.offsets)
        self.done.behind = self._behind()
        self._on_progress(self.done)

    def _seal(self, table_days: Iterable[TableDay]) -> None:
        ready = sorted(table_days)
        if not ready:
            return
        self._flush()
        for table_day in ready:
            parts = self._sink.parts(*table_day)
            self._sink.seal(*table_day)
            if self._sink.parts(*table_day) > parts:
                self.done.sealed.append(table_day)
            self._closed.discard(table_day)
            self._place.under_way.discard(table_day)
            self._heard.pop(table_day, None)
        self._place.write()
        self._on_progress(self.done)
