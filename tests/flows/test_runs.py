"""Runs do what changed and nothing else, and one bad table-day never keeps the others from being done."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analytics.lake import run_file, runs
from analytics.lake.statuses import TableStatus
from flows.cli import main
from flows.gaps import claimed_numbers, gaps_before
from flows.known_errors import CouldNotRun
from flows.plan import NothingToRun
from flows.runs import run_nightly
from flows.settings import Settings
from producers.simulator import simulate
from producers.sinks.journal import Entry
from producers.sinks.part import sealed_part, write_part
from replayer.engine.replay_settings import ReplaySettings
from replayer.log.numbers import joined, runs_of, shared, without
from replayer.sources.layout import FILE_MODE, PartName
from replayer.sources.table_days import table_days
from replayer.verdicts.run import replay_all
from schemas.codec import encode
from schemas.notation import parse_events
from tests import house
from tests.flows.property import Property


def tables_of(lake: Path, day: dt.date) -> list[str]:
    return [run.table_id for run in runs(lake, day, day)]


def test_a_night_replays_and_reconciles_every_table(pit: Property) -> None:
    night = pit.night()
    assert (night.replayed, night.unchanged, night.undone) == (("T1", "T2"), (), {})
    gaps = {row.table_id: row.settlement_gap_minor for row in night.reconciliation.tables}
    assert gaps == {"T1": 0, "T2": -50_00}
    assert not night.clean


def test_a_day_that_agrees_is_clean(sound: Property) -> None:
    assert sound.night().clean


def test_a_rerun_does_nothing_and_says_the_same(pit: Property) -> None:
    first = pit.night()
    files = {path: path.stat().st_mtime_ns for path in pit.lake.rglob("*.parquet")}
    again = pit.night()
    assert (again.replayed, again.unchanged) == ((), ("T1", "T2"))
    assert again.reconciliation == first.reconciliation
    assert {path: path.stat().st_mtime_ns for path in pit.lake.rglob("*.parquet")} == files


def test_a_late_part_makes_only_its_own_table_run_again(judged: Property) -> None:
    house.write(judged.archive, "T1", "dealer+D9 dealer-D9", first_seq=26)
    again = judged.night()
    assert (again.replayed, again.unchanged) == (("T1",), ("T2",))


def test_other_readings_make_every_table_run_again(judged: Property) -> None:
    again = judged.night(chosen=Settings(replay=ReplaySettings(readings={"X-2": "down"})))
    assert again.replayed == ("T1", "T2")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_damaged_table_day_leaves_the_others_done(judged: Property, workers: int) -> None:
    house.damage(judged.archive / f"{house.DAY}" / "T1.avro")
    house.write(judged.archive, "T2", "dealer+D9", first_seq=26)
    night = judged.night(chosen=Settings(workers=workers))
    assert night.replayed == ("T2",)
    assert str(judged.archive / f"{house.DAY}" / "T1.avro") in night.undone["T1"]
    assert tables_of(judged.lake, house.DAY) == ["T2"], (
        "earlier verdicts of a damaged table-day must not pass for today's"
    )
    assert not night.clean


@pytest.mark.parametrize("workers", [1, 2])
def test_a_table_day_on_which_the_program_fails_leaves_the_others_done(pit: Property, workers: int) -> None:
    run_file(pit.lake, house.DAY, "T1").mkdir(parents=True)  # a folder stands where the file must go
    night = pit.night(chosen=Settings(workers=workers))
    assert night.replayed == ("T2",)
    assert list(night.failed) == ["T1"]
    assert "T1.json" in night.failed["T1"]
    assert tables_of(pit.lake, house.DAY) == ["T2"]
    shutil.rmtree(run_file(pit.lake, house.DAY, "T1"))
    again = pit.night()
    assert (again.replayed, again.unchanged, again.undone) == (("T1",), ("T2",), {})


def test_a_table_day_that_left_the_archive_is_missed(judged: Property) -> None:
    for file in (judged.archive / f"{house.DAY}").glob("T2.*"):
        file.unlink()
    night = judged.night()
    assert list(night.undone) == ["T2"]
    assert [row.table_id for row in night.reconciliation.tables] == ["T1"]


def test_a_table_day_taken_out_of_the_archive_is_missed_every_night(judged: Property) -> None:
    for file in (judged.archive / house.DAY.isoformat()).glob("T*.*"):
        file.unlink()
    for _ in range(2):
        night = judged.night()
        assert night.undone == dict.fromkeys(("T1", "T2"), "its files are no longer in the archive")
        assert not night.clean
    [night] = judged.backfill(house.DAY, house.DAY)
    assert night.reconciliation.gaming_day == house.DAY


def test_a_range_of_days_that_ends_before_it_begins_is_not_a_day_of_which_nothing_came(judged: Property) -> None:
    with pytest.raises(
        CouldNotRun, match="the first gaming day, 2009-06-02, is later than the last, 2009-06-01: swap them"
    ):
        judged.backfill(house.DAY + dt.timedelta(days=1), house.DAY)


def test_a_file_that_the_disk_does_not_give_leaves_the_others_done(pit: Property) -> None:
    container = pit.archive / house.DAY.isoformat() / "T1.avro"
    container.unlink()
    container.mkdir()  # as good as a bad sector or a missing right
    for expected in (("T2",), ()):
        night = pit.night()
        assert night.replayed == expected
        assert night.undone == {"T1": f"{container}: it cannot be read: Is a directory"}


def test_a_hole_of_a_sealed_day_is_filled_by_no_day_that_is_sealed_later(sound: Property) -> None:
    house.write(sound.archive, "T1", "@20:00:00 dealer+D9 dealer-D9", first_seq=35)
    gap = sound.night()
    assert [found.code for found in gap.reconciliation.findings] == ["SEQUENCE_GAP"]
    next_day = house.DAY + dt.timedelta(days=1)
    last = house.write(sound.archive, "T1", house.closing("", 0), day=next_day, first_seq=26)
    house.write(sound.archive, "T1", "@20:00:00 " + "dealer+D9 " * (34 - last), day=next_day, first_seq=last + 1)
    again = sound.night()
    assert again.replayed == ()
    assert again.reconciliation.findings == gap.reconciliation.findings


def test_numbers_missing_between_two_days_are_found_and_stay_so_when_the_earlier_one_is_given_them(
    sound: Property,
) -> None:
    next_day = house.DAY + dt.timedelta(days=1)
    house.write(sound.archive, "T1", house.closing("", 0), day=next_day, first_seq=29)
    found = run_nightly(sound.archive, sound.folder / "before", next_day).reconciliation.findings
    assert [(each.code, each.count) for each in found] == [("SEQUENCE_GAP", 1)]
    house.write(sound.archive, "T1", "@20:00:00 dealer+D9 dealer-D9 dealer+D9", first_seq=26)
    assert run_nightly(sound.archive, sound.folder / "after", next_day).reconciliation.findings == found


def test_a_backfill_runs_every_day_that_there_is_or_that_should_have_been(sound: Property) -> None:
    later = house.DAY + dt.timedelta(days=3)
    house.write(sound.archive, "T1", house.closing("", 0), day=later, first_seq=26)
    nights = sound.backfill(house.DAY - dt.timedelta(days=1), later)
    reported = [night.reconciliation.gaming_day for night in nights]
    assert reported == [house.DAY + dt.timedelta(days=number) for number in range(4)]
    assert [night.clean for night in nights] == [True, False, False, True], "nothing came of two days in between"
    [night] = sound.backfill(later, later)
    assert night.reconciliation.gaming_day == later


def test_nothing_to_run_is_not_a_clean_run(pit: Property) -> None:
    with pytest.raises(NothingToRun, match="no sealed table-day of 2009-05-31"):
        pit.night(house.DAY - dt.timedelta(days=1))
    with pytest.raises(NothingToRun, match="there is no archive"):
        run_nightly(pit.folder / "none", pit.lake, house.DAY)
    with pytest.raises(NothingToRun):
        pit.backfill(dt.date(2020, 1, 1), dt.date(2020, 1, 2))


# Numbers from one gaming day of a table to the next


Reported = list[tuple[str, dt.date, str]]


def write(archive: Path, day: dt.date, numbers: Sequence[int]) -> None:
    """A sealed day of table T1 with these numbers, as another program could have written it."""
    entries = []
    for number in numbers:
        (event,) = parse_events("dealer+D1", gaming_day=day, first_seq=number)
        entries.append(Entry(number, encode(event)))
    data, manifest = sealed_part(PartName(day, "T1"), entries, None)
    write_part(archive, data, manifest, FILE_MODE)


def reported(archive: Path) -> tuple[Reported, Reported]:
    """What a replay of the whole archive says from day to day, and what the nights of its days say."""
    refs = table_days(archive)
    own = {ref.gaming_day: claimed_numbers(archive, ref.gaming_day, [ref.table_id]) for ref in refs}
    no_lake = archive / "lake"
    nights = (found for day, claimed in own.items() for found in gaps_before(archive, no_lake, day, claimed))
    between = ([(f.code, f.gaming_day, f.message) for f in many] for many in (replay_all(refs).between, nights))
    whole, by_night = (sorted(found) for found in between)
    return whole, by_night


def twice(message: str) -> int:
    return int(message.split(maxsplit=1)[0])


numbers = st.sets(st.integers(1, 30), min_size=1, max_size=20)


@settings(max_examples=25, deadline=None)
@example(days=[{14, 16}, {15}], repeat=True)  # three events from 14 to 16, and no 15
@example(days=[{1, 9}, {2, 3}, {4, 9}], repeat=False)  # the third follows the second, and 9 stands on the first
@given(st.lists(numbers, min_size=2, max_size=3), st.booleans())
def test_numbers_of_days_are_held_against_each_other_one_by_one(days: list[set[int]], repeat: bool) -> None:
    """Numbers that one day lacks do not make up for those that stand on two; the day that begins later is told of them."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder)
        for each, held in enumerate(days):
            first = min(held)
            write(archive, dt.date(2009, 6, 1 + each), sorted([*held, first] if repeat else held))
        whole, by_night = reported(archive)
    conflicts = [twice(message) for code, _, message in whole if code == "SEQUENCE_CONFLICT"]
    before, on_two = set[int](), dict[int, int]()
    for each in sorted(range(len(days)), key=lambda each: min(days[each])):
        on_two[each] = len(days[each] & before)
        before |= days[each]
    assert conflicts == [number for _, number in sorted(on_two.items()) if number]
    assert by_night == whole


@given(numbers, numbers)
def test_runs_are_the_numbers_that_they_were_made_of(these: set[int], those: set[int]) -> None:
    here, there = (runs_of(pl.Series([*held, *held])) for held in (these, those))
    assert {number for first, last in here for number in range(first, last + 1)} == these
    assert all(before[1] + 1 < after[0] for before, after in pairwise(here))
    assert shared(here, here) == len(these)
    assert shared(here, there) == len(these & those)
    assert joined((*here, *there)) == runs_of(pl.Series([*(these | those)]))
    assert without(5, 25, here) == runs_of(pl.Series([*(set(range(5, 26)) - these)], dtype=pl.Int64))


DAY = dt.date(2009, 6, 1)
# What a night costs grows with its tables, not with their square: folders listed and files opened are counted


_SEEN: list[tuple[str, str]] = []
_WATCHING: list[bool] = []


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _WATCHING and event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], (str, Path)):
        _SEEN.append((event, str(arguments[0])))


sys.addaudithook(_hook)  # it cannot be taken away again, so it looks only while it is asked to


@contextmanager
def watched() -> Iterator[Counter[tuple[str, str]]]:
    """Counts the files opened and the folders listed while the block runs, by what was done and where."""
    counted: Counter[tuple[str, str]] = Counter()
    _SEEN.clear()
    _WATCHING.append(True)
    try:
        yield counted
    finally:
        _WATCHING.clear()
        counted.update(_SEEN)


def small_day(folder: Path, tables: int) -> Path:
    """An archive of so many table-days of one round, sealed a while ago."""
    simulate(archive=folder, day=DAY, tables=tables, rounds=1, faults=0)
    os.utime(folder / DAY.isoformat(), (1_000_000_000, 1_000_000_000))
    return folder


def listings(counted: Counter[tuple[str, str]], folder: Path) -> int:
    return sum(times for (event, path), times in counted.items() if event != "open" and path == str(folder))


def opened(counted: Counter[tuple[str, str]], suffix: str) -> int:
    return sum(times for (event, path), times in counted.items() if event == "open" and path.endswith(suffix))


@pytest.mark.parametrize("tables", [4, 16])
def test_the_folder_of_a_gaming_day_is_not_listed_for_each_of_its_tables(tmp_path: Path, tables: int) -> None:
    archive = small_day(tmp_path / "archive", tables)
    with watched() as counted:
        summary = replay_all(table_days(archive))
    assert len(summary.outcomes) == tables and not summary.damaged
    assert 1 <= listings(counted, archive / DAY.isoformat()) <= 2
    with watched() as counted:
        run_nightly(archive, tmp_path / "lake", DAY, show=True)
        run_nightly(archive, tmp_path / "lake", DAY, show=True)
    assert listings(counted, archive / DAY.isoformat()) <= 4


def test_a_night_opens_as_many_files_a_table_day_whatever_their_number(tmp_path: Path) -> None:
    opens = {}
    for tables in (4, 16):
        archive = small_day(tmp_path / f"archive-{tables}", tables)
        with watched() as first:
            run_nightly(archive, tmp_path / f"lake-{tables}", DAY, show=True)
        with watched() as again:
            night = run_nightly(archive, tmp_path / f"lake-{tables}", DAY, show=True)
        assert len(night.unchanged) == tables
        opens[tables] = [opened(first, ".json"), opened(first, ".avro"), opened(again, ".json"), opened(again, ".avro")]
    for few, many in zip(opens[4], opens[16], strict=True):
        assert 0 < many <= 4 * few + 4
    assert opens[16][1] <= 3 * 16, "a container is read once, digested once, and its head once"
    assert opens[16][3] <= 2 * 16


def test_parts_that_came_since_are_seen_though_the_folder_was_listed(tmp_path: Path) -> None:
    """The listing is remembered for as long as the folder has not changed."""
    archive = small_day(tmp_path / "archive", 1)
    folder = archive / DAY.isoformat()
    assert replay_all(table_days(archive)).to_dict()["table_days"] == 1
    for file in [*folder.iterdir()]:
        (folder / file.name.replace("BJ-01", "BJ-02").replace("F3-01", "F3-02")).write_bytes(file.read_bytes())
    assert replay_all(table_days(archive)).to_dict()["table_days"] == 2


@pytest.mark.parametrize("more", [4, 16])
def test_what_a_days_parts_hold_is_read_as_often_for_many_table_days_that_come_late_as_for_few(
    tmp_path: Path, more: int
) -> None:
    """It was read once for each table-day that came after the parts were made: 1,000 beside 1,000 read a million lines."""
    every, archive, lake = small_day(tmp_path / "every", 2 + more), tmp_path / "archive", tmp_path / "lake"
    files = sorted((every / DAY.isoformat()).iterdir(), key=lambda file: file.name)
    first = {file.stem for file in files[:4]}
    for early in (True, False):
        (archive / DAY.isoformat()).mkdir(parents=True, exist_ok=True)
        for file in files:
            if (file.stem in first) == early:
                shutil.copy2(file, archive / DAY.isoformat())
        with watched() as counted:
            night = run_nightly(archive, lake, DAY, show=True)
    assert len(night.replayed) == len(files) // 2 - len(first)
    assert 0 < opened(counted, f"parts/{DAY}.json") <= 12


def test_what_a_night_asks_of_tables_that_never_opened_grows_with_their_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, asked, many = small_day(tmp_path / "archive", 1), Counter[int](), 200
    is_open = TableStatus.open.fget  # type: ignore[attr-defined]
    for tables in (many // 4, many):
        register = tmp_path / f"{tables}.toml"
        register.write_text("".join(f"[[tables]]\nid = 'T{number}'\n" for number in range(tables)))

        def counted(status: TableStatus, tables: int = tables) -> bool:
            asked[tables] += 1
            return bool(is_open(status))

        monkeypatch.setattr(TableStatus, "open", property(counted))
        night = [
            "nightly",
            "--archive",
            archive,
            "--lake",
            tmp_path / f"lake-{tables}",
            "--day",
            DAY,
            "--settings",
            register,
        ]
        assert main(list(map(str, night))) == 1
    assert asked[many] <= 4.5 * asked[many // 4], "four times as many; the square would be sixteen times"
