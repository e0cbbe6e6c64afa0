"""The contract of the command line: names, options, exit codes, one JSON object, one line when it could not run."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from flows.cli import command_line
from flows.cli.command_line import COMMANDS
from producers.archiver import run
from tests import house
from tests.commands import Run
from tests.flows.property import Property, ends

CONTRACT = {
    "demo": (),
    "simulate": (
        "--archive", "--kafka", "--day", "--days", "--tables", "--rounds", "--seed", "--faults", "--labels", "--json",
    ),
    "import": ("FILE", "--map", "--archive", "--json"),
    "topic": ("create", "check"),
    "spool": ("status", "drain", "repair"),
    "archive": ("--kafka", "--archive", "--until-end", "--json"),
    "status": ("--archive", "--lake", "--kafka", "--no-kafka", "--topic", "--days", "--spool", "--serve", "--json"),
    "repair": ("ARCHIVE", "--table", "--json"),
    "replay": ("ARCHIVE", "--day", "--table", "--workers", "--lake", "--json"),
    "explain": ("ARCHIVE", "--table", "--round", "--day", "--json"),
    "nightly": ("--archive", "--lake", "--day", "--json"),
    "backfill": ("--archive", "--lake", "--from", "--to", "--json"),
    "lake": ("--describe", "--json"),
    "query": ("NAME", "--list", "--lake", "--param", "--sql", "--json"),
    "sql": ("QUESTION", "--lake", "--from", "--to", "--json", "--csv", "--seconds", "--memory"),
    "report": ("--lake", "--day", "-o"),
    "alarms": ("--webhook", "--file"),
    "acknowledge": ("--lake", "--table", "--day", "--by", "--reason", "--json"),
    "law": ("VERSION", "diff", "--json"),
    "rulings": ("ledger", "--json"),
    "whatif": ("ARCHIVE", "--option", "--regulation", "--ruling", "--day", "--table", "--workers", "--json"),
    "odds": ("--regulation", "--decks", "--ruling", "--json"),
    "sheet": ("--regulation", "--texts", "-o"),
}  # fmt: skip
REPLAY_KEYS = {
    "table_days", "events", "rounds", "wagers", "unsettled", "discrepancies", "findings", "not_checked", "digest",
    "seconds",
}  # fmt: skip


def one_object(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    value = json.loads(done.stdout)
    assert isinstance(value, dict)
    return value


def assert_one_line(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("pitaudit: ")
    for word in words:
        assert word in lines[0]


def test_the_commands_are_those_of_the_contract(pitaudit: Run) -> None:
    assert list(COMMANDS) == list(CONTRACT)
    overview = pitaudit("--help")
    assert overview.returncode == 0
    assert all(f"│ {name} " in overview.stdout for name in CONTRACT)
    assert pitaudit("--version").stdout.strip() == "0.1.0"


@pytest.mark.parametrize("name", CONTRACT)
def test_every_command_has_help_with_its_options_and_an_example(pitaudit: Run, name: str) -> None:
    done = pitaudit(name, "--help", COLUMNS="200")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Example: pitaudit {name}" in done.stdout
    assert all(option in done.stdout for option in CONTRACT[name])


def test_help_needs_none_of_the_heavy_libraries() -> None:
    heavy = {"polars", "duckdb", "prefect", "kafka", "pyarrow", "fastavro", "jinja2", "markdown_it", "email"}
    code = f"import sys, flows.cli; flows.cli.main(['--help']); print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_an_explanation_needs_no_database_no_lake_and_no_other_command(sound: Property) -> None:
    command = ["explain", str(sound.archive), "--table", "T1", "--round", "1"]
    code = (
        f"import sys, flows.cli; flows.cli.main({command}); "
        "print(sorted({'duckdb', 'fsspec', 'prefect', 'analytics.lake', 'flows.cli.nightly'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Rules applied" in done.stdout and done.stdout.splitlines()[-1] == "[]"


def test_a_replay_without_a_lake_needs_no_database(sound: Property) -> None:
    code = f"import sys, flows.cli; flows.cli.main(['replay', {str(sound.archive)!r}, '--json']); print('duckdb' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout.splitlines()[-1], done.stderr) == ("False", "")


def test_a_process_that_judges_for_a_command_has_no_parser() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sys, flows.cli; print('cyclopts' in sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "False\n"


ENDS = """
import atexit, sys
from flows.cli import command_line, main

class Remembered:
    def __del__(self):
        print("taken apart")

def work() -> int:
    atexit.register(print, "what waits for the end")
    return 1

remembered = Remembered()
command_line.COMMANDS, command_line._command = ("work",), lambda _: work
sys.argv = ["pitaudit", "work"]
sys.exit(main())
"""


def test_a_command_ends_with_its_exit_code_once_all_that_waits_for_the_end_has_run() -> None:
    done = subprocess.run([sys.executable, "-c", ENDS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "what waits for the end\n", "")


def test_replay_of_a_clean_archive_exits_0(pitaudit: Run, sound: Property) -> None:
    done = pitaudit("replay", sound.archive, "--json")
    said = one_object(done)
    assert (done.returncode, done.stderr) == (0, "")
    assert said.keys() >= REPLAY_KEYS
    assert (said["table_days"], said["rounds"], said["wagers"], said["unsettled"]) == (1, 1, 2, 0)
    assert said["discrepancies"] == {
        "overpaid": {"count": 0, "amount_minor": 0, "currency": None},
        "underpaid": {"count": 0, "amount_minor": 0, "currency": None},
    }
    assert said["findings"] == {}


def test_replay_of_a_wrong_payment_exits_1(pitaudit: Run, pit: Property) -> None:
    done = pitaudit("replay", pit.archive, "--json")
    said = one_object(done)
    assert done.returncode == 1
    assert said["discrepancies"]["overpaid"] == {"count": 1, "amount_minor": 50_00, "currency": "MOP"}
    assert said["findings"] == {"OVERPAID": 1}
    only = one_object(pitaudit("replay", pit.archive, "--table", "T1", "--json"))
    assert (only["table_days"], only["findings"]) == (1, {})
    people = pitaudit("replay", pit.archive)
    assert people.returncode == 1
    assert said["digest"] in people.stdout


def test_the_digest_does_not_depend_on_workers(pitaudit: Run, pit: Property) -> None:
    alone, together = (one_object(pitaudit("replay", pit.archive, "--workers", n, "--json")) for n in ("1", "2"))
    assert alone["digest"] == together["digest"]


def test_explain_shows_due_and_paid(pitaudit: Run, pit: Property) -> None:
    done = pitaudit("explain", pit.archive, "--table", "T2", "--round", "1", "--json")
    said = one_object(done)
    assert done.returncode == 1
    raise_ = next(wager for wager in said["wagers"] if wager["wager"] == "raise")
    assert (raise_["due_minor"], raise_["paid_minor"], raise_["delta_minor"]) == (100_00, 150_00, 50_00)
    assert "78/2008" in raise_["article"]
    right = pitaudit("explain", pit.archive, "--table", "T1", "--round", "1")
    assert right.returncode == 0
    assert "p1" not in right.stdout.split()


def test_nightly_query_report_one_after_the_other(pitaudit: Run, pit: Property) -> None:
    page = pit.folder / "report.html"
    night = pitaudit("nightly", *pit.both, "--day", "2009-06-01", "--json")
    assert night.returncode == 1
    assert one_object(night)["replayed"] == ["T1", "T2"]
    again = pitaudit("backfill", *pit.both, "--from", "2009-05-31", "--to", "2009-06-01", "--json")
    assert one_object(again)["days"][0]["unchanged"] == ["T1", "T2"]
    asked = ("query", "overpayment_by_dealer_and_player", "--lake", pit.lake)
    found = pitaudit(*asked, "--param", "min_count=1", "--json")
    assert found.returncode == 0
    assert [row["overpaid_minor"] for row in one_object(found)["rows"]] == [50_00]
    assert one_object(pitaudit(*asked, "--json"))["rows"] == []
    assert pitaudit("report", "--lake", pit.lake, "--day", "2009-06-01", "-o", page).returncode == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_query_lists_what_can_be_asked(pitaudit: Run) -> None:
    said = one_object(pitaudit("query", "--list", "--json"))
    assert len(said["queries"]) >= 6
    assert all(query["purpose"] and query["innocent"] for query in said["queries"])
    people = pitaudit("query", "--list")
    assert people.returncode == 0
    assert all(query["name"] in people.stdout for query in said["queries"])


def test_simulate_plants_nothing_unless_asked_to(pitaudit: Run, tmp_path: Path) -> None:
    folder, labels = tmp_path / "pit", tmp_path / "labels.jsonl"
    ordered = ("simulate", "--archive", folder, "--tables", "3", "--rounds", "20", "--seed", "5", "--labels", labels)
    made = one_object(pitaudit(*ordered, "--faults", "0", "--json"))
    assert (made["table_days"], made["rounds"], made["labels"]) == (3, 60, 0)
    assert labels.read_text() == ""
    done = pitaudit("replay", folder, "--json")
    assert done.returncode == 0, done.stdout
    assert one_object(done)["events"] == made["events"]


def test_a_damaged_container_is_a_finding_with_its_file(pitaudit: Run, pit: Property) -> None:
    file = pit.archive / "2009-06-01" / "T1.avro"
    house.damage(file)
    done = pitaudit("replay", pit.archive, "--json")
    said = one_object(done)
    assert done.returncode == 1
    assert str(file) in done.stderr
    assert said["findings"]["CONTAINER_DAMAGED"] == 1
    assert [each["table_id"] for each in said["damaged"]] == ["T1"]
    assert said["discrepancies"]["overpaid"]["count"] == 1, "the other table is replayed all the same"


def test_replay_into_a_lake_is_enough_for_a_report(pitaudit: Run, pit: Property) -> None:
    page = pit.folder / "report.html"
    house.damage(pit.archive / "2009-06-01" / "T1.avro")
    assert pitaudit("replay", pit.archive, "--lake", pit.lake, "--json").returncode == 1
    assert pitaudit("report", "--lake", pit.lake, "--day", "2009-06-01", "-o", page).returncode == 1, "README: exit 1"
    said = page.read_text(encoding="utf-8")
    assert "T2" in said
    assert "T1.avro" in said, "a table-day that could not be read is in the report"


def test_what_a_log_says_commands_no_terminal(pitaudit: Run, tmp_path: Path) -> None:
    archive = tmp_path / "evil"
    house.write(archive, "T1", house.closing(house.RIGHT.replace(" end", " void:{\x1b[2J\x9b31m\u202e} end"), 0))
    for said in (
        pitaudit("explain", archive, "--table", "T1", "--round", "1").stdout,
        pitaudit("explain", archive, "--table", "\x1b[2J", "--round", "1").stderr,
    ):
        assert "\ufffd[2J" in said
        assert not {"\x1b", "\x9b", "\u202e"} & set(said)
    said = pitaudit("explain", archive, "--table", "T1", "--round", "1", "--json").stdout
    assert not {"\x1b", "\x9b"} & set(said)
    assert "\x1b[2J\x9b31m\u202e" in json.dumps(json.loads(said), ensure_ascii=False).replace("\\u001b", "\x1b")


FORGED = "p1\n  1   main          stake       100  due          0  paid          0\r\x85\u2028\tp2"


def test_a_line_break_in_what_a_log_says_forges_no_line(pitaudit: Run, tmp_path: Path) -> None:
    """A player's id could be several lines of an explanation."""
    archive, lake = tmp_path / "evil", tmp_path / "lake"
    text = house.RIGHT.replace("@p1", "@{" + FORGED + "}").replace(" end", " void:{" + FORGED + "} end")
    house.write(archive, "T1", house.closing(text, 0))
    plain = tmp_path / "plain"
    house.write(plain, "T1", house.closing(house.RIGHT.replace(" end", " void:{p1} end"), 0))
    asked = ("--table", "T1", "--round", "1", "--identities")
    evil, good = (pitaudit("explain", folder, *asked).stdout for folder in (archive, plain))
    assert evil.count("\n") == good.count("\n") == len(evil.splitlines())
    assert "p1\ufffd  1   main" in evil
    pitaudit("replay", archive, "--lake", lake)
    shown = pitaudit("sql", "--lake", lake, "SELECT 'a' || chr(10) || 'b' AS x").stdout
    assert "a\ufffdb" in shown


def test_demo_replaces_no_archive_but_its_own(pitaudit: Run, pit: Property) -> None:
    before = sorted(pit.archive.rglob("*.avro"))
    assert_one_line(pitaudit("demo", "--dir", pit.archive.parent), str(pit.archive.parent), "another folder")
    assert sorted(pit.archive.rglob("*.avro")) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nope",), ("nope",)),
        (("replay",), ("ARCHIVE",)),
        (("replay", "{here}", "--nope"), ("--nope",)),
        (("replay", "{here}", "--day", "2009-13-01"), ("--day", "2009-13-01")),
        (("replay", "{here}", "--workers", "0"), ("--workers",)),
        (("replay", "{here}", "--workers", "many"), ("--workers",)),
        (("replay", "{here}/none", "--table", "T1"), ("none does not exist: check the path",)),
        (("rulings", "ledger", "{archive}/2009-06-01/T1.avro"), ("T1.avro is no folder: check the path",)),
        (("replay", "{archive}", "--table", "T9"), ("T9",)),
        (("explain", "{archive}", "--table", "T1", "--round", "7"), ("no round 7", "1 to 1")),
        (("explain", "{archive}", "--table", "T9", "--round", "1"), ("T9", "T1, T2", "--table")),
        (("explain", "{here}/none", "--table", "T1", "--round", "1"), ("none", "does not exist")),
        (("sql", "-- of today\nSELECT 1", "--lake", "{here}"), ("a comment", "write --;")),
        (("nightly", "--lake", "{here}/lake"), ("--archive",)),
        (("nightly", "--archive", "{archive}", "--lake", "{here}/l", "--day", "2009-05-31"), ("2009-05-31",)),
        (
            ("backfill", "--archive", "a", "--lake", "l", "--from", "2009-06-02", "--to", "2009-06-01"),
            ("--from", "--to"),
        ),
        (("query", "--lake", "{here}"), ("--list",)),
        (("query", "nope", "--lake", "{here}"), ("nope", "wagers_after_close")),
        (("query", "wagers_after_close", "--lake", "{here}"), ("no table-day", "nightly")),
        (("query", "wagers_after_close", "--lake", "{lake}", "--param", "first"), ("first", "name=value")),
        (("query", "wagers_after_close", "--lake", "{lake}", "--param", "first=June"), ("first=June",)),
        (("report", "--lake", "{lake}", "--day", "2009-06-02", "-o", "{here}/r.html"), ("2009-06-02",)),
        (("report", "--lake", "{lake}", "--day", "2009-06-01", "-o", "{here}/no/r.html"), ("no/",)),
        (("import", "{here}/none.csv", "--map", "{here}/none.toml", "--archive", "{here}/a"), ("none",)),
        (("simulate", "--archive", "{here}/a", "--faults", "2"), ("--faults",)),
        (("simulate", "--archive", "{archive}/2009-06-01/T1.avro"), ("T1.avro is a file: name a folder",)),
        (
            ("archive", "--kafka", "127.0.0.1:1", "--archive", "{archive}/2009-06-01/T1.avro"),
            ("T1.avro is a file: name a folder",),
        ),
        (("simulate", "--archive", "{here}/a", "--topic", "pit"), ("--kafka HOST:PORT",)),
        (
            ("nightly", "--archive", "{archive}", "--lake", "{here}/l", "--day", "2009-06-01", "--prefect"),
            ("PREFECT_API_URL",),
        ),
        (("replay", "{archive}", "--settings", "{here}/none.toml"), ("none.toml",)),
    ],
)
def test_what_cannot_run_exits_2_with_one_line(
    pitaudit: Run, judged: Property, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    places = {"{here}": str(judged.folder), "{archive}": str(judged.archive), "{lake}": str(judged.lake)}
    given = list(arguments)
    for name, place in places.items():
        given = [argument.replace(name, place) for argument in given]
    assert_one_line(pitaudit(*given), *words)


def test_a_broker_that_does_not_answer_is_one_line(
    command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, where it is waited for no longer than a test needs."""
    monkeypatch.setattr(run, "_CONNECT_MS", 100)
    monkeypatch.setattr(run, "BOOTSTRAP_MS", 0)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    code, out, err = command("archive", "--kafka", "127.0.0.1:1", "--archive", tmp_path / "a", "--until-end")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith("pitaudit: ") and "127.0.0.1:1" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("archive", "--archive", "a"),
        ("simulate", "--archive", "a"),
        ("spool", "drain", "s"),
        ("status", "--archive", "a"),
        ("topic", "create"),
        ("topic", "check"),
    ],
    ids=" ".join,
)
def test_a_password_among_the_brokers_is_not_repeated(command: Any, arguments: tuple[str, ...]) -> None:
    code, out, err = command(*arguments, "--kafka", "me:hunter2@127.0.0.1:1")
    assert (code, out) == (2, "")
    assert err == "pitaudit: --kafka holds a user's name or password: set the variables KAFKA_SASL_* instead\n"


@pytest.mark.parametrize("address", ["http://me:hunter2@[::1/api", "me:hunter2@127.0.0.1:4200", "http://"])
def test_what_is_no_address_of_a_prefect_server_is_one_line_and_not_repeated(
    inside: Run, pit: Property, address: str
) -> None:
    done = inside("nightly", *pit.both, "--day", "2009-06-01", PREFECT_API_URL=address)
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr == "pitaudit: PREFECT_API_URL is no address: write it as http://127.0.0.1:4200/api, or unset it\n"
    )


def test_settings_are_read_here_and_refused_by_key(pitaudit: Run, pit: Property) -> None:
    (pit.folder / "cwd" / "pitaudit.toml").write_text(f'archive = "{pit.archive}"\nlake = "lake"\nworkers = 0\n')
    assert_one_line(pitaudit("nightly", "--day", "2009-06-01"), "pitaudit.toml", "workers")
    (pit.folder / "cwd" / "pitaudit.toml").write_text(f'archive = "{pit.archive}"\nlake = "lake"\n')
    assert pitaudit("nightly", "--day", "2009-06-01").returncode == 1
    assert (pit.folder / "cwd" / "lake" / "runs").is_dir()


def test_an_internal_error_is_one_line_and_a_traceback_only_when_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> int:
        raise ZeroDivisionError("of\nall things")

    monkeypatch.setattr(command_line, "COMMANDS", ("broken",))
    monkeypatch.setattr(command_line, "_command", lambda _: broken)
    assert ends("broken") == 2
    said = capsys.readouterr().err
    assert said.startswith("pitaudit: internal error, ZeroDivisionError: of all things; this is a fault of pitaudit ")
    assert "PITAUDIT_TRACEBACK=1 and report it" in said and len(said.splitlines()) == 1
    monkeypatch.setenv("PITAUDIT_TRACEBACK", "1")
    assert ends("broken") == 2
    assert "Traceback" in capsys.readouterr().err


def test_panic_of_a_library_in_rust_ends_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It arrives as an exception that is no ``Exception`` (pyo3 says so: ``PanicException``)."""

    class PanicException(BaseException):
        pass

    def panics(_: str | None) -> None:
        raise PanicException("called `Option::unwrap()` on a `None` value")

    monkeypatch.setattr(command_line, "command_line", panics)
    assert ends("report") == 2
    assert capsys.readouterr().err.startswith("pitaudit: internal error, PanicException: called")


@pytest.mark.parametrize("threads", ["0", "-1", "two", "1.5"])
def test_a_number_of_threads_that_none_is_is_reported_before_anything_is_read(
    sound: Property, threads: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With none the column engine gave up at each table, and every one of them was called damaged."""
    monkeypatch.setenv("POLARS_MAX_THREADS", threads)
    assert ends("replay", sound.archive) == 2
    said = (
        f"pitaudit: POLARS_MAX_THREADS is '{threads}' in the environment: set a whole number of at least 1, or unset it"
    )
    assert capsys.readouterr() == ("", said + "\n")


def test_a_query_as_sql_is_one_json_object_where_json_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert ends("query", "dealer_error_rates", "--sql", "--json") == 0
    reported = json.loads(capsys.readouterr().out)
    assert reported["query"] == "dealer_error_rates"
    assert "SELECT" in reported["sql"]


def test_the_game_of_a_table_that_was_judged_is_its_log_s(sound: Property, capsys: pytest.CaptureFixture[str]) -> None:
    """There is no register here that could say so."""
    ends("nightly", *sound.both, "--day", "2009-06-01", "--json")
    games = {table["game"] for table in json.loads(capsys.readouterr().out)["tables"]}
    assert games == {"fortune_3_card_poker"}
