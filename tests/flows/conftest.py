"""Archives of a house, the command as a user runs it, and a real Prefect server."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flows.cli import main
from flows.runs import run_nightly
from tests import house
from tests.commands import Commands, Run
from tests.flows.property import Property
from tests.renderer import one_renderer, waiting_renderer  # noqa: F401 (fixtures)
from tests.servers import environment, prefect_server


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Two tables of one gaming day: T1 paid right, at T2 the house overpaid a raise by 50."""
    folder = tmp_path / "archive"
    house.write(folder, "T1", house.SOUND)
    house.write(folder, "T2", house.WRONG)
    return folder


@pytest.fixture(scope="session")
def judged_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with such an archive and its lake, to be copied before they are touched."""
    folder = tmp_path_factory.mktemp("judged")
    house.write(folder / "archive", "T1", house.SOUND)
    house.write(folder / "archive", "T2", house.WRONG)
    run_nightly(folder / "archive", folder / "lake", house.DAY, show=True)
    return folder


@pytest.fixture
def lake(judged_once: Path, tmp_path: Path) -> Path:
    """The lake of :func:`archive` after a night."""
    return Path(shutil.copytree(judged_once / "lake", tmp_path / "lake"))


@pytest.fixture(scope="session")
def clean_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lake of :func:`clean_archive` after a night, to be copied before it is touched."""
    folder = tmp_path_factory.mktemp("clean")
    house.write(folder / "archive", "T1", house.SOUND)
    run_nightly(folder / "archive", folder / "lake", house.DAY, show=True)
    return folder / "lake"


@pytest.fixture
def clean_archive(tmp_path: Path) -> Path:
    """One table whose payments and chips agree with the law."""
    folder = tmp_path / "clean"
    house.write(folder, "T1", house.SOUND)
    return folder


@pytest.fixture
def empty(tmp_path: Path) -> Property:
    """A property that has neither archive nor lake yet."""
    return Property(tmp_path)


@pytest.fixture
def pit(archive: Path) -> Property:
    """The property of :func:`archive`, before its night."""
    return Property(archive.parent)


@pytest.fixture
def judged(pit: Property, lake: Path) -> Property:
    """The same after it."""
    return pit


@pytest.fixture
def sound(tmp_path: Path) -> Property:
    """A property of one table whose payments and chips agree with the law, before its night."""
    house.write(tmp_path / "archive", "T1", house.SOUND)
    return Property(tmp_path)


@pytest.fixture
def clean(sound: Property, clean_lake: Path) -> Property:
    """The same after it."""
    shutil.copytree(clean_lake, sound.lake)
    return sound


@pytest.fixture(scope="session")
def prefect_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Prefect's commands keep what they know."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def pitaudit(tmp_path: Path, commands: Commands, prefect_home: Path) -> Run:
    """The installed command, run in an empty folder, with no settings of the machine."""
    here = tmp_path / "cwd"
    here.mkdir()

    def run(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        if "PREFECT_API_URL" in variables:
            variables = {"PREFECT_HOME": str(prefect_home), **variables}
        return commands.run([str(each) for each in arguments], here, environment(**variables))

    return run


@pytest.fixture
def inside(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line in this process, as :func:`pitaudit` otherwise: what it says and how it ends, many times faster."""
    here = tmp_path / "cwd"
    here.mkdir()

    def run(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
        words = [str(each) for each in arguments]
        with monkeypatch.context() as settled:
            settled.chdir(here)
            for name in os.environ.keys() - environment().keys():
                settled.delenv(name)
            for name, value in variables.items():
                settled.setenv(name, value)
            code = main(words)
        return subprocess.CompletedProcess(words, code, *capsys.readouterr())

    return run


@pytest.fixture
def command(inside: Run) -> Callable[..., tuple[int, str, str]]:
    """The same as exit code, standard output and standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        done = inside(*arguments)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture(scope="session")
def prefect_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The API's address of a real Prefect server of this session, on a free loopback port, with a home of its own."""
    with prefect_server(tmp_path_factory.mktemp("prefect")) as url:
        yield url
