"""Takes messages of the partitions that this archiver reads into the archive, and knows what of them is safe.

Every step is in the order that a kill cannot hurt: a table's events into its journals and onto the disk, then the newest
claim to it, refused messages into the quarantine and onto the disk, then how far each partition was taken. What is read
again is recognised by table and number and dropped. Anybody may write to a topic: each message is held to the whole
contract, and one that breaks it is refused.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from producers.archiver.place import Place, TableDay, place_file, write_place
from producers.archiver.stuck import StuckTables
from producers.fence import Fence, FencedOff
from producers.quarantine import QuarantineFile
from producers.sinks import NotDurable, NothingToSeal, SequenceConflict, SinkBusy
from producers.sinks.archive import ArchiveSink
from replayer.sources.layout import Manifest, TableIdRefused, quarantine_file
from replayer.sources.quarantine import Quarantined
from schemas.codec import MessageUnreadable, admit
from schemas.event import EventRejected

_IDLE_SECONDS: Final = 60.0
"""A table without events for so long is released, because another process may want to write or repair it."""

Headers = Iterable[tuple[str, bytes | None]]


@dataclass(slots=True)
class _Pending:
    """What a table took and is not on the disk yet: how many events, by partition the first offset and the gaming days."""

    events: int = 0
    offsets: dict[int, int] = field(default_factory=dict)
    days: dict[int, set[dt.date]] = field(default_factory=dict)


class Ingestion:
    """What this archiver has in hand.

    Attributes:
        sink: the archive.
        stuck: tables that cannot be written.
        places: how far the partitions that are read here were taken, as it is on the disk after :meth:`flush`.
        at: the offset of each that is to be read next.
        events, duplicates, quarantined: on the disk, come twice, refused since it began.
    """

    def __init__(
        self,
        sink: ArchiveSink,
        topic: str,
        heard: Callable[[TableDay, str], None],
        notify: Callable[..., None],
        monotonic: Callable[[], float],
    ) -> None:
        self.sink = sink
        self.stuck = StuckTables(monotonic)
        self.places: dict[int, Place] = {}
        self.at: dict[int, int] = {}
        self.events = self.duplicates = self.quarantined = 0
        self._topic = topic
        self._heard = heard
        self._notify = notify
        self._monotonic = monotonic
        self._quarantine = self._opened_quarantine()
        self._fence = Fence(sink.archive, topic, sink.file_mode)
        self._refused: dict[int, int] = {}
        self._pending: dict[str, _Pending] = {}
        self._read_to: dict[int, int] = {}
        self._used: dict[str, float] = {}
        self._newest: dict[int, dt.date] = {}
        self._written: dict[int, Any] = {}
        self._said_stuck: set[str] = set()

    @property
    def in_quarantine(self) -> int:
        """The number of the topic's messages in quarantine, including those of earlier runs."""
        return self._quarantine.count

    def begin(self, place: Place) -> None:
        """Read a partition from its place on.

        Raises:
            NotDurable: the quarantine cannot be read.
        """
        self._quarantine.flush()
        self._quarantine = self._opened_quarantine()  # whoever had the partition before may have written to it
        self.places[place.partition] = place
        self.at[place.partition] = self._read_to[place.partition] = place.next
        for table_id in sorted({table_id for table_id, _ in place.under_way}):
            self._open(table_id)

    def end(self, partition: int) -> None:
        """Let another archiver have a partition, and the tables that came by it."""
        came = {table_id for table_id, pending in self._pending.items() if partition in pending.offsets}
        for table_id in sorted(came | {table_id for table_id, _ in self.places[partition].under_way}):
            self._flush_table(table_id)  # a table may have come by another partition as well, and that one stays
            self._let_go(table_id)
        self.stuck.forget(partition)
        del self.places[partition], self.at[partition], self._read_to[partition]
        for known in (self._newest, self._refused, self._written):
            known.pop(partition, None)

    def take(self, record: Any) -> None:
        """Take one record of Kafka; it is not safe before :meth:`flush`."""
        self._take(record.partition, record.offset, record.value or b"", record.headers or ())
        # Not before: what fails in a way that nobody foresaw is read again.
        self.at[record.partition] = record.offset + 1
        self._read_to[record.partition] = max(self._read_to[record.partition], record.offset + 1)

    def _take(self, partition: int, offset: int, message: bytes, headers: Headers) -> None:
        try:
            said, kept = admit(message)
        except (MessageUnreadable, EventRejected) as error:
            self._refuse(partition, offset, str(error), message)
            return
        if said.table_id in self.stuck:
            self.stuck.hold(said.table_id, partition, offset, said.gaming_day)
            return
        before = self.sink.duplicates
        try:
            self._fence.admit(said, headers, self.sink.last_seq(said.table_id))
            self.sink.append(said.table_id, said.gaming_day, said.seq, kept)
        except (MessageUnreadable, EventRejected, TableIdRefused, SequenceConflict, FencedOff) as error:
            self._refuse(partition, offset, str(error), message)
            if self._fence.is_unwritten(said.table_id):  # a refused message shows a take-over all the same
                self._pending.setdefault(said.table_id, _Pending()).offsets.setdefault(partition, offset)
            return
        except (NotDurable, SinkBusy, OSError) as error:
            self.stick(said.table_id, error)
            self.stuck.hold(said.table_id, partition, offset, said.gaming_day)
            return
        repeated = self.sink.duplicates - before
        if offset >= self._read_to[partition]:  # else this archiver itself went back, for a table that was stuck
            self.duplicates += repeated
        pending = self._pending.setdefault(said.table_id, _Pending())
        pending.events += 1 - repeated
        pending.offsets.setdefault(partition, offset)
        pending.days.setdefault(partition, set()).add(said.gaming_day)
        self._used[said.table_id] = self._monotonic()
        self._heard((said.table_id, said.gaming_day), said.kind)

    @property
    def has_moved(self) -> bool:
        """Whether a flush would have anything to write."""
        moved = any(self._state(place) != self._written.get(place.partition) for place in self.places.values())
        return moved or bool(self._pending or self._refused)

    def flush(self, *, all_places: bool = False) -> None:
        """Flush everything to disk; unchanged places only with ``all_places``. A table that cannot be written becomes stuck.

        Raises:
            NotDurable: the quarantine or a place could not be written; messages not safe are read again.
        """
        for table_id in sorted(self._pending):
            self._flush_table(table_id)
        self._quarantine.flush()
        self._refused.clear()
        for place in self.places.values():
            if all_places or self._state(place) != self._written.get(place.partition):
                self._write(place)

    def safe_to(self, partition: int) -> int:
        """The offset of a partition's first message that is not safe, or would not be after a kill."""
        held = [self.stuck.held_back_at(partition), self._refused.get(partition)]
        held += [pending.offsets.get(partition) for pending in self._pending.values()]
        return min([self.at[partition], *(offset for offset in held if offset is not None)])

    def try_again(self, *, all_of_them: bool = False) -> set[int]:
        """Try tables that are stuck; the partitions that are to be read again from their ``at``."""
        back: set[int] = set()
        for table in self.stuck.to_retry(all_of_them=all_of_them):
            self.stuck.free(table.table_id)
            self._open(table.table_id)
            if table.table_id in self.stuck:
                for partition, offset in table.held.items():
                    self.stuck.hold(table.table_id, partition, offset)
                self.stuck.of(table.table_id).days |= table.days
                continue
            if not table.held:
                self._over(table.table_id)
            for partition, offset in table.held.items():
                self.at[partition] = min(offset, self.at[partition])
                back.add(partition)
        return back

    def seal(self, table_day: TableDay) -> Manifest | None:
        """Seal a table-day; its new part, None where there was nothing to seal or its table stuck."""
        table_id, gaming_day = table_day
        self._flush_table(table_id)
        if table_id in self.stuck:
            return None
        try:
            before = self.sink.parts(table_id, gaming_day)
            with suppress(NothingToSeal):  # somebody took its journal away
                self.sink.seal(table_id, gaming_day)
            after = self.sink.manifests(table_id, gaming_day)
        except (NotDurable, SinkBusy, OSError) as error:
            self.stick(table_id, error)
            return None
        self._over(table_id)
        self._used[table_id] = self._monotonic()
        for place in self.places.values():
            place.under_way.discard(table_day)
        return after[-1] if len(after) > before else None

    def jump(self, partition: int, offset: int) -> None:
        """Go on elsewhere in a partition: what lay before is gone, or all of it is another topic's."""
        self.at[partition] = self._read_to[partition] = offset
        self.stuck.raise_to(partition, offset)

    def newest_day(self, partition: int) -> dt.date | None:
        """The newest gaming day of the events taken from a partition; None where there are none."""
        return self._newest.get(partition)

    def oldest_day(self, partition: int) -> dt.date | None:
        """The oldest gaming day of which a partition may still bring events; None before its first event."""
        place = self.places[partition]
        under_way = {day for _, day in place.under_way} | self.stuck.days(partition)
        for pending in self._pending.values():
            under_way |= pending.days.get(partition, set())
        return min(under_way, default=self._newest.get(partition, place.since))

    def let_go_of_idle(self) -> None:
        """Release tables without events for a while."""
        since = self._monotonic() - _IDLE_SECONDS
        for table_id in [table_id for table_id, used in self._used.items() if used < since]:
            if table_id not in self._pending:
                self._let_go(table_id)

    def under_way(self) -> Iterator[TableDay]:
        """The table-days that came by partitions read here and are not sealed."""
        yield from sorted({table_day for place in self.places.values() for table_day in place.under_way})

    def _opened_quarantine(self) -> QuarantineFile:
        return QuarantineFile(quarantine_file(self.sink.archive, self._topic), self.sink.file_mode)

    def _open(self, table_id: str) -> None:
        """Open a table, which sticks where it cannot be, or where events of it that were taken are gone."""
        try:
            self.sink.last_seq(table_id)
            for place in self.places.values():
                for day in sorted(day for named, day in place.under_way if named == table_id):
                    self._require_there(table_id, day, place)
        except (NotDurable, SinkBusy, OSError) as error:
            self.stick(table_id, error)
            return
        self._used[table_id] = self._monotonic()

    def _require_there(self, table_id: str, day: dt.date, place: Place) -> None:
        if self.sink.first_seq(table_id, day) is None:
            file = place_file(self.sink.archive, self._topic, place.partition)
            raise NotDurable(
                f"{file}: events of table {table_id} on gaming day {day} were taken, and the archive has none of them: restore "
                "its journal, or stop the archiver and remove this file: the partition is read again from its beginning"
            )

    def _flush_table(self, table_id: str) -> None:
        pending = self._pending.get(table_id)
        if pending is None:
            return
        try:
            self.sink.flush_table(table_id)
            self._fence.flush_table(table_id)
        except (NotDurable, OSError) as error:
            self.stick(table_id, error)
            return
        del self._pending[table_id]
        self.events += pending.events
        self._over(table_id)
        for partition, days in pending.days.items():
            self.places[partition].under_way |= {(table_id, day) for day in days}
            self._newest[partition] = max(*days, self._newest.get(partition, dt.date.min))

    def stick(self, table_id: str, error: Exception) -> None:
        """A table cannot be written: what it took and is not on the disk is left in the topic."""
        pending = self._pending.pop(table_id, _Pending())
        self._let_go(table_id)
        why = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
        self.stuck.stick(table_id, why, busy=isinstance(error, SinkBusy))
        for partition, offset in pending.offsets.items():
            self.stuck.hold(table_id, partition, offset)
        for days in pending.days.values():
            self.stuck.of(table_id).days |= days
        if table_id not in self._said_stuck:
            self._said_stuck.add(table_id)
            self._notify(f"table {table_id} is not written, its events wait in the topic and all others go on: {why}")

    def _over(self, table_id: str) -> None:
        """What a table had to write is on the disk."""
        self.stuck.lasts(table_id)
        if table_id in self._said_stuck:
            self._said_stuck.discard(table_id)
            self._notify(f"table {table_id} is written again", bad=False)

    def _let_go(self, table_id: str) -> None:
        """What the table took and is not on the disk is read again."""
        self._pending.pop(table_id, None)
        self._used.pop(table_id, None)
        self._fence.let_go(table_id)
        self.sink.let_go(table_id)

    def _refuse(self, partition: int, offset: int, reason: str, message: bytes) -> None:
        self.quarantined += self._quarantine.add(Quarantined(self._topic, partition, offset, reason, message))
        self._refused[partition] = min(offset, self._refused.get(partition, offset))

    def _state(self, place: Place) -> Any:
        """The part of a place that must not differ on the disk."""
        oldest = self.oldest_day(place.partition)
        return place.topic_id, self.safe_to(place.partition), oldest, frozenset(place.under_way)

    def _write(self, place: Place) -> None:
        place.next = self.safe_to(place.partition)
        place.since = self.oldest_day(place.partition)
        write_place(self.sink.archive, self._topic, place, self.sink.file_mode)
        self._written[place.partition] = self._state(place)
