"""Events to bytes and back: Avro single-object messages, and the registry that names schemas by fingerprint.

Source: Apache Avro specification 1.12, "Single-object encoding" and "Schema fingerprints".
"""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final, NamedTuple

import fastavro
from fastavro.schema import fingerprint, to_parsing_canonical_form

from schemas.encoder import Encode, WrongType, compile_encoder
from schemas.event import CLASSES, Event, EventRejected, check, from_record

MARKER: Final = b"\xc3\x01"
_PREFIX: Final = len(MARKER) + 8


class MessageUnreadable(ValueError):
    """The bytes are no event; the message says why."""


class UnknownSchema(MessageUnreadable):
    """The fingerprint is not in the index kept with the schemas."""


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """A schema of the registry: its eight-byte fingerprint (as on the wire), its parsed form and its text."""

    fingerprint: bytes
    parsed: Any
    text: str

    @property
    def sha256(self) -> str:
        """Digest of the schema's full text, which the fingerprint does not cover (logical types, defaults)."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@lru_cache(maxsize=16)
def fingerprint_of(text: str) -> bytes:
    """CRC-64-AVRO of the schema's parsing canonical form, little-endian as in a message."""
    return bytes.fromhex(fingerprint(to_parsing_canonical_form(json.loads(text)), "CRC-64-AVRO"))


@cache
def registry() -> dict[bytes, Schema]:
    """Every schema that events were ever written with, by fingerprint; the last one listed is the current one.

    Raises:
        RuntimeError: a schema file that is not the one the index names: the canonical form drops logical types and
            defaults, so the index also pins the SHA-256 of the full text.
    """
    folder = resources.files("schemas")
    schemas: dict[bytes, Schema] = {}
    for entry in json.loads((folder / "index.json").read_text(encoding="utf-8")):
        text = (folder / entry["file"]).read_text(encoding="utf-8")
        print_ = fingerprint_of(text)
        if print_.hex() != entry["fingerprint"] or hashlib.sha256(text.encode()).hexdigest() != entry["sha256"]:
            raise RuntimeError(f"schemas/{entry['file']} is not the schema that schemas/index.json names")
        schemas[print_] = Schema(print_, fastavro.parse_schema(json.loads(text)), text)
    return schemas


@cache
def current() -> Schema:
    """The schema that this program writes."""
    return list(registry().values())[-1]


@cache
def _encoder() -> Encode:
    return compile_encoder(json.loads(current().text), CLASSES)


def encode_datum(event: Event) -> bytes:
    """The event's bare Avro datum, after every check of the contract.

    Raises:
        EventRejected: the event breaks the contract or a field has the wrong type.
    """
    try:
        datum = _encoder()(event)
    except WrongType as wrong:
        raise EventRejected(f"{event.kind} seq {event.seq}: {wrong}") from None
    check(event)
    return datum


def encode(event: Event) -> bytes:
    """The event as an Avro single-object message.

    Raises:
        EventRejected: as :func:`encode_datum`.
    """
    return MARKER + current().fingerprint + encode_datum(event)


def split_message(message: bytes) -> tuple[Schema, bytes]:
    """The writer's schema and the datum of a message.

    Raises:
        MessageUnreadable: no single-object message.
        UnknownSchema: written with a schema that the index does not hold.
    """
    if message[:2] != MARKER or len(message) <= _PREFIX:
        raise MessageUnreadable("no Avro single-object message: it does not begin with C3 01 and a fingerprint")
    print_ = message[2:_PREFIX]
    schema = registry().get(print_)
    if schema is None:
        raise UnknownSchema(f"schema fingerprint {print_.hex()} is not in schemas/index.json: add the writer's schema")
    return schema, message[_PREFIX:]


def transcode(datum: bytes, writer: Schema, target: Schema) -> bytes:
    """The datum as ``target`` writes it; the very same bytes where ``target`` is the writer's schema.

    Raises:
        MessageUnreadable: the datum does not fit its schema, or bytes are left over.
    """
    if writer is target:
        return datum
    out = io.BytesIO()
    fastavro.schemaless_writer(out, target.parsed, _read_record(datum, writer, target))
    return out.getvalue()


def schema_of(text: str) -> Schema:
    """The schema of the registry with this very text.

    Raises:
        UnknownSchema: there is none, or one with the same fingerprint but another text.
    """
    print_ = fingerprint_of(text)
    schema = registry().get(print_)
    if schema is None:
        raise UnknownSchema(f"schema fingerprint {print_.hex()} is not in schemas/index.json: add the writer's schema")
    if schema.text != text:
        raise UnknownSchema(f"schema fingerprint {print_.hex()} is known with another text: logical types may differ")
    return schema


def newest(schemas: Collection[Schema]) -> Schema:
    """That of ``schemas`` which stands last in the registry: it can hold what the others wrote."""
    return next(schema for schema in reversed(registry().values()) if schema in schemas)


def _read_record(datum: bytes, writer: Schema, reader: Schema) -> dict[str, Any]:
    source = io.BytesIO(datum)
    try:
        record: Any = fastavro.schemaless_reader(source, writer.parsed, reader.parsed)
    except Exception as error:  # fastavro raises a dozen types on damaged bytes; all mean the same here
        raise MessageUnreadable(f"the datum does not fit its schema: {type(error).__name__}: {error}") from error
    if source.tell() != len(datum):
        raise MessageUnreadable(f"{len(datum) - source.tell()} bytes are left over behind the event")
    return record  # type: ignore[no-any-return]


def decode_datum(datum: bytes, writer: Schema) -> Event:
    """The event of a bare datum, resolved to the current schema.

    Raises:
        MessageUnreadable: the datum does not fit its schema, or bytes are left over.
    """
    return from_record(_read_record(datum, writer, current()))


class Envelope(NamedTuple):
    """What an archive must know of a message to put it in its place."""

    table_id: str
    seq: int
    gaming_day: dt.date
    kind: str


def envelope(message: bytes) -> Envelope:
    """The envelope of a message whose every field was decoded; five times faster than :func:`decode`.

    Raises:
        MessageUnreadable, UnknownSchema: as :func:`decode`.
    """
    writer, datum = split_message(message)
    record = _read_record(datum, writer, current())
    return Envelope(record["table_id"], record["seq"], record["gaming_day"], record["kind"])


def decode(message: bytes) -> Event:
    """The event of a single-object message.

    Raises:
        MessageUnreadable, UnknownSchema: as :func:`split_message` and :func:`decode_datum`.
    """
    writer, datum = split_message(message)
    return decode_datum(datum, writer)
