"""Player ids on their way into the lake: replaced by their pseudonyms."""

from __future__ import annotations

import polars as pl

from schemas.identity import Pseudonyms


def pseudonymised(frame: pl.DataFrame, pseudonyms: Pseudonyms) -> pl.DataFrame:
    """The frame with its ``player`` column replaced, nulls kept; frames without one come back as they are."""
    if "player" not in frame.columns:
        return frame
    players = frame["player"].to_list()
    names = {player: None if player is None else pseudonyms.of(player) for player in set(players)}
    return frame.with_columns(pl.Series("player", [names[player] for player in players], dtype=pl.String))
