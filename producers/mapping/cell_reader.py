"""Reads the cells of rows by a map: those of a hand, and those that tell of its round the table, gaming day, time and name."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from unicodedata import category

from producers.mapping.cells import (
    COMPLETE_DATE,
    NotReadable,
    read_amount,
    read_day,
    read_flag,
    read_fraction,
    read_number,
    require_year,
    shown,
)
from producers.mapping.map_file import COUNTED, FACTS, Map
from producers.mapping.source import Row, RowFaulty
from replayer.sources.layout import TableIdRefused, require_table_id
from schemas.cards import CardName
from schemas.event import micros, moment

_IN_EVERY_ROW: Final = ("cards", "bank", "round", "seat")
"""Facts whose columns, where the map has them, no row lacks; an amount that a JSON line leaves out is an empty one."""
_COMPLETE_TIME: Final = re.compile(COMPLETE_DATE + r".\d\d:?\d\d")
"""The beginning of a complete time of ISO 8601; for a missing part the parser would assume the first."""
_FIRST_COUNTED: Final = 1971
"""The first year of a count from 1970: seconds taken for milliseconds end up in its first weeks."""
_EXAMPLES: Final = {"iso": "2026-01-05T21:14:00", "unix": "seconds since 1970", "unix_ms": "milliseconds since 1970"}

_OF_HANDS: Final = ("hand", "cards", "stake", "base", "doubled", "surrender", "decisions", "result")
"""Facts of which a cell may have one for each of several hands."""
Cards = tuple[CardName | None, ...]


class CellReader:
    """Reads the cells of rows. Every error is a RowFaulty that names line and column.

    ``found`` are the facts that some row has.
    """

    def __init__(self, plan: Map) -> None:
        self.plan = plan
        self.found: set[str] = set()

    def cell(self, row: Row, fact: str, *, pieces: bool = False) -> Any:
        """The cell of a fact; None where the map has no column for it. With ``pieces`` a hand's piece also of a seat's fact."""
        column = self.plan.column(fact, row.seat)
        if column is None:
            return None
        cell = row.find(column, self.plan.hands_separator if pieces or fact in _OF_HANDS else "")
        if cell is not None:
            self.found.add(fact)
        elif fact in _IN_EVERY_ROW:
            raise row.fault(column, f"missing: {FACTS[fact]}")
        return cell

    def cell_fault(self, row: Row, fact: str, reason: object) -> RowFaulty:
        """The error about the cell of a fact."""
        return row.fault(self.plan.column(fact, row.seat), str(reason))

    def stake(self, row: Row, fact: str, *, pieces: bool = False) -> int | None:
        """Minor units, None where the cell is empty."""
        cell = self.cell(row, fact, pieces=pieces)
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            return None
        amount = self.minor_units(row, fact, cell)
        if amount < 0:
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
            return read_flag(self.cell(row, fact))

    def cards(self, row: Row, fact: str) -> Cards:
        """The cards of a cell, at least one."""
        with self.readable(row, fact):
            cards = self.plan.cards.read(self.cell(row, fact))
        if not cards:
            raise self.cell_fault(row, fact, f"no cards: {FACTS[fact]} must be there")
        return cards

    def text(self, row: Row, fact: str) -> str:
        """The text of a cell; empty where there is none."""
        return str(self.cell(row, fact) or "").strip()

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
        cell = self.cell(row, "decisions")
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

    # Of a round

    def round_name(self, row: Row) -> str:
        """The source's name or number of the round; the line where it has none."""
        cell = self.cell(row, "round")
        if cell is None:
            return str(row.line)
        if self.plan.table.named_rounds:
            name = cell.strip() if isinstance(cell, str) else ""
            if not name:
                raise self.cell_fault(row, "round", f"{shown(cell)} is no name of a round")
            return name
        try:
            return str(read_number(cell))
        except NotReadable as error:
            message = f"{error}; where rounds have names, set [table] named_rounds = true"
            raise self.cell_fault(row, "round", message) from None

    def table_id(self, row: Row) -> str:
        """The table that the row belongs to."""
        table_id = self.plan.table.id or self.text(row, "table")
        with self.readable(row, "table"):
            require_table_id(table_id)
        return table_id

    def time(self, row: Row) -> int | None:
        """The beginning of the round in UTC microseconds; None where the source has no times."""
        if "time" not in self.plan.columns:
            return None
        facts = [fact for fact in ("date", "time") if fact in self.plan.columns]
        text = " ".join(self.text(row, fact) for fact in facts)
        form, zone = self.plan.table.time_format, self.plan.table.gaming_days.zone
        try:
            if form in COUNTED:
                began = moment(int(read_fraction(text) * COUNTED[form]))
                if began.year < _FIRST_COUNTED:
                    raise ValueError("seconds, taken for milliseconds")
            elif form == "iso" and not _COMPLETE_TIME.match(text):
                raise ValueError("a day or an hour alone")
            else:
                began = dt.datetime.fromisoformat(text) if form == "iso" else dt.datetime.strptime(text, form)  # noqa: DTZ007
            require_year(began)
        except (ValueError, OverflowError):
            message = (
                f"{shown(text)} is no time like {_EXAMPLES.get(form, form)}; see [table] time_format, [columns] date"
            )
            raise self.cell_fault(row, "time", message) from None
        if began.tzinfo is None:
            began = began.replace(tzinfo=zone)
            before, after = began.utcoffset(), began.replace(fold=1).utcoffset()
            if before != after:
                what = "came twice" if before > after else "never came"  # type: ignore[operator]
                message = (
                    f"{shown(text)} {what} in {zone}, whose clocks were set then; write it with its offset from UTC"
                )
                raise self.cell_fault(row, "time", message)
        return micros(began)

    def gaming_day(self, row: Row, at: int | None) -> dt.date:
        """The gaming day that the row belongs to; ``at`` decides where no column names it."""
        if self.plan.table.gaming_day is not None:
            return self.plan.table.gaming_day
        cell = self.cell(row, "day")
        if cell is None and at is not None:
            return self.plan.table.gaming_days.of(at)
        try:
            return read_day(str(cell).strip())
        except ValueError:
            raise self.cell_fault(row, "day", f"{shown(cell)} is no gaming day; write 2026-01-05") from None
