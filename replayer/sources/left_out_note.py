"""The note in a part's container on the numbers that it leaves out: see :mod:`replayer.sources.left_out`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from replayer.sources.safe_files import TextRefused, read_json

KEY: Final = "left_out"
"""The key of such a note in a container's metadata."""
_MOST_RANGES: Final = 1000


@dataclass(frozen=True, slots=True)
class Held:
    """Numbers from ``first`` to ``last`` that another gaming day held; ``earlier`` if that day began before this one."""

    first: int
    last: int
    earlier: bool


@dataclass(frozen=True, slots=True)
class NumbersLeftOut:
    """What was known, when a part was sealed, of the numbers that it leaves out.

    ``held`` are those between its first and its last (in a late part: after the parts before it) that other gaming days of the
    table had. ``since`` is the table's highest number below the day's first one, None where none lies between the two; only a
    first part has it.
    """

    held: tuple[Held, ...] = ()
    since: int | None = None

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


def stretches(numbers: Iterable[tuple[int, bool]]) -> tuple[Held, ...]:
    """Numbers, each with whether an earlier day holds it, as stretches of consecutive numbers."""
    found: list[Held] = []
    for seq, earlier in sorted(numbers):
        if found and (found[-1].last, found[-1].earlier) == (seq - 1, earlier):
            found[-1] = Held(found[-1].first, seq, earlier)
        else:
            found.append(Held(seq, seq, earlier))
    return tuple(found)
