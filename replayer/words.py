"""Events as integers, as symbols, and as the words of situations (see ``replayer.game``).

Events are packed into integers in columns; each distinct integer becomes a symbol once, and each symbol is one word.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

import polars as pl

from replayer.columns import CARDS
from replayer.game import MOMENTS
from replayer.symbols import (
    BANK,
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
    Symbol,
    Turned,
    TurnedAt,
    Unknown,
    Voided,
    WhiteCardOut,
    WhiteCardPut,
)
from schemas.bounds import LAST_HAND, LAST_SEAT, MOST_DECKS
from schemas.cards import RANKS, UNKNOWN
from schemas.kinds import KINDS
from schemas.notation import place

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


# Symbols as words


def word(symbol: Symbol) -> str:
    """The word of a symbol in the story of its seat, of the bank or of its round."""
    return _SPELLED[type(symbol)](symbol)


def _in_hand(sign: str) -> Callable[[Dealt | Turned | Removed], str]:
    return lambda card: f"{hand_letter(card.hand)}{sign}{card.card}"


def _decided(decided: Decided) -> str:
    moment = "" if decided.moment is None else f"/{MOMENTS[decided.moment]}"
    return f"{hand_letter(decided.hand)}.{decided.action}{moment}"


def _at(place: int) -> str:
    return "B" if place == BANK else str(place)


_SPELLED: Final[dict[type, Callable[..., str]]] = {
    Dealt: lambda card: f"{hand_letter(card.hand)}{card.face}{card.card}",
    Turned: _in_hand("^"),
    Removed: _in_hand("~"),
    Called: lambda called: f"{hand_letter(called.hand)}={called.points}",
    Staked: lambda staked: f"{hand_letter(staked.hand)}${staked.kind}",
    Decided: _decided,
    Looked: lambda looked: f"?{looked.found}",
    PlayBegan: lambda _: "|",
    CardTo: lambda card: _at(card.place) + card.face,
    TurnedAt: lambda card: f"{_at(card.place)}^",
    RemovedAt: lambda card: f"{_at(card.place)}~",
    PlayAt: lambda play: f"{_at(play.place)}{'/' if play.aside else '.'}",
    BankLooked: lambda _: "B?",
    Burned: lambda card: f"!{card.face}",
    Shuffled: lambda shuffled: f"shuffle:{shuffled.method}:{shuffled.decks}",
    Cut: lambda cut: f"cut:{cut.by}",
    WhiteCardPut: lambda card: f"white:{card.behind}",
    WhiteCardOut: lambda _: "white!",
    BetsClosed: lambda _: "nomore",
    Paid: lambda _: "pay",
    Failed: lambda _: "failed",
    Voided: lambda voided: f"void:{voided.cause}",
    Ended: lambda _: "end",
    Unknown: lambda unknown: f"{hand_letter(unknown.hand)}{unknown.text}",
}


# Words as symbols

Read = TypeVar("Read", bound=Symbol)
_DISTINCT: Final = 1 << 14
"""How many words are remembered with their symbols: those of a casino's day are some hundreds."""


@lru_cache(maxsize=_DISTINCT)
def read_seat(text: str) -> SeatSymbol:
    """The symbol of a word in a seat story."""
    hand = 0
    if "b" <= text[0] <= "z":
        hand, text = ord(text[0]) - ord("a"), text[1:]
    sign, rest = text[:1], text[1:]
    match sign:
        case ".":
            action, timed, moment = rest.partition("/")
            return Decided(action, MOMENTS.index(moment) if timed else None, hand)
        case "$":
            return Staked(rest, hand)
        case _:
            return _card(sign, rest, hand) or _unsigned(text, hand)


@lru_cache(maxsize=_DISTINCT)
def read_bank(text: str) -> BankSymbol:
    """The symbol of a word in a bank story."""
    sign, rest = text[0], text[1:]
    if sign == "!":
        return Burned(rest)
    if sign == "|":
        return PlayBegan()
    if sign == "?" and text != UNKNOWN:
        return Looked(rest)
    return _card(sign, rest, 0) or _unsigned(text, 0)


def _card(sign: str, rest: str, hand: int) -> Dealt | Turned | Removed | Called | None:
    match sign:
        case "+" | "-":
            return Dealt(rest, sign, hand)
        case "^":
            return Turned(rest, hand)
        case "~":
            return Removed(rest, hand)
        case "=":
            return Called(int(rest), hand)
        case _:
            return None


def _unsigned(text: str, hand: int) -> Dealt | Unknown:
    """A card of which the log does not say how it lay; anything else is no word of any game."""
    return Dealt(text, "", hand) if text == UNKNOWN or (text and text[0] in RANKS) else Unknown(text, hand)


@lru_cache(maxsize=_DISTINCT)
def read_round(text: str) -> RoundSymbol:
    """The symbol of a word in a round story, behind those that tell how it began."""
    if text[:-1] == "B" or text[:-1].isdecimal() or text.isdecimal() or text == "B":
        return _read_at(text)
    kind, _, rest = text.partition(":")
    if kind in _FIXED:
        return _FIXED[kind]
    match kind:
        case "!" | "!+" | "!-":
            return Burned(text[1:])
        case "white":
            return WhiteCardPut(int(rest))
        case "cut":
            return Cut(rest)
        case "void":
            return Voided(rest)
        case "shuffle":
            method, _, decks = rest.rpartition(":")
            return Shuffled(method, int(decks))
        case _:
            return Unknown(text)


_FIXED: Final = {word(symbol): symbol for symbol in _OF_THE_ROUND.values()}


def _read_at(text: str) -> RoundSymbol:
    sign = "" if text[-1].isalnum() else text[-1]
    place_ = text.removesuffix(sign)
    at = BANK if place_ == "B" else int(place_)
    match sign:
        case "^":
            return TurnedAt(at)
        case "~":
            return RemovedAt(at)
        case "." | "/":
            return PlayAt(at, aside=sign == "/")
        case "?":
            return BankLooked() if at == BANK else Unknown(text)
        case _:
            return CardTo(at, sign)
