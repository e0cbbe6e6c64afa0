"""The sentence about a gaming day: says all that keeps it from being clean, in words a manager reads, and nothing else."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from analytics.lake import DayNote, note_day
from analytics.lake.statuses import Status, TableStatus
from analytics.reconciliation.reconcile import reconcile
from analytics.sentence import sentence, short_summary, totals_of
from replayer.sources.lost import Lost, Why
from tests.analytics import made

CLOSED = (("TableOpened", 100_000), ("TableClosed", 100_000), ("DropCounted", 0))
WON = (("TableOpened", 100_000), ("TableClosed", 99_900), ("DropCounted", 0))


@pytest.fixture(autouse=True)
def accounted(lake: Path) -> None:
    """A run held the tables of the day against those that there should be."""
    note_day(lake, made.DAY, DayNote(tables=()))


def words(lake: Path) -> str:
    said = reconcile(lake, made.DAY)
    totals = totals_of(said)
    assert bool(totals.problems()) is not said.clean
    return sentence("the day", totals)


def paid(delta: int) -> list[dict[str, Any]]:
    return [{"code": "OVERPAID" if delta > 0 else "UNDERPAID", "severity": "money", "delta_minor": delta, "times": 1}]


def test_nothing_found_is_said_plainly(lake: Path, put: Any) -> None:
    put(wagers=[made.wager(1, 100, 100, 100)], custody=made.custody(*WON))
    assert words(lake) == "the day: 1 table, judged; nothing found."
    put("T2", wagers=[made.wager(1, 100, 100, 100)], custody=made.custody(*WON))
    assert words(lake) == "the day: 2 tables, all judged; nothing found."


def test_money_is_reported_by_direction_and_currency_and_never_added_up(lake: Path, put: Any) -> None:
    def table(name: str, currency: str, *deltas: int) -> None:
        wagers = [made.wager(n, 5_000_00, delta, 0) for n, delta in enumerate(deltas, 1)]
        closing = (("TableOpened", 1_000_000), ("TableClosed", 1_000_000 - sum(deltas)), ("DropCounted", 0))
        found = [each | {"seq": n} for n, delta in enumerate(deltas) for each in paid(delta)]
        put(name, wagers=wagers, custody=made.custody(*closing), findings=found, currency=currency)

    table("T1", "MOP", 2_000_00, 100_00, -30_00)
    table("T2", "HKD", 70_00)
    assert words(lake) == (
        "the day: 2 tables, all judged; the house overpaid 70.00 HKD in 1 payment and 2,100.00 MOP in 2 payments "
        "and underpaid 30.00 MOP in 1 payment."
    )
    assert "2 overpaid 2,100.00 MOP" in short_summary(totals_of(reconcile(lake, made.DAY)))
    found = {(each.code, each.currency): each.delta_minor for each in reconcile(lake, made.DAY).findings}
    assert found[("OVERPAID", "MOP")] == 2_100_00 and found[("OVERPAID", "HKD")] == 70_00


def test_chips_and_cash_that_differ_never_cancel_out(lake: Path, put: Any) -> None:
    for name, closed, drop in (("T1", 95_000, 0), ("T2", 105_000, 300), ("T3", 99_000, 0)):
        steps = (("TableOpened", 100_000), ("TableClosed", closed), ("DropCounted", drop))
        put(name, custody=made.custody(*steps))
    assert words(lake) == (
        "the day: 3 tables, all judged; chips are missing: 60.00 MOP at 2 tables; there are too many chips: 50.00 MOP at "
        "1 table; there is too much cash in the box: 3.00 MOP at 1 table."
    )


def test_one_table_on_two_gaming_days_is_two_table_days(lake: Path, put: Any) -> None:
    put(custody=made.custody(("TableOpened", 100_000), ("TableClosed", 95_000), ("DropCounted", 0)))
    total, other = (totals_of(reconcile(lake, made.DAY)) for _ in range(2))
    total.add(other)
    assert sentence("both", total) == (
        "both: 2 gaming days, 2 table-days, all judged; chips are missing: 100.00 MOP at 2 table-days."
    )
    assert short_summary(total) == "chips missing 100.00 MOP at 2 table-days"


def test_what_has_no_verdicts_is_named_and_the_rest_counted(lake: Path, put: Any) -> None:
    put(custody=made.custody(*CLOSED))
    absent = TableStatus("BJ-07", Status.ABSENT, expected=True)
    left = [TableStatus(f"T{n}", Status.NOT_SEALED, expected=True, events=3) for n in range(2, 9)]
    note_day(lake, made.DAY, DayNote(tables=(absent, *left)))
    assert words(lake) == (
        "the day: 9 tables, 8 not judged; 1 table absent: BJ-07; 7 tables not sealed: T2, T3, T4, T5, T6 and 2 more."
    )


def test_a_table_that_no_register_names_is_reported(lake: Path, put: Any) -> None:
    put(custody=made.custody(*CLOSED))
    note_day(lake, made.DAY, DayNote(tables=(TableStatus("T1", Status.JUDGED, expected=False),)))
    assert words(lake) == "the day: 1 table, judged; 1 table played unexpectedly: T1."


def test_a_day_whose_tables_nobody_counted_is_reported(lake: Path, put: Any) -> None:
    put(custody=made.custody(*CLOSED))
    note_day(lake, made.DAY, DayNote())
    assert words(lake) == "the day: 1 table, judged; nobody held the tables against those that there should be."


@pytest.mark.parametrize(
    ("more", "reported"),
    [
        ({"findings": [{"code": "DEAL_ORDER", "severity": "procedure"}] * 2}, "2 findings of procedure"),
        ({"findings": [{"code": "CARD_IMPOSSIBLE", "severity": "integrity"}]}, "1 finding of integrity"),
        ({"findings": [{"code": "STAKE_CHANGED", "severity": "money"}]}, "1 other finding of money"),
        ({"findings": [{"code": "CLOSE_LATE", "severity": "advisory"}]}, "nothing found but 1 advisory"),
    ],
)
def test_other_findings_are_counted_by_severity(lake: Path, put: Any, more: Any, reported: str) -> None:
    put(custody=made.custody(*CLOSED), **more)
    assert words(lake) == f"the day: 1 table, judged; {reported}."


def test_wagers_that_nobody_could_judge_are_reported_with_the_reason(lake: Path, put: Any) -> None:
    unjudged = [made.wager(n, 100, None, None, reason="no text") for n in (1, 2)]
    put(wagers=unjudged, custody=made.custody(*CLOSED))
    assert words(lake) == (
        "the day: 1 table, judged but for 2 wagers; 2 wagers that nobody could judge, because: no text."
    )


@pytest.mark.parametrize(
    ("tables", "reported"),
    [
        (["T1"], "1 log changed after it was judged: T1"),
        (["T1", "T2"], "2 logs changed after they were judged: T1, T2"),
    ],
)
def test_replaced_logs_are_named(lake: Path, put: Any, tables: list[str], reported: str) -> None:
    put(custody=made.custody(*CLOSED))
    totals = totals_of(reconcile(lake, made.DAY))
    totals.replaced += tables
    assert sentence("the day", totals) == f"the day: 1 table, judged; {reported}."


def test_uncounted_tables_quarantine_and_gaps_are_reported(lake: Path, put: Any) -> None:
    put(custody=made.custody(("TableOpened", 100)))
    note_day(lake, made.DAY, DayNote(quarantined=3, tables=()))
    assert words(lake) == ("the day: 1 table, judged; 1 table not counted in full: T1; 3 messages in quarantine.")


def test_what_a_topic_lost_is_reported_once_however_many_days_it_may_concern(lake: Path, put: Any) -> None:
    put(custody=made.custody(*CLOSED))
    found = dt.datetime(2026, 1, 7, tzinfo=dt.UTC)
    lost = tuple(Lost("t", "", 0, at, at + 5, Why.DELETED, found, None, made.DAY) for at in (10, 20))
    note_day(lake, made.DAY, DayNote(tables=(), lost=lost))
    reported = "1 table, judged; a topic lost messages before the archive had them, in 2 ranges."
    assert words(lake) == f"the day: {reported}"
    total, other = (totals_of(reconcile(lake, made.DAY)) for _ in range(2))
    assert short_summary(total) == "2 ranges of messages lost"
    total.add(other)
    assert short_summary(total) == "2 ranges of messages lost"


def test_a_gap_that_no_finding_names_is_reported(lake: Path, put: Any) -> None:
    steps = (("TableOpened", 100_000), ("TableClosed", 99_900), ("DropCounted", 0))
    put(wagers=[made.wager(1, 100, 100, 99, delta_minor=0)], custody=made.custody(*steps))
    assert words(lake).endswith("no payment is known to be wrong, at 1 table: T1.")


def test_days_add_up_and_quarantine_does_not(lake: Path, put: Any) -> None:
    put(custody=made.custody(*CLOSED), findings=[{"code": "DEAL_ORDER", "severity": "procedure"}])
    note_day(lake, made.DAY, DayNote(quarantined=3, tables=()))
    total, other = (totals_of(reconcile(lake, made.DAY)) for _ in range(2))
    total.add(other)
    assert sentence("both", total) == (
        "both: 2 gaming days, 2 table-days, all judged; 2 findings of procedure; 3 messages in quarantine."
    )
