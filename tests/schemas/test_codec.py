"""Every event that the contract takes comes back the same; everything else is refused with the field's name."""

import dataclasses
import datetime as dt
import io
import json
from typing import Any

import fastavro
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.codec import (
    MARKER,
    MessageUnreadable,
    UnknownSchema,
    admit,
    current,
    decode,
    encode,
    encode_datum,
    transcode,
)
from schemas.encoder import compile_encoder, varint
from schemas.event import CardAt, Chips, Decision, Denomination, Event, EventRejected, Wager
from schemas.kinds import BODIES, KINDS, SHAPES
from schemas.strict import end_of
from tests.odd import as_record
from tests.schemas.sound import DAY, EVENT, HOLDERS
from tests.schemas.strategies import ALWAYS, INT, LONG, events


@given(events())
@settings(max_examples=500, deadline=None)
def test_the_bytes_are_those_that_fastavro_writes(event: Event) -> None:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, current().parsed, as_record(event), strict=True)
    assert encode_datum(event) == out.getvalue()


@given(events())
@settings(max_examples=500, deadline=None)
def test_an_event_comes_back_the_same(event: Event) -> None:
    message = encode(event)
    assert message[:10] == MARKER + current().fingerprint
    assert decode(message) == event
    assert admit(message) == (event, message)


@given(st.one_of(INT, LONG))
@example(1 << 13)
@example(1 << 27)
def test_a_varint_is_the_one_that_fastavro_writes(value: int) -> None:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, "long", value)
    assert varint(value) == out.getvalue()


# Types


WRONG: dict[type, list[object]] = {
    int: [1.5, 1.0, True, False, "1", b"1", dt.date(2026, 1, 5), [1], 2**63, -(2**63) - 1],
    str: [1, 1.5, True, b"x", "\ud800", ["x"], DAY],
    dt.date: [1, 1.5, True, "2026-01-05", dt.datetime(2026, 1, 5, tzinfo=dt.UTC)],
    tuple: [1, "x", [Denomination(1, 1)], (1,), (Denomination(1.5, 1),), (Denomination(1, True),), ({},)],  # type: ignore[arg-type]
}


def wrong_values() -> list[tuple[Event, str, object]]:
    cases: list[tuple[Event, str, object]] = []
    for body, event in {"": EVENT, **HOLDERS}.items():
        holder = getattr(event, body) if body else event
        for field in dataclasses.fields(holder):
            value = getattr(holder, field.name)
            if field.name in BODIES:
                continue
            for wrong in WRONG[type(value)]:
                changed = dataclasses.replace(holder, **{field.name: wrong})
                broken = dataclasses.replace(event, **{body: changed}) if body else changed
                cases.append((broken, f"{body}.{field.name}" if body else field.name, wrong))
    return cases


@pytest.mark.parametrize(("event", "path", "wrong"), wrong_values())
def test_a_value_of_the_wrong_type_is_refused_in_every_field(event: Event, path: str, wrong: object) -> None:
    with pytest.raises(EventRejected) as raised:
        encode(event)
    assert path in str(raised.value)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("wrong", [{}, "x", 1, Denomination(1, 1)])
def test_a_body_of_another_class_is_refused(body: str, wrong: object) -> None:
    event = HOLDERS[body]
    with pytest.raises(EventRejected, match=body):
        encode(dataclasses.replace(event, **{body: wrong}))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["", "CardDealt ", "carddealt", "CardShown", 7, None, ["CardDealt"]])
def test_a_kind_that_is_none_is_refused(kind: Any) -> None:
    with pytest.raises(EventRejected, match="kind"):
        encode(Event("T1", 1, 0, DAY, kind, 1))


def test_the_kind_of_later_schemas_is_never_written() -> None:
    with pytest.raises(EventRejected, match="'Unknown' is no kind of event"):
        encode(Event("T1", 1, 0, DAY, "Unknown"))


def test_a_face_is_up_or_down() -> None:
    with pytest.raises(EventRejected, match=r"card\.face is 'sideways', none of up, down"):
        encode(Event("T1", 1, 0, DAY, "CardDealt", 1, card=CardAt(1, 0, "Th", "sideways")))


def test_a_schema_with_a_type_that_the_contract_does_not_use_is_an_error() -> None:
    for schema in ("double", ["null", "double"], ["int", "string"], {"type": "map", "values": "int"}):
        with pytest.raises(ValueError, match="does not use the Avro type"):
            compile_encoder(schema)
    for schema in ("double", ["null", "double"], {"type": "map", "values": "int"}):
        with pytest.raises(ValueError, match="does not use the Avro type"):
            end_of(schema, b"\x02", 0)


# The declaration of kinds


def required_fields() -> list[tuple[str, str]]:
    return [(kind, path) for kind in KINDS for path in SHAPES[kind].required]


def whole(kind: str) -> Event:
    """An event of a kind with the bodies that it needs."""
    needed = {path.split(".")[0] for path in SHAPES[kind].required if "." in path}
    bodies: dict[str, Any] = {name: getattr(HOLDERS[name], name) for name in needed}
    return Event("T1", 1, 0, DAY, kind, 1, **bodies)


@pytest.mark.parametrize(("kind", "path"), required_fields())
def test_every_field_that_a_kind_requires_is_required(kind: str, path: str) -> None:
    event = whole(kind)
    encode(event)
    if path == "round":
        broken = dataclasses.replace(event, round=None)
    else:
        body, field = path.split(".")
        with pytest.raises(EventRejected, match=f"{kind} needs {body}"):
            encode(dataclasses.replace(event, **{body: None}))  # type: ignore[arg-type]
        broken = dataclasses.replace(event, **{body: dataclasses.replace(getattr(event, body), **{field: None})})
        if field in ALWAYS.get(body, ()):
            with pytest.raises(EventRejected, match=rf"{body}\.{field} is None"):
                encode(broken)
            return
    with pytest.raises(EventRejected, match=f"{kind} needs {path}"):
        encode(broken)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "Unknown"])
def test_a_body_that_a_kind_must_not_carry_is_refused(kind: str) -> None:
    for name in set(BODIES) - SHAPES[kind].bodies:
        foreign = getattr(HOLDERS[name], name)
        with pytest.raises(EventRejected, match=f"{kind} must not carry {name}"):
            encode(dataclasses.replace(whole(kind), **{name: foreign}))


@pytest.mark.parametrize(
    ("event", "what"),
    [
        (Event("T1", 0, 0, DAY, "WagersClosed", 1), "seq is 0"),
        (Event("T1", 1, 0, DAY, "CardDealt", 1, card=CardAt(1, 0, "1h", "up")), "'1h' is no card"),
        (Event("T1", 1, 0, DAY, "CardDealt", 1, card=CardAt(1, 0, "th", "up")), "'th' is no card"),
        (Event("T1", 1, 0, DAY, "CardDealt", 1, card=CardAt(1, 0, "??", "up")), "no card"),
        (Event("T1", 1, 0, DAY, "CardDealt", 1, card=CardAt(-1, 0, "Th", "up")), r"card\.seat is -1"),
        (Event("T1", 1, 0, DAY, "CardDealt", 1, card=CardAt(1, -1, "Th", "up")), r"card\.hand is -1"),
        (Event("T1", 1, 0, DAY, "WagerPlaced", 1, wager=Wager("main", 1, -1)), r"wager\.stake_minor is -1; it is 0 to"),
        (
            Event("T1", 1, 0, DAY, "WagerPlaced", 1, wager=Wager("main", 1, 10**15 + 1)),
            r"wager\.stake_minor is .*; it is 0 to 1000000000000000",
        ),
        (
            Event("T1", 1, 0, DAY, "WagerSettled", 1, wager=Wager("main", 1, 1, net_minor=-(10**15) - 1)),
            r"wager\.net_minor is -1000000000000001; it is -1000000000000000 to",
        ),
        (Event("T1", 1, 0, DAY, "DropCounted", chips=Chips(2**62)), r"chips\.amount_minor is .*; it is 0 to"),
        (Event("T1", 1, 0, DAY, "WagerPlaced", 1, wager=Wager("main", -1, 1)), r"wager\.seat is -1"),
        (Event("T1", 1, 0, DAY, "DecisionTaken", 1, decision=Decision(-1, 0, "hit")), r"decision\.seat is -1"),
    ],
)
def test_a_value_that_cannot_be_is_refused(event: Event, what: str) -> None:
    with pytest.raises(EventRejected, match=what):
        encode(event)


# Messages

MESSAGE = encode(Event("T1", 1, 0, DAY, "CardDealt", 1, card=CardAt(1, 0, "Th", "up")))


def test_a_message_that_is_cut_anywhere_is_unreadable() -> None:
    for size in range(len(MESSAGE)):
        with pytest.raises(MessageUnreadable):
            decode(MESSAGE[:size])


def test_bytes_behind_the_event_are_an_error() -> None:
    with pytest.raises(MessageUnreadable, match="1 byte is left over"):
        decode(MESSAGE + b"\0")


def test_an_unknown_fingerprint_says_what_to_do() -> None:
    with pytest.raises(
        UnknownSchema, match=r"fingerprint 0102030405060708 is not in schemas/index\.json: install .*, or add"
    ):
        decode(MARKER + bytes(range(1, 9)) + MESSAGE[10:])


@given(st.binary(max_size=80))
@settings(max_examples=500, deadline=None)
def test_any_bytes_are_an_event_or_unreadable(data: bytes) -> None:
    for message in (data, MESSAGE[:10] + data):
        try:
            decode(message)
        except MessageUnreadable:
            continue


def test_the_datum_is_the_same_under_the_same_schema() -> None:
    assert transcode(MESSAGE[10:], current(), current()) == MESSAGE[10:]
    assert json.loads(current().text)["name"] == "Event"
