"""Turned cards that change nothing: the same ones are left out of a round in play and of the rows of whole table-days."""

from __future__ import annotations

import random

import polars as pl
import pytest

from replayer.contract.cards import card_of
from replayer.contract.symbols import DOWN, SHOWN, UP
from replayer.engine.event_symbols import Happened, without_redundant_turns
from replayer.engine.packed_events import pack, rows_without_redundant_turns, unpack
from replayer.log.columns import CARDS, KIND_NUMBER
from schemas.cards import UNKNOWN

_FACES = ("", UP, DOWN)
_CARD_NAMES = CARDS.categories.to_list()


def dealt(card: str, face: str = DOWN, hand: int = 0) -> Happened:
    return Happened("CardDealt", 1, hand, face, card_of(card))


def turned(card: str, hand: int = 0) -> Happened:
    return Happened("CardTurned", 1, hand, card=card_of(card))


def rows_of(events: list[Happened]) -> pl.DataFrame:
    parts = pl.DataFrame(
        {
            "kind": [KIND_NUMBER[event.kind] for event in events],
            "seat": [event.seat for event in events],
            "hand": [event.hand for event in events],
            "face": [_FACES.index(event.face) for event in events],
            "value": [_CARD_NAMES.index(str(event.card)) for event in events],
            "moment": [0 for _ in events],
        }
    )
    code = pack(parts, **{name: pl.col(name) for name in parts.columns})
    return pl.DataFrame({"key": [7] * len(events), "seq": range(1, len(events) + 1), "code": code})


THREE = [dealt("9h"), dealt("9d"), dealt("Ks")]


@pytest.mark.parametrize(
    ("events", "left"),
    [
        ([*THREE, turned("9d")], [dealt("9h"), dealt("9d", SHOWN), dealt("Ks")]),
        ([*THREE[:2], turned("9d"), THREE[2]], [*THREE[:2], turned("9d"), THREE[2]]),
        ([*THREE, turned("9c")], [*THREE, turned("9c")]),
        ([dealt("9h"), dealt("9h"), dealt("Ks"), turned("9h")], [dealt("9h"), dealt("9h"), dealt("Ks"), turned("9h")]),
        ([*THREE, dealt(UNKNOWN), turned("9d")], [*THREE, dealt(UNKNOWN), turned("9d")]),
        ([*THREE, turned("9d", hand=1)], [*THREE, turned("9d", hand=1)]),
    ],
    ids=["known", "before the hand is whole", "never dealt", "dealt twice", "a card not named", "at another hand"],
)
def test_a_turn_is_left_out_only_of_a_whole_hand_whose_cards_the_log_named(
    events: list[Happened], left: list[Happened]
) -> None:
    assert without_redundant_turns(events, 3, mark_shown=True) == left


@pytest.mark.parametrize("seed", range(60))
def test_events_and_packed_rows_lose_the_same_turns(seed: int) -> None:
    dice = random.Random(seed)
    cards = ["9h", "9d", "9x", "Ks", "2c", *([UNKNOWN] if dice.random() < 0.3 else [])]
    events = [
        dealt(dice.choice(cards), dice.choice(_FACES), dice.randint(0, 1))
        if dice.random() < 0.6
        else turned(dice.choice(cards), dice.randint(0, 1))
        for _ in range(dice.randint(1, 12))
    ]
    mark_shown = dice.random() < 0.5
    rows = rows_without_redundant_turns(rows_of(events), 3, mark_shown=mark_shown)
    assert without_redundant_turns(events, 3, mark_shown=mark_shown) == [unpack(code, {}) for code in rows["code"]]
