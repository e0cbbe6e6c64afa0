"""Packs events into integers, by columns, so that each distinct event is decoded once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import add
from typing import Final

import numpy as np
import polars as pl

from replayer.contract.cards import UNNAMED, card_of
from replayer.contract.symbols import DOWN, SHOWN
from replayer.engine.event_symbols import CARD_KINDS, FACES, Happened
from replayer.log.columns import CARDS, KIND_NUMBER, within
from schemas.bounds import LAST_HAND, LAST_SEAT, MOST_DECKS
from schemas.kinds import KINDS

HANDS: Final = LAST_HAND + 1
"""Hands are below this, so that they pack into one integer with a seat."""
_FACES: Final = (*FACES.values(), SHOWN)
_OF_CARDS: Final = frozenset({*CARD_KINDS, "CardBurned"})
_OF_NUMBERS: Final = frozenset({"TotalAnnounced", "CutCardPlaced"})
"""The kinds of events whose value is a card, and those whose value is a number; the value of all others is a text."""
_CARDS: Final = [card_of(name) for name in CARDS.categories.to_list()]
_BITS: Final = {
    "kind": len(KINDS).bit_length(),
    "seat": LAST_SEAT.bit_length(),
    "hand": max(LAST_HAND, MOST_DECKS).bit_length(),
    "face": 2,
    "value": 28,
    "moment": 6,
}
"""The width of each part. A value needs room for the numbers of texts, of which there may be as many as events in a batch."""
UNITS: Final = {name: 1 << sum(list(_BITS.values())[place:]) for place, name in enumerate(_BITS, 1)}
"""What one more of each part adds to a packed event."""
_TURNED_LATER: Final = UNITS["face"] * (_FACES.index(SHOWN) - _FACES.index(DOWN))
"""Added to a packed card that was dealt face down, marks it as turned later."""


def pack(rows: pl.DataFrame, **parts: pl.Expr) -> pl.Series:
    """The integers of events, from one expression per part (``kind`` as its number in KINDS); a part without one is zero.

    Raises:
        AssertionError: a part of some row does not fit its width and would overflow into another part.
    """
    numbers = rows.select(**{name: parts.get(name, pl.lit(0)).cast(pl.Int64) for name in _BITS})
    wide = [
        name
        for name, bits in _BITS.items()
        if numbers[name].null_count() or not within(numbers[name], 0, (1 << bits) - 1)
    ]
    if wide:
        raise AssertionError(f"{', '.join(wide)} of a packed event would not fit")
    return reduce(add, (numbers[name] * unit for name, unit in UNITS.items())).alias("code")


def unpack(code: int, texts: Mapping[int, str], *, decisions: bool = True) -> Happened:
    """The event of an integer; ``texts`` has the texts by their packed numbers. The value of a decision is a text where
    ``decisions`` is set, else a number."""
    values = {name: code // unit % (1 << _BITS[name]) for name, unit in UNITS.items()}
    kind, value = KINDS[values["kind"]], values["value"]
    event = Happened(kind, values["seat"], values["hand"], _FACES[values["face"]], moment=values["moment"])
    if kind in _OF_CARDS:
        return event._replace(card=_CARDS[value])
    if kind in _OF_NUMBERS or (kind == "DecisionTaken" and not decisions):
        return event._replace(number=value)
    return event._replace(said=texts[value])


def part_of(name: str) -> pl.Expr:
    """A part of the packed events in the column ``code``; the seat is 0 for the bank and for the table."""
    return pl.col("code") // UNITS[name] % (1 << _BITS[name])


def rows_without_redundant_turns(rows: pl.DataFrame, whole: int, *, mark_shown: bool) -> pl.DataFrame:
    """The rows of histories of seats or banks, each in order, without turned cards that change nothing
    (:func:`replayer.engine.event_symbols.without_redundant_turns`)."""
    kinds = rows.select(part_of("kind")).to_series()
    turned, dealt = ((kinds == KIND_NUMBER[name]).arg_true().to_numpy() for name in ("CardTurned", "CardDealt"))
    if not (len(turned) and len(dealt)):
        return rows
    columns = rows.select(hand=pl.col("key") * HANDS + part_of("hand"), value=part_of("value"))
    hand, value = (column.to_numpy() for column in columns)
    card = hand * len(_CARDS) + value
    cards, first, times = np.unique(card[dealt], return_index=True, return_counts=True)
    found = np.searchsorted(cards, card[turned])
    found[found == len(cards)] = 0
    there = np.isin(hand[turned], hand[dealt[value[dealt] == _CARDS.index(UNNAMED)]], invert=True)
    there &= (cards[found] == card[turned]) & (times[found] == 1)
    turned, was_dealt = turned[there], dealt[first[found[there]]]
    by_hand = dealt[np.argsort(hand[dealt], kind="stable")]
    filled = np.searchsorted(hand[by_hand], hand[turned]) + whole - 1
    full = filled < len(by_hand)
    filled = by_hand[np.where(full, filled, 0)]
    known = full & (hand[filled] == hand[turned]) & (turned > was_dealt) & (turned > filled)
    turned, was_dealt = turned[known], was_dealt[known]
    if mark_shown:
        shown = pl.Series([False]).new_from_index(0, rows.height).scatter(was_dealt, values=True)
        rows = rows.with_columns(
            code=pl.col("code") + (shown & (part_of("face") == _FACES.index(DOWN))) * _TURNED_LATER
        )
    return rows.filter(pl.Series([True]).new_from_index(0, rows.height).scatter(turned, values=False))
