"""One table's odd numbers are that table's damage: neither the day's reconciliation nor a query is lost with it."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from analytics import marts
from analytics.lake import note_day
from analytics.lake.note import DayNote
from analytics.queries import run
from analytics.reconcile import ReconciliationBroken, reconcile
from tests.analytics import made

LARGEST = 2**63 - 1
"""No recorder, no archiver and no rule lets it through; a program's fault may."""

EARLIEST = -(2**63) + 2
"""Microseconds of a time that a file holds and no calendar has."""


def odd() -> dict[str, Any]:
    """A wager of which due less paid does not fit 64 bits, and what replay found there."""
    finding = {"seq": 19, "round": 1, "code": "STAKE_CHANGED", "severity": "money", "message": "m"}
    wrong = made.wager(1, 100, -LARGEST, None) | {"due_minor": LARGEST, "delta_minor": -1, "status": "judged"}
    return {"wagers": [wrong, made.wager(2, 50, 50, None, reason="a card")], "findings": [finding]}


def counted(missing: int = 0) -> dict[str, Any]:
    """A table-day of an overpayment by 200 at which all was counted."""
    moves = (("TableOpened", 1000), ("TableClosed", 900 - missing), ("DropCounted", 0))
    return {"wagers": [made.wager(1, 100, 100, -100)], "custody": made.custody(*moves)}


@pytest.mark.parametrize("others", [1, 6])
def test_a_table_that_cannot_be_reconciled_stops_no_other(lake: Path, put: Any, others: int) -> None:
    for number in range(others):
        put(f"T{number}", **counted())
    alone = reconcile(lake, made.DAY)
    put("ODD", **odd())
    put("ODD-2", **odd())
    day = reconcile(lake, made.DAY)
    assert day.tables == alone.tables and day.house == alone.house and len(day.tables) == others
    assert day.settlement_causes == alone.settlement_causes and day.custody_findings == alone.custody_findings
    assert set(day.damaged) == {"ODD", "ODD-2"} and not day.clean
    assert "ODD of 2026-01-05" in day.damaged["ODD"] and "\n" not in day.damaged["ODD"]
    found = {each.code: each.count for each in day.findings}
    assert found["TABLE_DAY_UNJUDGED"] == 2
    assert found["STAKE_CHANGED"] == 2, "what replay found there stays found"
    assert [(row.table_id, row.wagers) for row in day.unjudged] == [("ODD", 1), ("ODD-2", 1)]
    json.dumps(day.to_dict())
    assert "ODD of 2026-01-05" in made.render(lake, made.DAY)


def test_only_odd_tables_leave_a_reconciliation_without_tables_and_not_clean(lake: Path, put: Any) -> None:
    put("ODD", **odd())
    day = reconcile(lake, made.DAY)
    assert (day.tables, day.house, set(day.damaged), day.clean) == ((), (), {"ODD"}, False)


def test_a_table_whose_measures_contradict_each_other_is_damage_and_the_others_are_reconciled(
    lake: Path, put: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("T1", **counted())
    put("T2", **counted(missing=7))
    sound = reconcile(lake, made.DAY)
    wrong = dict(marts.measures())
    of_one = "CASE table_id WHEN 'T2' THEN 1 ELSE 0 END AS custody_gap_minor"
    wrong["books"] = wrong["books"].replace("AS custody_gap_minor", f"+ {of_one}")
    monkeypatch.setattr(marts, "measures", lambda: wrong)
    day = reconcile(lake, made.DAY)
    assert [row.table_id for row in day.tables] == ["T1"] and day.tables[0] == sound.tables[0]
    assert "the custody gap is -6" in day.damaged["T2"] and not day.clean
    assert day.house[0].tables == 1
    assert "TABLE_DAY_UNJUDGED" in {found.code for found in day.findings}


def test_a_fault_of_the_program_is_not_reported_as_damage_of_every_table(
    lake: Path, put: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("T1", **counted())
    broken = dict(marts.measures()) | {"hold": "SELECT no_such_column FROM table_days"}
    monkeypatch.setattr(marts, "measures", lambda: broken)
    with pytest.raises(ReconciliationBroken, match="no_such_column"):
        reconcile(lake, made.DAY)


def test_a_query_leaves_out_the_table_day_on_which_it_fails_and_says_so(lake: Path, put: Any) -> None:
    other = dt.date(2026, 1, 6)
    for day in (made.DAY, other):
        for table in ("T1", "T2", "T3"):
            put(table, day, wagers=[made.wager(1, 100, 50, -100), made.wager(2, 100, 50, -100)])
    whole = made.run("errors_by_hour", lake)
    put("ODD", wagers=[made.wager(1, 100, 50, -100, settled_at=EARLIEST)])
    frame, contents, _ = run("errors_by_hour", lake, {})
    assert frame.equals(whole)
    assert [(left.table_id, left.code) for left in contents.left_out] == [("ODD", "TABLE_DAY_UNJUDGED")]


def test_a_note_of_damage_stays_what_it_is(lake: Path, put: Any) -> None:
    put("T1", **counted())
    put("ODD", **odd())
    note_day(lake, made.DAY, DayNote(0, {"T9": "cut off"}))
    day = reconcile(lake, made.DAY)
    codes = {found.code: found.count for found in day.findings}
    assert (codes["CONTAINER_DAMAGED"], codes["TABLE_DAY_UNJUDGED"]) == (1, 1)
