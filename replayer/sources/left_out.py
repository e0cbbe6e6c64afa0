"""Numbers that a table-day leaves out: missing, or held by another gaming day of the table.

A table's events are numbered consecutively over all its gaming days. A day may get events after the next one has begun (a late
count of its drop, say), so that each day leaves out numbers that the other one has. When a part that leaves numbers out is
sealed, its container notes which of them other days held by then. So nothing appended later, on any day, makes up for a missing
number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl

from replayer.log.columns import is_kind
from replayer.sources.layout import Manifest, PartName
from replayer.sources.left_out_note import KEY, MOST_NUMBERS, NumbersLeftOut
from replayer.sources.safe_files import read_start
from replayer.sources.table_days import TableDayRef
from schemas.container import ContainerDamaged, read_header

_HEAD: Final = 1 << 18
"""The most bytes of a container's header, with its schema and such a note."""


def noted(part: PartName, ref: TableDayRef) -> NumbersLeftOut:
    """The note of a part's container on the numbers left out; an empty one where it has none."""
    try:
        return NumbersLeftOut.from_text(read_header(read_start(part.container(ref.archive), _HEAD)).metadata[KEY])
    except (OSError, ContainerDamaged, KeyError):  # its own replay reports a damaged one
        return NumbersLeftOut()


def reached_before(ref: TableDayRef) -> int | None:
    """The number that the table had reached before a table-day, where events were missing when its first part was sealed."""
    return noted(PartName(ref.gaming_day, ref.table_id), ref).since


def numbers_on_other_days(ref: TableDayRef, manifests: Sequence[Manifest], events: pl.DataFrame) -> frozenset[int]:
    """The numbers that a table-day (its ``events`` part by part) leaves out and other gaming days of the table hold.

    A number left out within its play is missing, whatever later day claims it (:meth:`NumbersLeftOut.numbers`).
    """
    if events.is_empty():
        return frozenset()
    own = events["seq"].unique().sort()
    if len(own) == own[-1] - own[0] + 1:
        return frozenset()
    closed = _closing(manifests, events)
    found: set[int] = set()
    for part, above in _advancing(manifests):
        found |= noted(part.name, ref).numbers(above, part.last_seq, closed, MOST_NUMBERS - len(found))
    return frozenset(found.difference(own.to_list()))


def _advancing(manifests: Sequence[Manifest]) -> Iterator[tuple[Manifest, int]]:
    """The parts with a higher last number than all before, each with that earlier number; for the first part, its first
    number."""
    above = manifests[0].first_seq
    for part in manifests:
        if part.last_seq > above:
            yield part, above
            above = part.last_seq


def _closing(manifests: Sequence[Manifest], events: pl.DataFrame) -> int | None:
    """The ``seq`` of the first closing, in the first part that has one."""
    begins = 0
    for part in manifests:
        seqs = events[begins : begins + part.count].filter(is_kind("TableClosed"))["seq"]
        if seqs.len():
            return int(seqs.min())  # type: ignore[arg-type]
        begins += part.count
    return None
