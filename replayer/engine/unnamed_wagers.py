"""Finds the players of wagers without one on a seat where other wagers name players."""

from __future__ import annotations

from typing import Final

import polars as pl

from replayer.columns import is_wager, widened
from replayer.game import WagerKinds

_PLACE: Final = ("ri", "seat")


def with_players(wagers: pl.DataFrame, kinds: WagerKinds) -> pl.DataFrame:
    """Fill in the players of wagers (``ri``, ``seat``, ``kind``, ``player``) that name none.

    A further wager is placed by whoever placed the base wager: where all base wagers of a seat name one player, it is his; a
    single unnamed base wager belongs to the only player with a wager on its hands. Where a seat has base wagers of several
    players, or of a named and an unnamed one, the player stays unknown.
    """
    missing = wagers["player"].null_count()
    if missing in (0, wagers.height):
        return wagers
    base = is_wager(kinds.base)
    own = is_wager(kinds.base | kinds.seat | kinds.play | kinds.carried)
    bets, named = pl.col("player").filter(base), pl.col("player").filter(own).drop_nulls()
    known = (named.n_unique() == 1) & ((bets.len() == 1) | ((bets.len() > 1) & (bets.null_count() == 0)))
    unnamed = wagers.filter(pl.col("player").is_null()).select(_PLACE).unique()
    there = wagers.join(unnamed, on=_PLACE, how="semi")
    owner = there.group_by(_PLACE).agg(owner=pl.when(known).then(named.first()))
    return widened(wagers, owner, _PLACE).with_columns(player=pl.coalesce("player", "owner")).drop("owner")
