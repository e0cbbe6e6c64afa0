"""Events appended when a table was closed, by somebody who wants a finding gone: all that was found stays found."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from random import Random

from analytics.lake import connect
from flows.runs import Night
from producers.sinks import SequenceConflict
from producers.sinks.archive import ArchiveSink
from replayer.sources.archive import read_events, table_days
from schemas.codec import MessageUnreadable, encode
from schemas.event import EventRejected
from tests.appended import attack
from tests.torture.ground import DAY, Ground


def found(ground: Ground, night: Night) -> Counter[tuple[object, ...]]:
    """All that is more than advice, by what must stay as it was."""
    with connect(ground.lake, DAY, DAY) as connection:
        rows = connection.sql(
            "SELECT table_id, code, seq, round, seat, delta_minor FROM findings WHERE severity <> 'advisory'"
        ).fetchall()
    custody = [(f.table_id, f.code, None, None, None, f.delta_minor) for f in night.reconciliation.custody_findings]
    return Counter([*rows, *custody])


def late_part(ground: Ground, rng: Random) -> str | None:
    """Corrections, custody, settlements, voids, openings and closings in a late part of one table."""
    before = found(ground, ground.night())
    ref = rng.choice(table_days(ground.archive))
    events = list(read_events(ref))
    sink = ArchiveSink(ground.archive)
    taken = 0
    for event in attack(events, rng.randrange(2**32)):
        with suppress(EventRejected, SequenceConflict, MessageUnreadable):  # refused at the door
            sink.append(event.table_id, event.gaming_day, event.seq, encode(event))
            taken += 1
    sink.seal(ref.table_id, ref.gaming_day)
    sink.close()
    night = ground.night()
    gone = before - found(ground, night)
    if gone:
        return f"{ref.table_id}: {taken} events appended, and gone is {dict(gone)}"
    return f"{ref.table_id}: {taken} events appended, and the night is clean" if taken and night.clean else None
