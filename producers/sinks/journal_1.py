"""Reads journals of the first format, which are no longer written: batches without a head.

Such a file does not tell what was acknowledged. A last batch that is too short counts as torn, as for the program that
wrote it; a complete one with a wrong checksum is damage.
"""

from __future__ import annotations

import struct
import zlib
from typing import Final, NamedTuple

from producers.sinks.entries import Entry, unpacked

FIRST_MARK: Final = b"PJ1\n"
_BATCH: Final = struct.Struct("<4sIII")


class FirstFormat(NamedTuple):
    """The entries of all complete batches, the end of those before any fault, and the byte where damage begins."""

    entries: list[Entry]
    size: int
    damaged_at: int | None


def guard() -> bytes:
    """A header that the program of the first format reads as a complete batch."""
    return _BATCH.pack(FIRST_MARK, 0, 1, 0)


def read_first_format(data: bytes) -> FirstFormat:
    """Read a journal of the first format, also beyond damage."""
    entries: list[Entry] = []
    wrong: int | None = None
    at = last = 0
    while 0 <= at < len(data):
        batch = _batch(data, at)
        if batch is None:
            wrong = at if wrong is None else wrong
            at = data.find(FIRST_MARK, at + 1)
        else:
            found, at = batch
            entries += found
            last = at
    if wrong is None:
        return FirstFormat(entries, len(data), None)
    torn = last <= wrong and _cut_short(data[wrong:])
    return FirstFormat(entries, wrong, None if torn else wrong)


def _batch(data: bytes, at: int) -> tuple[list[Entry], int] | None:
    if len(data) - at < _BATCH.size:
        return None
    mark, length, count, checksum = _BATCH.unpack_from(data, at)
    end = at + _BATCH.size + length
    payload = data[at + _BATCH.size : end]
    if mark != FIRST_MARK or count == 0 or len(payload) != length or zlib.crc32(payload) != checksum:
        return None
    entries = unpacked(payload, count)
    return None if entries is None else (entries, end)


def _cut_short(batch: bytes) -> bool:
    """Whether a batch is shorter than its length says, and the length itself is not damaged."""
    if len(batch) < _BATCH.size:
        return FIRST_MARK.startswith(batch[: len(FIRST_MARK)])
    mark, length, _, checksum = _BATCH.unpack_from(batch)
    payload = batch[_BATCH.size :]
    return bool(mark == FIRST_MARK and len(payload) < length and zlib.crc32(payload) != checksum)
