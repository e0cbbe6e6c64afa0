"""Writes the note of a sealed part on the numbers that it leaves out; see :mod:`replayer.sources.left_out`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from producers.sinks.deduplication import numbers_of
from replayer.sources.layout import Manifest
from replayer.sources.left_out_note import KEY, NumbersLeftOut
from replayer.sources.safe_files import MOST_LOG, read_file
from schemas.codec import UnknownSchema
from schemas.container import ContainerDamaged, read_header


@dataclass(frozen=True, slots=True)
class OtherDay:
    """Another gaming day of the table: its sealed parts, and the numbers in its journal."""

    parts: Sequence[Manifest]
    journal: Sequence[int]
    archive: Path

    @property
    def first_seq(self) -> int:
        """The first number of its first part: later parts may have lower ones."""
        return self.parts[0].first_seq if self.parts else min(self.journal, default=0)

    def between(self, first: int, last: int) -> Iterator[int]:
        """Its numbers between ``first`` and ``last``, exclusive; a container that cannot be read gives none, and replay reports
        it."""
        yield from (seq for seq in self.journal if first < seq < last)
        for part in self.parts:
            if part.first_seq >= last or part.last_seq <= first:
                continue
            try:
                data = read_file(part.name.container(self.archive), MOST_LOG)
                yield from (seq for seq in numbers_of(data) if first < seq < last)
            except (OSError, ContainerDamaged, UnknownSchema):
                continue

    def reached_below(self, first: int) -> int:
        """Its highest number below ``first``; zero where it has none."""
        whole = [part.last_seq for part in self.parts if part.last_seq < first]
        if all(part.last_seq < first or part.first_seq > first for part in self.parts):
            return max([*whole, *(seq for seq in self.journal if seq < first)], default=0)
        return max(self.between(0, first), default=0)


def note_for(seqs: Sequence[int], parts: Sequence[Manifest], others: Sequence[OtherDay]) -> str:
    """The note of a part with these numbers, in order, behind the ``parts`` of its day; empty where it leaves none out."""
    began = parts[0].first_seq if parts else None
    above = max((part.last_seq for part in parts), default=None)
    note = NumbersLeftOut.of(seqs, others, began=began, above=above)
    return "" if note is None else note.to_text()


def note_of(container: Path) -> str:
    """The note in a container; empty where there is none, or the container cannot be read.

    Raises:
        OSError: the disk fails.
    """
    try:
        return read_header(read_file(container, MOST_LOG)).metadata.get(KEY, "")
    except ContainerDamaged:
        return ""
