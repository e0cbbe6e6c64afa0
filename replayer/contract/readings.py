"""How the doubtful texts of the law are read, and which of these readings an answer rests on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar, TypeVar

Answer = TypeVar("Answer")


class Readings:
    """The readings in force, by the id of the ruling, with a record of those consulted.

    Equal when the readings are equal; consulting one changes only the record.
    """

    _uncounted_ids: ClassVar[set[str]] = set()
    """The ids consulted within :meth:`uncounted`."""

    def __init__(self, by_ruling: Mapping[str, str]) -> None:
        self.by_ruling = by_ruling
        self._consulted: set[str] = set()

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

    def consulted(self) -> Consultation:
        """Record the ids consulted inside a ``with`` block."""
        return Consultation(self)

    def uncounted(self) -> Consultation:
        """Do not count the rulings consulted inside a ``with`` block, for an answer on which no money depends."""
        return Consultation(self, counts=False)

    def differing(self, other: Readings) -> frozenset[str]:
        """The ids of the rulings that the two read otherwise."""
        return frozenset(key for key, reading in self.by_ruling.items() if reading != other.by_ruling[key])

    @classmethod
    def may_differ(cls, differing: frozenset[str], consulted: Collection[str]) -> bool:
        """Whether an answer that rests on the rulings ``consulted`` may differ where the rulings ``differing`` are read
        differently. Uncounted rulings count here, because they change an answer's other parts."""
        return not (differing.isdisjoint(consulted) and differing.isdisjoint(cls._uncounted_ids))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Readings) and self.by_ruling == other.by_ruling

    def __hash__(self) -> int:
        return hash(tuple(self.by_ruling.items()))


class Consultation:
    """The ids of the rulings consulted inside a ``with`` block; blocks may be nested."""

    __slots__ = ("_counts", "_outer", "_readings")

    def __init__(self, readings: Readings, *, counts: bool = True) -> None:
        self._readings = readings
        self._counts = counts

    def __enter__(self) -> set[str]:
        self._outer, self._readings._consulted = self._readings._consulted, set()
        return self._readings._consulted

    def __exit__(self, *_: object) -> None:
        if self._counts:
            self._outer |= self._readings._consulted
        else:
            self._readings._uncounted_ids.update(self._readings._consulted)
        self._readings._consulted = self._outer
