"""A simulated archive as the replayer judges it: its table-days together, which takes half the time of one after the other."""

from __future__ import annotations

from pathlib import Path

from replayer.sources.archive import read_columns, table_days
from replayer.verdicts.replay import Replayed, TableDay, replay_table_days


def judged(archive: Path) -> dict[str, Replayed]:
    """By table; each is there on one day."""
    days = [TableDay(ref.table_id, ref.gaming_day, read_columns(ref)) for ref in table_days(archive)]
    made = {day.table_id: replayed for day, replayed in zip(days, replay_table_days(days), strict=True)}
    assert len(made) == len(days)
    return made
