"""What is known of the numbers that a part leaves out, and its note in the part's container: see
:mod:`replayer.sources.left_out`. It stands apart because recorders, which write such notes, load no Polars."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Protocol

from replayer.sources.safe_files import TextRefused, read_json

KEY: Final = "left_out"
"""The key of such a note in a container's metadata."""
_MOST_RANGES: Final = 1000
MOST_NUMBERS: Final = 1_000_000
"""The most numbers that the notes of a table-day may claim as other days'; further ones are missing."""


class OtherDay(Protocol):
    """Another gaming day of the table."""

    @property
    def first_seq(self) -> int:
        """The first number of its first part: later parts may have lower ones."""

    def between(self, first: int, last: int) -> Iterable[int]:
        """Its numbers between ``first`` and ``last``, exclusive."""

    def reached_below(self, first: int) -> int:
        """Its highest number below ``first``; zero where it has none."""


@dataclass(frozen=True, slots=True)
class Held:
    """Numbers from ``first`` to ``last`` that another gaming day held; ``earlier`` if that day began before this one."""

    first: int
    last: int
    earlier: bool


@dataclass(frozen=True, slots=True)
class NumbersLeftOut:
    """What was known of the numbers that a part leaves out, when it was sealed.

    Attributes:
        held: the numbers between its first and its last (in a late part: after the parts before it) that other gaming days of the
            table had.
        since: the table's highest number below the day's first one, None where none lies between the two; only a first part has
            it.
    """

    held: tuple[Held, ...] = ()
    since: int | None = None

    @classmethod
    def of(
        cls, seqs: Sequence[int], others: Sequence[OtherDay], *, began: int | None = None, above: int | None = None
    ) -> NumbersLeftOut | None:
        """What the ``others`` hold of the numbers that a part leaves out; None where it leaves none out.

        Args:
            seqs: the part's own numbers, in order.
            others: the table's other gaming days.
            began: the first number of the day's first part; None in that part.
            above: the highest number of the parts before it; None in the first part.
        """
        first, last = seqs[0], seqs[-1]
        since = 0 if began is not None else max((other.reached_below(first) for other in others), default=0)
        above = first if above is None else above
        own = set(seqs[bisect_right(seqs, above) :])
        complete, unreached = len(own) >= last - above, 0 < since < first - 1
        if complete and not unreached:
            return None
        held: list[Held] = []
        for other in () if complete else others:
            earlier = other.first_seq < (first if began is None else began)
            held += _stretches((seq for seq in other.between(above, last) if seq not in own), earlier=earlier)
        return cls(_joined(held), since if unreached else None)

    def numbers(self, above: int, last: int, closed: int | None, most: int = MOST_NUMBERS) -> set[int]:
        """The numbers between two, ``most`` of them, that count as other days': any that a day which began earlier holds, but
        those of later days only after the closing (None where there is none)."""
        found: set[int] = set()
        for held in self.held:
            begins, ends = max(held.first, above + 1), min(held.last, last - 1)
            if not held.earlier:
                begins = ends + 1 if closed is None else max(begins, closed + 1)
            found.update(range(begins, min(ends + 1, begins + most - len(found))))
        return found

    def to_text(self) -> str:
        """The note as a text, limited to the first stretches."""
        held = [[one.first, one.last, one.earlier] for one in self.held[:_MOST_RANGES]]
        return json.dumps({"held": held, "since": self.since}, separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> NumbersLeftOut:
        """Parse a note; a foreign text gives an empty one."""
        try:
            said = read_json(text)
            held = tuple(Held(int(first), int(last), earlier is True) for first, last, earlier in said["held"])
            since = None if said["since"] is None else int(said["since"])
        except (TextRefused, KeyError, TypeError, ValueError):
            return cls()
        return cls(held, since)


def _stretches(numbers: Iterable[int], *, earlier: bool) -> list[Held]:
    """The numbers of another day as stretches of consecutive numbers: a late part may come years of numbers behind its day."""
    found: list[Held] = []
    for seq in sorted(numbers):
        if found and seq <= found[-1].last + 1:
            found[-1] = Held(found[-1].first, seq, earlier)
        else:
            found.append(Held(seq, seq, earlier))
    return found


def _joined(held: Iterable[Held]) -> tuple[Held, ...]:
    """Stretches of several days, which may overlap, as stretches of consecutive numbers; one that several days hold is an
    earlier day's if any of them is."""
    found: list[Held] = []
    days = earlier = 0
    ends = sorted(
        end for one in held for end in ((one.first, 1, int(one.earlier)), (one.last + 1, -1, -int(one.earlier)))
    )
    for (begins, day, began_earlier), (ends_before, *_) in pairwise(ends):
        days, earlier = days + day, earlier + began_earlier
        if not days or begins == ends_before:
            continue
        goes_on = bool(found) and (found[-1].last, found[-1].earlier) == (begins - 1, earlier > 0)
        found.append(Held(found.pop().first if goes_on else begins, ends_before - 1, earlier > 0))
    return tuple(found)
