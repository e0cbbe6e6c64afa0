"""Runs that die without a word, each ending in the webhook's call: a process killed under its worker, a machine that is gone with
its worker, a process that hangs, a run by hand that is killed, one whose process never began, one that no worker starts.

Real server, the deployments and commands of README, real workers, real kills. Six minutes long, and more on a busy machine: a
heart beats every half minute at most, and nobody is dead before several beats were missed.
"""

from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from analytics.lake import writing
from tests import house, waiting
from tests.commands import Commands
from tests.flows.deployed import REPOSITORY, Deployed
from tests.flows.test_alarms import Hook, listening
from tests.servers import BIN, prefect_server

pytestmark = [pytest.mark.prefect, pytest.mark.prove, pytest.mark.timeout(2_400)]

BEAT, SILENCE, BEGIN, BUFFER = 30, 75, 300, 10
"""Seconds: between two beats, the least that Prefect knows; after which a run without one has crashed, 300 as it ships; in which
its process must begin, 900 as it ships; and so much longer the server waits for events that come late, 60 unless it is set
otherwise."""
BEATING = {"env": {"PREFECT_FLOWS_HEARTBEAT_FREQUENCY": str(BEAT)}}
SECONDS = 600
DIED, GONE, HUNG, BY_HAND, CLEAN, LATE = (dt.date(2009, 6, day) for day in range(1, 7))
NEVER_BEGAN = "hasty-groundhog"
SILENT = "No sign of life for five minutes; the worker's log says why."


wait_for = partial(waiting.wait_for, seconds=SECONDS, every=0.3)


@dataclass
class Seen:
    """What the server knew and the webhook was called with, in the order of the morning.

    Attributes:
        reported: by a run's name, its calls.
        alive: states of the runs that lived, after a silence longer than one that is death.
        calls_about_the_living: calls until then about those.
        ended: states at the end.
    """

    reported: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    alive: set[str] = field(default_factory=set)
    calls_about_the_living: list[dict[str, Any]] = field(default_factory=list)
    ended: dict[str, str] = field(default_factory=dict)


class Morning:
    """A server, its deployments and its alarms."""

    def __init__(self, folder: Path, server: Deployed, hook: Hook) -> None:
        self.folder, self.server, self.hook = folder, server, hook

    def unsealed(self, day: dt.date) -> dict[str, Any]:
        """The parameters of a night that is under way for as long as nobody seals T1."""
        return self._recorded(day, house.UNDER_WAY, sealed=False) | {"wait_for_sealing": 9e3}

    def sealed(self, day: dt.date, rounds: str, won: int) -> dict[str, Any]:
        """The parameters of a night over one table-day."""
        return self._recorded(day, house.closing(rounds, won), sealed=True)

    def _recorded(self, day: dt.date, text: str, *, sealed: bool) -> dict[str, Any]:
        archive = self.folder / f"archive-{day}"
        house.write(archive, "T1", text, day, sealed=sealed)
        return {"archive": str(archive), "lake": str(self.folder / f"lake-{day}"), "day": str(day)}

    def begun(self, deployment: str, parameters: dict[str, Any], until: str) -> str:
        """A deployed run, once its log has a line; its id."""
        now = dt.datetime.now(dt.UTC).isoformat()
        run = self.server.order(deployment, parameters, now, job_variables=BEATING)
        wait_for(lambda: any(until in line for line in self.server.lines(run)))
        return run

    def by_hand(self, parameters: dict[str, Any]) -> subprocess.Popen[bytes]:
        """``pitaudit nightly`` at a terminal."""
        options = [word for name, value in parameters.items() for word in (f"--{name.replace('_', '-')}", str(value))]
        variables = self.server.variables() | {"PREFECT_FLOWS_HEARTBEAT_FREQUENCY": str(BEAT)}
        with (self.folder / "by_hand.log").open("ab") as log:
            return subprocess.Popen([BIN / "pitaudit", "nightly", *options], env=variables, stdout=log, stderr=log)

    def reported(self, name: str, state: str) -> bool:
        return any((call["flow_run"], call["state"]) == (name, state) for call in self.hook.called)


def processes(*variables: str) -> list[int]:
    """The processes that have these variables."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            theirs = (folder / "environ").read_bytes().split(b"\0")
            if all(each.encode() in theirs for each in variables):
                found.append(int(folder.name))
    return found


def process_of(flow_run: str) -> int:
    """The process that runs a deployed flow run."""
    [process] = processes(f"PREFECT__FLOW_RUN_ID={flow_run}")
    return process


@pytest.fixture(scope="module")
def morning(tmp_path_factory: pytest.TempPathFactory, commands: Commands) -> Iterator[Morning]:
    folder = tmp_path_factory.mktemp("dead")
    shipped = (REPOSITORY / "automations.yaml").read_text(encoding="utf-8")
    assert (shipped.count("within: 300"), shipped.count("within: 900")) == (
        2,
        1,
    )  # silence and a deaf webhook; no beginning
    file = folder / "alarms.yaml"
    shipped = shipped.replace("within: 300", f"within: {SILENCE}").replace("within: 900", f"within: {BEGIN}")
    file.write_text(shipped, encoding="utf-8")
    settled = {
        "PREFECT_EVENTS_EXPIRED_BUCKET_BUFFER": f"PT{BUFFER}S",
        "PREFECT_SERVER_SERVICES_LATE_RUNS_AFTER_SECONDS": "60",  # a busy worker is not one that is gone
        "PREFECT_UI_URL": "http://prefect.example",
    }
    with listening() as hook, prefect_server(folder, **settled) as url:
        there = Morning(folder, Deployed(url, folder, commands), hook)
        there.server.deploy()
        there.server.say("deployment", "schedule", "pause", "--all")  # only a test orders runs
        variables = there.server.variables() | {"PITAUDIT_WEBHOOK": hook.url}
        subprocess.run([BIN / "pitaudit", "alarms", "--file", file], env=variables, check=True, timeout=SECONDS)
        yield there


@pytest.fixture(scope="module")
def seen(morning: Morning) -> Iterator[Seen]:
    """The morning, once."""
    server, seen = morning.server, Seen()
    assert morning.by_hand(morning.sealed(CLEAN, house.RIGHT, 200)).wait(SECONDS) == 0
    flow = server.last_run(f"nightly {CLEAN}")["flow_id"]
    server.ask("/flow_runs/", {"name": NEVER_BEGAN, "flow_id": flow, "state": {"type": "PENDING"}})
    waits = "until these tables are sealed: T1"
    try:
        with writing(morning.folder / f"lake-{HUNG}", "a test"), server.worker() as worker:
            died = morning.begun("nightly/nightly", morning.unsealed(DIED), waits)
            os.kill(process_of(died), signal.SIGKILL)
            wait_for(lambda: morning.reported(f"nightly {DIED}", "Crashed"))

            gone = morning.begun("nightly/nightly", morning.unsealed(GONE), waits)
            there = morning.sealed(HUNG, house.RIGHT, 200)
            day = there.pop("day")
            days = {**there, "first": day, "last": day, "wait": 9e3}
            hung = morning.begun("backfill/backfill", days, "is in use by")
            by_hand = morning.by_hand(morning.unsealed(BY_HAND))
            wait_for(lambda: server.last_run(f"nightly {BY_HAND}").get("state_name") == "Running")
            living = {f"nightly {GONE}", f"backfill {HUNG} to {HUNG}", f"nightly {BY_HAND}"}
            time.sleep(SILENCE + BUFFER + BEAT)
            seen.alive = {server.last_run(name)["state_name"] for name in living}
            seen.calls_about_the_living = [call for call in morning.hook.called if call["flow_run"] in living]

            worker.send_signal(signal.SIGKILL)
            os.kill(process_of(gone), signal.SIGKILL)
            os.kill(process_of(hung), signal.SIGSTOP)
            by_hand.kill()
            by_hand.wait()
            wrong = morning.sealed(LATE, house.OVERPAID, 250)
            late = server.order("nightly/nightly", wrong, "2009-06-10T06:15:00+08:00", job_variables=BEATING)
            name_of_late = server.run(late)["name"]
            wait_for(lambda: morning.reported(name_of_late, "Late"))
            for name in (*living, NEVER_BEGAN):
                wait_for(lambda name=name: morning.reported(name, "Crashed"))
        with server.worker():
            wait_for(lambda: morning.reported(f"nightly {LATE}", "NotClean"))
    finally:
        for process in processes(f"PREFECT_HOME={morning.folder}", f"PREFECT_FLOWS_HEARTBEAT_FREQUENCY={BEAT}"):
            os.kill(process, signal.SIGKILL)
    for call in morning.hook.called:
        seen.reported.setdefault(call["flow_run"], []).append(call)
    seen.reported["late"] = seen.reported.pop(name_of_late)
    seen.ended = {name: server.last_run(name)["state_name"] for name in (*living, f"nightly {CLEAN}")}
    yield seen


def test_a_process_that_is_killed_under_its_worker_is_reported_at_once(seen: Seen) -> None:
    [call] = seen.reported[f"nightly {DIED}"]
    assert call["text"].startswith(f"pitaudit nightly {DIED}: Crashed: Process exited with status code: -9. ")
    assert (call["state"], call["deployment"]) == ("Crashed", "nightly")
    assert call["url"].startswith("http://prefect.example/runs/flow-run/")


def test_runs_whose_hearts_beat_are_let_live(seen: Seen) -> None:
    assert (seen.alive, seen.calls_about_the_living) == ({"Running"}, [])


@pytest.mark.parametrize(
    ("name", "deployment"),
    [(f"nightly {GONE}", "nightly"), (f"backfill {HUNG} to {HUNG}", "backfill"), (f"nightly {BY_HAND}", "")],
    ids=["its machine is gone", "it hangs", "killed by hand"],
)
def test_a_run_that_falls_silent_is_reported_once(seen: Seen, name: str, deployment: str) -> None:
    [call] = seen.reported[name]
    assert call["text"] == f"pitaudit {name}: Crashed: {SILENT}"
    assert (call["message"], call["deployment"], seen.ended[name]) == (SILENT, deployment, "Crashed")


def test_a_run_whose_process_never_began_is_reported(seen: Seen) -> None:
    """It owes no heartbeat yet: it stayed pending for ever, and nobody heard of it."""
    [call] = seen.reported[NEVER_BEGAN]
    assert call["text"].startswith(f"pitaudit nightly ({NEVER_BEGAN}), due 20")
    assert call["text"].endswith(
        " UTC: Crashed: Its process has not begun for fifteen minutes; the worker's log says why."
    )


def test_a_run_that_no_worker_starts_is_reported_with_when_it_was_due(seen: Seen) -> None:
    """Its name is Prefect's own, of two words, and says nothing of the day."""
    [call] = seen.reported["late"]
    due = f"pitaudit nightly ({call['flow_run']}), due 2009-06-09 22:15 UTC"
    assert call["text"] == f"{due}: Late: no worker has started it"
    assert call["deployment"] == "nightly"


def test_after_all_of_that_a_new_worker_judges_the_day_of_the_late_run(seen: Seen) -> None:
    [call] = seen.reported[f"nightly {LATE}"]
    assert call["text"] == f"pitaudit nightly {LATE}: NotClean: 1 overpaid 50.00 MOP"


def test_a_clean_run_is_no_alarm_and_stays_what_it_was(seen: Seen) -> None:
    assert f"nightly {CLEAN}" not in seen.reported and seen.ended[f"nightly {CLEAN}"] == "Completed"


def test_a_night_leaves_no_traceback_of_its_concurrency_limit_in_the_servers_log(seen: Seen, morning: Morning) -> None:
    """Each run asked the server to make a limit that was there, and whoever read its journal saw an error each morning."""
    assert "concurrency_limit_v2" not in (morning.folder / "server.log").read_text(encoding="utf-8")
