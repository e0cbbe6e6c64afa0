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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

import fastavro

from schemas.codec import Schema, walk_of
from schemas.encoder import varint
from schemas.strict import NotToTheLetter

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAGIC: Final = b"Obj\x01"
CODEC: Final = "zstandard"
BLOCK_EVENTS: Final = 4096
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
    """What stands before the blocks: the writer's schema text, the codec, other metadata, the sync marker."""

    schema_text: str
    codec: str
    metadata: Mapping[str, str]
    sync: bytes
    size: int


@dataclass(frozen=True, slots=True)
class Block:
    """One block: where it begins, how many events it says it has, and their encoded bytes."""

    position: int
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
    for first in range(0, len(datums), BLOCK_EVENTS):
        block = datums[first : first + BLOCK_EVENTS]
        packed = zstd.compress(b"".join(block), options=_ZSTD)
        out.write(varint(len(block)) + _sized(packed) + sync)


class _Cursor:
    """Reads a container front to back; running out of bytes is a ``ContainerDamaged`` at the unit under way."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.unit = 0  # where the block (or header) under way began
        self.readable = 0

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


def _header(cursor: _Cursor) -> Header:
    if cursor.data[: len(MAGIC)] != MAGIC:
        raise cursor.damaged("no Avro container")
    cursor.take(len(MAGIC))
    entries: dict[str, str] = {}
    try:
        while count := cursor.long():
            if count < 0:  # the specification's other form: the size of the block of pairs follows
                cursor.long()
            for _ in range(abs(count)):
                key = cursor.sized().decode()
                entries[key] = cursor.sized().decode()
        schema_text = entries.pop("avro.schema")
        json.loads(schema_text)
    except (UnicodeDecodeError, KeyError, json.JSONDecodeError):
        raise cursor.damaged("the container's header cannot be read") from None
    sync = cursor.take(_SYNC_SIZE)
    return Header(schema_text, entries.pop("avro.codec", "null"), entries, sync, cursor.at)


def read_header(data: bytes) -> Header:
    """The header of a container.

    Raises:
        ContainerDamaged: it cannot be read.
    """
    return _header(_Cursor(data))


def _blocks(cursor: _Cursor) -> Iterator[Block]:
    header = _header(cursor)
    if header.codec != CODEC:
        raise cursor.damaged(f"codec {header.codec}, expected {CODEC}")
    while cursor.at < len(cursor.data):
        cursor.unit = cursor.at
        count = cursor.long()
        packed = cursor.sized()
        if cursor.take(_SYNC_SIZE) != header.sync:
            raise cursor.damaged("the block does not end with the sync marker")
        try:
            data = zstd.decompress(packed)
        except (zstd.ZstdError, MemoryError):  # a flipped size can ask for any amount
            raise cursor.damaged("the block cannot be decompressed") from None
        yield Block(cursor.unit, count, data)


def _parsed(schema_text: str) -> Any:
    try:
        return fastavro.parse_schema(json.loads(schema_text))
    except Exception as error:  # fastavro raises several unrelated types on texts that are no schema
        raise ContainerDamaged("the header's schema is none", 0) from error


def read_datums(data: bytes) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Each bare datum of a container with its record as fastavro decodes it; only decoding finds a datum's end.

    Raises:
        ContainerDamaged: at the first block that is not whole; datums of the blocks before it were given.
    """
    cursor = _Cursor(data)
    schema: Any = None
    for block in _blocks(cursor):
        if schema is None:
            schema = _parsed(read_header(data).schema_text)
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
    """Where a whole container has bytes that are no event of its schema to the letter, or None where it has none.

    fastavro reads some that other readers refuse (see ``schemas.strict``).
    """
    cursor = _Cursor(data)
    walk = walk_of(schema)
    try:
        for block in _blocks(cursor):
            at = 0
            for _ in range(block.count):
                at = walk(block.data, at)
                cursor.readable += 1
    except NotToTheLetter as error:
        return cursor.damaged(f"an event is not of its schema: {error}")
    except ContainerDamaged as damaged:
        return damaged
    return None


def first_damage(data: bytes) -> ContainerDamaged | None:
    """Where a container is damaged first, or None when every block and event of it can be read."""
    try:
        for _ in read_datums(data):
            pass
    except ContainerDamaged as damaged:
        return damaged
    return None
