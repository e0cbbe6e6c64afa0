"""Golden rounds: for every finding that a table-day in text can trip, one that trips it beside one that does not.

``tests/golden/CODE.txt`` holds both, in the notation of rounds. Each finding stands behind the event at which it must show, and
nothing else may be found::

    ; clause 57/2009 art. 9
    lawful  #1 1.main=100@p1 nomore 1+Kc B+6h 1+Qd 1.stand B+Tc B+5d 1.main>-100@p1 end
    faulty  #1 1.main=100@p1 nomore 1+Kc B+6h 1+Qd 1.stand B+Tc B+5d 1.main>0@p1 <OVERPAID> end

Implied are a table of Black Jack on 1 June 2009, opened, shuffled, cut and burned as :data:`OPENED` says, and its closing. A text
that begins with ``shuffle:`` says itself what was done to the cards, one that begins with neither this nor a round says all.
``; game``, ``; option`` (authorised) and ``; readings`` say what is otherwise; ``; clause`` the law that a finding must cite,
``; case`` what a further pair of table-days is about. They hold for the lines below them up to an empty line.

What no word can tell is marked behind the event as well: ``<lost>`` it is not on the log, ``<twice>`` it stands there twice,
``<or:WORD>`` another event has its number too, ``<set:COLUMN=VALUE>`` its column has that value, none where none is given,
``<sealed>`` a part ends with it.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import analytics.reconcile
import replayer.law.calendar
import replayer.verdicts.run
from replayer.engine.rules_in_force import ReplaySettings
from replayer.integrity.log import TableDay
from replayer.log.columns import FLAT, columns_of
from replayer.verdicts.replay import Replayed, replay_table_days
from schemas.finding import CODES
from schemas.notation import parse_events, split_words

TESTS = Path(__file__).parents[1]
GOLDEN = TESTS / "golden"
DECLARING = (analytics.reconcile, replayer.law.calendar, replayer.verdicts.run)
"""What must be imported for every code to be declared."""

UNVERIFIED = "LAW_TEXT_UNVERIFIED"
"""A mark of how sure a payment is, found wherever a text is not at hand: counted only in its own files."""

COMPANIONS = {
    "WAGER_UNAUTHORISED": {"OPTION_UNAUTHORISED"},
    "HAND_WITHOUT_SPLIT": {"WAGER_TOO_LATE"},
    "CARD_AFTER_END": {"EVENT_AFTER_ROUND"},
    "SETTLEMENT_UNMATCHED": {"SEQUENCE_GAP"},
    "PART_LATE": {"TABLE_NOT_CLOSED"},
}
"""What comes with a code by nature: a wager without permission stands at a table that elected it without permission, a stake
on a hand that cards alone have made comes after a card, a card after the round's end is an event after it, a wager is lost
where its event is, a day that was sealed before its closing had none by then."""

NOT_IN_TEXT = {
    "TABLE_ABSENT": (
        "a text is of a table that is there",
        "flows/test_every_table_accounted.py::test_an_absence_is_acknowledged",
    ),
    "TABLE_NOT_SEALED": ("a text is sealed", "flows/test_every_table_accounted.py::test_a_table_that_is_not_sealed"),
    "TABLE_UNEXPECTED": ("a text has no register", "flows/test_every_table_accounted.py::test_the_register_decides"),
    "CONTAINER_DAMAGED": ("damage is of files", "replay/test_run.py::test_a_damaged_table_day"),
    "TABLE_DAY_UNJUDGED": (
        "the program fails on none that it knows of",
        "replay/test_crosstalk.py::test_a_table_day_that_cannot_be_judged",
    ),
    "INVENTORY_VARIANCE": ("found by the reconciliation", "analytics/test_reconcile.py::test_"),
    "DROP_VARIANCE": ("found by the reconciliation", "analytics/test_reconcile.py::test_"),
    "DENOMINATIONS_DIFFER": (
        "a text has no denominations",
        "replay/test_denominations.py::test_an_amount_that_its_denominations",
    ),
    "LAKE_DAMAGED": ("damage is of files", "flows/test_lake_on_disk.py::test_a_manifest_that_cannot_be_read"),
    "CONTAINER_REPLACED": ("a text is never sealed", "flows/test_replaced_logs.py::test_a_log_replaced"),
    "MEMORY_LOST": ("a text is in no lake", "flows/test_replaced_logs.py::test_who_takes_the_memory_away_and"),
}
"""Codes that no round in text can trip: why, and how the names of the tests begin that trip them."""


OPENED = {
    "black_jack": (
        "open:black_jack:MOP:7=50000",
        "dealer+D1",
        f"shuffle:1:hand:6 cut:1:player white:1:60{' !-??' * 6}",
    ),
    "fortune_3_card_poker": ("open:fortune_3_card_poker:MOP:7=50000", "dealer+D1", "shuffle:1:machine:1"),
}
"""How a table is opened, who deals, and what is done to its cards."""
AUTHORISED = ":DICJ-1:2009-05-04:2009-05-20:2009-06-01"
CLOSED = "#- dealer-D1 drop=0 close=50000"


@dataclass(frozen=True)
class Golden:
    """A table-day of a file: its text with the marks, and what was said of it."""

    code: str
    lawful: bool
    text: str
    said: dict[str, list[str]]

    @property
    def case(self) -> str:
        """What it is about; empty for the pair that each file has."""
        return " ".join(self.said.get("case", ()))

    @property
    def found(self) -> list[tuple[str, int]]:
        """The findings, each with the number of the event that it points at."""
        return sorted((mark, seq) for mark, seq in self._marks() if mark.isupper())

    def table_day(self, table_id: str) -> TableDay:
        """The table-day as a log has it."""
        words = [word for word in self._words() if not _is_mark(word)]
        _, day = self.game
        rows = {event["seq"]: event for event in _rows(words, table_id, day)}
        logged, parts = {seq: [row] for seq, row in rows.items()}, [0]
        for mark, seq in self._marks():
            match mark.partition(":"):
                case ("lost", _, _):
                    logged[seq] = []
                case ("twice", _, _):
                    logged[seq] *= 2
                case ("or", _, word):
                    number = [at for at, each in enumerate(words) if _is_event(each)][seq - 1]
                    logged[seq] += [row for row in _rows([*words[:number], word], table_id, day) if row["seq"] == seq]
                case ("set", _, change):
                    column, _, value = change.partition("=")
                    logged[seq] = [{**row, column: value or None} for row in logged[seq]]
                case ("sealed", _, _):
                    parts.append(seq)
                case _:
                    assert mark in CODES, f"{self.code}: <{mark}> is no finding"
        frame = pl.DataFrame([row for same in logged.values() for row in same], schema=FLAT)
        ends = [*parts[1:], frame.height] if len(parts) > 1 else []
        return TableDay(table_id, day, frame, parts=tuple(end - begin for begin, end in pairwise((0, *ends))))

    @property
    def game(self) -> tuple[str, dt.date]:
        """The game and the gaming day."""
        name, _, day = self.said.get("game", ["black_jack day 2009-06-01"])[0].split()
        return name, dt.date.fromisoformat(day)

    def _words(self) -> list[str]:
        opened, dealer, cards = OPENED[self.game[0]]
        text = self.text
        if text.startswith(("#", "shuffle:")):
            options = "".join(f" option:{option}{AUTHORISED}" for option in self.said.get("option", ()))
            done = "" if text.startswith("shuffle:") else cards
            text = f"{opened}{options} {dealer} {done} {text} {'' if '#-' in text else CLOSED}"
        return split_words(text)

    def _marks(self) -> Iterator[tuple[str, int]]:
        seq = 0
        for word in self._words():
            if _is_mark(word):
                yield word[1:-1], seq
            seq += _is_event(word)


def _is_mark(word: str) -> bool:
    return word.startswith("<")


def _is_event(word: str) -> bool:
    return not word.startswith(("<", "#", "@"))


def _rows(words: list[str], table_id: str, day: dt.date) -> list[dict[str, object]]:
    return columns_of(parse_events(" ".join(words), table_id=table_id, gaming_day=day)).to_dicts()


def goldens() -> Iterator[Golden]:
    """Every table-day of every file."""
    for path in sorted(GOLDEN.glob("*.txt")):
        for block in path.read_text(encoding="utf-8").split("\n\n"):
            said: dict[str, list[str]] = {}
            for key, value in re.findall(r"^; (case|game|option|readings|clause) (.*)$", block, re.MULTILINE):
                said.setdefault(key, []).append(value)
            for kind, text in re.findall(r"^(lawful|faulty)\s+(.*(?:\n +.*)*)$", block, re.MULTILINE):
                yield Golden(path.stem, kind == "lawful", text, said)


ALL = list(goldens())


@pytest.fixture(scope="module")
def replayed() -> dict[int, Replayed]:
    """The verdicts on every table-day; those under the same readings are judged together, which costs a tenth."""
    of_hands: dict[tuple[str, ...], list[int]] = {}
    for number, golden in enumerate(ALL):
        of_hands.setdefault(tuple(golden.said.get("readings", ())), []).append(number)
    verdicts: dict[int, Replayed] = {}
    for readings, numbers in of_hands.items():
        settings = ReplaySettings(readings=dict(reading.split("=") for reading in readings))
        days = [ALL[number].table_day(f"T{number}") for number in numbers]
        verdicts |= dict(zip(numbers, replay_table_days(days, settings), strict=True))
    return verdicts


@pytest.mark.parametrize("golden", ALL, ids=lambda g: f"{g.code}-{'lawful' if g.lawful else 'faulty'}-{g.case}")
def test_golden_round(golden: Golden, replayed: dict[int, Replayed]) -> None:
    marked = {code for code, _ in golden.found}
    findings = replayed[ALL.index(golden)].findings
    rows = [row for row in findings.rows(named=True) if row["code"] != UNVERIFIED or UNVERIFIED in marked]
    assert sorted((row["code"], row["seq"]) for row in rows) == golden.found, [row["message"] for row in rows]
    beside = COMPANIONS.get(golden.code, set())
    assert {row["article"] for row in rows if row["code"] not in beside} <= {*golden.said.get("clause", [""])}


def test_every_code_has_a_round_that_trips_it_beside_one_that_does_not() -> None:
    assert len(DECLARING) == 3
    assert {golden.code for golden in ALL} == set(CODES) - set(NOT_IN_TEXT)
    for code in {golden.code for golden in ALL}:
        pair = [golden for golden in ALL if golden.code == code and not golden.case]
        assert [golden.lawful for golden in pair] == [True, False], code
        lawful, faulty = pair
        assert lawful.found == []
        assert {found for found, _ in faulty.found} - COMPANIONS.get(code, set()) == {code}, f"{code}: it trips more"
        assert lawful.game[0] == faulty.game[0]
    assert not [golden for golden in ALL if golden.lawful and golden.found]


def test_nothing_in_a_golden_file_is_passed_over() -> None:
    """Every line of a file is a table-day, goes on with one, or says something of them."""
    for path in GOLDEN.glob("*"):
        text = path.read_text(encoding="utf-8")
        lines = [line for line in text.splitlines() if line and not line.startswith("; ")]
        own = [golden for golden in ALL if golden.code == path.stem]
        assert sum(golden.text.count("\n") + 1 for golden in own) == len(lines), path.name


@pytest.mark.parametrize("code", sorted(NOT_IN_TEXT))
def test_codes_that_no_text_can_trip_are_tripped_by_other_tests(code: str) -> None:
    why, test = NOT_IN_TEXT[code]
    file, name = test.split("::")
    source = (TESTS / file).read_text(encoding="utf-8")
    assert why
    assert f"def {name}" in source
    assert code in source
