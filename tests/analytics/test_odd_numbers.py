"""One table's odd numbers are that table's damage: neither the day's reconciliation nor a query is lost with it."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from analytics import marts
from analytics.isolation import WorkFailed
from analytics.lake import note_day, write
from analytics.lake.note import DayNote
from analytics.queries import queries, run
from analytics.reconciliation.reconcile import reconcile
from flows.comparisons import summed
from replayer.verdicts.compare import CHANGES
from replayer.verdicts.replay_totals import Summary, outcome_of
from schemas.money import MOST_MINOR
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


def test_a_table_that_cannot_be_reconciled_stops_no_other(lake: Path, put: Any) -> None:
    for number in range(others := 2):
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
    with pytest.raises(WorkFailed, match="no_such_column"):
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


# No sum of amounts that the contract accepts overflows: every wager here is the largest there can be


MANY = 9_300
TOGETHER = MANY * MOST_MINOR
"""9.3 * 10^18: 64 bits with a sign end at 9.2 * 10^18."""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake: T1 paid every wager that was lost; T2 collected every wager that was won; at both all chips were counted."""
    decided = [
        {"round": n, "seat": 1, "hand": 0, "seq": 10 * n + 1, "player": "bob", "dealer": "D1", "action": "stand"}
        for n in range(1, MANY + 1)
    ]
    most = MOST_MINOR
    moves = [
        ("TableOpened", most),
        *[("ChipsFilled", most, f"F{n}") for n in range(MANY)],
        *[("ChipsCredited", most, f"C{n}") for n in range(MANY)],
        *[("CashBoughtIn", most, None, "alice")] * MANY,
        *[("DropCounted", most)] * MANY,
        ("TableClosed", most, {"seq": 10**6}),  # behind all payments
    ]
    overpaid = [made.wager(n, most, most, -most, seat=1) for n in range(1, MANY + 1)]
    underpaid = [made.wager(n, most, -most, most) for n in range(1, MANY + 1)]
    unjudged = [made.wager(n, most, most, None, reason="the text is not at hand") for n in range(1, MANY + 1)]
    open_ = [made.wager(n, most, None, most) for n in range(1, MANY + 1)]
    folder = tmp_path_factory.mktemp("large") / "lake"
    custody = made.custody(*moves)
    for table, wagers, decisions in (
        ("T1", overpaid, decided), ("T2", underpaid, []), ("T3", unjudged, []), ("T4", open_, [])
    ):  # fmt: skip
        write(folder, [made.replayed(table, wagers=wagers, custody=custody, decisions=decisions)], made.PINS)
    return folder


def test_no_sum_of_the_reconciliation_overflows(large: Path) -> None:
    day = reconcile(large, made.DAY)
    t1, t2, t3, t4 = day.tables
    assert {row.handle_minor for row in day.tables} == {TOGETHER}
    assert (t1.win_recorded_minor, t1.win_due_minor, t1.settlement_gap_minor) == (-TOGETHER, TOGETHER, -2 * TOGETHER)
    assert (t2.win_recorded_minor, t2.win_due_minor, t2.settlement_gap_minor) == (TOGETHER, -TOGETHER, 2 * TOGETHER)
    assert (t1.overpaid_count, t1.overpaid_minor, t1.underpaid_minor) == (MANY, 2 * TOGETHER, 0)
    assert (t2.underpaid_count, t2.underpaid_minor, t2.overpaid_minor) == (MANY, 2 * TOGETHER, 0)
    assert (t3.unjudged_stake_minor, t3.unjudged_paid_minor, t3.win_recorded_minor) == (TOGETHER, TOGETHER, -TOGETHER)
    assert (t4.unsettled_count, t4.unsettled_due_minor) == (MANY, TOGETHER)
    for row in day.tables:
        assert (row.fills_minor, row.credits_minor, row.buyins_minor, row.drop_minor) == (TOGETHER,) * 4
        assert row.win_accounted_minor == TOGETHER, "closing and opening are one, so are fills and credits"
        assert row.custody_gap_minor == TOGETHER - row.win_recorded_minor
        assert row.expected_closing_minor == MOST_MINOR - TOGETHER + row.win_recorded_minor
        assert row.hold == 1.0
        assert row.luck_deviation_minor is None or row.luck_deviation_minor > 0
    (house,) = day.house
    assert (house.handle_minor, house.drop_minor, house.win_accounted_minor) == (4 * TOGETHER,) * 3
    assert (house.overpaid_minor, house.underpaid_minor) == (2 * TOGETHER, 2 * TOGETHER)
    assert [row.stake_minor for row in day.unjudged] == [TOGETHER]
    said = json.loads(json.dumps(day.to_dict()))
    assert said["house"][0]["handle_minor"] == 4 * TOGETHER, "JSON has the number itself, to the last unit"


def test_no_sum_of_the_report_overflows(lake: Path, put: Any) -> None:
    put("T1", wagers=[made.wager(n, MOST_MINOR, -MOST_MINOR, -MOST_MINOR) for n in range(1, MANY + 1)])
    html = made.render(lake, made.DAY)
    assert html.count("93,000,000,000,000,000.00") >= 2, "handle and win of the table"


EXPECTED = {
    ("dealer_error_rates", "overpaid_minor"): 2 * TOGETHER,
    ("dealer_error_rates", "underpaid_minor"): 2 * TOGETHER,
    ("errors_by_hour", "net_minor"): 0,  # of all hours: one table pays what the other holds back
    ("large_buy_ins", "total_minor"): 4 * TOGETHER,
    ("overpayment_by_dealer_and_player", "overpaid_minor"): 2 * TOGETHER,
    ("overpayment_by_dealer_and_player", "net_minor"): 0,
    ("payments_to_back_bettors", "overpaid_minor"): 2 * TOGETHER,
    ("payments_to_back_bettors", "paid_minor"): TOGETHER,
    ("repeated_identical_deltas", "total_minor"): 0,
}


def test_no_sum_of_a_query_overflows(large: Path) -> None:
    exact = {}
    for name in queries():
        rows = json.loads(json.dumps(made.run(name, large).to_dicts(), default=str))
        for column in {column for row in rows[:1] for column in row if column.endswith("_minor")}:
            amounts = [row[column] for row in rows if row[column] is not None]
            assert all(type(amount) is int for amount in amounts), (name, column)
            exact[name, column] = sum(amounts)
    assert exact.items() >= EXPECTED.items()


def test_no_sum_of_a_replay_overflows() -> None:
    most = MOST_MINOR
    over = outcome_of(made.replayed("T1", wagers=[made.wager(n, most, most, -most) for n in range(MANY)]))
    under = outcome_of(made.replayed("T2", wagers=[made.wager(n, most, -most, most) for n in range(MANY)]))
    said = json.loads(json.dumps(Summary([over, under]).to_dict()))
    assert said["discrepancies"]["overpaid"] == {"count": MANY, "amount_minor": 2 * TOGETHER, "currency": "MOP"}
    assert said["discrepancies"]["underpaid"] == {"count": MANY, "amount_minor": 2 * TOGETHER, "currency": "MOP"}


def test_no_sum_of_a_comparison_overflows() -> None:
    one = dict.fromkeys(CHANGES) | {
        "table_id": "T1", "gaming_day": made.DAY, "round": 1, "seat": 1, "hand": 0, "wager": "main",
        "stake_minor": MOST_MINOR, "due_before": MOST_MINOR, "due_after": -MOST_MINOR,
        "change_in_win": 2 * MOST_MINOR, "parts": 1,
    }  # fmt: skip
    changes = CHANGES.to_frame().vstack(type(CHANGES.to_frame())([one] * MANY, schema=CHANGES))
    said = json.loads(json.dumps(summed(changes), default=str))
    assert said["change_in_win_minor"] == 2 * TOGETHER
    for part in (said["by_wager"], said["by_table"], said["rounds"]):
        assert [each["change_in_win_minor"] for each in part] == [2 * TOGETHER]
