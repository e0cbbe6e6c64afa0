"""The archive as a sink: events go to journals, a finished table-day is sealed into one Avro container.

An event is acknowledged once a journal holds it on disk. Sealing writes the container under a draft name, renames it, does the
same with its columnar copy, if any, and the manifest, and only then removes the journal: killed anywhere and run again, it gives
the same bytes. Events that come after the seal open the journal of the next, linked part (:mod:`replayer.sources.layout`).
"""

from __future__ import annotations

import datetime as dt
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from producers.outputs import why_no_archive
from producers.sinks import NotDurable, NothingToSeal, SequenceConflict, disk_explained, each_of
from producers.sinks.durable import write_durably
from producers.sinks.journal import Entry
from producers.sinks.lock import Lock
from producers.sinks.part import put_in_place, remove_unfinished, sealed_part, write_part
from producers.sinks.repair import used_before
from producers.sinks.stored import PartJournal, StoredDay, stored_days
from replayer.sources.layout import FILE_MODE, PartName, lock_file, require_table_id
from replayer.sources.left_out import KEY, NumbersLeftOut, OtherDay
from replayer.sources.safe_files import MOST_LOG, read_file
from schemas.codec import held_to_contract
from schemas.container import ContainerDamaged, read_header

if TYPE_CHECKING:
    from schemas.table_day import EncodedDay  # a recorder encodes no whole day, and does without numpy


@dataclass(slots=True)
class _Table:
    """A table that this process writes: its lock, its days, its highest seq, and the days with events that are not synced."""

    lock: Lock
    days: dict[dt.date, StoredDay]
    last_seq: int
    dirty: set[dt.date] = field(default_factory=set)


class ArchiveSink:
    """Writes table-days into the archive in a folder, which is created if missing, in files of the permissions ``file_mode``;
    ``duplicates`` counts events repeated with the same bytes.

    Its errors are those of the port (:class:`producers.sinks.Sink`): what could not be made durable is still pending, and what
    could not be sealed still has its journal. Messages are refused as in :func:`schemas.codec.admit`.
    """

    def __init__(self, archive: str | os.PathLike[str], file_mode: int = FILE_MODE) -> None:
        self.archive = Path(archive)
        self.file_mode = file_mode
        self.duplicates = 0
        self._tables: dict[str, _Table] = {}
        self._closed = False
        self._lock = threading.RLock()  # while one thread writes a journal, another may add to it

    def last_seq(self, table_id: str) -> int:
        """The table's highest ``seq``, over all gaming days."""
        with self._lock:
            return self._table(table_id).last_seq

    def append(self, table_id: str, gaming_day: dt.date, seq: int, message: bytes) -> None:
        """Add an event. A duplicate is counted and dropped."""
        with self._lock:
            table = self._tables.get(table_id) or self._table(table_id)
            message = held_to_contract(message)
            if seq <= table.last_seq and self._holds(table, table_id, seq, message):
                self.duplicates += 1
                return
            day = table.days.setdefault(gaming_day, StoredDay())
            if day.journal is None:
                day.journal = PartJournal(self.archive, PartName(gaming_day, table_id, len(day.parts)), self.file_mode)
            day.journal.add(seq, message)
            if day.known is not None:
                day.known.add_entries([Entry(seq, message)])
            table.last_seq = max(table.last_seq, seq)
            table.dirty.add(gaming_day)

    def take_day(self, day: EncodedDay) -> None:
        """Add a complete table-day and seal it, as if each event had been appended, but atomically. Events of it that the archive
        has from the first one on must be the same.

        Raises:
            TableIdRefused, SinkBusy, NotDurable: as :meth:`append` and :meth:`seal`.
            SequenceConflict: the archive has other events of the table-day, or numbers as high as its first.
        """
        if self.day(day.table_id, day.gaming_day).first_seq == day.seqs[0]:
            for seq, message in day.one_by_one():
                self.append(day.table_id, day.gaming_day, seq, message)
            self.seal(day.table_id, day.gaming_day)
            return
        table = self._table(day.table_id)
        if day.gaming_day in table.days or day.seqs[0] <= table.last_seq:
            raise SequenceConflict(f"table {day.table_id} has events of {day.gaming_day}, or later ones")
        journal = PartJournal(self.archive, PartName(day.gaming_day, day.table_id), self.file_mode)
        journal.pending = entries = [*map(Entry, day.seqs, day.messages)]
        journal.last_seq = table.last_seq = day.seqs[-1]
        table.days[day.gaming_day] = StoredDay(journal=journal)
        self._seal(day.table_id, day.gaming_day, entries)

    def flush(self) -> Mapping[str, int]:
        """Sync every journal with new events. One that cannot be written keeps no other from it."""
        with self._lock:
            each_of(self.flush_table, sorted(table_id for table_id, table in self._tables.items() if table.dirty))
            return {table_id: table.last_seq for table_id, table in self._tables.items() if table.last_seq}

    def flush_table(self, table_id: str) -> None:
        """Sync the journals with new events of one table."""
        table = self._tables[table_id]
        for gaming_day in sorted(table.dirty):
            journal = table.days[gaming_day].journal
            if journal is not None:
                table.lock.require_in_place()
                journal.sync()
            table.dirty.discard(gaming_day)

    def seal(self, table_id: str, gaming_day: dt.date) -> None:
        """Seal the events in a table-day's journal as its next part; does nothing where all are sealed."""
        with self._lock:
            self._seal(table_id, gaming_day)

    def _seal(self, table_id: str, gaming_day: dt.date, entries: list[Entry] | None = None) -> None:
        """Seal a table-day; ``entries`` are those of its journal in order, read unless given."""
        table = self._table(table_id)
        days = table.days
        day = days.get(gaming_day)
        if day is None:
            open_ = ", ".join(str(held) for held in sorted(days) if days[held].journal)
            sealed = "all of its gaming days are sealed" if days else "it has none at all"
            others = f"not sealed are {open_}" if open_ else sealed
            raise NothingToSeal(f"{self._named(table_id)} has no event of gaming day {gaming_day}; {others}")
        if day.journal is None:
            return
        table.lock.require_in_place()
        for other in days.values():  # the note on their numbers must be true after a kill
            if other.journal is not None:
                other.journal.sync()
        table.dirty.discard(gaming_day)
        self._seal_journal(days, day.journal, entries)

    def _seal_journal(
        self, days: Mapping[dt.date, StoredDay], journal: PartJournal, entries: list[Entry] | None = None
    ) -> None:
        name, day = journal.name, days[journal.name.gaming_day]
        container = name.container(self.archive)
        with disk_explained(container, "its journal is safe"):
            entries = sorted(journal.entries()) if entries is None else entries
            if name.part > len(day.parts):
                raise NotDurable(f"{journal.path}: the part before it is missing; restore it, its journal is safe")
            if entries:
                if name.part == len(day.parts):
                    remove_unfinished(container, entries)
                follows = day.parts[name.part - 1].sha256 if name.part else None
                data, manifest = sealed_part(name, entries, follows, self._left_out_note(days, name, entries))
                if name.part == len(day.parts):
                    day.parts.append(write_part(self.archive, data, manifest, self.file_mode))
                elif manifest != replace(day.parts[name.part], columns_sha256=None):
                    # Else it was sealed, and only the journal's removal is missing.
                    raise NotDurable(f"{container} was sealed with other events than {journal.path}; move one away")
                elif not container.exists() or read_file(container, MOST_LOG) != data:
                    write_durably(container, data, self.file_mode)  # which was damaged since
            journal.remove()
        day.journal = None

    def _left_out_note(self, days: Mapping[dt.date, StoredDay], name: PartName, entries: Sequence[Entry]) -> str:
        """The note for a part on the numbers left out; for a part whose container exists already, the note in that container."""
        container = name.container(self.archive)
        if container.exists():
            with suppress(ContainerDamaged):
                return read_header(read_file(container, MOST_LOG)).metadata.get(KEY, "")
            return ""
        others = [
            OtherDay(sorted(entry.seq for entry in day.entries()), day.parts, self.archive)
            for gaming_day, day in days.items()
            if gaming_day != name.gaming_day
        ]
        parts = days[name.gaming_day].parts
        note = NumbersLeftOut.of(
            [entry.seq for entry in entries],
            others,
            began=parts[0].first_seq if parts else None,
            above=max((part.last_seq for part in parts), default=None),
        )
        return "" if note is None else note.to_text()

    def day(self, table_id: str, gaming_day: dt.date) -> StoredDay:
        """What the archive has of a table-day, sealed or not; only the sink may change it."""
        return self._table(table_id).days.get(gaming_day) or StoredDay()

    def close(self) -> None:
        """Release every table for good; events that were not flushed are dropped."""
        with self._lock:
            self._closed = True
            for table_id in list(self._tables):
                self.release(table_id)

    def release(self, table_id: str) -> None:
        """Release one table, so that others may write it; events that were not flushed are dropped."""
        table = self._tables.pop(table_id, None)
        if table is not None:
            table.lock.close()

    def _named(self, table_id: str) -> str:
        return f"table {table_id} of {self.archive}"

    def _table(self, table_id: str) -> _Table:
        if table_id in self._tables:
            return self._tables[table_id]
        if self._closed:
            raise NotDurable(f"{self._named(table_id)}: the sink was closed; make another one to record")
        require_table_id(table_id)
        if why := why_no_archive(self.archive):
            raise NotDurable(why)
        lock = Lock(lock_file(self.archive, table_id), self._named(table_id), self.file_mode)
        try:
            put_in_place(self.archive, table_id, self.file_mode)
            days = stored_days(self.archive, table_id, self.file_mode)
            for day in days.values():
                if day.journal is not None and day.journal.name.container(self.archive).exists():
                    self._seal_journal(days, day.journal)
            last = max([day.last_seq for day in days.values()] + [used_before(self.archive, table_id)])
        except OSError as error:
            lock.close()
            raise NotDurable(f"{error.filename or self.archive}: {error.strerror}") from error
        except BaseException:
            lock.close()
            raise
        self._tables[table_id] = _Table(lock, days, last)
        return self._tables[table_id]

    def _holds(self, table: _Table, table_id: str, seq: int, message: bytes) -> bool:
        """Whether the archive has exactly this event; searches all days, as a ``seq`` is unique across them."""
        for gaming_day, day in table.days.items():
            if (held := day.holds(self.archive, seq, message)) is False:
                raise SequenceConflict(f"table {table_id} has another event {seq} on gaming day {gaming_day}")
            if held:
                return True
        return False
