"""What one row of a log says of each of its hands, cell by cell; amounts of a seat are not added up yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from producers.mapping.cell_reader import Cards, CellReader
from producers.mapping.cells import read_number
from producers.mapping.map_file import FACTS, SIDE_WAGERS
from producers.mapping.source import Row, RowFaulty
from replayer.law.fortune_3_card_poker.bets import PAIR_PLUS
from schemas.bounds import LAST_SEAT

_AMOUNTS: Final = {"stake": "stakes", "result": "result"}
"""Amounts of a hand or of a seat, and the section of the map that tells which."""


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


class HandEntries:
    """Reads the hands of rows."""

    def __init__(self, reader: CellReader) -> None:
        self._reader = reader
        self._plan = reader.plan
        self._side_wagers = SIDE_WAGERS[reader.plan.table.game]

    def hands(self, row: Row) -> Iterator[tuple[int, HandEntry]]:
        """Every hand of a row with the number of its seat, in the order of the row."""
        hands: dict[tuple[int, str | None], list[Row]] = {}
        for seat_row, number in self._seats_of(row):
            seat = number, self._reader.player(seat_row)
            if seat in hands:
                raise self._reader.cell_fault(seat_row, "seat", f"seat {number} stands twice in one row")
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
                place = row.place(self._plan.column(fact, row.seat) or "", self._plan.hands_separator)
                users.setdefault(place, []).append((seat, row))
            for shared in users.values():
                seats = len({seat for seat, _ in shared})
                if len(shared) > 1 and (seats > 1 or not whole_seat) and self._has_content(shared[0][1], fact):
                    raise self._shared_fault(shared[0][1], fact, len(shared), seats)
            if whole_seat and fact in _AMOUNTS and any(piece is not None for _, _, piece in users):
                message = f'one amount for each hand, where the map says that [{_AMOUNTS[fact]}] covers = "seat"'
                raise self._reader.cell_fault(next(iter(users.values()))[0][1], fact, message)

    @cached_property
    def _shareable(self) -> dict[str, bool]:
        """The mapped facts that hands must not share, and whether the hands of one seat may."""
        plan = self._plan
        facts = {
            "cards": False,
            "stake": plan.stakes.covers == "seat",
            "result": plan.results.covers == "seat",
            "doubled": False,
            "surrender": False,
            "decisions": False,
        }
        for kind in self._side_wagers:
            facts |= {kind: True, f"{kind}_result": True}
        return {fact: whole_seat for fact, whole_seat in facts.items() if fact in plan.columns}

    def _has_content(self, row: Row, fact: str) -> bool:
        """Whether a cell has cards, an amount or a yes."""
        cell = self._reader.cell(row, fact, pieces=True)
        if fact in ("doubled", "surrender"):
            return self._reader.flag(row, fact)
        if fact in ("stake", *self._side_wagers):
            return bool(self._reader.stake(row, fact, pieces=True))
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
        return self._reader.cell_fault(row, fact, message)

    def _seats_of(self, row: Row) -> Iterator[tuple[Row, int]]:
        """The seats of a row with their numbers; in a row with all seats, empty ones are left out."""
        if self._plan.source.seats:
            for number in self._plan.source.seats:
                seat_row = Row(row.line, row.text, row.parts, number)
                if self._occupied(seat_row):
                    yield seat_row, number
            return
        column = self._plan.column("seats")
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
        if (hands := self._plan.column("hands")) is not None:
            return bool(seat.find(hands) != [])
        stakes = ("stake", *self._side_wagers)
        return self._reader.cell(seat, "cards") not in ("", []) or any(
            self._reader.stake(seat, fact) for fact in stakes
        )

    def _number(self, row: Row, otherwise: int) -> int:
        cell = self._reader.cell(row, "seat")
        if cell is None:
            return otherwise
        with self._reader.readable(row, "seat"):
            number = read_number(cell)
        if not 1 <= number <= LAST_SEAT:
            raise self._reader.cell_fault(row, "seat", f"seat {number}: seats are numbered from 1 to {LAST_SEAT}")
        return number

    def _hands_of(self, row: Row) -> Iterator[Row]:
        column, separator = self._plan.column("hands"), self._plan.hands_separator
        if column is not None:
            parts = row.find(column)
            if not isinstance(parts, list) or not parts:
                raise row.fault(column, "a list of hands is wanted")
            yield from (row.within(part) for part in parts)
            return
        cell = self._reader.cell(row, "cards")
        if separator and isinstance(cell, str) and separator in cell:
            count = len(cell.split(separator))
            yield from (Row(row.line, row.text, row.parts, row.seat, (index, count)) for index in range(count))
        else:
            yield row

    def _entry(self, row: Row) -> HandEntry:
        actions = self._reader.actions(row)
        doubled = self._reader.flag(row, "doubled") if "doubled" in self._plan.columns else None
        if doubled is None and "decisions" in self._plan.columns:
            doubled = "double" in actions
        stake = self._reader.stake(row, "stake")
        side = {kind: self._reader.stake(row, kind) or 0 for kind in self._side_wagers}
        if stake is None and self._plan.stakes.covers == "hand" and not side.get(PAIR_PLUS):  # which may be bet alone
            raise self._reader.cell_fault(row, "stake", f"no amount: {FACTS['stake']}")
        base = self._reader.stake(row, "base")
        fixed = self._plan.stakes.base_minor
        return HandEntry(
            row,
            self._reader.text(row, "hand"),
            self._reader.player(row),
            self._reader.cards(row, "cards"),
            stake or 0,
            base if fixed is None else fixed,
            doubled,
            self._reader.flag(row, "surrender") or "surrender" in actions,
            actions,
            side,
            self._reader.cell(row, "result"),
            {kind: self._reader.cell(row, f"{kind}_result") for kind in self._side_wagers},
        )
