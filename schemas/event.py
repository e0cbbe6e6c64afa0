"""One event, as the recorder takes it and the decoder gives it: an envelope and at most a few bodies."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Final, NewType

from schemas.cards import is_card
from schemas.kinds import BODIES, SHAPES

TableId = NewType("TableId", str)
Seq = NewType("Seq", int)
Seat = NewType("Seat", int)
RoundNo = NewType("RoundNo", int)

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_FIRST_DAY: Final = dt.date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Table:
    """Game and layout of a table, or the staff member who came or left."""

    game: str | None = None
    currency: str | None = None
    seats: int | None = None
    staff: str | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """A choice that the law leaves to the house, and the authorisation that it rests on."""

    name: str
    value: str
    authorisation: str | None = None
    requested_on: dt.date | None = None
    authorised_on: dt.date | None = None
    effective_on: dt.date | None = None


@dataclass(frozen=True, slots=True)
class Shoe:
    """A shoe (PT partida): from one shuffle to the next."""

    shoe: int
    method: str | None = None
    decks: int | None = None
    cut_by: str | None = None
    behind: int | None = None


@dataclass(frozen=True, slots=True)
class CardAt:
    """A card and where it lies; ``seat`` None is the bank, ``card`` None is hidden."""

    seat: int | None = None
    hand: int = 0
    card: str | None = None
    face: str | None = None


@dataclass(frozen=True, slots=True)
class Wager:
    """A wager; amounts in minor units, ``net_minor`` from the player's side."""

    kind: str
    seat: int
    stake_minor: int
    hand: int = 0
    player: str | None = None
    position: int | None = None
    net_minor: int | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What a player (or, with ``seat`` None, the bank) decided or announced."""

    seat: int | None = None
    hand: int = 0
    action: str | None = None
    player: str | None = None
    points: int | None = None


@dataclass(frozen=True, slots=True)
class Denomination:
    """So many chips of one value."""

    value_minor: int
    count: int


@dataclass(frozen=True, slots=True)
class Chips:
    """Chips or cash that changed place, with the slip that says so."""

    amount_minor: int
    slip: str | None = None
    player: str | None = None
    denominations: tuple[Denomination, ...] | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """Why, and for a correction which ``seq`` it corrects."""

    cause: str
    refers_to: int | None = None


Body = Table | Option | Shoe | CardAt | Wager | Decision | Chips | Remark

_BODY_TYPES: Final[dict[str, type[Any]]] = {
    "table": Table,
    "option": Option,
    "shoe": Shoe,
    "card": CardAt,
    "wager": Wager,
    "decision": Decision,
    "chips": Chips,
    "remark": Remark,
}


class EventRejected(ValueError):
    """The event breaks the contract; the message says which field and why."""


@dataclass(frozen=True, slots=True)
class Event:
    """A numbered fact. ``at`` is UTC microseconds since 1970; (``table_id``, ``seq``) is its identity."""

    table_id: str
    seq: int
    at: int
    gaming_day: dt.date
    kind: str
    round: int | None = None
    table: Table | None = None
    option: Option | None = None
    shoe: Shoe | None = None
    card: CardAt | None = None
    wager: Wager | None = None
    decision: Decision | None = None
    chips: Chips | None = None
    remark: Remark | None = None


def micros(moment: dt.datetime) -> int:
    """``moment`` as UTC microseconds since 1970, exactly.

    Raises:
        EventRejected: when it has no time zone.
    """
    if moment.tzinfo is None:
        raise EventRejected(f"{moment.isoformat()} has no time zone")
    return (moment - _EPOCH) // dt.timedelta(microseconds=1)


def moment(at: int) -> dt.datetime:
    """The UTC moment of ``at`` microseconds since 1970."""
    return _EPOCH + dt.timedelta(microseconds=at)


_READERS: Final = {
    kind: tuple(
        (path, attrgetter(path.split(".")[0]), attrgetter(path) if "." in path else None) for path in s.required
    )
    for kind, s in SHAPES.items()
}


def check(event: Event) -> None:
    """Hold the event to the declaration of its kind.

    Raises:
        EventRejected: unknown kind, a required field that is missing, a body that the kind must not carry, a text that
            names no card, a negative stake or seat.
    """
    readers = _READERS.get(event.kind)
    if readers is None or event.kind == "Unknown":
        raise EventRejected(f"{event.kind!r} is no kind of event")
    for path, body, leaf in readers:
        value = body(event)
        if value is None or (leaf is not None and leaf(event) is None):
            raise EventRejected(f"{event.kind} needs {path}")
    allowed = SHAPES[event.kind].bodies
    for name in BODIES:
        if getattr(event, name) is not None and name not in allowed:
            raise EventRejected(f"{event.kind} must not carry {name}")
    if event.seq < 1:
        raise EventRejected(f"seq is {event.seq}; it counts from 1")
    if event.card is not None and event.card.card is not None and not is_card(event.card.card):
        raise EventRejected(f"card.card {event.card.card!r} is no card")
    if event.wager is not None and event.wager.stake_minor < 0:
        raise EventRejected(f"wager.stake_minor is {event.wager.stake_minor}; a stake is never negative")


def to_record(event: Event) -> dict[str, Any]:
    """The event as the Avro record that the schema describes (dates as days, times as microseconds)."""
    record: dict[str, Any] = {
        "table_id": event.table_id,
        "seq": event.seq,
        "at": event.at,
        "gaming_day": (event.gaming_day - _FIRST_DAY).days,
        "round": event.round,
        "kind": event.kind,
    }
    for name in BODIES:
        body = getattr(event, name)
        record[name] = None if body is None else _body_record(body)
    return record


def _body_record(body: Any) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for name in body.__slots__:
        value = getattr(body, name)
        if isinstance(value, dt.date):
            value = (value - _FIRST_DAY).days
        elif isinstance(value, tuple):
            value = [{"value_minor": d.value_minor, "count": d.count} for d in value]
        record[name] = value
    return record


def from_record(record: dict[str, Any]) -> Event:
    """The event of an Avro record as decoded (times and dates as Python's own)."""
    values = dict(record)
    values["at"] = micros(values["at"])
    for name, kind in _BODY_TYPES.items():
        body = values.get(name)
        if body is not None:
            known = {field.name for field in fields(kind)}
            body = {key: value for key, value in body.items() if key in known}
            if name == "chips" and body.get("denominations") is not None:
                body["denominations"] = tuple(Denomination(**d) for d in body["denominations"])
            values[name] = kind(**body)
    return Event(**values)
