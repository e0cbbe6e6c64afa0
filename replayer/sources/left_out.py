"""Numbers that a table-day leaves out: missing, or held by another gaming day of the table.

A table's events are numbered consecutively over all its gaming days. A day may get events after the next one has begun (a late
count of its drop, say), so that each day leaves out numbers that the other one has. When a part that leaves numbers out is
sealed, its container notes which of them other days held by then. So nothing appended later, on any day, makes up for a missing
number. Recorders write such notes: nothing here loads Polars.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from replayer.log.numbers import NONE, Runs, joined, without
from replayer.sources.layout import Manifest, PartName
from replayer.sources.safe_files import MOST_LOG, read_file, read_start
from replayer.sources.safe_texts import TextRefused, read_json
from schemas.container import ContainerDamaged, read_datums, read_header

_HEAD: Final = 1 << 18
"""The most bytes of a container's header, with its schema and such a note."""
KEY: Final = "left_out"
"""The key of such a note in a container's metadata."""
_MOST_RANGES: Final = 1000
MOST_NUMBERS: Final = 1_000_000
"""The most numbers that the notes of a table-day may claim as other days'; further ones are missing."""


@dataclass(frozen=True, slots=True)
class OtherDay:
    """Another gaming day of the table: the numbers that are not sealed, in order, and its sealed parts in an archive."""

    unsealed: Sequence[int]
    parts: Sequence[Manifest] = ()
    archive: Path = Path()

    @property
    def first_seq(self) -> int:
        """The first number of its first part: later parts may have lower ones."""
        return self.parts[0].first_seq if self.parts else self.unsealed[0] if self.unsealed else 0

    def between(self, first: int, last: int) -> Iterator[int]:
        """Its numbers between ``first`` and ``last``, exclusive; a container that cannot be read gives none, and replay reports
        it."""
        yield from self.unsealed[bisect_right(self.unsealed, first) : bisect_left(self.unsealed, last)]
        for part in self.parts:
            if part.first_seq >= last or part.last_seq <= first:
                continue
            try:
                data = read_file(part.name.container(self.archive), MOST_LOG)
                yield from (record["seq"] for _, record in read_datums(data) if first < record["seq"] < last)
            except (OSError, ContainerDamaged):
                continue

    def reached_below(self, first: int) -> int:
        """Its highest number below ``first``; zero where it has none."""
        if any(part.first_seq <= first <= part.last_seq for part in self.parts):
            return max(self.between(0, first), default=0)
        below = self.unsealed[: bisect_left(self.unsealed, first)][-1:]
        return max([*below, *(part.last_seq for part in self.parts if part.last_seq < first)], default=0)


@dataclass(frozen=True, slots=True)
class NumbersLeftOut:
    """What was known of the numbers that a part leaves out, when it was sealed.

    Those between its first and its last (in a late part: after the parts before it) that gaming days had which began ``earlier``,
    and those that only ``later`` ones had.
    """

    earlier: Runs = NONE
    later: Runs = NONE
    since: int | None = None  # of a first part: the table's highest number below it, None where none lies between

    @classmethod
    def of(
        cls, seqs: Sequence[int], others: Sequence[OtherDay], *, began: int | None = None, above: int | None = None
    ) -> NumbersLeftOut | None:
        """What the table's other gaming days hold of the numbers that a part leaves out; None where it leaves none out.

        ``seqs`` are the part's own numbers, in order. A later part gives the first number of the day's first part, ``began``, and
        the highest one of the parts before it, ``above``.
        """
        first, last = seqs[0], seqs[-1]
        since = 0 if began is not None else max((other.reached_below(first) for other in others), default=0)
        above = first if above is None else above
        own = set(seqs[bisect_right(seqs, above) :])
        complete, unreached = len(own) >= last - above, 0 < since < first - 1
        if complete and not unreached:
            return None
        earlier, later = NONE, NONE
        for other in () if complete else others:
            theirs = joined((seq, seq) for seq in other.between(above, last) if seq not in own)
            if other.first_seq < (first if began is None else began):
                earlier = joined(earlier + theirs)
            else:
                later = joined(later + theirs)
        only_later = (run for begins, ends in later for run in without(begins, ends, earlier))
        return cls(earlier, tuple(only_later), since if unreached else None)

    @property
    def held(self) -> list[tuple[int, int, bool]]:
        """The runs in order, each with whether an earlier day had it."""
        return sorted([(*run, True) for run in self.earlier] + [(*run, False) for run in self.later])

    def numbers(self, above: int, last: int, closed: int | None, most: int = MOST_NUMBERS) -> set[int]:
        """The numbers between two, ``most`` of them, that count as other days': any that a day which began earlier holds, but
        those of later days only after the closing (None where there is none)."""
        found: set[int] = set()
        after = last if closed is None else max(above, closed)
        for runs, bound in ((self.earlier, above), (self.later, after)):
            for first, end in runs:
                begins = max(first, bound + 1)
                found.update(range(begins, min(end + 1, last, begins + most - len(found))))
        return found

    def to_text(self) -> str:
        """The note as a text, limited to the first runs."""
        return json.dumps({"held": self.held[:_MOST_RANGES], "since": self.since}, separators=(",", ":"))

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, str]) -> NumbersLeftOut:
        """The note in a container's metadata; an empty one where there is none, or a foreign text."""
        try:
            said = read_json(metadata[KEY])
            held = [((int(first), int(last)), earlier is True) for first, last, earlier in said["held"]]
            since = None if said["since"] is None else int(said["since"])
        except (TextRefused, KeyError, TypeError, ValueError):
            return cls()
        return cls(
            joined(run for run, earlier in held if earlier), joined(run for run, earlier in held if not earlier), since
        )


def noted(part: PartName, archive: Path) -> NumbersLeftOut:
    """The note in a part's container; an empty one where that cannot be read, which its own replay reports."""
    try:
        return NumbersLeftOut.from_metadata(read_header(read_start(part.container(archive), _HEAD)).metadata)
    except (OSError, ContainerDamaged):
        return NumbersLeftOut()
