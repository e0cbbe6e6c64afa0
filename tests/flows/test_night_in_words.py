"""`nightly` and `backfill` in words: why they exit 1, on any width of screen, and one sentence at the end."""

from __future__ import annotations

import datetime as dt
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from analytics.lake import part_file
from analytics.lake.note import day_file
from tests import house

Run = Callable[..., subprocess.CompletedProcess[str]]
DAY = "2009-06-01"
SENTENCE = f"{DAY}: 2 tables, all judged; the house overpaid 50.00 MOP in 1 payment."


@pytest.fixture
def nightly(pitaudit: Run, tmp_path: Path) -> Run:
    def run(archive: Path, *more: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return pitaudit("nightly", "--archive", archive, "--lake", tmp_path / "lake", "--day", DAY, *more, **variables)

    return run


def test_one_table_day_is_told_in_the_singular(nightly: Run, clean_archive: Path) -> None:
    assert f"{DAY}: 1 table-day replayed, 0 unchanged" in nightly(clean_archive).stderr


@pytest.mark.parametrize("width", ["80", "120", "200"])
def test_the_night_fits_the_screen_and_ends_with_one_sentence(nightly: Run, archive: Path, width: str) -> None:
    done = nightly(archive, COLUMNS=width)
    assert done.returncode == 1
    *tables, last = done.stdout.splitlines()
    assert last == SENTENCE
    assert max(map(len, tables)) <= int(width)
    assert "OVERPAID" in done.stdout and "+50.00" in done.stdout
    assert "49.00" not in done.stdout


def test_no_two_columns_of_a_table_have_one_name(nightly: Run, archive: Path) -> None:
    heads = [re.split(r"\s*┃\s*", line.strip("┃ ")) for line in nightly(archive).stdout.splitlines() if "┃" in line]
    assert heads and all(len(set(head)) == len(head) for head in heads)


def test_a_clean_night_says_so_plainly(nightly: Run, clean_archive: Path) -> None:
    done = nightly(clean_archive)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == f"{DAY}: 1 table, judged; nothing found."
    assert json.loads(nightly(clean_archive, "--json").stdout)["sentence"] == f"{DAY}: 1 table, judged; nothing found."


def test_damaged_and_unsealed_tables_are_named_with_the_reason(nightly: Run, archive: Path) -> None:
    house.damage(archive / DAY / "T1.avro")
    done = nightly(archive)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == (
        f"{DAY}: 2 tables, 1 not judged; the house overpaid 50.00 MOP in 1 payment; 1 table damaged: T1."
    )
    [row] = [line for line in done.stdout.splitlines() if line.startswith("│ T1 ")]
    assert "damaged" in row and "T1.avro" in done.stdout.split("Tables that were not judged")[1]
    assert nightly(archive, "--json").stderr.splitlines()[-1].endswith("1 table damaged: T1.")


def test_what_was_made_anew_is_in_the_sentence(nightly: Run, archive: Path, tmp_path: Path) -> None:
    nightly(archive)
    house.damage(part_file(tmp_path / "lake", "wagers", house.DAY, 0))  # it holds both tables
    assert nightly(archive).stdout.splitlines()[-1] == f"{SENTENCE[:-1]}; verdicts of 2 tables made anew."


def test_a_days_note_that_was_made_anew_is_no_table(nightly: Run, archive: Path, tmp_path: Path) -> None:
    nightly(archive)
    house.damage(day_file(tmp_path / "lake", house.DAY))
    again = nightly(archive)
    assert "what the lake held of the day as a whole was damaged" in again.stderr
    assert again.stdout.splitlines()[-1] == SENTENCE


def test_a_backfill_says_each_day_and_the_sum(pitaudit: Run, archive: Path, tmp_path: Path) -> None:
    house.write(archive, "T1", house.WRONG, day=dt.date(2009, 6, 2), first_seq=26)
    ordered = ("backfill", "--archive", archive, "--lake", tmp_path / "lake", "--from", DAY, "--to", "2009-06-02")
    done = pitaudit(*ordered, COLUMNS="80")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-3:] == [
        SENTENCE,
        "2009-06-02: 2 tables, 1 not judged; the house overpaid 50.00 MOP in 1 payment; 1 table absent: T2.",
        "2009-06-01 to 2009-06-02: 2 gaming days, 4 table-days, 1 not judged; the house overpaid 100.00 MOP in 2 payments; "
        "1 table-day absent: T2 of 2009-06-02.",
    ]
    said = json.loads(pitaudit(*ordered, "--json").stdout)
    assert [day["sentence"] for day in said["days"]] == done.stdout.splitlines()[-3:-1]
    assert said["sentence"] == done.stdout.splitlines()[-1]
