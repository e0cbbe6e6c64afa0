"""The log of a deployed run ends with our sentence, whatever the run came to: Prefect's own traceback stands nowhere in it."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analytics.lake import days_of
from tests import house
from tests.flows.deployed import REPOSITORY, Deployed

pytestmark = pytest.mark.prefect


@pytest.fixture
def run(prefect_api: str, tmp_path: Path) -> Callable[..., tuple[dict[str, Any], list[str], str]]:
    """Runs a day as a worker's process does; the run as the server knows it then, its log, and the process's output."""
    server = Deployed(prefect_api, tmp_path)
    flow = server.ask("/flows/", {"name": "nightly"})["id"]
    deployment = {"flow_id": flow, "entrypoint": "flows/nightly.py:nightly", "path": str(REPOSITORY)}

    def made(name: str, **parameters: Any) -> tuple[dict[str, Any], list[str], str]:
        server.ask("/deployments/", {"name": name, **deployment})
        flow_run = server.order(
            f"nightly/{name}", {key: str(value) for key, value in parameters.items()}, "2009-06-02T06:15:00+08:00"
        )
        engine = [sys.executable, "-m", "prefect.engine", flow_run]
        done = subprocess.run(
            engine, cwd=REPOSITORY, env=server.variables(), capture_output=True, text=True, timeout=300, check=False
        )
        return server.run(flow_run), server.logs(flow_run), done.stdout + done.stderr

    return made


def test_a_run_that_failed_on_purpose_ends_its_log_with_our_sentence(
    run: Callable[..., Any], archive: Path, tmp_path: Path
) -> None:
    house.damage(archive / "2009-06-01" / "T1.avro")
    there, log, output = run("ends-damaged", archive=archive, lake=tmp_path / "lake", day=house.DAY)
    assert there["state_name"] == "Failed"
    assert log[-1] == there["state"]["message"] and log[-1].startswith("1 overpaid 50.00 MOP, 1 table damaged; T1: ")
    for said in (*log, output):
        assert "Traceback" not in said and "NoneType: None" not in said and "unexpected exception" not in said


def test_a_run_that_cannot_begin_ends_its_log_with_one_line(run: Callable[..., Any], tmp_path: Path) -> None:
    there, log, output = run("ends-nowhere", archive=tmp_path / "none", lake=tmp_path / "lake", day=house.DAY)
    assert there["state_name"] == "Failed"
    assert log[-1] == there["state"]["message"] and "there is no archive" in log[-1]
    assert "Traceback" not in output


def test_a_report_that_cannot_be_written_keeps_no_day_from_being_judged_and_nothing_from_being_told(
    run: Callable[..., Any], archive: Path, tmp_path: Path
) -> None:
    """The night ended at the first such report: each night judged one day more, and said of none what was found."""
    house.write(archive, "T3", house.SOUND, dt.date(2009, 5, 31))
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "reports").write_text("no folder")
    there, log, _ = run("ends-unreported", archive=archive, lake=lake)
    assert there["state_name"] == "Failed"
    assert log[-1] == there["state"]["message"]
    for said in (
        "1 overpaid 50.00 MOP",
        "T3: absent",
        "reconciliation-2009-05-31-lake",
        "reconciliation-2009-06-01-lake",
    ):
        assert said in log[-1]
    assert days_of(lake, None, None) == [dt.date(2009, 5, 31), house.DAY]


@pytest.mark.prove
def test_an_error_that_nobody_foresaw_keeps_its_traceback(run: Callable[..., Any], tmp_path: Path) -> None:
    there, log, _ = run("ends-unforeseen", archive=tmp_path, lake=tmp_path / "lake", day="no day")
    assert there["state_type"] == "FAILED" and any("Traceback" in line for line in log)
