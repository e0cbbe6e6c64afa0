"""The archive as a sink: events go to journals, a finished table-day is sealed into one Avro container.

Acknowledged is what a journal holds on disk. Sealing writes the container beside its place, renames it, does the same
with the manifest, and only then removes the journal: killed anywhere and run again it ends with the same bytes.
Events that come after the seal open the journal of the next, linked part. The layout is described in
:mod:`replayer.sources.layout`.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from producers.sinks import NotDurable, SequenceConflict
from producers.sinks.durable import make_folder, write_durably
from producers.sinks.entries import Entry
from producers.sinks.journal import Journal, JournalDamaged
from producers.sinks.known import Known, digest, span
from producers.sinks.left_out import OtherDay, note_for, note_of
from producers.sinks.lock import require_held, take_lock
from producers.sinks.part import sealed_part, write_part
from producers.sinks.repair import used_before
from replayer.sources.careful import MOST_LOG, MOST_SMALL, read_file
from replayer.sources.layout import (
    FILE_MODE,
    MANIFEST,
    Manifest,
    ManifestUnreadable,
    PartName,
    gaming_days,
    journals,
    lock_file,
    on_their_way,
    part_name,
    require_table_id,
)
from schemas.codec import UnknownSchema, held_to_contract, split_message
from schemas.container import ContainerDamaged
from schemas.table_day import EncodedDay


class _PartJournal(Journal):
    """The journal of a part of a table-day."""

    def __init__(self, name: PartName, path: Path, mode: int) -> None:
        super().__init__(path, mode)
        self.name = name


@dataclass(slots=True)
class _TableDay:
    """What the archive holds of one table-day: sealed parts, and a journal for what came after them."""

    parts: list[Manifest] = field(default_factory=list)
    journal: _PartJournal | None = None
    known: Known | None = None  # once a repeated seq asked for it

    @property
    def last_seq(self) -> int:
        return max([part.last_seq for part in self.parts] + [self.journal.last_seq if self.journal else 0])


@dataclass(slots=True)
class _Table:
    """A table that this process writes: the descriptor of its lock, its days, the highest seq taken."""

    lock: int
    days: dict[dt.date, _TableDay]
    last_seq: int


class ArchiveSink:
    """Writes table-days into the archive at a folder, which is made if it is not there.

    ``duplicates`` counts events that came again with the same bytes. ``file_mode`` says who may read what it writes.
    """

    def __init__(self, archive: Path, file_mode: int = FILE_MODE) -> None:
        self.archive = archive
        self.file_mode = file_mode
        self.duplicates = 0
        self._tables: dict[str, _Table] = {}
        self._dirty: set[tuple[str, dt.date]] = set()

    def last_seq(self, table_id: str) -> int:
        """The highest ``seq`` taken of the table, on whatever gaming day."""
        return self._table(table_id).last_seq

    def append(self, table_id: str, gaming_day: dt.date, seq: int, message: bytes) -> None:
        """Take an event. The same again is counted and dropped.

        Raises:
            TableIdRefused, SinkBusy, NotDurable: the table cannot be opened.
            SequenceConflict: the archive has another event under this ``seq``.
            MessageUnreadable, EventRejected: the message holds no event, or one that breaks the contract.
        """
        table = self._tables.get(table_id) or self._table(table_id)
        message = held_to_contract(message)
        if seq <= table.last_seq and self._holds(table, table_id, seq, message):
            self.duplicates += 1
            return
        day = table.days.setdefault(gaming_day, _TableDay())
        if day.journal is None:
            day.journal = self._journal(PartName(gaming_day, table_id, len(day.parts)))
        day.journal.add(seq, message)
        if day.known is not None:
            day.known.add_entries([Entry(seq, message)])
        table.last_seq = max(table.last_seq, seq)
        self._dirty.add((table_id, gaming_day))

    def take_day(self, day: EncodedDay) -> None:
        """Take a whole table-day and seal it, as if each event had been appended: killed anywhere it is there whole or
        not at all. Where it is held from its first event on, what is held must be the same.

        Raises:
            TableIdRefused, SinkBusy, NotDurable: as :meth:`append` and :meth:`seal`.
            SequenceConflict: the archive has other events of the table-day, or numbers as high as its first.
        """
        if self.first_seq(day.table_id, day.gaming_day) == day.seqs[0]:
            for seq, message in day.one_by_one():
                self.append(day.table_id, day.gaming_day, seq, message)
            self.seal(day.table_id, day.gaming_day)
            return
        table = self._table(day.table_id)
        if day.gaming_day in table.days or day.seqs[0] <= table.last_seq:
            raise SequenceConflict(f"table {day.table_id} has events of {day.gaming_day}, or later ones")
        journal = self._journal(PartName(day.gaming_day, day.table_id))
        journal.pending = entries = [*map(Entry, day.seqs, day.messages)]
        journal.last_seq = table.last_seq = day.seqs[-1]
        table.days[day.gaming_day] = _TableDay(journal=journal)
        self._seal(day.table_id, day.gaming_day, entries)

    def flush(self) -> Mapping[str, int]:
        """Sync every journal that took events.

        Raises:
            NotDurable: a journal could not be written (disk full, say). Its events are still pending: flush again.
        """
        for table_id in sorted({table_id for table_id, _ in self._dirty}):
            self.flush_table(table_id)
        return {table_id: table.last_seq for table_id, table in self._tables.items() if table.last_seq}

    def flush_table(self, table_id: str) -> None:
        """Sync the journals of one table that took events.

        Raises:
            NotDurable: as :meth:`flush`.
        """
        for gaming_day in sorted(day for dirty, day in self._dirty if dirty == table_id):
            journal = self._tables[table_id].days[gaming_day].journal
            if journal is not None:
                self._require_held(table_id)
                self._sync(journal)
            self._dirty.discard((table_id, gaming_day))

    def seal(self, table_id: str, gaming_day: dt.date) -> None:
        """Seal what the journal of a table-day holds into its next part; nothing to do where there is no journal.

        Raises:
            NotDurable: it could not be written; the journal is still there, seal again.
        """
        self._seal(table_id, gaming_day)

    def _seal(self, table_id: str, gaming_day: dt.date, entries: list[Entry] | None = None) -> None:
        """Seal a table-day, the entries of whose journal may be known."""
        day = self._table(table_id).days.get(gaming_day)
        if day is None or day.journal is None:
            return
        self._require_held(table_id)
        for other in self._tables[table_id].days.values():  # what is said of their numbers must hold after a kill
            if other.journal is not None:
                self._sync(other.journal)
        self._dirty.discard((table_id, gaming_day))
        self._seal_journal(self._tables[table_id].days, day, day.journal, entries)

    def _seal_journal(
        self,
        days: Mapping[dt.date, _TableDay],
        day: _TableDay,
        journal: _PartJournal,
        entries: list[Entry] | None = None,
    ) -> None:
        name = journal.name
        container = name.container(self.archive)
        try:
            entries = sorted(self._entries(journal) if entries is None else entries)
            if name.part > len(day.parts):
                raise NotDurable(f"{journal.path}: the part before it is missing; restore it, its journal is safe")
            if entries:
                follows = day.parts[name.part - 1].sha256 if name.part else None
                data, manifest = sealed_part(name, entries, follows, self._left_out(days, name, entries))
                if name.part == len(day.parts):
                    write_part(self.archive, data, manifest, self.file_mode)
                    day.parts.append(manifest)
                elif manifest != day.parts[name.part]:  # it was sealed and only the removal was left to do, if so
                    raise NotDurable(f"{container} was sealed with other events than {journal.path}; move one away")
            journal.remove()
        except OSError as error:
            raise NotDurable(f"{container}: {error.strerror}; its journal is safe") from error
        day.journal = None

    def _left_out(self, days: Mapping[dt.date, _TableDay], name: PartName, entries: Sequence[Entry]) -> str:
        """What to note in a part of the numbers that it leaves out; of one that was sealed before, what stands in it."""
        if name.container(self.archive).exists():
            return note_of(name.container(self.archive))
        own = days[name.gaming_day]
        others = [
            OtherDay(
                day.parts, [entry.seq for entry in self._entries(day.journal)] if day.journal else [], self.archive
            )
            for gaming_day, day in days.items()
            if gaming_day != name.gaming_day
        ]
        return note_for([entry.seq for entry in entries], own.parts, others)

    def parts(self, table_id: str, gaming_day: dt.date) -> int:
        """How many sealed parts the table-day has; whatever comes after the first is late."""
        return len(self.manifests(table_id, gaming_day))

    def manifests(self, table_id: str, gaming_day: dt.date) -> tuple[Manifest, ...]:
        """Those of the table-day's sealed parts, in order."""
        day = self._table(table_id).days.get(gaming_day)
        return () if day is None else tuple(day.parts)

    def first_seq(self, table_id: str, gaming_day: dt.date) -> int | None:
        """The lowest ``seq`` of a table-day, sealed or not; None where nothing of it is held."""
        day = self._table(table_id).days.get(gaming_day)
        if day is None:
            return None
        journal = self._entries(day.journal) if day.journal else []
        return min([part.first_seq for part in day.parts] + [entry.seq for entry in journal], default=None)

    def tail(self, table_id: str, gaming_day: dt.date, count: int = 64) -> list[bytes]:
        """The last messages of a table-day's journal, in the order they came."""
        day = self._table(table_id).days.get(gaming_day)
        return [] if day is None or day.journal is None else [e.message for e in self._entries(day.journal)[-count:]]

    def close(self) -> None:
        """Let go of every table; what was not flushed is dropped."""
        for table_id in list(self._tables):
            self.let_go(table_id)

    def let_go(self, table_id: str) -> None:
        """Let go of one table, so that others may write it; what was not flushed is dropped."""
        table = self._tables.pop(table_id, None)
        if table is not None:
            os.close(table.lock)
        self._dirty = {(dirty, day) for dirty, day in self._dirty if dirty != table_id}

    def _named(self, table_id: str) -> str:
        return f"table {table_id} of {self.archive}"

    def _require_held(self, table_id: str) -> None:
        require_held(self._tables[table_id].lock, lock_file(self.archive, table_id), self._named(table_id))

    def _table(self, table_id: str) -> _Table:
        if table_id in self._tables:
            return self._tables[table_id]
        require_table_id(table_id)
        lock = take_lock(lock_file(self.archive, table_id), self._named(table_id), self.file_mode)
        try:
            put_in_place(self.archive, table_id, self.file_mode)
            days = self._days(table_id)
            last = max([day.last_seq for day in days.values()] + [used_before(self.archive, table_id)])
        except OSError as error:
            os.close(lock)
            raise NotDurable(f"{error.filename or self.archive}: {error.strerror}") from error
        except BaseException:
            os.close(lock)
            raise
        self._tables[table_id] = _Table(lock, days, last)
        return self._tables[table_id]

    def _days(self, table_id: str) -> dict[dt.date, _TableDay]:
        """What the archive holds of a table; seals that were interrupted are completed first."""
        days: dict[dt.date, _TableDay] = {}
        for gaming_day in gaming_days(self.archive):
            if parts := self._parts(table_id, gaming_day):
                days[gaming_day] = _TableDay(parts)
        self._require_numbers(days)
        for path in sorted(journals(self.archive).glob(f"*/{table_id}.*journal")):
            name = part_name(path)
            if name is None or name.table_id != table_id:
                continue
            day = days.setdefault(name.gaming_day, _TableDay())
            if day.journal is not None:
                raise NotDurable(f"{path}: {day.journal.path} is there too, a table-day has one journal; move one away")
            day.journal = self._journal(name)
        for day in days.values():
            if day.journal is not None and day.journal.name.container(self.archive).exists():
                self._seal_journal(days, day, day.journal)
        return days

    def _parts(self, table_id: str, gaming_day: dt.date) -> list[Manifest]:
        parts: list[Manifest] = []
        while True:
            name = PartName(gaming_day, table_id, len(parts))
            path = name.manifest(self.archive)
            try:
                parts.append(Manifest.from_json(read_file(path, MOST_SMALL)))
            except FileNotFoundError:
                self._require_no_more(name)
                return parts
            except (ManifestUnreadable, OSError) as error:
                why = error.strerror if isinstance(error, OSError) else error
                raise NotDurable(f"{path}: {why}; nothing is written to a table whose manifest is damaged") from error
            if parts[-1].name != name:
                raise NotDurable(
                    f"{path}: it speaks of another part; nothing is written to a table that it may belong to"
                )

    def _require_no_more(self, name: PartName) -> None:
        """Nothing of a part whose manifest is missing may be there, unless its journal is."""
        after = PartName(name.gaming_day, name.table_id, name.part + 1)
        for path in (name.container(self.archive), after.container(self.archive), after.manifest(self.archive)):
            if path.exists() and not name.journal(self.archive).exists():
                raise NotDurable(
                    f"{name.manifest(self.archive)} is missing, {path.name} is there; restore it from a copy: its numbers "
                    "must not be used again"
                )

    def _require_numbers(self, days: dict[dt.date, _TableDay]) -> None:
        """A manifest from which the next number is taken must say of its container what is in it.

        A container that was damaged is no reason to stop a table: its manifest is whole, and replay tells of it.
        """
        latest = {max(days), max(days, key=lambda day: days[day].last_seq)} if days else set()
        for gaming_day in latest:
            for part in days[gaming_day].parts:
                path = part.name.container(self.archive)
                try:
                    data = read_file(path, MOST_LOG)
                    if hashlib.sha256(data).hexdigest() != part.sha256:
                        continue
                    first, last, count = span(data)
                except (OSError, ContainerDamaged, UnknownSchema):
                    continue
                if (first, last, count) != (part.first_seq, part.last_seq, part.count):
                    raise NotDurable(
                        f"{part.name.manifest(self.archive)}: it says {part.count} events, {part.first_seq} to "
                        f"{part.last_seq}, its container holds {count}, {first} to {last}; restore it from a copy"
                    )

    def _journal(self, name: PartName) -> _PartJournal:
        path = name.journal(self.archive)
        try:
            return _PartJournal(name, path, self.file_mode)
        except JournalDamaged as error:
            raise _damaged(name, self.archive, error) from error
        except OSError as error:
            raise NotDurable(f"{path}: {error.strerror}") from error

    def _entries(self, journal: _PartJournal) -> list[Entry]:
        try:
            return journal.entries()
        except JournalDamaged as error:
            raise _damaged(journal.name, self.archive, error) from error
        except OSError as error:
            raise NotDurable(f"{journal.path}: {error.strerror}") from error

    def _sync(self, journal: _PartJournal) -> None:
        try:
            journal.sync()
        except JournalDamaged as error:
            raise _damaged(journal.name, self.archive, error) from error
        except OSError as error:
            raise NotDurable(
                f"{journal.path}: {error.strerror}; {len(journal.pending)} events are not recorded yet, "
                "all that was acknowledged before is safe: make room and flush again"
            ) from error

    def _holds(self, table: _Table, table_id: str, seq: int, message: bytes) -> bool:
        """Whether the archive has this very event; every day is asked, since a ``seq`` is unique across them."""
        for gaming_day, day in table.days.items():
            if seq > day.last_seq:
                continue
            if day.known is None:
                day.known = self._known(table_id, gaming_day, day)
            held = day.known.find(seq)
            if held is not None:
                writer, datum = split_message(message)
                if held == digest(datum, writer):
                    return True
                raise SequenceConflict(f"table {table_id} has another event {seq} on gaming day {gaming_day}")
        return False

    def _known(self, table_id: str, gaming_day: dt.date, day: _TableDay) -> Known:
        known = Known()
        for part in day.parts:
            path = part.name.container(self.archive)
            try:
                known.add_container(read_file(path, MOST_LOG))
            except (OSError, ContainerDamaged, UnknownSchema) as error:
                raise NotDurable(
                    f"{path}: {error}; events {part.first_seq} and up cannot be compared with it"
                ) from error
        if day.journal is not None:
            known.add_entries(self._entries(day.journal))
        return known


def _damaged(journal: PartName, archive: Path, error: JournalDamaged) -> NotDurable:
    command = f"pitaudit repair {shlex.quote(str(archive))} --table {journal.table_id}"
    return NotDurable(
        f"{error}. Nothing is written to this table: `{command}` sets the file aside, keeps every whole event and uses no "
        "number again"
    )


def put_in_place(archive: Path, table_id: str, mode: int = FILE_MODE) -> None:
    """Put the table-days of a table into their places that a batch brought and was killed before it had.

    Only the holder of the table's lock may.

    Raises:
        NotDurable: another file is in such a place, or the disk refused.
    """
    on_its_way = on_their_way(archive)
    for staged in sorted(on_its_way.glob(f"*/{table_id}.*"), key=lambda path: path.suffix == MANIFEST):
        put_file(staged, archive / staged.relative_to(on_its_way), mode)


def put_file(staged: Path, place: Path, mode: int = FILE_MODE) -> None:
    """Put a file of a batch into its place, where it may be already.

    Raises:
        NotDurable: another one is there, or the disk refused.
    """
    try:
        data = read_file(staged, MOST_LOG)
        if not place.exists():
            make_folder(place.parent, mode)
            write_durably(place, data, mode)
        elif read_file(place, MOST_LOG) != data:
            raise NotDurable(f"{place}: it is not the file that {staged} has for this place; move it away")
    except OSError as error:
        raise NotDurable(f"{place}: {error.strerror}; {staged} has its bytes, do it again") from error
