"""What is timed of our own: replay and settlement from columns. Apart, so that worker processes can import it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from replayer.integrity.log import TableDay
from replayer.sources.archive import TableDayRef, read_columns
from replayer.verdicts.replay import replay_table_days
from replayer.verdicts.run import batches


def replay_columns(refs: Sequence[TableDayRef]) -> tuple[int, int, float]:
    """Replay and settle table-days from columns; reading them is not timed. Gives events, rounds, seconds."""
    events = rounds = 0
    seconds = 0.0
    for batch in batches(refs):
        days = [TableDay(ref.table_id, ref.gaming_day, read_columns(ref)) for ref in batch]
        began = time.perf_counter()
        replayed = replay_table_days(days)
        seconds += time.perf_counter() - began
        events += sum(day.events.height for day in days)
        rounds += sum(day.rounds.height for day in replayed)
    return events, rounds, seconds
