"""How the doubtful texts of the law are read, and which of these readings an answer rests on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeVar

Answer = TypeVar("Answer")


class Readings:
    """The readings in force, by the id of the ruling, with a record of those consulted.

    Equal when the readings are equal; consulting one changes only the record.
    """

    def __init__(self, by_ruling: Mapping[str, str]) -> None:
        self.by_ruling = by_ruling
        self._consulted: set[str] = set()
        self._uncounted: set[str] = set()

    def __call__(self, ruling_id: str) -> str:
        """The reading of ``ruling_id`` in force; records that it was consulted."""
        self._consulted.add(ruling_id)
        return self.by_ruling[ruling_id]

    def answer(self, ruling_id: str, **answers: Answer) -> Answer:
        """The answer by the reading in force. The ruling is consulted only where the answers differ.

        >>> Readings({"BJ-9": "lose"}).answer("BJ-9", lose="nothing asked", tie="nothing asked")
        'nothing asked'
        """
        first, *others = answers.values()
        return first if all(other == first for other in others) else answers[self(ruling_id)]

    def consulted(self, uncounted: set[str] | None = None) -> Consultation:
        """Record the ids consulted inside a ``with`` block, and add those not counted to ``uncounted``."""
        return Consultation(self, set(), self._uncounted if uncounted is None else uncounted)

    def uncounted(self) -> Consultation:
        """Do not count the rulings consulted inside a ``with`` block, for an answer on which no money depends."""
        return Consultation(self, self._uncounted, self._uncounted)

    def differing(self, other: Readings) -> frozenset[str]:
        """The ids of the rulings that the two read otherwise."""
        return frozenset(key for key, reading in self.by_ruling.items() if reading != other.by_ruling[key])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Readings) and self.by_ruling == other.by_ruling

    def __hash__(self) -> int:
        return hash(tuple(self.by_ruling.items()))


class Consultation:
    """The ids of the rulings consulted inside a ``with`` block; blocks may be nested."""

    __slots__ = ("_consulted", "_outer", "_readings", "_uncounted")

    def __init__(self, readings: Readings, consulted: set[str], uncounted: set[str]) -> None:
        self._readings = readings
        self._consulted = consulted
        self._uncounted = uncounted

    def __enter__(self) -> set[str]:
        readings = self._readings
        self._outer = readings._consulted, readings._uncounted
        readings._consulted, readings._uncounted = self._consulted, self._uncounted
        return self._consulted

    def __exit__(self, *_: object) -> None:
        consulted, uncounted = self._readings._consulted, self._readings._uncounted = self._outer
        uncounted |= self._uncounted
        if self._consulted is not self._uncounted:
            consulted |= self._consulted


def may_differ(differing: frozenset[str], *consulted: Collection[str]) -> bool:
    """Whether an answer that rests on the rulings ``consulted`` may differ where the rulings ``differing`` are read differently.
    Uncounted ones belong to them, because they change an answer's other parts."""
    return not all(map(differing.isdisjoint, consulted))
