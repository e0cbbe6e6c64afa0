"""The events of a whole table-day, encoded together: what many of them share is held to the contract, and encoded, once.

The bytes are those of :func:`schemas.codec.encode`, event by event; the tests hold them against each other.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

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
    """An event of a kind, with bodies by the names that they have in :class:`schemas.event.Event`, at no table; and its tail.

    Raises:
        EventRejected: it breaks the contract, whatever its round.
    """
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
    """Encode a table-day, which has an event at least.

    Raises:
        EventRejected: a number, a moment or a round is out of its bounds, or none; or a round is missing.
    """
    seqs, moments, in_rounds, _ = zip(*rows, strict=True)
    rounds = set(in_rounds)
    _hold(table_id, gaming_day, seqs, moments, rounds)
    without = next((seq for seq, _, number, rest in rows if number is None and rest.in_round), None)
    if without is not None:
        raise EventRejected(f"event {without} needs a round")
    name = table_id.encode()
    begin = MARKER + current().fingerprint + varint(len(name)) + name
    day = varint((gaming_day - _DAY).days)
    day_and = {number: day + (b"\x00" if number is None else b"\x02" + varint(number)) for number in rounds}
    messages = [
        b"".join((begin, varint(seq), varint(at), day_and[number], rest.data)) for seq, at, number, rest in rows
    ]
    return EncodedDay(table_id, gaming_day, seqs, messages)


def _hold(
    table_id: str, gaming_day: dt.date, seqs: Sequence[int], moments: Sequence[int], rounds: set[int | None]
) -> None:
    """Hold to the contract what no tail says: whole numbers, of which the smallest and the largest are within their bounds."""
    numbered = [number for number in rounds if number is not None] or [1]
    if {*map(type, seqs), *map(type, moments), *map(type, numbered)} != {int}:
        raise EventRejected(f"a number, a moment or a round of table {table_id} on {gaming_day} is no whole number")
    for bound in (min, max):
        encode(Event(table_id, bound(seqs), bound(moments), gaming_day, "WagersClosed", bound(numbered)))
