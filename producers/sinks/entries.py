"""The entries of a journal's batch: ``seq``, length, Avro single-object message, little-endian."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Final, NamedTuple

_ENTRY: Final = struct.Struct("<QI")


class Entry(NamedTuple):
    """One event of a journal."""

    seq: int
    message: bytes


def packed(entries: Iterable[Entry]) -> bytes:
    """The payload of a batch."""
    return b"".join([_ENTRY.pack(seq, len(message)) + message for seq, message in entries])


def unpacked(payload: bytes, count: int) -> list[Entry] | None:
    """The entries of a payload, or None where it does not hold exactly ``count``."""
    entries: list[Entry] = []
    at = 0
    while len(entries) < count and at + _ENTRY.size <= len(payload):
        seq, size = _ENTRY.unpack_from(payload, at)
        at += _ENTRY.size + size
        entries.append(Entry(seq, payload[at - size : at]))
    return entries if len(entries) == count and at == len(payload) else None


def most_missing(size: int, held: Iterable[Entry]) -> int:
    """How many events more than those held ``size`` bytes of a journal have room for."""
    left = size - sum(_ENTRY.size + len(entry.message) for entry in held)
    return left // (_ENTRY.size + _LEAST_MESSAGE)


_LEAST_MESSAGE: Final = 10
"""Bytes before the datum of a single-object message: two of its mark, eight of its schema's fingerprint."""
