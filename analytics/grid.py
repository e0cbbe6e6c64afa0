"""Tables of formatted texts for the terminal."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts. Columns whose names begin with ``#`` are of figures, to be aligned to the right; the last ``totals`` rows
    are sums."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    totals: int = 0

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.removeprefix("#") for column in self.columns]

    @property
    def figures(self) -> list[int]:
        """The places of the columns of figures."""
        return [place for place, column in enumerate(self.columns) if column.startswith("#")]

    def without_empty_columns(self) -> Grid:
        """The grid without its empty columns; the first is kept."""
        if not self.rows:
            return self
        columns = zip(self.columns, *self.rows, strict=True)
        shown = [column for place, column in enumerate(columns) if not place or any(column[1:])]
        names, *rows = zip(*shown, strict=True)
        return dataclasses.replace(self, columns=names, rows=tuple(rows))
