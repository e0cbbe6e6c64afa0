"""One row of a foreign log, read by the map: its cells, what these tell of a round (its table, gaming day, time and name), and of
each of its hands; amounts of a seat are not added up yet.

A column is looked up in the innermost part of a row first: in the hand, then its seat, then the round. A name with dots refers to
nested objects, and ``.`` to the part itself.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Final, TypeVar
from unicodedata import category, normalize

from producers.mapping import cells
from producers.mapping.map_file import COUNTED, FACTS, Map
from producers.recorder import GamingDays
from replayer.law.fortune_3_card_poker.bets import PAIR_PLUS
from replayer.sources.layout import TableIdRefused, require_table_id
from schemas.bounds import LAST_SEAT
from schemas.cards import CardName
from schemas.event import micros, moment

_ABSENT: Final = object()
_IN_EVERY_ROW: Final = ("cards", "bank", "round", "seat")
"""Facts whose columns, where the map has them, no row lacks; an amount that a JSON line leaves out is an empty one."""
_COMPLETE_TIME: Final = re.compile(cells.COMPLETE_DATE + r".\d\d:?\d\d")
"""The beginning of a complete time of ISO 8601; for a missing part the parser would assume the first."""
_LONE: Final = re.compile(r"\d{3,}")
_SET_APART: Final = re.compile(r"[.,]\d+|[+-]\d\d:?\d\d")
"""Digits of several parts of a time; and those of a fraction or an offset, which may be written in several ways."""
_COUNT: Final = re.compile(r"\d+(\.\d+)?", re.ASCII)
"""A count from 1970, of which all digits are there."""
_FIRST_COUNTED: Final = 1971
"""The first year of a count from 1970: seconds taken for milliseconds end up in its first weeks."""
_EXAMPLES: Final = {
    "iso": "2026-01-05T21:14:00",
    "unix": "seconds since 1970 (unix_ms has milliseconds)",
    "unix_ms": "milliseconds since 1970 (unix has seconds)",
}

_OF_HANDS: Final = ("hand", "cards", "stake", "base", "doubled", "surrender", "decisions", "result")
"""Facts of which a cell may have one for each of several hands."""
_AMOUNTS: Final = {"stake": "stakes", "result": "result"}
"""Amounts of a hand or of a seat, and the section of the map that tells which."""
_FIRST_BET: Final = ', where it is the bet before the split, covers = "first"'
_NO_NAME: Final = frozenset({"", "-", "--", "—", "?", "n/a", "nan", "none", "null"})
"""What logs write where they name nobody, brackets and # left out: all of these bettors would be one player."""
_ROUNDED: Final = re.compile(r"\d(\.\d+)?E\+\d\d")
"""A long number as a spreadsheet writes it."""
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})
"""Categories of characters by which a name differs from another and looks the same; é that is written in two ways is one."""
Cards = tuple[CardName | None, ...]
_Said = TypeVar("_Said")


@dataclass(frozen=True, slots=True)
class Fault:
    """A bad row, and why. ``column`` is empty where it is not one column's fault."""

    line: int
    column: str
    reason: str
    text: str

    def __str__(self) -> str:
        return f"line {self.line}{f', column {self.column}' if self.column else ''}: {self.reason}"


class RowFaulty(ValueError):
    """A row is bad."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Row:
    """A row, or a part of one. Every error is a RowFaulty that names line and column.

    Attributes:
        found: the facts that rows of the log have, as far as they were read.
        line: its first line in the file.
        text: its text in the file.
        parts: the objects in which columns are looked up, the innermost first.
        seat: the number for ``{seat}`` in a column's name.
        piece: index and count of the hands in cells with several hands.
    """

    plan: Map
    found: set[str]
    line: int
    text: str
    parts: tuple[Any, ...]
    seat: int | None = None
    piece: tuple[int, int] | None = None

    # Its cells

    def fault(self, fact: str, reason: object) -> RowFaulty:
        """The error about the cell of a fact."""
        return RowFaulty(Fault(self.line, self.plan.column(fact, self.seat) or "", str(reason), self.text))

    def read(self, fact: str, reading: Callable[[Any], _Said], cell: Any) -> _Said:
        """What the cell of a fact says; raises what cannot be read as its fault."""
        try:
            return reading(cell)
        except (cells.NotReadable, TableIdRefused) as error:
            raise self.fault(fact, error) from None

    def find(self, fact: str, separator: str = "") -> Any:
        """The cell of a fact, None where the row has none; only its piece of the cell for one hand of several."""
        column = self.plan.column(fact, self.seat)
        if column is None:
            return None
        for part in self.parts:
            if (cell := _lookup(part, column)) is not _ABSENT:
                break
        else:
            other = next(filter(None, (_in_place_of_object(part, column) for part in self.parts)), None)
            if other is not None:
                raise self.fault(fact, f"{cells.shown(other)} stands there, and no object that has it")
            return None
        if self.piece is None or not separator or not isinstance(cell, str) or separator not in cell:
            return cell
        index, count = self.piece
        pieces = cell.split(separator)
        if len(pieces) != count:
            raise self.fault(fact, f"{len(pieces)} parts for {count} hands")
        return pieces[index].strip()

    def cell(self, fact: str, *, pieces: bool = False) -> Any:
        """The cell of a fact; None where the map has no column for it. With ``pieces`` a hand's piece also of a seat's fact."""
        if fact not in self.plan.columns:
            return None
        cell = self.find(fact, self.plan.hands_separator if pieces or fact in _OF_HANDS else "")
        if cell is not None:
            self.found.add(fact)
        elif fact in _IN_EVERY_ROW:
            raise self.fault(fact, f"missing: {FACTS[fact]}")
        return cell

    def _place(self, fact: str) -> tuple[int, str, int | None]:
        """The identity of the cell of a fact: hands with the same place share a cell."""
        column, separator = self.plan.column(fact, self.seat) or "", self.plan.hands_separator
        part = next((part for part in self.parts if _lookup(part, column) is not _ABSENT), None)
        cell = self.find(fact) if self.piece and separator else None
        return id(part), column, self.piece[0] if self.piece and isinstance(cell, str) and separator in cell else None

    def stake(self, fact: str, *, pieces: bool = False) -> int | None:
        """Minor units, None where the cell is empty."""
        cell = self.cell(fact, pieces=pieces)
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            return None
        amount = self.minor_units(fact, cell)
        if amount < 0:
            raise self.fault(fact, f"{cells.shown(cell)} is negative; a stake never is")
        return amount

    def minor_units(self, fact: str, cell: object) -> int:
        """The amount in a cell of a fact."""
        if not isinstance(cell, str):
            raise self.fault(fact, f"{json.dumps(cell, default=str)} is no amount")
        return self.read(fact, self.plan.minor_units, cell)

    def flag(self, fact: str) -> bool:
        """Whether a cell says yes."""
        return self.read(fact, cells.read_flag, self.cell(fact))

    def cards(self, fact: str) -> Cards:
        """The cards of a cell, at least one."""
        cards = self.read(fact, self.plan.cards.read, self.cell(fact))
        if not cards:
            hidden = "for a card that nobody saw write one of the texts of [cards] hidden"
            raise self.fault(fact, f"no cards: {FACTS[fact]} must be there; {hidden}")
        return cards

    def text_of(self, fact: str) -> str:
        """The text of a cell; empty where there is none."""
        return str(self.cell(fact) or "").strip()

    def player(self) -> str | None:
        """The name of the player; None where there is none."""
        cell = self.cell("player")
        if not isinstance(cell, str | None):
            raise self.fault("player", f"{cells.shown(cell)} is no name of a player")
        name = (cell or "").strip()
        if name and not _is_name(name):
            raise self.fault("player", f"{cells.shown(name)} names nobody; leave the cell empty where no name is known")
        if _ROUNDED.fullmatch(name):
            message = "is a number without its last digits, which several players may have; write the whole of it"
            raise self.fault("player", f"{cells.shown(name)} {message}")
        if any(category(letter) in _UNSEEN for letter in name.replace(" ", "")):
            message = "has a character that cannot be seen, or a blank that is no space; write the name without it"
            raise self.fault("player", f"{cells.shown(name)} {message}")
        return normalize("NFC", name) or None

    def actions(self) -> tuple[str, ...]:
        """The decisions of a hand, in the words of the schema."""
        cell = self.cell("decisions")
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
                raise self.fault("decisions", f"{cells.shown(word)} is none of the [decisions] words {known}")
        return tuple(self.plan.actions[word] for word in words if word)

    # Of a round

    def round_name(self) -> str:
        """The source's name or number of the round; the line where it has none."""
        cell = self.cell("round")
        if cell is None:
            return str(self.line)
        if self.plan.table.named_rounds:
            name = cell.strip() if isinstance(cell, str) else ""
            if not _is_name(name):
                raise self.fault("round", f"{cells.shown(cell)} is no name of a round")
            return name
        try:
            return str(cells.read_number(cell))
        except cells.NotReadable as error:
            message = (
                f"{error}; where rounds have names, set [table] named_rounds = true; take out a line that is no hand, such "
                "as a second header"
            )
            raise self.fault("round", message) from None

    def table_id(self) -> str:
        """The table that the row belongs to."""
        table_id = self.plan.table.id or self.text_of("table")
        if not self.plan.table.id and table_id and not _is_name(table_id):
            raise self.fault("table", f"{cells.shown(table_id)} is no name of a table")
        self.read("table", require_table_id, table_id)
        return table_id

    def time(self) -> int | None:
        """The beginning of the round in UTC microseconds; None where the source has no times."""
        if "time" not in self.plan.columns:
            return None
        facts = [fact for fact in ("date", "time") if fact in self.plan.columns]
        text = " ".join(self.text_of(fact) for fact in facts)
        form, zone = self.plan.table.time_format, self.plan.table.gaming_days.zone
        return self.read("time", partial(_began, form, zone), text)

    def gaming_day(self, at: int | None) -> dt.date:
        """The gaming day that the row belongs to; ``at`` decides where no column names it."""
        if self.plan.table.gaming_day is not None:
            return self.plan.table.gaming_day
        cell = self.cell("day")
        if cell is None and at is not None:
            return day_of(self.plan.table.gaming_days, at)
        try:
            return cells.read_day(str(cell).strip())
        except ValueError:
            raise self.fault("day", f"{cells.shown(cell)} is no gaming day; write 2026-01-05") from None

    # Of its hands

    def hands(self) -> Iterator[tuple[int, HandEntry]]:
        """Every hand of a row with the number of its seat, in the order of the row."""
        hands: dict[tuple[int, str | None], list[Row]] = {}
        for number, seat_row in self._seats():
            seat = number, seat_row.player()
            if seat in hands:
                raise seat_row.fault("seat", f"seat {number} stands twice in one row")
            hands[seat] = seat_row._hands()
        self._require_separate_cells(hands)
        for (number, _), hand_rows in hands.items():
            for hand_row in hand_rows:
                yield number, hand_row._entry()

    def _require_separate_cells(self, hands: Mapping[tuple[int, str | None], Sequence[Row]]) -> None:
        """Require that no cell is used for several hands, seats or bettors, unless the map assigns it to the whole seat."""
        of_seats = [(seat, row) for seat, rows in hands.items() for row in rows]
        for fact, whole_seat in self.plan.shareable.items() if len(of_seats) > 1 else ():
            users: dict[tuple[int, str, int | None], list[tuple[object, Row]]] = {}
            for seat, row in of_seats:
                users.setdefault(row._place(fact), []).append((seat, row))
            for shared in users.values():
                seats, first = len({seat for seat, _ in shared}), shared[0][1]
                if len(shared) > 1 and (seats > 1 or not whole_seat) and first._has_content(fact):
                    raise first._shared_fault(fact, len(shared), seats)
            if whole_seat and fact in _AMOUNTS and any(piece is not None for _, _, piece in users):
                message = f"one amount for each hand, where the map says that one of [{_AMOUNTS[fact]}] covers them all"
                raise next(iter(users.values()))[0][1].fault(fact, message)

    def _has_content(self, fact: str) -> bool:
        cell = self.cell(fact, pieces=True)
        if fact in ("doubled", "surrender"):
            return self.flag(fact)
        if fact in ("stake", *self.plan.side_wagers):
            return bool(self.stake(fact, pieces=True))
        return cell not in (None, []) and bool(str(cell).strip())

    def _shared_fault(self, fact: str, hands: int, seats: int) -> RowFaulty:
        if seats > 1:
            message = (
                f"one cell for {seats} seats: each seat needs its own; see {{seat}} and [columns] seats in "
                "`pitaudit import --help`"
            )
        elif fact in _AMOUNTS:
            message = (
                f"one amount for {hands} hands: write one for each, separated as the cards are, or, where it is the whole "
                f'seat\'s, [{_AMOUNTS[fact]}] covers = "seat" into the map{_FIRST_BET if fact == "stake" else ""}'
            )
        else:
            message = f"one cell for {hands} hands, and which of them it is about is not said: write one for each"
        return self.fault(fact, message)

    def _seats(self) -> Iterator[tuple[int, Row]]:
        """The seats of a row with their numbers; in a row with all seats, empty ones are left out."""
        if self.plan.source.seats:
            numbered = ((number, replace(self, seat=number)) for number in self.plan.source.seats)
            yield from ((number, seat) for number, seat in numbered if seat._occupied())
        elif "seats" not in self.plan.columns:
            yield self._number(1), self
        else:
            for place, seat in enumerate(self._parts("seats"), 1):
                if seat._occupied():
                    yield seat._number(place), seat

    def _parts(self, fact: str) -> list[Row]:
        """The parts of a row that one of its cells lists: the seats of its round, the hands of its seat."""
        parts = self.find(fact)
        if not isinstance(parts, list) or not parts:
            raise self.fault(fact, f"a list of {fact} is wanted")
        return [replace(self, parts=(part, *self.parts)) for part in parts]

    def _occupied(self) -> bool:
        """Whether a seat of a row with all seats has hands, or money that must not be lost."""
        stakes = ["stake", *self.plan.side_wagers]
        if "hands" in self.plan.columns:
            played = self.find("hands") != []
            stakes = [fact for fact in stakes if self._is_own(fact)]
        else:
            played = self.cell("cards") not in ("", [])
        return played or any(map(self.stake, stakes)) or self._paid()

    def _paid(self) -> bool:
        """Whether an amount was paid on it."""
        if self.plan.results.given != "words" and self._is_own("result"):
            with suppress(RowFaulty):
                return bool(self.minor_units("result", self.find("result")))
        return False

    def _is_own(self, fact: str) -> bool:
        """Whether a fact has no cell that all seats share."""
        column = self.plan.column(fact, self.seat) or ""
        return column != self.plan.columns.get(fact) or _lookup(self.parts[-1], column) is _ABSENT

    def _number(self, otherwise: int) -> int:
        cell = self.cell("seat")
        if cell is None:
            return otherwise
        with suppress(cells.NotReadable):
            if 1 <= (number := cells.read_number(cell)) <= LAST_SEAT:
                return number
        raise self.fault(
            "seat", f"seat {cells.shown(cell)}: seats are numbered from 1 to {LAST_SEAT}; number them in the log"
        )

    def _hands(self) -> list[Row]:
        if "hands" in self.plan.columns:
            return self._parts("hands")
        cell, separator = self.cell("cards"), self.plan.hands_separator
        if not separator or not isinstance(cell, str) or separator not in cell:
            return [self]
        count = len(cell.split(separator))
        return [replace(self, piece=(index, count)) for index in range(count)]

    def _entry(self) -> HandEntry:
        actions = self.actions()
        doubled = self.flag("doubled") if "doubled" in self.plan.columns else None
        if doubled is None and "decisions" in self.plan.columns:
            doubled = "double" in actions
        stake = self.stake("stake")
        side = {kind: self.stake(kind) or 0 for kind in self.plan.side_wagers}
        if stake is None and self.plan.stakes.covers == "hand" and not side.get(PAIR_PLUS):  # which may be bet alone
            raise self.fault("stake", f"no amount: {FACTS['stake']}")
        base = self.stake("base")
        fixed = self.plan.stakes.base_minor
        return HandEntry(
            self,
            self.text_of("hand"),
            self.player(),
            self.cards("cards"),
            stake or 0,
            base if fixed is None else fixed,
            doubled,
            self.flag("surrender") or "surrender" in actions,
            actions,
            side,
            self.cell("result"),
            {kind: self.cell(f"{kind}_result") for kind in self.plan.side_wagers},
        )


def _is_name(text: str) -> bool:
    return text.strip("#()<>[]").lower() not in _NO_NAME


day_of: Final = lru_cache(GamingDays.of)
"""The gaming day of a moment, which the rows of a round have one after the other."""


@lru_cache
def _began(form: str, zone: dt.tzinfo, text: str) -> int:
    """The UTC microseconds of a time in a cell; the rows of a round have it one after the other."""
    try:
        if form in COUNTED:
            began = moment(int(cells.read_fraction(text) * COUNTED[form]))
            if not _COUNT.fullmatch(text) or began.year < _FIRST_COUNTED:
                raise ValueError("digits are missing, or seconds were taken for milliseconds")
        elif form == "iso" and not _COMPLETE_TIME.match(text):
            raise ValueError("a day or an hour alone")
        else:
            began = dt.datetime.fromisoformat(text) if form == "iso" else _time_by(form, text)
        cells.require_year(began)
    except (ValueError, OverflowError):
        like = _EXAMPLES.get(form, form)
        raise cells.NotReadable(
            f"{cells.shown(text)} is no time like {like}; see [table] time_format, [columns] date"
        ) from None
    if began.tzinfo is None:
        began = began.replace(tzinfo=zone)
        before, after = began.utcoffset(), began.replace(fold=1).utcoffset()
        if before != after:
            what = "came twice" if before > after else "never came"  # type: ignore[operator]
            raise cells.NotReadable(
                f"{cells.shown(text)} {what} in {zone}, whose clocks were set then; write it with its offset from UTC"
            )
    return micros(began)


def _time_by(form: str, text: str) -> dt.datetime:
    """The time that a text tells by a pattern. ValueError where it tells none, or lacks some digits that nothing sets apart:
    a spreadsheet makes 130 of 0130, which would be taken for one o'clock in the afternoon."""
    time = dt.datetime.strptime(text, form)  # noqa: DTZ007
    whole = time.strftime(form)
    spellings = [whole.removesuffix("0" * digits) for digits in range(6 if form.endswith("%f") else 1)]
    if _lone_digits(text) not in map(_lone_digits, spellings):
        raise ValueError("digits are missing")
    return time


def _lone_digits(time: str) -> list[str]:
    return _LONE.findall(_SET_APART.sub("", time))


def _lookup(part: Any, column: str) -> Any:
    if column == ".":
        return part
    if isinstance(part, dict) and column in part:
        return part[column]
    for name in column.split("."):
        if not isinstance(part, dict) or name not in part:
            return _ABSENT
        part = part[name]
    return part


def _in_place_of_object(part: Any, column: str) -> Any:
    """What a part has where the map names an object; None where it has nothing."""
    for name in column.split(".")[:-1] if isinstance(part, dict) else ():
        part = part.get(name)
        if not isinstance(part, dict):
            return part if part and str(part).strip().lower() not in cells.NO else None
    return None


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
