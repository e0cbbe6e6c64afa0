"""The ends of the calendar, and wagers that nobody could judge: both are told in a sentence, and neither passes for clean."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from producers.recorder import Recorder
from producers.sinks.archive import ArchiveSink
from replayer.law.calendar import local_day
from schemas.bounds import FIRST_DAY, LAST_DAY, NUMBERS
from schemas.event import CardAt, Chips, Table, Wager
from tests import house

Run = Callable[..., subprocess.CompletedProcess[str]]
FIRST, LAST = dt.date.min, dt.date.max
UNKNOWN = "1999-01-04"  # before the first text of Black Jack that is at hand


@pytest.mark.parametrize(
    "arguments",
    [
        ("--day", FIRST),
        ("--day", LAST),
        ("--day", "9999-12-29", "--days", "3"),
        ("--day", "9990-01-01", "--days", "10000"),
    ],
)
def test_simulate_says_that_the_calendar_does_not_hold_a_day(
    pitaudit: Run, tmp_path: Path, arguments: tuple[object, ...]
) -> None:
    done = pitaudit("simulate", "--archive", tmp_path / "a", "--tables", "1", "--rounds", "2", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "would not fit: they go from 0001-01-02 to 9999-12-30" in done.stderr and len(done.stderr.splitlines()) == 1


def test_simulate_plays_the_last_gaming_day_there_is(pitaudit: Run, tmp_path: Path) -> None:
    day = ("--day", "9999-12-30")
    assert pitaudit("simulate", "--archive", tmp_path / "a", "--tables", "1", "--rounds", "2", *day).returncode == 0
    assert pitaudit("replay", tmp_path / "a", *day).returncode == 0


def record(archive: Path, table: str, day: dt.date, times: Any, player: str = "p7") -> None:
    """A round in which 100 was won and 150 paid, at the times given."""
    sink = ArchiveSink(archive)
    recorder = Recorder(sink, table)

    def write(kind: str, **bodies: Any) -> None:
        recorder.record(kind, at=next(times), gaming_day=day, **bodies)

    write("TableOpened", table=Table("black_jack", "MOP", seats=7), chips=Chips(500_00))
    write("WagerPlaced", round=1, wager=Wager("main", seat=1, stake_minor=100_00, player=player))
    write("WagersClosed", round=1)
    for seat, card in ((1, "9c"), (None, "6h"), (1, "Td"), (None, "Th"), (None, "Tc")):
        write("CardDealt", round=1, card=CardAt(seat=seat, card=card, face="up"))
    write("WagerSettled", round=1, wager=Wager("main", seat=1, stake_minor=100_00, net_minor=150_00, player=player))
    write("RoundClosed", round=1)
    write("TableClosed", chips=Chips(350_00))
    recorder.flush()
    recorder.seal(day)
    sink.close()


@pytest.mark.parametrize(
    ("day", "times"),
    [(FIRST_DAY, count(NUMBERS["at"][0], 10**6)), (LAST_DAY, count(NUMBERS["at"][1] - 60 * 10**6, 10**6))],
    ids=["first", "last"],
)
def test_day_at_an_end_of_the_calendar_is_replayed_explained_and_reported(
    pitaudit: Run, tmp_path: Path, day: dt.date, times: Any
) -> None:
    archive, lake = tmp_path / "archive", tmp_path / "lake"
    record(archive, "T1", day, times)
    night = pitaudit("nightly", "--archive", archive, "--lake", lake, "--day", day, "--json")
    said = json.loads(night.stdout)
    assert (night.returncode, said["replayed"], said["failed"]) == (1, ["T1"], {})
    assert pitaudit("report", "--lake", lake, "--day", day, "-o", tmp_path / "page.html").returncode == 0
    explained = pitaudit("explain", archive, "--table", "T1", "--round", "1")
    assert "internal error" not in explained.stderr and "Td to seat 1" in explained.stdout


def test_moment_beyond_the_calendar_is_on_its_first_or_last_day() -> None:
    assert (local_day(-(2**63)), local_day(2**63 - 1)) == (FIRST, LAST)


def test_wagers_that_nobody_could_judge_are_reported_on_the_last_line_and_are_not_clean(
    pitaudit: Run, tmp_path: Path
) -> None:
    archive, lake, day = tmp_path / "archive", tmp_path / "lake", dt.date.fromisoformat(UNKNOWN)
    record(archive, "T1", day, count(915_400_000_000_000, 10**6))
    last = "judged but for 1 wager; 1 wager that nobody could judge, because: "
    replayed = pitaudit("replay", archive)
    assert replayed.returncode == 1
    assert last in replayed.stdout.splitlines()[-1]
    as_json = pitaudit("replay", archive, "--json")
    assert last in as_json.stderr.splitlines()[-1] and sum(json.loads(as_json.stdout)["unjudged"].values()) == 1
    night = pitaudit("nightly", "--archive", archive, "--lake", lake, "--day", day)
    assert night.returncode == 1 and last in night.stdout.splitlines()[-1]
    days = pitaudit("backfill", "--archive", archive, "--lake", lake, "--from", day, "--to", day, "--json")
    assert not json.loads(days.stdout)["clean"] and last in days.stderr.splitlines()[-1]
    page = pitaudit("report", "--lake", lake, "--day", day, "-o", tmp_path / "page.html")
    assert page.returncode == 0 and last in page.stdout.splitlines()[-1]
    assert pitaudit("explain", archive, "--table", "T1", "--round", "1").returncode == 1


def test_wagers_that_nobody_could_judge_are_in_the_currency_in_which_they_were_laid(
    pitaudit: Run, tmp_path: Path
) -> None:
    """Opened for MOP, then for HKD: the one wager of 1,000 in HKD is judged by nobody."""
    won = "1.main=1000@p1 nomore 1+Th B+9d 1+9d 1.stand@p1 B+8s 1.main>+1000@p1 end"
    again = f"open:black_jack:HKD:7=50000 shuffle:1:hand:6 #2 {won} #- drop=0 close=49000"
    house.write(tmp_path / "archive", "T1", f"{house.SOUND} {again}")
    night = pitaudit("nightly", "--archive", tmp_path / "archive", "--lake", tmp_path / "lake", "--day", house.DAY)
    [row] = [line for line in night.stdout.splitlines() if "+1,000.00" in line]
    assert " HKD " in row and " MOP " not in row
