"""Events to bytes and back: Avro single-object messages, and the registry that names schemas by fingerprint.

Source: Apache Avro specification 1.12, "Single-object encoding" and "Schema fingerprints".
"""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

import fastavro
from fastavro.schema import fingerprint, to_parsing_canonical_form
from fastavro.validation import validate

from schemas.event import Event, EventRejected, check, from_record, to_record

MARKER: Final = b"\xc3\x01"
_PREFIX: Final = len(MARKER) + 8


class MessageUnreadable(ValueError):
    """The bytes are no event; the message says why."""


class UnknownSchema(MessageUnreadable):
    """The fingerprint is not in the index kept with the schemas."""


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema of the registry: its eight-byte fingerprint (as on the wire) and its parsed form."""

    fingerprint: bytes
    parsed: Any
    text: str


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


def encode_datum(event: Event) -> bytes:
    """The event's bare Avro datum, after every check of the contract.

    Raises:
        EventRejected: the event breaks the contract or a field has the wrong type.
    """
    check(event)
    record = to_record(event)
    schema = current().parsed
    # fastavro's strict writer still truncates 1.5 to 1; its validator catches that, and only that needs both.
    if not validate(record, schema, raise_errors=False):
        raise EventRejected(f"{event.kind} seq {event.seq}: a field has the wrong type: {_first_fault(record, schema)}")
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, record)
    return out.getvalue()


def _first_fault(record: dict[str, Any], schema: Any) -> str:
    try:
        validate(record, schema, raise_errors=True)
    except Exception as error:  # fastavro's own error type carries the text that we pass on
        return str(error).splitlines()[0][:200]
    return "unknown"


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


def decode_datum(datum: bytes, writer: Schema) -> Event:
    """The event of a bare datum, resolved to the current schema.

    Raises:
        MessageUnreadable: the datum does not fit its schema, or bytes are left over.
    """
    source = io.BytesIO(datum)
    try:
        record = fastavro.schemaless_reader(source, writer.parsed, current().parsed)
        if source.tell() != len(datum):
            raise MessageUnreadable(f"{len(datum) - source.tell()} bytes are left over behind the event")
        return from_record(record)  # type: ignore[arg-type]
    except MessageUnreadable:
        raise
    except Exception as error:  # fastavro raises a dozen types on damaged bytes; all mean the same here
        raise MessageUnreadable(f"the datum does not fit its schema: {type(error).__name__}: {error}") from error


def decode(message: bytes) -> Event:
    """The event of a single-object message.

    Raises:
        MessageUnreadable, UnknownSchema: as :func:`split_message` and :func:`decode_datum`.
    """
    writer, datum = split_message(message)
    return decode_datum(datum, writer)
