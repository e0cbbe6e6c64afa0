"""No value beyond the contract's bounds is written, and no message of another program that breaks the contract is taken."""

import datetime as dt
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from schemas.bounds import DAYS, FIRST_DAY, LAST_DAY, LISTS, NUMBERS, TEXTS
from schemas.codec import MARKER, MessageUnreadable, Schema, admit, current, encode, encode_datum
from schemas.encoder import varint
from schemas.event import Chips, Denomination, Event, EventRejected, Remark, Table
from schemas.kinds import KINDS
from tests.odd import foreign_datum
from tests.schemas.sound import DAY, EVENT, HOLDERS


def with_value(path: str, value: Any) -> Event:
    """An event that has the value at a path and is sound otherwise."""
    parts = path.split(".")
    if len(parts) == 1:
        return replace(EVENT, **{path: value})
    event = HOLDERS[parts[0]]
    body = getattr(event, parts[0])
    if len(parts) == 3:
        return replace(event, chips=replace(body, denominations=(replace(body.denominations[0], **{parts[2]: value}),)))
    return replace(event, **{parts[0]: replace(body, **{parts[1]: value})})


def fields_of(schema: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every field of a schema by its path, with its plain type."""
    match schema:
        case {"type": "record", "fields": fields}:
            for field in fields:
                yield from fields_of(field["type"], f"{path}.{field['name']}" if path else field["name"])
        case ["null", other]:
            yield from fields_of(other, path)
        case {"type": "array", "items": items}:
            yield path, "list"
            yield from fields_of(items, path)
        case {"logicalType": "date"}:
            yield path, "date"
        case {"type": plain} | plain:
            yield path, plain


def test_no_number_text_day_or_list_of_the_schema_is_without_bounds() -> None:
    declared = list(fields_of(json.loads(current().text)))
    bounded = {"int": NUMBERS, "long": NUMBERS, "string": TEXTS, "date": DAYS, "list": LISTS}
    cards = {"card.card"}  # held to the names of cards
    assert {path for path, plain in declared if plain != "enum"} - cards == {*NUMBERS, *TEXTS, *DAYS, *LISTS}
    assert all(path in bounded[plain] for path, plain in declared if plain != "enum" and path not in cards)


@pytest.mark.parametrize("path", NUMBERS)
def test_a_number_is_taken_at_its_bounds_and_refused_beyond(path: str) -> None:
    least, most = NUMBERS[path]
    for value in (least, most):
        encode(with_value(path, value))
    for value in (least - 1, most + 1, -(2**63), 2**63 - 1, 10**5000):
        with pytest.raises(EventRejected, match=f"{path} is .*; it is {least} to {most}"):
            encode(with_value(path, value))


@pytest.mark.parametrize("path", TEXTS)
def test_a_text_is_taken_at_its_length_and_refused_beyond(path: str) -> None:
    encode(with_value(path, "葡" * TEXTS[path]))
    with pytest.raises(EventRejected, match=f"{path} has {TEXTS[path] + 1} characters"):
        encode(with_value(path, "x" * (TEXTS[path] + 1)))


@pytest.mark.parametrize("path", DAYS)
def test_a_day_at_the_end_of_the_calendar_is_refused(path: str) -> None:
    for day in (FIRST_DAY, LAST_DAY):
        encode(with_value(path, day))
    for day in (dt.date.min, dt.date.max):
        with pytest.raises(EventRejected, match=path):
            encode(with_value(path, day))


def test_a_count_of_chips_has_no_more_denominations_than_the_contract_allows() -> None:
    one = Denomination(1, 1)
    encode(with_value("chips.denominations", (one,) * LISTS["chips.denominations"]))
    with pytest.raises(EventRejected, match=r"chips\.denominations has 1001 entries"):
        encode(with_value("chips.denominations", (one,) * 1001))


@pytest.mark.parametrize(
    "kind", ["TableOpened", "TableClosed", "ChipsFilled", "ChipsCredited", "CashBoughtIn", "DropCounted", "SlipVoided"]
)
def test_no_count_and_no_slip_below_zero_is_written(kind: str) -> None:
    table = Table("g", "MOP", 7) if kind == "TableOpened" else None
    remark = Remark("c") if kind == "SlipVoided" else None
    encode(Event("T1", 1, 0, DAY, kind, table=table, chips=Chips(0, "F1"), remark=remark))
    with pytest.raises(EventRejected, match=r"chips\.amount_minor is -1"):
        encode(Event("T1", 1, 0, DAY, kind, table=table, chips=Chips(-1, "F1"), remark=remark))


# Messages of other programs


def altered(before: bytes, after: bytes) -> bytes:
    datum = encode_datum(EVENT)
    assert datum.count(before) == 1
    return MARKER + current().fingerprint + datum.replace(before, after)


KIND = varint(KINDS.index("CardDealt")) + b"\x00\x00\x00\x02"  # no table, option or shoe; a card
FACE = b"\x04Th\x02\x00"


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (altered(KIND, varint(-1) + KIND[1:]), "kind: index -1"),
        (altered(KIND, KIND[:-1] + varint(-1)), "card: index -1"),
        (altered(FACE, b"\x04Th\x02\x01"), "card: face: index -1"),
        (altered(FACE, b"\x04Th\x01\x00"), "card: face: index -1"),
    ],
)
def test_a_number_below_zero_is_no_kind_no_face_and_no_body(message: bytes, field: str) -> None:
    """fastavro counts them from the end; polars-avro does not read them, which stopped a whole archive."""
    with pytest.raises(MessageUnreadable, match=field):
        admit(message)


def test_a_number_that_another_program_spells_at_length_is_kept_as_we_write_it() -> None:
    long_winded = altered(b"\x04T1", b"\x84\x00T1")
    assert admit(long_winded) == (EVENT, encode(EVENT))


def test_a_list_that_another_program_writes_in_sized_blocks_is_kept_as_we_write_it() -> None:
    event = HOLDERS["chips"]
    ours = encode(event)
    assert ours.count(b"\x02\x02\x02\x00") == 1  # one block of one value, its end
    sized = ours.replace(b"\x02\x02\x02\x00", varint(-1) + varint(2) + b"\x02\x02\x00")
    assert admit(sized) == (event, ours)
    for size in (0, 1, 3, -2):  # who skips the block by it would read another event
        with pytest.raises(MessageUnreadable, match=f"chips: denominations: the block .* has 2 bytes, it says {size}"):
            admit(sized.replace(varint(-1) + varint(2), varint(-1) + varint(size)))


@pytest.mark.parametrize("cut", range(10, len(encode(EVENT))))
def test_a_message_that_is_cut_off_is_not_taken(cut: int) -> None:
    with pytest.raises(MessageUnreadable):
        admit(encode(EVENT)[:cut])


@pytest.mark.parametrize(("path", "value"), [("seq", 2**40), ("round", -1), ("card.seat", 256), ("card.hand", 26)])
def test_a_message_beyond_the_bounds_is_not_taken(path: str, value: int) -> None:
    with pytest.raises(EventRejected, match=path.replace(".", r"\.")):
        admit(_unchecked(with_value(path, value)))


def test_a_message_of_an_unknown_kind_is_not_taken() -> None:
    with pytest.raises(EventRejected, match="'Unknown' is no kind of event"):
        admit(_unchecked(Event("T1", 1, 0, DAY, "Unknown")))


def test_a_message_under_an_older_schema_is_held_to_the_contract_and_kept_as_it_came(older_schema: Schema) -> None:
    assert admit(_unchecked(EVENT, older_schema)) == (EVENT, _unchecked(EVENT, older_schema))
    with pytest.raises(EventRejected, match="seq is 0"):
        admit(_unchecked(replace(EVENT, seq=0), older_schema))


def _unchecked(event: Event, schema: Schema | None = None) -> bytes:
    written = schema or current()
    return MARKER + written.fingerprint + foreign_datum(event, written)
