"""Checks that denominations of chips add up to the amount beside them: a slip states both."""

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
_CHIPS: Final = pl.col("chips_denominations")
_TOTAL: Final = _CHIPS.list.eval(_OF_ONE).list.sum()


def denominations_differ(events: pl.DataFrame) -> bool:
    """Whether :func:`differing` has any."""
    return next(differing(events), None) is not None


def differing(events: pl.DataFrame) -> Iterator[tuple[int, str]]:
    """The ``seq`` of each event (schema ``FLAT``) whose denominations, if any, do not add up to its amount, and the message."""
    counts = events.select("seq", "chips_amount_minor", _CHIPS).filter(_CHIPS.list.len() > 0)
    rows = counts.select("seq", "chips_amount_minor", total=_TOTAL)
    for seq, amount, total in rows.filter(pl.col("chips_amount_minor") != pl.col("total")).iter_rows():
        yield seq, f"{format_amount(amount)} by denominations that come to {format_amount(total)}"
