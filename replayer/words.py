"""The words of situations: one event of a table as a short text, without amounts and names (see ``replayer.game``).

Events are first packed into integers; each distinct integer is spelled out once, by the functions here.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import polars as pl

from replayer.columns import CARDS
from replayer.game import MOMENTS
from schemas.bounds import LAST_HAND, LAST_SEAT, MOST_DECKS
from schemas.cards import UNKNOWN
from schemas.kinds import KINDS
from schemas.notation import place

_FACES: Final = ("", "+", "-")
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


def seat_of(code: pl.Expr) -> pl.Expr:
    """The seat of packed events; 0 for the bank and for the table."""
    return code // SEAT % (1 << _BITS["seat"])


def value_of(code: pl.Expr) -> pl.Expr:
    """The value of packed events."""
    return code % VALUES // _MOMENTS


def with_value(code: pl.Expr, value: pl.Expr) -> pl.Expr:
    """Packed events with another value."""
    return code + (value - value_of(code)) * _MOMENTS


def hand_letter(hand: int) -> str:
    """Nothing for a seat's first hand, ``b`` for the second.

    >>> hand_letter(0), hand_letter(1)
    ('', 'b')
    """
    return place(0, hand)[1:]


def card_name(value: int, *, suited: bool) -> str:
    """A card as it stands in a story: rank and suit, or the rank alone."""
    name: str = _CARD_NAMES[value]
    return name if suited or name == UNKNOWN else name[0]


def seat_word(event: Packed, texts: list[str], timed: frozenset[str], *, suited: bool) -> str:
    """The word of an event in a seat story."""
    letter = hand_letter(event.hand)
    match event.kind:
        case "CardDealt":
            return f"{letter}{_FACES[event.face]}{card_name(event.value, suited=suited)}"
        case "CardTurned":
            return f"{letter}^{card_name(event.value, suited=suited)}"
        case "CardRemoved":
            return f"{letter}~{card_name(event.value, suited=suited)}"
        case "DecisionTaken":
            action = texts[event.value]
            return f"{letter}.{action}" + (f"/{MOMENTS[event.moment]}" if action in timed else "")
        case "WagerPlaced":
            return f"{letter}${texts[event.value]}"
        case _:
            return f"{letter}={event.value}"


def bank_word(event: Packed, texts: list[str], *, suited: bool) -> str:
    """The word of an event in a bank story."""
    match event.kind:
        case "CardDealt":
            return f"{_FACES[event.face]}{card_name(event.value, suited=suited)}"
        case "CardTurned":
            return f"^{card_name(event.value, suited=suited)}"
        case "CardRemoved":
            return f"~{card_name(event.value, suited=suited)}"
        case "HoleCardChecked":
            return f"?{texts[event.value]}"
        case "CardBurned":
            return "!"
        case "DecisionTaken":
            return "|"
        case _:
            return f"={event.value}"


def round_word(event: Packed, texts: list[str]) -> str:
    """The word of an event in a round story; a card at a seat in play is packed as a decision there. Empty when it has none."""
    who = "B" if event.seat == 0 else str(event.seat)
    match event.kind:
        case "CardDealt":
            return who + _FACES[event.face]
        case "CardTurned":
            return f"{who}^"
        case "CardRemoved":
            return f"{who}~"
        case "DecisionTaken":
            return f"{who}{'/' if event.value else '.'}"
        case "HoleCardChecked":
            return "B?"
        case "CardBurned":
            return "!" + _FACES[event.face]
        case "WagersClosed":
            return "nomore"
        case "WagerSettled":
            return "pay"
        case "RoundVoided":
            return f"void:{texts[event.value]}"
        case "RoundClosed":
            return "end"
        case "EquipmentFailed":
            return "failed"
        case "CutCardDrawn":
            return "white!"
        case "CutCardPlaced":
            return f"white:{event.value}"
        case "ShoeCut":
            return f"cut:{texts[event.value]}"
        case "ShoeShuffled":
            return f"shuffle:{texts[event.value]}:{event.hand}"
        case _:
            return ""
