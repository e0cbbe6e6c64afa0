"""Table-days stacked in one frame, so that one pass over its columns serves all of them, and findings at its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from replayer.engine.histories import SEATS
from replayer.integrity.inspection import Log
from replayer.log.columns import FLAT, within
from schemas.bounds import MOST_NUMBERED
from schemas.finding import Code, Finding

SPAN: Final = 1 << MOST_NUMBERED.bit_length()
"""The ``seq`` and ``round`` of the k-th table-day have k times this added; a single one is the stack of one."""
_OF_THE_DAY: Final = ("table_id", "gaming_day", "table_game", "table_currency", "table_seats")
_UNUSED: Final = ("shoe_shoe", "remark_refers_to")
_STACKED: Final = [name for name in FLAT if name not in _OF_THE_DAY + _UNUSED and not name.startswith("option_")]
_BOUNDS: Final = {
    **dict.fromkeys(("seq", "round"), (0, SPAN - 1)),
    **dict.fromkeys(("card_seat", "decision_seat", "wager_seat"), (1, SEATS - 1)),
}


def stack(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Table-days one below the other, without the columns that are read of each alone (its name, its options); see :data:`SPAN`.

    Raises:
        AssertionError: a number or a seat, which an integrity check should have removed, would reach into another table-day.
    """
    chosen = [frame[_STACKED] for frame in frames]
    if not all(within(frame[name], *bound) for frame in chosen for name, bound in _BOUNDS.items()):
        raise AssertionError("a number or a seat of a stacked event would not fit")
    if len(chosen) == 1:
        return chosen[0]
    stacked = pl.concat(chosen, rechunk=True)
    of_day = pl.concat(
        pl.Series([number * SPAN]).new_from_index(0, frame.height) for number, frame in enumerate(chosen)
    )
    return stacked.with_columns(pl.col("seq", "round") + of_day)


def gaps_between_rounds(events: pl.DataFrame) -> pl.Series:
    """The stacked sequence numbers of events after a gap that is not within a round: a shuffle may be missing there."""
    behind = (events["seq"].diff() > 1).arg_true()  # few
    here, before = (events[["seq", "round"]][rows] for rows in (behind, behind - 1))
    of_a_day = here["seq"] // SPAN == before["seq"] // SPAN
    same_round = (here["round"] == before["round"]).fill_null(value=False)
    return here["seq"].filter(of_a_day & ~same_round)


FindingOfDay = tuple[int, Finding]
"""A finding with the number of its table-day among the stacked ones, of which several may be the same sealed table-day."""


def finding_at(
    logs: Sequence[Log],
    code: Code,
    seq: int,
    message: str,
    *,
    round_: int | None = None,
    seat: int | None = None,
    article: str = "",
    delta_minor: int | None = None,
    stake_minor: int | None = None,
) -> FindingOfDay:
    """A finding at a stacked ``seq``; ``round_``, if given, is stacked too."""
    day, number = seq // SPAN, None if round_ is None else round_ % SPAN
    at = logs[day].table_id, logs[day].gaming_day, seq % SPAN, number, seat
    return day, Finding(code, *at, article, message, delta_minor, stake_minor=stake_minor)
