"""Reads the cells of rows by a map."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from unicodedata import category

from producers.mapping.cells import NotReadable, read_amount, read_flag, shown
from producers.mapping.map_file import FACTS, Map
from producers.mapping.source import Row, RowFaulty
from replayer.sources.layout import TableIdRefused
from schemas.cards import CardName

_IN_EVERY_ROW: Final = ("cards", "bank", "round", "seat")
"""Facts whose columns, where the map has them, no row lacks; an amount that a JSON line leaves out is an empty one."""
Cards = tuple[CardName | None, ...]


class CellReader:
    """Reads the cells of rows. Every error is a RowFaulty that names line and column.

    ``found`` are the facts that some row has.
    """

    def __init__(self, plan: Map) -> None:
        self.plan = plan
        self.found: set[str] = set()

    def cell(self, row: Row, fact: str, *, pieces: bool = False) -> Any:
        """The cell of a fact; None where the map has no column for it."""
        column = self.plan.column(fact, row.seat)
        if column is None:
            return None
        cell = row.find(column, self.plan.hands_separator if pieces else "")
        if cell is not None:
            self.found.add(fact)
        elif fact in _IN_EVERY_ROW:
            raise row.fault(column, f"missing: {FACTS[fact]}")
        return cell

    def cell_fault(self, row: Row, fact: str, reason: object) -> RowFaulty:
        """The error about the cell of a fact."""
        return row.fault(self.plan.column(fact, row.seat), str(reason))

    def amount(self, row: Row, fact: str, *, stake: bool, pieces: bool = False) -> int | None:
        """Minor units, None where the cell is empty; a ``stake`` is never negative."""
        cell = self.cell(row, fact, pieces=pieces)
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            return None
        amount = self.minor_units(row, fact, cell)
        if stake and amount < 0:
            raise self.cell_fault(row, fact, f"{shown(cell)} is negative; a stake never is")
        return amount

    def minor_units(self, row: Row, fact: str, cell: object) -> int:
        """The amount in a cell of a fact."""
        stakes = self.plan.stakes
        with self.readable(row, fact):
            return read_amount(cell, stakes.unit_minor, stakes.currency, decimal_comma=stakes.decimal_comma)

    @contextmanager
    def readable(self, row: Row, fact: str) -> Iterator[None]:
        """Raise what cannot be read as the fault of a cell."""
        try:
            yield
        except (NotReadable, TableIdRefused) as error:
            raise self.cell_fault(row, fact, error) from None

    def flag(self, row: Row, fact: str) -> bool:
        """Whether a cell says yes."""
        with self.readable(row, fact):
            return read_flag(self.cell(row, fact, pieces=True))

    def cards(self, row: Row, fact: str, *, pieces: bool = False) -> Cards:
        """The cards of a cell, at least one."""
        with self.readable(row, fact):
            cards = self.plan.cards.read(self.cell(row, fact, pieces=pieces))
        if not cards:
            raise self.cell_fault(row, fact, f"no cards: {FACTS[fact]} must be there")
        return cards

    def text(self, row: Row, fact: str, *, pieces: bool = False) -> str:
        """The text of a cell; empty where there is none."""
        return str(self.cell(row, fact, pieces=pieces) or "").strip()

    def player(self, row: Row) -> str | None:
        """The name of the player; None where there is none."""
        cell = self.cell(row, "player")
        if not isinstance(cell, str | None):
            raise self.cell_fault(row, "player", f"{shown(cell)} is no name of a player")
        name = (cell or "").strip()
        if any(category(letter) in ("Cc", "Cs") for letter in name):
            raise self.cell_fault(row, "player", f"{shown(name)} has a control character; write the name without it")
        return name or None

    def actions(self, row: Row) -> tuple[str, ...]:
        """The decisions of a hand, in the words of the schema."""
        cell = self.cell(row, "decisions", pieces=True)
        if cell is None:
            return ()
        if isinstance(cell, list):
            words = [str(word) for word in cell]
        else:
            separator = self.plan.actions_separator
            words = [word.strip() for word in (str(cell).split(separator) if separator else str(cell))]
        for word in words:
            if word and word not in self.plan.actions:
                known = ", ".join(self.plan.actions)
                raise self.cell_fault(row, "decisions", f"{shown(word)} is none of the [decisions] words {known}")
        return tuple(self.plan.actions[word] for word in words if word)
