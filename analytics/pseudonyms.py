"""Player ids on their way into the lake: replaced by their pseudonyms."""

from __future__ import annotations

import polars as pl

from schemas.identity import Pseudonyms


def pseudonymised(frame: pl.DataFrame, pseudonyms: Pseudonyms) -> pl.DataFrame:
    """The frame with its ``player`` column replaced, nulls kept; frames without one come back as they are."""
    if "player" not in frame.columns:
        return frame
    known = frame["player"].drop_nulls().unique().to_list()
    names = [pseudonyms.of(player) for player in known]
    return frame.with_columns(pl.col("player").replace_strict(known, names, return_dtype=pl.String))
