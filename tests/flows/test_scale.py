"""What a night costs grows with its tables, not with their square: folders listed and files opened are counted."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from analytics.lake.statuses import TableStatus
from flows.cli import main
from flows.runs import run_nightly
from producers.simulator import simulate
from replayer.sources.archive import table_days
from replayer.verdicts.run import replay_all

DAY = dt.date(2009, 6, 1)
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
