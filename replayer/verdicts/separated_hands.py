"""Gives the cards of separated hands their places, by columns: the last of two cards goes to the seat's next hand."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import polars as pl

from replayer.engine.packed_events import HANDS, hand_of
from replayer.log.columns import is_kind

_KEY: Final = (pl.col("place") // HANDS).alias("key")
_HAND: Final = pl.col("place") % HANDS


class SeparatedHands(NamedTuple):
    """The cards that went to further hands, as rows of the acts, with the places of these hands; and the keys of the seats of
    which columns do not tell whose the cards are."""

    rows: pl.Series
    places: pl.Series
    unclear: pl.Series


def separate(acts: pl.DataFrame, separating: pl.Series, unnamed: pl.Series, happened: pl.DataFrame) -> SeparatedHands:
    """Separate the hands of seats.

    Args:
        acts: cards and decisions, by ``place`` and in order, with ``seq`` and ``kind``.
        separating: the rows of the acts that are decisions to make two hands of one (``Actions.separating``).
        unnamed: the places with a card that was not fully named when dealt.
        happened: all that happened at these seats, as in :class:`replayer.engine.histories.Histories`.

    A seat is unclear unless its cards are named, each decision is on two cards, and its further hands are those that decisions
    make: each has a card or a decision, and the first that happens at it comes after its decision and before the next one.
    """
    further = happened.filter(hand_of("code") > 0).select("seq", further=pl.col("key") * HANDS + hand_of("code"))
    if separating.is_empty():
        return SeparatedHands(separating, further["further"].clear(), further["further"] // HANDS)
    begun = further.group_by("further").agg(begun=pl.col("seq").min())
    place, rows = acts["place"].to_numpy(), separating.to_numpy()
    dealt = acts.select(pl.arg_where(is_kind("CardDealt"))).to_series().to_numpy()
    before = np.searchsorted(dealt, rows)
    own = before - np.searchsorted(dealt, np.searchsorted(place, place[rows]))
    given = np.arange(len(rows)) - np.searchsorted(place[rows], place[rows])  # to further hands before
    made = (
        acts[["seq", "place"]][rows]
        .with_columns(_KEY, card=pl.Series(np.insert(dealt, 0, 0)[before]), held=pl.Series(own - given) + (_HAND > 0))
        .sort("key", "seq")
        .with_columns(number=pl.int_range(1, pl.len() + 1).over("key"), next=pl.col("seq").shift(-1).over("key"))
        .with_columns(further=pl.col("key") * HANDS + pl.col("number"))
        .join(begun, on="further", how="left", maintain_order="left")
    )
    acted = made["further"].is_in(acts["place"].filter(acts["place"] % HANDS > 0).implode())
    clear = acted & (made["held"] == 2) & ~made["key"].is_in((unnamed // HANDS).implode())
    in_time = (pl.col("begun") > pl.col("seq")) & (pl.col("begun") < pl.col("next")).fill_null(value=True)
    clear &= made.select(in_time.fill_null(value=False)).to_series()
    not_made = begun.join(made, on="further", how="anti")["further"] // HANDS
    unclear = pl.concat([not_made, made["key"].filter(~clear)])
    known = made.filter(~pl.col("key").is_in(unclear.implode()))
    return SeparatedHands(known["card"], known["further"], unclear)
