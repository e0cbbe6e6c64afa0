"""The events of a whole table-day, encoded together: what many of them share is held to the contract, and encoded, once.

The bytes are those of :func:`schemas.codec.encode`, event by event; the tests hold them against each other.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from schemas.codec import MARKER, current, encode, encode_datum, sound
from schemas.encoder import varint
from schemas.event import Event, EventRejected
from schemas.kinds import SHAPES

_DAY: Final = dt.date(1970, 1, 1)


class Tail(NamedTuple):
    """What an event says but for where and when: its kind and its bodies, encoded; and whether it must have a round."""

    data: bytes
    in_round: bool


def tailed(kind: str, **bodies: Any) -> tuple[Event, Tail]:
    """An event of a kind, with bodies by the names that they have in :class:`schemas.event.Event`, at no table; and its tail."""
    event = Event("-", 1, 0, _DAY, kind, 1, **bodies)
    return event, Tail(encode_datum(event, since="kind"), "round" in SHAPES[kind].required)


Row: TypeAlias = tuple[int, int, int | None, Tail]
"""An event of a table-day: its number, its moment in UTC microseconds since 1970, its round, and the rest."""


@dataclass(frozen=True, slots=True)
class EncodedDay:
    """A table-day whose events were held to the contract: their numbers, and their single-object messages."""

    table_id: str
    gaming_day: dt.date
    seqs: Sequence[int]
    messages: Sequence[bytes]

    def one_by_one(self) -> Iterator[tuple[int, bytes]]:
        """Its events, for a sink that takes each by itself."""
        for seq, message in zip(self.seqs, self.messages, strict=True):
            yield seq, sound(message)


def encoded_day(table_id: str, gaming_day: dt.date, rows: Sequence[Row]) -> EncodedDay:
    """Encode a table-day, which has an event at least; EventRejected where a number, a moment or a round is out of its
    bounds, or no whole number, or where a round is missing."""
    seqs, moments, in_rounds, tails = zip(*rows, strict=True)
    rounds = set(in_rounds)
    _hold(table_id, gaming_day, seqs, moments, rounds)
    without = next((seq for seq, _, number, rest in rows if number is None and rest.in_round), None)
    if without is not None:
        raise EventRejected(f"event {without} needs a round")
    name = table_id.encode()
    begin = MARKER + current().fingerprint + varint(len(name)) + name
    day = varint((gaming_day - _DAY).days)
    day_and = {number: day + (b"\x00" if number is None else b"\x02" + varint(number)) for number in rounds}
    where_and_when = (repeat(begin), _varints(seqs), _varints(moments), map(day_and.__getitem__, in_rounds))
    messages = [*map(b"".join, zip(*where_and_when, [rest.data for rest in tails], strict=False))]
    return EncodedDay(table_id, gaming_day, seqs, messages)


def _varints(values: Sequence[int]) -> list[bytes]:
    """Several numbers as :func:`schemas.encoder.varint` gives each: seven bits of all of them at a time."""
    numbers = np.array(values, np.int64)
    left = numbers << 1 ^ numbers >> 63
    size = max(1, -(-int(np.max(left)).bit_length() // 7))
    digits = np.empty((len(left), size), np.uint8)
    for place in range(size):
        digits[:, place] = left & 0x7F | (left > 0x7F) * 0x80
        left >>= 7
    return [digit or b"\0" for digit in digits.view(f"S{size}").ravel().tolist()]  # without zeros at their ends


def _hold(
    table_id: str, gaming_day: dt.date, seqs: Sequence[int], moments: Sequence[int], rounds: set[int | None]
) -> None:
    """Hold to the contract what no tail says: whole numbers, of which the smallest and the largest are within their bounds."""
    numbered = [number for number in rounds if number is not None] or [1]
    if {*map(type, seqs), *map(type, moments), *map(type, numbered)} != {int}:
        raise EventRejected(f"a number, a moment or a round of table {table_id} on {gaming_day} is no whole number")
    for bound in (min, max):
        encode(Event(table_id, bound(seqs), bound(moments), gaming_day, "WagersClosed", bound(numbered)))
