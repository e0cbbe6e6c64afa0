"""A simulated archive as the replayer judges it: its table-days together, which takes half the time of one after the other."""

from __future__ import annotations

from pathlib import Path

from replayer.verdicts.replay import Replayed, replay_table_days
from tests.archives import logs_in


def judged(archive: Path) -> dict[str, Replayed]:
    """By table; each is there on one day."""
    days = logs_in(archive)
    made = {day.table_id: replayed for day, replayed in zip(days, replay_table_days(days), strict=True)}
    assert len(made) == len(days)
    return made
