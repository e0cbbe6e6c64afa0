"""Events packed into integers in columns, and the symbols of these: each distinct integer becomes a symbol once."""

from __future__ import annotations

from typing import Final, NamedTuple

import polars as pl

from replayer.columns import CARDS
from replayer.symbols import (
    DOWN,
    UP,
    BankLooked,
    BankSymbol,
    BetsClosed,
    Burned,
    Called,
    CardTo,
    Cut,
    Dealt,
    Decided,
    Ended,
    Failed,
    Looked,
    Paid,
    PlayAt,
    PlayBegan,
    Removed,
    RemovedAt,
    RoundSymbol,
    SeatSymbol,
    Shuffled,
    Staked,
    Turned,
    TurnedAt,
    Voided,
    WhiteCardOut,
    WhiteCardPut,
)
from schemas.bounds import LAST_HAND, LAST_SEAT, MOST_DECKS
from schemas.cards import UNKNOWN
from schemas.kinds import KINDS

_FACES: Final = ("", UP, DOWN)
_CARD_NAMES: Final = CARDS.categories.to_list()
_BITS: Final = {
    "kind": len(KINDS).bit_length(),
    "seat": LAST_SEAT.bit_length(),
    "hand": max(LAST_HAND, MOST_DECKS).bit_length(),
    "face": 2,
    "value": 28,
    "moment": 6,
}
"""The width of each part. That of a value is for texts, of which there may be as many as events in a batch."""
_MOMENTS: Final = 1 << _BITS["moment"]
VALUES: Final = _MOMENTS << _BITS["value"]
"""Packed events divided by this, rounded down, are alike in all but value and moment."""
SEAT: Final = VALUES << _BITS["face"] << _BITS["hand"]
"""What a seat more adds to a packed event."""


class Packed(NamedTuple):
    """An event without amounts and names. ``seat`` is 0 for the bank; ``value`` is a card, points or a text's number."""

    kind: str
    seat: int
    hand: int
    face: int
    value: int
    moment: int


def pack(rows: pl.DataFrame, **parts: pl.Expr) -> pl.Series:
    """The integers of events, from one expression a part of :class:`Packed` (``kind`` as its number in KINDS).

    Raises:
        AssertionError: a part of some row does not fit its width; it would change another part.
    """
    told = rows.select(**{name: parts[name].cast(pl.Int64) for name in _BITS})
    fits = told.select(
        pl.col(name).is_between(0, (1 << bits) - 1).fill_null(value=False).all() for name, bits in _BITS.items()
    )
    if not all(fits.row(0)):
        wide = ", ".join(name for name, fit in zip(_BITS, fits.row(0), strict=True) if not fit)
        raise AssertionError(f"{wide} of a packed event would not fit")
    code = pl.lit(0, dtype=pl.Int64)
    for name, bits in _BITS.items():
        code = code * (1 << bits) + pl.col(name)
    return told.select(code=code).to_series()


def unpack(code: int) -> Packed:
    """The event of an integer."""
    values: dict[str, int] = {}
    for name, bits in reversed(_BITS.items()):
        code, values[name] = divmod(code, 1 << bits)
    return Packed(
        KINDS[values["kind"]], values["seat"], values["hand"], values["face"], values["value"], values["moment"]
    )


def seat_of(code: str) -> pl.Expr:
    """The seat of packed events; 0 for the bank and for the table."""
    return pl.col(code) // SEAT % (1 << _BITS["seat"])


def kind_of(code: str) -> pl.Expr:
    """The number of the kind of packed events."""
    return pl.col(code) // (SEAT << _BITS["seat"])


def hand_of(code: str) -> pl.Expr:
    """The hand of packed events."""
    return pl.col(code) // (VALUES << _BITS["face"]) % (1 << _BITS["hand"])


def value_of(code: str) -> pl.Expr:
    """The value of packed events."""
    return pl.col(code) % VALUES // _MOMENTS


def with_value(code: str, value: pl.Expr) -> pl.Expr:
    """Packed events with another value."""
    return pl.col(code) + (value - value_of(code)) * _MOMENTS


def card_name(value: int, *, suited: bool) -> str:
    """A card as it stands in a story: rank and suit, or the rank alone."""
    name: str = _CARD_NAMES[value]
    return name if suited or name == UNKNOWN else name[0]


# Packed events as symbols


def seat_symbol(event: Packed, texts: list[str], timed: frozenset[str], *, suited: bool) -> SeatSymbol:
    """What happened at a seat."""
    hand = event.hand
    match event.kind:
        case "CardDealt":
            return Dealt(card_name(event.value, suited=suited), _FACES[event.face], hand)
        case "CardTurned":
            return Turned(card_name(event.value, suited=suited), hand)
        case "CardRemoved":
            return Removed(card_name(event.value, suited=suited), hand)
        case "DecisionTaken":
            action = texts[event.value]
            return Decided(action, event.moment if action in timed else None, hand)
        case "WagerPlaced":
            return Staked(texts[event.value], hand)
        case _:
            return Called(event.value, hand)


def bank_symbol(event: Packed, texts: list[str], *, suited: bool) -> BankSymbol:
    """What happened to the bank's hand."""
    match event.kind:
        case "CardDealt":
            return Dealt(card_name(event.value, suited=suited), _FACES[event.face])
        case "CardTurned":
            return Turned(card_name(event.value, suited=suited))
        case "CardRemoved":
            return Removed(card_name(event.value, suited=suited))
        case "HoleCardChecked":
            return Looked(texts[event.value])
        case "CardBurned":
            return Burned()
        case "DecisionTaken":
            return PlayBegan()
        case _:
            return Called(event.value)


_OF_THE_ROUND: Final[dict[str, RoundSymbol]] = {
    "HoleCardChecked": BankLooked(),
    "WagersClosed": BetsClosed(),
    "WagerSettled": Paid(),
    "RoundClosed": Ended(),
    "EquipmentFailed": Failed(),
    "CutCardDrawn": WhiteCardOut(),
}


def round_symbol(event: Packed, texts: list[str]) -> RoundSymbol:
    """What happened in a round; a card at a seat in play is packed as a decision there."""
    match event.kind:
        case "CardDealt":
            return CardTo(event.seat, _FACES[event.face])
        case "CardTurned":
            return TurnedAt(event.seat)
        case "CardRemoved":
            return RemovedAt(event.seat)
        case "DecisionTaken":
            return PlayAt(event.seat, aside=bool(event.value))
        case "CardBurned":
            return Burned(_FACES[event.face])
        case "RoundVoided":
            return Voided(texts[event.value])
        case "CutCardPlaced":
            return WhiteCardPut(event.value)
        case "ShoeCut":
            return Cut(texts[event.value])
        case "ShoeShuffled":
            return Shuffled(texts[event.value], event.hand)
        case _:
            return _OF_THE_ROUND[event.kind]
