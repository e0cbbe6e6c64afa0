"""Events to bytes and back: Avro single-object messages, and the registry that names schemas by fingerprint.

Source: Apache Avro specification 1.12, "Single-object encoding" and "Schema fingerprints".
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final

import fastavro
from fastavro.schema import fingerprint, to_parsing_canonical_form

from schemas.encoder import Encode, WrongType, compile_encoder, value_text
from schemas.event import Event, EventRejected, check, from_record
from schemas.plural import plural
from schemas.strict import NotToTheLetter, end_of

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
    """Every schema that events were ever written with, by fingerprint; the last one is the current one. RuntimeError where a
    file is not the one that the index pins, by the SHA-256 of its text too: the canonical form drops logical types and
    defaults."""
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
def _encoder(since: str) -> Encode:
    """Of the fields of an event from one on."""
    schema = json.loads(current().text)
    names = [field["name"] for field in schema["fields"]]
    return compile_encoder({**schema, "fields": schema["fields"][names.index(since) :]})


def encode_datum(event: Event, since: str = "table_id") -> bytes:
    """The event's bare Avro datum, or what of it begins with a field; EventRejected where it breaks the contract, or a field has
    the wrong type or is out of its bounds."""
    try:
        datum = _encoder(since)(event)
    except WrongType as wrong:
        raise EventRejected(f"{event.kind} seq {value_text(event.seq)}: {wrong}") from None
    check(event)
    return datum


def encode(event: Event) -> bytes:
    """The event as an Avro single-object message; raises as :func:`encode_datum`."""
    return sound(MARKER + current().fingerprint + encode_datum(event))


def require_to_the_letter(datum: bytes, writer: Schema) -> None:
    """Hold a datum to its schema byte by byte, else MessageUnreadable; fastavro is more lenient than other readers."""
    try:
        end = end_of(writer.parsed, datum, 0)
    except NotToTheLetter as error:
        raise MessageUnreadable(f"the datum does not fit its schema: {error}") from None
    _require_end(datum, end)


def _require_end(datum: bytes, end: int) -> None:
    if end != len(datum):
        raise MessageUnreadable(f"{plural(len(datum) - end, 'byte is', 'bytes are')} left over behind the event")


def admit(message: bytes) -> tuple[Event, bytes]:
    """The event of any producer's message, held to the whole contract, and the message as an archive keeps it.

    Avro lets a writer spell a number or a list in several ways; an archive has the one in which this program writes.

    Raises:
        MessageUnreadable, UnknownSchema: as :func:`decode`, and where the bytes are not to the letter.
        EventRejected: the event breaks the contract.
    """
    writer, datum = split_message(message)
    event = decode_datum(datum, writer)
    try:
        own = encode_datum(event)
    except EventRejected:
        require_to_the_letter(datum, writer)  # what fastavro made of a wrong byte is not what the message says
        raise
    if own != datum:
        require_to_the_letter(datum, writer)
        if writer is current():
            message = MARKER + writer.fingerprint + own
    return event, sound(message)


_last_sound: bytes = b""


def sound(message: bytes) -> bytes:
    """Remember the message that was held to the contract last; for who holds it there, and nobody else."""
    global _last_sound  # noqa: PLW0603 - one message, so that a sink need not check again what was encoded just now
    _last_sound = message
    return message


def held_to_contract(message: bytes) -> bytes:
    """A message as :func:`admit` gives and refuses it; one that it or :func:`encode` gave just now is not checked again."""
    return message if message is _last_sound else admit(message)[1]


def split_message(message: bytes) -> tuple[Schema, bytes]:
    """The writer's schema and the datum of a message.

    Raises:
        MessageUnreadable: no single-object message.
        UnknownSchema: written with a schema that the index does not hold.
    """
    if not message:
        raise MessageUnreadable("an empty message, such as deletes a key of a compacted topic, is no event")
    if message[:2] != MARKER:
        raise MessageUnreadable("no Avro single-object message: it does not begin with C3 01 and a fingerprint")
    if len(message) <= _PREFIX:
        found = plural(len(message), "byte")
        raise MessageUnreadable(f"cut off: {found}, and C3 01 and a fingerprint alone are {_PREFIX}")
    return _registered(message[2:_PREFIX]), message[_PREFIX:]


def _registered(print_: bytes) -> Schema:
    schema = registry().get(print_)
    if schema is None:
        unknown = f"schema fingerprint {print_.hex()} is not in schemas/index.json"
        raise UnknownSchema(f"{unknown}: install the version of pitaudit that wrote it, or add the writer's schema")
    return schema


def in_one_schema(messages: Collection[bytes]) -> tuple[Schema, list[bytes]]:
    """The newest schema of messages, their datums as it writes them; raises as :func:`split_message` and :func:`transcode`."""
    one_of_each = {message[:_PREFIX]: message for message in messages}
    writers = {begin: split_message(message)[0] for begin, message in one_of_each.items()}
    target = newest(writers.values())
    if len(writers) == 1:
        return target, [message[_PREFIX:] for message in messages]
    return target, [transcode(message[_PREFIX:], writers[message[:_PREFIX]], target) for message in messages]


def transcode(datum: bytes, writer: Schema, target: Schema) -> bytes:
    """The datum as ``target`` writes it, the same bytes where that is its schema; MessageUnreadable where it does not fit it."""
    if writer is target:
        return datum
    out = io.BytesIO()
    fastavro.schemaless_writer(out, target.parsed, _read_record(datum, writer, target))
    return out.getvalue()


def schema_of(text: str) -> Schema:
    """The schema of the registry that a text spells, in whatever layout; UnknownSchema where it has none such, or one with
    the same fingerprint but other logical types."""
    try:
        print_ = fingerprint_of(text)
    except Exception as error:  # fastavro raises a dozen types on texts that are no schema
        raise UnknownSchema("the header holds no schema") from error
    schema = _registered(print_)
    if schema.text != text and _logical_types(json.loads(schema.text)) != _logical_types(json.loads(text)):
        raise UnknownSchema(f"schema fingerprint {print_.hex()} is known with other logical types")
    return schema


def _logical_types(schema: Any) -> Any:
    """What the fingerprint leaves out of how a datum is read: the logical types, each in its place; None where there is none."""
    if isinstance(schema, list):
        return {place: found for place, part in enumerate(schema) if (found := _logical_types(part))} or None
    if not isinstance(schema, dict):
        return None
    own = {name: schema[name] for name in ("logicalType", "precision", "scale") if name in schema}
    inner = ((name, _logical_types(schema.get(name))) for name in ("type", "items", "values", "fields"))
    return own | {name: found for name, found in inner if found} or None


def newest(schemas: Collection[Schema]) -> Schema:
    """That of ``schemas`` which stands last in the registry: it can hold what the others wrote."""
    return next(schema for schema in reversed(registry().values()) if schema in schemas)


def _read_record(datum: bytes, writer: Schema, reader: Schema) -> dict[str, Any]:
    source = io.BytesIO(datum)
    try:
        record: Any = fastavro.schemaless_reader(source, writer.parsed, reader.parsed)
    except Exception as error:  # fastavro raises a dozen types on damaged bytes, in Python's words
        require_to_the_letter(datum, writer)
        why = "a time or a day in it is beyond the calendar, which has the years 1 to 9999"
        raise MessageUnreadable(why) from error
    _require_end(datum, source.tell())
    return record  # type: ignore[no-any-return]


def decode_datum(datum: bytes, writer: Schema) -> Event:
    """The event of a bare datum, resolved to the current schema; raises as :func:`transcode`."""
    return from_record(_read_record(datum, writer, current()))


def decode(message: bytes) -> Event:
    """The event of a single-object message; raises as :func:`split_message` and :func:`decode_datum`."""
    writer, datum = split_message(message)
    return decode_datum(datum, writer)
