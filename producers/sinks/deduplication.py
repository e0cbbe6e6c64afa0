"""Recognises duplicate events of a table-day by a digest for each ``seq``, 24 bytes an event.

A container that cannot be read is ContainerDamaged or UnknownSchema (:mod:`schemas.container`, :mod:`schemas.codec`).
"""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

from producers.sinks.entries import Entry
from schemas.codec import Schema, current, schema_of, split_message, transcode
from schemas.container import numbers_in, read_blocks, read_datums, read_header

_SIZE: Final = 16


def digest(writer: Schema, datum: bytes) -> bytes:
    """An event's digest, which does not depend on the schema that it was written with."""
    return hashlib.blake2b(transcode(datum, writer, current()), digest_size=_SIZE).digest()


def span(data: bytes) -> tuple[int, int, int]:
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


class SeenEvents:
    """A map from ``seq`` to digest, as two sorted arrays, which take little memory for a large day."""

    def __init__(self) -> None:
        self._seqs = array("Q")
        self._digests = bytearray()

    def add_entries(self, entries: Iterable[Entry]) -> None:
        """Add the events of a journal."""
        for seq, message in entries:
            self._add(seq, digest(*split_message(message)))

    def add_container(self, data: bytes) -> None:
        """Add the events of a sealed container."""
        writer = schema_of(read_header(data).schema_text)
        for datum, record in read_datums(data):
            self._add(record["seq"], digest(writer, datum))

    def find(self, seq: int) -> bytes | None:
        """The digest of the event; None where there is none."""
        at = bisect_left(self._seqs, seq)
        if at == len(self._seqs) or self._seqs[at] != seq:
            return None
        return bytes(self._digests[at * _SIZE : (at + 1) * _SIZE])

    def _add(self, seq: int, digest_: bytes) -> None:
        at = len(self._seqs) if not self._seqs or seq > self._seqs[-1] else bisect_left(self._seqs, seq)
        self._seqs.insert(at, seq)
        self._digests[at * _SIZE : at * _SIZE] = digest_
