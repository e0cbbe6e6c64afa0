"""The reconciliation against figures worked out by hand."""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics import marts
from analytics.lake import DayNote, note_day, write
from analytics.reconciliation.reconcile import broken_identities, gravest, reconcile
from analytics.sentence import sentence, totals_of
from analytics.texts import Grid
from replayer.verdicts.replay import replay_table_days
from schemas.finding import Finding
from tests.analytics import made
from tests.lakes import connect
from tests.texts import table_day_of


def one(lake: Path) -> Any:
    (row,) = reconcile(lake, made.DAY).tables
    return row


def unsettled(round_: int) -> dict[str, Any]:
    seq = made.wager(round_, 1, None, None)["placed_seq"]
    told = {"code": "WAGER_UNSETTLED", "severity": "money", "article": "", "message": "placed, never settled"}
    return {"round": round_, "seq": seq, "seat": 1, **told}


def test_honest_table_agrees_three_ways(lake: Path, put: Any) -> None:
    # Two wagers of 100.00: one won 1.5 times, one lost. The house is down 50.00. One fill, one credit, one buy-in.
    put(
        wagers=[made.wager(1, 10_000, 15_000, 15_000), made.wager(2, 10_000, -10_000, -10_000)],
        custody=made.custody(
            ("TableOpened", 1_000_000),
            ("ChipsFilled", 200_000, "F1"),
            ("CashBoughtIn", 50_000, None, "alice"),
            ("ChipsCredited", 30_000, "C1"),
            ("TableClosed", 1_000_000 + 200_000 - 50_000 - 30_000 - 5_000),
            ("DropCounted", 50_000),
        ),
    )
    note_day(lake, made.DAY, DayNote(tables=()))
    day = reconcile(lake, made.DAY)
    (row,) = day.tables
    assert row.handle_minor == 20_000
    assert (row.win_due_minor, row.win_recorded_minor, row.win_accounted_minor) == (-5_000, -5_000, -5_000)
    assert (row.settlement_gap_minor, row.custody_gap_minor) == (0, 0)
    assert (row.inventory_variance_minor, row.drop_variance_minor) == (0, 0)
    assert row.expected_closing_minor == row.closing_minor == 1_115_000
    assert row.hold == pytest.approx(-0.1)
    assert (row.complete, row.not_counted) == (True, "")
    assert day.clean
    assert day.settlement_causes == day.custody_leads == day.custody_findings == day.findings == ()
    json.dumps(day.to_dict())


def test_settlement_gap_is_tied_to_each_payment(lake: Path, put: Any) -> None:
    put(
        wagers=[
            made.wager(1, 10_000, 20_000, 15_000),  # overpaid by 50.00
            made.wager(2, 10_000, 0, 10_000),  # underpaid by 100.00
            made.wager(3, 10_000, -10_000, -10_000),
            made.wager(4, 10_000, 700, None, reason="the text is not at hand"),
            made.wager(5, 10_000, None, -10_000),  # lost, and never collected
            made.wager(6, 25, 38, 37, due_exact="75/2", delta_minor=0),  # 37.5 is due, 38 is as near as chips come
        ],
        findings=[
            {"round": 3, "seq": 77, "seat": 2, "dealer": "D1", "code": "SETTLED_NOTHING", "severity": "money", "article": "",
             "message": "main settled at +300", "delta_minor": 30_000},
            unsettled(5),
        ],
    )  # fmt: skip
    day = reconcile(lake, made.DAY)
    (row,) = day.tables
    assert row.win_due_minor == -(15_000 + 10_000 - 10_000 - 10_000 + 37)
    assert row.win_recorded_minor == -(20_000 + 0 - 10_000 + 700 + 38 + 30_000)
    assert row.settlement_gap_minor == -5_000 + 10_000 - 700 - 10_000 - 1 - 30_000
    assert (row.overpaid_count, row.overpaid_minor) == (1, 5_000)
    assert (row.underpaid_count, row.underpaid_minor) == (1, 10_000)
    assert (row.unsettled_count, row.unsettled_due_minor) == (1, -10_000)
    assert (row.unjudged_count, row.unjudged_stake_minor, row.unjudged_paid_minor) == (1, 10_000, 700)
    effects = {(cause.cause, cause.round): cause.effect_minor for cause in day.settlement_causes}
    errors = {("error", 1): -5_000, ("error", 2): 10_000, ("rounding", 6): -1}
    assert effects == errors | {("nothing", 3): -30_000, ("unsettled", 5): -10_000}
    assert totals_of(day).problems()[0] == (
        "the house overpaid 50.00 MOP in 1 payment, underpaid 100.00 MOP in 1 payment, "
        "paid for nothing 300.00 MOP in 1 payment and never collected 100.00 MOP on 1 wager"
    )
    assert [(row.reason, row.wagers, row.paid_minor) for row in day.unjudged] == [("the text is not at hand", 1, 700)]
    assert "#rounds" in day.grid().columns
    nothing = next(cause for cause in day.settlement_causes if cause.cause == "nothing")
    assert (nothing.dealer, nothing.seat, nothing.seq, nothing.remark) == ("D1", 2, 77, "main settled at +300")


def test_errors_that_make_up_for_each_other_are_no_agreement(lake: Path, put: Any) -> None:
    put("T1", wagers=[made.wager(1, 10_000, 15_000, 10_000), made.wager(2, 10_000, 5_000, 10_000)])
    put(
        "T2",
        wagers=[made.wager(1, 10_000, None, -10_000), made.wager(2, 10_000, None, 10_000)],
        findings=[unsettled(1), unsettled(2)],
    )
    rounded = made.wager(1, 25, 38, 37, due_exact="75/2", delta_minor=0)
    # Of the second nothing is due, so that no cause words its finding; the third may be settled in what is missing: no finding.
    put("T3", wagers=[rounded, made.wager(2, 100, None, 0), made.wager(3, 100, None, 300)], findings=[unsettled(2)])
    day = reconcile(lake, made.DAY)
    assert [(row.settlement_gap_minor, row.table_id in day.disagreeing) for row in day.tables[:2]] == [(0, True)] * 2
    assert {cause.cause for cause in day.settlement_causes} == {"error", "unsettled", "untold", "rounding"}
    assert totals_of(day).problems()[0] == (
        "the house overpaid 50.00 MOP in 1 payment, underpaid 50.00 MOP in 1 payment, "
        "never paid 100.00 MOP on 1 wager and never collected 100.00 MOP on 1 wager"
    )
    assert "1 other finding of money" in totals_of(day).problems()


def test_payment_whose_wager_is_among_missing_events_is_recorded_and_makes_no_variance(lake: Path, put: Any) -> None:
    """300.00 was paid to a wager whose placing never reached the log: the tray is right, and the gap names the payment."""
    put(
        wagers=[made.wager(1, 10_000, -10_000, -10_000)],
        custody=made.custody(("TableOpened", 100_000), ("TableClosed", 100_000 + 10_000 - 30_000), ("DropCounted", 0)),
        findings=[
            {"round": 1, "seq": 17, "seat": 2, "code": "SETTLEMENT_UNMATCHED", "severity": "advisory", "article": "",
             "message": "main settled at +300.00, its wager cannot be told", "delta_minor": 30_000}
        ],
    )  # fmt: skip
    day = reconcile(lake, made.DAY)
    (row,) = day.tables
    assert (row.win_due_minor, row.win_recorded_minor, row.win_accounted_minor) == (10_000, -20_000, -20_000)
    assert (row.settlement_gap_minor, row.inventory_variance_minor, row.custody_gap_minor) == (-30_000, 0, 0)
    (cause,) = day.settlement_causes
    assert (cause.cause, cause.seat, cause.seq, cause.effect_minor) == ("unmatched", 2, 17, -30_000)
    assert (row.overpaid_count, day.custody_findings, day.custody_leads) == (0, (), ())


@pytest.mark.parametrize(
    ("missing", "reported"), [("TableOpened", "opening"), ("TableClosed", "closing"), ("DropCounted", "drop")]
)
def test_what_was_not_counted_is_null_and_never_zero(lake: Path, put: Any, missing: str, reported: str) -> None:
    steps = [("TableOpened", 1_000), ("CashBoughtIn", 400), ("TableClosed", 600), ("DropCounted", 400)]
    put(wagers=[made.wager(1, 100, -100, -100)], custody=made.custody(*(s for s in steps if s[0] != missing)))
    day = reconcile(lake, made.DAY)
    (row,) = day.tables
    assert (row.complete, row.not_counted) == (False, reported)
    assert row.win_accounted_minor is None and row.custody_gap_minor is None and row.hold is None
    assert row.win_recorded_minor == 100
    if missing == "DropCounted":
        assert row.drop_variance_minor is None
        assert row.inventory_variance_minor == 600 - (1_000 - 400 + 100)
    else:
        assert row.inventory_variance_minor is None
        assert row.drop_variance_minor == 0
    assert day.incomplete == ("T1",)
    assert not day.clean
    (house,) = day.house
    assert (house.incomplete, house.win_accounted_minor, house.custody_gap_minor) == (1, None, None)
    assert "–" in day.grid().rows[0]


def test_fill_without_amount_leaves_the_table_incomplete(lake: Path, put: Any) -> None:
    put(custody=made.custody(("TableOpened", 1), ("ChipsFilled", None, "F1"), ("TableClosed", 1), ("DropCounted", 0)))
    row = one(lake)
    assert (row.complete, row.not_counted, row.fills_minor) == (False, "amount of a fill", None)


AGAIN = {"stretch": 2}
"""In the books of a table that was opened again."""
SHUT = {"stretch": 0}
"""Entered while the table was closed."""


def test_books_of_a_table_opened_again_cancel_nothing_that_the_first_ones_lack(lake: Path, put: Any) -> None:
    # First books: 500 + 100 won (round 1) must be 600, 550 are counted: 50 are missing. Opened again with 550, 40 won in
    # round 200, 640 counted: 50 too many. The later books must not make up for the first ones.
    put(
        wagers=[made.wager(1, 100, -100, -100), made.wager(200, 40, -40, -40)],
        custody=made.custody(
            ("TableOpened", 500),
            ("TableClosed", 550),
            ("DropCounted", 0),
            ("TableOpened", 550, AGAIN | {"seq": 1500}),
            ("CashBoughtIn", 7, AGAIN | {"seq": 1900}),
            ("TableClosed", 633, AGAIN | {"seq": 2100}),
            ("DropCounted", 5, AGAIN | {"seq": 2200}),
        ),
    )
    day = reconcile(lake, made.DAY)
    (row,) = day.tables
    assert (row.opening_minor, row.closing_minor, row.expected_closing_minor) == (500, 550, 600)
    assert (row.win_recorded_minor, row.win_booked_minor, row.win_accounted_minor) == (140, 100, 50)
    assert (row.inventory_variance_minor, row.drop_variance_minor, row.custody_gap_minor) == (-50, 0, -50)
    (again,) = day.stretches
    assert (again.opening_minor, again.closing_minor, again.win_booked_minor, again.buyins_minor) == (550, 633, 40, 7)
    assert (again.inventory_variance_minor, again.drop_variance_minor) == (633 - (550 - 7 + 40), 5 - 7)
    assert [(f.code, f.seq, f.delta_minor) for f in day.custody_findings] == [
        ("INVENTORY_VARIANCE", None, -50),
        ("INVENTORY_VARIANCE", 2100, 50),
        ("DROP_VARIANCE", 2100, -2),
    ]
    assert not day.clean


def test_the_digest_of_findings_is_another_one_with_another_variance(lake: Path, put: Any) -> None:
    digests = set()
    for closing in (100, 101):
        put(custody=made.custody(("TableOpened", 0), ("TableClosed", closing), ("DropCounted", 0)))
        digests.add(reconcile(lake, made.DAY).findings_digest)
    assert len(digests) == 2


def test_what_was_entered_while_the_table_was_closed_lessens_no_variance(lake: Path, put: Any) -> None:
    missing = (("TableOpened", 50_000), ("ChipsFilled", 200, "F1"), ("TableClosed", 200), ("DropCounted", 0))
    late = (
        ("TableClosed", 50_200, SHUT),
        ("ChipsCredited", 50_000, "C1", SHUT),
        ("ChipsFilled", -50_000, "F2", SHUT),
        ("SlipVoided", 200, "F1", None, SHUT),
        ("CashBoughtIn", 50_000, SHUT),
        ("DropCounted", 50_000, SHUT),
    )
    put("T1", custody=made.custody(*missing))
    for number, step in enumerate(late, 2):
        put(f"T{number}", custody=made.custody(*missing, step))
    rows = reconcile(lake, made.DAY).tables
    assert len(rows) == 7
    assert {(row.inventory_variance_minor, row.drop_variance_minor, row.custody_gap_minor) for row in rows} == {
        (-50_000, 0, -50_000)
    }


def test_a_slip_entered_while_the_table_was_closed_fills_no_gap_in_its_series(lake: Path, put: Any) -> None:
    put(
        custody=made.custody(
            ("TableOpened", 0), ("ChipsFilled", 5, "F-1"), ("ChipsFilled", 5, "F-3"), ("TableClosed", 10),
            ("SlipVoided", 5, "F-2", None, SHUT),
        )
    )  # fmt: skip
    with connect(lake) as connection:
        marts.load(connection)
        assert connection.sql("SELECT slip_before, slip_after, missing FROM missing_slips").fetchall() == [
            ("F-1", "F-3", 1)
        ]


def test_several_drop_boxes_add_up(lake: Path, put: Any) -> None:
    put(custody=made.custody(("DropCounted", 300), ("DropCounted", 450)))
    assert one(lake).drop_minor == 750


def test_table_at_which_nobody_played_has_won_nothing(lake: Path, put: Any) -> None:
    put(custody=made.custody(("TableOpened", 1_000), ("TableClosed", 1_000), ("DropCounted", 0)))
    assert (one(lake).win_booked_minor, one(lake).custody_gap_minor) == (0, 0)


def test_voided_slip_takes_back_its_fill_or_credit(lake: Path, put: Any) -> None:
    put(
        custody=made.custody(
            ("TableOpened", 1_000),
            ("ChipsFilled", 500, "F1"),
            ("ChipsCredited", 70, "C1"),
            ("SlipVoided", 500, "F1"),
            ("ChipsFilled", 600, "F1"),  # written anew on the same number: stands
            ("SlipVoided", 70, "C1"),
            ("SlipVoided", 90, "F9"),  # a number voided before any chips moved: takes nothing back
            ("TableClosed", 1_600),
            ("DropCounted", 0),
        )
    )
    row = one(lake)
    assert (row.fills_minor, row.credits_minor) == (600, 0)
    assert row.custody_gap_minor == 0


def test_custody_findings_and_leads(lake: Path, put: Any) -> None:
    # F1 of 500 never arrived, and 80 of the buy-ins are not in the box.
    put(
        custody=made.custody(
            ("TableOpened", 1_000),
            ("ChipsFilled", 500, "F1"),
            ("ChipsFilled", 200, "F2"),
            ("CashBoughtIn", 80),
            ("CashBoughtIn", 120),
            ("TableClosed", 1_000 + 200 - 80 - 120),
            ("DropCounted", 120),
        )
    )
    put(
        "T2",
        custody=made.custody(("TableOpened", 10), ("ChipsFilled", 5, "F5"), ("TableClosed", 15), ("DropCounted", 0)),
    )
    day = reconcile(lake, made.DAY)
    assert [(f.code, f.table_id, f.delta_minor) for f in day.custody_findings] == [
        ("INVENTORY_VARIANCE", "T1", -500),
        ("DROP_VARIANCE", "T1", -80),
    ]
    assert [(f.code, f.severity, f.count) for f in day.findings] == [
        ("DROP_VARIANCE", "money", 1),
        ("INVENTORY_VARIANCE", "money", 1),
    ]
    leads = [(lead.table_id, lead.seq, lead.slip, lead.amount_minor) for lead in day.custody_leads]
    assert leads == [
        ("T1", 1002, "F1", 500),
        ("T1", 1004, None, 80),
        ("T1", None, "F2", None),
        ("T1", None, None, 500),
        ("T1", None, None, 80),
    ]
    assert "2 slip numbers missing between F2 (T1) and F5 (T2)" in day.custody_leads[2].lead
    assert "a credit of this amount" in day.custody_leads[3].lead
    assert "count the box again" in day.custody_leads[4].lead
    row = day.tables[0]
    assert (row.custody_gap_minor, row.inventory_variance_minor, row.drop_variance_minor) == (-580, -500, -80)


def test_every_kind_of_lead(lake: Path, put: Any) -> None:
    put(
        "A",
        custody=made.custody(
            ("TableOpened", 0),
            ("ChipsFilled", 5, "F1"),
            ("ChipsFilled", 5, "F1"),
            ("TableClosed", 5),
            ("DropCounted", 0),
        ),
    )
    put(
        "B",
        custody=made.custody(("TableOpened", 9), ("ChipsCredited", 4, "C1"), ("TableClosed", 9), ("DropCounted", 0)),
    )
    put(
        "C",
        custody=made.custody(
            ("TableOpened", 9),
            ("ChipsFilled", 4, "G1"),
            ("SlipVoided", 4, "G1"),
            ("TableClosed", 13),
            ("DropCounted", 0),
        ),
    )
    put("D", custody=made.custody(("TableOpened", 9), ("TableClosed", 2), ("DropCounted", 7)))
    put(
        "E",
        wagers=[made.wager(1, 3, None, 3)],
        custody=made.custody(("TableOpened", 9), ("TableClosed", 6), ("DropCounted", 0)),
        findings=[{"seq": 5, "code": "SEQUENCE_GAP", "severity": "integrity", "message": "2 events missing"}],
    )
    day = reconcile(lake, made.DAY)
    reported = {(lead.table_id, lead.lead.split(":")[0]) for lead in day.custody_leads}
    off_the_log = {table for table, lead in reported if lead == "not on the log"}
    assert off_the_log == {"A", "B", "C", "D", "E"}
    reported -= {(table, "not on the log") for table in off_the_log}
    assert reported == {
        ("A", "the same slip is on the log more than once"),
        ("A", "a fill of just what is missing"),
        ("B", "a credit of just what is left over"),
        ("C", "voided, and just the variance"),
        ("D", "the box holds as much more as the tray lacks"),
        ("E", "1 wager has no settlement on the log"),
        ("E", "2 events missing"),
    }


def test_what_was_put_right_outside_a_round_is_a_lead_but_not_the_closing_of_the_books_itself(
    lake: Path, put: Any
) -> None:
    """One chip of the smallest value is left over."""
    found = [
        ("CORRECTION_LATE", 1004, None),
        ("CORRECTION_LATE", 1005, 1),
        ("BUTTON_MISPLACED", 1006, None),
        ("CLOSED_AGAIN", 1007, None),
        ("CLOSED_AGAIN", 1002, None),
    ]
    put(
        custody=made.custody(("TableOpened", 9), ("TableClosed", 10), ("DropCounted", 0)),
        findings=[
            {"seq": seq, "round": number, "code": code, "severity": "integrity", "message": f"{code} {seq}"}
            for code, seq, number in found
        ],
    )
    leads = [lead.lead for lead in reconcile(lake, made.DAY).custody_leads]
    assert leads[:2] == ["CORRECTION_LATE 1004", "CLOSED_AGAIN 1007"]
    assert len(leads) == 3 and "a fill of this amount would leave it over" in leads[2]


def test_slip_series_of_each_table_is_distinguished_from_one_of_the_house(lake: Path, put: Any) -> None:
    for table in ("A", "B"):
        put(table, custody=made.custody(("ChipsFilled", 5, "F1"), ("ChipsFilled", 5, "F2")))
    put("C", custody=made.custody(("ChipsFilled", 5, "F1"), ("ChipsFilled", 5, "F4"), ("ChipsFilled", 5, "F900")))
    with connect(lake) as connection:
        marts.load(connection)
        gaps = connection.sql("SELECT series_table, slip_before, slip_after, missing FROM missing_slips").fetchall()
    assert gaps == [("C", "F1", "F4", 2)]


def test_a_slip_number_of_more_than_64_bits_is_looked_at_as_any_other(lake: Path, put: Any) -> None:
    """A number that begins with the date has twenty digits: the gap in such a series was passed over."""
    slips = ("20260105000000000001", "20260105000000000003", "20260105000000000004")
    put(custody=made.custody(*(("ChipsFilled", 5, slip) for slip in slips)))
    with connect(lake) as connection:
        marts.load(connection)
        gaps = connection.sql("SELECT slip_before, slip_after, missing FROM missing_slips").fetchall()
    assert gaps == [(*slips[:2], 1)]


def test_house_adds_up_by_currency_and_only_complete_tables_where_chips_are_counted(lake: Path, put: Any) -> None:
    full = made.custody(("TableOpened", 100), ("TableClosed", 150), ("DropCounted", 0))
    put("T1", wagers=[made.wager(1, 50, -50, -50)], custody=full)
    put("T2", wagers=[made.wager(1, 70, -70, -70)], custody=made.custody(("TableOpened", 100)))
    more = made.custody(("TableOpened", 100), ("TableClosed", 250), ("DropCounted", 0))
    put("T3", wagers=[made.wager(1, 50, -50, 50)], custody=more, currency="HKD")
    day = reconcile(lake, made.DAY)
    hkd, mop = day.house
    assert (hkd.currency, hkd.settlement_gap_minor, hkd.tables) == ("HKD", 100, 1)
    assert (mop.tables, mop.incomplete, mop.win_recorded_minor) == (2, 1, 120)
    assert (mop.win_booked_minor, mop.win_accounted_minor, mop.custody_gap_minor) == (50, 50, 0)
    grid = day.grid()
    assert len(grid.rows) == 5 and [row[:2] for row in grid.rows[3:]] == [("house", "HKD"), ("house", "MOP")]
    assert {len(row) for row in grid.rows} == {len(grid.columns)}
    assert [row[:2] for row in grid.rows[:3]] == [(name, "black_jack") for name in ("T1", "T2", "T3")]
    of_t3 = dict(zip(grid.columns, grid.rows[2], strict=True))
    assert (of_t3["#settlement gap"], of_t3["#custody gap"]) == ("+1.00", "+1.00")


def test_amounts_in_a_currency_for_which_the_table_was_opened_again_are_in_no_sum(lake: Path) -> None:
    """100 lost in MOP; then 1,000 won in HKD, of which nobody says what was due, and 500 taken in HKD for no wager."""
    won = "1.main=1000@p1 nomore 1+Th B+9d 1+9d 1.stand@p1 B+8s 1.main>+1000@p1 2.main=500>-500@p2 end"
    words = f"""
        open:black_jack:MOP:7=50000 shuffle:1:hand:6
        #1 1.main=100@p1 nomore 1+Th B+9d 1+7d 1.stand@p1 B+9s 1.main>-100@p1 end
        #- close=50100 drop=0 open:black_jack:HKD:7=50000 #2 {won} #- close=49500
    """
    table_day = table_day_of(words, made.DAY)
    (replayed,) = replay_table_days([table_day], play=True)
    write(lake, [replayed], made.PINS)
    note_day(lake, made.DAY, DayNote(tables=()))
    day = reconcile(lake, made.DAY)
    (row,), (house,) = day.tables, day.house
    assert (row.currency, row.handle_minor, row.win_due_minor) == ("MOP", 100_00, 100_00)
    assert (row.win_recorded_minor, row.settlement_gap_minor, row.custody_gap_minor) == (100_00, 0, 0)
    assert (row.unjudged_count, row.unjudged_stake_minor, row.unjudged_paid_minor) == (1, 0, 0)
    assert (house.currency, house.handle_minor, house.win_recorded_minor) == ("MOP", 100_00, 100_00)
    assert day.settlement_causes == ()
    (unjudged,) = day.unjudged
    assert day.in_no_sum == (unjudged,) and (house.rounds, house.wagers) == (2, 2)
    assert "#rounds of all currencies" in day.grid().columns
    page = made.render(lake, made.DAY)
    assert "2 wagers, of all currencies" in page and "Rounds are of all currencies" in page
    assert "<td>HKD</td>" in page and "in another currency than the table's first it is in none of these" in page
    assert (unjudged.currency, unjudged.wagers, unjudged.stake_minor, unjudged.paid_minor) == (
        "HKD",
        1,
        1000_00,
        1000_00,
    )
    counted = {each.code: (each.currency, each.delta_minor) for each in day.findings if each.delta_minor}
    found, _ = gravest(lake, day, 10)
    assert counted == {"SETTLED_NOTHING": ("HKD", -500_00)}
    assert [(each.code, currency) for each, currency in found if each.delta_minor] == [("SETTLED_NOTHING", "HKD")]


@pytest.mark.parametrize("game", ["black_jack", "baccarat"])
def test_a_wager_is_in_the_currency_in_which_its_round_began(lake: Path, game: str) -> None:
    """Between the main stake of 100 and its double somebody opens the table for HKD. 5, 6 and T are 21 against 17: the double
    is due +100 and paid +150."""
    words = f"""
        open:{game}:MOP:7=1000
        #1 1.main=100@p1 nomore 1+5s B+9d 1+6d open:{game}:HKD:7=1000 1.double@p1 1.double=100@p1 1+Ts B+8s
        1.main>+100@p1 1.double>+150@p1 end #- close=750 drop=0
    """
    table_day = table_day_of(words, made.DAY)
    (replayed,) = replay_table_days([table_day], play=True)
    assert replayed.wagers["currency"].to_list() == ["MOP", "MOP"]
    write(lake, [replayed], made.PINS)
    note_day(lake, made.DAY, DayNote(tables=()))
    day = reconcile(lake, made.DAY)
    assert day.damaged == {}
    (row,) = day.tables
    assert (row.handle_minor, row.win_recorded_minor) == (200_00, -250_00)
    known = game == "black_jack"
    assert (row.win_due_minor, row.overpaid_minor) == ((-200_00, 50_00) if known else (0, 0))


def test_books_opened_again_in_another_currency_are_in_it(lake: Path) -> None:
    """500.00 MOP of chips fewer than the log leads to, then 20.00 HKD too many, and 7.00 HKD of cash too little."""
    words = """
        open:black_jack:MOP:7=50000 close=49500 drop=0
        open:black_jack:HKD:7=50000 buyin=100 close=49920 drop=93
    """
    table_day = table_day_of(words, made.DAY)
    (replayed,) = replay_table_days([table_day], play=True)
    write(lake, [replayed], made.PINS)
    note_day(lake, made.DAY, DayNote(tables=()))
    day = reconcile(lake, made.DAY)
    (row,), (again,) = day.tables, day.stretches
    assert (row.currency, row.inventory_variance_minor, again.currency) == ("MOP", -500_00, "HKD")
    assert (again.inventory_variance_minor, again.drop_variance_minor) == (20_00, -7_00)
    amounts = {(each.code, each.currency, each.delta_minor) for each in day.findings if each.delta_minor}
    assert amounts == {
        ("INVENTORY_VARIANCE", "MOP", -500_00),
        ("INVENTORY_VARIANCE", "HKD", 20_00),
        ("DROP_VARIANCE", "HKD", -7_00),
    }
    found, _ = gravest(lake, day, 10)
    assert amounts == {(each.code, currency, each.delta_minor) for each, currency in found if each.delta_minor}


def test_chips_and_cash_in_another_currency_than_their_books_are_not_counted_in_them(lake: Path) -> None:
    """Nobody closed the table before it was opened for HKD, so that 50 HKD are bought in and 900 HKD counted in books of MOP."""
    words = """
        open:black_jack:MOP:7=1000 buyin=100 fill:F1=20 open:black_jack:HKD:7=500 buyin=50 close=900 drop=100
    """
    (replayed,) = replay_table_days([table_day_of(words, made.DAY)], play=True)
    write(lake, [replayed], made.PINS)
    note_day(lake, made.DAY, DayNote(tables=()))
    day = reconcile(lake, made.DAY)
    (row,) = day.tables
    assert (row.opening_minor, row.fills_minor) == (1000_00, 20_00)
    assert (row.buyins_minor, row.closing_minor, row.drop_minor, row.inventory_variance_minor) == (None,) * 4
    assert row.not_counted == "closing, drop, amount of a buy-in"
    assert not [each for each in day.findings if each.delta_minor]
    assert "1 table not counted in full: T1" in sentence("the day", totals_of(day))


def test_only_the_day_asked_for_counts(lake: Path, put: Any) -> None:
    put("T1", dt.date(2026, 1, 4), wagers=[made.wager(1, 100, 100, -100)])
    put("T1", wagers=[made.wager(1, 100, -100, -100)])
    assert one(lake).overpaid_count == 0


def test_day_note_counts_as_findings(lake: Path, put: Any) -> None:
    put(
        findings=[
            {"seq": 3, "code": "SEQUENCE_GAP", "severity": "integrity", "message": ""},
            {"seq": 4, "code": "A_CODE_THAT_IS_NO_MORE", "severity": "money", "message": ""},
        ],
        not_checked='{"burns": 4}',
    )
    put("T2", not_checked='{"burns": 1, "faces": 2}')
    gap = Finding("SEQUENCE_GAP", "T1", made.DAY, 1, message="1 event missing since the day before")
    assert reconcile(lake, made.DAY).note.quarantined is None
    note_day(lake, made.DAY, DayNote(2, {"T9": "cut off"}, (gap,)))
    day = reconcile(lake, made.DAY)
    assert day.note.quarantined == 2 and day.damaged == {"T9": "cut off"}
    assert [(f.code, f.count) for f in day.findings] == [
        ("CONTAINER_DAMAGED", 1), ("SEQUENCE_GAP", 2), ("A_CODE_THAT_IS_NO_MORE", 1)
    ]  # fmt: skip
    assert day.findings[-1].title == "A_CODE_THAT_IS_NO_MORE"
    assert day.not_checked == {"burns": 5, "faces": 2}


def test_broken_identity_is_never_given_out(lake: Path, put: Any) -> None:
    put(
        wagers=[made.wager(1, 100, 100, -100)],
        custody=made.custody(("TableOpened", 100), ("TableClosed", 0), ("DropCounted", 0)),
    )
    day = reconcile(lake, made.DAY)
    (books,) = day.books
    assert broken_identities(day.tables, [books], day.settlement_causes) == {}
    assert "its causes come to 0" in broken_identities(day.tables, [books], [])["T1"]
    for wrong in (1, None):
        other = replace(books, drop_variance_minor=wrong)
        assert "custody gap" in broken_identities(day.tables, [other], day.settlement_causes)["T1"]


_AMOUNT = st.integers(0, 10**12)
_SLIPS = ["ChipsFilled", "ChipsCredited", "SlipVoided"]
_COUNTS = ["CashBoughtIn", "DropCounted", "TableOpened", "TableClosed"]
_STEP = st.one_of(
    st.tuples(st.sampled_from(_SLIPS), _AMOUNT, st.sampled_from(["1", "F3"])),
    st.tuples(st.sampled_from(_COUNTS), _AMOUNT, st.none()),
)
_NET = st.one_of(st.none(), st.integers(-(10**12), 10**12))


def plain_fills_and_credits(steps: list[Any]) -> dict[str, int]:
    """An oracle: slips of each number on a pile, a void takes the topmost away."""
    piles: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for kind, amount, slip in steps:
        if kind in ("ChipsFilled", "ChipsCredited"):
            piles[slip].append((kind, amount))
        elif kind == "SlipVoided" and piles[slip]:
            piles[slip].pop()
    standing = [slip for pile in piles.values() for slip in pile]
    return {kind: sum(amount for k, amount in standing if k == kind) for kind in ("ChipsFilled", "ChipsCredited")}


@settings(max_examples=8, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(_STEP, max_size=12), st.lists(st.tuples(_NET, _NET), max_size=6)), min_size=4, max_size=4
    )
)
def test_identities_hold_whatever_the_custody(
    tmp_path_factory: pytest.TempPathFactory, tables: list[tuple[list[Any], list[Any]]]
) -> None:
    """Four tables of a day are reconciled together."""
    lake = tmp_path_factory.mktemp("lake")
    days = []
    for number, (steps, nets) in enumerate(tables):
        wagers = [made.wager(round_, 100, paid, due) for round_, (paid, due) in enumerate(nets, 1)]
        days.append(made.replayed(f"T{number}", wagers=wagers, custody=made.custody(*steps)))
    write(lake, days, made.PINS)
    for row, (steps, nets) in zip(reconcile(lake, made.DAY).tables, tables, strict=True):
        of = {kind: [amount for k, amount, _ in steps if k == kind] for kind in (*_SLIPS, *_COUNTS)}
        slips = plain_fills_and_credits(steps)
        ends = [(k, amount) for k, amount, _ in steps if k in ("TableOpened", "TableClosed")]
        recorded = -sum(paid for paid, _ in nets if paid is not None)
        assert row.win_recorded_minor == recorded
        assert row.settlement_gap_minor == sum((due or 0) - (paid or 0) for paid, due in nets)
        assert (row.fills_minor, row.credits_minor) == (slips["ChipsFilled"], slips["ChipsCredited"])
        assert row.buyins_minor == sum(of["CashBoughtIn"])
        closings = [amount for kind, amount in ends if kind == "TableClosed"]  # the first one closes the books
        whole = bool(closings) and ends[0][0] == "TableOpened" and bool(of["DropCounted"])
        assert row.complete == whole
        if whole:
            chips = closings[0] - ends[0][1] + slips["ChipsCredited"] - slips["ChipsFilled"]
            assert row.win_accounted_minor == chips + sum(of["DropCounted"])
            assert row.inventory_variance_minor + row.drop_variance_minor == row.win_accounted_minor - recorded
        else:
            assert row.win_accounted_minor is None


def test_every_measure_says_its_unit_and_grain() -> None:
    for name, text in marts.measures().items():
        head = "\n".join(line for line in text.splitlines() if line.startswith("--"))
        assert "Unit:" in head and "Grain:" in head, name
        assert text.startswith("-- ") and ": " in text.splitlines()[0], name


def test_measures_of_table_days_have_one_row_each_and_whole_amounts(lake: Path, put: Any) -> None:
    put("T1", wagers=[made.wager(1, 100, 100, 100)], custody=made.custody(("TableOpened", 5), ("TableClosed", 6)))
    put("T2")
    with connect(lake) as connection:
        marts.load(connection)
        for name, text in marts.measures().items():
            for column, kind in connection.sql(f'SELECT column_name, column_type FROM (DESCRIBE "{name}")').fetchall():
                exact = ("BIGINT", "HUGEINT", "VARCHAR") if column != "luck_deviation_minor" else ("DOUBLE",)
                assert not column.endswith("_minor") or kind in exact, (name, column, kind)
            if "Grain: table-day." in text:
                rows = connection.sql(f'SELECT table_id FROM "{name}" ORDER BY table_id').fetchall()
                assert rows == [("T1",), ("T2",)], name


def test_reconciliation_of_an_empty_lake_has_no_rows(lake: Path) -> None:
    day = reconcile(lake, made.DAY)
    assert day.tables == day.house == ()
    assert day.grid().rows == ()


def test_day_with_a_wager_that_nobody_could_judge_is_not_clean(lake: Path, put: Any) -> None:
    """The stake went back and no chip is missing, so that no gap tells of it: only that nobody could judge it."""
    put(
        wagers=[made.wager(1, 100, 0, None, reason="the text is not at hand")],
        custody=made.custody(("TableOpened", 100), ("TableClosed", 100), ("DropCounted", 0)),
    )
    day = reconcile(lake, made.DAY)
    assert (day.tables[0].settlement_gap_minor, day.findings, day.incomplete) == (0, (), ())
    assert not day.clean


def test_a_grid_whose_titles_are_not_those_of_its_columns_is_never_shown_with_one_left_out() -> None:
    assert Grid("", ("a", "b", "#c"), (("1", "", "3"),)).without_empty_columns().columns == ("a", "#c")
    with pytest.raises(ValueError, match="longer"):
        Grid("", ("a", "b"), (("1", "2", "3"),)).without_empty_columns()
