"""Events appended when a table was closed, by somebody who wants a finding gone: all that was found stays found."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from random import Random

from analytics.lake import DayNote, read_note
from flows.summary import Night
from producers.sinks import SequenceConflict
from producers.sinks.archive import ArchiveSink
from replayer.sources.table_days import table_days
from schemas.codec import MessageUnreadable, encode
from schemas.event import Event, EventRejected
from tests.appended import attack
from tests.archives import read_events
from tests.lakes import connect
from tests.torture.ground import DAY, Ground


def found(ground: Ground, night: Night) -> Counter[tuple[object, ...]]:
    """All that is more than advice, by what must stay as it was."""
    with connect(ground.lake, DAY, DAY) as connection:
        rows = connection.sql(
            "SELECT table_id, code, seq, round, seat, delta_minor FROM findings WHERE severity <> 'advisory'"
        ).fetchall()
    custody = [(f.table_id, f.code, None, None, None, f.delta_minor) for f in night.reconciliation.custody_findings]
    between = [
        (f.table_id, f.code, f.seq, None, None, None) for f in (read_note(ground.lake, DAY) or DayNote()).between
    ]
    return Counter([*rows, *custody, *between])


def late_part(ground: Ground, rng: Random) -> str | None:
    """Corrections, custody, settlements, voids, openings and closings in a late part of one table."""
    before = found(ground, ground.night())
    ref = rng.choice(table_days(ground.archive))
    events = list(read_events(ref))
    taken = append(ground, attack(events, rng.randrange(2**32)))
    night = ground.night()
    gone = before - found(ground, night)
    if gone:
        return f"{ref.table_id}: {taken} events appended, and gone is {dict(gone)}"
    return f"{ref.table_id}: {taken} events appended, and the night is clean" if taken and night.clean else None


def other_day(ground: Ground, rng: Random) -> str | None:
    """The same on the day before or after, where the numbers are claimed that a table leaves out: in the middle of its play,
    behind its closing, or before its first one."""
    ref = rng.choice(table_days(ground.archive))
    whole = list(read_events(ref))
    for path in (ground.archive / ref.gaming_day.isoformat()).glob(f"{ref.table_id}.*"):
        path.unlink()
    closing = next(index for index, event in enumerate(whole) if event.kind == "TableClosed")
    moved = [replace(event, seq=event.seq + 5 + (3 if index > closing else 0)) for index, event in enumerate(whole)]
    hole = rng.choice([event.seq for event in moved[1:closing]])
    append(ground, [replace(whole[0], seq=1, gaming_day=DAY - dt.timedelta(days=1))])
    append(ground, [event for event in moved if event.seq != hole])
    before = found(ground, ground.night())
    other = ref.gaming_day + dt.timedelta(days=rng.choice([-1, 1]))
    free = [2, 3, 4, 5, hole, *range(moved[closing].seq + 1, moved[closing].seq + 4)]
    rng.shuffle(free)
    made = attack(moved, rng.randrange(2**32), steps=8, holes=free)
    fillers = [replace(moved[0], seq=seq, kind="DealerEntered", chips=None) for seq in free]
    events = [replace(event, gaming_day=other) for event in rng.choice([made, fillers, [*made, *fillers]])]
    taken = append(ground, sorted(events, key=lambda event: event.seq))
    gone = before - found(ground, ground.night())
    return f"{ref.table_id}: {taken} events appended on {other}, and gone is {dict(gone)}" if gone else None


def append(ground: Ground, events: Iterable[Event]) -> int:
    """Append what the door does not refuse, and seal; how many events were taken."""
    sink = ArchiveSink(ground.archive)
    taken = 0
    days = set()
    for event in events:
        with suppress(EventRejected, SequenceConflict, MessageUnreadable):
            sink.append(event.table_id, event.gaming_day, event.seq, encode(event))
            days.add((event.table_id, event.gaming_day))
            taken += 1
    for table_id, gaming_day in days:
        sink.seal(table_id, gaming_day)
    sink.close()
    return taken
