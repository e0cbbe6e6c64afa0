"""Rows that have a card each: joined to a row for each hand."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from producers.mapping.cell_reader import CellReader
from producers.mapping.cells import shown
from producers.mapping.source import Row

_OF_ROUND: Final = ("table", "day", "date", "time", "round")
"""Facts of a round, which its cards may tell each in its own way."""


def require_a_card(row: Row, reader: CellReader) -> None:
    """Require that a row has one card, or none where it only tells something else of its hand, and known decisions."""
    with reader.readable(row, "cards"):
        if len(reader.plan.cards.read(reader.cell(row, "cards"))) > 1:
            raise reader.cell_fault(row, "cards", 'more than one card, where the map says row = "card"')
    reader.actions(row)


def joined(rows: Collection[Row], reader: CellReader) -> list[Row]:
    """A row for the bank, and behind it one for each hand of each bettor in a round, of rows that have a card each."""
    bank = reader.plan.source.bank
    text = reader.text
    cells = [(row, text(row, "seat"), text(row, "hand"), text(row, "player")) for row in rows]
    bettors: dict[str, set[str]] = {}
    for _, seat, _, player in cells:
        bettors.setdefault(seat, set()).update([player] if player else [])
    hands: dict[tuple[str, ...], list[Row]] = {(bank,): []}
    for row, seat, hand, player in cells:  # a seat's only bettor need not be named in every row
        whose = player if len(bettors[seat]) > 1 else ""
        hands.setdefault((bank,) if seat == bank else (seat, hand, whose), []).append(row)
    if not hands[bank,]:
        raise next(iter(rows)).fault(reader.plan.columns["seat"], f"no row of its round is of the bank, {shown(bank)}")
    return [_as_one(of_hand, reader) for of_hand in hands.values()]


def _as_one(rows: Sequence[Row], reader: CellReader) -> Row:
    """One row of several: their cards and decisions in order, and of the other cells those that are not empty."""
    cells: dict[str, Any] = {}
    for fact, column in reader.plan.columns.items():
        given = [(row, cell) for row in rows if (cell := row.find(column)) is not None and str(cell).strip()]
        if fact in ("cards", "decisions"):
            cells[column] = [cell for _, cell in given]
        elif given and fact not in _OF_ROUND:
            (first, cells[column]), *others = given
            other = next((row for row, cell in others if cell != cells[column]), None)
            if other is not None:
                raise reader.cell_fault(other, fact, f"not what line {first.line} has for this hand")
    return Row(rows[0].line, rows[0].text, (cells,))
