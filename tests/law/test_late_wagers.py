"""What X-6 and X-7 are worth, and a deadline where late wagers are void; single rounds are in ``rounds/late.txt``."""

from __future__ import annotations

from itertools import product

import pytest

from replayer.engine.replay_settings import ReplaySettings
from replayer.verdicts.compare import ledger, what_if
from tests.law.one_round import DAYS, replay, table


@pytest.mark.parametrize("version", DAYS)
def test_bj16_and_x7_insurance_after_anothers_card_depends_on_its_deadline_where_late_wagers_are_void(
    version: str,
) -> None:
    text = "1.main=100 2.main=100 nomore 1+5h 2+Th B+Ah 1+8d 2+9d 1.hit 1+3c 2.insurance 2.insurance=50 1.stand 2.stand B+Kc end"
    found = {}
    for late, deadline in product(("counts", "void"), ("before_additional_card", "before_bank_second")):
        replayed = replay(text, "black_jack", DAYS[version], {"X-7": late, "BJ-16": deadline})
        [found[late, deadline]] = replayed.wagers.filter(wager="insurance").select("due_minor", "rulings").rows()
    assert found == {
        ("counts", "before_additional_card"): (100_00, "BJ-17 X-7"),
        ("counts", "before_bank_second"): (100_00, "BJ-17"),
        ("void", "before_additional_card"): (0, "BJ-16 BJ-17 X-7"),
        ("void", "before_bank_second"): (100_00, "BJ-16 BJ-17"),
    }
    lines = ledger([[table(text, "black_jack", DAYS[version])]], ReplaySettings(readings={"X-7": "void"}))
    assert {line.reading: line.change_in_win for line in lines if line.ruling == "BJ-16"} == {
        "before_bank_second": -100_00
    }


def test_x6_and_x7_are_weighed_by_the_ledger_and_by_whatif() -> None:
    text = "1.main=100 nomore 1+Kc B+Ad 1.any_pair=50 1+6d 1.surrender B+9c end"
    days = [table(text, "black_jack", DAYS["57/2009"], side_any_pair="on")]
    lines = {(line.ruling, line.reading): line.change_in_win for line in ledger([days], ReplaySettings())}
    assert (lines["X-6", "half"], lines["X-7", "void"]) == (-5000, -5000)
    changes = what_if(days, ReplaySettings(), ReplaySettings(readings={"unlawful_surrender": "half"}))
    assert changes.select("wager", "due_before", "due_after").rows() == [("main", -10000, -5000)]
    changes = what_if(days, ReplaySettings(), ReplaySettings(readings={"late_wager": "void"}))
    assert changes.select("wager", "due_before", "due_after").rows() == [("any_pair", -5000, 0)]
