"""The flows against a real Prefect server: what it stores of good and bad runs, and that a schedule yields runs."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import os
import re
import shlex
import subprocess
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from socketserver import StreamRequestHandler
from typing import Any
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

import pytest

from analytics.lake import DayNote, days_of, runs
from analytics.reconciliation.result import Reconciliation
from flows.artifact import escaped, keep_report, key, report_file, report_link
from flows.cli import through_prefect
from flows.cli.through_prefect import _without_user, answering
from flows.known_errors import CouldNotRun
from flows.settings import Settings
from tests import house
from tests.commands import Commands, Run
from tests.flows.deployed import REPOSITORY, Deployed, Prefect
from tests.flows.property import Property
from tests.servers import NOWHERE, answered_by, ask, prefect_server
from tests.waiting import wait_for

pytestmark = pytest.mark.prefect

PREFECT = find_spec("prefect")
assert PREFECT and PREFECT.origin
ENGINE = Path(PREFECT.origin).with_name("engine.py")
"""What a worker starts for each run, as ``python -m prefect.engine``."""


def task_states(api: Prefect, name: str, days: int = 1) -> list[tuple[str, str]]:
    """The tasks of the last run of a name, one a gaming day, each with what it came to."""
    return sorted((task["name"], task["state_name"]) for task in api.tasks(api.last_run(name)["id"], days))


def spans(api: Prefect, flow_run: str, days: int) -> list[tuple[str, str]]:
    """When each gaming day of a run was judged."""
    return sorted((task["start_time"], task["end_time"]) for task in api.tasks(flow_run, days))


@pytest.fixture(scope="module")
def api(prefect_api: str, prefect_home: Path, commands: Commands) -> Deployed:
    return Deployed(prefect_api, prefect_home, commands)


def nightly(pitaudit: Run, api: Prefect, archive: Path, lake: Path) -> subprocess.CompletedProcess[str]:
    ordered = ("nightly", "--archive", archive, "--lake", lake, "--day", "2009-06-01", "--json")
    return pitaudit(*ordered, PREFECT_API_URL=api.api)


def test_a_run_is_stored_completed_with_its_reconciliation(pitaudit: Run, api: Prefect, pit: Property) -> None:
    done = nightly(pitaudit, api, pit.archive, pit.lake)
    assert done.returncode == 1, done.stderr  # a wrong payment is a finding; the run itself is good
    assert json.loads(done.stdout)["replayed"] == ["T1", "T2"]
    run = api.last_run("nightly 2009-06-01")
    assert run["state_type"] == "COMPLETED"
    assert (run["state_name"], run["state"]["message"]) == ("NotClean", "1 overpaid 50.00 MOP")
    assert task_states(api, "nightly 2009-06-01") == [("judge 2009-06-01", "NotClean")]
    [page, *_] = api.artifacts(key(pit.lake, house.DAY))
    assert "| T2 | fortune\\_3\\_card\\_poker | 1 |" in page
    assert "| T2 | 1 | 1 | OVERPAID | \\+50.00 MOP | 78/2008" in page
    report = Path(unquote(urlsplit(page.split("](<")[1].split(">)")[0]).path))
    assert report.parent == pit.lake / "reports" and "overpaid 50.00 MOP" in report.read_text(encoding="utf-8")


def test_a_broken_table_day_fails_the_run_and_leaves_the_others_done(
    pitaudit: Run, api: Prefect, pit: Property
) -> None:
    house.damage(pit.archive / "2009-06-01" / "T1.avro")
    done = nightly(pitaudit, api, pit.archive, pit.lake)
    assert done.returncode == 1
    said = json.loads(done.stdout)
    assert (said["replayed"], list(said["damaged"])) == (["T2"], ["T1"])
    run = api.last_run("nightly 2009-06-01")
    assert run["state_type"] == "FAILED"
    assert run["state"]["message"].startswith("1 overpaid 50.00 MOP, 1 table damaged; T1: ")
    assert "T1.avro" in run["state"]["message"] and "Traceback" not in "".join(wait_for(lambda: api.lines(run["id"])))
    assert task_states(api, "nightly 2009-06-01") == [("judge 2009-06-01", "Failed")]
    assert [each.table_id for each in runs(pit.lake)] == ["T2"]
    [page, *_] = api.artifacts(key(pit.lake, house.DAY))
    assert "## Tables that were not judged" in page and "1 table damaged: T1" in page


def test_a_rerun_does_only_what_changed(pitaudit: Run, api: Prefect, pit: Property) -> None:
    nightly(pitaudit, api, pit.archive, pit.lake)
    house.write(pit.archive, "T1", "dealer+D9", first_seq=26)
    said = json.loads(nightly(pitaudit, api, pit.archive, pit.lake).stdout)
    assert (said["replayed"], said["unchanged"]) == (["T1"], ["T2"])
    assert task_states(api, "nightly 2009-06-01") == [("judge 2009-06-01", "NotClean")]


def test_a_backfill_is_one_run_of_many_days(pitaudit: Run, api: Prefect, sound: Property) -> None:
    later = house.DAY + dt.timedelta(days=1)
    house.write(sound.archive, "T1", house.closing("", 0), day=later, first_seq=26)
    ordered = ("backfill", *sound.both, "--from", "2009-06-01", "--to", "2009-06-02")
    done = pitaudit(*ordered, "--json", PREFECT_API_URL=api.api)
    assert done.returncode == 0, done.stderr
    run = api.last_run("backfill 2009-06-01 to 2009-06-02")
    assert run["state_type"] == "COMPLETED"
    assert task_states(api, run["name"], days=2) == [
        ("judge 2009-06-01", "Completed"),
        ("judge 2009-06-02", "Completed"),
    ]
    assert len(api.artifacts(key(sound.lake, later))) == 1


@pytest.fixture(scope="module")
def deployed(api: Deployed) -> Deployed:
    api.deploy()
    return api


def test_the_deployment_is_scheduled_after_the_gaming_day(deployed: Deployed) -> None:
    deployment = deployed.ask("/deployments/name/nightly/nightly")
    wanted = {
        "deployments": {"id": {"any_": [deployment["id"]]}},
        "flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}},
    }
    scheduled = wait_for(lambda: deployed.ask("/flow_runs/filter", wanted), 120, every=0.5)
    local = [
        dt.datetime.fromisoformat(run["expected_start_time"]).astimezone(ZoneInfo("Asia/Macau")) for run in scheduled
    ]
    assert {moment.time() for moment in local} == {dt.time(6, 15)}


@pytest.mark.prove
def test_late_runs_judge_the_days_they_were_for_one_after_the_other_and_none_is_cancelled(
    deployed: Deployed, pit: Property
) -> None:
    house.write(pit.archive, "T1", house.closing("", 0), day=house.DAY + dt.timedelta(days=1), first_seq=26)
    folders = {"archive": str(pit.archive), "lake": str(pit.lake)}
    mornings = ["2009-06-02T06:15:00+08:00", "2009-06-03T06:15:00+08:00"]  # the worker was away for two days
    nights = [deployed.order("nightly/nightly", folders, morning) for morning in mornings]
    backfill = deployed.order("backfill/backfill", folders | {"first": "2009-06-01", "last": "2009-06-02"}, mornings[0])
    deployed.say("worker", "start", "--pool", "pitaudit", "--type", "process", "--run-once")
    done = {
        run["id"]: run
        for run in deployed.ask("/flow_runs/filter", {"flow_runs": {"id": {"any_": [*nights, backfill]}}})
    }
    assert done[backfill]["state_type"] == "COMPLETED" or "absent" in done[backfill]["state"]["message"]
    names = {done[night]["name"]: done[night] for night in nights}
    [(name, first)] = [(name, run) for name, run in names.items() if run["state_type"] in {"COMPLETED", "FAILED"}]
    assert name in {"nightly 2009-06-01", "nightly 2009-06-02"}
    assert (name == "nightly 2009-06-01") == (first["id"] == nights[0])
    [waits] = [run for run in names.values() if run is not first]
    assert waits["state"]["name"] == "AwaitingConcurrencySlot", "the rerun of a day waits; it is not cancelled"
    judged = {run: spans(deployed, run, days) for run, days in ((first["id"], 1), (backfill, 2))}  # at least
    assert all(judged.values())
    for begun, ended in judged[backfill]:
        assert not any(began < ended and begun < end for began, end in judged[first["id"]]), "both judged at once"
    assert [each.table_id for each in runs(pit.lake, house.DAY, house.DAY)] == ["T1", "T2"]


def test_a_server_that_does_not_answer_is_reported_in_one_line_without_its_password(
    pitaudit: Run, pit: Property
) -> None:
    address = "http://127.0.0.1:1/api"
    assert _without_user(address) == address
    ordered = ("nightly", *pit.both, "--day", "2009-06-01", "--json")
    done = pitaudit(*ordered, PREFECT_API_URL=NOWHERE)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the Prefect server at http://127.0.0.1:1/api does not answer" in done.stderr
    assert "hunter2" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_server_that_answers_in_drips_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A night hung on it as long as it dripped."""
    from prefect.settings import PREFECT_API_URL, temporary_settings  # noqa: PLC0415 - seconds, for this test alone

    def drip(client: StreamRequestHandler) -> None:
        for drop in itertools.chain(b"HTTP/1.1 200 OK\r\nserver: ", itertools.repeat(b"."[0], 300)):
            client.wfile.write(bytes([drop]))
            time.sleep(0.1)

    with answered_by(drip) as server:
        address = f"{server}/api"
        monkeypatch.setenv("PREFECT_API_URL", address)
        monkeypatch.setattr(through_prefect, "PATIENCE", 1.0)
        wanted = rf"the Prefect server at {address} does not answer \(in 1 seconds it did not say that it is well\)"
        with temporary_settings({PREFECT_API_URL: address}), pytest.raises(CouldNotRun, match=wanted), answering():
            raise AssertionError("it was waited for")


def test_text_of_a_log_stays_text() -> None:
    assert escaped("<img src=x>\n|a|[b](c)") == "&lt;img src=x&gt; \\|a\\|\\[b\\]\\(c\\)"


def test_an_error_that_is_known_fails_the_run_in_one_line_and_leaves_no_traceback_in_its_log(
    pitaudit: Run, api: Prefect, tmp_path: Path
) -> None:
    done = nightly(pitaudit, api, tmp_path / "no-such-archive", tmp_path / "lake")
    assert (done.returncode, done.stdout) == (2, "")
    run = api.last_run("nightly 2009-06-01")
    assert run["state_name"] == "Failed" and "no-such-archive: there is no archive" in run["state"]["message"]
    assert "Traceback" not in "".join(wait_for(lambda: api.lines(run["id"]))) and "Traceback" not in done.stderr


def test_the_commands_of_readme_start_a_day_and_a_backfill(deployed: Deployed) -> None:
    lines = re.findall(
        r"^\$ \.venv/bin/prefect (deployment run .*)$", (REPOSITORY / "README.md").read_text(), re.MULTILINE
    )
    assert len(lines) == 2
    for line, parameters in zip(
        lines, ({"day": "2009-06-01"}, {"first": "2009-06-01", "last": "2009-06-30"}), strict=True
    ):
        deployed.say(*shlex.split(line))
        deployment = deployed.ask(f"/deployments/name/{shlex.split(line)[2]}")["id"]
        wanted = {"deployments": {"id": {"any_": [deployment]}}, "sort": "EXPECTED_START_TIME_ASC", "limit": 200}
        assert any(run["parameters"] == parameters for run in deployed.ask("/flow_runs/filter", wanted))


TASKS_OF_A_NIGHT = """
import os
from prefect import flow, task
from replayer.processes.spread import keeping_workers, spread

@task
def other_process():
    other, _ = spread(eval, ["__import__('os').getpid()"] * 2, 2, taking_part=True)
    return other

@flow
def night():
    with keeping_workers():
        return [other_process() for _ in range(2)]

if __name__ == "__main__":
    first, second = night()
    assert first == second != os.getpid()
"""


def test_the_tasks_of_a_night_share_its_processes(api: Prefect, commands: Commands, tmp_path: Path) -> None:
    script = tmp_path / "night.py"
    script.write_text(TASKS_OF_A_NIGHT, encoding="utf-8")
    done = commands.run([], tmp_path, api.variables(), script)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("value", [-5, 1e9])
@pytest.mark.parametrize("name", ["wait", "wait_for_sealing"])
def test_a_deployed_night_waits_no_other_seconds_than_the_command(name: str, value: float) -> None:
    from prefect.exceptions import ParameterTypeError  # noqa: PLC0415 - only the process of this test pays for Prefect

    from flows.nightly import nightly as night  # noqa: PLC0415

    with pytest.raises(ParameterTypeError, match=name):
        night.validate_parameters({name: value})


@pytest.mark.prove
def test_what_a_run_has_taken_of_the_server_is_freed_though_the_server_was_restarted(tmp_path: Path) -> None:
    """It was kept in the server's memory: after a restart in the middle of a run, no run ever had its turn again."""
    from flows.nightly import LEASE_SECONDS, LIMIT  # noqa: PLC0415 - only the process of this test pays for Prefect

    limit = {"name": LIMIT, "limit": 1}
    with prefect_server(tmp_path) as api:
        ask(api, "/v2/concurrency_limits/", limit)
        taken = {"slots": 1, "names": [LIMIT], "mode": "concurrency", "lease_duration": LEASE_SECONDS}
        ask(api, "/v2/concurrency_limits/increment-with-lease", taken)
    with prefect_server(tmp_path) as api:
        wait_for(lambda: ask(api, f"/v2/concurrency_limits/{LIMIT}")["active_slots"] == 0, 4 * LEASE_SECONDS, every=2)


def test_two_lakes_and_two_days_never_share_an_artifact(tmp_path: Path) -> None:
    day = dt.date(2009, 6, 1)
    lakes = [tmp_path / "a" / "lake", tmp_path / "b" / "lake", tmp_path / "a" / "Lake_2", tmp_path / "澳門"]
    keys = [key(lake, each) for lake in lakes for each in (day, day + dt.timedelta(days=1))]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", each) for each in keys), "Prefect takes no other"


def test_the_link_to_the_report_is_one_that_can_be_opened(tmp_path: Path) -> None:
    day, lake = dt.date(2009, 6, 1), tmp_path / "a lake (1)"
    own, shown = Settings(), Settings(reports=tmp_path, reports_url="https://reports.example/pit/")
    file = report_file(own, lake, day)
    assert file.parent == lake / "reports" and report_file(shown, lake, day).parent == tmp_path
    assert report_link(own, lake, day) == f"[Report of 2009-06-01](<{file.as_uri()}>): `{file}`"
    assert (
        report_link(shown, lake, day) == f"[Report of 2009-06-01](<https://reports.example/pit/{key(lake, day)}.html>)"
    )


def test_no_report_and_no_folder_for_one_comes_into_an_archive(empty: Property) -> None:
    day = dt.date(2009, 6, 1)
    (empty.archive / ".journal").mkdir(parents=True)
    nothing = Reconciliation(day, (), (), (), (), (), (), (), (), (), {}, DayNote(None), {})
    with pytest.raises(CouldNotRun, match=r"lies in an archive.*set `reports` in pitaudit\.toml"):
        keep_report(Settings(reports=empty.archive / "reports"), empty.lake, nothing)
    assert [path.name for path in empty.archive.iterdir()] == [".journal"]


# The log of a deployed run


@pytest.fixture
def run(api: Prefect, commands: Commands) -> Callable[..., tuple[dict[str, Any], list[str], str]]:
    """Runs a day as a worker's process does; the run as the server knows it then, its log, and the process's output."""
    flow = api.ask("/flows/", {"name": "nightly"})["id"]
    deployment = {"flow_id": flow, "entrypoint": "flows/nightly.py:nightly", "path": str(REPOSITORY)}

    def made(name: str, **parameters: Any) -> tuple[dict[str, Any], list[str], str]:
        api.ask("/deployments/", {"name": name, **deployment})
        flow_run = api.order(
            f"nightly/{name}", {key: str(value) for key, value in parameters.items()}, "2009-06-02T06:15:00+08:00"
        )
        done = commands.run([flow_run], REPOSITORY, api.variables(), ENGINE)
        return api.run(flow_run), api.logs(flow_run), done.stdout + done.stderr

    return made


def test_a_run_that_failed_on_purpose_ends_its_log_with_our_sentence(run: Callable[..., Any], pit: Property) -> None:
    house.damage(pit.archive / "2009-06-01" / "T1.avro")
    there, log, output = run("ends-damaged", archive=pit.archive, lake=pit.lake, day=house.DAY)
    assert there["state_name"] == "Failed"
    assert log[-1] == there["state"]["message"] and log[-1].startswith("1 overpaid 50.00 MOP, 1 table damaged; T1: ")
    for said in (*log, output):
        assert "Traceback" not in said and "NoneType: None" not in said and "unexpected exception" not in said


def test_a_run_that_cannot_begin_ends_its_log_with_one_line(run: Callable[..., Any], tmp_path: Path) -> None:
    there, log, output = run("ends-nowhere", archive=tmp_path / "none", lake=tmp_path / "lake", day=house.DAY)
    assert there["state_name"] == "Failed"
    assert log[-1] == there["state"]["message"] and "there is no archive" in log[-1]
    assert "Traceback" not in output


def test_a_scheduled_run_on_a_machine_whose_clock_went_back_judges_no_older_day(
    run: Callable[..., Any], pit: Property
) -> None:
    note = pit.lake / "days" / "2009-06-02.json"
    note.parent.mkdir(parents=True)
    note.touch()
    in_two_days = dt.datetime.now(dt.UTC).timestamp() + 2 * 86_400
    os.utime(note, (in_two_days, in_two_days))
    there, log, _ = run("ends-with-its-clock", archive=pit.archive, lake=pit.lake)
    assert there["state_name"] == "Failed" and log[-1] == there["state"]["message"]
    assert "set the clock right" in log[-1]
    assert not (pit.lake / "data").exists()


def test_a_report_that_cannot_be_written_keeps_no_day_from_being_judged_and_nothing_from_being_reported(
    run: Callable[..., Any], pit: Property
) -> None:
    """The night ended at the first such report: each night judged one day more, and said of none what was found."""
    house.write(pit.archive, "T3", house.SOUND, dt.date(2009, 5, 31))
    pit.lake.mkdir()
    (pit.lake / "reports").write_text("no folder")
    there, log, _ = run("ends-unreported", archive=pit.archive, lake=pit.lake)
    assert there["state_name"] == "Failed"
    assert log[-1] == there["state"]["message"]
    for said in (
        "1 overpaid 50.00 MOP",
        "T3: absent",
        "reconciliation-2009-05-31-lake",
        "reconciliation-2009-06-01-lake",
    ):
        assert said in log[-1]
    assert days_of(pit.lake, None, None) == [dt.date(2009, 5, 31), house.DAY]


@pytest.mark.prove
def test_an_error_that_nobody_foresaw_keeps_its_traceback(run: Callable[..., Any], tmp_path: Path) -> None:
    there, log, _ = run("ends-unforeseen", archive=tmp_path, lake=tmp_path / "lake", day="no day")
    assert there["state_type"] == "FAILED" and any("Traceback" in line for line in log)
