"""Tells situations that no rule can tell apart in the same words, so that they are judged once.

Cards that may change places (``Game.interchangeable_cards``: the suits of one game, the ten-values of the other) are named in
the order in which a story first tells of them; cards that came one after the other stand in the order of their ranks where
that makes no difference (``Game.any_order``); seats are numbered from the left. What comes out is the story of a round that
might have been as well, so nothing is wrong in it that is not wrong in the true one, and which card or seat it was, that tells.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from replayer.columns import CARDS
from replayer.engine.packing import VALUES, value_of, with_value
from replayer.game import Game
from schemas.cards import UNKNOWN, UNKNOWN_SUIT

_CARDS: Final = CARDS.categories.to_list()


def with_canonical_cards(rows: pl.DataFrame, game: Game, of: str) -> pl.DataFrame:
    """Rows of the stories ``of`` seats or banks (``key``, ``seq``, ``code``, ``is_card``; sorted by the first two) as ``key``
    and ``code`` in the order in which they are to be told."""
    if of in game.any_order:
        rows = rows.with_columns(code=_runs_in_order(rows))
    which, renamed = _names(game)
    width = len(game.interchangeable_cards) + 1
    cards = (
        rows.lazy()
        .select("key", "code", "is_card", row=pl.int_range(pl.len()))
        .filter("is_card")
        .select("row", "key", "code", value=value_of("code"))
        .with_columns(what=pl.col("key") * width + pl.lit(which).gather(pl.col("value")))
        .collect()
    )
    alike = cards.filter(pl.col("what").is_not_null())
    first = pl.col("key") != pl.col("key").shift()
    number = pl.int_range(pl.len())
    names = (
        alike.group_by("what", maintain_order=True)
        .agg(pl.col("key").first())
        .select("what", name=number - pl.when(first.fill_null(value=True)).then(number).forward_fill())
    )
    named = cards.join(names, on="what", how="left", maintain_order="left").select(
        "row",
        code=with_value(
            "code",
            pl.lit(renamed).gather(pl.col("value") * width + pl.col("name").fill_null(width - 1)),
        ),
    )
    return rows.select("key", rows["code"].scatter(named["row"], named["code"]))


def _runs_in_order(rows: pl.DataFrame) -> pl.Series:
    """The codes of sorted rows, those of cards that came one after the other, alike in all but the card, in order."""
    like = pl.col("code") // VALUES
    goes_on = pl.col("is_card") & (pl.col("key") == pl.col("key").shift()) & (like == like.shift())
    run = (~goes_on.fill_null(value=False)).cum_sum().cast(pl.Int64)
    within = pl.col("code") % VALUES  # all that differs within a run
    return rows.select(code=like * VALUES + (run * VALUES + within).sort() % VALUES)["code"]


def _names(game: Game) -> tuple[pl.Series, pl.Series]:
    """By the number of a card: which of the alike it has, null where none; and by card and name the number of the card so named,
    the last of each card's names being none."""
    number = {card: at for at, card in enumerate(_CARDS)}
    which: list[int | None] = []
    renamed: list[int] = []
    for card in _CARDS:
        has = next((letter for letter in card if letter in game.interchangeable_cards), None)
        which.append(None if has is None else game.interchangeable_cards.index(has))
        for name in (*game.interchangeable_cards, has):
            told = card if has is None or name is None else card.replace(has, name)
            renamed.append(number[told if game.suited or card == UNKNOWN else told[0] + UNKNOWN_SUIT])
    return pl.Series(which, dtype=pl.Int64), pl.Series(renamed, dtype=pl.Int64)


def seats_from_the_left(places: pl.DataFrame, most: int) -> pl.DataFrame:
    """For each ``ri`` and ``seat`` its ``number`` among the seats of its round, from the left; its own one in rounds where a
    seat is above ``most``, which must be told."""
    seats = places.unique().sort("ri", "seat")
    number = pl.int_range(pl.len())
    first = (pl.col("ri") != pl.col("ri").shift()).fill_null(value=True)
    return seats.with_columns(
        number=number - pl.when(first).then(number).forward_fill() + 1, last=pl.col("seat").max().over("ri")
    ).select("ri", "seat", number=pl.when(pl.col("last") > most).then("seat").otherwise("number").cast(pl.Int64))
