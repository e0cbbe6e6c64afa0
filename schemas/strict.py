"""Whether bytes are an Avro datum of a schema to the letter.

fastavro reads an enum's or a union's index below zero as one counted from the end, so that -1 becomes the last kind of
event, and it takes numbers that their type cannot hold. Other readers refuse them. Here each byte is looked at.

Source: Apache Avro specification 1.12, "Binary encoding".
"""

from __future__ import annotations

from typing import Any, Final

_BYTES_OF_LONG: Final = 10


class NotToTheLetter(ValueError):
    """The bytes are no datum of the schema; the message names field and byte."""


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for size in range(_BYTES_OF_LONG):
        if at + size >= len(data):
            raise NotToTheLetter(f"cut off at byte {at}")
        byte = data[at + size]
        value |= (byte & 0x7F) << 7 * size
        if byte < 0x80:
            if value.bit_length() > 64:
                break
            return value >> 1 ^ -(value & 1), at + size + 1
    raise NotToTheLetter(f"no number at byte {at}")


def _int(data: bytes, at: int) -> int:
    value, end = _number(data, at)
    if not -(1 << 31) <= value < 1 << 31:
        raise NotToTheLetter(f"{value} at byte {at} is beyond its type")
    return end


def _text(data: bytes, at: int) -> int:
    size, begin = _number(data, at)
    if not 0 <= size <= len(data) - begin:
        raise NotToTheLetter(f"a text of {size} bytes at byte {at}")
    try:
        data[begin : begin + size].decode()
    except UnicodeDecodeError:
        raise NotToTheLetter(f"the text at byte {begin} is no UTF-8") from None
    return begin + size


def _index(data: bytes, at: int, count: int) -> tuple[int, int]:
    index, end = _number(data, at)
    if not 0 <= index < count:
        raise NotToTheLetter(f"index {index} at byte {at}; there are 0 to {count - 1}")
    return index, end


def _array(items: Any, data: bytes, at: int) -> int:
    while True:
        count, at = _number(data, at)
        if count == 0:
            return at
        size = None
        if count < 0:  # the specification's other form: the block's size in bytes follows
            size, at = _number(data, at)
        begin = at
        for _ in range(abs(count)):
            at = end_of(items, data, at)
        if size not in (None, at - begin):
            raise NotToTheLetter(f"the block at byte {begin} has {at - begin} bytes, it says {size}")


def _record(fields: list[Any], data: bytes, at: int) -> int:
    for field in fields:
        try:
            at = end_of(field["type"], data, at)
        except NotToTheLetter as error:
            raise NotToTheLetter(f"{field['name']}: {error}") from None
    return at


def end_of(schema: Any, data: bytes, at: int) -> int:
    """Where the value of ``schema`` (as JSON gives it) ends that begins at a position of some bytes. NotToTheLetter where none
    does; ValueError where the contract has no such type."""
    match schema:
        case "null":
            return at
        case list():
            index, at = _index(data, at, len(schema))
            return end_of(schema[index], data, at)
        case "string" | {"type": "string"}:
            return _text(data, at)
        case "int" | {"type": "int"}:
            return _int(data, at)
        case "long" | {"type": "long"}:
            return _number(data, at)[1]
        case {"type": "enum", "symbols": symbols}:
            return _index(data, at, len(symbols))[1]
        case {"type": "array", "items": items}:
            return _array(items, data, at)
        case {"type": "record", "fields": fields}:
            return _record(fields, data, at)
        case _:
            raise ValueError(f"the contract does not use the Avro type {schema!r}")
