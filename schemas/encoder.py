"""Avro's binary encoding with strict types and bounds: the schema compiled into one function for each of its fields.

fastavro's writer turns 1.5 into 1 and True into 1 without a word, and its validator costs more than the writing. Here each
value's type and bounds (``schemas.bounds`` has those of every field) are looked at once, where it is written. The tests hold the
bytes against fastavro's.

Source: Apache Avro specification 1.12, "Binary encoding".
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

from schemas.bounds import FIRST_DAY, LAST_DAY, LISTS, NUMBERS, TEXTS
from schemas.event import CLASSES

Encode = Callable[[Any], bytes]

_EPOCH_DAY: Final = dt.date(1970, 1, 1).toordinal()
_BYTES: Final = [bytes((value,)) for value in range(256)]


class WrongType(ValueError):
    """A value that its field cannot hold; the message names the field."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"{path} {what}" if path else what)


def varint(value: int) -> bytes:
    """An Avro ``int`` or ``long``: zigzag, seven bits a byte, lowest first.

    >>> varint(-1), varint(64)
    (b'\\x01', b'\\x80\\x01')
    """
    value = value << 1 if value >= 0 else (-value << 1) - 1
    encoded = b""
    while value > 0x7F:
        encoded += _BYTES[value & 0x7F | 0x80]
        value >>= 7
    return encoded + _BYTES[value]


def _integer(path: str) -> Encode:
    least, most = NUMBERS[path]

    def encode(value: Any) -> bytes:
        if type(value) is not int:  # bool is a subclass of int, and no number here
            raise WrongType(path, f"is {value!r}, no whole number")
        if not least <= value <= most:
            raise WrongType(path, f"is {value_text(value)}; it is {least} to {most}")
        return varint(value)

    return encode


def value_text(value: object) -> str:
    """A value as a message has it; Python spells out no number of thousands of digits."""
    if type(value) is int and value.bit_length() > 128:
        return f"a number of {value.bit_length()} bits"
    return str(value)


def _date(path: str) -> Encode:
    def encode(value: Any) -> bytes:
        if type(value) is not dt.date:  # datetime is a subclass of date, and would lose its time
            raise WrongType(path, f"is {value!r}, no date")
        if not FIRST_DAY <= value <= LAST_DAY:
            raise WrongType(path, f"is {value}; it is {FIRST_DAY} to {LAST_DAY}")
        return varint(value.toordinal() - _EPOCH_DAY)

    return encode


@lru_cache(maxsize=8192)
def _text(value: str) -> bytes:
    data = value.encode()
    return varint(len(data)) + data


def _string(path: str) -> Encode:
    most = TEXTS.get(path)

    def encode(value: Any) -> bytes:
        if type(value) is not str:
            raise WrongType(path, f"is {value!r}, no text")
        if most is not None and len(value) > most:
            raise WrongType(path, f"has {len(value)} characters; {most} are the most")
        try:
            return _text(value)
        except UnicodeEncodeError:
            raise WrongType(path, f"is {value!r}, no text that UTF-8 can hold") from None

    return encode


def _enum(symbols: Sequence[str], path: str) -> Encode:
    codes = {symbol: varint(index) for index, symbol in enumerate(symbols)}

    def encode(value: Any) -> bytes:
        code = codes.get(value) if type(value) is str else None
        if code is None:
            raise WrongType(path, f"is {value!r}, none of {', '.join(symbols)}")
        return code

    return encode


def _array(encode_item: Encode, path: str) -> Encode:
    most = LISTS[path]

    def encode(value: Any) -> bytes:
        if type(value) is not tuple:
            raise WrongType(path, f"is {value!r}, no tuple")
        if len(value) > most:
            raise WrongType(path, f"has {len(value)} entries; {most} are the most")
        if not value:
            return b"\x00"
        return varint(len(value)) + b"".join([encode_item(item) for item in value]) + b"\x00"

    return encode


def _record(schema: Mapping[str, Any], path: str) -> Encode:
    names = tuple(field["name"] for field in schema["fields"])
    inside = f"{path}." if path else ""
    ways = tuple(_way(field["type"], inside + field["name"]) for field in schema["fields"])
    values_of = attrgetter(*names)
    expected = CLASSES[schema["name"]]

    def encode(value: Any) -> bytes:
        if type(value) is not expected:
            raise WrongType(path, f"is {value!r}, no {expected.__name__}")
        encoded = [
            (b"\x00" if value is None else b"\x02" + encode(value)) if may_be_null else encode(value)
            for (may_be_null, encode), value in zip(ways, values_of(value), strict=True)
        ]
        return b"".join(encoded)

    return encode


def _way(schema: Any, path: str) -> tuple[bool, Encode]:
    """Whether a field may be null, and how it is encoded where it is not: most fields of an event are null."""
    may_be_null = isinstance(schema, list) and schema[0] == "null" and len(schema) == 2
    return may_be_null, compile_encoder(schema[1] if may_be_null else schema, path)


def compile_encoder(schema: Any, path: str = "") -> Encode:
    """The function that turns a value into its bytes under ``schema`` (as JSON gives it).

    Records are of the classes of an event, dates ``datetime.date``, timestamps stay integers; of unions only "null or one other"
    is known, as the type of a record's field; ValueError where the contract has no such type. ``path`` is where the value stands
    in an event (``wager.seat``), for its bounds and for errors.
    """
    match schema:
        case "string" | {"type": "string"}:
            return _string(path)
        case {"type": "int", "logicalType": "date"}:
            return _date(path)
        case "int" | "long" | {"type": "int" | "long"}:
            return _integer(path)
        case {"type": "enum", "symbols": symbols}:
            return _enum(symbols, path)
        case {"type": "array", "items": items}:
            return _array(compile_encoder(items, path), path)
        case {"type": "record"}:
            return _record(schema, path)
        case _:
            raise ValueError(f"the contract does not use the Avro type {schema!r}")
