"""Rows that have a card each: joined to a row for each hand."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from producers.mapping.cell_reader import CellReader
from producers.mapping.cells import shown
from producers.mapping.source import Row

_OF_ROUND: Final = ("table", "day", "date", "time", "round")
"""Facts of a round, which its cards may tell each in its own way."""


class CardRows:
    """Reads rows that have a card each."""

    def __init__(self, reader: CellReader) -> None:
        self._reader = reader

    def require_a_card(self, row: Row) -> None:
        """Require that a row has one card, or none where it only tells something else of its hand, and known decisions."""
        with self._reader.readable(row, "cards"):
            if len(self._reader.plan.cards.read(self._reader.cell(row, "cards"))) > 1:
                raise self._reader.cell_fault(row, "cards", 'more than one card, where the map says row = "card"')
        self._reader.actions(row)

    def joined(self, rows: Collection[Row]) -> list[Row]:
        """A row for the bank, and behind it one for each hand of each bettor in a round, of rows that have a card each."""
        plan = self._reader.plan
        bank = plan.source.bank
        text = self._reader.text
        cells = [(row, text(row, "seat"), text(row, "hand"), text(row, "player")) for row in rows]
        bettors: dict[str, set[str]] = {}
        for _, seat, _, player in cells:
            bettors.setdefault(seat, set()).update([player] if player else [])
        hands: dict[tuple[str, ...], list[Row]] = {(bank,): []}
        for row, seat, hand, player in cells:  # a seat's only bettor need not be named in every row
            whose = player if len(bettors[seat]) > 1 else ""
            hands.setdefault((bank,) if seat == bank else (seat, hand, whose), []).append(row)
        if not hands[bank,]:
            raise next(iter(rows)).fault(plan.columns["seat"], f"no row of its round is of the bank, {shown(bank)}")
        return [self._as_one(of_hand) for of_hand in hands.values()]

    def _as_one(self, rows: Sequence[Row]) -> Row:
        """One row of several: their cards and decisions in order, and of the other cells those that are not empty."""
        cells: dict[str, Any] = {}
        for fact, column in self._reader.plan.columns.items():
            given = [(row, cell) for row in rows if (cell := row.find(column)) is not None and str(cell).strip()]
            if fact in ("cards", "decisions"):
                cells[column] = [cell for _, cell in given]
            elif given and fact not in _OF_ROUND:
                (first, cells[column]), *others = given
                other = next((row for row, cell in others if cell != cells[column]), None)
                if other is not None:
                    raise self._reader.cell_fault(other, fact, f"not what line {first.line} has for this hand")
        return Row(rows[0].line, rows[0].text, (cells,))
