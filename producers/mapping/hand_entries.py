"""What one row of a log says of each of its hands, cell by cell; amounts of a seat are not added up yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from producers.mapping.cell_reader import Cards, CellReader
from producers.mapping.cells import read_number
from producers.mapping.map_file import FACTS, SIDE_WAGERS, Map
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


class HandReader(CellReader):
    """Reads the hands of rows."""

    def __init__(self, plan: Map) -> None:
        super().__init__(plan)
        self._side_wagers = SIDE_WAGERS[plan.table.game]

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
        """Whether a cell has cards, an amount or a yes."""
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
        """Whether a seat has hands, cards or a stake."""
        if (hands := self.plan.column("hands")) is not None:
            return bool(seat.find(hands) != [])
        stakes = ("stake", *self._side_wagers)
        return self.cell(seat, "cards") not in ("", []) or any(self.stake(seat, fact) for fact in stakes)

    def _number(self, row: Row, otherwise: int) -> int:
        cell = self.cell(row, "seat")
        if cell is None:
            return otherwise
        with self.readable(row, "seat"):
            number = read_number(cell)
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
