"""The journal of one table-day under way: a head that tells how far it is acknowledged, and batches of events.

The head has the same mark twice (length and highest ``seq`` acknowledged, CRC-32), written one after the other, so that one is
intact at any time. A batch is a header (mark, length and CRC-32 of the rest, count, CRC-32 of these and of the batch's place)
and its entries (``seq``, length, Avro single-object message). All numbers are little-endian. The digit in the marks is the
version of this format.

A batch is written and synced, then marked as acknowledged and synced again, before it is acknowledged. So an incomplete batch
beyond the mark was never acknowledged: a process that died while writing left it, and it is dropped. Any other mismatch is
damage, and an error: an acknowledged event is never taken for a torn one, and its number is never used again.
"""

from __future__ import annotations

import datetime as dt
import errno
import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from producers.sinks import NotDurable, disk_explained
from producers.sinks.durable import sync_folder, write_all, write_durably
from replayer.sources.layout import FILE_MODE
from replayer.sources.safe_files import MOST_LOG, read_file, read_start
from schemas.codec import MessageUnreadable, decode
from schemas.plural import plural

_SLOT: Final = struct.Struct("<4sQQI")
_SLOT_MARK: Final = b"PJ3\n"
_ANY_VERSION: Final = re.compile(rb"PJ[0-9]\n")
_HEAD: Final = 2 * _SLOT.size
_BATCH: Final = struct.Struct("<4sIIII")
_BATCH_MARK: Final = b"PB3\n"
_CHECKSUM: Final = struct.Struct("<I")
_ENTRY: Final = struct.Struct("<QI")
_LEAST_MESSAGE: Final = 10
"""Bytes of the header of a single-object message: two of its mark, eight of its schema's fingerprint."""
_SECTOR: Final = 512
_END: Final = 64 * 1024


class Entry(NamedTuple):
    """One event of a journal."""

    seq: int
    message: bytes


class JournalDamaged(NotDurable):
    """Acknowledged events of a journal cannot be read; the message gives file and byte."""

    def __init__(self, path: Path, at: int, what: str) -> None:
        super().__init__(f"{path}, byte {at}: {what}")
        self.at = at
        self.what = what


@dataclass(frozen=True, slots=True)
class Contents:
    """The content of a journal: the entries of its complete batches, which end at byte ``size`` of ``found``."""

    entries: Sequence[Entry] = ()
    size: int = 0
    found: int = 0
    ready: bool = True  # whether both of its marks acknowledge all that was found, so that it can be appended to

    @property
    def ends(self) -> Sequence[Entry]:
        """The first and the last entry; none where it has none."""
        return (*self.entries[:1], *self.entries[-1:])


def read_journal(path: Path) -> Contents:
    """The content of a journal; empty where there is no file.

    Raises:
        JournalDamaged: events that were acknowledged, or may have been, cannot be read.
        OSError: the file cannot be read, is a link to nothing, or is of another version of the format.
    """
    try:
        data = read_file(path, MOST_LOG)
    except FileNotFoundError:
        if path.is_symlink():  # to a disk that is not mounted
            raise
        return Contents()
    return contents(path, data)


def read_ends(path: Path) -> tuple[Entry | None, Entry | None, int]:
    """The first and the last entry that a journal acknowledges, without reading the rest, each None where a long batch hides it;
    and the highest ``seq``, by its marks.

    Raises:
        JournalDamaged: its marks cannot be read, or it is shorter than they acknowledge.
        OSError: the file cannot be read.
    """
    head = read_start(path, _END)
    acknowledged, last_seq = _newest_mark(path, head)
    before = max(0, acknowledged - _END)
    with path.open("rb") as opened:
        opened.seek(before)
        tail = opened.read(acknowledged - before)
    if before + len(tail) < acknowledged:
        raise JournalDamaged(path, before + len(tail), f"it is cut off, {acknowledged} bytes of it were acknowledged")
    batch = _batch_at(head, _HEAD)
    first = batch[0][0] if batch else None
    at = tail.rfind(_BATCH_MARK)
    while at >= 0:
        found = _batch_at(tail, at, before)
        if found and found[1] == len(tail):
            return first, found[0][-1], last_seq
        at = tail.rfind(_BATCH_MARK, 0, at)
    return first, None, last_seq


def contents(path: Path, data: bytes) -> Contents:
    """The content of the journal at a path, from its bytes."""
    acknowledged, last_seq = _newest_mark(path, data)
    marks = _marks(data)
    if len(data) < acknowledged:
        raise JournalDamaged(path, len(data), f"it is cut off, {acknowledged} bytes of it were acknowledged")
    entries: list[Entry] = []
    at = _HEAD
    while (batch := _batch_at(data, at)) is not None:
        entries += batch[0]
        at = batch[1]
    if at < acknowledged or (at < len(data) and not _cut_short(data, at)):
        raise JournalDamaged(path, at, "a batch was altered")
    if at < len(data) and None in marks:  # a mark is written after its batch: these are two faults
        raise JournalDamaged(path, at, "neither the last batch nor one of the two marks can be read")
    if last_seq > max((entry.seq for entry in entries), default=0):
        raise JournalDamaged(path, at, f"event {last_seq} was acknowledged and is not there")
    return Contents(entries, at, len(data), marks[0] == marks[1] and acknowledged == at == len(data))


def _newest_mark(path: Path, data: bytes) -> tuple[int, int]:
    """Length and highest ``seq`` that the marks acknowledge."""
    if whole := [mark for mark in _marks(data) if mark is not None]:
        return max(whole)
    if _ANY_VERSION.match(data) and not data.startswith(_SLOT_MARK):
        what = "another version of pitaudit wrote it: seal it, or send it, with that one"
        raise OSError(errno.ENOTSUP, what, str(path))  # it is not damaged, so that nothing sets it aside
    raise JournalDamaged(path, 0, "neither of its two marks can be read")


def _marks(data: bytes) -> list[tuple[int, int] | None]:
    """Length and highest ``seq`` that each of the two marks acknowledges; None for an unreadable one."""
    marks: list[tuple[int, int] | None] = []
    for slot in (data[: _SLOT.size], data[_SLOT.size : 2 * _SLOT.size]):
        if len(slot) < _SLOT.size:
            marks.append(None)
            continue
        mark, acknowledged, last_seq, checksum = _SLOT.unpack(slot)
        whole = mark == _SLOT_MARK and checksum == zlib.crc32(slot[: -_CHECKSUM.size])
        marks.append((acknowledged, last_seq) if whole else None)
    return marks


def _batch_at(data: bytes, at: int, before: int = 0) -> tuple[list[Entry], int] | None:
    """The entries of the batch that begins at a byte and its end; None where there is no complete one. ``before`` is the
    number of bytes of the journal before ``data``."""
    header = _header_at(data, at, before)
    if header is None:
        return None
    length, count, checksum = header
    begin = at + _BATCH.size
    payload = data[begin : begin + length]
    whole = count and len(payload) == length and zlib.crc32(payload) == checksum
    entries = _entries(payload, count) if whole else None
    return None if entries is None else (entries, begin + length)


def _entries(payload: bytes, count: int) -> list[Entry] | None:
    """The entries of a batch; None where it does not have exactly ``count``."""
    entries: list[Entry] = []
    at = 0
    while len(entries) < count and at + _ENTRY.size <= len(payload):
        seq, size = _ENTRY.unpack_from(payload, at)
        at += _ENTRY.size + size
        entries.append(Entry(seq, payload[at - size : at]))
    return entries if len(entries) == count and at == len(payload) else None


def _header_at(data: bytes, at: int, before: int = 0) -> tuple[int, int, int] | None:
    """Length, count and checksum of the batch that begins at a byte; None where there is no complete header."""
    header = data[at : at + _BATCH.size]
    if len(header) < _BATCH.size:
        return None
    mark, length, count, checksum, own = _BATCH.unpack(header)
    whole = mark == _BATCH_MARK and own == zlib.crc32(header[: -_CHECKSUM.size], before + at)
    return (length, count, checksum) if whole else None


def _cut_short(data: bytes, at: int) -> bool:
    """Whether the batch at a byte looks like an interrupted write: too few bytes, or sectors of zeros."""
    header = data[at : at + _BATCH.size]
    if len(header) < _BATCH.size or not any(header):
        return True
    found, payload = _header_at(data, at), data[at + _BATCH.size :]
    return found is not None and (len(payload) < found[0] or bytes(_SECTOR) in payload)


def salvage(data: bytes) -> list[Entry]:
    """The entries of all complete batches anywhere in a damaged journal."""
    entries: list[Entry] = []
    at = data.find(_BATCH_MARK)
    while at >= 0:
        found, after = _batch_at(data, at) or ([], at + 1)
        entries += found
        at = data.find(_BATCH_MARK, after)
    return entries


def most_used(data: bytes) -> int:
    """The highest ``seq`` that a damaged journal may have acknowledged: by its marks, or, where both are unreadable, the highest
    one left plus as many events as its bytes have room for; the largest journal's bytes where it is cut off within its head."""
    entries = salvage(data)
    known = max((entry.seq for entry in entries), default=0)
    if marked := [mark[1] for mark in _marks(data) if mark is not None]:
        return max(known, *marked)
    room = MOST_LOG if len(data) < _HEAD else len(data)
    left = room - sum(_ENTRY.size + len(entry.message) for entry in entries)
    return known + left // (_ENTRY.size + _LEAST_MESSAGE)


def write_journal(path: Path, entries: Sequence[Entry], mode: int = FILE_MODE) -> int:
    """Write a complete journal in place of the file at ``path``, which is untouched where that fails (OSError); gives its
    length."""
    batch = _batch(entries, _HEAD)
    slot = _slot(_HEAD + len(batch), _last(entries))
    write_durably(path, slot + slot + batch, mode)
    return _HEAD + len(batch)


def _batch(entries: Sequence[Entry], at: int) -> bytes:
    payload = b"".join([_ENTRY.pack(seq, len(message)) + message for seq, message in entries])
    if at + _BATCH.size + len(payload) > MOST_LOG:
        raise OSError(errno.EFBIG, f"a journal has {MOST_LOG} bytes at most")
    header = _BATCH.pack(_BATCH_MARK, len(payload), len(entries), zlib.crc32(payload), 0)[: -_CHECKSUM.size]
    # The checksum covers the position, so that the batch is valid nowhere else.
    return header + _CHECKSUM.pack(zlib.crc32(header, at)) + payload


def _slot(acknowledged: int, last_seq: int) -> bytes:
    slot = _SLOT.pack(_SLOT_MARK, acknowledged, last_seq, 0)[: -_CHECKSUM.size]
    return slot + _CHECKSUM.pack(zlib.crc32(slot))


def _mark(descriptor: int, acknowledged: int, last_seq: int) -> None:
    """Mark a journal as acknowledged so far: the first mark is on disk before the second is written."""
    slot = _slot(acknowledged, last_seq)
    write_all(descriptor, slot, 0)
    os.fsync(descriptor)
    write_all(descriptor, slot, _SLOT.size)


class Journal:
    """A journal of a table, open for writing, by the holder of the table's lock only. What it or its methods cannot read or write
    is NotDurable, as is one of another table or gaming day; ``mend`` is the command that sets a damaged one aside.

    Opening it truncates a torn tail, and syncs and marks batches that a killed process left unmarked.
    """

    def __init__(
        self, path: Path, mend: str, table_id: str, gaming_day: dt.date | None = None, mode: int = FILE_MODE
    ) -> None:
        self.path = path
        self.pending: list[Entry] = []
        self._mend = mend
        self._mode = mode
        with self._explained():
            contents = read_journal(path)
            self._size = contents.size
            self._found = contents.found
            self._torn = not contents.ready
            self.last_seq = self._synced_seq = _last(contents.entries)
            if self._torn:
                with self._open() as descriptor:
                    os.fsync(descriptor)  # a batch that a killed process wrote may be in memory only
                    _mark(descriptor, self._size, self._synced_seq)
        if elsewhere := out_of_place(path, contents.ends, table_id, gaming_day):
            raise NotDurable(elsewhere)

    @contextmanager
    def _explained(self, advice: str = "") -> Iterator[None]:
        try:
            with disk_explained(self.path, advice):
                yield
        except JournalDamaged as error:
            raise NotDurable(
                f"{error}. Nothing is written to this table: `{self._mend}` sets the file aside, keeps every whole event and "
                "uses no number again"
            ) from error

    def add(self, seq: int, message: bytes) -> None:
        """Add an event for the next :meth:`sync`."""
        self.pending.append(Entry(seq, message))
        self.last_seq = max(self.last_seq, seq)

    def sync(self) -> None:
        """Write the pending entries as one batch, wait until it is durable, and mark it as acknowledged. Where that cannot be
        done, all entries are still pending and the journal is unchanged."""
        if not self.pending:
            return
        waiting = f"{plural(len(self.pending), 'event is', 'events are')} not recorded yet"
        safe = "all that was acknowledged before is safe: make room, and the next flush writes what waits"
        with self._explained(f"{waiting}, {safe}"):
            if self._size:
                self._append(_batch(self.pending, self._size))
            elif (found := self.path.stat().st_size if self.path.exists() else 0) != self._found:
                raise JournalDamaged(self.path, 0, f"it has {found} bytes, it had {self._found}: another one wrote it")
            else:
                self._size = write_journal(self.path, self.pending, self._mode)
        self._synced_seq = self.last_seq
        self.pending = []

    def _append(self, batch: bytes) -> None:
        end = self._size + len(batch)
        with self._open() as descriptor:
            try:
                write_all(descriptor, batch, self._size)
                os.fsync(descriptor)
                _mark(descriptor, end, self.last_seq)
                self._size = end
            except OSError:
                self._torn = True
                # The slot may be written for the batch that failed.
                write_all(descriptor, _slot(self._size, self._synced_seq), 0)
                os.ftruncate(descriptor, self._size)  # frees space on a full disk
                self._torn = False
                raise

    @contextmanager
    def _open(self) -> Iterator[int]:
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            raise JournalDamaged(self.path, 0, "it was taken away while it was written") from None
        try:
            size = os.fstat(descriptor).st_size
            if self._torn:
                os.ftruncate(descriptor, self._size)
                self._torn = False
            elif size != self._size:
                what = f"it has {size} bytes, this process left {self._size}: another one wrote it"
                raise JournalDamaged(self.path, min(size, self._size), what)
            yield descriptor
        finally:
            os.close(descriptor)

    def entries(self) -> list[Entry]:
        """Every entry, durable ones first, then pending ones."""
        with self._explained():
            contents = read_journal(self.path)
            if contents.size != self._size:
                what = f"{contents.size} bytes of it are whole, this process left {self._size}: another one wrote it"
                raise JournalDamaged(self.path, min(contents.size, self._size), what)
        return [*contents.entries, *self.pending]

    def remove(self) -> None:
        """Delete the journal: its events are sealed."""
        self.path.unlink(missing_ok=True)
        sync_folder(self.path.parent)


def out_of_place(path: Path, ends: Iterable[Entry], table_id: str, gaming_day: dt.date | None = None) -> str:
    """Whose journal lies in the place of a table-day's, or whose segment in a table's folder, and what to do, or why its events
    cannot be sealed here; empty where its first and last entry are the table's own."""
    for entry in ends:
        try:
            event = decode(entry.message)
        except MessageUnreadable as error:
            if gaming_day:
                return f"{path}: {error}"
            continue  # the events of a spool are sent all the same by who can read them
        if event.table_id != table_id or gaming_day not in (None, event.gaming_day):
            what, of_day = ("journal", f" of {event.gaming_day}") if gaming_day else ("segment", "")
            return f"{path}: it is a {what} of table {event.table_id}{of_day}; put it back into its place"
    return ""


def _last(entries: Sequence[Entry]) -> int:
    return max(entries).seq if entries else 0
