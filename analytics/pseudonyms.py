"""Replaces player ids by pseudonyms before they enter the lake."""

from __future__ import annotations

import polars as pl

from schemas.identity import Pseudonyms


def pseudonymised(frame: pl.DataFrame, pseudonyms: Pseudonyms) -> pl.DataFrame:
    """The frame with pseudonyms in its ``player`` column, nulls kept; a frame without that column is returned unchanged."""
    if "player" not in frame.columns:
        return frame
    players = frame["player"].unique()
    named = [None if player is None else pseudonyms.of(player) for player in players]
    names = pl.DataFrame({"player": players, "pseudonym": pl.Series(named, dtype=pl.String)})
    of_rows = frame.select("player").join(names, on="player", how="left", nulls_equal=True, maintain_order="left")
    return frame.with_columns(of_rows["pseudonym"].alias("player"))
