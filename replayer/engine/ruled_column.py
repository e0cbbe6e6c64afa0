"""A column of values with the rulings that they rest on; each distinct value is kept once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic

import polars as pl

from replayer.engine.ruled import Ruled, Value_co


@dataclass(frozen=True, slots=True)
class RuledColumn(Generic[Value_co]):
    """A column of ruled values: the distinct values, and for each row the number of its value."""

    values: Sequence[Ruled[Value_co]]
    of_row: pl.Series

    def at(self, row: int) -> Ruled[Value_co]:
        """The value of a row."""
        number: int = self.of_row[row]
        return self.values[number]

    def where(self, test: Callable[[Value_co], bool]) -> pl.Series:
        """For each row whether its value passes ``test``."""
        passes = pl.Series([test(each.value) for each in self.values], dtype=pl.Boolean)
        return passes.gather(self.of_row)

    def rows(self, test: Callable[[Value_co], bool]) -> Iterator[tuple[int, Value_co]]:
        """The rows whose value passes ``test``, with it, in order."""
        passing = self.where(test).arg_true()
        for row, number in zip(passing.to_list(), self.of_row.gather(passing).to_list(), strict=True):
            yield row, self.values[number].value
