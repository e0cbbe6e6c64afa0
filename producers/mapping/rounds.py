"""Groups rows into rounds, by table-day and number. A bad row excludes its whole round."""

from __future__ import annotations

import datetime as dt
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Any, Final

from producers.mapping.cells import shown
from producers.mapping.events import RecordedRound, Round
from producers.mapping.map_file import FACTS, LISTS, Map
from producers.mapping.row import Cards, Fault, HandEntry, Row, RowFaulty, day_of
from producers.mapping.seats import NumberedFrom0, Seat, SeatBuilder, shared_hands
from producers.mapping.source import Log
from producers.sinks import TableDayName
from replayer.integrity.checks import ROUND_NUMBERS
from schemas.event import EventRejected

Progress = Callable[[int, int], None]
"""Called with the rounds read so far and the rounds in all."""

_EVERY: Final = 500
_ONCE: Final = f"it is {FACTS['time']}, one for the round"
_ANEW: Final = "where numbers begin anew, as with each shoe, number the rounds of a day through"
_DAY: Final = dt.timedelta(days=1)
_CLOSE: Final = 3_600_000_000
"""An hour in microseconds: rows with one number and bank within this time belong to one round."""
_OF_ROUND: Final = ("table", "day", "date", "time", "round")
"""Facts of a round, which its cards may tell each in its own way."""
_CELLS: Final = FACTS.keys() - LISTS


@dataclass(slots=True)
class _RoundRows:
    """The rows of a round, of which the first lines are kept, in their order; ``beside`` is the fault of another one's row."""

    table_day: TableDayName
    name: str
    at: int | None = None
    bank: Cards = ()
    lines: list[int] = field(default_factory=list)
    beside: Fault | None = None


class Gatherer:
    """Groups the rows of a log into rounds, then reads each round's again, with its hands; a round without one of its hands
    would be judged wrongly, so it is left out.

    The order of rows does not matter: rounds, seats and hands are sorted by their numbers. Rounds with names are sorted by time;
    without times they keep the order of their rows, which must be consecutive.
    That a round cannot be recorded is a fault of its first row.

    Attributes:
        rows: their number.
        faults: bad rows by line; ``left_out``: good rows of rounds with a bad one.
        unplaced: bad rows that do not tell their round, nor do the rows beside them: any round may lack a hand.
    """

    def __init__(self, log: Log) -> None:
        self._log, self._plan = log, log.plan
        self._first_hand = 1
        self._rounds: dict[tuple[str, dt.date, str], _RoundRows] = {}
        self.rows = 0
        self.faults: dict[int, Fault] = {}
        self.left_out: dict[int, Fault] = {}
        self.unplaced: tuple[Fault, ...] = ()
        self._without_round: list[Fault] = []
        self._last: dict[TableDayName, _RoundRows] = {}
        self._columns: dict[str, None] = {}

    def gather(self, on_progress: Progress | None = None) -> tuple[RecordedRound, ...]:
        """The rounds of all rows, by table-day and then by number."""
        for row in self._log.rows():
            self.rows += 1
            if isinstance(row, Fault):
                self.faults[row.line] = row
                self._without_round.append(row)
                continue
            self._columns.update(dict.fromkeys(row.parts[-1]))
            try:
                self._take(row)
            except RowFaulty as faulty:
                self.faults[row.line] = faulty.fault
                self._mark_bad(row, faulty.fault)
        self.unplaced = self._left_unplaced()
        try:
            return tuple(self._finished(on_progress))
        except NumberedFrom0:
            self._first_hand = 0
            return tuple(self._finished(on_progress))

    def unread(self) -> tuple[str, ...]:
        """Columns, or keys of a JSON line, that the map names nowhere."""
        read = {self._plan.column(fact, seat) for fact in FACTS for seat in self._plan.source.seats or (None,)}
        read |= {name.partition(".")[0] for name in read if name is not None}
        return tuple(name for name in self._columns if name not in read)

    def of_other_seats(self) -> tuple[str, ...]:
        """Those of them that have the names of mapped columns, but for a number of a seat that the map does not list."""
        numbered = [name for name in self._plan.columns.values() if "{seat}" in name]
        names = (part.split("{seat}") for name in numbered for part in (name, name.partition(".")[0]))
        same = re.compile("|".join("[0-9]+".join(map(re.escape, name)) for name in names))
        return tuple(name for name in self.unread() if numbered and same.fullmatch(name))

    def absent(self) -> dict[str, str]:
        """Mapped columns that no row has, each with its fact: JSON keys that are written only if there is a value, or misspelled
        ones. A CSV file has a header."""
        mapped = _CELLS & self._plan.columns.keys() if self._plan.source.format == "jsonl" else ()
        return {self._plan.columns[fact]: fact for fact in sorted(mapped) if fact not in self._log.found}

    def missing(self) -> Iterator[tuple[TableDayName, int, int]]:
        """Round numbers that no row has, not even a bad one, in a log that numbers rounds: the first and last of each run, with
        the table-day where the log continues. A table's numbers continue or restart with each gaming day."""
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
        at = row.time()
        group = self._group(row, at)
        self._require_its_day(row, at, group.table_day[1])
        name = group.name
        one_card = self._plan.source.row == "card"
        bank = () if one_card else row.cards("bank")
        if group.bank and group.bank != bank:
            raise row.fault("bank", f"not the bank's cards that line {group.lines[0]} has for round {name}; {_ANEW}")
        if group.lines and self._plan.source.row == "round":
            raise row.fault("round", f"round {name} stands in line {group.lines[0]} already; {_ANEW}")
        group.at = at if group.at is None else group.at  # a bad row before may have told none
        if at != group.at and not one_card:
            raise row.fault("time", f"not the time that line {group.lines[0]} has for round {name}; {_ONCE}")
        if one_card and abs((at or 0) - (group.at or 0)) >= _CLOSE and row.find("cards"):
            raise row.fault("time", f"an hour or more from line {group.lines[0]} of round {name}; {_ANEW}")
        self._require_one_day(row, group, bank)
        self._require_unbroken(row, group)
        group.bank = bank
        group.lines.append(row.line)

    def _group(self, row: Row, at: int | None) -> _RoundRows:
        """The round that a row of a moment belongs to; a card may have been dealt on the day after its round began."""
        table_day = row.table_id(), row.gaming_day(at)
        name = row.round_name()
        if self._plan.source.row == "card" and at is not None and "day" not in self._plan.columns:
            begun = self._rounds.get((table_day[0], table_day[1] - _DAY, name))
            if begun is not None and begun.at is not None and at - begun.at < _CLOSE:
                return begun
        return self._rounds.setdefault((*table_day, name), _RoundRows(table_day, name, at))

    def _require_its_day(self, row: Row, at: int | None, gaming_day: dt.date) -> None:
        """Refuse a gaming day whose time is of another one, unless it is of the hour after its end."""
        days = self._plan.table.gaming_days
        if at is not None and gaming_day not in (day_of(days, at), day_of(days, at - _CLOSE)):
            message = (
                f"{gaming_day}, and the time is of gaming day {day_of(days, at)} by [table] zone and day_begins "
                f"({days.cut_off:%H:%M})"
            )
            raise row.fault("day", message)

    def _require_one_day(self, row: Row, group: _RoundRows, bank: Cards) -> None:
        """Refuse a round with times on both sides of the day's beginning, which would become two rounds."""
        table_id, gaming_day = group.table_day
        for day in (gaming_day - _DAY, gaming_day + _DAY):
            other = self._rounds.get((table_id, day, group.name))
            if other is None or other.bank != bank or other.at is None or group.at is None or not other.lines:
                continue
            if abs(other.at - group.at) < _CLOSE:
                message = (
                    f"round {group.name} has the same bank in line {other.lines[0]}, minutes away, on {day}; {_ONCE}"
                )
                ambiguous = row.fault("time", message)
                other.beside = other.beside or ambiguous.fault
                raise ambiguous

    def _require_unbroken(self, row: Row, group: _RoundRows) -> None:
        """Where the rows give the order of rounds, refuse a row of a round that another one has followed."""
        if not self._plan.table.named_rounds or group.at is not None:
            return
        last = self._last.get(group.table_day, group)
        if group.lines and last is not group:
            message = (
                f"round {group.name} goes on here, after round {last.name} has begun in line {last.lines[0]}: rounds "
                "with names come in the order of their rows, so sort the log, or map a column with numbers"
            )
            raise row.fault("round", message)
        self._last[group.table_day] = group

    def _mark_bad(self, row: Row, fault: Fault) -> None:
        """Mark the round of a bad row, if the row still tells which that is: without a time, where its day needs none."""
        try:
            at = row.time()
        except RowFaulty:
            at = None
        try:
            group = self._group(row, at)
        except RowFaulty:
            self._without_round.append(fault)
            return
        if row.line not in group.lines[-1:]:
            group.lines.append(row.line)

    def _left_unplaced(self) -> tuple[Fault, ...]:
        """Leave out the rounds of the rows beside each bad row that does not tell its own, which may be one of these; give such
        rows where they may be of any round, as the rows of some round do not stand together."""
        if not self._without_round or self._plan.source.row == "round":
            return ()
        placed = sorted(
            ((line, group) for group in self._rounds.values() for line in group.lines), key=lambda row: row[0]
        )
        if sum(1 for _ in groupby(placed, key=lambda row: id(row[1]))) > len(self._rounds):
            return tuple(self._without_round)
        for fault in self._without_round:
            behind = bisect_right(placed, fault.line, key=lambda row: row[0])
            for _, group in placed[max(behind - 1, 0) : behind + 1]:
                group.beside = group.beside or fault
        return ()

    def _finished(self, on_progress: Progress | None) -> Iterator[RecordedRound]:
        named = self._plan.table.named_rounds
        order = sorted(
            self._rounds.values(), key=lambda group: (group.table_day, (group.at or 0) if named else int(group.name))
        )
        numbers: dict[TableDayName, int] = {}
        for done, group in enumerate(order, 1):
            if on_progress is not None and (done % _EVERY == 0 or done == len(order)):
                on_progress(done, len(order))
            number = numbers[group.table_day] = numbers.get(group.table_day, 0) + 1
            rows = [self._log.row(line) for line in group.lines]
            built = self._built(group, number if named else int(group.name), rows)
            if isinstance(built, RecordedRound):
                yield built
                continue
            has = "may have" if built in self._without_round else "has"
            reason = f"its round {group.name} {has} a bad row in line {built.line}"
            for row in rows:
                if row.line not in self.faults:
                    self.left_out[row.line] = Fault(row.line, "", reason, row.text)

    def _hands(self, group: _RoundRows, rows: Sequence[Row]) -> dict[int, list[HandEntry]]:
        """The hands of each seat of a round, as far as its rows are good."""
        seats: dict[int, list[HandEntry]] = {}
        lines: dict[tuple[int, str], dict[str | None, int]] = {}
        rows = [row for row in rows if row.line not in self.faults]
        for row in self._joined(group, rows) if self._plan.source.row == "card" else rows:
            with self._noted():
                for seat, hand in row.hands():
                    self._require_new(hand, group.name, seat, lines.setdefault((seat, hand.name), {}))
                    seats.setdefault(seat, []).append(hand)
        return seats

    def _joined(self, group: _RoundRows, rows: Sequence[Row]) -> list[Row]:
        """Rows for the hands of a round, of those that have a card each; none where one of these is bad."""
        for row in rows:
            with self._noted():
                _require_a_card(row)
        if self._fault(group) is None:
            with self._noted():
                bank, *hands = _joined(rows, self._plan)
                group.bank = bank.cards("cards")
                return hands
        return []

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """Note a bad row."""
        try:
            yield
        except RowFaulty as faulty:
            self.faults[faulty.fault.line] = faulty.fault

    def _fault(self, group: _RoundRows) -> Fault | None:
        """What is wrong with a round's rows, or may be."""
        return next((self.faults[line] for line in group.lines if line in self.faults), group.beside)

    def _require_new(self, hand: HandEntry, name: str, seat: int, lines: dict[str | None, int]) -> None:
        """Refuse a hand of a seat that has rows by their bettors, which are in ``lines``, unless it is another one's."""
        first = next(iter(lines), hand.player)
        whose = first if None in (first, hand.player) else hand.player  # one without a name may be any of them
        line = lines.setdefault(whose, hand.row.line)
        if line == hand.row.line:
            return
        where = f"round {name}, seat {seat}"
        if "hand" in self._plan.columns:
            raise hand.row.fault("hand", f"hand {shown(hand.name)} of {where} stands in line {line} already")
        message = (
            f"{where} stands in line {line} already; where pairs are split, map a column hand, where several bet on a seat, "
            "a column player; wagers on one hand stand in one row"
        )
        raise hand.row.fault("seat", message)

    def _seat(self, number: int, entries: Sequence[HandEntry]) -> tuple[Seat, list[Seat]]:
        """A seat, and the same as each of its bettors played it."""
        named: dict[str | None, list[HandEntry]] = {}
        for one in entries:
            named.setdefault(one.player, []).append(one)
        if len(named.keys() - {None}) < 2:
            named = {None: [*entries]}
        elif None in named:
            raise named[None][0].row.fault(
                "player", f"no name, and several bettors are on seat {number}: say whose it is"
            )
        bettors = [SeatBuilder(number, own, self._plan, self._first_hand).build() for own in named.values()]
        return entries[-1].row.read("cards", shared_hands, bettors), bettors

    def _built(self, group: _RoundRows, number: int, rows: Sequence[Row]) -> RecordedRound | Fault:
        """The round of some rows under a number, or what is wrong with it."""
        hands = self._hands(group, rows)
        if (fault := self._fault(group)) is not None:
            return fault
        try:
            places = [self._seat(seat, entries) for seat, entries in sorted(hands.items())]
            seats, bettors = tuple(seat for seat, _ in places), tuple(one for _, each in places for one in each)
            name = group.name if self._plan.table.named_rounds else ""
            return Round(self._plan, group.table_day, number, group.at, name, group.bank, seats, bettors).recorded()
        except RowFaulty as faulty:
            fault = faulty.fault
        except EventRejected as error:
            fault = Fault(rows[0].line, "", f"round {group.name}: {error}", rows[0].text)
        self.faults[fault.line] = fault
        return fault


# Rows that have a card each


def _require_a_card(row: Row) -> None:
    """Require that a row has one card, or none where it only tells something else of its hand, and known decisions."""
    if len(row.read("cards", row.plan.cards.read, row.cell("cards"))) > 1:
        raise row.fault("cards", 'more than one card, where the map says row = "card"')
    row.actions()


def _joined(rows: Collection[Row], plan: Map) -> list[Row]:
    """A row for the bank, and behind it one for each hand of each bettor in a round, of rows that have a card each."""
    bank = plan.source.bank
    told = [(row, row.text_of("seat"), row.text_of("hand"), row.text_of("player")) for row in rows]
    bettors: dict[str, set[str]] = {}
    for _, seat, _, player in told:
        bettors.setdefault(seat, set()).update([player] if player else [])
    hands: dict[tuple[str, ...], list[Row]] = {(bank,): []}
    for row, seat, hand, player in told:  # a seat's only bettor need not be named in every row
        whose = player if len(bettors[seat]) > 1 else ""
        hands.setdefault((bank,) if seat == bank else (seat, hand, whose), []).append(row)
    if not hands[bank,]:
        raise next(iter(rows)).fault("seat", f"no row of its round is of the bank, {shown(bank)}")
    return [_as_one(of_hand) for of_hand in hands.values()]


def _as_one(rows: Sequence[Row]) -> Row:
    """One row of several: their cards and decisions in order, and of the other cells those that are not empty."""
    cells: dict[str, Any] = {}
    for before, after in pairwise(row for row in rows if row.find("cards")):
        if (after.time() or 0) < (before.time() or 0):
            message = f"before that of line {before.line}, and cards come as their rows stand: sort the log"
            raise after.fault("time", message)
    for fact, column in rows[0].plan.columns.items():
        given = [(row, cell) for row in rows if (cell := row.find(fact)) is not None and str(cell).strip()]
        if fact in ("cards", "decisions"):
            cells[column] = [cell for _, cell in given]
        elif given and fact not in _OF_ROUND:
            (first, cells[column]), *others = given
            other = next((row for row, cell in others if cell != cells[column]), None)
            if other is not None:
                raise other.fault(fact, f"not what line {first.line} has for this hand")
    return replace(rows[0], parts=(cells,))
