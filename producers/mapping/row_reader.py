"""Reads rows by a map: their cells, what these tell of a round (its table, gaming day, time and name), and of each of its hands;
amounts of a seat are not added up yet."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from unicodedata import category

from producers.mapping import cells
from producers.mapping.map_file import COUNTED, FACTS, SIDE_WAGERS, Map
from producers.mapping.source import Row, RowFaulty
from replayer.law.fortune_3_card_poker.bets import PAIR_PLUS
from replayer.sources.layout import TableIdRefused, require_table_id
from schemas.bounds import LAST_SEAT
from schemas.cards import CardName
from schemas.event import micros, moment

_IN_EVERY_ROW: Final = ("cards", "bank", "round", "seat")
"""Facts whose columns, where the map has them, no row lacks; an amount that a JSON line leaves out is an empty one."""
_COMPLETE_TIME: Final = re.compile(cells.COMPLETE_DATE + r".\d\d:?\d\d")
"""The beginning of a complete time of ISO 8601; for a missing part the parser would assume the first."""
_FIRST_COUNTED: Final = 1971
"""The first year of a count from 1970: seconds taken for milliseconds end up in its first weeks."""
_EXAMPLES: Final = {"iso": "2026-01-05T21:14:00", "unix": "seconds since 1970", "unix_ms": "milliseconds since 1970"}

_OF_HANDS: Final = ("hand", "cards", "stake", "base", "doubled", "surrender", "decisions", "result")
"""Facts of which a cell may have one for each of several hands."""
_AMOUNTS: Final = {"stake": "stakes", "result": "result"}
"""Amounts of a hand or of a seat, and the section of the map that tells which."""
Cards = tuple[CardName | None, ...]


@dataclass(frozen=True, slots=True)
class HandEntry:
    """One hand as its row tells it, with the side wagers of its seat by kind.

    Results are kept as written, as their meaning may depend on the whole seat.
    """

    row: Row
    name: str
    player: str | None
    cards: Cards
    stake_minor: int
    base_minor: int | None
    doubled: bool | None
    surrendered: bool
    actions: tuple[str, ...]
    side_minor: Mapping[str, int]
    result: Any
    side_results: Mapping[str, Any]


class RowReader:
    """Reads rows. Every error is a RowFaulty that names line and column.

    ``found`` are the facts that some row has.
    """

    def __init__(self, plan: Map) -> None:
        self.plan = plan
        self.found: set[str] = set()
        self._side_wagers = SIDE_WAGERS[plan.table.game]

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
            raise self.cell_fault(row, fact, f"{cells.shown(cell)} is negative; a stake never is")
        return amount

    def minor_units(self, row: Row, fact: str, cell: object) -> int:
        """The amount in a cell of a fact."""
        stakes = self.plan.stakes
        with self.readable(row, fact):
            return cells.read_amount(cell, stakes.unit_minor, stakes.currency, decimal_comma=stakes.decimal_comma)

    @contextmanager
    def readable(self, row: Row, fact: str) -> Iterator[None]:
        """Raise what cannot be read as the fault of a cell."""
        try:
            yield
        except (cells.NotReadable, TableIdRefused) as error:
            raise self.cell_fault(row, fact, error) from None

    def flag(self, row: Row, fact: str) -> bool:
        """Whether a cell says yes."""
        with self.readable(row, fact):
            return cells.read_flag(self.cell(row, fact))

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
            raise self.cell_fault(row, "player", f"{cells.shown(cell)} is no name of a player")
        name = (cell or "").strip()
        if any(category(letter) in ("Cc", "Cs") for letter in name):
            raise self.cell_fault(
                row, "player", f"{cells.shown(name)} has a control character; write the name without it"
            )
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
                raise self.cell_fault(row, "decisions", f"{cells.shown(word)} is none of the [decisions] words {known}")
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
                raise self.cell_fault(row, "round", f"{cells.shown(cell)} is no name of a round")
            return name
        try:
            return str(cells.read_number(cell))
        except cells.NotReadable as error:
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
                began = moment(int(cells.read_fraction(text) * COUNTED[form]))
                if began.year < _FIRST_COUNTED:
                    raise ValueError("seconds, taken for milliseconds")
            elif form == "iso" and not _COMPLETE_TIME.match(text):
                raise ValueError("a day or an hour alone")
            else:
                began = dt.datetime.fromisoformat(text) if form == "iso" else dt.datetime.strptime(text, form)  # noqa: DTZ007
            cells.require_year(began)
        except (ValueError, OverflowError):
            message = f"{cells.shown(text)} is no time like {_EXAMPLES.get(form, form)}; see [table] time_format, [columns] date"
            raise self.cell_fault(row, "time", message) from None
        if began.tzinfo is None:
            began = began.replace(tzinfo=zone)
            before, after = began.utcoffset(), began.replace(fold=1).utcoffset()
            if before != after:
                what = "came twice" if before > after else "never came"  # type: ignore[operator]
                message = f"{cells.shown(text)} {what} in {zone}, whose clocks were set then; write it with its offset from UTC"
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
            return cells.read_day(str(cell).strip())
        except ValueError:
            raise self.cell_fault(row, "day", f"{cells.shown(cell)} is no gaming day; write 2026-01-05") from None

    # Of its hands

    def hands(self, row: Row) -> Iterator[tuple[int, HandEntry]]:
        """Every hand of a row with the number of its seat, in the order of the row."""
        hands: dict[tuple[int, str | None], list[Row]] = {}
        for seat_row, number in self._seats_of(row):
            seat = number, self.player(seat_row)
            if seat in hands:
                raise self.cell_fault(seat_row, "seat", f"seat {number} stands twice in one row")
            hands[seat] = list(self._hands_of(seat_row))
        self._require_separate_cells(hands)
        for (number, _), hand_rows in hands.items():
            for hand_row in hand_rows:
                yield number, self._entry(hand_row)

    def _require_separate_cells(self, hands: Mapping[tuple[int, str | None], Sequence[Row]]) -> None:
        """Require that no cell is used for several hands, seats or bettors, unless the map assigns it to the whole seat."""
        for fact, whole_seat in self._shareable.items():
            users: dict[tuple[int, str, int | None], list[tuple[object, Row]]] = {}
            for seat, row in ((seat, row) for seat, rows in hands.items() for row in rows):
                place = row.place(self.plan.column(fact, row.seat) or "", self.plan.hands_separator)
                users.setdefault(place, []).append((seat, row))
            for shared in users.values():
                seats = len({seat for seat, _ in shared})
                if len(shared) > 1 and (seats > 1 or not whole_seat) and self._has_content(shared[0][1], fact):
                    raise self._shared_fault(shared[0][1], fact, len(shared), seats)
            if whole_seat and fact in _AMOUNTS and any(piece is not None for _, _, piece in users):
                message = f'one amount for each hand, where the map says that [{_AMOUNTS[fact]}] covers = "seat"'
                raise self.cell_fault(next(iter(users.values()))[0][1], fact, message)

    @cached_property
    def _shareable(self) -> dict[str, bool]:
        """The mapped facts that hands must not share, and whether the hands of one seat may."""
        plan = self.plan
        sides = [fact for kind in self._side_wagers for fact in (kind, f"{kind}_result")]
        as_mapped = {"stake": plan.stakes.covers == "seat", "result": plan.results.covers == "seat"}
        facts = ("cards", "stake", "result", "doubled", "surrender", "decisions", *sides)
        return {fact: as_mapped.get(fact, fact in sides) for fact in facts if fact in plan.columns}

    def _has_content(self, row: Row, fact: str) -> bool:
        cell = self.cell(row, fact, pieces=True)
        if fact in ("doubled", "surrender"):
            return self.flag(row, fact)
        if fact in ("stake", *self._side_wagers):
            return bool(self.stake(row, fact, pieces=True))
        return cell not in (None, []) and bool(str(cell).strip())

    def _shared_fault(self, row: Row, fact: str, hands: int, seats: int) -> RowFaulty:
        if seats > 1:
            message = (
                f"one cell for {seats} seats: each seat needs its own; see {{seat}} and [columns] seats in "
                "`pitaudit import --help`"
            )
        elif fact in _AMOUNTS:
            message = (
                f"one amount for {hands} hands: write one for each, separated as the cards are, or, where it is the whole "
                f'seat\'s, [{_AMOUNTS[fact]}] covers = "seat" into the map'
            )
        else:
            message = f"one cell for {hands} hands, and which of them it is about is not said: write one for each"
        return self.cell_fault(row, fact, message)

    def _seats_of(self, row: Row) -> Iterator[tuple[Row, int]]:
        """The seats of a row with their numbers; in a row with all seats, empty ones are left out."""
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
        if (hands := self.plan.column("hands")) is not None:
            return bool(seat.find(hands) != [])
        stakes = ("stake", *self._side_wagers)
        return self.cell(seat, "cards") not in ("", []) or any(self.stake(seat, fact) for fact in stakes)

    def _number(self, row: Row, otherwise: int) -> int:
        cell = self.cell(row, "seat")
        if cell is None:
            return otherwise
        with self.readable(row, "seat"):
            number = cells.read_number(cell)
        if not 1 <= number <= LAST_SEAT:
            raise self.cell_fault(row, "seat", f"seat {number}: seats are numbered from 1 to {LAST_SEAT}")
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

    def _entry(self, row: Row) -> HandEntry:
        actions = self.actions(row)
        doubled = self.flag(row, "doubled") if "doubled" in self.plan.columns else None
        if doubled is None and "decisions" in self.plan.columns:
            doubled = "double" in actions
        stake = self.stake(row, "stake")
        side = {kind: self.stake(row, kind) or 0 for kind in self._side_wagers}
        if stake is None and self.plan.stakes.covers == "hand" and not side.get(PAIR_PLUS):  # which may be bet alone
            raise self.cell_fault(row, "stake", f"no amount: {FACTS['stake']}")
        base = self.stake(row, "base")
        fixed = self.plan.stakes.base_minor
        return HandEntry(
            row,
            self.text(row, "hand"),
            self.player(row),
            self.cards(row, "cards"),
            stake or 0,
            base if fixed is None else fixed,
            doubled,
            self.flag(row, "surrender") or "surrender" in actions,
            actions,
            side,
            self.cell(row, "result"),
            {kind: self.cell(row, f"{kind}_result") for kind in self._side_wagers},
        )
