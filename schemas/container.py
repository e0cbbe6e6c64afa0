"""Avro object containers out of events that are encoded already, and back into their blocks.

The bytes of a container depend on nothing but what it holds: the sync marker, random in other writers, is derived from
the container's metadata. So a table-day gives the same file whether it was recorded here or came through Kafka.

Source: Apache Avro specification 1.12, "Object container files".
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, BinaryIO, Final

import fastavro

from schemas.codec import Schema, UnknownSchema, schema_of
from schemas.encoder import varint
from schemas.strict import NotToTheLetter, end_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAGIC: Final = b"Obj\x01"
CODEC: Final = "zstandard"
BLOCK_EVENTS: Final = 4096
BLOCK_BYTES: Final = 16 << 20
"""A block ends before its events, unpacked, are more; unless it has only one."""
MOST_BLOCK: Final = 64 << 20
"""Bytes of the events of a block, unpacked, and so of an event."""
MOST_UNPACKED: Final = 512 << 20
"""Bytes of all events of a container, unpacked, some seven million: what unpacks to more is no table-day."""
_MOST_ENTRIES: Final = 64
_MOST_SCHEMA: Final = 1 << 18
_SYNC_SIZE: Final = 16
# Zstandard's own checksum lets a reader name the block in which a bit was flipped.
_ZSTD: Final[dict[int, int]] = {
    zstd.CompressionParameter.compression_level: 3,
    zstd.CompressionParameter.checksum_flag: 1,
}


class ContainerDamaged(ValueError):
    """The bytes are no whole container; ``position`` is where it shows, ``readable`` counts the events before it."""

    def __init__(self, what: str, position: int, readable: int = 0) -> None:
        super().__init__(f"{what} at byte {position}, after {readable} readable events")
        self.what = what
        self.position = position
        self.readable = readable


@dataclass(frozen=True, slots=True)
class Header:
    """What stands before the blocks: the writer's schema text, the codec, other metadata, the sync marker; and its bytes."""

    schema_text: str
    codec: str
    metadata: Mapping[str, str]
    sync: bytes
    size: int


@dataclass(frozen=True, slots=True)
class Block:
    """One block: how many events it says it has, and their encoded bytes."""

    count: int
    data: bytes


def _sized(data: bytes) -> bytes:
    return varint(len(data)) + data


def write_container(out: BinaryIO, schema: Schema, datums: Sequence[bytes], metadata: Mapping[str, str]) -> None:
    """Write a whole container of bare datums of ``schema``. Equal arguments give equal bytes."""
    entries = {"avro.schema": schema.text, "avro.codec": CODEC, **metadata}
    named = json.dumps(entries, sort_keys=True, ensure_ascii=True)
    sync = hashlib.sha256(named.encode()).digest()[:_SYNC_SIZE]
    pairs = b"".join(_sized(key.encode()) + _sized(value.encode()) for key, value in entries.items())
    out.write(MAGIC + varint(len(entries)) + pairs + varint(0) + sync)
    for block in _in_blocks(datums):
        packed = zstd.compress(b"".join(block), options=_ZSTD)
        out.write(varint(len(block)) + _sized(packed) + sync)


def _in_blocks(datums: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    first = 0
    while first < len(datums):
        block = datums[first : first + BLOCK_EVENTS]
        fits = bisect_right([*accumulate(map(len, block))], BLOCK_BYTES)
        yield block[: max(1, fits)]
        first += max(1, fits)


class _Cursor:
    """Reads a container front to back, its header at once; where its bytes end, ContainerDamaged at the unit under way."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.unit = 0  # where the block (or header) under way began
        self.readable = 0
        self.header = self._header()

    def damaged(self, what: str) -> ContainerDamaged:
        return ContainerDamaged(what, self.unit, self.readable)

    def take(self, size: int) -> bytes:
        end = self.at + size
        if size < 0 or end > len(self.data):
            raise self.damaged("cut off")
        taken = self.data[self.at : end]
        self.at = end
        return taken

    def long(self) -> int:
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value >> 1 ^ -(value & 1)
            shift += 7
            if shift > 63:
                raise self.damaged("no number where one must stand")

    def sized(self) -> bytes:
        return self.take(self.long())

    def _header(self) -> Header:
        if self.data[: len(MAGIC)] != MAGIC:
            raise self.damaged("no Avro container")
        self.take(len(MAGIC))
        entries: dict[str, str] = {}
        pairs = 0
        try:
            while count := self.long():
                if count < 0:  # the specification's other form: the size of the block of pairs follows
                    self.long()
                for _ in range(abs(count)):
                    key = self.sized().decode()
                    entries[key] = self.sized().decode()
                    pairs += 1
                    if pairs > _MOST_ENTRIES:
                        raise self.damaged(f"the container's header has more than {_MOST_ENTRIES} entries")
            schema_text = entries.pop("avro.schema")
            if len(schema_text) > _MOST_SCHEMA:
                raise self.damaged(f"the header's schema has {len(schema_text)} characters, more than {_MOST_SCHEMA}")
            json.loads(schema_text)
        except ContainerDamaged:
            raise
        except (KeyError, ValueError, RecursionError):  # a text that is no UTF-8 or no JSON is a ValueError
            raise self.damaged("the container's header cannot be read") from None
        sync = self.take(_SYNC_SIZE)
        return Header(schema_text, entries.pop("avro.codec", "null"), entries, sync, self.at)

    def block(self) -> tuple[int, bytes, bytes]:
        """The block that begins here: the number of events that it says it has, its packed bytes, its sync marker."""
        self.unit = self.at
        return self.long(), self.sized(), self.take(_SYNC_SIZE)


def read_header(data: bytes) -> Header:
    """The header of a container; ContainerDamaged where it cannot be read."""
    return _Cursor(data).header


def _blocks(cursor: _Cursor) -> Iterator[Block]:
    if cursor.header.codec != CODEC:
        raise cursor.damaged(f"codec {cursor.header.codec}, expected {CODEC}")
    room = MOST_UNPACKED
    while cursor.at < len(cursor.data):
        count, packed, sync = cursor.block()
        if sync != cursor.header.sync:
            raise cursor.damaged("the block does not end with the sync marker")
        if not 0 <= count <= BLOCK_EVENTS:
            raise cursor.damaged(f"the block says that it has {count} events, none has more than {BLOCK_EVENTS}")
        try:
            data = _unpacked(packed, min(room, MOST_BLOCK))
        except (zstd.ZstdError, MemoryError):  # a flipped size can ask for any amount
            raise cursor.damaged("the block cannot be decompressed") from None
        if data is None:
            most = f"{MOST_BLOCK} bytes" if room >= MOST_BLOCK else f"what is left of {MOST_UNPACKED} bytes in all"
            raise cursor.damaged(f"the block unpacks to more than {most}")
        if count > len(data):  # an event has a byte at least
            raise cursor.damaged(f"the block says that it has {count} events, and has {len(data)} bytes")
        room -= len(data)
        yield Block(count, data)


def _unpacked(packed: bytes, most: int) -> bytes | None:
    """What Zstandard frames unpack to; None where that is more than ``most`` bytes, whatever the frames say."""
    data = b""
    while True:
        unpacker = zstd.ZstdDecompressor()
        data += unpacker.decompress(packed, most - len(data) + 1)
        if len(data) > most:
            return None
        if not unpacker.eof:
            raise zstd.ZstdError("a frame is cut off")
        packed = unpacker.unused_data
        if not packed:
            return data


def read_blocks(data: bytes) -> Iterator[Block]:
    """The blocks of a container, unpacked, not decoded; ContainerDamaged at one that is not whole, or has impossible claims."""
    return _blocks(_Cursor(data))


def numbers_in(block: Block, schema: Schema) -> Iterator[int]:
    """The ``seq`` of every event of a block."""
    source = io.BytesIO(block.data)
    for _ in range(block.count):
        record: Any = fastavro.schemaless_reader(source, schema.parsed, None)
        yield record["seq"]


def in_pieces(data: bytes, events: int) -> Iterator[bytes]:
    """A container as several, in order: each has whole blocks of it, with ``events`` events or a block more. Nothing is unpacked:
    who decodes one after the other needs room for one only. ContainerDamaged where the lengths of its blocks lead nowhere."""
    cursor = _Cursor(data)
    begin = cursor.header.size
    begun = held = 0
    while cursor.at < len(data):
        begun = begun or cursor.at
        held += cursor.block()[0]
        if held >= events:
            yield data[:begin] + data[begun : cursor.at]
            begun = held = 0
    if begun or cursor.at == begin:
        yield data[:begin] + data[begun or cursor.at :]


def in_one(containers: Sequence[bytes]) -> bytes:
    """Whole containers of one schema as a single one with all their blocks, in order, and the metadata of the first. Nothing is
    unpacked: who decodes many small ones pays for the schema once."""
    first = read_header(containers[0])
    made = bytearray(containers[0][: first.size])
    for data in containers:
        cursor = _Cursor(data)
        while cursor.at < len(data):
            cursor.block()
            made += data[cursor.unit : cursor.at - _SYNC_SIZE] + first.sync
    return bytes(made)


def read_datums(data: bytes) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Each bare datum of a container with its record as fastavro decodes it; only decoding finds a datum's end. ContainerDamaged
    at the first block that is not whole, when datums of the blocks before it were given; or where its schema is not in the
    registry: another one can claim any number of events in no bytes at all."""
    cursor = _Cursor(data)
    try:
        schema = schema_of(cursor.header.schema_text).parsed
    except UnknownSchema as error:
        raise ContainerDamaged(str(error), 0) from error
    for block in _blocks(cursor):
        source = io.BytesIO(block.data)
        found: list[tuple[bytes, dict[str, Any]]] = []
        try:
            for _ in range(block.count):
                start = source.tell()
                record: Any = fastavro.schemaless_reader(source, schema, None)
                found.append((block.data[start : source.tell()], record))
        except Exception as error:  # fastavro raises a dozen types on damaged bytes; all mean the same here
            raise cursor.damaged(f"the block's events cannot be read: {type(error).__name__}") from error
        if source.tell() != len(block.data):
            raise cursor.damaged("the block has bytes behind its last event")
        yield from found
        cursor.readable += block.count


def first_stray(data: bytes, schema: Schema) -> ContainerDamaged | None:
    """Where a whole container has bytes that are no event of its schema to the letter (``schemas.strict``); None where it has
    none."""
    try:
        cursor = _Cursor(data)
        for block in _blocks(cursor):
            at = 0
            for _ in range(block.count):
                at = end_of(schema.parsed, block.data, at)
                cursor.readable += 1
    except NotToTheLetter as error:
        return cursor.damaged(f"an event is not of its schema: {error}")
    except ContainerDamaged as damaged:
        return damaged
    return None


def first_damage(data: bytes, most_events: int | None = None) -> ContainerDamaged | None:
    """Where a container is damaged first, up to one block behind ``most_events``; None where all of it can be read."""
    try:
        for number, _ in enumerate(read_datums(data)):
            if number == most_events:
                break
    except ContainerDamaged as damaged:
        return damaged
    return None
