"""Whether the cards that came out can have been in the shoe."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Final

import polars as pl

from schemas.cards import SUITS, UNKNOWN_SUIT
from schemas.finding import Finding, Severity, declare

CARD_IMPOSSIBLE: Final = declare("CARD_IMPOSSIBLE", Severity.INTEGRITY, "More copies of a card than the shoe holds")


def impossible_cards(
    events: pl.DataFrame, table_id: str, gaming_day: dt.date, decks: int, *, refilled_each_round: bool
) -> Iterator[Finding]:
    """Cards beyond the number of decks since the last shuffle (per round where used cards go back at once).

    ``decks`` counts where the log has no shuffle: then only the cards of single rounds can be held against it. A card
    dealt hidden and turned later counts once. A card of unknown suit counts for its rank, four times the decks.
    """
    cards = _known_cards(events)
    if cards.is_empty():
        return
    shuffles = events.filter(pl.col("kind") == "ShoeShuffled").select("seq", "shoe_decks")
    index = shuffles["seq"].search_sorted(cards["seq"], side="right")
    decks_of = pl.Series([decks, *(value or decks for value in shuffles["shoe_decks"].to_list())], dtype=pl.Int32)
    per_round = (pl.lit(index) == 0) | pl.lit(refilled_each_round)
    cards = cards.with_columns(
        shoe=index.cast(pl.Int64),
        decks=decks_of.gather(index),
        within=pl.when(per_round).then(pl.col("round")).otherwise(-1),
    )
    for name, copies in (("card", 1), ("rank", len(SUITS))):
        counted = cards if name == "rank" else cards.filter(pl.col("suit") != UNKNOWN_SUIT)
        pile = ["shoe", "within", name]
        counts = counted.group_by(pile).agg(count=pl.len(), decks=pl.col("decks").first())
        for row in counts.filter(pl.col("count") > pl.col("decks") * copies).sort(pile).iter_rows(named=True):
            allowed = row["decks"] * copies
            copies_of = counted.filter(*(pl.col(column) == row[column] for column in pile)).sort("seq")
            for seq, round_ in copies_of[allowed:].select("seq", "round").iter_rows():
                since = "in this round" if row["within"] >= 0 else f"since shuffle {row['shoe']}"
                message = f"{row['count']} of {row[name]} {since}, {row['decks']} deck(s) hold {allowed}"
                yield Finding(CARD_IMPOSSIBLE.code, table_id, gaming_day, seq=seq, round=round_, message=message)


def _known_cards(events: pl.DataFrame) -> pl.DataFrame:
    drawn = events.filter(pl.col("kind").is_in(("CardDealt", "CardBurned")) & pl.col("card_card").is_not_null())
    turned = events.filter(pl.col("kind") == "CardTurned")
    if turned.height:
        place = ["round", "card_seat", "card_hand"]
        hidden = events.filter((pl.col("kind") == "CardDealt") & pl.col("card_card").is_null()).select(place).unique()
        turned = turned.join(hidden, on=place, how="semi", nulls_equal=True)
    known = pl.concat([drawn, turned]).select("seq", "round", card=pl.col("card_card"))
    return known.with_columns(rank=pl.col("card").str.slice(0, 1), suit=pl.col("card").str.slice(1, 1)).with_columns(
        pl.col("round").fill_null(-2)
    )
