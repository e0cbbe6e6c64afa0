"""A path that is mistyped, empty, or somebody else's: nothing is judged, taken away or written there, and one line says why."""

from __future__ import annotations

import datetime as dt
import errno
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from analytics.lake import note_day, read_note, run_file, tables_of
from flows.known_errors import message_of
from producers.outputs import is_lake
from producers.recorder import Recorder
from producers.sinks import NotDurable
from producers.sinks.archive import ArchiveSink
from replayer.sources.layout import journals
from schemas.event import Chips, Table
from tests.flows.property import Property, ends
from tests.flows.test_replaced_logs import DAY

NIGHT = ("--day", str(DAY))


def everything_in(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and "lock" not in path.name}


@pytest.mark.parametrize(
    "there",
    ["", ".", ".journal/2009-07-01"],
    ids=["no folder", "an empty mount point", "a mount point at which a recorder began"],
)
@pytest.mark.parametrize(
    "command", [("nightly", *NIGHT), ("backfill", "--from", str(DAY), "--to", str(DAY)), ("nightly",)], ids=" ".join
)
def test_an_archive_that_is_gone_takes_no_verdict_out_of_the_lake(
    command: tuple[str, ...], there: str, judged: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = judged.folder / "gone"
    if there:
        (gone / there).mkdir(parents=True)
    before = everything_in(judged.lake)
    assert ends(*command, "--archive", gone, "--lake", judged.lake) == 2
    assert "check the path, or whether its disk is mounted" in capsys.readouterr().err
    assert tables_of(judged.lake, DAY)
    assert everything_in(judged.lake) == before


@pytest.mark.parametrize("words", [("--archive", "", "--lake", "x"), ("--archive=", "--lake", "x")], ids=" ".join)
def test_a_variable_that_is_not_set_names_no_folder(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ends("nightly", *words) == 2
    assert "the argument of --archive is empty" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("inside", ["", str(DAY), ".journal"])
def test_no_lake_is_made_among_sealed_logs(inside: str, sound: Property, capsys: pytest.CaptureFixture[str]) -> None:
    before = everything_in(sound.archive)
    assert ends("nightly", "--archive", sound.archive, "--lake", sound.archive / inside, *NIGHT) == 2
    assert "which only ever grows" in capsys.readouterr().err
    assert everything_in(sound.archive) == before


def test_no_lake_is_made_around_its_archive(sound: Property, capsys: pytest.CaptureFixture[str]) -> None:
    """A lake in whose name the last folder was forgotten: its files lay beside the archive, and the right one was refused."""
    around = sound.archive.parent
    before = everything_in(around)
    assert ends("nightly", "--archive", sound.archive, "--lake", around, *NIGHT) == 2
    assert f"{around} holds the archive, {sound.archive}: name another folder for the lake" in capsys.readouterr().err
    assert everything_in(around) == before


@pytest.mark.parametrize("inside", ["inner", "data/wagers/inner", "reports/inner"])
def test_no_lake_is_made_in_another(inside: str, clean: Property, capsys: pytest.CaptureFixture[str]) -> None:
    before = everything_in(clean.lake)
    assert ends("nightly", "--archive", clean.archive, "--lake", clean.lake / inside, *NIGHT) == 2
    assert (
        f"{clean.lake / inside} lies in a lake, {clean.lake}: name another folder for the lake"
        in capsys.readouterr().err
    )
    assert everything_in(clean.lake) == before


def test_a_lake_is_written_though_a_stray_one_was_made_above_it(clean: Property) -> None:
    (clean.lake.parent / "lake.duckdb").touch()
    assert ends("nightly", *clean.both, *NIGHT) in (0, 1)


@pytest.mark.parametrize("name", ["archive", "lake", "labels.jsonl", "report.html"])
def test_a_demo_leaves_alone_what_no_demo_made(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where labels lie beside an archive, as a simulation writes them."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "kept").touch()
    assert ends("demo", "--dir", tmp_path) == 2
    assert f"holds {name} that no demo made" in capsys.readouterr().err
    assert (tmp_path / name / "kept").exists()


def test_a_run_that_was_killed_before_it_ended_is_no_damage(
    sound: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    """The memory of a log that was judged is written before its run's manifest."""
    assert ends("nightly", *sound.both, *NIGHT) == 0
    (table, *_) = sorted(tables_of(sound.lake, DAY))
    note = read_note(sound.lake, DAY)
    assert note is not None
    note_day(sound.lake, DAY, replace(note, waiting=(table,)))
    run_file(sound.lake, DAY, table).unlink()
    capsys.readouterr()
    assert ends("nightly", *sound.both, *NIGHT) == 0
    assert "damaged" not in capsys.readouterr().err


def test_days_in_the_wrong_order_are_not_an_empty_answer(judged: Property, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (
        ("sql", "select 1", "--from", "2010-01-01", "--to", "2009-01-01"),
        ("query", "dealer_error_rates", "--param", "first=2010-01-01", "--param", "last=2009-01-01"),
    ):
        assert ends(*command, "--lake", judged.lake) == 2
        assert "swap them" in capsys.readouterr().err


def test_a_table_that_the_archive_does_not_have_is_not_repaired(
    sound: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    before = everything_in(sound.archive)
    assert ends("repair", sound.archive, "--table", "nope") == 2
    assert "has nothing of a table nope" in capsys.readouterr().err
    assert everything_in(sound.archive) == before
    assert not list(sound.archive.rglob("nope*"))


def test_no_archive_is_made_in_a_lake(judged: Property, capsys: pytest.CaptureFixture[str]) -> None:
    before = everything_in(judged.lake)
    assert ends("simulate", "--archive", judged.lake, "--tables", "1", "--rounds", "1") == 2
    assert "is a lake: name another folder for the archive" in capsys.readouterr().err
    assert everything_in(judged.lake) == before


def test_no_table_is_recorded_into_a_lake(judged: Property) -> None:
    before = everything_in(judged.lake)
    with pytest.raises(NotDurable, match="is a lake: name another folder for the archive"):
        Recorder(ArchiveSink(judged.lake), "BJ-07")
    assert everything_in(judged.lake) == before and not journals(judged.lake).exists()


def test_an_archive_in_which_an_earlier_version_made_a_lake_goes_on(judged: Property) -> None:
    (judged.archive / "lake.duckdb").touch()
    table = Recorder(ArchiveSink(judged.archive), "BJ-07")
    opened = Table("black_jack", "MOP", seats=7)
    table.record("TableOpened", at=dt.datetime(2009, 6, 1, 20, tzinfo=dt.UTC), table=opened, chips=Chips(0))
    assert table.flush()
    assert ends("status", "--no-kafka", "--archive", judged.archive, "--lake", judged.lake) in (0, 1)
    assert ends("simulate", "--archive", judged.archive, "--tables", "1", "--rounds", "1", "--day", "2009-06-02") == 0


def test_an_archive_that_may_not_be_read_is_the_sink_s_own_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refuse)
    assert not is_lake(tmp_path)


@pytest.mark.parametrize("named", ["nightly", "replay", "query", "status"])
def test_no_lake_is_made_in_another_archive(
    named: str, sound: Property, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    assert ends("simulate", "--archive", other, "--tables", "1", "--rounds", "1") == 0
    before = everything_in(other)
    words = {
        "nightly": ("--archive", sound.archive, *NIGHT),
        "replay": (sound.archive,),
        "query": ("dealer_error_rates",),
        "status": ("--archive", sound.archive, "--no-kafka"),
    }
    assert ends(named, *words[named], "--lake", other) == 2
    assert f"{other.resolve()} is of an archive, which only ever grows" in capsys.readouterr().err
    assert everything_in(other) == before


def test_a_lake_that_is_named_as_the_archive_is_not_in_order(
    judged: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    for lake in ((), ("--lake", judged.archive)):
        assert ends("status", "--no-kafka", "--archive", judged.lake, *lake) == 2
        assert "is a lake: name another folder for the archive" in capsys.readouterr().err


def test_a_question_with_too_little_memory_says_so(judged: Property, capsys: pytest.CaptureFixture[str]) -> None:
    assert ends("sql", "--lake", judged.lake, "select len(list(x)) from range(1000000) t(x)", "--memory", "1") == 2
    said = capsys.readouterr().err  # of the question, or of the views that it asks: whichever has no room first
    assert "it needs more than 1 MiB of memory and 8 MiB of disk: ask for less, or give it more --memory" in said


def test_a_command_without_a_memory_to_set_is_not_reported_to_set_it() -> None:
    said = message_of(duckdb.OutOfMemoryException("could not allocate block"))
    assert said is not None and said == message_of(MemoryError()) and "--memory" not in said
