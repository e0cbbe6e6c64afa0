"""Cards of the bank that were taken away again (:mod:`replayer.engine.removed_cards`), of many rounds at once."""

from __future__ import annotations

import polars as pl

from replayer.cards import card_of
from replayer.columns import is_kind, lies_open
from replayer.engine.event_symbols import CARD_KINDS
from replayer.engine.removed_cards import taken_away
from schemas.cards import UNKNOWN


def of_bank(rows: pl.DataFrame, card: str, face: str, bank: pl.Expr) -> list[int]:
    """The numbers of the events by which they were dealt and turned, of any rounds. ``rows`` are events, ``card`` and ``face``
    the columns that name a card and how it lies, ``bank`` which rows are the bank's."""
    removed = rows.select("ri", removed=is_kind("CardRemoved") & bank).filter("removed").select("ri").unique()
    if removed.is_empty():
        return []
    acts = rows.filter(is_kind(*CARD_KINDS) & bank).join(removed, on="ri", how="semi").sort("ri", "seq")
    named = pl.col(card).cast(pl.String).fill_null(UNKNOWN)
    done = acts.select("ri", "seq", pl.col("kind").cast(pl.String), card=named, seen=lies_open(face))
    hands = done.group_by("ri").agg("seq", "kind", "card", "seen")
    gone: set[int] = set()
    for seqs, kinds, cards, open_ in hands.drop("ri").iter_rows():
        gone |= taken_away(zip(seqs, kinds, map(card_of, cards), open_, strict=True))
    return sorted(gone)
