"""Golden rounds: for every finding that a round in text can trip, one table-day that trips it and one that does not.

``tests/golden/CODE.txt`` is a table-day in the text notation whose first comments say what must be found, and where::

    ; game black_jack day 2009-06-01
    ; code BURN_MISSING at 11
    ; clause 57/2009 art. 4(1)

``tests/golden/CODE.lawful.txt`` is nearly the same day, and nothing may be found in it (``; code none``). Further days that
bear on a code have a word of their own after it (``CODE.void.txt``).
``; readings`` names the readings under which a day is judged, where they are not the defaults.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

import analytics.reconcile
import replayer.law.calendar
import replayer.run
from replayer.columns import columns_of
from replayer.elections import ReplaySettings
from replayer.replay import Replayed, TableDay, replay_table_days
from schemas.finding import CODES
from schemas.notation import parse_events

TESTS = Path(__file__).parents[1]
GOLDEN = TESTS / "golden"
FILES = sorted(GOLDEN.glob("*.txt"))
DECLARING = (analytics.reconcile, replayer.law.calendar, replayer.run)
"""What must be imported for every code to be declared."""

UNVERIFIED = "LAW_TEXT_UNVERIFIED"
"""A mark of how sure a payment is, found wherever a text is not at hand: counted only in its own files."""

COMPANIONS = {
    "WAGER_UNAUTHORISED": {"OPTION_UNAUTHORISED"},
    "HAND_WITHOUT_SPLIT": {"WAGER_TOO_LATE"},
    "CARD_AFTER_END": {"EVENT_AFTER_ROUND"},
}
"""What comes with a code by nature: a wager without permission stands at a table that elected it without permission, a stake
on a hand that cards alone have made comes after a card, a card after the round's end is an event after it."""

NOT_IN_TEXT = {
    "TABLE_ABSENT": (
        "a text is of a table that is there",
        "flows/test_every_table_accounted.py::test_an_absence_is_acknowledged",
    ),
    "TABLE_NOT_SEALED": ("a text is sealed", "flows/test_every_table_accounted.py::test_a_table_that_is_not_sealed"),
    "TABLE_UNEXPECTED": ("a text has no register", "flows/test_every_table_accounted.py::test_the_register_decides"),
    "SEQUENCE_GAP": ("a text has no numbers to leave out", "replay/test_log.py::test_a_gap_is_found_after_the_hole"),
    "SEQUENCE_CONFLICT": ("a text numbers its events", "replay/test_log.py::test_two_different_events"),
    "SETTLEMENT_UNMATCHED": (
        "a text has no numbers to leave out",
        "replay/test_replay.py::test_a_settlement_whose_wager",
    ),
    "EVENT_REPEATED": ("a text numbers its events", "replay/test_log.py::test_a_repeated_event"),
    "EVENT_MALFORMED": ("a word has all that its kind requires", "replay/test_log.py::test_an_event_without_a_field"),
    "CARD_UNKNOWN": ("no word can name what is no card", "replay/test_log.py::test_a_text_that_names_no_card"),
    "KIND_UNKNOWN": ("every word is of a known kind", "replay/test_log.py::test_a_kind_of_a_later_schema"),
    "PART_LATE": ("a text has no parts", "replay/test_books.py::test_a_part_that_comes_after"),
    "CONTAINER_DAMAGED": ("damage is of files", "replay/test_run.py::test_a_damaged_table_day"),
    "TABLE_DAY_UNJUDGED": (
        "the program fails on none that it knows of",
        "replay/test_crosstalk.py::test_a_table_day_that_cannot_be_judged",
    ),
    "INVENTORY_VARIANCE": ("found by the reconciliation", "analytics/test_reconcile.py::test_"),
    "DROP_VARIANCE": ("found by the reconciliation", "analytics/test_reconcile.py::test_"),
    "LAKE_DAMAGED": ("damage is of files", "flows/test_lake_bytes.py::test_a_manifest_that_cannot_be_read"),
    "CONTAINER_REPLACED": ("a text is never sealed", "flows/test_replaced_logs.py::test_a_log_replaced"),
    "MEMORY_LOST": ("a text is in no lake", "flows/test_replaced_logs.py::test_who_takes_the_memory_away_and"),
}
"""Codes that no round in text can trip: why, and how the names of the tests begin that trip them."""


@dataclass(frozen=True)
class Golden:
    """A file's header: game, gaming day, what must be found (code and position, nothing where it is lawful), clauses."""

    game: str
    day: dt.date
    found: tuple[tuple[str, int], ...]
    clauses: frozenset[str]
    readings: dict[str, str]
    text: str

    @classmethod
    def read(cls, path: Path) -> Golden:
        """Read a file."""
        text = path.read_text(encoding="utf-8")
        game, day = _only(r"; game (\w+) day (\S+)", text)
        found = [(code, int(seq)) for code, seq in re.findall(r"^; code (\w+) at (\d+)$", text, re.MULTILINE)]
        assert found or re.search(r"^; code none$", text, re.MULTILINE), f"{path.name} does not say what is found in it"
        clauses = re.findall(r"^; clause (.*)$", text, re.MULTILINE)
        readings = re.findall(r"^; readings (\S+)=(\S+)$", text, re.MULTILINE)
        return cls(game, dt.date.fromisoformat(day), tuple(found), frozenset(clauses or [""]), dict(readings), text)


def _only(pattern: str, text: str) -> tuple[str, ...]:
    (found,) = re.findall(f"^{pattern}$", text, re.MULTILINE)
    return tuple(found)


@pytest.fixture(scope="module")
def replayed() -> dict[Path, Replayed]:
    """The verdicts on every file; those under the same readings are judged together, which costs a tenth."""
    together: dict[frozenset[tuple[str, str]], list[Path]] = {}
    for path in FILES:
        together.setdefault(frozenset(Golden.read(path).readings.items()), []).append(path)
    verdicts = {}
    for readings, paths in together.items():
        days = []
        for path in paths:
            golden = Golden.read(path)
            columns = columns_of(parse_events(golden.text, table_id=path.stem, gaming_day=golden.day))
            days.append(TableDay(path.stem, golden.day, columns))
        judged = replay_table_days(days, ReplaySettings(readings=dict(readings)))
        verdicts |= dict(zip(paths, judged, strict=True))
    return verdicts


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden_round(path: Path, replayed: dict[Path, Replayed]) -> None:
    golden = Golden.read(path)
    rows = [
        row
        for row in replayed[path].findings.rows(named=True)
        if row["code"] != UNVERIFIED or UNVERIFIED in dict(golden.found)
    ]
    assert sorted((row["code"], row["seq"]) for row in rows) == sorted(golden.found), [row["message"] for row in rows]
    beside = COMPANIONS.get(path.stem.upper(), set())
    assert {row["article"] for row in rows if row["code"] not in beside} <= golden.clauses
    assert f"open:{golden.game}:" in golden.text or "TABLE_NOT_OPENED" in path.stem.upper()


def test_every_code_has_a_round_that_trips_it_and_one_that_does_not() -> None:
    assert len(DECLARING) == 3
    tripped = {path.stem.upper(): Golden.read(path) for path in FILES if "." not in path.stem}
    lawful = {path.stem.split(".")[0].upper(): Golden.read(path) for path in FILES if path.stem.endswith(".lawful")}
    assert set(tripped) == set(lawful) == set(CODES) - set(NOT_IN_TEXT)
    for code, golden in tripped.items():
        assert {found for found, _ in golden.found} - COMPANIONS.get(code, set()) == {code}, (
            f"{code}: its file trips more"
        )
        assert lawful[code].found == ()
        assert lawful[code].game == golden.game or code == "GAME_UNKNOWN"


@pytest.mark.parametrize("code", sorted(NOT_IN_TEXT))
def test_codes_that_no_text_can_trip_are_tripped_elsewhere(code: str) -> None:
    why, test = NOT_IN_TEXT[code]
    file, name = test.split("::")
    source = (TESTS / file).read_text(encoding="utf-8")
    assert why
    assert f"def {name}" in source
    assert code in source
