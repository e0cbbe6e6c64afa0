"""Checks the lengths that an Arrow stream claims, before a reader allocates memory for them.

A process that asks for more memory than there is gets killed: a length of a thousand gigabytes in one file would end the replay
of all other table-days too. So every length is checked first: of each message, of each buffer in it, packed and unpacked, and
of each column.

Source: Apache Arrow 26, "Arrow Columnar Format", Encapsulated message format; ``format/Message.fbs``; the internals of
FlatBuffers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

_MARK: Final = b"\xff\xff\xff\xff"
END: Final = _MARK + bytes(4)
"""The end mark after the last message of a stream."""
_SCHEMA, _DICTIONARY, _RECORDS = 1, 2, 3
_HEADER_TYPE, _HEADER, _BODY_LENGTH = 1, 2, 3
_ROWS, _COLUMNS, _BUFFERS, _COMPRESSION = 0, 1, 2, 3
_DATA: Final = 1
_PAIR: Final = struct.Struct("<qq")
_NOT_PACKED: Final = -1


class StreamRefused(ValueError):
    """The bytes are no Arrow stream of one schema, or claim impossible lengths; the message says which."""


class _Message(NamedTuple):
    """A message of a stream: its kind, its end, its header, and its body's first byte and length."""

    kind: int
    end: int
    header: _Table
    body: int
    length: int


def schema_of_stream(data: bytes, most: int) -> bytes:
    """The first message of a stream, which holds its schema; StreamRefused where the stream holds anything but one schema,
    dictionaries and rows, does not end at its end mark, claims more than it has, or unpacks to over ``most`` bytes or rows."""
    try:
        first, *others = _messages(data)
        if first.kind != _SCHEMA or first.length:
            raise StreamRefused("it does not begin with a schema")
        for message in others:
            if message.kind not in (_DICTIONARY, _RECORDS):
                raise StreamRefused(f"it has a message of kind {message.kind}")
            batch = message.header.table(_DATA) if message.kind == _DICTIONARY else message.header
            most -= _unpacked(data, batch, message, most)
    except (struct.error, IndexError, ValueError) as error:
        raise error if isinstance(error, StreamRefused) else StreamRefused(str(error)) from None
    return data[: first.end]


def _messages(data: bytes) -> Iterator[_Message]:
    at = 0
    while data[at : at + 4] == _MARK:
        (size,) = struct.unpack_from("<i", data, at + 4)
        at += 8
        if not size and at == len(data):
            return
        body = at + size
        if size <= 0 or body > len(data):
            raise StreamRefused(f"a message says that it has {size} bytes")
        message = _Table(data, at + _uint(data, at), body)
        length = message.int64(_BODY_LENGTH)
        at = body + length
        if length < 0 or at > len(data):
            raise StreamRefused(f"a message says that its body has {length} bytes")
        yield _Message(message.byte(_HEADER_TYPE), at, message.table(_HEADER), body, length)
    raise StreamRefused("it has no end")


def _unpacked(data: bytes, batch: _Table, message: _Message, most: int) -> int:
    """The number of bytes to which a batch of rows unpacks."""
    if not 0 <= batch.int64(_ROWS) <= most:
        raise StreamRefused(f"a batch says that it has {batch.int64(_ROWS)} rows")
    if any(not 0 <= nulls <= rows <= most for rows, nulls in batch.pairs(_COLUMNS)):
        raise StreamRefused("a column has more rows than there can be")
    packed, total = batch.has(_COMPRESSION), 0
    for offset, length in batch.pairs(_BUFFERS):
        if not 0 <= offset <= offset + length <= message.length or length < 0:
            raise StreamRefused("a buffer is not in its message")
        size = length
        if packed and length:
            (size,) = struct.unpack_from("<q", data, message.body + offset)
            size = length if size == _NOT_PACKED else size
        total += size
        if size < 0 or total > most:
            raise StreamRefused("its buffers unpack to more than they may")
    return total


class _Table:
    """A table of FlatBuffers that begins at a byte of ``data``; ``end`` is the end of its message."""

    def __init__(self, data: bytes, at: int, end: int) -> None:
        self._data, self._at, self._end = data, at, end
        self._fields = at - struct.unpack_from("<i", data, at)[0]
        if self._fields < 0:
            raise StreamRefused("a table is not in its message")
        (self._size,) = struct.unpack_from("<H", data, self._fields)

    def _place(self, field: int) -> int | None:
        entry = 4 + 2 * field
        if entry + 2 > self._size:
            return None
        (offset,) = struct.unpack_from("<H", self._data, self._fields + entry)
        return self._at + offset if offset else None

    def has(self, field: int) -> bool:
        return self._place(field) is not None

    def byte(self, field: int) -> int:
        place = self._place(field)
        return 0 if place is None else self._data[place]

    def int64(self, field: int) -> int:
        place = self._place(field)
        number: int = 0 if place is None else struct.unpack_from("<q", self._data, place)[0]
        return number

    def table(self, field: int) -> _Table:
        place = self._place(field)
        if place is None:
            raise StreamRefused("a message lacks what it is about")
        return _Table(self._data, place + _uint(self._data, place), self._end)

    def pairs(self, field: int) -> Iterator[tuple[int, int]]:
        """A vector of pairs of 64-bit numbers."""
        place = self._place(field)
        if place is None:
            return
        begin = place + _uint(self._data, place)
        count = _uint(self._data, begin)
        if begin + 4 + _PAIR.size * count > self._end:
            raise StreamRefused("a list is not in its message")
        yield from _PAIR.iter_unpack(self._data[begin + 4 : begin + 4 + _PAIR.size * count])


def _uint(data: bytes, at: int) -> int:
    number: int = struct.unpack_from("<I", data, at)[0]
    return number
