"""The format of the entries of a journal's batch: ``seq``, length, Avro single-object message, little-endian."""

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
    """The entries of a payload; None where it does not have exactly ``count``."""
    entries: list[Entry] = []
    at = 0
    while len(entries) < count and at + _ENTRY.size <= len(payload):
        seq, size = _ENTRY.unpack_from(payload, at)
        at += _ENTRY.size + size
        entries.append(Entry(seq, payload[at - size : at]))
    return entries if len(entries) == count and at == len(payload) else None


def most_missing(size: int, known: Iterable[Entry]) -> int:
    """The number of further events, besides the ``known`` ones, that ``size`` bytes of a journal have room for."""
    left = size - sum(_ENTRY.size + len(entry.message) for entry in known)
    return left // (_ENTRY.size + _LEAST_MESSAGE)


_LEAST_MESSAGE: Final = 10
"""Bytes of the header of a single-object message: two of its mark, eight of its schema's fingerprint."""
