"""A run whose process is killed, a run whose machine dies, a run that nobody starts: each calls the webhook by itself.

Real server, deployments of README, a real worker, a real kill. Minutes long, since a heart beats every half minute at most.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from producers.sinks.archive import ArchiveSink
from schemas.codec import encode
from schemas.notation import parse_events
from tests.flows.deployed import REPOSITORY, Deployed
from tests.flows.test_alarms import Hook
from tests.servers import prefect_server

pytestmark = [pytest.mark.prefect, pytest.mark.prove]

BEAT, SILENCE = 30, 75
"""Seconds: between two beats at least, as Prefect has it, and after which a run without one has crashed."""
SECONDS = 240


def about(hook: Hook, flow_run: str) -> list[str]:
    """The states in which a run was told."""
    return [call["state"] for call in hook.called if call["flow_run"] == flow_run]


def wait_for(what: Any, seconds: float = SECONDS) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not come to be so"
        time.sleep(0.3)


@pytest.fixture
def hook() -> Iterator[Hook]:
    made = Hook()
    threading.Thread(target=made.server.serve_forever, daemon=True).start()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def deployed(tmp_path: Path, pitaudit: Any, hook: Hook) -> Iterator[Deployed]:
    """A server with our deployments and alarms, the silence that is one being shorter than as they ship."""
    home = tmp_path / "prefect"
    home.mkdir()
    shipped = (REPOSITORY / "automations.yaml").read_text(encoding="utf-8")
    assert shipped.count("within: 300") == 1
    file = tmp_path / "alarms.yaml"
    file.write_text(shipped.replace("within: 300", f"within: {SILENCE}"), encoding="utf-8")
    with prefect_server(home) as url:
        there = Deployed(url, home)
        there.deploy()
        done = pitaudit("alarms", "--file", file, PREFECT_API_URL=url, PITAUDIT_WEBHOOK=hook.url)
        assert done.returncode == 0, done.stderr
        yield there


@pytest.fixture
def waits_for_a_table(tmp_path: Path, house: Any) -> dict[str, Any]:
    """The parameters of a night that is under way for as long as nobody seals T1."""
    archive = tmp_path / "archive"
    sink = ArchiveSink(archive)
    for event in parse_events(f"{house.OPEN} {house.RIGHT}", table_id="T1", gaming_day=house.DAY):
        sink.append("T1", house.DAY, event.seq, encode(event))
    sink.flush()
    sink.close()
    return {"archive": str(archive), "lake": str(tmp_path / "lake"), "day": str(house.DAY), "wait_for_sealing": 1000}


def processes_of(flow_run: str) -> list[int]:
    """The process that runs a flow run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            told = (folder / "environ").read_bytes()
        except OSError:
            continue
        if f"PREFECT__FLOW_RUN_ID={flow_run}".encode() in told:
            found.append(int(folder.name))
    return found


def begun(deployed: Deployed, parameters: dict[str, Any]) -> str:
    """A run that is under way and whose heart has begun to beat; its id."""
    env = {
        "DO_NOT_TRACK": "1",
        "PREFECT_SERVER_EPHEMERAL_ENABLED": "false",
        "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": str(BEAT),
    }
    run = deployed.order("nightly/nightly", parameters, "2009-06-02T06:15:00+08:00", job_variables={"env": env})
    wait_for(lambda: any("until these tables are sealed: T1" in line for line in deployed.lines(run)))
    return run


def test_a_run_whose_process_is_killed_and_one_whose_machine_dies_call_the_webhook(
    deployed: Deployed, hook: Hook, waits_for_a_table: dict[str, Any]
) -> None:
    name = f"nightly {waits_for_a_table['day']}"
    with deployed.worker() as worker:
        first = begun(deployed, waits_for_a_table)
        [process] = processes_of(first)
        os.kill(process, signal.SIGKILL)
        wait_for(lambda: deployed.run(first)["state_type"] == "CRASHED")
        wait_for(lambda: "Crashed" in about(hook, name))
        hook.called.clear()
        second = begun(deployed, waits_for_a_table)
        time.sleep(SILENCE + 2 * BEAT / 3)
        assert deployed.run(second)["state_type"] == "RUNNING" and about(hook, name) == [], "it lives, and is let live"
        [process] = processes_of(second)
        worker.send_signal(signal.SIGKILL)  # nobody is left to say what became of the run
        os.kill(process, signal.SIGKILL)
        wait_for(lambda: "Crashed" in about(hook, name))
    assert deployed.run(second)["state"]["message"] == "No sign of life for five minutes; the worker's log says why."


def test_a_run_that_no_worker_starts_calls_the_webhook(deployed: Deployed, hook: Hook) -> None:
    run = deployed.order("nightly/nightly", {}, "2009-06-02T06:15:00+08:00")
    name = deployed.run(run)["name"]
    wait_for(lambda: about(hook, name) == ["Late"])
