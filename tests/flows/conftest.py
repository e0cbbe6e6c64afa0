"""Archives written down in the notation, the command as a user runs it, and a real Prefect server."""

from __future__ import annotations

import datetime as dt
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flows.cli import main
from flows.runs import run_nightly
from producers.sinks.archive import ArchiveSink
from schemas.codec import encode
from schemas.notation import parse_events
from tests.commands import Commands
from tests.servers import environment, prefect_server

DAY = dt.date(2009, 6, 1)

OPEN = "open:fortune_3_card_poker:MOP:7=500000 dealer+D1"
DEAL = (
    "shuffle:{n}:machine:1 #{n} 1.ante=100@p1 nomore 1-Kd 1-Kh 1-4c B-Qs B-8d B-3c 1.raise@p1 1.raise=100@p1 "
    "1^Kd 1^Kh 1^4c B^Qs B^8d B^3c 1.ante>{ante}@p1 1.raise>{raise_}@p1 end #-"
)
RIGHT = DEAL.format(n=1, ante="+100", raise_="+100")
OVERPAID = DEAL.format(n=1, ante="+100", raise_="+150")


UNDER_WAY = f"{OPEN} {RIGHT}"


def write_table_day(
    archive: Path, table_id: str, text: str, day: dt.date = DAY, first_seq: int = 1, *, sealed: bool = True
) -> int:
    """Record a table-day and, unless told otherwise, seal it; its last ``seq``."""
    sink = ArchiveSink(archive)
    seq = first_seq - 1
    for event in parse_events(text, table_id=table_id, gaming_day=day, first_seq=first_seq):
        sink.append(table_id, day, event.seq, encode(event))
        seq = event.seq
    if sealed:
        sink.seal(table_id, day)
    else:
        sink.flush()
    sink.close()
    return seq


def closing(text: str, won_by_players: int) -> str:
    """A whole table-day around rounds: the tray closes with what the players left in it."""
    return f"{OPEN} {text} dealer-D1 close={500000 - won_by_players} drop=0"


def damage(file: Path, position: int = 700) -> None:
    """Flip one bit of a file."""
    data = bytearray(file.read_bytes())
    data[position] ^= 1
    file.write_bytes(data)


class House:
    """The builders above, as one fixture."""

    DAY = DAY
    RIGHT = RIGHT
    OVERPAID = OVERPAID
    OPEN = OPEN
    UNDER_WAY = UNDER_WAY
    closing = staticmethod(closing)
    write = staticmethod(write_table_day)
    damage = staticmethod(damage)
    environment = staticmethod(lambda **variables: environment(variables))


@pytest.fixture(scope="session")
def house() -> type[House]:
    return House


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Two tables of one gaming day: T1 paid right, at T2 the house overpaid a raise by 50."""
    folder = tmp_path / "archive"
    write_table_day(folder, "T1", closing(RIGHT, 200))
    write_table_day(folder, "T2", closing(OVERPAID, 250))
    return folder


@pytest.fixture(scope="session")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with such an archive and its lake, to be copied before they are touched."""
    folder = tmp_path_factory.mktemp("judged")
    write_table_day(folder / "archive", "T1", closing(RIGHT, 200))
    write_table_day(folder / "archive", "T2", closing(OVERPAID, 250))
    run_nightly(folder / "archive", folder / "lake", DAY, show=True)
    return folder


@pytest.fixture
def lake(judged: Path, tmp_path: Path) -> Path:
    """The lake of :func:`archive` after a night."""
    return Path(shutil.copytree(judged / "lake", tmp_path / "lake"))


@pytest.fixture(scope="session")
def clean_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lake of :func:`clean_archive` after a night, to be copied before it is touched."""
    folder = tmp_path_factory.mktemp("clean")
    write_table_day(folder / "archive", "T1", closing(RIGHT, 200))
    run_nightly(folder / "archive", folder / "lake", DAY, show=True)
    return folder / "lake"


@pytest.fixture
def clean_archive(tmp_path: Path) -> Path:
    """One table whose payments and chips agree with the law."""
    folder = tmp_path / "clean"
    write_table_day(folder, "T1", closing(RIGHT, 200))
    return folder


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def commands() -> Iterator[Commands]:
    """What runs the installed command without importing everything anew."""
    running = Commands()
    yield running
    running.end()


@pytest.fixture
def pitaudit(tmp_path: Path, commands: Commands) -> Run:
    """The installed command, run in an empty folder, with no settings of the machine."""
    here = tmp_path / "cwd"
    here.mkdir()

    def run(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        return commands.run([str(each) for each in arguments], here, environment(variables))

    return run


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """The command line in this process: exit code, standard output, standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = main([str(each) for each in arguments])
        return code, *capsys.readouterr()

    return run


@pytest.fixture(scope="session")
def prefect_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The API's address of a real Prefect server of this session, on a free loopback port, with a home of its own."""
    with prefect_server(tmp_path_factory.mktemp("prefect")) as url:
        yield url
