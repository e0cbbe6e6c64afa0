"""The archive as a sink: events go to journals, a finished table-day is sealed into one Avro container.

Acknowledged is what a journal holds on disk. Sealing writes the container beside its place, renames it, does the same
with the manifest, and only then removes the journal: killed anywhere and run again it ends with the same bytes.
Events that come after the seal open the journal of the next, linked part. The layout is described in
:mod:`replayer.sources.layout`.
"""

from __future__ import annotations

import datetime as dt
import fcntl
import hashlib
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from producers.sinks import NotDurable, SequenceConflict, SinkBusy
from producers.sinks.durable import make_folder, write_durably
from producers.sinks.journal import Entry, Journal, JournalDamaged
from producers.sinks.known import Known, digest
from replayer.sources.layout import (
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
from schemas.codec import UnknownSchema, held_to_contract, newest, split_message, transcode
from schemas.container import ContainerDamaged, write_container


@dataclass(slots=True)
class _TableDay:
    """What the archive holds of one table-day: sealed parts, and a journal for what came after them."""

    parts: list[Manifest] = field(default_factory=list)
    journal: Journal | None = None
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

    ``duplicates`` counts events that came again with the same bytes.
    """

    def __init__(self, archive: Path) -> None:
        self.archive = archive
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

    def flush(self) -> Mapping[str, int]:
        """Sync every journal that took events.

        Raises:
            NotDurable: a journal could not be written (disk full, say). Its events are still pending: flush again.
        """
        for table_id, gaming_day in sorted(self._dirty):
            journal = self._tables[table_id].days[gaming_day].journal
            if journal is not None:
                self._sync(journal)
            self._dirty.discard((table_id, gaming_day))
        return {table_id: table.last_seq for table_id, table in self._tables.items() if table.last_seq}

    def seal(self, table_id: str, gaming_day: dt.date) -> None:
        """Seal what the journal of a table-day holds into its next part; nothing to do where there is no journal.

        Raises:
            NotDurable: it could not be written; the journal is still there, seal again.
        """
        day = self._table(table_id).days.get(gaming_day)
        if day is None or day.journal is None:
            return
        self._sync(day.journal)
        self._dirty.discard((table_id, gaming_day))
        self._seal_journal(day, day.journal)

    def _seal_journal(self, day: _TableDay, journal: Journal) -> None:
        entries = sorted(journal.entries())
        name = journal.name
        try:
            if entries and name.part == len(day.parts):  # otherwise only the removal is left to do
                day.parts.append(seal_part(self.archive, name, entries, day.parts[-1].sha256 if day.parts else None))
            journal.remove()
        except OSError as error:
            raise NotDurable(f"{name.container(self.archive)}: {error.strerror}; its journal is safe") from error
        day.journal = None

    def parts(self, table_id: str, gaming_day: dt.date) -> int:
        """How many sealed parts the table-day has; whatever comes after the first is late."""
        day = self._table(table_id).days.get(gaming_day)
        return 0 if day is None else len(day.parts)

    def first_seq(self, table_id: str, gaming_day: dt.date) -> int | None:
        """The lowest ``seq`` of a table-day, sealed or not; None where nothing of it is held."""
        day = self._table(table_id).days.get(gaming_day)
        if day is None:
            return None
        journal = day.journal.entries() if day.journal else []
        return min([part.first_seq for part in day.parts] + [entry.seq for entry in journal], default=None)

    def tail(self, table_id: str, gaming_day: dt.date, count: int = 64) -> list[bytes]:
        """The last messages of a table-day's journal, in the order they came."""
        day = self._table(table_id).days.get(gaming_day)
        return [] if day is None or day.journal is None else [e.message for e in day.journal.entries()[-count:]]

    def close(self) -> None:
        """Let go of every table; what was not flushed is dropped."""
        for table in self._tables.values():
            os.close(table.lock)
        self._tables.clear()
        self._dirty.clear()

    def _table(self, table_id: str) -> _Table:
        if table_id in self._tables:
            return self._tables[table_id]
        require_table_id(table_id)
        lock = take_lock(lock_file(self.archive, table_id), f"table {table_id} of {self.archive}")
        try:
            put_in_place(self.archive, table_id)
            days = self._days(table_id)
        except BaseException:
            os.close(lock)
            raise
        last = max((day.last_seq for day in days.values()), default=0)
        self._tables[table_id] = _Table(lock, days, last)
        return self._tables[table_id]

    def _days(self, table_id: str) -> dict[dt.date, _TableDay]:
        """What the archive holds of a table; seals that were interrupted are completed first."""
        days: dict[dt.date, _TableDay] = {}
        for gaming_day in gaming_days(self.archive):
            if parts := self._sealed(table_id, gaming_day):
                days[gaming_day] = _TableDay(parts)
        for path in sorted(journals(self.archive).glob(f"*/{table_id}.*journal")):
            name = part_name(path)
            if name is None or name.table_id != table_id:
                continue
            day = days.setdefault(name.gaming_day, _TableDay())
            day.journal = self._journal(name)
            if name.container(self.archive).exists():
                self._seal_journal(day, day.journal)
        return days

    def _sealed(self, table_id: str, gaming_day: dt.date) -> list[Manifest]:
        parts: list[Manifest] = []
        while (path := PartName(gaming_day, table_id, len(parts)).manifest(self.archive)).exists():
            try:
                parts.append(Manifest.from_json(path.read_text(encoding="utf-8")))
            except (ManifestUnreadable, UnicodeDecodeError) as error:
                raise NotDurable(f"{path}: {error}; nothing is written to a table whose manifest is damaged") from error
        return parts

    def _journal(self, name: PartName) -> Journal:
        try:
            return Journal(name, name.journal(self.archive))
        except JournalDamaged as error:
            raise NotDurable(str(error)) from error

    def _sync(self, journal: Journal) -> None:
        try:
            journal.sync()
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
                known.add_container(path.read_bytes())
            except (OSError, ContainerDamaged, UnknownSchema) as error:
                raise NotDurable(
                    f"{path}: {error}; events {part.first_seq} and up cannot be compared with it"
                ) from error
        if day.journal is not None:
            known.add_entries(day.journal.entries())
        return known


def put_in_place(archive: Path, table_id: str) -> None:
    """Put the table-days of a table into their places that a batch brought and was killed before it had.

    Only the holder of the table's lock may.

    Raises:
        NotDurable: another file is in such a place, or the disk refused.
    """
    on_its_way = on_their_way(archive)
    for staged in sorted(on_its_way.glob(f"*/{table_id}.*"), key=lambda path: path.suffix == MANIFEST):
        put_file(staged, archive / staged.relative_to(on_its_way))


def put_file(staged: Path, place: Path) -> None:
    """Put a file of a batch into its place, where it may be already.

    Raises:
        NotDurable: another one is there, or the disk refused.
    """
    try:
        data = staged.read_bytes()
        if not place.exists():
            make_folder(place.parent)
            write_durably(place, data)
        elif place.read_bytes() != data:
            raise NotDurable(f"{place}: it is not the file that {staged} has for this place; move it away")
    except OSError as error:
        raise NotDurable(f"{place}: {error.strerror}; {staged} has its bytes, do it again") from error


def take_lock(path: Path, what: str) -> int:
    """Take a lock that the system frees when the process ends; its descriptor, to be closed.

    Raises:
        SinkBusy: another process holds it. ``what`` is what it is writing.
        NotDurable: the file cannot be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise NotDurable(f"{path}: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = os.pread(lock, 20, 0).decode() or "unknown"
        os.close(lock)
        raise SinkBusy(f"{what} is being written by process {holder}") from None
    try:
        os.pwrite(lock, f"{os.getpid():<20}".encode(), 0)  # a courtesy for the message above; the lock is the flock
    except OSError:
        os.ftruncate(lock, 0)
    return lock


def seal_part(archive: Path, name: PartName, entries: list[Entry], follows: str | None) -> Manifest:
    """Write one part, container first; a container that is there already must be the very same."""
    messages = [split_message(entry.message) for entry in entries]
    schema = newest({writer for writer, _ in messages})
    metadata = {"table_id": name.table_id, "gaming_day": name.gaming_day.isoformat(), "part": str(name.part)}
    if follows is not None:
        metadata["follows"] = follows
    out = io.BytesIO()
    write_container(out, schema, [transcode(datum, writer, schema) for writer, datum in messages], metadata)
    data = out.getvalue()
    manifest = Manifest(
        table_id=name.table_id,
        gaming_day=name.gaming_day,
        part=name.part,
        count=len(entries),
        first_seq=entries[0].seq,
        last_seq=entries[-1].seq,
        bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        schema_fingerprint=schema.fingerprint.hex(),
        schema_sha256=schema.sha256,
        follows=follows,
    )
    container = name.container(archive)
    make_folder(container.parent)
    if container.exists() and container.read_bytes() != data:
        raise FileExistsError(0, "a container without manifest is there and differs from the journal; move it away")
    write_durably(container, data)
    write_durably(name.manifest(archive), manifest.to_json().encode())
    return manifest
