"""What stood in the verdicts of a table-day that was sealed before its books were closed, and a later part answered.

Until its closing count a table-day's books are open, part after part, so that a later part is judged with those before it: a
round that had no end gets one, a wager its settlement, the table its closing. What was found by then was found, and it stands
beside, with the part that answers it. Behind the closing nothing has to be kept: what comes there changes no verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any, Final

import polars as pl

from replayer.columns import is_kind
from replayer.integrity.log import TableDay
from schemas.finding import Severity

_KEY: Final = ("code", "seq", "round", "seat", "article", "delta_minor")


def as_sealed_before(day: TableDay) -> list[TableDay]:
    """A table-day as it was each time when a part was sealed, before the one that holds its closing or is its last."""
    ends = list(accumulate(day.parts))[:-1]
    closings = day.events.with_row_index().filter(is_kind("TableClosed"))["index"]
    closed = day.events.height if closings.is_empty() else int(closings[0])
    return [
        replace(day, events=day.events[:end], parts=day.parts[: number + 1])
        for number, end in enumerate(ends)
        if end <= closed
    ]


def answered(findings: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """What was found at some sealing (the frames but the last, in order) and is not found any more in the last one."""
    now = _counted(findings[-1])
    rows: list[dict[str, Any]] = []
    for part, (before, after) in enumerate(pairwise(findings), 1):
        gone = _counted(before) - _counted(after) - now
        for row in _grave(before):
            if gone[_key(row)] > 0:
                gone[_key(row)] -= 1
                now[_key(row)] += 1
                rows.append({**row, "message": f"{row['message']}; answered by part {part}, which came later"})
    return pl.DataFrame(rows, schema=findings[-1].schema)


def _grave(findings: pl.DataFrame) -> Iterator[dict[str, Any]]:
    return findings.filter(pl.col("severity") != Severity.ADVISORY).iter_rows(named=True)


def _counted(findings: pl.DataFrame) -> Counter[tuple[object, ...]]:
    return Counter(_key(row) for row in _grave(findings))


def _key(row: dict[str, Any]) -> tuple[object, ...]:
    return tuple(row[name] for name in _KEY)
