"""Cards of the bank that were taken away again (:mod:`replayer.engine.removed_cards`), of many rounds at once."""

from __future__ import annotations

import polars as pl

from replayer.cards import card_of
from replayer.columns import is_kind
from replayer.engine.event_symbols import CARD_KINDS
from replayer.engine.removed_cards import taken_away
from schemas.cards import UNKNOWN


def of_bank(rows: pl.DataFrame, card: str, bank: pl.Expr) -> list[int]:
    """The numbers of the events by which they were dealt and turned, of any rounds; ``rows`` are events, ``card`` is the column
    that names a card, ``bank`` which rows are the bank's."""
    removed = rows.lazy().filter(is_kind("CardRemoved") & bank).select("ri").unique().collect()
    if removed.is_empty():
        return []
    acts = rows.lazy().filter(is_kind(*CARD_KINDS) & bank).join(removed.lazy(), on="ri", how="semi").sort("ri", "seq")
    named = pl.col(card).cast(pl.String).fill_null(UNKNOWN)
    hands = (
        acts.select("ri", "seq", pl.col("kind").cast(pl.String), named)
        .collect()
        .group_by("ri")
        .agg("seq", "kind", card)
    )
    gone: set[int] = set()
    for seqs, kinds, cards in hands.select("seq", "kind", card).iter_rows():
        gone |= taken_away(zip(seqs, kinds, map(card_of, cards), strict=True))
    return sorted(gone)
