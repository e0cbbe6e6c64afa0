"""Takes the events of some rounds at a time: cutting them into situations needs several times their memory.

No round is divided. Where rounds of a log overlap, its rows are ordered by round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import polars as pl

ROWS_AT_A_TIME: Final = 1 << 18
"""Rounds of up to so many events are cut together: more than a batch of table-days has."""
_COLUMNS: Final = (
    *("seq", "at", "kind", "card_card", "card_face", "card_hand", "card_seat"),
    *("decision_action", "decision_hand", "decision_points", "decision_seat"),
    *("shoe_behind", "shoe_cut_by", "shoe_decks", "shoe_method"),
    *("wager_hand", "wager_kind", "wager_player", "wager_position", "wager_seat", "wager_stake_minor"),
)


def begins_of(keys: pl.Series) -> pl.Series:
    """Marks the first row of each run of equal keys."""
    first = pl.Series([True]).head(keys.len())
    return pl.concat([first, keys.slice(1) != keys.slice(0, keys.len() - first.len())], rechunk=True)


def ends_of(keys: pl.Series) -> pl.Series:
    """Marks the last row of each run of equal keys."""
    begins = begins_of(keys)
    return pl.concat([begins.slice(1), pl.Series([True]).head(keys.len())], rechunk=True)


def by_round(count: int, ri: pl.Series, values: pl.Series, missing: int | None = None) -> pl.Series:
    """The first value of each of ``count`` rounds, from values in order with the index of their round (``ri``)."""
    first = begins_of(ri)
    empty = pl.Series([missing], dtype=values.dtype).new_from_index(0, count)
    return empty.scatter(ri.filter(first), values.filter(first))


def some_at_a_time(
    inside: pl.DataFrame, rounds: int, rows: int | None = None
) -> Iterator[tuple[pl.DataFrame, int, int]]:
    """The rows of rounds (sorted by ``ri``), some rounds at a time, with the index of the first round and the number of rounds.

    Rounds without rows are counted too; ``rows`` is the approximate number of rows at a time.
    """
    begins = begins_of(inside["ri"]).arg_true()
    full = begins // (rows or ROWS_AT_A_TIME)
    cuts = begins.filter(begins_of(full)).to_list()[1:]
    firsts = [0, *inside["ri"].gather(cuts), rounds]
    for (begin, end), (first, after) in zip(pairwise([0, *cuts, inside.height]), pairwise(firsts), strict=True):
        yield inside.slice(begin, end - begin), first, after - first


def rows_of(frame: pl.DataFrame, first: int, count: int) -> pl.DataFrame:
    """The rows (sorted by ``ri``) of ``count`` rounds from ``first`` on."""
    begin, end = frame["ri"].search_sorted(pl.Series([first, first + count]))
    return frame.slice(begin, end - begin)


def events_of(frame: pl.DataFrame, inside: pl.DataFrame, first: int) -> pl.DataFrame:
    """The events of a frame (schema ``FLAT``) in some rounds, with the rounds' index ``ri`` counted from ``first``."""
    return events_at(frame, inside["row"], _COLUMNS).hstack([inside["ri"] - first])


def events_at(frame: pl.DataFrame, row: pl.Series, columns: Sequence[str]) -> pl.DataFrame:
    """Some columns of the rows of a frame; only the slice of the frame that holds the rows is searched."""
    begin, end = (bound if isinstance(bound, int) else 0 for bound in (row.min(), row.max()))
    near = frame[list(columns)].slice(begin, end - begin + 1)
    if not row.is_sorted():
        return near[row - begin]
    there = pl.Series([False]).new_from_index(0, near.height).scatter(row - begin, values=True)
    return near.filter(there)  # in an eighth of the time
