"""Every command is run into each exit code that README and help say it has; they say it from one source."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analytics.lake.parts import part_file
from flows.cli import command_line, main
from flows.cli.command_line import COMMANDS, EXITS, FOUND_BY
from flows.cli.terminal import CLEAN, COULD_NOT_RUN, FOUND, INTERRUPTED
from flows.settings import SettingsRefused, load
from producers.sinks.archive import ArchiveSink
from producers.spool import TableSpool, segments, spool_id
from replayer.processes.spread import spread
from schemas.codec import encode
from schemas.notation import parse_events
from tests import house
from tests.commands import PITAUDIT
from tests.servers import environment
from tests.waiting import wait_for

REPOSITORY = Path(__file__).parents[2]
DAY = "2009-06-01"
OF_A_SERVER = {"topic", "archive", "alarms", "spool drain --stranded"}
"""Commands whose other exit codes need a server: their own tests run them into those."""

CASES: dict[tuple[str, int], str] = {
    ("simulate", CLEAN): "simulate --archive {new}/a --tables 1 --rounds 1",
    ("simulate", COULD_NOT_RUN): "simulate --archive {file} --tables 1 --rounds 1",
    ("import", CLEAN): "import {new}/log.csv --map {new}/log.toml --archive {new}/b",
    ("import", FOUND): "import {new}/gap.csv --map {new}/log.toml --archive {new}/c",
    ("import", COULD_NOT_RUN): "import {missing} --map {new}/log.toml --archive {new}/d",
    ("status", CLEAN): "status --archive {clean}",
    ("status", FOUND): "status --archive {damaged}",
    ("status", COULD_NOT_RUN): "status --archive {missing}",
    ("repair", CLEAN): "repair {clean} --table T1",
    ("repair", FOUND): "repair {damaged} --table T9",
    ("repair", COULD_NOT_RUN): "repair {missing} --table T1",
    ("spool", CLEAN): "spool status {new}/empty",
    ("spool status", FOUND): "spool status {spool}",
    ("spool repair", FOUND): "spool repair {damaged_spool}",
    ("spool", COULD_NOT_RUN): "spool status {missing}",
    ("replay", CLEAN): "replay {clean}",
    ("replay", FOUND): "replay {wrong}",
    ("replay", COULD_NOT_RUN): "replay {missing}",
    ("explain", CLEAN): "explain {clean} --table T1 --round 1",
    ("explain", FOUND): "explain {wrong} --table T2 --round 1",
    ("explain", COULD_NOT_RUN): "explain {wrong} --table T2 --round 7",
    ("nightly", CLEAN): f"nightly --archive {{clean}} --lake {{new}}/e --day {DAY}",
    ("nightly", FOUND): f"nightly --archive {{wrong}} --lake {{new}}/f --day {DAY}",
    ("nightly", COULD_NOT_RUN): f"nightly --archive {{wrong}} --lake {{file}} --day {DAY}",
    ("backfill", CLEAN): f"backfill --archive {{clean}} --lake {{new}}/e --from {DAY} --to {DAY}",
    ("backfill", FOUND): f"backfill --archive {{wrong}} --lake {{new}}/f --from {DAY} --to {DAY}",
    ("backfill", COULD_NOT_RUN): f"backfill --archive {{wrong}} --lake {{new}}/f --from {DAY} --to 2009-05-31",
    ("query", CLEAN): "query unsettled_wagers --lake {new}/e",
    ("query", FOUND): "query unsettled_wagers --lake {flipped}",
    ("query", COULD_NOT_RUN): "query no_such --lake {new}/e",
    ("sql", CLEAN): "sql --lake {new}/e FROM\xa0wagers",
    ("sql", FOUND): "sql --lake {flipped} FROM\xa0wagers",
    ("sql", COULD_NOT_RUN): "sql --lake {new}/e FROM\xa0no_such",
    ("lake", CLEAN): "lake --describe",
    ("lake", COULD_NOT_RUN): "lake",
    ("report", CLEAN): f"report --lake {{new}}/e --day {DAY} -o {{new}}/r.html",
    ("report", FOUND): f"report --lake {{flipped}} --day {DAY} -o {{new}}/r.html",
    ("report", COULD_NOT_RUN): f"report --lake {{new}}/e --day {DAY} -o {{file}}/r.html",
    ("alarms", COULD_NOT_RUN): "alarms",
    ("acknowledge", COULD_NOT_RUN): f"acknowledge --lake {{new}}/e --table T1 --day {DAY} --by me --reason none",
    ("law", CLEAN): "law",
    ("law", COULD_NOT_RUN): "law diff 1/1900 57/2009",
    ("rulings", CLEAN): "rulings",
    ("rulings ledger", CLEAN): "rulings ledger {clean}",
    ("rulings ledger", FOUND): "rulings ledger {broken}",
    ("rulings", COULD_NOT_RUN): "rulings ledger {missing}",
    ("whatif", CLEAN): "whatif {clean} --ruling rounding=down",
    ("whatif", FOUND): "whatif {broken} --ruling rounding=down",
    ("whatif", COULD_NOT_RUN): "whatif {clean} --ruling no_such=down",
    ("odds", CLEAN): "odds --regulation 141/2000 --workers 1",
    ("odds", COULD_NOT_RUN): "odds --regulation 1/1900",
    ("sheet", CLEAN): "sheet --regulation 57/2009 --texts {texts} -o {new}/s.html",
    ("sheet", COULD_NOT_RUN): "sheet --regulation 1/1900 --texts {texts} -o {new}/s.html",
    ("demo", COULD_NOT_RUN): "demo --folder {file}",
    ("topic", COULD_NOT_RUN): "topic check --settings {missing}",
    ("archive", COULD_NOT_RUN): "archive --settings {missing}",
}
MAP = """[table]
id = "BJ07"
gaming_day = 2026-01-05
[columns]
round = "game"
seat = "box"
cards = "cards"
bank = "dealer"
stake = "bet"
result = "paid"
[result]
as = "returned"
"""
LOG = "game,box,cards,dealer,bet,paid\n1,1,A♠ Q♠,A♣ 7♦,10,25\n{second},1,A♠ Q♠,A♣ 7♦,10,25\n"


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory, clean_lake: Path, judged_once: Path) -> dict[str, Path]:
    """Archives and lakes, clean and not: built once."""
    folder = tmp_path_factory.mktemp("exits")
    new = folder / "new"
    new.mkdir()
    for name, second in (("log", 2), ("gap", 3)):
        (new / f"{name}.csv").write_text(LOG.format(second=second), encoding="utf-8")
    (new / "log.toml").write_text(MAP, encoding="utf-8")
    (folder / "file").write_text("a file", encoding="utf-8")
    house.write(folder / "clean", "T1", house.SOUND)
    for name in ("wrong", "broken"):
        house.write(folder / name, "T1", house.SOUND)
        house.write(folder / name, "T2", house.WRONG)
    house.damage(folder / "broken" / DAY / "T2.avro")
    for lake, there in (
        (new / "e", clean_lake),
        (new / "f", judged_once / "lake"),
        (folder / "flipped", judged_once / "lake"),
    ):
        shutil.copytree(there, lake)
    house.damage(part_file(folder / "flipped", "wagers", house.DAY, 0))
    damaged(folder / "damaged")
    spool_id(new / "empty")
    for name in ("spool", "damaged_spool"):
        spooled(folder / name)
    house.damage(segments(folder / "damaged_spool" / "T1")[0], -1)
    (folder / "texts").mkdir()
    (folder / "texts" / "57-2009.txt").write_text("Artigo 1.º\n", encoding="utf-8")
    names = (
        "texts",
        "missing",
        "file",
        "clean",
        "wrong",
        "broken",
        "flipped",
        "damaged",
        "new",
        "spool",
        "damaged_spool",
    )
    return {name: folder / name for name in names}


def spooled(folder: Path) -> None:
    """The spool of a recorder that ended before the broker had its event."""
    spool_id(folder)
    table = TableSpool(folder, "T1")
    [event, *_] = parse_events(house.OPEN, table_id="T1", gaming_day=house.DAY)
    table.add(1, encode(event))
    table.sync()
    table.close()


def damaged(archive: Path) -> None:
    """An archive whose journal of T9 has a byte that was changed."""
    sink = ArchiveSink(archive)
    for event in parse_events(house.UNDER_WAY, table_id="T9", gaming_day=house.DAY):
        sink.append("T9", house.DAY, event.seq, encode(event))
        sink.flush()
    sink.close()
    [journal] = archive.rglob("T9*.journal")
    house.damage(journal, journal.stat().st_size // 2)


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("PITAUDIT_", "PREFECT_API", "KAFKA_"))]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize(("command", "code"), CASES)
def test_a_command_exits_as_documented(
    places: dict[str, Path], capsys: pytest.CaptureFixture[str], command: str, code: int
) -> None:
    arguments = [part.replace("\xa0", " ").format(**places) for part in CASES[command, code].split(" ")]
    assert main(arguments) == code
    reported = [line for line in capsys.readouterr().err.splitlines() if "PSEUDONYM_KEY" not in line]
    assert not any("Traceback" in line or "internal error" in line for line in reported)
    if code == COULD_NOT_RUN:
        assert len(reported) == 1 and reported[0].startswith("pitaudit: ")


def test_every_command_has_a_case_for_each_of_its_exit_codes() -> None:
    assert {command.split()[0] for command, _ in CASES} == set(COMMANDS)
    with_findings = {command for command, code in CASES if code == FOUND}
    assert with_findings == {
        command for command in FOUND_BY if not {command, command.split()[0]} & {*OF_A_SERVER, "demo"}
    }
    for command in set(COMMANDS) - OF_A_SERVER - {"demo", "acknowledge"}:  # these end with 0 in tests of their own
        assert (command, CLEAN) in CASES and (command, COULD_NOT_RUN) in CASES


def test_readme_and_help_say_what_the_exit_codes_mean_from_one_source(capsys: pytest.CaptureFixture[str]) -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert {f"| {code} | {text} |" for code, text in EXITS.items()} <= {*readme.splitlines()}
    assert readme.count("| code | means |") == 1
    assert main(["--help"]) == CLEAN
    shown = re.sub(r"\s+", "", capsys.readouterr().out)
    assert [text for text in EXITS.values() if re.sub(r"\s+", "", text) not in shown] == []


@pytest.mark.parametrize("command", FOUND_BY)
def test_the_help_of_a_command_says_when_it_exits_1(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [word for word in command.split() if not word.startswith("--")]
    assert main([*words, "--help"]) == CLEAN
    shown = re.sub(r"\s+", "", capsys.readouterr().out)
    said = f"Exit code 1 of {command}: {FOUND_BY[command]}.".replace("`", "")  # which Markdown takes for itself
    assert re.sub(r"\s+", "", said) in shown


def said(*words: object, **streams: Any) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, and what it said where its streams are not others."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | streams
    return subprocess.run([PITAUDIT, *words], timeout=120, check=False, **streams)


@pytest.mark.parametrize("asked", ["law", "--help", "--version"])
def test_who_stops_reading_gets_no_traceback(asked: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = said(asked, stdout=closed)
    assert (done.returncode, done.stderr) == (COULD_NOT_RUN, "")


def test_a_full_disk_under_the_output_is_reported_in_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        done = said("law", stdout=full)
    assert done.returncode == COULD_NOT_RUN
    assert done.stderr.splitlines() == ["pitaudit: No space left on device"]


@pytest.mark.parametrize(
    "words", [("law", "nope"), ("law", "--nope"), ("sheet", "--regulation", "57/2009", "--texts", "none")]
)
def test_a_full_disk_under_the_error_output_leaves_the_exit_code_as_it_is(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    with Path("/dev/full").open("wb") as full:
        done = said(*words, stderr=full, cwd=tmp_path)
    assert done.returncode == COULD_NOT_RUN


def test_a_warning_that_a_full_disk_does_not_take_keeps_no_command_from_running(places: dict[str, Path]) -> None:
    # It warns of pseudonyms without a key.
    words = ["explain", places["clean"], "--table", "T1", "--round", "1"]
    warned = said(*words)
    with Path("/dev/full").open("wb") as full:
        done = said(*words, stderr=full)
    assert warned.stderr
    assert (done.returncode, done.stdout) == (CLEAN, warned.stdout)


def test_without_standard_output_or_error_a_command_runs_all_the_same() -> None:
    closed = ["sh", "-c", f"{PITAUDIT} law diff 56/2004 57/2009 >&- && {PITAUDIT} law diff 56/2004 57/2009 2>&-"]
    done = subprocess.run(closed, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (CLEAN, "")
    assert "article" in done.stdout


def test_what_a_terminal_cannot_show_stands_as_escapes() -> None:
    latin = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    shown, data = (said("law", "57/2009", *json_, env=latin, text=False) for json_ in ([], ["--json"]))
    assert (shown.returncode, shown.stderr) == (CLEAN, b"")
    assert json.loads(data.stdout) == json.loads(subprocess.check_output([PITAUDIT, "law", "57/2009", "--json"]))


def test_a_worker_that_was_killed_is_no_fault_of_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command_line, "COMMANDS", ("work",))
    monkeypatch.setattr(command_line, "_command", lambda _: lambda: len(list(spread(os._exit, [9, 9], 2))))
    assert main(["work"]) == COULD_NOT_RUN
    said = capsys.readouterr().err
    assert said.startswith("pitaudit: a worker process was killed") and said.count("\n") == 1 and "--workers" in said


def test_an_interrupt_before_a_command_is_loaded_is_told_by_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def find_spec(self, *_: object) -> None:
            raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "flows.cli.command_line")
    monkeypatch.setattr(sys, "meta_path", [Interrupted()])
    assert main(["law"]) == INTERRUPTED


def test_an_interrupt_is_reported_in_one_line(tmp_path: Path) -> None:
    ordered = [PITAUDIT, "simulate", "--archive", tmp_path / "a", "--tables", "6", "--rounds", "100000"]
    running = subprocess.Popen(ordered, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    wait_for((tmp_path / "a").exists, 180)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=180)
    assert (running.returncode, said) == (INTERRUPTED, "pitaudit: interrupted\n")


@pytest.mark.parametrize(
    ("where", "error"),
    [
        ("analytics.reconciliation.reconcile._measures", RuntimeError("Query interrupted")),
        (
            "flows.runs.replay_all",
            pl.exceptions.PanicException("on an `Err` value: PyErr { type: <class 'KeyboardInterrupt'>, value: ..."),
        ),
    ],
    ids=["DuckDB", "Polars"],
)
def test_an_interrupt_of_which_a_library_makes_its_own_error_is_no_failure_of_a_table_day(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    where: str,
    error: BaseException,
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise error

    house.write(tmp_path / "archive", "T1", house.SOUND)
    words = ["nightly", "--archive", str(tmp_path / "archive"), "--lake", str(tmp_path / "lake"), "--day", DAY]
    with monkeypatch.context() as halted:
        halted.setattr(where, interrupted)
        assert main(words) == INTERRUPTED
    assert capsys.readouterr().err == "pitaudit: interrupted\n"
    assert main(words) == CLEAN


# A number or a text beyond every use


HUGE = str(10**12)
LONG = "x" * 100_000
SHOWN = 5_000
"""Characters that one line may have on a terminal."""
SIMULATE = ("simulate", "--archive", "a")
ACKNOWLEDGE = ("acknowledge", "--lake", "l", "--table", "T1", "--day", "2026-01-05")


@pytest.mark.parametrize(
    "arguments",
    [
        *[(*SIMULATE, option, value) for option in ("--tables", "--rounds", "--days") for value in (HUGE, "0", "-1")],
        (*SIMULATE, "--tables", "100000", "--rounds", "1000000"),
        (*SIMULATE, "--seed", "9" * 400),
        *[("explain", "a", "--table", "T1", "--round", number) for number in ("3.7", "4.5", "0x3", "1e2", "three")],
        (*SIMULATE, "--tables", "1.5"),
        ("odds", "--regulation", "57/2009", "--decks", "1.5"),
        ("status", "--archive", "a", "--no-kafka", "--days", "1.5"),
        *[(*SIMULATE, "--faults", value) for value in ("nan", "inf", "-0.1", "1e400")],
        (*SIMULATE, "--workers", "1000000000"),
        ("replay", "a", "--workers", "1000000000"),
        ("nightly", "--archive", "a", "--lake", "l", "--workers", "1000000000"),
        ("backfill", "--archive", "a", "--lake", "l", "--from", "2026-01-05", "--to", "2026-01-05", "--workers", HUGE),
        ("rulings", "ledger", "a", "--workers", "1000000000"),
        ("whatif", "a", "--ruling", "X-2=down", "--workers", "1000000000"),
        *[("odds", "--regulation", "57/2009", "--decks", decks) for decks in ("99999", "16", "0", "-1", "9" * 5000)],
        ("odds", "--regulation", "57/2009", "--workers", "1000000000"),
        *[("topic", "create", "--kafka", "127.0.0.1:1", name, HUGE) for name in ("--partitions", "--replication")],
        ("topic", "check", "--kafka", "127.0.0.1:1", "--min-in-sync", HUGE),
        (*ACKNOWLEDGE, "--by", LONG, "--reason", "r"),
        (*ACKNOWLEDGE, "--by", "b", "--reason", LONG),
        ("explain", "a", "--table", "T1", "--round", "9" * 400),
        ("explain", "a", "--table", LONG, "--round", "1"),
        ("replay", "a", "--table", LONG),
        ("replay", LONG),
        ("query", LONG, "--lake", "l"),
        ("report", "--lake", "l", "--day", "2026-01-05", "-o", LONG),
        ("law", "diff", LONG, "57/2009"),
    ],
    ids=lambda arguments: " ".join(arguments)[:70],
)
def test_no_argument_beyond_use_is_taken(
    arguments: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    begun = time.process_time()
    assert main(arguments) == COULD_NOT_RUN
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and len(said.err) < SHOWN
    assert "internal error" not in said.err and "Traceback" not in said.err
    assert time.process_time() - begun < 20, "it was refused before anything was begun"
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("said", ["1000000000", "0", "-1", "true", "1.5", '"10000000000"'])
def test_no_number_of_workers_beyond_use_is_taken_from_the_settings(said: str, tmp_path: Path) -> None:
    file = tmp_path / "pitaudit.toml"
    file.write_text(f"workers = {said}\n")
    with pytest.raises(SettingsRefused, match=r"workers is .*; it is a number of processes from 1 to 256"):
        load(file, {})
    with pytest.raises(SettingsRefused, match="PITAUDIT_WORKERS"):
        load(None, {"PITAUDIT_WORKERS": "1000000000"})


@pytest.mark.parametrize("number", [10**20, -(10**20)])
def test_a_round_that_no_log_can_number_is_not_there(
    number: int, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", str(archive), "--table", "T1", f"--round={number}"]) == COULD_NOT_RUN
    assert f"has no round {number}; it has rounds 1 to" in capsys.readouterr().err


# A disk without room


LEAST = 1000
"""Bytes that a file may have before the disk is full."""
TEXT = "Artigo 1.o\nObjecto\n1. O presente regulamento aplica-se.\n"


def run(where: Path, *arguments: object, least: int = LEAST) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PITAUDIT, *map(str, arguments)],
        capture_output=True, text=True, check=False, cwd=where, env=environment(), timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (least, least)),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("command", "earlier"),
    [("report", None), ("sheet", "what was there"), ("labels", None), ("labels", "what was there")],
)
def test_no_output_is_written_by_half(
    command: str, earlier: str | None, lake: Path, tmp_path: Path, pitaudit: Any
) -> None:
    output, texts = tmp_path / "out" / "output", tmp_path / "texts"
    output.parent.mkdir()
    if earlier is not None:
        output.write_text(earlier)
    if command == "report":
        arguments = ["report", "--lake", lake, "--day", house.DAY, "-o", output]
    elif command == "sheet":
        texts.mkdir()
        (texts / "57-2009-pt.txt").write_text(TEXT)
        arguments = ["sheet", "--regulation", "57/2009", "--texts", texts, "-o", output]
    else:
        pit = ["simulate", "--archive", tmp_path / "pit", "--tables", 2, "--rounds", 40, "--faults", 0.9]
        assert pitaudit(*map(str, pit)).returncode == 0
        arguments = [*pit, "--labels", output]  # the archive is there: the labels alone find no room
    said = run(tmp_path, *arguments)
    assert said.returncode == COULD_NOT_RUN and said.stdout == ""
    line = said.stderr.splitlines()[-1]
    assert str(output) in line and "internal error" not in said.stderr and "Traceback" not in said.stderr
    assert [path.name for path in output.parent.iterdir()] == ([] if earlier is None else ["output"])
    assert earlier is None or output.read_text() == earlier


@pytest.mark.parametrize("least", [64 << 10, 300 << 10], ids=["its log", "its file"])
def test_no_room_for_the_draft_of_the_database_is_no_fault_of_the_program(
    least: int, archive: Path, tmp_path: Path
) -> None:
    night = ["nightly", "--archive", archive, "--lake", tmp_path / "lake", "--day", house.DAY]
    said = run(tmp_path, *night, least=least)
    assert said.returncode == COULD_NOT_RUN
    line = said.stderr.splitlines()[-1]
    assert "lake.duckdb: File too large: make room" in line and "internal error" not in line
    assert not [*(tmp_path / "lake").glob("lake.duckdb*")]


def test_labels_are_for_their_owner_and_group_only(tmp_path: Path, pitaudit: Any) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.touch()
    labels.chmod(0o644)
    pit = ["simulate", "--archive", tmp_path / "pit", "--tables", 1, "--rounds", 5, "--labels", labels]
    assert pitaudit(*map(str, pit)).returncode == 0
    assert stat.S_IMODE(labels.stat().st_mode) == 0o640
