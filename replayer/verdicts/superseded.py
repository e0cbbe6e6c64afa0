"""What stood in the verdicts of a table-day that was sealed before its books were closed, and a later part answered.

Until its closing count a table-day's books are open, part after part, so that a later part is judged with those before it: a
round that had no end gets one, a wager its settlement, the table its closing. What was found by then was found, and it stands
beside, with the part that answers it. What comes behind the closing changes no verdict, but of a round that began there and has
no end yet.

A later part takes no finding away but where something was open: the last round, a wager that is carried on, what the table
elected, its opening and closing. All other rounds stand as they were sealed (:mod:`replayer.integrity.books`). So a table-day is
judged as it was sealed only where the next part could have answered anything, and not once for each of its parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, Final

import polars as pl

from replayer.columns import is_kind
from replayer.integrity.books import below_earlier_parts
from replayer.integrity.log import OWN_ROUND, TableDay
from replayer.law.calendar import games
from schemas.finding import Severity

_KEY: Final = ("code", "seq", "round", "seat", "article", "delta_minor")
_CHANGES_NOTHING: Final = (
    "DealerEntered",
    "DealerLeft",
    "ChipsFilled",
    "ChipsCredited",
    "CashBoughtIn",
    "ShoeShuffled",
    "CardBurned",
    "CutCardDrawn",
)
"""Kinds of which an event outside all rounds changes nothing that came before it."""
_EVENTS_AT_A_TIME: Final = 50_000
"""Table-days as they were sealed before are judged together up to so many events."""
_CARRIED: Final = sorted({kind for game in games().values() for kind in game.wagers.carried})


def what_stood(
    days: Sequence[TableDay],
    findings: Sequence[pl.DataFrame],
    judge: Callable[[Sequence[TableDay]], Sequence[pl.DataFrame]],
) -> list[pl.DataFrame]:
    """What had been found of each table-day and a later part answered, as further rows of its ``findings``.

    ``judge`` gives the findings of some table-days; it is asked for some at a time, whichever table-day they are a part of.
    """
    sealed = [(number, before) for number, day in enumerate(days) for before in as_sealed_before(day)]
    found: list[list[tuple[int, pl.DataFrame]]] = [[] for _ in days]
    for some in _some_at_a_time(sealed):
        judged = judge([before for _, before in some])
        for (number, before), frame in zip(some, judged, strict=True):
            found[number].append((len(before.parts), frame))
    return [
        _no_longer_found(before, now) if before else now.clear() for before, now in zip(found, findings, strict=True)
    ]


def _some_at_a_time(sealed: Sequence[tuple[int, TableDay]]) -> Iterator[list[tuple[int, TableDay]]]:
    """As many as share the fixed costs of judging, and few enough that they need little room."""
    some: list[tuple[int, TableDay]] = []
    room = _EVENTS_AT_A_TIME
    for number, before in sealed:
        if some and before.events.height > room:
            yield some
            some, room = [], _EVENTS_AT_A_TIME
        some.append((number, before))
        room -= before.events.height
    if some:
        yield some


def as_sealed_before(day: TableDay) -> list[TableDay]:
    """A table-day as it was each time when a part was sealed and the next one could answer something that was found by then:
    anything that was open up to the part that holds its closing, behind it a round alone."""
    if len(day.parts) < 2:
        return []
    ends = list(accumulate(day.parts))
    closings = day.events.with_row_index().filter(is_kind("TableClosed"))["index"]
    closed = day.events.height if closings.is_empty() else int(closings[0])
    part = pl.concat([pl.repeat(number, count, dtype=pl.Int64, eager=True) for number, count in enumerate(day.parts)])
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
    """The parts behind which the next one elects, opens or closes anything, and those behind which a wager is carried on."""
    outside = pl.col("round").is_null()
    changing = rows.filter(outside & ~is_kind(*_CHANGES_NOTHING, "CorrectionMade"))["part"]
    carried = rows.filter(is_kind("WagerPlaced") & pl.col("wager_kind").is_in(_CARRIED))["part"].min()
    found = set() if carried is None else set(range(int(str(carried)), parts))
    return found | {number - 1 for number in changing.unique()}


def _with_open_round(rows: pl.DataFrame, parts: int) -> set[int]:
    """The parts behind which the last round has no end yet."""
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
    """What was found when so many parts were sealed (in order) and is not found any more in the end."""
    now = _counted(findings)
    rows: list[dict[str, Any]] = []
    after = [*(frame for _, frame in before), findings][1:]
    for (part, found), next_ in zip(before, after, strict=True):
        gone = _counted(found) - _counted(next_) - now
        for row in _grave(found):
            if gone[_key(row)] > 0:
                gone[_key(row)] -= 1
                now[_key(row)] += 1
                rows.append({**row, "message": f"{row['message']}; answered by part {part}, which came later"})
    return pl.DataFrame(rows, schema=findings.schema)


def _grave(findings: pl.DataFrame) -> Iterator[dict[str, Any]]:
    return findings.filter(pl.col("severity") != Severity.ADVISORY).iter_rows(named=True)


def _counted(findings: pl.DataFrame) -> Counter[tuple[object, ...]]:
    return Counter(_key(row) for row in _grave(findings))


def _key(row: dict[str, Any]) -> tuple[object, ...]:
    return tuple(row[name] for name in _KEY)
