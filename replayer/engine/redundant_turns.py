"""Leaves out turned cards that change nothing (``Game.turns_nothing``): of a hand that has its whole number of cards by then, all
of them named when dealt, a card that this hand got before, and once.

The bank's card that was turned so lies as :data:`replayer.symbols.SHOWN`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import polars as pl

from replayer.cards import UNNAMED, Card
from replayer.columns import CARDS, KIND_NUMBER
from replayer.engine.event_symbols import Happened
from replayer.engine.packed_events import HANDS, TURNED_LATER, hand_of, kind_of, lies_down, value_of
from replayer.symbols import DOWN, SHOWN
from schemas.cards import UNKNOWN

_CARD_NAMES: Final = CARDS.categories.to_list()


def without_redundant_turns(events: Sequence[Happened], whole: int, *, mark_shown: bool) -> list[Happened]:
    """The events of a seat or of the bank, in order, without those that turn such a card, for hands of ``whole`` cards; with
    ``mark_shown`` a card that lay face down is marked as turned later."""
    dealt: dict[int, list[Card]] = {}
    for event in events:
        if event.kind == "CardDealt":
            dealt.setdefault(event.hand, []).append(event.card)
    known = {
        (hand, card)
        for hand, cards in dealt.items()
        if UNNAMED not in cards
        for card in cards
        if cards.count(card) == 1
    }
    kept: list[Happened] = []
    laid: dict[tuple[int, Card], int] = {}
    held: Counter[int] = Counter()
    for event in events:
        place = event.hand, event.card
        if event.kind == "CardDealt":
            laid[place] = len(kept)
            held[event.hand] += 1
        elif event.kind == "CardTurned" and place in known and place in laid and held[event.hand] >= whole:
            if mark_shown and kept[laid[place]].face == DOWN:
                kept[laid[place]] = kept[laid[place]]._replace(face=SHOWN)
            continue
        kept.append(event)
    return kept


def rows_without_redundant_turns(rows: pl.DataFrame, whole: int, *, mark_shown: bool) -> pl.DataFrame:
    """The packed rows of histories of seats or banks, of many rounds, likewise."""
    kinds = rows.select(kind_of("code")).to_series()
    turned, dealt = (kinds == KIND_NUMBER[name] for name in ("CardTurned", "CardDealt"))
    if not turned.any():
        return rows
    hand, value = pl.col("key") * HANDS + hand_of("code"), value_of("code")
    card, unnamed = hand * len(_CARD_NAMES) + value, value == _CARD_NAMES.index(UNKNOWN)
    cards = rows.select("seq", hand=hand, card=card, unnamed=unnamed, row=pl.int_range(pl.len()))
    own = cards.filter(dealt)
    again = cards.filter(turned).join(own.filter("unnamed"), on="hand", how="anti")
    first = own.group_by("card").agg(first=pl.col("seq").min(), dealt=pl.col("row").min(), times=pl.len())
    filled = own.group_by("hand").agg(filled=pl.col("seq").sort().slice(whole - 1, 1).first())
    later = again.join(first, on="card").join(filled, on="hand")
    known = later.filter(pl.col("seq") > pl.col("first"), pl.col("seq") > pl.col("filled"), times=1)
    if mark_shown:
        shown = pl.Series([False]).new_from_index(0, rows.height).scatter(known["dealt"], values=True)
        rows = rows.with_columns(code=pl.col("code") + (shown & lies_down("code")) * TURNED_LATER)
    return rows.filter(pl.Series([True]).new_from_index(0, rows.height).scatter(known["row"], values=False))
