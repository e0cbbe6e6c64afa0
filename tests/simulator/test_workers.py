"""Worker processes of a simulation end with it, and without a word."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.commands import PITAUDIT
from tests.waiting import wait_for


@pytest.fixture
def simulating(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A simulation of two tables in two processes, which takes longer than any test waits; both hold its standard error open."""
    command = [PITAUDIT, "simulate", "--archive", tmp_path, "--tables", "2", "--rounds", "1000000", "--workers", "2"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    yield running
    with suppress(ProcessLookupError):  # all of them have ended
        os.killpg(running.pid, signal.SIGKILL)
    running.communicate()


def test_a_worker_ends_when_who_started_it_is_killed(simulating: subprocess.Popen[str], tmp_path: Path) -> None:
    wait_for(lambda: len([*tmp_path.glob(".journal/lock/*")]) == 2)
    simulating.kill()
    simulating.communicate(timeout=20)  # until the last of them has closed standard error


def test_control_c_while_a_worker_starts_gives_one_line(simulating: subprocess.Popen[str]) -> None:
    children = Path(f"/proc/{simulating.pid}/task/{simulating.pid}/children")
    wait_for(lambda: len(children.read_text().split()) == 2, every=0.01)  # the worker, and multiprocessing's tracker
    time.sleep(0.1)
    os.killpg(simulating.pid, signal.SIGINT)
    assert simulating.communicate(timeout=20) == (None, "pitaudit: interrupted\n")
    assert simulating.returncode == 130


HALF_STARTED = """
import os, signal, threading, time
from multiprocessing import util
from replayer.processes.spread import Workers

def started(*words):
    pid = start(*words)
    if "spawn_main" in str(words):  # no helper of the library
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)  # the other thread takes it
    return pid

if __name__ == "__main__":
    start, util.spawnv_passfds = util.spawnv_passfds, started
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    try:
        Workers(1).submit(int)
    except KeyboardInterrupt:
        print("interrupted")
"""


def test_control_c_leaves_no_process_half_started(tmp_path: Path) -> None:
    """Whichever thread takes the signal."""
    script = tmp_path / "half_started.py"
    script.write_text(HALF_STARTED)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted\n", "", 0)
