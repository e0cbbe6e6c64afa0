"""Every code that a table-day in text can trip has a file, which begins with a table-day that is lawful and one that is not.

:mod:`tests.law.test_rounds` reads and judges them; here stands that none is missing.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pytest

from schemas.finding import CODES
from tests.analytics import test_reconcile
from tests.flows import test_every_table_accounted as accounted
from tests.flows import test_lake_on_disk, test_replaced_logs
from tests.law.case_files import blocks
from tests.law.one_round import FORTUNE_DAYS
from tests.replay import test_crosstalk, test_denominations, test_run

TESTS = Path(__file__).parents[1]

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

NOT_IN_TEXT: Final[Mapping[str, tuple[str, Callable[..., None]]]] = {
    "TABLE_ABSENT": (
        "a text is of a table that is there",
        accounted.test_a_day_of_which_nothing_came_misses_every_table,
    ),
    "TABLE_NOT_SEALED": (
        "a text is sealed",
        accounted.test_a_table_that_is_not_sealed_is_reported_with_its_events_and_the_last_of_them,
    ),
    "TABLE_UNEXPECTED": ("a text has no register", accounted.test_the_register_decides_where_there_is_one),
    "CONTAINER_DAMAGED": (
        "damage is of files",
        test_run.test_a_damaged_table_day_is_reported_and_leaves_the_others_done,
    ),
    "TABLE_DAY_UNJUDGED": (
        "the program fails on none that it knows of",
        test_crosstalk.test_a_table_day_that_cannot_be_judged_is_its_own_damage_everywhere,
    ),
    "INVENTORY_VARIANCE": ("found by the reconciliation", test_reconcile.test_custody_findings_and_leads),
    "DROP_VARIANCE": ("found by the reconciliation", test_reconcile.test_custody_findings_and_leads),
    "DENOMINATIONS_DIFFER": (
        "a text has no denominations",
        test_denominations.test_an_amount_that_its_denominations_do_not_come_to,
    ),
    "LAKE_DAMAGED": (
        "damage is of files",
        test_lake_on_disk.test_a_manifest_that_cannot_be_read_never_makes_its_table_vanish,
    ),
    "CONTAINER_REPLACED": (
        "a text has no file to replace",
        test_replaced_logs.test_a_memory_that_somebody_wrote_anew_is_found_out,
    ),
    "MEMORY_LOST": (
        "a text is in no lake",
        test_replaced_logs.test_who_takes_the_memory_away_and_its_copy_is_found_out,
    ),
}
"""Codes that no round in text can trip: why, and the test that trips them."""


def test_every_code_has_a_round_that_trips_it_beside_one_that_does_not() -> None:
    first = {clause.partition(":")[0]: cases for clause, cases in reversed(blocks(TESTS / "golden").items())}
    assert first.keys() == CODES.keys() - NOT_IN_TEXT.keys()
    for code, (lawful, faulty, *_) in first.items():
        assert lawful.codes == set(), code
        assert faulty.codes - COMPANIONS.get(code, set()) == {code}, f"{code}: it trips more"
        assert len({case.laws[0].version in FORTUNE_DAYS for case in (lawful, faulty)}) == 1, f"{code}: of two games"


@pytest.mark.parametrize("code", sorted(NOT_IN_TEXT))
def test_codes_that_no_text_can_trip_are_asserted_by_other_tests(code: str) -> None:
    _, test = NOT_IN_TEXT[code]
    asserted = [node for node in ast.walk(ast.parse(inspect.getsource(test))) if isinstance(node, ast.Assert)]
    assert code in {each.value for node in asserted for each in ast.walk(node) if isinstance(each, ast.Constant)}
    assert not {mark.name for mark in getattr(test, "pytestmark", ())} & {"skip", "skipif", "xfail"}
