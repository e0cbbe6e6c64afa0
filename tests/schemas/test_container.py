"""Our containers are ordinary Avro: three independent readers see the same values; equal input gives equal bytes."""

import io
from typing import Any

import avro.datafile
import avro.io
import fastavro
import polars_avro
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.codec import Schema, current, decode_datum, encode_datum
from schemas.container import (
    BLOCK_EVENTS,
    MAGIC,
    ContainerDamaged,
    first_damage,
    read_datums,
    read_header,
    write_container,
)
from schemas.encoder import varint
from schemas.event import Event
from schemas.notation import parse_events
from tests.bits import flipped_bit
from tests.schemas.strategies import events

IDENTITY = {"table_id": "T1", "gaming_day": "2026-01-05"}


def container(listed: list[Event], metadata: dict[str, str] | None = None) -> bytes:
    out = io.BytesIO()
    write_container(out, current(), [encode_datum(event) for event in listed], metadata or IDENTITY)
    return out.getvalue()


def plain(value: Any) -> Any:
    """A value as all readers can give it: no tuples, no classes."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


@given(st.lists(events(), max_size=20))
@settings(max_examples=50, deadline=None)
def test_fastavro_apache_avro_and_polars_read_the_same_values(listed: list[Event]) -> None:
    data = container(listed)
    by_fastavro = plain(list(fastavro.reader(io.BytesIO(data))))
    by_avro = plain(list(avro.datafile.DataFileReader(io.BytesIO(data), avro.io.DatumReader())))
    assert by_fastavro == by_avro
    assert len(by_fastavro) == len(listed)
    if listed:
        by_polars = plain(polars_avro.read_avro(io.BytesIO(data)).to_dicts())
        assert by_polars == by_fastavro
    assert [decode_datum(datum, current()) for datum, _ in read_datums(data)] == listed


def test_equal_input_gives_equal_bytes_and_another_identity_another_marker() -> None:
    listed = list(parse_events("#1 1.main=100 1+9c end"))
    assert container(listed) == container(listed)
    ours, other = read_header(container(listed)), read_header(container(listed, IDENTITY | {"table_id": "T2"}))
    assert ours.sync != other.sync
    assert dict(ours.metadata) == IDENTITY
    assert (ours.codec, ours.schema_text) == ("zstandard", current().text)


def test_a_header_may_say_how_many_bytes_its_entries_take_as_the_specification_lets_it() -> None:
    listed = list(parse_events("#1 1.main=100 1+9c end"))
    ours = container(listed)
    header = read_header(ours)
    entries = {"avro.schema": header.schema_text, "avro.codec": header.codec, **header.metadata}
    texts = [text.encode() for entry in entries.items() for text in entry]
    pairs = b"".join(varint(len(text)) + text for text in texts)
    sized = MAGIC + varint(-len(entries)) + varint(len(pairs)) + pairs + varint(0) + header.sync + ours[header.size :]
    assert list(fastavro.reader(io.BytesIO(sized))) == list(fastavro.reader(io.BytesIO(ours)))
    assert read_header(sized).metadata == header.metadata
    assert [decode_datum(datum, current()) for datum, _ in read_datums(sized)] == listed


@pytest.mark.parametrize("count", [0, 1, BLOCK_EVENTS - 1, BLOCK_EVENTS, BLOCK_EVENTS + 1, 2 * BLOCK_EVENTS])
def test_blocks_hold_a_fixed_number_of_events(count: int) -> None:
    event = next(parse_events("#1 1+9c"))
    reader = fastavro.block_reader(io.BytesIO(container([event] * count)))
    counts = [block.num_records for block in reader]
    assert counts == [BLOCK_EVENTS] * (count // BLOCK_EVENTS) + ([count % BLOCK_EVENTS] if count % BLOCK_EVENTS else [])


def test_whole_containers_show_no_damage_and_every_cut_but_those_between_blocks_does() -> None:
    data = container(list(parse_events("#1 " + "1+9c " * 50)))
    header = read_header(data).size
    assert first_damage(data) is None
    for size in range(len(data)):
        found = first_damage(data[:size])
        if size == header:
            assert found is None
            continue
        assert found is not None
        assert found.readable == 0
        assert found.position == (0 if size < header else header)


def test_every_flipped_bit_of_a_block_shows_unless_it_means_nothing() -> None:
    """Zstandard has bits that no reader looks at, one in each frame's header (RFC 8878, 3.1.1.1.1.3) and some padding."""
    data = container(list(parse_events("#1 " + "1+9c " * 50)))
    header = read_header(data).size
    whole = list(read_datums(data))
    silent = 0
    for bit in range(header * 8, len(data) * 8):
        other = flipped_bit(data, bit)
        if first_damage(other) is None:
            silent += 1
            assert list(read_datums(other)) == whole
    assert 1 <= silent < 16


@given(st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_a_container_or_damaged(data: bytes) -> None:
    for candidate in (data, b"Obj\x01" + data, container([])[:-20] + data):
        damaged = first_damage(candidate)
        assert damaged is None or isinstance(damaged, ContainerDamaged)


def test_a_container_of_an_older_schema_names_that_schema(older_schema: Schema) -> None:
    out = io.BytesIO()
    write_container(out, older_schema, [], IDENTITY)
    assert read_header(out.getvalue()).schema_text == older_schema.text
