"""Superseded findings: those on a table-day sealed with open books that a later part answered.

A finding on the earlier parts alone is kept, and names the part that answers it. Only where something was open can a later part
answer one: the last round, a carried wager, the elected options, the table's opening and closing; after the closing only a round
that began there and has no end yet. All other rounds stay as sealed (:mod:`replayer.integrity.books`). So a table-day is judged
as it was sealed only where the next part could have answered something, and not once for each of its parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Final, cast

import polars as pl

from replayer.integrity.books import below_earlier_parts
from replayer.integrity.checks import OWN_ROUND
from replayer.law.calendar import games
from replayer.log.columns import TableDay, is_kind
from replayer.processes.spread import some_of_size
from schemas.finding import Severity

_KEY: Final = ("code", "seq", "round", "seat", "article", "delta_minor")
_CHANGES_NOTHING: Final = (
    *("DealerEntered", "DealerLeft", "ChipsFilled", "ChipsCredited", "CashBoughtIn"),
    *("ShoeShuffled", "CardBurned", "CutCardDrawn"),
)
"""Kinds of events that, outside of rounds, change nothing before them."""
_EVENTS_AT_A_TIME: Final = 50_000
"""Events of earlier states of table-days judged together: enough to share the fixed costs, few enough to need little memory."""
_CARRIED: Final = sorted({kind for game in games().values() for kind in game.wagers.carried})


def superseded_findings(
    days: Sequence[TableDay],
    findings: Sequence[pl.DataFrame],
    judge: Callable[[Sequence[TableDay]], Sequence[pl.DataFrame]],
) -> list[pl.DataFrame]:
    """The superseded findings of each table-day, as further rows of its ``findings``; ``judge`` gives those of earlier states."""
    sealed = [(number, before) for number, day in enumerate(days) for before in earlier_states(day)]
    found: list[list[tuple[int, pl.DataFrame]]] = [[] for _ in days]
    for some in some_of_size(sealed, (before.events.height for _, before in sealed), _EVENTS_AT_A_TIME):
        judged = judge([before for _, before in some])
        for (number, before), frame in zip(some, judged, strict=True):
            found[number].append((len(before.parts), frame))
    return [
        _no_longer_found(before, now) if before else now.clear() for before, now in zip(found, findings, strict=True)
    ]


def earlier_states(day: TableDay) -> list[TableDay]:
    """The earlier states of a table-day, one for each part after which the next part could answer a finding: anything open before
    the closing, only an open round after it."""
    if len(day.parts) < 2:
        return []
    ends = list(accumulate(day.parts))
    closings = day.events.with_row_index().filter(is_kind("TableClosed"))["index"]
    closed = day.events.height if closings.is_empty() else int(closings[0])
    part = day.part_of_each
    rows = day.events.select("seq", OWN_ROUND, "kind", "wager_kind", part=part)
    again = rows.filter(pl.col("seq").is_duplicated())["part"].unique()
    counting = {*rows.filter(~below_earlier_parts(rows["seq"], part))["part"].unique(), *again}
    unended = _with_open_round(rows, len(ends))
    open_ = unended | _with_open_books(rows, len(ends)) | {number - 1 for number in again}
    return [
        replace(day, events=day.events[: ends[number]], parts=day.parts[: number + 1])
        for number in range(len(ends) - 1)
        if number + 1 in counting and number in (open_ if ends[number] <= closed else unended)
    ]


def _with_open_books(rows: pl.DataFrame, parts: int) -> set[int]:
    """The parts after which the next one elects, opens or closes something, and those after which a wager is carried."""
    outside = pl.col("round").is_null()
    changing = rows.filter(outside & ~is_kind(*_CHANGES_NOTHING, "CorrectionMade"))["part"]
    carried = rows.filter(is_kind("WagerPlaced") & pl.col("wager_kind").is_in(_CARRIED))["part"].min()
    found = set() if carried is None else set(range(cast("int", carried), parts))
    return found | {number - 1 for number in changing.unique()}


def _with_open_round(rows: pl.DataFrame, parts: int) -> set[int]:
    """The parts after which the last round has no end yet."""
    inside = rows.filter(pl.col("round").is_not_null() & ~is_kind("CorrectionMade"))
    ended = inside.filter(is_kind("RoundClosed", "RoundVoided")).group_by("round").agg(ended=pl.col("part").min())
    tops = inside.group_by("part").agg(pl.col("round").max()).sort("part").with_columns(pl.col("round").cum_max())
    ends = dict(tops.join(ended, on="round", how="left").select("part", pl.col("ended").fill_null(parts)).iter_rows())
    found, end = set(), 0
    for number in range(parts):
        end = ends.get(number, end)  # a part without a round leaves the last one as it was
        if end > number:
            found.add(number)
    return found


def _no_longer_found(before: Sequence[tuple[int, pl.DataFrame]], findings: pl.DataFrame) -> pl.DataFrame:
    """The findings on earlier states (each with its number of parts, in order) that the final state no longer has."""
    frames = (*(frame for _, frame in before), findings)
    states = [frame.filter(pl.col("severity") != Severity.ADVISORY) for frame in frames]
    now, counted = Counter(_keys(states[-1])), Counter(_keys(states[0]))
    rows: list[dict[str, object]] = []
    for (part, _), (found, next_) in zip(before, pairwise(states), strict=True):
        counted_next = Counter(_keys(next_))
        gone = counted - counted_next - now
        for key, row in zip(_keys(found), found.iter_rows(named=True), strict=True):
            if gone[key] > 0:
                gone[key] -= 1
                now[key] += 1
                rows.append({**row, "message": f"{row['message']}; answered by part {part}, which came later"})
        counted = counted_next
    return pl.DataFrame(rows, schema=findings.schema)


def _keys(findings: pl.DataFrame) -> list[tuple[object, ...]]:
    return findings.select(_KEY).rows()
