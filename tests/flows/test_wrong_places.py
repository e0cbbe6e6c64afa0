"""A path that is mistyped, empty, or somebody else's: nothing is judged, taken away or written there, and one line says why."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from analytics.lake import note_day, read_note, run_file, tables_of
from flows.cli import main
from flows.known_errors import message_of
from tests.flows.test_replaced_logs import DAY

NIGHT = ("--day", str(DAY))


@pytest.fixture
def lake(clean_lake: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(clean_lake, tmp_path / "lake"))


@pytest.fixture
def archive(clean_archive: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(clean_archive, tmp_path / "archive"))


def everything_in(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and "lock" not in path.name}


@pytest.mark.parametrize("there", [False, True], ids=["no folder", "an empty mount point"])
@pytest.mark.parametrize(
    "command", [("nightly", *NIGHT), ("backfill", "--from", str(DAY), "--to", str(DAY)), ("nightly",)], ids=" ".join
)
def test_an_archive_that_is_gone_takes_no_verdict_out_of_the_lake(
    command: tuple[str, ...], there: bool, lake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    if there:
        gone.mkdir()
    before = everything_in(lake)
    assert main([*command, "--archive", str(gone), "--lake", str(lake)]) == 2
    assert "check the path, or whether its disk is mounted" in capsys.readouterr().err
    assert tables_of(lake, DAY)
    assert everything_in(lake) == before


@pytest.mark.parametrize("words", [("--archive", "", "--lake", "x"), ("--archive=", "--lake", "x")], ids=" ".join)
def test_a_variable_that_is_not_set_names_no_folder(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["nightly", *words]) == 2
    assert "an argument is empty" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("inside", ["", str(DAY), ".journal"])
def test_no_lake_is_made_among_sealed_logs(inside: str, archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = everything_in(archive)
    assert main(["nightly", "--archive", str(archive), "--lake", str(archive / inside), *NIGHT]) == 2
    assert "which only ever grows" in capsys.readouterr().err
    assert everything_in(archive) == before


@pytest.mark.parametrize("inside", ["inner", "data/wagers/inner", "reports/inner"])
def test_no_lake_is_made_in_another(inside: str, archive: Path, lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = everything_in(lake)
    assert main(["nightly", "--archive", str(archive), "--lake", str(lake / inside), *NIGHT]) == 2
    assert f"{lake / inside} lies in a lake, {lake}: name another folder for the lake" in capsys.readouterr().err
    assert everything_in(lake) == before


def test_a_lake_is_written_though_a_stray_one_was_made_above_it(archive: Path, lake: Path) -> None:
    (lake.parent / "lake.duckdb").touch()
    assert main(["nightly", "--archive", str(archive), "--lake", str(lake), *NIGHT]) in (0, 1)


@pytest.mark.parametrize("name", ["archive", "lake", "labels.jsonl", "report.html"])
def test_a_demo_leaves_alone_what_no_demo_made(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where labels lie beside an archive, as a simulation writes them."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "kept").touch()
    assert main(["demo", "--dir", str(tmp_path)]) == 2
    assert f"holds {name} that no demo made" in capsys.readouterr().err
    assert (tmp_path / name / "kept").exists()


def test_a_run_that_was_killed_before_it_ended_is_no_damage(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The memory of a log that was judged is written before its run's manifest."""
    lake = tmp_path / "lake"
    assert main(["nightly", "--archive", str(archive), "--lake", str(lake), *NIGHT]) == 0
    (table, *_) = sorted(tables_of(lake, DAY))
    note = read_note(lake, DAY)
    assert note is not None
    note_day(lake, DAY, replace(note, waiting=(table,)))
    run_file(lake, DAY, table).unlink()
    capsys.readouterr()
    assert main(["nightly", "--archive", str(archive), "--lake", str(lake), *NIGHT]) == 0
    assert "damaged" not in capsys.readouterr().err


def test_days_in_the_wrong_order_are_not_an_empty_answer(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (
        ("sql", "select 1", "--from", "2010-01-01", "--to", "2009-01-01"),
        ("query", "dealer_error_rates", "--param", "first=2010-01-01", "--param", "last=2009-01-01"),
    ):
        assert main([*command, "--lake", str(lake)]) == 2
        assert "swap them" in capsys.readouterr().err


def test_a_table_that_the_archive_does_not_have_is_not_repaired(
    archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = everything_in(archive)
    assert main(["repair", str(archive), "--table", "nope"]) == 2
    assert "has nothing of a table nope" in capsys.readouterr().err
    assert everything_in(archive) == before
    assert not list(archive.rglob("nope*"))


def test_no_archive_is_made_in_a_lake(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = everything_in(lake)
    assert main(["simulate", "--archive", str(lake), "--tables", "1", "--rounds", "1"]) == 2
    assert "is a lake: name another folder for the archive" in capsys.readouterr().err
    assert everything_in(lake) == before


def test_a_question_with_too_little_memory_says_so(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "--lake", str(lake), "select len(list(x)) from range(1000000) t(x)", "--memory", "1"]) == 2
    said = capsys.readouterr().err  # of the question, or of the views that it asks: whichever has no room first
    assert "it needs more than 1 MiB of memory and 8 MiB of disk: ask for less, or give it more --memory" in said


def test_a_command_without_a_memory_to_set_is_not_told_to_set_it() -> None:
    said = message_of(duckdb.OutOfMemoryException("could not allocate block"))
    assert said is not None and said == message_of(MemoryError()) and "--memory" not in said
