"""One event, as the recorder takes it and the decoder gives it: an envelope and at most a few bodies."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from typing import Any, Final

from schemas.cards import is_card
from schemas.kinds import BODIES, SHAPES, UNKNOWN_KIND

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


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
    """Why, and for a correction which ``seq`` it corrects; of a round that is over its name in an imported log."""

    cause: str
    refers_to: int | None = None


_TYPES: Final[tuple[type[Any], ...]] = (Table, Option, Shoe, CardAt, Wager, Decision, Chips, Remark)
BODY_TYPES: Final = dict(zip(BODIES, _TYPES, strict=True))


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


CLASSES: Final = {each.__name__: each for each in (Event, Denomination, *_TYPES)} | {"Card": CardAt}
"""The class of each record of the schema, by the record's name."""


def micros(moment: dt.datetime) -> int:
    """``moment`` as UTC microseconds since 1970, exactly; EventRejected where it has no time zone."""
    if moment.tzinfo is None:
        raise EventRejected(f"{moment.isoformat()} has no time zone")
    return (moment - _EPOCH) // dt.timedelta(microseconds=1)


def moment(at: int) -> dt.datetime:
    """The UTC moment of ``at`` microseconds since 1970."""
    return _EPOCH + dt.timedelta(microseconds=at)


_REQUIRED: Final = {kind: [path.split(".") for path in shape.required] for kind, shape in SHAPES.items()}
_FORBIDDEN: Final = {kind: [name for name in BODIES if name not in shape.bodies] for kind, shape in SHAPES.items()}


def check(event: Event) -> None:
    """Hold the event to the declaration of its kind; types and bounds are the encoder's to check. EventRejected where the kind is
    unknown, a field is missing, a body must not be carried, or a text names no card."""
    kind = event.kind
    if kind not in SHAPES or kind == UNKNOWN_KIND:
        raise EventRejected(f"{kind!r} is no kind of event")
    for name, *field in _REQUIRED[kind]:
        value = getattr(event, name)
        if value is None or (field and getattr(value, field[0]) is None):
            raise EventRejected(f"{kind} needs {'.'.join([name, *field])}")
    for name in _FORBIDDEN[kind]:
        if getattr(event, name) is not None:
            raise EventRejected(f"{kind} must not carry {name}")
    if event.card is not None and event.card.card is not None and not is_card(event.card.card):
        raise EventRejected(f"card.card {event.card.card!r} is no card")


def from_record(record: dict[str, Any]) -> Event:
    """The event of an Avro record decoded to the current schema (times and dates as Python's own)."""
    values = record | {"at": micros(record["at"])}
    for name, body in BODY_TYPES.items():
        if (held := record[name]) is not None:
            values[name] = body(**held)
    if values["chips"] and values["chips"].denominations is not None:
        chips = values["chips"]
        values["chips"] = replace(chips, denominations=tuple(Denomination(**each) for each in chips.denominations))
    return Event(**values)
