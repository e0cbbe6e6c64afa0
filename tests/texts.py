"""A table-day of table T1 told in the notation, as columns, and what is judged of it."""

from __future__ import annotations

import datetime as dt

import polars as pl

from replayer.engine.replay_settings import ReplaySettings
from replayer.integrity.inspection import TableDay
from replayer.log.columns import columns_of
from replayer.verdicts.replay import Replayed, replay_table_days
from schemas.notation import parse_events

DAY = dt.date(2009, 6, 1)


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
