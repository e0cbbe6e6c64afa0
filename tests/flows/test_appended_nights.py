"""What was found of a gaming day stays found, whoever appends what to its logs, and the morning's report lists it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flows.artifact import markdown
from flows.runs import run_nightly
from replayer.sources.archive import read_events, table_days
from replayer.verdicts.run import replay_all
from tests import house
from tests.analytics.made import render

OVERPAID_AT = 21
"""The raise of table T2, settled at +150 where +100 is due (78/2008 art. 7: equal stakes, even money)."""
CLOSED_AT = 24
ATTACKS = [
    "correct:21:miskeyed:1.raise=100>+100@p1 correct:24:miscounted:chips=499850",
    "#1 1.raise=100>-50@p1",
    "#1 1.raise=50@p1",
    "#1 void:{cards cancelled}",
    "correct:8:misread:1-3h correct:16:misread:1^3h",
    "#1 failed:{the shuffler broke}",
    "option:regulation=bj.house option:not_recorded={custody,decisions,deal_order}",
    "dealer-D1 dealer+D2 option:not_recorded=custody #2 void:{nothing was dealt}",
]
CUSTODY = [
    "close=500000",
    "credit:C-2=50000",
    "fill:F-2=1",
    "buyin=50000@p1",
    "slipvoid:F-1=50000:{wrong table}",
    "correct:1:miscounted:chips=450000",
    "correct:5:miscounted:chips=500000",
    "correct:3:miscounted:chips=0",
    "open:fortune_3_card_poker:MOP:7=450000",
    "open:fortune_3_card_poker:MOP:7=450000 close=500000",
    "drop=50000",
]


def custody_of(night: Any) -> Mapping[str, int]:
    return {finding.code: finding.delta_minor for finding in night.reconciliation.custody_findings}


def codes_of(night: Any) -> set[str]:
    return {found.code for found in night.reconciliation.findings}


def test_the_positions_of_the_attacks_are_those_of_the_log(archive: Path) -> None:
    (ref,) = table_days(archive, table="T2")
    kinds = {event.seq: event.kind for event in read_events(ref)}
    assert (kinds[OVERPAID_AT], kinds[CLOSED_AT], kinds[8], kinds[16]) == (
        "WagerSettled", "TableClosed", "CardDealt", "CardTurned"
    )  # fmt: skip


def test_an_overpayment_is_not_cleared_by_what_is_appended(tmp_path: Path) -> None:
    archive, lake = tmp_path / "archive", tmp_path / "lake"
    for number in range(len(ATTACKS)):
        house.write(archive, f"T{number}", house.WRONG)
    before = run_nightly(archive, lake, house.DAY)
    for number, attack in enumerate(ATTACKS):
        house.write(archive, f"T{number}", attack, first_seq=26)
    after = run_nightly(archive, lake, house.DAY)
    for night in (before, after):
        wrong = [(cause.table_id, cause.seq, cause.delta_minor) for cause in night.reconciliation.settlement_causes]
        assert wrong == [(f"T{number}", OVERPAID_AT, 50_00) for number in range(len(ATTACKS))]
        assert {(row.settlement_gap_minor, row.custody_gap_minor) for row in night.reconciliation.tables} == {
            (-50_00, 0)
        }
    assert codes_of(before) == {"OVERPAID"}
    assert {change.table_id for change in after.reconciliation.book_changes} == {f"T{n}" for n in range(len(ATTACKS))}


def test_chips_missing_at_the_closing_are_not_cleared_by_what_is_appended(tmp_path: Path) -> None:
    """50,000 arrived on slip F-1 and are not in the tray."""
    archive, lake = tmp_path / "archive", tmp_path / "lake"
    tables = [f"T{number:02}" for number in range(len(CUSTODY))]
    for table in tables:
        house.write(archive, table, f"{house.OPEN} fill:F-1=50000 dealer-D1 close=500000 drop=0")
    before = run_nightly(archive, lake, house.DAY)
    for table, late in zip(tables, CUSTODY, strict=True):
        house.write(archive, table, late, first_seq=7)
    after = run_nightly(archive, lake, house.DAY)
    for night in (before, after):
        first = {finding.table_id: finding for finding in reversed(night.reconciliation.custody_findings)}
        assert {table: (f.code, f.delta_minor) for table, f in first.items()} == dict.fromkeys(
            tables, ("INVENTORY_VARIANCE", -50_000_00)
        )
        rows = night.reconciliation.tables
        assert {(row.inventory_variance_minor, row.custody_gap_minor) for row in rows} == {(-50_000_00, -50_000_00)}
    changes = after.reconciliation.book_changes
    assert not before.reconciliation.book_changes
    assert {table: {c.seq for c in changes if c.table_id == table} >= {7} for table in tables} == dict.fromkeys(
        tables, True
    )


def test_the_drop_counted_late_is_ordinary_once(tmp_path: Path) -> None:
    archive, lake = tmp_path / "archive", tmp_path / "lake"
    house.write(archive, "T1", f"{house.OPEN} buyin=30@p1 dealer-D1 close=499970")
    assert [row.not_counted for row in run_nightly(archive, lake, house.DAY).reconciliation.tables] == ["drop"]
    house.write(archive, "T1", "drop=20", first_seq=6)
    assert custody_of(run_nightly(archive, lake, house.DAY)) == {"DROP_VARIANCE": -10_00}
    house.write(archive, "T1", "drop=10", first_seq=7)
    again = run_nightly(archive, lake, house.DAY)
    assert custody_of(again) == {"DROP_VARIANCE": -10_00}
    changes = [(change.code, change.before, change.after) for change in again.reconciliation.book_changes]
    assert changes == [("DROP_COUNTED_AGAIN", "20", "10"), ("PART_LATE", None, "1 event(s), seq 7 to 7")]


def test_a_correction_in_time_does_not_leave_a_night_clean(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    corrected = house.OVERPAID.replace("end #-", "end #- correct:21:miskeyed:1.raise=100>+100@p1")
    house.write(archive, "T1", house.closing(corrected, 200))
    night = run_nightly(archive, tmp_path / "lake", house.DAY)
    assert codes_of(night) == {"EVENT_CORRECTED"}
    assert not night.clean
    (change,) = night.reconciliation.book_changes
    assert (change.seq, change.round, change.before, change.after) == (23, 1, "net +150", "net +100")


def test_what_was_appended_is_listed_wherever_a_night_is_read(archive: Path, tmp_path: Path, pitaudit: Any) -> None:
    lake = tmp_path / "lake"
    house.write(archive, "T2", "correct:21:miskeyed:1.raise=100>+100@p1 fill:F-9=700", first_seq=26)
    done = pitaudit("nightly", "--archive", archive, "--lake", lake, "--day", house.DAY, "--json")
    assert done.returncode == 1
    told = [(c["seq"], c["before"], c["after"]) for c in json.loads(done.stdout)["book_changes"]]
    fill = "Chips from the cage: 700 on slip F-9"
    assert told == [(26, "net +150", "net +100"), (26, None, "2 event(s), seq 26 to 27"), (27, None, fill)]
    assert "seq 26: CORRECTION_LATE" in done.stderr
    page = re.sub(r"<[^>]+>", " ", render(lake, house.DAY))
    section = page[page.index("Corrections and late entries") :]
    for word in ("CORRECTION_LATE", "net +150", "net +100", fill):
        assert word in section
    assert "corrected too late by seq 26" in page
    night = run_nightly(archive, lake, house.DAY)
    assert "Corrections and late entries" in markdown(night, lake)
    explained = pitaudit("explain", archive, "--table", "T2", "--round", "1", "--day", house.DAY)
    assert explained.returncode == 1
    assert "CORRECTION_LATE (seq 26)" in explained.stdout
    assert "(corrected too late by seq 26)" in explained.stdout
    replayed = json.loads(pitaudit("replay", archive, "--json").stdout)["findings"]
    assert (replayed["CORRECTION_LATE"], replayed["ENTERED_LATE"], replayed["PART_LATE"]) == (1, 1, 1)


def test_what_was_appended_is_judged_alike_by_one_and_by_two_workers(archive: Path) -> None:
    house.write(archive, "T1", "close=1 #1 void:{why not}", first_seq=26)
    house.write(archive, "T2", ATTACKS[0], first_seq=26)
    refs = table_days(archive)
    assert replay_all(refs, workers=2).digest() == replay_all(refs).digest()
