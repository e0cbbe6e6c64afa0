"""Two runs on one lake never tear each other: one writes, the others wait or say who writes, and nobody waits for the dead."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from analytics.lake import LakeBusy, LakeUnusable, reading, writing
from flows.cli import main
from flows.runs import run_nightly
from flows.settings import Settings
from producers.simulator import simulate
from tests import house
from tests.commands import PITAUDIT
from tests.servers import environment
from tests.waiting import wait_for

DAY = dt.date(2009, 6, 1)
TABLES = [f"T{number}" for number in range(1, 7)]
HOLD = """
import sys, time
from pathlib import Path
from analytics.lake import writing
with writing(Path(sys.argv[1]), "a long run", 0):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""
SECONDS = 120

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def six(tmp_path: Path) -> Path:
    """Six tables of one gaming day and of the day after it."""
    folder = tmp_path / "six"
    for table in TABLES:
        last = house.write(folder, table, house.SOUND)
        house.write(folder, table, house.closing("", 0), day=DAY + dt.timedelta(days=1), first_seq=last + 1)
    return folder


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Real processes; those that still run are killed in the end."""
    started: list[subprocess.Popen[str]] = []

    def begin(*arguments: object) -> subprocess.Popen[str]:
        command = [str(each) for each in arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        started.append(subprocess.Popen(command, cwd=tmp_path, env=environment(), text=True, **pipes))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.communicate()


@contextmanager
def held(start: Start, lake: Path, seconds: float = SECONDS) -> Iterator[subprocess.Popen[str]]:
    """While the block runs, another process writes the lake, for ``seconds`` at most."""
    holder = start(sys.executable, "-c", HOLD, lake, seconds)
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    yield holder
    holder.kill()
    holder.wait()


def nightly(six: Path, lake: Path, *more: object) -> tuple[object, ...]:
    return (PITAUDIT, "nightly", "--archive", six, "--lake", lake, "--day", DAY, "--json", *more)


@pytest.mark.parametrize("new", [True, pytest.param(False, marks=pytest.mark.prove)])
def test_three_nights_at_once_never_miss_a_table_of_each_other(
    six: Path, tmp_path: Path, start: Start, new: bool
) -> None:
    lake = tmp_path / "lake"
    if not new:
        run_nightly(six, lake, DAY)
    runs = [start(*nightly(six, lake)) for _ in range(3)]
    for run in runs:
        out, err = run.communicate(timeout=SECONDS)
        assert run.returncode == 0, err
        said = json.loads(out)
        assert [row["table_id"] for row in said["tables"]] == TABLES
        assert len(said["replayed"]) in {0, 6}, "one judged all, the others found them judged"


def test_a_night_beside_a_backfill_never_misses_a_table(six: Path, tmp_path: Path, start: Start) -> None:
    lake = tmp_path / "lake"
    to = ("--from", DAY, "--to", DAY + dt.timedelta(days=1), "--json")
    backfill = start(PITAUDIT, "backfill", "--archive", six, "--lake", lake, *to)
    night = start(*nightly(six, lake))
    out, err = backfill.communicate(timeout=SECONDS)
    assert backfill.returncode == 0, err
    for day in json.loads(out)["days"]:
        assert [row["table_id"] for row in day["tables"]] == TABLES
    out, err = night.communicate(timeout=SECONDS)
    assert night.returncode == 0, err
    assert [row["table_id"] for row in json.loads(out)["tables"]] == TABLES


def test_who_does_not_wait_is_reported_who_holds_the_lake_in_one_line(
    six: Path, tmp_path: Path, start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = tmp_path / "lake"
    run_nightly(six, lake, DAY)
    commands = [
        ("nightly", "--archive", six, "--day", DAY),
        ("backfill", "--archive", six, "--from", DAY, "--to", DAY),
        ("replay", six),
        ("report", "--day", DAY, "-o", tmp_path / "r.html"),
        ("query", "overpayment_by_dealer_and_player"),
        ("acknowledge", "--table", "T1", "--day", DAY, "--by", "M. Wong", "--reason", "seen"),
    ]
    with held(start, lake) as holder:
        for command in commands:
            assert main([*map(str, command), "--lake", str(lake), "--wait", "0"]) == 2, command
            out, err = capsys.readouterr()
            assert (out, len(err.splitlines())) == ("", 1)
            assert f"a long run (process {holder.pid} on {os.uname().nodename}, since 20" in err
        assert main(["replay", str(six)]) == 0, "without a lake there is nothing to wait for"


def test_a_report_during_a_run_waits_and_says_so(
    six: Path, tmp_path: Path, start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    lake, day = tmp_path / "lake", DAY.isoformat()
    run_nightly(six, lake, DAY)
    with held(start, lake, seconds=1) as holder:
        assert main(["report", "--lake", str(lake), "--day", day, "-o", str(tmp_path / "r.html"), "--wait", "60"]) == 0
    assert f"in use by a long run (process {holder.pid}" in capsys.readouterr().err


def test_nobody_waits_for_a_run_that_was_killed(six: Path, tmp_path: Path, start: Start) -> None:
    lake = tmp_path / "lake"
    with held(start, lake) as holder:
        holder.kill()
        holder.wait()
        assert "a long run" in (lake / ".lock").read_text(), "it could not take its name away"
        night = run_nightly(six, lake, DAY, Settings(wait_seconds=0))
    assert len(night.replayed) == len(TABLES)
    assert (lake / ".lock").read_text() == ""


def test_workers_of_a_run_that_was_killed_do_not_go_on_writing(tmp_path: Path, start: Start) -> None:
    archive, lake = tmp_path / "archive", tmp_path / "lake"
    simulate(archive, day=DAY, tables=3, rounds=200, seed=1)
    night = start(*nightly(archive, lake, "--workers", 3))
    wait_for(lambda: len(spawned_by(night.pid)) == 2, SECONDS, every=0.02)
    workers = spawned_by(night.pid)
    night.kill()
    night.wait()
    wait_for(lambda: not any(map(alive, workers)), SECONDS)
    assert set(run_nightly(archive, lake, DAY, Settings(wait_seconds=0)).reconciliation.damaged) == set()


def spawned_by(parent: int) -> list[int]:
    """The worker processes of a run."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            stat, command = (process / "stat").read_text(), (process / "cmdline").read_bytes()
        except OSError:
            continue
        if int(stat.rpartition(")")[2].split()[1]) == parent and b"spawn_main" in command:
            found.append(int(process.name))
    return found


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_two_threads_never_write_at_once(tmp_path: Path) -> None:
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(3):
            with writing(tmp_path / "lake", "a thread", 60):
                inside += 1
                most = max(most, inside)
                time.sleep(0.02)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_run_of_many_days_lets_others_in_between_two_of_them(tmp_path: Path) -> None:
    lake, days = tmp_path / "lake", 40
    done: list[int] = []
    with writing(lake, "the first day", 0):
        waiting = threading.Event()
        got_in: list[int] = []

        def morning() -> None:
            with writing(lake, "the night", 60, lambda _: waiting.set()):
                got_in.append(len(done))

        thread = threading.Thread(target=morning)
        thread.start()
        assert waiting.wait(180)
    for number in range(days):
        with writing(lake, f"day {number}", 60):
            done.append(number)
            time.sleep(0.01)
    thread.join()
    assert got_in == [0]


def test_readers_do_not_wait_for_each_other_and_a_run_waits_for_them(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    with writing(lake, "a run"):
        pass
    with reading(lake, 0), reading(lake, 0), pytest.raises(LakeBusy, match="in use by a report or query; did not wait"):
        writing(lake, "a run", 0).__enter__()
    with writing(lake, "a run", 0), pytest.raises(LakeBusy, match="in use by a run"):
        reading(lake, 0).__enter__()


def test_reading_makes_nothing_in_a_lake(tmp_path: Path) -> None:
    with reading(tmp_path, 0):
        assert list(tmp_path.iterdir()) == []


def test_a_pipe_in_the_place_of_the_lock_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".lock")
    with pytest.raises(LakeUnusable, match=r"\.lock is no ordinary file"):
        writing(tmp_path, "a run", 0).__enter__()
