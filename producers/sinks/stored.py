"""Reads a table's state in the archive for its writer: the sealed parts of each day, and the journal after them.

Where a missing or damaged file could cause a number to be used again, nothing is written to the table.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import shlex
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from producers.sinks import NotDurable, disk_explained
from producers.sinks.journal import Entry, Journal
from replayer.sources.layout import Manifest, PartName, gaming_days, journals_of
from replayer.sources.safe_files import MOST_LOG, MOST_SMALL, read_file
from replayer.sources.safe_texts import TextRefused
from schemas.codec import Schema, UnknownSchema, current, schema_of, split_message, transcode
from schemas.container import ContainerDamaged, numbers_in, read_blocks, read_datums, read_header
from schemas.plural import plural

_DIGEST_BYTES: Final = 16


class PartJournal(Journal):
    """The journal of a part of a table-day."""

    def __init__(self, archive: Path, name: PartName, mode: int) -> None:
        self.name = name
        mend = f"pitaudit repair {shlex.quote(str(archive))} --table {name.table_id}"
        super().__init__(name.journal(archive), mend, name.table_id, name.gaming_day, mode)


def _digest(writer: Schema, datum: bytes) -> bytes:
    """An event's digest, which does not depend on the schema that it was written with."""
    return hashlib.blake2b(transcode(datum, writer, current()), digest_size=_DIGEST_BYTES).digest()


def _span(data: bytes) -> tuple[int, int, int]:
    """The first and the last ``seq`` of a sealed container, and its number of events."""
    schema = schema_of(read_header(data).schema_text)
    first = last = count = 0
    for block in read_blocks(data):
        count += block.count
        first = first or next(numbers_in(block, schema))
        last_block = block
    if count:
        *_, last = numbers_in(last_block, schema)
    return first, last, count


class _SeenEvents:
    """A map from ``seq`` to digest, as two sorted arrays: 24 bytes an event."""

    def __init__(self) -> None:
        self._seqs = array("Q")
        self._digests = bytearray()

    def add_entries(self, entries: Iterable[Entry]) -> None:
        for seq, message in entries:
            self._add(seq, _digest(*split_message(message)))

    def add_container(self, data: bytes) -> None:
        writer = schema_of(read_header(data).schema_text)
        for datum, record in read_datums(data):
            self._add(record["seq"], _digest(writer, datum))

    def find(self, seq: int) -> bytes | None:
        at = bisect_left(self._seqs, seq)
        if at == len(self._seqs) or self._seqs[at] != seq:
            return None
        return bytes(self._digests[at * _DIGEST_BYTES : (at + 1) * _DIGEST_BYTES])

    def _add(self, seq: int, digest_: bytes) -> None:
        at = len(self._seqs) if not self._seqs or seq > self._seqs[-1] else bisect_left(self._seqs, seq)
        self._seqs.insert(at, seq)
        self._digests[at * _DIGEST_BYTES : at * _DIGEST_BYTES] = digest_


@dataclass(slots=True)
class StoredDay:
    """A table-day in the archive: its sealed parts, and a journal of later events."""

    parts: list[Manifest] = field(default_factory=list)
    journal: PartJournal | None = None
    known: _SeenEvents | None = None  # read when a repeated seq needs it

    @property
    def last_seq(self) -> int:
        """The highest number, zero where there is none."""
        return max([part.last_seq for part in self.parts] + [self.journal.last_seq if self.journal else 0])

    @property
    def first_seq(self) -> int | None:
        """The lowest number, None where there is none."""
        return min([part.first_seq for part in self.parts] + [entry.seq for entry in self.entries()], default=None)

    def entries(self) -> list[Entry]:
        """The entries of its journal."""
        return self.journal.entries() if self.journal else []

    def holds(self, archive: Path, seq: int, message: bytes) -> bool | None:
        """Whether it has exactly this event; None where it has none with that number."""
        if seq > self.last_seq:
            return None
        if self.known is None:
            self.known = self._seen_events(archive)
        held = self.known.find(seq)
        return None if held is None else held == _digest(*split_message(message))

    def _seen_events(self, archive: Path) -> _SeenEvents:
        known = _SeenEvents()
        for part in self.parts:
            path = part.name.container(archive)
            try:
                known.add_container(read_file(path, MOST_LOG))
            except (OSError, ContainerDamaged, UnknownSchema) as error:
                what = f"events {part.first_seq} and up cannot be compared with it"
                raise NotDurable(f"{path}: {error}; {what}") from error
        known.add_entries(self.entries())
        return known


def stored_days(archive: Path, table_id: str, mode: int) -> dict[dt.date, StoredDay]:
    """The table-days of a table in the archive. A journal may belong to a sealed part, if its removal was interrupted.

    Raises:
        NotDurable: a file is missing or damaged.
        OSError: a file or folder cannot be read.
    """
    days: dict[dt.date, StoredDay] = {}
    for gaming_day in gaming_days(archive):
        if parts := _parts(archive, table_id, gaming_day):
            days[gaming_day] = StoredDay(parts)
    _require_numbers(archive, days)
    for name in journals_of(archive, table_id):
        day = days.setdefault(name.gaming_day, StoredDay())
        if day.journal is not None:
            both = f"{name.journal(archive)}: {day.journal.path} is there too"
            raise NotDurable(f"{both}, a table-day has one journal; move one away")
        day.journal = PartJournal(archive, name, mode)
    return days


def _parts(archive: Path, table_id: str, gaming_day: dt.date) -> list[Manifest]:
    parts: list[Manifest] = []
    while True:
        name = PartName(gaming_day, table_id, len(parts))
        path = name.manifest(archive)
        with disk_explained(path, "nothing is written to a table whose manifest cannot be read"):
            try:
                parts.append(Manifest.from_json(read_file(path, MOST_SMALL)))
            except FileNotFoundError:
                _require_no_more(archive, name)
                return parts
            except TextRefused as error:
                raise NotDurable(f"{path}: {error}; nothing is written to a table whose manifest is damaged") from error
        if parts[-1].name != name:
            raise NotDurable(f"{path}: it speaks of another part; nothing is written to a table that it may belong to")


def _require_no_more(archive: Path, name: PartName) -> None:
    """Require that a part without a manifest has no other files either, unless it has its journal."""
    after = PartName(name.gaming_day, name.table_id, name.part + 1)
    for path in (name.container(archive), after.container(archive), after.manifest(archive)):
        if path.exists() and not name.journal(archive).exists():
            found = f"{name.manifest(archive)} is missing, {path.name} is there"
            raise NotDurable(f"{found}; restore it from a copy: its numbers must not be used again")


def _require_numbers(archive: Path, days: Mapping[dt.date, StoredDay]) -> None:
    """Require that the manifests that give the next number agree with their containers, of which a damaged one stops no table:
    its manifest is intact, and replay reports it."""
    latest = {max(days), max(days, key=lambda day: days[day].last_seq)} if days else set()
    for gaming_day in latest:
        for part in days[gaming_day].parts:
            path = part.name.container(archive)
            try:
                data = read_file(path, MOST_LOG)
                if hashlib.sha256(data).hexdigest() != part.sha256:
                    continue
                first, last, count = _span(data)
            except (OSError, ContainerDamaged, UnknownSchema):
                continue
            if (first, last, count) != (part.first_seq, part.last_seq, part.count):
                said = f"it says {plural(part.count, 'event')}, {part.first_seq} to {part.last_seq}"
                held = f"its container holds {count}, {first} to {last}"
                raise NotDurable(f"{part.name.manifest(archive)}: {said}, {held}; restore it from a copy")
