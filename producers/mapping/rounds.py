"""Groups rows into rounds, by table-day and number. A bad row excludes its whole round."""

from __future__ import annotations

import datetime as dt
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Any, Final

from producers.mapping.cells import shown
from producers.mapping.events import Round, round_events
from producers.mapping.map_file import FACTS, LISTS, Map
from producers.mapping.row import Cards, Fault, HandEntry, Row, RowFaulty
from producers.mapping.seats import Seat, SeatBuilder, shared_hands
from producers.sinks import TableDayName
from replayer.integrity.checks import ROUND_NUMBERS
from schemas.codec import encode
from schemas.event import EventRejected

_ONCE: Final = f"it is {FACTS['time']}, one for the round"
_DAY: Final = dt.timedelta(days=1)
_CLOSE: Final = 3_600_000_000
"""An hour in microseconds: rows with one number and bank within this time belong to one round."""
_OF_ROUND: Final = ("table", "day", "date", "time", "round")
"""Facts of a round, which its cards may tell each in its own way."""
_CELLS: Final = FACTS.keys() - LISTS


@dataclass(slots=True)
class _RoundRows:
    table_day: TableDayName
    name: str
    at: int | None = None
    bank: Cards = ()
    seats: dict[int, list[HandEntry]] = field(default_factory=dict)
    bettors: dict[tuple[int, str], dict[str | None, int]] = field(default_factory=dict)
    rows: dict[int, Row] = field(default_factory=dict)
    fault: Fault | None = None

    @property
    def first_line(self) -> int:
        """The line of its first row: rows come in the order of their lines."""
        return next(iter(self.rows))


class Gatherer:
    """Groups the rows of a log into rounds; a round without one of its hands would be judged wrongly, so it is left out.

    The order of rows does not matter: rounds, seats and hands are sorted by their numbers. Rounds with names are sorted by time;
    without times they keep the order of their rows, which must be consecutive.
    That a round cannot be recorded is a fault of its first row.

    Attributes:
        found: the facts that rows have, which these add; ``rows``: their number.
        faults: bad rows by line; ``left_out``: good rows of rounds with a bad one.
        unplaced: bad rows that do not tell their round, nor do the rows beside them: any round may lack a hand.
    """

    def __init__(self, plan: Map) -> None:
        self._plan = plan
        self._first_hand = 1
        self._rounds: dict[tuple[str, dt.date, str], _RoundRows] = {}
        self.found: set[str] = set()
        self.rows = 0
        self.faults: dict[int, Fault] = {}
        self.left_out: dict[int, Fault] = {}
        self.unplaced: tuple[Fault, ...] = ()
        self._without_round: list[Fault] = []
        self._last: dict[TableDayName, _RoundRows] = {}
        self._columns: dict[str, None] = {}

    def gather(self, rows: Iterable[Row | Fault]) -> tuple[Round, ...]:
        """The rounds of all rows, by table-day and then by number."""
        for row in rows:
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
        rounds = tuple(self._finished())
        self.left_out = {line: fault for line, fault in self.left_out.items() if line not in self.faults}
        return rounds

    def unread(self) -> tuple[str, ...]:
        """Columns, or keys of a JSON line, that the map names nowhere."""
        read = {self._plan.column(fact, seat) for fact in FACTS for seat in self._plan.source.seats or (None,)}
        read |= {name.partition(".")[0] for name in read if name is not None}
        return tuple(name for name in self._columns if name not in read)

    def absent(self) -> dict[str, str]:
        """Mapped columns that no row has, each with its fact: JSON keys that are written only if there is a value, or misspelled
        ones. A CSV file has a header."""
        mapped = _CELLS & self._plan.columns.keys() if self._plan.source.format == "jsonl" else ()
        return {self._plan.columns[fact]: fact for fact in sorted(mapped) if fact not in self.found}

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
            raise row.fault("bank", f"not the bank's cards that line {group.first_line} has for round {name}")
        if group.rows and self._plan.source.row == "round":
            raise row.fault("round", f"round {name} stands in line {group.first_line} already")
        group.at = at if group.at is None else group.at  # a bad row before may have told none
        if at != group.at and not one_card:
            raise row.fault("time", f"not the time that line {group.first_line} has for round {name}; {_ONCE}")
        self._require_one_day(row, group, bank)
        self._require_unbroken(row, group)
        group.bank = bank
        group.rows[row.line] = row
        if one_card:
            _require_a_card(row)
        else:
            self._take_hands(row, group)

    def _take_hands(self, row: Row, group: _RoundRows) -> None:
        for number, hand in row.hands():
            self._require_new(hand, group, number)
            group.seats.setdefault(number, []).append(hand)

    def _lay_cards(self, group: _RoundRows) -> None:
        """Join the rows of a round's cards to a row for each hand."""
        try:
            bank, *hands = _joined(group.rows.values(), self._plan)
            group.bank = bank.cards("cards")
            for row in hands:
                self._take_hands(row, group)
        except RowFaulty as faulty:
            group.fault = self.faults[faulty.fault.line] = faulty.fault

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
        if at is not None and gaming_day not in (days.of(at), days.of(at - _CLOSE)):
            message = (
                f"{gaming_day}, and the time is of gaming day {days.of(at)} by [table] zone and day_begins "
                f"({days.cut_off:%H:%M})"
            )
            raise row.fault("day", message)

    def _require_one_day(self, row: Row, group: _RoundRows, bank: Cards) -> None:
        """Refuse a round with times on both sides of the day's beginning, which would become two rounds."""
        table_id, gaming_day = group.table_day
        for day in (gaming_day - _DAY, gaming_day + _DAY):
            other = self._rounds.get((table_id, day, group.name))
            if other is None or other.bank != bank or other.at is None or group.at is None or not other.rows:
                continue
            if abs(other.at - group.at) < _CLOSE:
                message = (
                    f"round {group.name} has the same bank in line {other.first_line}, minutes away, on {day}; {_ONCE}"
                )
                ambiguous = row.fault("time", message)
                other.fault = other.fault or ambiguous.fault
                raise ambiguous

    def _require_unbroken(self, row: Row, group: _RoundRows) -> None:
        """Where the rows give the order of rounds, refuse a row of a round that another one has followed."""
        if not self._plan.table.named_rounds or group.at is not None:
            return
        last = self._last.get(group.table_day, group)
        if group.rows and last is not group:
            message = (
                f"round {group.name} goes on here, after round {last.name} has begun in line {last.first_line}: rounds "
                "with names come in the order of their rows, so sort the log, or map a column with numbers"
            )
            raise row.fault("round", message)
        self._last[group.table_day] = group

    def _require_new(self, hand: HandEntry, group: _RoundRows, seat: int) -> None:
        lines = group.bettors.setdefault((seat, hand.name), {})
        first = next(iter(lines), hand.player)
        whose = first if None in (first, hand.player) else hand.player  # one without a name may be any of them
        line = lines.setdefault(whose, hand.row.line)
        if line == hand.row.line:
            return
        where = f"round {group.name}, seat {seat}"
        if "hand" in self._plan.columns:
            raise hand.row.fault("hand", f"hand {shown(hand.name)} of {where} stands in line {line} already")
        message = (
            f"{where} stands in line {line} already; where pairs are split, map a column hand, where several bet on a seat, "
            "a column player"
        )
        raise hand.row.fault("seat", message)

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
        group.rows.setdefault(row.line, row)
        group.fault = group.fault or fault

    def _left_unplaced(self) -> tuple[Fault, ...]:
        """Leave out the rounds of the rows beside each bad row that does not tell its own, which may be one of these; give such
        rows where they may be of any round, as the rows of some round do not stand together."""
        if not self._without_round or self._plan.source.row == "round":
            return ()
        placed = sorted(
            ((line, group) for group in self._rounds.values() for line in group.rows), key=lambda row: row[0]
        )
        if sum(1 for _ in groupby(placed, key=lambda row: id(row[1]))) > len(self._rounds):
            return tuple(self._without_round)
        for fault in self._without_round:
            behind = bisect_right(placed, fault.line, key=lambda row: row[0])
            for _, group in placed[max(behind - 1, 0) : behind + 1]:
                group.fault = group.fault or fault
        return ()

    def _finished(self) -> Iterator[Round]:
        named = self._plan.table.named_rounds
        order = sorted(
            self._rounds.values(), key=lambda group: (group.table_day, (group.at or 0) if named else int(group.name))
        )
        if self._plan.source.row == "card":
            for group in order:
                if group.fault is None:
                    self._lay_cards(group)
        seats = (seat for group in order for seat in group.seats.values())
        if any(len(seat) > 1 and any(hand.name == "0" for hand in seat) for seat in seats):
            self._first_hand = 0  # some logs number a seat's hands from there
        numbers: dict[TableDayName, int] = {}
        for group in order:
            number = numbers[group.table_day] = numbers.get(group.table_day, 0) + 1
            built = self._built(group, number if named else int(group.name))
            if isinstance(built, Round):
                yield built
            else:
                has = "may have" if built in self._without_round else "has"
                for line, row in group.rows.items():
                    reason = f"its round {group.name} {has} a bad row in line {built.line}"
                    self.left_out[line] = Fault(line, "", reason, row.text)
            for read in (group.rows, group.seats, group.bettors):
                read.clear()  # a long log would stand in memory twice

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
        with entries[-1].row.readable("cards"):
            return shared_hands(bettors), bettors

    def _built(self, group: _RoundRows, number: int) -> Round | Fault:
        """The round of some rows under a number, or what is wrong with it."""
        if group.fault is not None:
            return group.fault
        try:
            places = [self._seat(seat, entries) for seat, entries in sorted(group.seats.items())]
            seats, bettors = tuple(seat for seat, _ in places), tuple(one for _, each in places for one in each)
            name = group.name if self._plan.table.named_rounds else ""
            built = Round(group.table_day, number, group.at, name, group.bank, seats, bettors)
            for event in round_events(built, self._plan):
                encode(event)  # holds it to the contract while its rows are known
            return built
        except RowFaulty as faulty:
            fault = faulty.fault
        except (EventRejected, UnicodeEncodeError) as error:
            first = group.rows[group.first_line]
            fault = Fault(first.line, "", f"round {group.name}: {error}", first.text)
        self.faults[fault.line] = fault
        return fault


# Rows that have a card each


def _require_a_card(row: Row) -> None:
    """Require that a row has one card, or none where it only tells something else of its hand, and known decisions."""
    with row.readable("cards"):
        if len(row.plan.cards.read(row.cell("cards"))) > 1:
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
