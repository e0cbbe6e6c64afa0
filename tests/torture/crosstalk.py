"""Odd table-days beside healthy ones: whatever a recorder accepts at one table, or another program wrote, or was put wrong in it,
its neighbours' verdicts do not change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from flows.runs import run_nightly
from replayer.log.columns import events_of
from replayer.sources.archive import read_table_day
from replayer.sources.table_days import TableDayRef, table_days
from schemas.event import Event
from tests.archives import record
from tests.disturbed import disturbed
from tests.odd import odd_table_day, write_foreign
from tests.torture.ground import DAY, Ground, rows_of


def neighbours(ground: Ground, rng: Random) -> str | None:
    """A few odd tables in the same night, half of them written past the contract."""
    odd = [f"{rng.choice(('AA', 'F2', 'ZZ'))}-ODD{number}" for number in range(rng.randrange(1, 3))]
    healthy = table_days(ground.archive)
    for table_id in odd:
        if rng.random() < 0.5:
            write_foreign(ground.archive, _disturbed_copy(rng.choice(healthy), table_id, rng))
            continue
        seed = rng.randrange(2**16)
        seed -= seed % 8 == 7 and rng.random() < 0.8  # those with thousands of texts take their time
        events = odd_table_day(seed, table_id, DAY)
        (record if rng.random() < 0.5 else write_foreign)(ground.archive, events)
    if rng.random() < 0.7:
        ground.lake.rename(ground.folder / "no-lake")
    run_nightly(ground.archive, ground.lake, DAY)
    seen = rows_of(ground.lake)
    if seen is None:
        return f"{odd}: the lake cannot be read"
    own = {name: [row for row in rows if row[0] not in odd] for name, rows in seen.items()}
    changed = [name for name, rows in own.items() if rows != ground.rows[name]]
    return f"beside {odd} the healthy tables' {', '.join(changed)} are others" if changed else None


def _disturbed_copy(healthy: TableDayRef, table_id: str, rng: Random) -> Sequence[Event]:
    """A healthy table-day with a few things put wrong, as that of another table."""
    events = list(events_of(read_table_day(healthy).events))
    return [replace(event, table_id=table_id) for event in disturbed(events, rng)]
