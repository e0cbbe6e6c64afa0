"""Chips told by their denominations, which come to the amount beside them: a slip is made out for each of these and in total."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from schemas.finding import Severity, declare
from schemas.money import format_amount

DENOMINATIONS_DIFFER: Final = declare(
    "DENOMINATIONS_DIFFER", Severity.INTEGRITY, "An amount of chips to which its denominations do not come"
)

_OF_ONE: Final = pl.element().struct.field("value_minor").cast(pl.Int128) * pl.element().struct.field("count")
_TOLD: Final = pl.when(pl.col("chips_denominations").list.len() > 0).then("chips_denominations")
_COME_TO: Final = _TOLD.list.eval(_OF_ONE).list.sum()
_DIFFER: Final = (pl.col("chips_amount_minor") != _COME_TO).fill_null(value=False)


def denominations_differ(events: pl.DataFrame) -> bool:
    """Whether the denominations of any event (schema ``FLAT``) come to another amount than its own."""
    told = events.select("chips_amount_minor", "chips_denominations").filter(
        pl.col("chips_denominations").is_not_null()
    )
    return bool(told.select(_DIFFER.any()).item())  # apart: to ask of every event takes room for each


def differing(events: pl.DataFrame) -> Iterator[tuple[int, str]]:
    """The ``seq`` of each such event, and what is wrong."""
    rows = events.select("seq", "chips_amount_minor", come_to=_COME_TO, differ=_DIFFER).filter("differ")
    for seq, amount, come_to in rows.drop("differ").iter_rows():
        yield seq, f"{format_amount(amount)} by denominations that come to {format_amount(come_to)}"
