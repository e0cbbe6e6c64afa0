"""Writes messages of the partitions that this archiver reads into the archive, and tracks which of them are safe.

The order of the steps makes a kill harmless: flush a table's events to its journals, write the newest claim to it, flush refused
messages to the quarantine, then write the offset of each partition. Messages read again are recognised by table and number, and
dropped. Anybody may write to a topic, so each message is checked against the whole contract, and refused if it breaks it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from producers.archiver.interface import Archived, Options
from producers.archiver.place import Place, place_file, write_place
from producers.archiver.trouble import StuckTables
from producers.claims import Fence, FencedOff
from producers.quarantine import QuarantineFile
from producers.sinks import NotDurable, NothingToSeal, SequenceConflict, SinkBusy, TableDayName
from producers.sinks.archive import ArchiveSink
from replayer.sources.layout import Manifest, TableIdRefused, quarantine_file
from replayer.sources.quarantine import Quarantined
from schemas.codec import MessageUnreadable, admit
from schemas.event import EventRejected

_IDLE_SECONDS: Final = 60.0
"""A table without events for so long is released, because another process may want to write or repair it."""


@dataclass(slots=True)
class Waiting:
    """Events of one table in a partition that are not safe: the offset of the first, and their gaming days."""

    offset: int
    days: set[dt.date] = field(default_factory=set)


@dataclass(slots=True)
class Partition:
    """A partition that is read here.

    Attributes:
        place: its place, as on disk after a flush.
        at: the next offset to read; ``read_to``: the offset up to which it was read before going back for a stuck table.
        waiting: its events that are not flushed yet, or that wait for a stuck table, by table.
        refused: the offset of the first refused message that is not flushed.
        newest: the newest gaming day of its events; None before the first.
        written: the state that is on disk; None before the first time.
        readable: whether it can be read, by the last snapshot of the topic.
        unsure_since: the moment of the snapshot since which it seems to be another topic's, or to end before ``at``; else None.
        diverged_at: the offset from which on Kafka truncated messages that had been read, 0 where that is not known; else None.
    """

    place: Place
    at: int
    read_to: int
    waiting: dict[str, Waiting] = field(default_factory=dict)
    refused: int | None = None
    newest: dt.date | None = None
    written: Any = None
    readable: bool = False
    unsure_since: float | None = None
    diverged_at: int | None = None

    def hold(self, table_id: str, offset: int, *days: dt.date) -> None:
        """Note an event of a table that is not safe yet."""
        waiting = self.waiting.setdefault(table_id, Waiting(offset))
        waiting.offset = min(offset, waiting.offset)
        waiting.days.update(days)

    @property
    def safe_to(self) -> int:
        """The offset of its first message that is not safe."""
        refused = [] if self.refused is None else [self.refused]
        return min([self.at, *refused, *(waiting.offset for waiting in self.waiting.values())])

    @property
    def oldest_day(self) -> dt.date | None:
        """The oldest gaming day of which it may still bring events; None before its first event."""
        under_way = {day for _, day in self.place.under_way}.union(*(each.days for each in self.waiting.values()))
        return min(under_way, default=self.newest or self.place.since)


class Ingestion:
    """The messages that this archiver processes.

    The events of a stuck table are left in the topic: the partition's offset stays at the first one that is not safe, and when
    the table can be written, the partition is read again from there. Later events of other tables then come a second time, and
    are dropped.

    Attributes:
        sink: the archive.
        stuck: tables that cannot be written.
        quarantine: the topic's messages in quarantine, including those of earlier runs.
        partitions: those read here, by number.
        done: the result of the run; the numbers of messages flushed, repeated and refused are counted here.
    """

    def __init__(self, sink: ArchiveSink, options: Options, note_event: Callable[[TableDayName, str], None]) -> None:
        self.sink = sink
        self.stuck = StuckTables(options)
        self.partitions: dict[int, Partition] = {}
        self.done = Archived()
        self._options = options
        self._topic = options.topic
        self._note_event = note_event
        self.quarantine = self._opened_quarantine()
        self._fence = Fence(sink.archive, options.topic, sink.file_mode)
        self._pending: dict[str, int] = {}  # by table the number of events that are not flushed
        self._used: dict[str, float] = {}

    def begin(self, place: Place) -> None:
        """Read a partition from its place on."""
        self.quarantine.flush()
        self.quarantine = self._opened_quarantine()  # the partition's previous archiver may have written to it
        self.partitions[place.partition] = Partition(place, place.next, place.next)
        for table_id in sorted({table_id for table_id, _ in place.under_way}):
            self._open(table_id)

    def end(self, partition: int) -> None:
        """Release a partition and the tables that came by it, for another archiver."""
        left = self.partitions[partition]
        for table_id in sorted(left.waiting.keys() | {table_id for table_id, _ in left.place.under_way}):
            self._flush_table(table_id)  # a table may also have come by another partition, which stays
            self._release(table_id)
        del self.partitions[partition]
        for table_id in list(self.stuck):
            if not any(table_id in other.waiting for other in self.partitions.values()):
                del self.stuck[table_id]

    def take(self, record: Any) -> None:
        """Take one record of Kafka; it is not safe before :meth:`flush`."""
        self._take(record)
        # Last, so that a message that fails unexpectedly is read again.
        partition = self.partitions[record.partition]
        partition.at = record.offset + 1
        partition.read_to = max(partition.read_to, partition.at)

    def _take(self, record: Any) -> None:
        number, offset, message = record.partition, record.offset, record.value or b""
        try:
            event, stored = admit(message)
        except (MessageUnreadable, EventRejected) as error:
            self._refuse(number, offset, str(error), message)
            return
        table_id, partition, before = event.table_id, self.partitions[number], self.sink.duplicates
        try:
            if table_id not in self.stuck:
                self._fence.admit(event, record.headers, self.sink.last_seq(table_id))
                self.sink.append(table_id, event.gaming_day, event.seq, stored)
        except (MessageUnreadable, EventRejected, TableIdRefused, SequenceConflict, FencedOff) as error:
            self._refuse(number, offset, str(error), message)
            if table_id in self._fence.unwritten:  # a refused message shows a take-over too
                partition.hold(table_id, offset)
                self._pending.setdefault(table_id, 0)
            return
        except (NotDurable, SinkBusy, OSError) as error:
            self.mark_stuck(table_id, error)
        partition.hold(table_id, offset, event.gaming_day)
        if table_id in self.stuck:
            return
        repeated = self.sink.duplicates - before
        if offset >= partition.read_to:  # otherwise this archiver went back for a stuck table
            self.done.duplicates += repeated
        self._pending[table_id] = self._pending.get(table_id, 0) + 1 - repeated
        self._used[table_id] = self._options.monotonic()
        self._note_event((table_id, event.gaming_day), event.kind)

    @property
    def has_moved(self) -> bool:
        """Whether a flush would have anything to write."""
        moved = any(self._state(partition) != partition.written for partition in self.partitions.values())
        return moved or bool(self._pending) or any(each.refused is not None for each in self.partitions.values())

    def flush(self, *, all_places: bool = False) -> None:
        """Flush everything to disk; unchanged places only with ``all_places``. A table that cannot be written becomes stuck.
        NotDurable where the quarantine or a place could not be written: messages not safe are read again."""
        for table_id in sorted(self._pending):
            self._flush_table(table_id)
        self.quarantine.flush()
        for partition in self.partitions.values():
            partition.refused = None
            if all_places or self._state(partition) != partition.written:
                self._write(partition)

    def try_again(self, *, all_of_them: bool = False) -> None:
        """Retry stuck tables; where one can be opened, its partitions go back to its first event that is not safe."""
        for table_id in self.stuck.to_retry(all_of_them=all_of_them):
            if not self._open(table_id):
                continue
            del self.stuck[table_id]
            held = [each for each in self.partitions.values() if table_id in each.waiting]
            if not held:
                self.stuck.note_written(table_id)
            for partition in held:
                partition.at = min(partition.waiting.pop(table_id).offset, partition.at)

    def seal(self, table_day: TableDayName) -> Manifest | None:
        """Seal a table-day; returns its new part, None where there was nothing to seal or its table is stuck."""
        table_id, gaming_day = table_day
        self._flush_table(table_id)
        if table_id in self.stuck:
            return None
        try:
            day = self.sink.day(table_id, gaming_day)
            before = len(day.parts)
            with suppress(NothingToSeal):  # somebody removed its journal
                self.sink.seal(table_id, gaming_day)
        except (NotDurable, SinkBusy, OSError) as error:
            self.mark_stuck(table_id, error)
            return None
        self.stuck.note_written(table_id)
        self._used[table_id] = self._options.monotonic()
        for partition in self.partitions.values():
            partition.place.under_way.discard(table_day)
        return day.parts[-1] if len(day.parts) > before else None

    def seek(self, partition: int, offset: int) -> None:
        """Continue a partition at another offset: earlier messages are gone, or the topic is another one."""
        self.partitions[partition].at = self.partitions[partition].read_to = offset
        self.raise_offsets_to(partition, offset)

    def needed_from(self, partition: int) -> int:
        """The offset of the first message of a partition that was not taken, or is to be taken again for a stuck table."""
        return min([self.partitions[partition].at, *(each.offset for each in self._held_back(partition))])

    def raise_offsets_to(self, partition: int, begin: int) -> None:
        """Note that the topic no longer has messages before an offset."""
        for waiting in self._held_back(partition):
            waiting.offset = max(begin, waiting.offset)

    def _held_back(self, partition: int) -> list[Waiting]:
        """What waits in a partition for stuck tables."""
        return [each for table_id, each in self.partitions[partition].waiting.items() if table_id in self.stuck]

    def release_idle(self) -> None:
        """Release tables without events for a while."""
        since = self._options.monotonic() - _IDLE_SECONDS
        for table_id in [table_id for table_id, used in self._used.items() if used < since]:
            if table_id not in self._pending:
                self._release(table_id)

    def under_way(self) -> list[TableDayName]:
        """The table-days that came by partitions read here and are not sealed, in order."""
        return sorted(set().union(*(partition.place.under_way for partition in self.partitions.values())))

    def _opened_quarantine(self) -> QuarantineFile:
        return QuarantineFile(quarantine_file(self.sink.archive, self._topic), self.sink.file_mode)

    def _open(self, table_id: str) -> bool:
        """Open a table. It becomes stuck (False) where it cannot be opened, or where events taken before are gone."""
        try:
            self.sink.last_seq(table_id)
            for partition in self.partitions.values():
                for day in sorted(day for named, day in partition.place.under_way if named == table_id):
                    self._require_events(table_id, day, partition.place)
        except (NotDurable, SinkBusy, OSError) as error:
            self.mark_stuck(table_id, error)
            return False
        self._used[table_id] = self._options.monotonic()
        return True

    def _require_events(self, table_id: str, day: dt.date, place: Place) -> None:
        if self.sink.day(table_id, day).first_seq is None:
            file = place_file(self.sink.archive, self._topic, place.partition)
            raise NotDurable(
                f"{file}: events of table {table_id} on gaming day {day} were taken, and the archive has none of them: restore "
                "its journal, or stop the archiver and remove this file: the partition is read again from its beginning"
            )

    def _flush_table(self, table_id: str) -> None:
        if table_id not in self._pending:
            return
        try:
            self.sink.flush_table(table_id)
            self._fence.flush_table(table_id)
        except (NotDurable, OSError) as error:
            self.mark_stuck(table_id, error)
            return
        self.done.events += self._pending.pop(table_id)
        self.stuck.note_written(table_id)
        for partition in self.partitions.values():
            waiting = partition.waiting.pop(table_id, None)
            if waiting is not None and waiting.days:
                partition.place.under_way |= {(table_id, day) for day in waiting.days}
                partition.newest = max(*waiting.days, partition.newest or dt.date.min)

    def mark_stuck(self, table_id: str, error: Exception) -> None:
        """Mark a table that cannot be written; its events that are not flushed are left in the topic."""
        self._release(table_id)
        self.stuck.mark_stuck(table_id, error)

    def _release(self, table_id: str) -> None:
        """Release a table; its events that are not flushed are read again."""
        self._pending.pop(table_id, None)
        self._used.pop(table_id, None)
        self._fence.release(table_id)
        self.sink.release(table_id)

    def _refuse(self, partition: int, offset: int, reason: str, message: bytes) -> None:
        self.done.quarantined += self.quarantine.add(Quarantined(self._topic, partition, offset, reason, message))
        first = self.partitions[partition].refused
        self.partitions[partition].refused = offset if first is None else min(offset, first)

    def _state(self, partition: Partition) -> Any:
        """The part of a partition's place that must be up to date on disk."""
        place = partition.place
        return place.topic_id, partition.safe_to, partition.oldest_day, frozenset(place.under_way)

    def _write(self, partition: Partition) -> None:
        place = partition.place
        place.next, place.since = partition.safe_to, partition.oldest_day
        write_place(self.sink.archive, self._topic, place, self.sink.file_mode)
        partition.written = self._state(partition)
