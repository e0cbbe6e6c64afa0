"""The journal of one table-day under way: batches of events, each written and synced as one.

A batch is a header (mark, length, count, CRC-32 of the rest) and its entries (``seq``, length, Avro single-object
message), little-endian. A process that dies while writing leaves at most one torn batch, the last, and nobody was told
that its events are durable: it is dropped. A batch that is bad although a good one follows was acknowledged once: that
is damage, and an error.
"""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path
from typing import Final, NamedTuple

from replayer.sources.layout import PartName

_BATCH: Final = struct.Struct("<4sIII")
_ENTRY: Final = struct.Struct("<QI")
_MARK: Final = b"PJ1\n"


class JournalDamaged(RuntimeError):
    """Acknowledged events of a journal cannot be read; the message gives file and byte."""


class Entry(NamedTuple):
    """One event of a journal."""

    seq: int
    message: bytes


def read_journal(path: Path) -> tuple[list[Entry], int]:
    """The whole entries of a journal and the length of its whole batches in bytes; none where there is no file.

    Raises:
        JournalDamaged: a batch is bad although a good one follows it.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return [], 0
    entries: list[Entry] = []
    at = 0
    while (payload := _batch(data, at)) is not None:
        entries.extend(_entries(payload))
        at += _BATCH.size + len(payload)
    later = at
    while (later := data.find(_MARK, later + 1)) >= 0:
        if _batch(data, later) is not None:
            raise JournalDamaged(f"{path}: acknowledged events are damaged at byte {at}, whole ones follow at {later}")
    return entries, at


def _batch(data: bytes, at: int) -> bytes | None:
    if len(data) - at < _BATCH.size:
        return None
    mark, length, count, checksum = _BATCH.unpack_from(data, at)
    payload = data[at + _BATCH.size : at + _BATCH.size + length]
    whole = mark == _MARK and count > 0 and len(payload) == length and zlib.crc32(payload) == checksum
    return payload if whole else None


def _entries(payload: bytes) -> list[Entry]:
    entries: list[Entry] = []
    at = 0
    while at < len(payload):
        seq, length = _ENTRY.unpack_from(payload, at)
        at += _ENTRY.size
        entries.append(Entry(seq, payload[at : at + length]))
        at += length
    return entries


class Journal:
    """The journal of a part, open for writing. Only the holder of the table's lock may have one.

    Raises:
        JournalDamaged: as :func:`read_journal`.
    """

    def __init__(self, name: PartName, path: Path) -> None:
        self.name = name
        self.path = path
        entries, self._size = read_journal(path)
        self.last_seq = max((entry.seq for entry in entries), default=0)
        self.pending: list[Entry] = []

    def add(self, seq: int, message: bytes) -> None:
        """Take an event for the next :meth:`sync`."""
        self.pending.append(Entry(seq, message))
        self.last_seq = max(self.last_seq, seq)

    def sync(self) -> None:
        """Write what is pending as one batch and wait until the disk has it.

        Raises:
            OSError: it could not be written; all is still pending and the journal ends where it ended.
        """
        if not self.pending:
            return
        payload = b"".join([_ENTRY.pack(seq, len(message)) + message for seq, message in self.pending])
        header = _BATCH.pack(_MARK, len(payload), len(self.pending), zlib.crc32(payload))
        fresh = not self.path.exists()
        if fresh:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            os.ftruncate(descriptor, self._size)  # what a torn batch left
            _write_all(descriptor, header + payload, self._size)
            os.fsync(descriptor)
        except OSError:
            os.ftruncate(descriptor, self._size)  # a disk that is full needs the room
            raise
        finally:
            os.close(descriptor)
        if fresh:
            sync_folder(self.path.parent)
            sync_folder(self.path.parent.parent)
        self._size += len(header) + len(payload)
        self.pending.clear()

    def entries(self) -> list[Entry]:
        """Every entry, durable ones first, then those pending."""
        return read_journal(self.path)[0] + self.pending

    def remove(self) -> None:
        """Delete the journal: its events are sealed."""
        self.path.unlink(missing_ok=True)
        sync_folder(self.path.parent)


def _write_all(descriptor: int, data: bytes, at: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, at)
        view, at = view[written:], at + written


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
