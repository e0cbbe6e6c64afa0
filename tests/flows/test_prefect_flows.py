"""The flows against a real Prefect server: what it stores of good and bad runs, and that a schedule yields runs."""

from __future__ import annotations

import datetime as dt
import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

import pytest

from analytics.lake import runs
from analytics.reconciliation import Reconciliation
from flows.artifact import escaped
from flows.report_store import ReportNotKept, Reports, key
from tests import house
from tests.servers import ask, environment
from tests.waiting import wait_for

pytestmark = pytest.mark.prefect

Run = Callable[..., subprocess.CompletedProcess[str]]
REPOSITORY = Path(__file__).parents[2]


class Api:
    """What a test asks the server, without the client that the flows use."""

    def __init__(self, url: str) -> None:
        self.url = url

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        return ask(self.url, path, body)

    def last_run(self, name: str) -> dict[str, Any]:
        wanted = {"flow_runs": {"name": {"any_": [name]}}, "sort": "START_TIME_DESC", "limit": 1}
        [run] = self.ask("/flow_runs/filter", wanted)
        return dict(run)

    def tasks(self, flow_run: str, at_least: int) -> list[dict[str, Any]]:
        """A run's tasks once they have ended: the server hears of them a little later than of the run's own state."""
        deadline = time.monotonic() + 120
        while True:
            tasks = self.ask("/task_runs/filter", {"flow_runs": {"id": {"any_": [flow_run]}}})
            whole = len(tasks) >= at_least and all(task["end_time"] for task in tasks)
            if whole or time.monotonic() > deadline:
                return list(tasks)
            time.sleep(0.2)

    def task_states(self, flow_run: str, at_least: int = 2) -> list[tuple[str, str]]:
        return sorted((task["name"], task["state_type"]) for task in self.tasks(flow_run, at_least))

    def spans(self, flow_run: str) -> list[tuple[str, str]]:
        """When each gaming day of a run was judged: from its first task's begin to the end of its reconciliation."""
        times = sorted(
            (task["start_time"], task["end_time"], task["name"]) for task in self.tasks(flow_run, at_least=2)
        )
        spans, begun = [], ""
        for start, end, name in times:
            begun = begun or start
            if name.startswith("reconcile"):
                spans.append((begun, end))
                begun = ""
        return spans

    def schedule(self, deployment: str, at: str, parameters: dict[str, Any]) -> str:
        """A run of a deployment that was to start at a moment; its id."""
        known = self.ask(f"/deployments/name/{deployment}")
        state = {"type": "SCHEDULED", "state_details": {"scheduled_time": at}}
        ordered = {"state": state, "parameters": parameters}
        return str(self.ask(f"/deployments/{known['id']}/create_flow_run", ordered)["id"])

    def logs(self, flow_run: str) -> str:
        wanted = {"logs": {"flow_run_id": {"any_": [flow_run]}}}
        found = wait_for(lambda: self.ask("/logs/filter", wanted), 120, every=0.5)  # they come a little later
        return "\n".join(line["message"] for line in found)

    def artifacts(self, key: str) -> list[str]:
        found = self.ask("/artifacts/filter", {"artifacts": {"key": {"any_": [key]}}, "sort": "CREATED_DESC"})
        return [artifact["data"] for artifact in found]


@pytest.fixture
def api(prefect_api: str) -> Api:
    return Api(prefect_api)


def nightly(pitaudit: Run, api: Api, archive: Path, lake: Path) -> subprocess.CompletedProcess[str]:
    ordered = ("nightly", "--archive", archive, "--lake", lake, "--day", "2009-06-01", "--json")
    return pitaudit(*ordered, PREFECT_API_URL=api.url)


def test_a_run_is_stored_completed_with_its_reconciliation(
    pitaudit: Run, api: Api, archive: Path, tmp_path: Path
) -> None:
    done = nightly(pitaudit, api, archive, tmp_path / "lake")
    assert done.returncode == 1, done.stderr  # a wrong payment is a finding; the run itself is good
    assert json.loads(done.stdout)["replayed"] == ["T1", "T2"]
    run = api.last_run("nightly 2009-06-01")
    assert run["state_type"] == "COMPLETED"
    assert (run["state_name"], run["state"]["message"]) == ("NotClean", "1 overpaid 50.00 MOP")
    assert api.task_states(run["id"]) == [("reconcile 2009-06-01", "COMPLETED"), ("replay T1 to T2", "COMPLETED")]
    [page, *_] = api.artifacts(key(tmp_path / "lake", house.DAY))
    assert "| T2 | fortune\\_3\\_card\\_poker | 1 |" in page
    assert "| T2 | 1 | 1 | OVERPAID | \\+50.00 MOP | 78/2008" in page
    report = Path(unquote(urlsplit(page.split("](<")[1].split(">)")[0]).path))
    assert report.parent == tmp_path / "lake" / "reports" and "overpaid 50.00 MOP" in report.read_text(encoding="utf-8")


def test_a_broken_table_day_fails_the_run_and_leaves_the_others_done(
    pitaudit: Run, api: Api, archive: Path, tmp_path: Path
) -> None:
    house.damage(archive / "2009-06-01" / "T1.avro")
    done = nightly(pitaudit, api, archive, tmp_path / "lake")
    assert done.returncode == 1
    said = json.loads(done.stdout)
    assert (said["replayed"], list(said["damaged"])) == (["T2"], ["T1"])
    run = api.last_run("nightly 2009-06-01")
    assert run["state_type"] == "FAILED"
    assert run["state"]["message"].startswith("1 overpaid 50.00 MOP, 1 table damaged; T1: ")
    assert "T1.avro" in run["state"]["message"] and "Traceback" not in api.logs(run["id"])
    assert api.task_states(run["id"]) == [("reconcile 2009-06-01", "COMPLETED"), ("replay T1 to T2", "FAILED")]
    assert [each.table_id for each in runs(tmp_path / "lake")] == ["T2"]
    [page, *_] = api.artifacts(key(tmp_path / "lake", house.DAY))
    assert "## Tables that were not judged" in page and "1 table damaged: T1" in page


def test_a_rerun_does_only_what_changed(pitaudit: Run, api: Api, archive: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    nightly(pitaudit, api, archive, lake)
    house.write(archive, "T1", "dealer+D9", first_seq=26)
    said = json.loads(nightly(pitaudit, api, archive, lake).stdout)
    assert (said["replayed"], said["unchanged"]) == (["T1"], ["T2"])
    assert api.task_states(api.last_run("nightly 2009-06-01")["id"]) == [
        ("reconcile 2009-06-01", "COMPLETED"),
        ("replay T1 to T1", "COMPLETED"),
    ]


def test_a_backfill_is_one_run_of_many_days(pitaudit: Run, api: Api, clean_archive: Path, tmp_path: Path) -> None:
    later = house.DAY + dt.timedelta(days=1)
    house.write(clean_archive, "T1", house.closing("", 0), day=later, first_seq=26)
    lake = tmp_path / "lake"
    ordered = ("backfill", "--archive", clean_archive, "--lake", lake, "--from", "2009-06-01", "--to", "2009-06-02")
    done = pitaudit(*ordered, "--json", PREFECT_API_URL=api.url)
    assert done.returncode == 0, done.stderr
    run = api.last_run("backfill 2009-06-01 to 2009-06-02")
    assert run["state_type"] == "COMPLETED"
    assert len(api.task_states(run["id"], at_least=4)) == 4
    assert len(api.artifacts(key(lake, later))) == 1


Prefect = Callable[..., None]


@pytest.fixture(scope="module")
def deployed(prefect_api: str, tmp_path_factory: pytest.TempPathFactory) -> Prefect:
    """The commands of README with which the flows are deployed, and what runs more of Prefect's commands."""
    prefect, home = Path(sys.executable).with_name("prefect"), tmp_path_factory.mktemp("home")

    def say(*arguments: str) -> None:
        variables = environment(PREFECT_API_URL=prefect_api, PREFECT_HOME=str(home), PWD=str(REPOSITORY))
        subprocess.run(
            [prefect, *arguments], cwd=REPOSITORY, env=variables, check=True, capture_output=True, timeout=600
        )

    say("work-pool", "create", "pitaudit", "--type", "process")
    say("--no-prompt", "deploy", "--all")
    return say


def test_the_deployment_is_scheduled_after_the_gaming_day(deployed: Prefect, api: Api) -> None:
    deployment = api.ask("/deployments/name/nightly/nightly")
    wanted = {
        "deployments": {"id": {"any_": [deployment["id"]]}},
        "flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}},
    }
    scheduled = wait_for(lambda: api.ask("/flow_runs/filter", wanted), 120, every=0.5)
    local = [
        dt.datetime.fromisoformat(run["expected_start_time"]).astimezone(ZoneInfo("Asia/Macau")) for run in scheduled
    ]
    assert {moment.time() for moment in local} == {dt.time(6, 15)}


@pytest.mark.prove
def test_late_runs_judge_the_days_they_were_for_one_after_the_other_and_none_is_cancelled(
    deployed: Prefect, api: Api, archive: Path, tmp_path: Path
) -> None:
    house.write(archive, "T1", house.closing("", 0), day=house.DAY + dt.timedelta(days=1), first_seq=26)
    lake = tmp_path / "lake"
    folders = {"archive": str(archive), "lake": str(lake)}
    mornings = ["2009-06-02T06:15:00+08:00", "2009-06-03T06:15:00+08:00"]  # the worker was away for two days
    nights = [api.schedule("nightly/nightly", morning, folders) for morning in mornings]
    backfill = api.schedule("backfill/backfill", mornings[0], folders | {"first": "2009-06-01", "last": "2009-06-02"})
    deployed("worker", "start", "--pool", "pitaudit", "--type", "process", "--run-once")
    done = {
        run["id"]: run for run in api.ask("/flow_runs/filter", {"flow_runs": {"id": {"any_": [*nights, backfill]}}})
    }
    assert done[backfill]["state_type"] == "COMPLETED" or "absent" in done[backfill]["state"]["message"]
    names = {done[night]["name"]: done[night] for night in nights}
    [(name, first)] = [(name, run) for name, run in names.items() if run["state_type"] in {"COMPLETED", "FAILED"}]
    assert name in {"nightly 2009-06-01", "nightly 2009-06-02"}
    assert (name == "nightly 2009-06-01") == (first["id"] == nights[0])
    [waits] = [run for run in names.values() if run is not first]
    assert waits["state"]["name"] == "AwaitingConcurrencySlot", "the rerun of a day waits; it is not cancelled"
    spans = {run: api.spans(run) for run in (first["id"], backfill)}
    assert all(spans.values())
    for begun, ended in spans[backfill]:
        assert not any(began < ended and begun < end for began, end in spans[first["id"]]), "both judged at once"
    assert [each.table_id for each in runs(lake, house.DAY, house.DAY)] == ["T1", "T2"]


@pytest.mark.parametrize("user", ["", "me:hunter2@"])
def test_a_server_that_does_not_answer_is_reported_in_one_line_without_its_password(
    pitaudit: Run, archive: Path, tmp_path: Path, user: str
) -> None:
    done = nightly(pitaudit, Api(f"http://{user}127.0.0.1:1/api"), archive, tmp_path / "lake")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the Prefect server at http://127.0.0.1:1/api does not answer" in done.stderr
    assert "hunter2" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_text_of_a_log_stays_text() -> None:
    assert escaped("<img src=x>\n|a|[b](c)") == "&lt;img src=x&gt; \\|a\\|\\[b\\]\\(c\\)"


def test_an_error_that_is_known_fails_the_run_in_one_line_and_leaves_no_traceback_in_its_log(
    pitaudit: Run, api: Api, tmp_path: Path
) -> None:
    done = nightly(pitaudit, api, tmp_path / "no-such-archive", tmp_path / "lake")
    assert (done.returncode, done.stdout) == (2, "")
    run = api.last_run("nightly 2009-06-01")
    assert run["state_name"] == "Failed" and "no-such-archive: there is no archive" in run["state"]["message"]
    assert "Traceback" not in api.logs(run["id"]) and "Traceback" not in done.stderr


def test_the_commands_of_readme_start_a_day_and_a_backfill(deployed: Prefect, api: Api) -> None:
    lines = re.findall(
        r"^\$ \.venv/bin/prefect (deployment run .*)$", (REPOSITORY / "README.md").read_text(), re.MULTILINE
    )
    assert len(lines) == 2
    for line, parameters in zip(
        lines, ({"day": "2009-06-01"}, {"first": "2009-06-01", "last": "2009-06-30"}), strict=True
    ):
        deployed(*shlex.split(line))
        deployment = api.ask(f"/deployments/name/{shlex.split(line)[2]}")["id"]
        wanted = {"deployments": {"id": {"any_": [deployment]}}, "sort": "EXPECTED_START_TIME_ASC", "limit": 200}
        assert any(run["parameters"] == parameters for run in api.ask("/flow_runs/filter", wanted))


def test_two_lakes_and_two_days_never_share_an_artifact(tmp_path: Path) -> None:
    day = dt.date(2009, 6, 1)
    lakes = [tmp_path / "a" / "lake", tmp_path / "b" / "lake", tmp_path / "a" / "Lake_2", tmp_path / "澳門"]
    keys = [key(lake, each) for lake in lakes for each in (day, day + dt.timedelta(days=1))]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", each) for each in keys), "Prefect takes no other"


def test_the_link_to_the_report_is_one_that_can_be_opened(tmp_path: Path) -> None:
    day, lake = dt.date(2009, 6, 1), tmp_path / "a lake (1)"
    own, shown = Reports(lake / "reports", None, dt.UTC), Reports(tmp_path, "https://reports.example/pit/", dt.UTC)
    assert own.address(lake, day) == own.file(lake, day).as_uri() and str(own.file(lake, day)) in own.link(lake, day)
    assert shown.link(lake, day) == f"[Report of 2009-06-01](<https://reports.example/pit/{key(lake, day)}.html>)"


def test_no_report_and_no_folder_for_one_comes_into_an_archive(tmp_path: Path) -> None:
    archive, day = tmp_path / "archive", dt.date(2009, 6, 1)
    (archive / ".journal").mkdir(parents=True)
    nothing = Reconciliation(day, (), (), (), (), (), (), (), (), (), {}, None, {})
    with pytest.raises(ReportNotKept, match=r"lies in an archive.*set `reports` in pitaudit\.toml"):
        Reports(archive / "reports", None, dt.UTC).keep(tmp_path / "lake", nothing)
    assert [path.name for path in archive.iterdir()] == [".journal"]
