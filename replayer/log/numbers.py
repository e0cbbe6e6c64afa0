"""Sequence numbers as runs without gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # recorders load no Polars
    import polars as pl

Runs = tuple[tuple[int, int], ...]
"""First and last number of each run, inclusive; in order, and no run touches the next."""

NONE: Final[Runs] = ()


def runs_of(seqs: pl.Series) -> Runs:
    """The runs of some numbers, in any order, with or without duplicates."""
    if not seqs.len():
        return NONE
    in_order = seqs if seqs.is_sorted() else seqs.sort()
    ends = ((in_order.slice(1) - in_order.head(seqs.len() - 1)) > 1).arg_true().to_list()
    cuts = [-1, *ends, seqs.len() - 1]  # a run begins behind the end of the one before
    return tuple((int(in_order[before + 1]), int(in_order[end])) for before, end in pairwise(cuts))


def joined(runs: Iterable[tuple[int, int]]) -> Runs:
    """The union of runs that may overlap or touch."""
    made: list[tuple[int, int]] = []
    for first, last in sorted(runs):
        if made and first <= made[-1][1] + 1:
            made[-1] = made[-1][0], max(made[-1][1], last)
        else:
            made.append((first, last))
    return tuple(made)


def shared(these: Runs, those: Runs) -> int:
    """The number of numbers in both."""
    return sum(last - first + 1 for first, last in _overlaps(these, those))


def without(first: int, last: int, left_out: Iterable[tuple[int, int]]) -> Runs:
    """The runs between two numbers, inclusive, without those of ``left_out``, which may overlap or touch."""
    between = [(first - 1, first - 1), *joined(left_out), (last + 1, last + 1)]
    gaps = ((before[1] + 1, after[0] - 1) for before, after in pairwise(between))
    return tuple(_overlaps(tuple(gap for gap in gaps if gap[0] <= gap[1]), ((first, last),)))


def _overlaps(these: Runs, those: Runs) -> Iterator[tuple[int, int]]:
    here, there = 0, 0
    while here < len(these) and there < len(those):
        first, last = max(these[here][0], those[there][0]), min(these[here][1], those[there][1])
        if first <= last:
            yield first, last
        if these[here][1] < those[there][1]:
            here += 1
        else:
            there += 1
