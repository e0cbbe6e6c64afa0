"""Takes the events of some rounds at a time: cutting them into situations needs several times their memory.

No round is divided. Where the rounds of a log reach into each other, its rows stand in the order of their rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import polars as pl

TOGETHER: Final = 1 << 18
"""Rounds are cut together up to so many events: more than a batch of table-days has."""
READ: Final = (
    "card_card",
    "card_face",
    "decision_points",
    "shoe_behind",
    "shoe_decks",
    "wager_hand",
    "wager_player",
    "wager_position",
    "wager_stake_minor",
)
_SEAT: Final = ("card_seat", "decision_seat", "wager_seat")
_HAND: Final = ("card_hand", "decision_hand", "wager_hand")
_TEXT: Final = ("decision_action", "wager_kind", "shoe_method", "shoe_cut_by", "remark_cause")
_OF_EVENTS: Final = list(dict.fromkeys(("seq", "at", "kind", "round", *READ, *_SEAT, *_HAND, *_TEXT)))


def some_at_a_time(
    inside: pl.DataFrame, rounds: int, together: int | None = None
) -> Iterator[tuple[pl.DataFrame, int, int]]:
    """The rows of rounds (sorted by ``ri``), some rounds at a time, with the index of the first round and how many they are.

    All rounds are there, also those that have no rows; ``together`` is how many rows they have, more or less.
    """
    begins = (inside["ri"] != inside["ri"].shift()).fill_null(value=True).arg_true()
    full = begins // (together or TOGETHER)
    cuts = begins.filter((full != full.shift()).fill_null(value=True)).to_list()[1:]
    firsts = [0, *inside["ri"].gather(cuts), rounds]
    for (begin, end), (first, after) in zip(pairwise([0, *cuts, inside.height]), pairwise(firsts), strict=True):
        yield inside.slice(begin, end - begin), first, after - first


def rows_of(frame: pl.DataFrame, first: int, count: int) -> pl.DataFrame:
    """The rows (sorted by ``ri``) of so many rounds from ``first`` on."""
    begin, end = frame["ri"].search_sorted(pl.Series([first, first + count]))
    return frame.slice(begin, end - begin)


def events_of(frame: pl.DataFrame, inside: pl.DataFrame, first: int) -> pl.DataFrame:
    """The events of a frame (schema ``FLAT``) in the rows of some rounds, whose indices count from ``first``.

    Whatever their kind, they have one ``seat``, ``hand`` and ``text``.
    """
    return (
        events_at(frame, inside["row"], _OF_EVENTS)
        .lazy()
        .select(
            "seq",
            "at",
            "kind",
            "round",
            *READ,
            ri=inside["ri"] - first,
            seat=pl.coalesce(_SEAT),
            hand=pl.coalesce(_HAND).fill_null(0),
            text=pl.coalesce(_TEXT).cast(pl.String).fill_null(""),
        )
        .collect()
    )


def events_at(frame: pl.DataFrame, row: pl.Series, columns: Sequence[str]) -> pl.DataFrame:
    """Some columns of the rows of a frame; those that lie near each other are not looked for in all of it."""
    begin, end = (bound if isinstance(bound, int) else 0 for bound in (row.min(), row.max()))
    return frame.slice(begin, end - begin + 1).select(columns)[row - begin]
