"""Cards of the bank that were taken away again (:mod:`replayer.engine.removed_cards`), of many rounds at once."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from replayer.cards import card_of
from replayer.columns import is_kind, lies_open
from replayer.engine.event_symbols import CARD_KINDS
from replayer.engine.removed_cards import Acts, taken_away, taken_unnamed
from schemas.cards import UNKNOWN


def of_bank(rows: pl.DataFrame, card: str, face: str, bank: pl.Expr) -> list[int]:
    """The numbers of the events by which they were dealt and turned, of any rounds. ``rows`` are events, ``card`` and ``face``
    the columns that name a card and how it lies, ``bank`` which rows are the bank's."""
    return _found(taken_away, rows, card, face, bank)


def unnamed_of_bank(rows: pl.DataFrame) -> list[int]:
    """The numbers of the events that took one without a name (:func:`replayer.engine.removed_cards.taken_unnamed`)."""
    return _found(taken_unnamed, rows, "card_card", "card_face", pl.col("card_seat").is_null())


def _found(numbers: Callable[[Acts], set[int]], rows: pl.DataFrame, card: str, face: str, bank: pl.Expr) -> list[int]:
    """What is found of the hands of which a card was taken away."""
    removed = rows.select("ri", removed=is_kind("CardRemoved") & bank).filter("removed").select("ri").unique()
    if removed.is_empty():
        return []
    acts = rows.filter(is_kind(*CARD_KINDS) & bank).join(removed, on="ri", how="semi").sort("ri", "seq")
    named = pl.col(card).cast(pl.String).fill_null(UNKNOWN)
    done = acts.select("ri", "seq", pl.col("kind").cast(pl.String), card=named, seen=lies_open(face))
    hands = done.group_by("ri").agg("seq", "kind", "card", "seen")
    found: set[int] = set()
    for seqs, kinds, cards, open_ in hands.drop("ri").iter_rows():
        found |= numbers(zip(seqs, kinds, map(card_of, cards), open_, strict=True))
    return sorted(found)
