"""Rounds out of rows, put together by table-day and number. A bad row takes its whole round with it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from producers.mapping.hand_entries import Cards, HandEntry, Reader
from producers.mapping.map_file import FACTS, Map
from producers.mapping.seats import Seat, seat_of
from producers.mapping.source import Fault, Row, RowFaulty
from replayer.integrity.log import ROUND_NUMBERS
from schemas.event import EventRejected

TableDayName = tuple[str, dt.date]
_ONCE: Final = f"it is {FACTS['time']}, one for the round"
_DAY: Final = dt.timedelta(days=1)
_CLOSE: Final = 3_600_000_000
"""An hour in microseconds: rows of one number and one bank that are no further apart are of one round."""
_CELLS: Final = FACTS.keys() - {"seats", "hands"}


@dataclass(frozen=True, slots=True)
class Round:
    """A round of a table-day. ``at`` is UTC microseconds, None where the log has no times."""

    table_day: TableDayName
    number: int
    at: int | None
    bank: Cards
    seats: tuple[Seat, ...]


@dataclass(slots=True)
class _Gathered:
    """The rows of a round so far."""

    table_day: TableDayName
    name: str
    at: int | None = None
    bank: Cards = ()
    seats: dict[int, list[HandEntry]] = field(default_factory=dict)
    rows: dict[int, Row] = field(default_factory=dict)
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class Gathered:
    """What came of a log's rows.

    Attributes:
        rounds: by table-day and then by number.
        faults: the rows that cannot be taken.
        left_out: good rows whose round has a bad one.
        rows: how many there were.
        absent: mapped facts that no row has: keys of JSON that are written only where there is something, or misspelled.
        missing: numbers of rounds that stand nowhere in the log although it numbers rounds, from the first to the last
            of each run, under the table-day where the log goes on.
    """

    rounds: tuple[Round, ...]
    faults: tuple[Fault, ...]
    left_out: tuple[Fault, ...]
    rows: int
    absent: tuple[str, ...]
    missing: tuple[tuple[TableDayName, int, int], ...]


def gather(rows: Iterable[Row | Fault], plan: Map, hold: Callable[[Round], None]) -> Gathered:
    """Put the rounds of a log together; a round without one of its hands would be judged wrongly, so it is left out.

    The order of rows does not matter: rounds come by their numbers, seats by theirs, hands by theirs. Rounds that have
    names instead come by their times, and where there are none as their rows stand, each round's rows together.
    ``hold`` raises ``EventRejected`` on a round that could not be recorded: it is a fault of the round's first row.
    """
    return _Gatherer(plan, hold).gather(rows)


class _Gatherer:
    def __init__(self, plan: Map, hold: Callable[[Round], None]) -> None:
        self._plan = plan
        self._hold = hold
        self._reader = Reader(plan)
        self._rounds: dict[tuple[str, dt.date, str], _Gathered] = {}
        self._faults: dict[int, Fault] = {}
        self._left_out: dict[int, Fault] = {}
        self._last: dict[TableDayName, _Gathered] = {}

    def gather(self, rows: Iterable[Row | Fault]) -> Gathered:
        count = 0
        for count, row in enumerate(rows, 1):  # noqa: B007 - the count of rows is wanted after the loop
            if isinstance(row, Fault):
                self._faults[row.line] = row
                continue
            try:
                self._take(row)
            except RowFaulty as faulty:
                self._faults[row.line] = faulty.fault
                self._spoil(row, faulty.fault)
        rounds = tuple(self._finished())
        left_out = tuple(fault for line, fault in self._left_out.items() if line not in self._faults)
        mapped = _CELLS & self._plan.columns.keys() if self._plan.source.format == "jsonl" else ()  # CSV has a header
        absent = tuple(fact for fact in sorted(mapped) if fact not in self._reader.found)
        return Gathered(rounds, tuple(self._faults.values()), left_out, count, absent, tuple(self._missing()))

    def _missing(self) -> Iterator[tuple[TableDayName, int, int]]:
        """Runs of numbers that no row has, bad ones included; a table numbers on or begins anew with each gaming day."""
        if ROUND_NUMBERS in self._plan.not_recorded:
            return
        numbers: dict[TableDayName, list[int]] = {}
        for table_id, gaming_day, name in self._rounds:
            numbers.setdefault((table_id, gaming_day), []).append(int(name))
        last: dict[str, int] = {}
        for table_day in sorted(numbers):
            known = sorted(numbers[table_day])
            before = last.get(table_day[0])
            if before is not None:
                known.insert(0, before if before < known[0] else min(known[0], 1) - 1)
            last[table_day[0]] = known[-1]
            yield from ((table_day, one + 1, other - 1) for one, other in pairwise(known) if other - one > 1)

    def _take(self, row: Row) -> None:
        at = self._reader.time(row)
        table_day = self._reader.table_id(row), self._reader.gaming_day(row, at)
        name = self._reader.round_name(row)
        known = self._rounds.setdefault((*table_day, name), _Gathered(table_day, name, at))
        bank = self._reader.cards(row, "bank")
        if known.bank and known.bank != bank:
            message = f"not the bank's cards that line {min(known.rows)} has for round {name}"
            raise self._reader.blame(row, "bank", message)
        if known.rows and self._plan.source.row == "round":
            raise self._reader.blame(row, "round", f"round {name} stands in line {min(known.rows)} already")
        if known.rows and at != known.at:
            message = f"not the time that line {min(known.rows)} has for round {name}; {_ONCE}"
            raise self._reader.blame(row, "time", message)
        self._require_one_day(row, known, bank)
        self._require_unbroken(row, known)
        known.bank = bank
        known.rows[row.line] = row
        for number, hand in self._reader.hands(row):
            entries = known.seats.setdefault(number, [])
            self._require_new(hand, entries, f"round {name}, seat {number}")
            entries.append(hand)

    def _require_one_day(self, row: Row, known: _Gathered, bank: Cards) -> None:
        """A round whose rows have times on both sides of the day's beginning would be torn into two."""
        table_id, gaming_day = known.table_day
        for day in (gaming_day - _DAY, gaming_day + _DAY):
            other = self._rounds.get((table_id, day, known.name))
            if other is None or other.bank != bank or other.at is None or known.at is None or not other.rows:
                continue
            if abs(other.at - known.at) < _CLOSE:
                message = (
                    f"round {known.name} has the same bank in line {min(other.rows)}, minutes away, on {day}; {_ONCE}"
                )
                ambiguous = self._reader.blame(row, "time", message)
                other.fault = other.fault or ambiguous.fault
                raise ambiguous

    def _require_unbroken(self, row: Row, known: _Gathered) -> None:
        """Rows in whose order the rounds come cannot go back to a round that was over."""
        if not self._plan.table.named_rounds or known.at is not None:
            return
        last = self._last.get(known.table_day, known)
        if known.rows and last is not known:
            message = (
                f"round {known.name} goes on here, after round {last.name} has begun in line {min(last.rows)}: rounds "
                "with names come in the order of their rows, so sort the log, or map a column with numbers"
            )
            raise self._reader.blame(row, "round", message)
        self._last[known.table_day] = known

    def _require_new(self, hand: HandEntry, entries: list[HandEntry], where: str) -> None:
        same = next((other for other in entries if other.name == hand.name and other.row.line != hand.row.line), None)
        if same is None:
            return
        if "hand" in self._plan.columns:
            message = f"hand {hand.name!r} of {where} stands in line {same.row.line} already"
            raise self._reader.blame(hand.row, "hand", message)
        message = f"{where} stands in line {same.row.line} already; where pairs are split, map a column hand"
        raise self._reader.blame(hand.row, "seat", message)

    def _first_hand(self) -> int:
        """The number that hands begin with: 0 where the log numbers hands of one seat from there."""
        seats = (seat for known in self._rounds.values() for seat in known.seats.values())
        return 0 if any(len(seat) > 1 and any(hand.name == "0" for hand in seat) for seat in seats) else 1

    def _spoil(self, row: Row, fault: Fault) -> None:
        """Mark the round of a bad row, as far as the row still says which that is."""
        try:
            at = self._reader.time(row)
            table_day = self._reader.table_id(row), self._reader.gaming_day(row, at)
            name = self._reader.round_name(row)
        except RowFaulty:
            return
        known = self._rounds.setdefault((*table_day, name), _Gathered(table_day, name, at))
        known.rows.setdefault(row.line, row)
        known.fault = known.fault or fault

    def _finished(self) -> Iterator[Round]:
        named = self._plan.table.named_rounds
        order = list(self._rounds.values())
        order.sort(key=lambda known: (known.table_day, (known.at or 0) if named else int(known.name)))
        self._reader.first_hand = self._first_hand()
        numbers: dict[TableDayName, int] = {}
        for known in order:
            number = numbers[known.table_day] = numbers.get(known.table_day, 0) + 1
            if known.fault is None:
                try:
                    seats = tuple(seat_of(seat, entries, self._reader) for seat, entries in sorted(known.seats.items()))
                    made = Round(known.table_day, number if named else int(known.name), known.at, known.bank, seats)
                    self._hold(made)
                    yield made
                    continue
                except RowFaulty as faulty:
                    known.fault = self._faults[faulty.fault.line] = faulty.fault
                except (EventRejected, UnicodeEncodeError) as error:
                    first = known.rows[min(known.rows)]
                    known.fault = self._faults[first.line] = Fault(
                        first.line, "", f"round {known.name}: {error}", first.text
                    )
            for line, row in known.rows.items():
                reason = f"its round {known.name} has a bad row in line {known.fault.line}"
                self._left_out[line] = Fault(line, "", reason, row.text)
