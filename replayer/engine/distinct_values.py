"""Distinct values by number, so that columns hold small integers in their place."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)
Numbers: TypeAlias = NDArray[np.integer[Any]]  # type: ignore[explicit-any] # of any width
"""A column of small integers."""


class Numbered(Generic[Value]):
    """Distinct values, numbered as they come; ``all`` are the values by their numbers.

    Args:
        same: gives a key by which values are equal, by default the value itself. It may be ``id`` where equal values are known to
            be identical.

    >>> cards = Numbered[str]()
    >>> [cards.number(card) for card in ("9c", "Kd", "9c")], cards.all
    ([0, 1, 0], ['9c', 'Kd'])
    """

    def __init__(self, same: Callable[[Value], Hashable] | None = None) -> None:
        self.all: list[Value] = []
        self._same = same
        self._numbers: dict[Hashable, int] = {}

    def number(self, value: Value) -> int:
        """The number of a value."""
        key = value if self._same is None else self._same(value)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.all)
            self.all.append(value)  # kept alive, so that its id stays unique
        return number


@dataclass(frozen=True, slots=True)
class ColumnOf(Generic[Value_co]):
    """A column of values: the distinct ones, and for each row the number of its value."""

    values: Sequence[Value_co]
    numbers: Numbers

    @property
    def of_row(self) -> pl.Series:
        """The number of each row's value."""
        import polars as pl  # noqa: PLC0415 - which a simulation does not load

        return pl.Series(self.numbers.astype(np.int64, copy=False))

    def at(self, row: int) -> Value_co:
        """The value of a row."""
        return self.values[int(self.numbers[row])]

    def of(self, rows: Numbers) -> ColumnOf[Value_co]:
        """The column of some of the rows."""
        return ColumnOf(self.values, self.numbers[rows])

    def with_others(self, rows: Numbers, others: ColumnOf[Value_co]) -> ColumnOf[Value_co]:
        """The same with others for some rows."""
        numbers = self.numbers.copy()
        numbers[rows] = others.numbers + len(self.values)
        return ColumnOf([*self.values, *others.values], numbers)

    def where(self, test: Callable[[Value_co], bool]) -> NDArray[np.bool]:
        """For each row whether its value passes ``test``."""
        return np.array([test(each) for each in self.values], bool)[self.numbers]

    def rows(self, test: Callable[[Value_co], bool]) -> Iterator[tuple[int, Value_co]]:
        """The rows whose value passes ``test``, with it, in order."""
        passing = np.flatnonzero(self.where(test))
        for row, number in zip(passing.tolist(), self.numbers[passing].tolist(), strict=True):
            yield row, self.values[number]
