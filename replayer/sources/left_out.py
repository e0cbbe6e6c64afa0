"""Numbers that a table-day leaves out: missing, or held by another gaming day of the table.

A table's events are numbered consecutively over all its gaming days. A day may get events after the next one has begun (a late
count of its drop, say), so that each day leaves out numbers that the other one has. When a part that leaves numbers out is
sealed, its container notes which of them other days held by then. So nothing appended later, on any day, makes up for a missing
number.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import polars as pl

from replayer.log.columns import is_kind
from replayer.sources.layout import Manifest, PartName
from replayer.sources.left_out_note import MOST_NUMBERS, NumbersLeftOut
from replayer.sources.safe_files import read_start
from schemas.container import ContainerDamaged, read_header

_HEAD: Final = 1 << 18
"""The most bytes of a container's header, with its schema and such a note."""


def noted(part: PartName, archive: Path) -> NumbersLeftOut:
    """The note in a part's container; an empty one where that cannot be read, which its own replay reports."""
    try:
        return NumbersLeftOut.from_metadata(read_header(read_start(part.container(archive), _HEAD)).metadata)
    except (OSError, ContainerDamaged):
        return NumbersLeftOut()


def numbers_on_other_days(parts: Sequence[tuple[Manifest, NumbersLeftOut]], events: pl.DataFrame) -> frozenset[int]:
    """The numbers that a table-day (its ``events`` part by part) leaves out and other gaming days of the table hold.

    A number left out within its play is missing, whatever later day claims it (:meth:`NumbersLeftOut.numbers`).
    """
    if events.is_empty():
        return frozenset()
    own = events["seq"].unique().sort()
    if len(own) == own[-1] - own[0] + 1:
        return frozenset()
    closed = _closing([manifest for manifest, _ in parts], events)
    found: set[int] = set()
    above = parts[0][0].first_seq
    for manifest, note in parts:
        if manifest.last_seq > above:  # than all before
            found |= note.numbers(above, manifest.last_seq, closed, MOST_NUMBERS - len(found))
            above = manifest.last_seq
    return frozenset(found.difference(own.to_list()))


def _closing(manifests: Sequence[Manifest], events: pl.DataFrame) -> int | None:
    """The ``seq`` of the first closing, in the first part that has one."""
    begins = 0
    for part in manifests:
        seqs = events[begins : begins + part.count].filter(is_kind("TableClosed"))["seq"]
        if seqs.len():
            return int(seqs.min())  # type: ignore[arg-type]
        begins += part.count
    return None
