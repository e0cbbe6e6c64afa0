"""A table-day of table T1 told in the notation, how it begins and ends, as columns, and what is judged of it."""

from __future__ import annotations

import datetime as dt

import polars as pl

from replayer.engine.replay_settings import ReplaySettings
from replayer.log.columns import TableDay, columns_of
from replayer.verdicts.replay import Replayed, replay_table_days
from schemas.notation import parse_events

DAY = dt.date(2009, 6, 1)
CLOSED = "#- dealer-D1 drop=0 close=50000"
ONE_BURNED = "option:burn_initial=one:DICJ-1:2009-05-04:2009-05-20:2009-06-01"


def opened(
    options: str = "", game: str = "black_jack", *, chips: int = 50000, prepared: bool = True, burned: int = 0
) -> str:
    """How a table is opened that elected some options, and its cards prepared, before its first round."""
    shoe = "shuffle:1:hand:6 cut:1:player white:1:60" if game == "black_jack" else "shuffle:1:machine:1"
    return f"open:{game}:MOP:7={chips} {options} dealer+D1 {prepared * (shoe + ' !-??' * burned)}"


def frame_of(text: str, day: dt.date = DAY) -> pl.DataFrame:
    """Its events as columns."""
    return columns_of(parse_events(text, gaming_day=day))


def table_day_of(text: str, day: dt.date = DAY) -> TableDay:
    """It as it is read from an archive."""
    return TableDay("T1", day, frame_of(text, day))


def replay_text(text: str, day: dt.date = DAY, settings: ReplaySettings | None = None) -> Replayed:
    """The verdicts on it."""
    return replay_frame(frame_of(text, day), day, settings)


def replay_frame(events: pl.DataFrame, day: dt.date = DAY, settings: ReplaySettings | None = None) -> Replayed:
    """The same of its events, which somebody may have altered."""
    return replay_table_days([TableDay("T1", day, events)], settings)[0]
