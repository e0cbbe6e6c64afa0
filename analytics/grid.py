"""Tables of formatted texts for the terminal."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a grid. ``figure`` columns are aligned to the right."""

    title: str
    figure: bool = True


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts; the last ``totals`` rows are sums."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    totals: int = 0

    def without_empty_columns(self) -> Grid:
        """The grid without its empty columns; the first is kept."""
        shown = [index for index in range(len(self.columns)) if not index or any(row[index] for row in self.rows)]
        if not self.rows:
            return self
        rows = tuple(tuple(row[index] for index in shown) for row in self.rows)
        return dataclasses.replace(self, columns=tuple(self.columns[index] for index in shown), rows=rows)
