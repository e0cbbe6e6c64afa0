"""The flows as README deploys them at a real Prefect server, and a worker that runs them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

from tests.servers import environment

REPOSITORY = Path(__file__).parents[2]
PREFECT = Path(sys.executable).with_name("prefect")
SECONDS = 120


class Deployed:
    """A server with our deployments."""

    def __init__(self, api: str, home: Path) -> None:
        self.api = api
        self.home = home

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """What the server answers; it asks for patience (503) while another writes its database."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.api}{path}", data, {"content-type": "application/json"})  # noqa: S310
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310 - our own server
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                if error.code != HTTPStatus.SERVICE_UNAVAILABLE or time.monotonic() > deadline:
                    raise
                time.sleep(0.5)

    def variables(self) -> dict[str, str]:
        """The environment of Prefect's commands."""
        return environment({"PREFECT_API_URL": self.api, "PREFECT_HOME": str(self.home), "PWD": str(REPOSITORY)})

    def say(self, *arguments: str) -> None:
        """Run one of Prefect's commands."""
        ordered = [PREFECT, *arguments]
        subprocess.run(ordered, cwd=REPOSITORY, env=self.variables(), check=True, capture_output=True, timeout=SECONDS)

    def deploy(self) -> None:
        """As README does."""
        pools = self.ask("/work_pools/filter", {})
        if "pitaudit" not in {pool["name"] for pool in pools}:
            self.say("work-pool", "create", "pitaudit", "--type", "process")
        self.say("--no-prompt", "deploy", "--all")
        for each in self.ask("/deployments/filter", {}):  # no run but those that a test orders
            if not each["paused"]:
                self.ask_quietly("PATCH", f"/deployments/{each['id']}", {"paused": True})

    def ask_quietly(self, method: str, path: str, body: dict[str, Any]) -> None:
        """Change something."""
        data = json.dumps(body).encode()
        request = urllib.request.Request(f"{self.api}{path}", data, {"content-type": "application/json"}, method=method)  # noqa: S310
        urllib.request.urlopen(request, timeout=SECONDS).close()  # noqa: S310 - our own server

    def order(self, deployment: str, parameters: dict[str, Any], at: str, **more: Any) -> str:
        """A run of a deployment that was to start at a moment; its id."""
        known = self.ask(f"/deployments/name/{deployment}")
        state = {"type": "SCHEDULED", "state_details": {"scheduled_time": at}}
        ordered = {"state": state, "parameters": parameters, **more}
        return str(self.ask(f"/deployments/{known['id']}/create_flow_run", ordered)["id"])

    def run(self, flow_run: str) -> dict[str, Any]:
        """A run as the server knows it."""
        return dict(self.ask(f"/flow_runs/{flow_run}"))

    def ended(self, flow_run: str) -> dict[str, Any]:
        """A run once it has ended."""
        deadline = time.monotonic() + SECONDS
        while (run := self.run(flow_run))["state_type"] in {"SCHEDULED", "PENDING", "RUNNING"}:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{run['name']} is {run['state_name']}")
            time.sleep(0.3)
        return run

    def lines(self, flow_run: str) -> list[str]:
        """The lines of a run's log as they have come by now."""
        wanted = {"logs": {"flow_run_id": {"any_": [flow_run]}}, "sort": "TIMESTAMP_ASC"}
        return [line["message"] for line in self.ask("/logs/filter", wanted)]

    def logs(self, flow_run: str) -> list[str]:
        """The same, once no more of them come."""
        found, before = self.lines(flow_run), None
        deadline = time.monotonic() + SECONDS
        while found != before and time.monotonic() < deadline:
            time.sleep(3)  # they are sent every two seconds
            before, found = found, self.lines(flow_run)
        return found

    @contextmanager
    def worker(self, *options: str) -> Iterator[subprocess.Popen[bytes]]:
        """A worker, whose output lies in ``worker.log``, killed with all that it started when the block ends."""
        ordered = [PREFECT, "worker", "start", "--pool", "pitaudit", "--type", "process", *options]
        with (self.home / "worker.log").open("ab") as log:
            worker = subprocess.Popen(
                ordered, cwd=REPOSITORY, env=self.variables(), stdout=log, stderr=log, start_new_session=True
            )
        try:
            yield worker
        finally:
            worker.kill()
            worker.wait(timeout=SECONDS)
