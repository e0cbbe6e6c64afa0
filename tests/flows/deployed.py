"""A real Prefect server as tests ask it, and the flows deployed there as README does."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.commands import Commands
from tests.servers import BIN, ask, environment
from tests.waiting import wait_for

REPOSITORY = Path(__file__).parents[2]
SECONDS = 120


class Prefect:
    """A Prefect server, asked without the client that the flows use. ``home`` is where its commands keep what they know."""

    def __init__(self, api: str, home: Path) -> None:
        self.api = api
        self.home = home

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """What the server answers."""
        return ask(self.api, path, body)

    def run(self, flow_run: str) -> dict[str, Any]:
        """A run as the server knows it."""
        return dict(self.ask(f"/flow_runs/{flow_run}"))

    def last_run(self, name: str) -> dict[str, Any]:
        """The last run of a name; empty before the server knows one."""
        wanted = {"flow_runs": {"name": {"any_": [name]}}, "sort": "START_TIME_DESC", "limit": 1}
        return next(map(dict, self.ask("/flow_runs/filter", wanted)), {})

    def tasks(self, flow_run: str, at_least: int) -> list[dict[str, Any]]:
        """A run's tasks once so many are there and all have ended: the server hears of them a little later than of the run's own
        state."""

        def ended() -> list[dict[str, Any]]:
            tasks = list(self.ask("/task_runs/filter", {"flow_runs": {"id": {"any_": [flow_run]}}}))
            return tasks if len(tasks) >= at_least and all(task["end_time"] for task in tasks) else []

        return list(wait_for(ended, SECONDS, every=0.2))

    def artifacts(self, key: str) -> list[str]:
        """The pages under a key, the last one first."""
        found = self.ask("/artifacts/filter", {"artifacts": {"key": {"any_": [key]}}, "sort": "CREATED_DESC"})
        return [artifact["data"] for artifact in found]

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

    def order(self, deployment: str, parameters: dict[str, Any], at: str, **more: Any) -> str:
        """A run of a deployment that was to start at a moment; its id."""
        known = self.ask(f"/deployments/name/{deployment}")
        state = {"type": "SCHEDULED", "state_details": {"scheduled_time": at}}
        ordered = {"state": state, "parameters": parameters, **more}
        return str(self.ask(f"/deployments/{known['id']}/create_flow_run", ordered)["id"])

    def variables(self) -> dict[str, str]:
        """The environment of Prefect's commands."""
        return environment(PREFECT_API_URL=self.api, PREFECT_HOME=str(self.home), PWD=str(REPOSITORY))

    @contextmanager
    def worker(self) -> Iterator[subprocess.Popen[bytes]]:
        """A worker as README starts it, whose output lies in ``worker.log``; killed when the block ends."""
        with (self.home / "worker.log").open("ab") as log:
            worker = subprocess.Popen(
                [BIN / "prefect", "worker", "start", "--pool", "pitaudit"],
                cwd=REPOSITORY, env=self.variables(), stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        try:
            yield worker
        finally:
            worker.kill()
            worker.wait(timeout=SECONDS)


class Deployed(Prefect):
    """One to which Prefect's own commands, forked as ours, deploy the flows."""

    def __init__(self, api: str, home: Path, commands: Commands) -> None:
        super().__init__(api, home)
        self.commands = commands

    def say(self, *arguments: str) -> None:
        """Run one of Prefect's commands.

        Raises:
            RuntimeError: it failed.
        """
        done = self.commands.run(arguments, REPOSITORY, self.variables(), BIN / "prefect")
        if done.returncode != 0:
            raise RuntimeError(f"prefect {' '.join(arguments)}:\n{done.stdout}{done.stderr}")

    def deploy(self) -> None:
        """The two flows as README deploys them."""
        self.say("work-pool", "create", "pitaudit", "--type", "process")
        self.say("--no-prompt", "deploy", "--all")
