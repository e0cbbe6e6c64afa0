"""Runs do what changed and nothing else, and one bad table-day never keeps the others from being done."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path

import pytest

from analytics.lake import run_file, runs
from flows.plan import NothingToRun
from flows.runs import days_between, run_backfill, run_nightly
from flows.settings import Settings
from replayer.engine.rules_in_force import ReplaySettings
from tests import house


def tables_of(lake: Path, day: dt.date) -> list[str]:
    return [run.table_id for run in runs(lake, day, day)]


def test_a_night_replays_and_reconciles_every_table(archive: Path, tmp_path: Path) -> None:
    night = run_nightly(archive, tmp_path / "lake", house.DAY)
    assert (night.replayed, night.unchanged, night.undone) == (("T1", "T2"), (), {})
    gaps = {row.table_id: row.settlement_gap_minor for row in night.reconciliation.tables}
    assert gaps == {"T1": 0, "T2": -50_00}
    assert not night.clean


def test_a_day_that_agrees_is_clean(clean_archive: Path, tmp_path: Path) -> None:
    assert run_nightly(clean_archive, tmp_path / "lake", house.DAY).clean


def test_a_rerun_does_nothing_and_says_the_same(archive: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    first = run_nightly(archive, lake, house.DAY)
    files = {path: path.stat().st_mtime_ns for path in lake.rglob("*.parquet")}
    again = run_nightly(archive, lake, house.DAY)
    assert (again.replayed, again.unchanged) == ((), ("T1", "T2"))
    assert again.reconciliation == first.reconciliation
    assert {path: path.stat().st_mtime_ns for path in lake.rglob("*.parquet")} == files


def test_a_late_part_makes_only_its_own_table_run_again(archive: Path, lake: Path) -> None:
    house.write(archive, "T1", "dealer+D9 dealer-D9", first_seq=26)
    again = run_nightly(archive, lake, house.DAY)
    assert (again.replayed, again.unchanged) == (("T1",), ("T2",))


def test_other_readings_make_every_table_run_again(archive: Path, lake: Path) -> None:
    again = run_nightly(archive, lake, house.DAY, Settings(replay=ReplaySettings(readings={"X-2": "down"})))
    assert again.replayed == ("T1", "T2")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_damaged_table_day_leaves_the_others_done(archive: Path, lake: Path, workers: int) -> None:
    house.damage(archive / f"{house.DAY}" / "T1.avro")
    house.write(archive, "T2", "dealer+D9", first_seq=26)
    night = run_nightly(archive, lake, house.DAY, Settings(workers=workers))
    assert night.replayed == ("T2",)
    assert str(archive / f"{house.DAY}" / "T1.avro") in night.undone["T1"]
    assert tables_of(lake, house.DAY) == ["T2"], "earlier verdicts of a damaged table-day must not pass for today's"
    assert not night.clean


@pytest.mark.parametrize("workers", [1, 2])
def test_a_table_day_on_which_the_program_fails_leaves_the_others_done(
    archive: Path, tmp_path: Path, workers: int
) -> None:
    lake = tmp_path / "lake"
    run_file(lake, house.DAY, "T1").mkdir(parents=True)  # a folder stands where the file must go
    night = run_nightly(archive, lake, house.DAY, Settings(workers=workers))
    assert night.replayed == ("T2",)
    assert list(night.failed) == ["T1"]
    assert "T1.json" in night.failed["T1"]
    assert tables_of(lake, house.DAY) == ["T2"]
    shutil.rmtree(run_file(lake, house.DAY, "T1"))
    again = run_nightly(archive, lake, house.DAY)
    assert (again.replayed, again.unchanged, again.undone) == (("T1",), ("T2",), {})


def test_a_table_day_that_left_the_archive_is_missed(archive: Path, lake: Path) -> None:
    for file in (archive / f"{house.DAY}").glob("T2.*"):
        file.unlink()
    night = run_nightly(archive, lake, house.DAY)
    assert list(night.undone) == ["T2"]
    assert [row.table_id for row in night.reconciliation.tables] == ["T1"]


def test_a_table_day_taken_out_of_the_archive_is_missed_every_night(archive: Path, lake: Path) -> None:
    for file in (archive / house.DAY.isoformat()).glob("T*.*"):
        file.unlink()
    for _ in range(2):
        night = run_nightly(archive, lake, house.DAY)
        assert night.undone == dict.fromkeys(("T1", "T2"), "its files are no longer in the archive")
        assert not night.clean
    assert days_between(archive, lake, house.DAY, house.DAY) == [house.DAY]


def test_a_file_that_the_disk_does_not_give_leaves_the_others_done(archive: Path, tmp_path: Path) -> None:
    container = archive / house.DAY.isoformat() / "T1.avro"
    container.unlink()
    container.mkdir()  # as good as a bad sector or a missing right
    for expected in (("T2",), ()):
        night = run_nightly(archive, tmp_path / "lake", house.DAY)
        assert night.replayed == expected
        assert night.undone == {"T1": f"{container}: it cannot be read: Is a directory"}


def test_a_hole_of_a_sealed_day_is_filled_by_no_day_that_is_sealed_later(clean_archive: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    house.write(clean_archive, "T1", "@20:00:00 dealer+D9 dealer-D9", first_seq=35)
    gap = run_nightly(clean_archive, lake, house.DAY)
    assert [found.code for found in gap.reconciliation.findings] == ["SEQUENCE_GAP"]
    next_day = house.DAY + dt.timedelta(days=1)
    last = house.write(clean_archive, "T1", house.closing("", 0), day=next_day, first_seq=26)
    house.write(clean_archive, "T1", "@20:00:00 " + "dealer+D9 " * (34 - last), day=next_day, first_seq=last + 1)
    again = run_nightly(clean_archive, lake, house.DAY)
    assert again.replayed == ()
    assert again.reconciliation.findings == gap.reconciliation.findings


def test_numbers_missing_between_two_days_are_found_and_stay_so_when_the_earlier_one_is_given_them(
    clean_archive: Path, tmp_path: Path
) -> None:
    next_day = house.DAY + dt.timedelta(days=1)
    house.write(clean_archive, "T1", house.closing("", 0), day=next_day, first_seq=29)
    found = run_nightly(clean_archive, tmp_path / "before", next_day).reconciliation.findings
    assert [(each.code, each.count) for each in found] == [("SEQUENCE_GAP", 1)]
    house.write(clean_archive, "T1", "@20:00:00 dealer+D9 dealer-D9 dealer+D9", first_seq=26)
    assert run_nightly(clean_archive, tmp_path / "after", next_day).reconciliation.findings == found


def test_a_backfill_runs_every_day_that_there_is_or_that_should_have_been(clean_archive: Path, tmp_path: Path) -> None:
    later = house.DAY + dt.timedelta(days=3)
    house.write(clean_archive, "T1", house.closing("", 0), day=later, first_seq=26)
    told: list[dt.date] = []
    nights = run_backfill(
        clean_archive,
        tmp_path / "lake",
        house.DAY - dt.timedelta(days=1),
        later,
        on_day=lambda night: told.append(night.reconciliation.gaming_day),
    )
    assert told == [house.DAY + dt.timedelta(days=number) for number in range(4)]
    assert [night.clean for night in nights] == [True, False, False, True], "nothing came of two days in between"
    assert days_between(clean_archive, tmp_path / "lake", later, later) == [later]


def test_nothing_to_run_is_not_a_clean_run(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(NothingToRun, match="no sealed table-day of 2009-05-31"):
        run_nightly(archive, tmp_path / "lake", house.DAY - dt.timedelta(days=1))
    with pytest.raises(NothingToRun, match="there is no archive"):
        run_nightly(tmp_path / "none", tmp_path / "lake", house.DAY)
    with pytest.raises(NothingToRun):
        run_backfill(archive, tmp_path / "lake", dt.date(2020, 1, 1), dt.date(2020, 1, 2))
