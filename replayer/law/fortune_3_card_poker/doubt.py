"""Consults a ruling only where its readings lead to different answers, so that a verdict names only rulings that can change
it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Generic, TypeVar

from replayer.contract.readings import Readings
from replayer.law.rulings import register

Answer = TypeVar("Answer")
Under = Mapping[str, str]
"""Ruling id to reading."""


class Doubt(Generic[Answer]):
    """A question evaluated once under every combination of the readings on which it may depend. A ruling is consulted when its
    readings lead to different answers, or when it has one reading only and so states how a doubt was settled."""

    def __init__(self, ids: tuple[str, ...], question: Callable[[Under], Answer]) -> None:
        """Evaluate ``question``, which may read only ``ids``; these are consulted in this order."""
        choices = [register()[ruling_id].readings for ruling_id in ids]
        rows = [(chosen, question(dict(zip(ids, chosen, strict=True)))) for chosen in product(*choices)]
        kept = [place for place in range(len(ids)) if len(choices[place]) == 1 or _matters(rows, place)]
        self._ids = [ids[place] for place in kept]
        self._rows = [(tuple(chosen[place] for place in kept), answer) for chosen, answer in rows]

    def answer(self, readings: Readings) -> Answer:
        """The answer under the readings in force."""
        rows = self._rows
        for place, ruling_id in enumerate(self._ids):
            if place == 0 or len({chosen[place] for chosen, _ in rows}) == 1 or _matters(rows, place):
                reading = readings(ruling_id)
                rows = [row for row in rows if row[0][place] == reading]
        return rows[0][1]


def _matters(rows: list[tuple[tuple[str, ...], Answer]], place: int) -> bool:
    """Whether two rows differ in nothing but the reading at ``place`` and have different answers."""
    first: dict[tuple[str, ...], Answer] = {}
    return any(first.setdefault(chosen[:place] + chosen[place + 1 :], answer) != answer for chosen, answer in rows)
