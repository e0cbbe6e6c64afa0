"""An import that is killed at any moment: the archive has all of it or none, and running it again ends with the same bytes.

A child process imports several tables and days and is killed at each of its steps on the disk, one after the other.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from flows.cli import main
from producers.mapping import import_log
from producers.recorder import Recorder
from producers.sinks import SinkBusy
from producers.sinks.archive import ArchiveSink
from producers.sinks.batch import Batch
from replayer.sources.archive import read_table_day
from replayer.sources.table_days import TableDayRef, table_days, under_import, unsealed
from schemas.event import Chips, Table
from tests.archives import files_in
from tests.shares import few

LOG = """table,day,game,spot,cards,dealer,bet,net
T1,2026-01-05,1,1,Th 9c,9h Td,10,0
T1,2026-01-05,2,1,Th 8c,9h Td,10,-10
T1,2026-01-06,1,1,Ah Kc,9h Td,10,15
T2,2026-01-05,1,1,Th Xx,9h Td,10,0
T2,2026-01-05,2,1,Th 9c,9h Td,10,0
"""
MAP = """
[source]
row = "hand"
on_bad_row = "quarantine"
[columns]
table = "table"
day = "day"
round = "game"
seat = "spot"
cards = "cards"
bank = "dealer"
stake = "bet"
result = "net"
[table]
"""
TABLE_DAYS = [("T1", "2026-01-05"), ("T2", "2026-01-05"), ("T1", "2026-01-06")]
OPENED = dt.datetime(2026, 1, 7, 12, tzinfo=dt.UTC)
MOST_STEPS = 500
SHARES = 6
STEPS = frozenset(
    {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.truncate", "fcntl.flock", "shutil.rmtree"}
)


@pytest.fixture(autouse=True, scope="module")
def no_waiting_for_the_disk() -> Iterator[None]:
    """A kill loses nothing that was written, unlike a power cut."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a log and its map."""
    folder = tmp_path_factory.mktemp("killed")
    (folder / "log.csv").write_text(LOG)
    (folder / "map.toml").write_text(MAP)
    return folder


@pytest.fixture(scope="module")
def calm(files: Path) -> Path:
    """The archive of an import that nobody disturbed."""
    bring_in(files, files / "calm")
    return files / "calm"


@pytest.fixture(scope="module", params=few(range(SHARES), 1))
def killed(files: Path, request: pytest.FixtureRequest) -> dict[int, Path]:
    """The archives of imports that were killed, by the step before which they were: one share of all steps, in order."""
    archives: dict[int, Path] = {}
    for step in range(request.param + 1, MOST_STEPS, SHARES):
        archive = files / f"killed-{step}"
        if in_child(dying_at(step, archive, lambda archive=archive: bring_in(files, archive))):  # type: ignore[misc]
            return archives
        archives[step] = archive
    pytest.fail("the import never ended")


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[Path], Path]:
    """Copies an archive, for a test that goes on with it."""
    return lambda archive: (
        shutil.copytree(archive, tmp_path / archive.name) if archive.exists() else tmp_path / archive.name
    )


def bring_in(files: Path, archive: Path) -> None:
    import_log(files / "log.csv", files / "map.toml", archive)


def in_child(work: Callable[[], None], killed: Callable[[int], None] | None = None) -> bool:
    """Run something in a child process; whether it lived to its end."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    if killed is not None:
        killed(child)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the import failed before it was killed"
    return not os.WIFSIGNALED(status)


def dying_at(step: int, archive: Path, work: Callable[[], None]) -> Callable[[], None]:
    """The work, killed right before its n-th step on the archive's files."""

    def run() -> None:
        seen = 0

        def count(name: str, arguments: tuple[object, ...]) -> None:
            nonlocal seen
            if name not in STEPS or (name in ("open", "os.rename") and str(archive) not in str(arguments[0])):
                return
            seen += 1
            if seen == step:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        work()

    return run


def content(archive: Path) -> dict[str, bytes]:
    """What an archive holds, its lock files and their folders left out."""
    return files_in(archive, "lock")


def seen(archive: Path) -> list[tuple[str, str]]:
    return [(ref.table_id, ref.gaming_day.isoformat()) for ref in table_days(archive)]


Copy = Callable[[Path], Path]


def test_killed_at_any_step_an_import_is_there_whole_or_not_at_all_and_a_rerun_ends_with_the_same_bytes(
    files: Path, calm: Path, killed: dict[int, Path], copy: Copy
) -> None:
    whole = seen(calm)
    assert sorted(whole) == sorted(TABLE_DAYS)
    views = set()
    for step, archive in ((step, copy(archive)) for step, archive in killed.items()):
        view = seen(archive)
        assert view in ([], whole), f"half an import is read when it is killed at step {step}"
        for ref in table_days(archive):
            assert read_table_day(ref).events.height
        views.add((bool(view), bool(under_import(archive))))
        bring_in(files, archive)
        assert content(archive) == content(calm), f"killed at step {step}"
        assert not under_import(archive)
    assert len(killed) > 60 // SHARES
    assert views == {(False, False), (False, True), (True, False)}


def test_killed_at_random_moments(files: Path, calm: Path, tmp_path: Path) -> None:
    dice = random.Random(9)
    for number in range(12):
        archive = tmp_path / f"archive-{number}"

        def strike(child: int) -> None:
            time.sleep(dice.uniform(0, 0.05))
            os.kill(child, signal.SIGKILL)  # nobody has waited for it yet, so the number is still its own

        in_child(lambda archive=archive: bring_in(files, archive), strike)  # type: ignore[misc]
        assert seen(archive) in ([], seen(calm))
        bring_in(files, archive)
        assert content(archive) == content(calm)


def test_an_import_on_its_way_is_reported_as_not_sealed(killed: dict[int, Path]) -> None:
    waiting = next(archive for archive in killed.values() if under_import(archive))
    assert table_days(waiting) == []
    assert sorted((ref.table_id, ref.gaming_day.isoformat()) for ref in unsealed(waiting)) == sorted(TABLE_DAYS)


def test_a_killed_import_is_not_replayed_and_the_command_says_what_to_do(
    killed: dict[int, Path], copy: Copy, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = copy(next(one for one in killed.values() if under_import(one)))
    assert main(["replay", str(archive)]) == 2
    assert "3 are under way and not sealed, or of an import to be run again" in capsys.readouterr().err
    with closing(ArchiveSink(archive)) as sink:
        recorder = Recorder(sink, "T9")
        recorder.record("TableOpened", table=Table("black_jack", "MOP", seats=7), chips=Chips(1), at=OPENED)
        recorder.seal(dt.date(2026, 1, 7))
    assert main(["replay", str(archive), "--json"]) == 1
    said = capsys.readouterr()
    assert "an import of 3 table-days" in said.err
    assert json.loads(said.out)["table_days"] == 1


def test_a_killed_import_that_another_map_follows_leaves_nothing_behind(
    files: Path, killed: dict[int, Path], copy: Copy, tmp_path: Path
) -> None:
    """What was not brought in yet was never there, so another reading of the log is no contradiction to it."""
    archive = copy([one for one in killed.values() if not seen(one) and not under_import(one)][-1])
    (tmp_path / "log.csv").write_text(LOG)
    (tmp_path / "map.toml").write_text(MAP.replace("[table]", '[table]\ncurrency = "HKD"'))
    bring_in(tmp_path, tmp_path / "calm")
    bring_in(tmp_path, archive)
    assert content(archive) == content(tmp_path / "calm")


def test_a_recorder_that_opens_a_table_of_a_killed_import_goes_on_behind_its_numbers(
    files: Path, calm: Path, killed: dict[int, Path], copy: Copy
) -> None:
    """Two events of one table must never have one number."""
    waiting = [copy(archive) for archive in killed.values() if under_import(archive)]
    with closing(ArchiveSink(calm)) as sink:
        last = sink.last_seq("T1")
    for archive in waiting:
        with closing(ArchiveSink(archive)) as sink:
            assert sink.last_seq("T1") == last
            assert table_days(archive) == []  # the other tables are still on their way
        bring_in(files, archive)
        assert content(archive) == content(calm)
    assert waiting


def test_two_imports_at_once(files: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    refusal = f"another import into .* is being written by process {os.getpid()}"
    with closing(ArchiveSink(archive)) as sink, Batch(sink), pytest.raises(SinkBusy, match=refusal):
        bring_in(files, archive)
    assert content(archive) == {}
    bring_in(files, archive)


def test_a_table_that_a_recorder_holds_takes_no_import(files: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    with closing(ArchiveSink(archive)) as sink:
        recorder = Recorder(sink, "T2")
        recorder.record(
            "TableOpened", table=Table("black_jack", "MOP", seats=7), chips=Chips(1), gaming_day=dt.date(2026, 1, 7)
        )
        recorder.flush()
        before = content(archive)
        with pytest.raises(SinkBusy, match=r"table T2 .* is being written by process"):
            bring_in(files, archive)
        assert content(archive) == before
    bring_in(files, archive)
    assert sorted(seen(archive)) == sorted(TABLE_DAYS)
    assert unsealed(archive) == [TableDayRef(dt.date(2026, 1, 7), "T2", archive)]
