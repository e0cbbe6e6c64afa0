"""Files replaced by whole and plausible others, by somebody who knows the formats.

Nothing that the lake has seen may be replaced without a word, and nothing takes another's place.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from random import Random

from replayer.sources.table_days import TableDayRef, table_days
from schemas.event import Event
from tests.archives import read_events, record
from tests.torture.ground import DAY, Ground, rows_of


def resealed(ground: Ground, ref: TableDayRef, events: list[Event]) -> None:
    """Put a container of these events, properly sealed, in the place of a table-day's."""
    forged = ground.folder / "forged"
    record(forged, events)
    for path in (forged / DAY.isoformat()).iterdir():
        shutil.copy(path, ground.archive / DAY.isoformat() / path.name)


def payment(ground: Ground, rng: Random) -> str | None:
    """A container in which one payment is another, sealed anew with its manifest."""
    ref = rng.choice(table_days(ground.archive))
    events = list(read_events(ref))
    at = rng.choice([number for number, event in enumerate(events) if event.kind == "WagerSettled"])
    settled = events[at].wager
    assert settled is not None
    assert settled.net_minor is not None
    events[at] = replace(events[at], wager=replace(settled, net_minor=settled.net_minor + rng.choice((-5000, 10000))))
    resealed(ground, ref, events)
    for _ in range(2):  # it is not forgotten by running again
        night = ground.night()
        if night.clean or "CONTAINER_REPLACED" not in str(night.to_dict()):
            return f"{ref.table_id}: event {events[at].seq} was forged, and the night says nothing of it"
    return None


def event_left_out(ground: Ground, rng: Random) -> str | None:
    """A container without its last events, numbers intact, sealed anew."""
    ref = rng.choice(table_days(ground.archive))
    events = list(read_events(ref))
    resealed(ground, ref, events[: rng.randrange(len(events) // 2, len(events))])
    night = ground.night()
    if night.clean or "CONTAINER_REPLACED" not in str(night.to_dict()):
        return f"{ref.table_id} was shortened, and the night says nothing of it"
    return None


def swapped_in_the_lake(ground: Ground, rng: Random) -> str | None:
    """A file of the lake in another's place: a manifest or a memory of another table, or the rows of another kind."""
    kind = rng.choice([ground.lake / "data", ground.lake / "judged", ground.lake / "runs"])
    files = sorted(kind.rglob("*.parquet") if kind.name == "data" else (kind / DAY.isoformat()).iterdir())
    here, there = rng.sample(files, 2)
    _swap(here, there)
    seen = rows_of(ground.lake)
    if seen is not None and seen != ground.rows:
        hidden = {row[:2] for row in ground.rows["table_days"]} - {row[:2] for row in seen["table_days"]}
        if not hidden:
            return f"{here.name} and {there.name} of {kind.name} swapped: a reader sees other rows"
    night = ground.night()
    if kind.name == "judged" and "MEMORY_LOST" in str(night.to_dict()):  # told until somebody has looked into it
        return None if not night.clean else f"{here.name}, {there.name} of {kind.name} swapped: the night is clean"
    return None if ground.same(night) else f"{here.name}, {there.name} of {kind.name} swapped: not made anew"


def swapped_in_the_archive(ground: Ground, rng: Random) -> str | None:
    """Two tables' containers with their manifests under each other's name."""
    one, other = rng.sample(table_days(ground.archive), 2)
    for ending in (".avro", ".json"):
        folder = ground.archive / DAY.isoformat()
        _swap(folder / f"{one.table_id}{ending}", folder / f"{other.table_id}{ending}")
    night = ground.night()
    if night.clean or not {one.table_id, other.table_id} <= night.undone.keys():
        return f"{one.table_id} and {other.table_id} swapped, and the night takes one for the other"
    return None


def _swap(here: Path, there: Path) -> None:
    held = here.read_bytes()
    here.write_bytes(there.read_bytes())
    there.write_bytes(held)
