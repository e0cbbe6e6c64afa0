"""Processes killed at any moment (SIGKILL): what was acknowledged is there once, and the same again completes the work."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random

from producers.sinks.archive import ArchiveSink
from replayer.sources.table_days import TableDayRef
from tests.archives import read_events
from tests.torture import victim
from tests.torture.ground import DAY, Ground


@cache
def _forker() -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, victim.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(process.kill)
    return process


def killed(work: str, after: float, **arguments: object) -> bool:
    """Start some work of :mod:`tests.torture.victim` and kill it ``after`` seconds; whether that was in time."""
    forker = _forker()
    assert forker.stdin is not None
    assert forker.stdout is not None
    said = {name: str(value) if isinstance(value, Path) else value for name, value in arguments.items()}
    job = {"work": work, "after": after, "arguments": {**said, "day": DAY.isoformat()}}
    forker.stdin.write(json.dumps(job) + "\n")
    forker.stdin.flush()
    status = int(forker.stdout.readline())
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) == 0, f"{work} failed by itself"
    return False


def recorder(ground: Ground, rng: Random) -> str | None:
    """A recorder killed some times between its first event and its last, then left alone to finish."""
    archive, noted, last = ground.folder / "recorded", ground.folder / "told", 400
    for _ in range(rng.randrange(1, 4)):
        killed("record", rng.uniform(0.005, 0.1), archive=archive, noted=noted, last=last)
        acknowledged = [int(line) for line in noted.read_bytes().splitlines()] if noted.exists() else []
        sink = ArchiveSink(archive)
        held = sink.last_seq("BJ-99")
        sink.close()
        if acknowledged and held < max(acknowledged):
            return f"{max(acknowledged)} events were acknowledged, {held} are held"
    victim.record(str(archive), str(noted), last, DAY.isoformat())
    stakes = [event.wager.stake_minor for event in read_events(TableDayRef(DAY, "BJ-99", archive)) if event.wager]
    return None if stakes == [number * 100 for number in range(1, last + 1)] else f"{len(stakes)} events are sealed"


def nightly(ground: Ground, rng: Random) -> str | None:
    """A night killed while it judges and writes; the next one leaves what an undisturbed one leaves."""
    ground.lake.rename(ground.folder / "no-lake")
    for _ in range(rng.randrange(1, 3)):
        killed("night", rng.uniform(0.02, 0.8), archive=ground.archive, lake=ground.lake)
    return None if ground.same(ground.night()) else "the night after it says something else"


def simulation(ground: Ground, rng: Random) -> str | None:
    """A simulation killed while it records and seals; the same again gives the same bytes."""
    whole, broken = ground.folder / "whole", ground.folder / "broken"
    victim.play(str(whole), DAY.isoformat())
    killed("play", rng.uniform(0.02, 0.4), archive=broken)
    victim.play(str(broken), DAY.isoformat())
    bytes_of = {path.name: path.read_bytes() for path in (whole / DAY.isoformat()).iterdir()}
    same = bytes_of == {path.name: path.read_bytes() for path in (broken / DAY.isoformat()).iterdir()}
    return None if same else "other bytes than without the kill"
