"""Old files are read for ever: every schema of the index is read by the current one, and the index cannot be bent."""

import copy
import hashlib
import io
import json
from collections.abc import Callable
from importlib import resources
from typing import Any

import fastavro
import pytest
from fastavro.schema import SchemaParseException
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.codec import (
    Schema,
    UnknownSchema,
    current,
    decode_datum,
    encode_datum,
    fingerprint_of,
    newest,
    registry,
    schema_of,
    transcode,
)
from schemas.event import BODY_TYPES, CLASSES, Event
from schemas.kinds import BODIES, KINDS
from schemas.notation import parse_events
from tests.schemas.strategies import KINDS as WRITTEN
from tests.schemas.strategies import events

INDEX = json.loads((resources.files("schemas") / "index.json").read_text())


def test_the_first_schema_is_in_the_index_for_ever() -> None:
    """Whoever changes a schema adds a file and an entry; changing this one would orphan every archive written so far."""
    assert INDEX[0]["fingerprint"] == "a6b2a199da2aeb98"
    assert INDEX[0]["sha256"] == "cb954617c914cd0670dd3c8b468a12e53bc1382c0a77120f43d06c690d6ceeb9"


def test_every_entry_pins_the_fingerprint_and_the_full_text() -> None:
    for entry in INDEX:
        text = (resources.files("schemas") / entry["file"]).read_text(encoding="utf-8")
        assert fingerprint_of(text).hex() == entry["fingerprint"]
        assert hashlib.sha256(text.encode()).hexdigest() == entry["sha256"]
    assert [schema.fingerprint.hex() for schema in registry().values()] == [entry["fingerprint"] for entry in INDEX]
    assert current().fingerprint.hex() == INDEX[-1]["fingerprint"]


def test_the_fingerprint_is_the_one_of_the_specification() -> None:
    """Apache's own test data: the CRC-64-AVRO of "int" is 7275d51a3f395c8f, in a message lowest byte first."""
    assert fingerprint_of('"int"') == bytes.fromhex("7275d51a3f395c8f")[::-1]


def test_a_text_with_a_known_fingerprint_but_other_logical_types_is_refused() -> None:
    changed = current().text.replace("timestamp-micros", "timestamp-millis")
    assert fingerprint_of(changed) == current().fingerprint
    with pytest.raises(UnknownSchema, match="known with other logical types"):
        schema_of(changed)
    assert schema_of(current().text) is current()


def test_a_schema_is_known_in_whatever_layout_a_library_writes_it() -> None:
    """Without its blanks and texts for people, with names in full as fastavro gives them."""
    schema = json.loads(current().text)
    plain = {"type": "record", "name": "pitaudit.Event", "fields": fastavro.parse_schema(schema)["fields"]}
    assert schema_of(json.dumps(schema, separators=(",", ":"))) is schema_of(json.dumps(plain)) is current()


def test_the_declaration_the_schema_and_the_classes_name_the_same_things() -> None:
    fields = {field["name"]: field["type"] for field in json.loads(current().text)["fields"]}
    assert tuple(fields["kind"]["symbols"]) == KINDS
    assert tuple(name for name in fields if name in BODIES) == BODIES
    for name in BODIES:
        schema = fields[name][1]
        assert CLASSES[schema["name"]] is BODY_TYPES[name]
        assert {field["name"] for field in schema["fields"]} == set(BODY_TYPES[name].__slots__)


# Evolution


def sample_of(schema: Any, names: dict[str, Any]) -> Any:
    """A value of any type of a schema, with every nullable field set: written data that a reader must take."""
    match schema:
        case ["null", other]:
            return sample_of(other, names)
        case {"type": "record", "name": name, "fields": fields}:
            names[name] = schema
            return {field["name"]: sample_of(field["type"], names) for field in fields}
        case {"type": "enum", "symbols": symbols}:
            return symbols[-2]
        case {"type": "array", "items": items}:
            return [sample_of(items, names)] * 2
        case {"type": inner}:
            return sample_of(inner, names)
        case "string":
            return "Th"
        case _:
            return 1


def require_readable(writer: dict[str, Any], reader: dict[str, Any]) -> None:
    """Fail unless data that ``writer`` wrote is read by ``reader``: each kind and each body, by really decoding."""
    written, read = fastavro.parse_schema(copy.deepcopy(writer)), fastavro.parse_schema(copy.deepcopy(reader))
    full = sample_of(writer, {})
    bare = {name: None if isinstance(field["type"], list) else full[name] for name, field in _fields(writer).items()}
    symbols = _fields(writer)["kind"]["type"]["symbols"]
    for record in [full, bare, *(bare | {"kind": symbol} for symbol in symbols)]:
        datum = _datum(written, record)
        as_written = fastavro.schemaless_reader(io.BytesIO(datum), written, None)
        back = fastavro.schemaless_reader(io.BytesIO(datum), written, read)
        again = fastavro.schemaless_reader(io.BytesIO(_datum(read, back)), read, None)
        for became in (back, again):
            assert _agrees(as_written, became), f"{as_written} became {became}"


def _datum(schema: Any, record: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, record)
    return out.getvalue()


def _fields(schema: dict[str, Any]) -> dict[str, Any]:
    return {field["name"]: field for field in schema["fields"]}


def _agrees(written: Any, read: Any) -> bool:
    """Whether everything that was written is still there with its value and its type."""
    if isinstance(written, dict) and isinstance(read, dict):
        return all(key in read and _agrees(value, read[key]) for key, value in written.items())
    if isinstance(written, list) and isinstance(read, list):
        return len(written) == len(read) and all(map(_agrees, written, read))
    return type(written) is type(read) and bool(written == read)


@pytest.mark.parametrize("entry", INDEX, ids=lambda entry: entry["file"])
def test_the_current_schema_reads_what_every_schema_of_the_index_wrote(entry: dict[str, str]) -> None:
    writer = json.loads((resources.files("schemas") / entry["file"]).read_text())
    require_readable(writer, json.loads(current().text))


def body(schema: dict[str, Any], name: str) -> dict[str, Any]:
    nullable: list[Any] = _fields(schema)[name]["type"]
    found: dict[str, Any] = nullable[1]
    return found


def add_kind(schema: dict[str, Any]) -> None:
    _fields(schema)["kind"]["type"]["symbols"].append("DiceThrown")


def add_nullable_field(schema: dict[str, Any]) -> None:
    body(schema, "wager")["fields"].append({"name": "currency", "type": ["null", "string"], "default": None})


def widen(schema: dict[str, Any]) -> None:
    _fields(body(schema, "shoe"))["shoe"]["type"] = "long"


def add_field_without_default(schema: dict[str, Any]) -> None:
    body(schema, "wager")["fields"].append({"name": "currency", "type": "string"})


def drop_field(schema: dict[str, Any]) -> None:
    fields = body(schema, "wager")["fields"]
    fields.remove(_fields(body(schema, "wager"))["net_minor"])


def rename_field(schema: dict[str, Any]) -> None:
    _fields(body(schema, "wager"))["stake_minor"]["name"] = "stake"


def narrow(schema: dict[str, Any]) -> None:
    _fields(body(schema, "wager"))["stake_minor"]["type"] = "int"


def to_float(schema: dict[str, Any]) -> None:
    _fields(body(schema, "wager"))["stake_minor"]["type"] = "double"


def drop_kind(schema: dict[str, Any]) -> None:
    _fields(schema)["kind"]["type"]["symbols"].remove("CardBurned")


def rename_body(schema: dict[str, Any]) -> None:
    body(schema, "card")["name"] = "PlayingCard"


def change_unit_of_time(schema: dict[str, Any]) -> None:
    _fields(schema)["at"]["type"]["logicalType"] = "timestamp-millis"


def require_a_body(schema: dict[str, Any]) -> None:
    _fields(schema)["remark"].update(type=body(schema, "remark"), default={"cause": "", "refers_to": None})


def changed(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(current().text)
    change(schema)
    return schema


@pytest.mark.parametrize("change", [add_kind, add_nullable_field, widen])
def test_a_compatible_change_would_pass(change: Callable[[dict[str, Any]], None]) -> None:
    require_readable(json.loads(current().text), changed(change))


@pytest.mark.parametrize(
    "change",
    [
        add_field_without_default,
        drop_field,
        rename_field,
        narrow,
        to_float,
        drop_kind,
        rename_body,
        change_unit_of_time,
        require_a_body,
    ],
)
def test_a_change_whose_readers_could_not_read_old_files_would_fail(change: Callable[[dict[str, Any]], None]) -> None:
    with pytest.raises(
        (AssertionError, SchemaParseException, fastavro.read.SchemaResolutionError, ValueError, TypeError)
    ):
        require_readable(json.loads(current().text), changed(change))


# Older writers


def test_a_kind_that_this_program_does_not_know_is_read_as_unknown(older_schema: Schema) -> None:
    """A message of a later program: here the older schema reads the current one's new kind."""
    event = next(parse_events("failed:shuffler"))
    record = fastavro.schemaless_reader(io.BytesIO(encode_datum(event)), current().parsed, older_schema.parsed)
    assert isinstance(record, dict)
    assert record["kind"] == "Unknown"


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_every_event_keeps_its_datum_under_its_own_schema(data: st.DataObject) -> None:
    event = data.draw(events(data.draw(st.sampled_from(WRITTEN))))
    assert transcode(encode_datum(event), current(), current()) == encode_datum(event)


def test_events_of_an_older_schema_are_resolved(older_schema: Schema) -> None:
    assert newest([older_schema, current()]) is current()
    assert newest([older_schema]) is older_schema
    event = next(parse_events("#1 1.main=100@p7"))
    older = transcode(encode_datum(event), current(), older_schema)
    assert older != encode_datum(event)
    assert decode_datum(older, older_schema) == event
    assert transcode(older, older_schema, current()) == encode_datum(event)
    assert isinstance(event, Event)
