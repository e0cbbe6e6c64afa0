"""What one row tells of each of its hands, cell by cell, amounts not yet put together by seat."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from producers.mapping.cells import NotReadable, read_amount, read_flag, read_fraction, read_number, require_year
from producers.mapping.map_file import FACTS, REQUIRED, Map
from producers.mapping.source import Row, RowFaulty
from replayer.sources.layout import TableIdRefused, require_table_id
from schemas.cards import Card
from schemas.event import micros, moment

MOST_SEATS: Final = 255
_UNIX: Final = {"unix": 1_000_000, "unix_ms": 1_000}
"""Forms of time that count from 1970, and how many microseconds one of them is."""
_LIKE: Final = {"iso": "2026-01-05T21:14:00", "unix": "seconds since 1970", "unix_ms": "milliseconds since 1970"}

Cards = tuple[Card | None, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What a row tells of one hand. Results stay as they were told: what they mean may need the whole seat."""

    row: Row
    name: str
    player: str | None
    cards: Cards
    stake_minor: int
    base_minor: int | None
    doubled: bool | None
    surrendered: bool
    actions: tuple[str, ...]
    insurance_minor: int
    result: Any
    insurance_result: Any


class Reader:
    """Reads the cells of rows by a map. Every error names line and column. ``found`` are facts that some row had."""

    def __init__(self, plan: Map) -> None:
        self.plan = plan
        self.found: set[str] = set()

    # Cells

    def cell(self, row: Row, fact: str, *, pieces: bool = False) -> Any:
        """The cell of a fact; None where the map has no column for it."""
        column = self.plan.column(fact, row.seat)
        if column is None:
            return None
        cell = row.find(column, self.plan.hands_separator if pieces else "")
        if cell is not None:
            self.found.add(fact)
        elif fact in (*REQUIRED, "round", "seat"):
            raise row.fault(column, f"missing: {FACTS[fact]}")
        return cell

    def blame(self, row: Row, fact: str, reason: object) -> RowFaulty:
        """The error about the cell of a fact."""
        return row.fault(self.plan.column(fact, row.seat), str(reason))

    def amount(self, row: Row, fact: str, *, stake: bool, pieces: bool = False) -> int | None:
        """Minor units, None where the cell is empty; a ``stake`` is never negative."""
        cell = self.cell(row, fact, pieces=pieces)
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            return None
        try:
            amount = read_amount(cell, self.plan.stakes.unit, decimal_comma=self.plan.stakes.decimal_comma)
        except NotReadable as error:
            raise self.blame(row, fact, error) from None
        if stake and amount < 0:
            raise self.blame(row, fact, f"{cell!r} is negative; a stake never is")
        return amount

    def _flag(self, row: Row, fact: str) -> bool:
        try:
            return read_flag(self.cell(row, fact, pieces=True))
        except NotReadable as error:
            raise self.blame(row, fact, error) from None

    def cards(self, row: Row, fact: str, *, pieces: bool = False) -> Cards:
        """The cards of a cell, one at least."""
        try:
            cards = self.plan.cards.read(self.cell(row, fact, pieces=pieces))
        except NotReadable as error:
            raise self.blame(row, fact, error) from None
        if not cards:
            raise self.blame(row, fact, f"no cards: {FACTS[fact]} must be there")
        return cards

    def _player(self, row: Row) -> str | None:
        cell = self.cell(row, "player")
        return str(cell).strip() or None if cell is not None else None

    # Which round

    def round_name(self, row: Row) -> str:
        """The round as the source names it; its line where the source does not."""
        cell = self.cell(row, "round")
        if cell is None:
            return str(row.line)
        if self.plan.table.named_rounds:
            return str(cell).strip()
        try:
            return str(read_number(cell))
        except NotReadable as error:
            message = f"{error}; where rounds have names, set [table] named_rounds = true"
            raise self.blame(row, "round", message) from None

    def table_id(self, row: Row) -> str:
        """The table that the row belongs to."""
        table_id = self.plan.table.id or str(self.cell(row, "table") or "").strip()
        try:
            require_table_id(table_id)
        except TableIdRefused as error:
            raise self.blame(row, "table", error) from None
        return table_id

    def time(self, row: Row) -> int | None:
        """When the round began, UTC microseconds; None where the source has no times."""
        if "time" not in self.plan.columns:
            return None
        text = str(self.cell(row, "time") or "").strip()
        form, zone = self.plan.table.time_format, self.plan.table.gaming_days.zone
        try:
            if form in _UNIX:
                began = moment(int(read_fraction(text) * _UNIX[form]))
            else:
                began = dt.datetime.fromisoformat(text) if form == "iso" else dt.datetime.strptime(text, form)  # noqa: DTZ007
            return micros(require_year(began if began.tzinfo else began.replace(tzinfo=zone)))
        except (ValueError, OverflowError):
            message = f"{text!r} is no time like {_LIKE.get(form, form)}; see [table] time_format"
            raise self.blame(row, "time", message) from None

    def gaming_day(self, row: Row, at: int | None) -> dt.date:
        """The gaming day that the row belongs to; ``at`` decides where no column names it."""
        if self.plan.table.gaming_day is not None:
            return self.plan.table.gaming_day
        cell = self.cell(row, "day")
        if cell is None and at is not None:
            return self.plan.table.gaming_days.of(at)
        try:
            return require_year(dt.date.fromisoformat(str(cell).strip()))
        except ValueError:
            raise self.blame(row, "day", f"{cell!r} is no gaming day; write 2026-01-05") from None

    # Hands

    def hands(self, row: Row) -> Iterator[tuple[int, Told]]:
        """Every hand of a row with the number of its seat, in the order told."""
        for seat_row, number in self._seats_of(row):
            for hand_row in self._hands_of(seat_row):
                yield number, self._told(hand_row)

    def _seats_of(self, row: Row) -> Iterator[tuple[Row, int]]:
        """The seats of a row with their numbers; where a row tells of every seat, the empty ones are left out."""
        if self.plan.source.seats:
            for number in self.plan.source.seats:
                seat_row = Row(row.line, row.text, row.parts, number)
                if self._occupied(seat_row):
                    yield seat_row, number
            return
        column = self.plan.column("seats")
        if column is None:
            yield row, self._number(row, 1)
            return
        parts = row.find(column)
        if not isinstance(parts, list) or not parts:
            raise row.fault(column, "a list of seats is wanted")
        for place, part in enumerate(parts, 1):
            seat_row = row.within(part)
            if self._occupied(seat_row):
                yield seat_row, self._number(seat_row, place)

    def _occupied(self, seat: Row) -> bool:
        """Whether a seat has hands, cards or a stake."""
        if (hands := self.plan.column("hands")) is not None:
            return bool(seat.find(hands) != [])
        return self.cell(seat, "cards") not in ("", []) or bool(self.amount(seat, "stake", stake=True))

    def _number(self, row: Row, otherwise: int) -> int:
        cell = self.cell(row, "seat")
        if cell is None:
            return otherwise
        try:
            number = read_number(cell)
        except NotReadable as error:
            raise self.blame(row, "seat", error) from None
        if not 1 <= number <= MOST_SEATS:
            raise self.blame(row, "seat", f"seat {number}: seats are numbered from 1 to {MOST_SEATS}")
        return number

    def _hands_of(self, row: Row) -> Iterator[Row]:
        column, separator = self.plan.column("hands"), self.plan.hands_separator
        if column is not None:
            parts = row.find(column)
            if not isinstance(parts, list) or not parts:
                raise row.fault(column, "a list of hands is wanted")
            yield from (row.within(part) for part in parts)
            return
        cell = self.cell(row, "cards")
        if separator and isinstance(cell, str) and separator in cell:
            count = len(cell.split(separator))
            yield from (Row(row.line, row.text, row.parts, row.seat, (index, count)) for index in range(count))
        else:
            yield row

    def _told(self, row: Row) -> Told:
        actions = self._actions(row)
        doubled = self._flag(row, "doubled") if "doubled" in self.plan.columns else None
        if doubled is None and "decisions" in self.plan.columns:
            doubled = "double" in actions
        stake = self.amount(row, "stake", stake=True, pieces=True)
        if stake is None and self.plan.stakes.covers == "hand":
            raise self.blame(row, "stake", f"no amount: {FACTS['stake']}")
        base = self.amount(row, "base", stake=True, pieces=True)
        fixed = self.plan.stakes.base_minor
        return Told(
            row,
            str(self.cell(row, "hand") or ""),
            self._player(row),
            self.cards(row, "cards", pieces=True),
            stake or 0,
            base if fixed is None else fixed,
            doubled,
            self._flag(row, "surrender") or "surrender" in actions,
            actions,
            self.amount(row, "insurance", stake=True) or 0,
            self.cell(row, "result", pieces=True),
            self.cell(row, "insurance_result"),
        )

    def _actions(self, row: Row) -> tuple[str, ...]:
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
                raise self.blame(row, "decisions", f"{word!r} is none of the [decisions] words {known}")
        return tuple(self.plan.actions[word] for word in words if word)
