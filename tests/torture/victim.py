"""A process whose children do work that is killed: it has imported all that is heavy, and forks a child for each job.

A job is a line of JSON on standard input, ``{"work": name, "after": seconds, "arguments": {...}}``; the answer is a line with
the child's wait status. This process runs none of the work itself, so that no thread is alive when it forks.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import signal
import sys
import time
from pathlib import Path

from flows.runs import run_nightly
from producers.recorder import Recorder
from producers.simulator import simulate
from producers.sinks.archive import ArchiveSink
from schemas.event import Wager

_NOON = 1_243_828_800_000_000


def record(archive: str, noted: str, last: int, day: str) -> None:
    """Record ``last`` wagers of growing stakes at BJ-99 and seal them; each flush is told in a file."""
    sink = ArchiveSink(Path(archive))
    table = Recorder(sink, "BJ-99", clock=lambda: _NOON)
    with Path(noted).open("ab", buffering=0) as acknowledged:
        while table.last_seq < last:
            number = table.last_seq + 1
            table.record("WagerPlaced", round=1, wager=Wager("main", seat=1, stake_minor=number * 100))
            if number % 7 == 0 or number == last:
                acknowledged.write(b"%d\n" % table.flush())
    table.seal(dt.date.fromisoformat(day))
    sink.close()


def night(archive: str, lake: str, day: str) -> None:
    """A nightly run."""
    run_nightly(Path(archive), Path(lake), dt.date.fromisoformat(day), show=True)


def play(archive: str, day: str) -> None:
    """Simulate a small pit."""
    simulate(Path(archive), day=dt.date.fromisoformat(day), tables=4, rounds=8, seed=1)


WORK = {"record": record, "night": night, "play": play}


def main() -> None:
    """Fork a child for each job until standard input ends, and kill it when its time is over."""
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            WORK[job["work"]](**job["arguments"])
            os._exit(0)
        deadline = time.monotonic() + job["after"]
        ended, status = os.waitpid(child, os.WNOHANG)
        while not ended and time.monotonic() < deadline:
            time.sleep(0.001)
            ended, status = os.waitpid(child, os.WNOHANG)
        if not ended:
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
        print(status, flush=True)


if __name__ == "__main__":
    main()
