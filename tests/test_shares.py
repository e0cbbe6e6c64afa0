"""What the tests stand on: no test is lost when they are dealt out, and a forked command is as one that was started."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.commands import PITAUDIT, Commands
from tests.servers import environment
from tests.shares import SERVERS, dealt


def item(name: str, *fixtures: str) -> Any:
    return SimpleNamespace(name=name, fixturenames=fixtures, iter_markers=lambda: iter(()))


@pytest.mark.parametrize("processes", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("others", [0, 1, 5, 100])
def test_every_test_is_dealt_once_and_those_of_a_server_to_one_process(processes: int, others: int) -> None:
    items = [item(f"{fixture} {number}", fixture) for number in range(3) for fixture in SERVERS]
    items = [*items[:5], *(item(f"other {number}") for number in range(others)), *items[5:]]
    order = dealt(items, processes)
    assert sorted(each.name for each in order) == sorted(each.name for each in items)
    for fixture in SERVERS if processes > 1 else ():
        places = [place for place, each in enumerate(order) if fixture in each.fixturenames]
        between = order[places[0] : places[-1]]
        assert all(each.fixturenames for each in between), "they stand together, beside those of other servers"


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (["--version"], {}),
        (["law"], {"COLUMNS": "60"}),
        (["no-such-command"], {}),
        (["replay", "nowhere"], {}),
        (["sql", "--lake", "nowhere", "FROM wagers"], {"PITAUDIT_TIME_ZONE": "no/zone"}),
        (["law"], {"PYTHONIOENCODING": "ascii:backslashreplace"}),
        (["alarms", "--webhook", "http://127.0.0.1:9/"], {"PREFECT_API_URL": "http://127.0.0.1:1/api"}),
    ],
)
def test_a_forked_command_is_as_one_that_was_started(
    commands: Commands, arguments: list[str], variables: dict[str, str], tmp_path: Path
) -> None:
    settled = environment(**variables)
    forked = commands.run(arguments, tmp_path, settled)
    started = subprocess.run(
        [PITAUDIT, *arguments], cwd=tmp_path, env=settled, capture_output=True, text=True, check=False
    )
    assert (forked.returncode, forked.stdout, forked.stderr) == (started.returncode, started.stdout, started.stderr)


def test_a_forked_command_sees_its_own_folder_and_leaves_the_tests_alone(commands: Commands, tmp_path: Path) -> None:
    here = Path.cwd()
    done = commands.run(["simulate", "--archive", "a", "--tables", "1", "--rounds", "2"], tmp_path, environment())
    assert (done.returncode, (tmp_path / "a").is_dir()) == (0, True), done.stderr
    assert Path.cwd() == here
