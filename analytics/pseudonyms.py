"""Replaces player ids by pseudonyms before they enter the lake."""

from __future__ import annotations

import polars as pl

from schemas.identity import Pseudonyms


def pseudonymised(frame: pl.DataFrame, pseudonyms: Pseudonyms) -> pl.DataFrame:
    """The frame with pseudonyms in its ``player`` column, nulls kept; a frame without that column is returned unchanged."""
    if "player" not in frame.columns:
        return frame
    names = {player: pseudonyms.of(player) for player in frame["player"].unique().drop_nulls()}
    return frame.with_columns(pl.col("player").replace(names))
