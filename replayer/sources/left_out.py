"""Numbers that a table-day leaves out: missing, or held by another gaming day of the table.

A table's events are numbered one after the other over all its gaming days. A day may have some that came when the next one
had begun (a late count of its drop, say), so that either day leaves numbers out that the other one has. Who seals a part
that leaves numbers out writes into its container which of them other days held by then. So nothing that is appended later,
on whatever day, makes up for a number that was missing. A container of an earlier program does not say it: for its numbers
the other days are asked as they are now.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl

from replayer.columns import is_kind
from replayer.sources.archive import TableDayDamaged, TableDayRef, read_columns, read_manifests
from replayer.sources.layout import Manifest, PartName, gaming_days
from replayer.sources.left_out_note import KEY, NumbersLeftOut
from replayer.sources.safe_files import read_start
from schemas.container import ContainerDamaged, read_header

_MOST_NUMBERS: Final = 1_000_000
"""Numbers that a container may claim of other days: what goes beyond them is missing."""
_HEAD: Final = 1 << 18
"""Bytes in which a container's header stands, its schema and such a note."""


def noted(part: PartName, ref: TableDayRef) -> NumbersLeftOut | None:
    """What the container of a part says of the numbers that it leaves out; None where it says nothing."""
    try:
        text = read_header(read_start(part.container(ref.archive), _HEAD)).metadata.get(KEY)
    except (OSError, ContainerDamaged):  # its own replay reports it
        return None
    return None if text is None else NumbersLeftOut.from_text(text)


def reached_before(ref: TableDayRef) -> int | None:
    """The number that the table had reached when the first part of a table-day was sealed, where events were missing then."""
    note = noted(PartName(ref.gaming_day, ref.table_id), ref)
    return None if note is None else note.since


def numbers_on_other_days(ref: TableDayRef, manifests: Sequence[Manifest], events: pl.DataFrame) -> frozenset[int]:
    """The numbers that a table-day (its ``events`` part by part) leaves out and other gaming days of the table hold.

    A day that began before this one may hold them, and any day those behind this one's closing; what lies in the middle of
    its play is missing, whatever other day claims its number.
    """
    if events.is_empty():
        return frozenset()
    own = events["seq"].unique().sort()
    if len(own) == own[-1] - own[0] + 1:
        return frozenset()
    closed = _closing(manifests, events)
    found: set[int] = set()
    others: set[int] | None = None
    for part, above in _reaching(manifests):
        if own.is_between(above, part.last_seq, closed="right").sum() == part.last_seq - above:
            continue
        note = noted(part.name, ref)
        if note is None:
            others = _held_now(ref, closed, own[0], own[-1]) if others is None else others
            found.update(seq for seq in others if above < seq < part.last_seq)
            continue
        for held in note.held:
            first, last = max(held.first, above + 1), min(held.last, part.last_seq - 1)
            if not held.earlier:
                first = last + 1 if closed is None else max(first, closed + 1)
            found.update(range(first, min(last + 1, first + _MOST_NUMBERS - len(found))))
    return frozenset(found.difference(own.to_list()))


def _reaching(manifests: Sequence[Manifest]) -> Iterator[tuple[Manifest, int]]:
    """Every part that reaches beyond those before it, and how far these had reached: of the first one its first number."""
    above = manifests[0].first_seq
    for part in manifests:
        if part.last_seq > above:
            yield part, above
            above = part.last_seq


def _closing(manifests: Sequence[Manifest], events: pl.DataFrame) -> int | None:
    """The first closing, of the first part that has one."""
    begins = 0
    for part in manifests:
        seqs = events[begins : begins + part.count].filter(is_kind("TableClosed"))["seq"]
        if seqs.len():
            return int(seqs.min())  # type: ignore[arg-type]
        begins += part.count
    return None


def _held_now(ref: TableDayRef, closed: int | None, first: int, last: int) -> set[int]:
    """The numbers between two that other gaming days hold now. Dealers who come and go are found nowhere, so that theirs
    count behind the closing only."""
    held: set[int] = set()
    for day in gaming_days(ref.archive):
        other = TableDayRef(day, ref.table_id, ref.archive)
        if day == ref.gaming_day or not os.path.exists(PartName(day, ref.table_id).manifest(ref.archive)):  # noqa: PTH110
            continue
        try:
            parts = read_manifests(other)
            if any(part.first_seq < last and part.last_seq > first for part in parts):
                theirs = read_columns(other)
                if closed is not None:
                    held.update(theirs.filter(pl.col("seq") > closed)["seq"])
                if parts[0].first_seq < first:
                    held.update(theirs.filter(~is_kind("DealerEntered", "DealerLeft"))["seq"])
        except TableDayDamaged:  # what it held is not known; its own replay reports it
            continue
    return {seq for seq in held if first < seq < last}
