"""The alarms that ship: a real Prefect server calls a real webhook for every kind of run that somebody must look at."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.servers import ask

Run = Callable[..., subprocess.CompletedProcess[str]]
REPOSITORY = Path(__file__).parents[2]
SHIPPED = REPOSITORY / "automations.yaml"
SECONDS = 120


class Hook:
    """A webhook on loopback and what it was called with."""

    def __init__(self) -> None:
        self.called: list[dict[str, Any]] = []
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                hook.called.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/alarm"

    def wait_for(self, state: str, of: str) -> dict[str, Any]:
        """The call about a run in a state; waits for it."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            for call in self.called:
                if (call["state"], call["flow_run"]) == (state, of):
                    return call
            time.sleep(0.2)
        pytest.fail(f"no alarm of {of} in state {state}; there were {self.called}")


@contextmanager
def listening() -> Iterator[Hook]:
    """A webhook that is answered while the block runs."""
    made = Hook()
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture(scope="module")
def hook() -> Iterator[Hook]:
    with listening() as made:
        yield made


def ours(api: str) -> list[dict[str, Any]]:
    return [each for each in ask(api, "/automations/filter", {}) if each["name"].startswith("pitaudit: ")]


@pytest.fixture
def alarms(pitaudit: Run, prefect_api: str, hook: Hook) -> Run:
    """Registers the shipped alarms."""

    def register(webhook: str = hook.url) -> subprocess.CompletedProcess[str]:
        return pitaudit("alarms", "--file", SHIPPED, PREFECT_API_URL=prefect_api, PITAUDIT_WEBHOOK=webhook)

    return register


@pytest.mark.prefect
def test_a_run_that_found_something_calls_the_webhook(
    alarms: Run,
    pitaudit: Run,
    prefect_api: str,
    hook: Hook,
    archive: Path,
    tmp_path: Path,
    house: Any,
) -> None:
    assert alarms().returncode == 0
    before = {each["id"] for each in ours(prefect_api)}
    again = alarms()
    names = ["pitaudit: a run to look at", "pitaudit: a run that fell silent", "pitaudit: a run that never began"]
    assert again.stdout.splitlines() == names
    assert {each["id"] for each in ours(prefect_api)} == before and len(before) == len(names)

    ordered = ("nightly", "--archive", archive, "--lake", tmp_path / "lake", "--day", house.DAY)
    pitaudit(*ordered, PREFECT_API_URL=prefect_api)
    found = hook.wait_for("NotClean", "nightly 2009-06-01")
    assert found["text"] == "pitaudit nightly 2009-06-01: NotClean: 1 overpaid 50.00 MOP"


@pytest.mark.prove  # on a busy machine Prefect's events overtake each other in SQLite, and one of several at once may be lost
def test_a_run_that_failed_crashed_or_was_late_calls_the_webhook(alarms: Run, prefect_api: str, hook: Hook) -> None:
    assert alarms().returncode == 0
    flow = ask(prefect_api, "/flows/", {"name": "nightly"})["id"]
    for name, state in (("failing", "FAILED"), ("crashing", "CRASHED"), ("clean", "COMPLETED")):
        run = ask(prefect_api, "/flow_runs/", {"flow_id": flow, "name": name, "state": {"type": "RUNNING"}})["id"]
        time.sleep(3)  # no run ends before the server has noted that it began
        ask(prefect_api, f"/flow_runs/{run}/set_state", {"state": {"type": state, "message": f"{name} on purpose"}})
        if state != "COMPLETED":
            assert hook.wait_for(state.capitalize(), name)["message"] == f"{name} on purpose"

    deployment = ask(prefect_api, "/deployments/", {"name": "never-worked", "flow_id": flow})["id"]
    since = (dt.datetime.now(dt.UTC) - dt.timedelta(minutes=1)).isoformat()
    scheduled = {"type": "SCHEDULED", "state_details": {"scheduled_time": since}}
    ask(prefect_api, f"/deployments/{deployment}/create_flow_run", {"name": "waiting", "state": scheduled})
    assert hook.wait_for("Late", "waiting")["deployment"] == "never-worked"

    assert not [call for call in hook.called if call["flow_run"] == "clean"], "a clean run is no alarm"


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({}, "no webhook is named: give --webhook URL, or set PITAUDIT_WEBHOOK"),
        ({"PITAUDIT_WEBHOOK": "chat.example"}, "it must begin with http"),
        ({"PITAUDIT_WEBHOOK": "http://127.0.0.1:9/"}, "no Prefect server is named"),
        ({"PITAUDIT_WEBHOOK": "http://127.0.0.1:9/", "PREFECT_API_URL": "http://127.0.0.1:1/api"}, "does not answer"),
    ],
)
def test_alarms_that_cannot_be_registered_are_told_in_one_line(
    pitaudit: Run, variables: dict[str, str], said: str
) -> None:
    done = pitaudit("alarms", "--file", SHIPPED, **variables)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("text", ["", "automations: 3", "a: [", "automations: [{name: x}]"])
def test_a_file_without_automations_changes_nothing(pitaudit: Run, tmp_path: Path, text: str) -> None:
    file = tmp_path / "alarms.yaml"
    file.write_text(text, encoding="utf-8")
    variables = {"PITAUDIT_WEBHOOK": "http://127.0.0.1:9/", "PREFECT_API_URL": "http://127.0.0.1:1/api"}
    done = pitaudit("alarms", "--file", file, **variables)
    assert done.returncode == 2 and f"{file} holds no automations" in done.stderr
