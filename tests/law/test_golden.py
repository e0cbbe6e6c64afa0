"""Every code that a table-day in text can trip has a file, which begins with a table-day that is lawful and one that is not.

:mod:`tests.law.test_rounds` reads and judges them; here stands that none is missing.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import analytics.reconciliation.reconcile
import replayer.law.calendar
import replayer.verdicts.run
from schemas.finding import CODES
from tests.law.case_files import blocks
from tests.law.one_round import FORTUNE_DAYS

TESTS = Path(__file__).parents[1]
DECLARING = (analytics.reconciliation.reconcile, replayer.law.calendar, replayer.verdicts.run)
"""What must be imported for every code to be declared."""

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
    "CONTAINER_REPLACED": ("a text has no file to replace", "flows/test_replaced_logs.py::test_a_log_replaced"),
    "MEMORY_LOST": ("a text is in no lake", "flows/test_replaced_logs.py::test_who_takes_the_memory_away_and"),
}
"""Codes that no round in text can trip: why, and how the names of the tests begin that trip them."""


def test_every_code_has_a_round_that_trips_it_beside_one_that_does_not() -> None:
    assert len(DECLARING) == 3
    first = {clause.partition(":")[0]: cases for clause, cases in reversed(blocks(TESTS / "golden").items())}
    assert first.keys() == CODES.keys() - NOT_IN_TEXT.keys()
    for code, (lawful, faulty, *_) in first.items():
        assert lawful.codes == set(), code
        assert faulty.codes - COMPANIONS.get(code, set()) == {code}, f"{code}: it trips more"
        assert len({case.laws[0].version in FORTUNE_DAYS for case in (lawful, faulty)}) == 1, f"{code}: of two games"


@pytest.mark.parametrize("code", sorted(NOT_IN_TEXT))
def test_codes_that_no_text_can_trip_are_tripped_by_other_tests(code: str) -> None:
    why, test = NOT_IN_TEXT[code]
    file, name = test.split("::")
    source = (TESTS / file).read_text(encoding="utf-8")
    assert why
    assert f"def {name}" in source
    assert code in source
