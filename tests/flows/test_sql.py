"""A question in SQL reads the rows that hold, and nothing else: no file, no network, no other rows, no end of memory or time."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import os
import pty
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from analytics.lake import LakeUnusable, contents_of, run_file, views
from analytics.lake.parts import part_file
from analytics.marts import tables_read_by
from analytics.sql import Limits, QuestionRefused, answer_to, questions
from flows.cli import main
from flows.runs import run_nightly
from tests import house
from tests.archives import files_in
from tests.commands import PITAUDIT
from tests.servers import environment

ROUNDS = "SELECT table_id, count(*) AS rounds FROM rounds GROUP BY table_id ORDER BY table_id"


USUAL = Limits()


def rows(lake: Path, question: str, limits: Limits = USUAL) -> list[tuple[Any, ...]]:
    (one,) = questions(question)
    with answer_to(lake, contents_of(lake, tables=tables_read_by(one)), one, limits) as answer:
        return list(answer.rows())


def test_the_tables_and_measures_are_those_of_the_report(lake: Path) -> None:
    assert rows(lake, ROUNDS) == [("T1", 1), ("T2", 1)]
    assert rows(lake, "SELECT table_id, overpaid_minor FROM overpaid WHERE overpaid_minor > 0") == [("T2", 50_00)]
    assert rows(lake, "SELECT table_id, win_due_minor FROM table_reconciliation ORDER BY 1") == [
        ("T1", -200_00),
        ("T2", -200_00),
    ]


def test_a_question_that_stands_twice_is_answered_twice() -> None:
    assert questions("SELECT 1; SELECT 2; SELECT 1") == ["SELECT 1;", "SELECT 2;", "SELECT 1"]
    assert questions("SELECT 1; SELECT 1") == ["SELECT 1;", "SELECT 1"]
    assert questions("SHOW TABLES;\nSHOW TABLES;") == ["SHOW TABLES;", "SHOW TABLES;"]


@pytest.mark.parametrize("spelling", ["wagers", "WAGERS", '"wagers"', '"Wagers"', "main.wagers", "memory.main.wagers"])
def test_no_spelling_of_a_table_reads_it_as_empty(lake: Path, spelling: str) -> None:
    assert rows(lake, f"SELECT count(*) FROM {spelling}") == [(4,)]


@pytest.mark.parametrize(
    "text",
    [
        "COPY wagers TO 'out.csv'", "COPY (SELECT 1) TO '{lake}/out.parquet' (FORMAT parquet)",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO 'out.csv'", "EXPORT DATABASE 'out'", "IMPORT DATABASE 'out'",
        "ATTACH 'out.duckdb'", "ATTACH '{lake}/x.duckdb' AS x", "DETACH memory", "USE memory", "INSTALL httpfs", "LOAD httpfs",
        "SET enable_external_access = true", "SET lock_configuration = false", "RESET memory_limit", "SET VARIABLE a = 1",
        "PRAGMA enable_profiling", "PRAGMA profiling_output = 'out'", "CALL enable_logging('QueryLog')", "CHECKPOINT", "VACUUM",
        "CREATE TABLE t (a INT)", "CREATE VIEW v AS SELECT 1", "CREATE MACRO f() AS 1", "CREATE SECRET s (TYPE http)",
        "CREATE PERSISTENT SECRET s (TYPE http)", "INSERT INTO left_out VALUES (NULL, NULL, NULL)", "DELETE FROM left_out",
        "UPDATE left_out SET why = ''", "DROP VIEW wagers", "ALTER VIEW wagers RENAME TO w", "TRUNCATE left_out",
        "COMMENT ON VIEW wagers IS ''", "PREPARE p AS SELECT 1", "EXECUTE p", "BEGIN", "COMMIT", "SELECT 1; DROP VIEW wagers",
        "WITH x AS (INSERT INTO left_out VALUES (NULL, NULL, NULL) RETURNING *) FROM x",
        "WITH x AS (DELETE FROM left_out RETURNING *) FROM x", "WITH x AS (COPY (SELECT 1) TO 'out.csv') FROM x",
        "FROM read_text('/etc/passwd')", "FROM read_csv('/etc/passwd')", "FROM read_blob('/etc/passwd')",
        "FROM read_json('http://127.0.0.1:1/')", "FROM read_parquet('{lake}/data/wagers/*/*.parquet')", "FROM glob('/*')",
        "SELECT * FROM sniff_csv('/etc/passwd')", "FROM parquet_metadata('{lake}/data/part-0.parquet')",
        "SELECT (SELECT content FROM read_text('/etc/passwd'))", "FROM query('FROM read_text(''/etc/passwd'')')",
        "FROM query_table(['wagers'])", "FROM wagers WHERE EXISTS (FROM glob('/*'))", "FROM wagers, LATERAL (FROM glob('/*'))",
        "FROM json_execute_serialized_sql(json_serialize_sql('FROM wagers'))", "FROM enable_logging('QueryLog')",
        "FROM read_duckdb('{lake}/lake.duckdb')", "FROM pandas_scan(1)", "FROM duckdb_secrets()", "FROM duckdb_settings()",
        "FROM READ_TEXT('/etc/passwd')", "FROM \"read_text\"('/etc/passwd')", "FROM system.main.read_text('/etc/passwd')",
        "FROM '{lake}/data/wagers/gaming_day=2009-06-01/part-0.parquet'", "SUMMARIZE 'x.parquet'", 'FROM main."x.csv" AS wagers',
        "SELECT (SELECT count(*) FROM 'x.parquet')",
    ],
)  # fmt: skip
def test_what_is_no_question_over_the_lake_is_refused_before_it_runs(text: str) -> None:
    with pytest.raises(QuestionRefused, match="is refused"):
        questions(text.format(lake="/lake"))


@pytest.mark.parametrize(
    "text",
    [
        "FROM '/etc/passwd'", "FROM '/etc/passwd.csv'", "FROM '{part}.old'", "SELECT getenv('HOME')",
        "FROM 'http://127.0.0.1:1/x.csv'", "FROM held", "FROM tables_named", "FROM lake", "SELECT no_such(1)",
        "SELECT 1::POINTER",
        "FROM wagers AT (VERSION => 1)", "SELECT error('x')", "SELECT 'x'::INT", "SELECT $1",
        "SELECT ?",
    ],
)  # fmt: skip
def test_no_file_variable_or_function_outside_the_lake_is_reached(lake: Path, text: str) -> None:
    held = "a variable of this program is no table"
    part = part_file(lake, "wagers", dt.date(2009, 6, 1), 0)
    assert part.is_file()
    shutil.copy(part, f"{part}.old")
    try:
        with pytest.raises(QuestionRefused):
            rows(lake, text.format(part=part))
        with pytest.raises(QuestionRefused), answer_to(lake, contents_of(lake), text.format(part=part), USUAL):
            pass  # the walls behind the parser hold as well
    finally:
        Path(f"{part}.old").unlink()
    assert held


def test_the_database_itself_opens_nothing_but_the_files_that_hold_rows(lake: Path) -> None:
    """The second wall, behind the one that refuses the statement: without it a file of rows could be written over."""
    held = part_file(lake, "wagers", house.DAY, 0)
    stale = held.with_name("stale.parquet")
    stale.write_bytes(held.read_bytes())
    before = files_in(lake)
    with views(lake, contents_of(lake)) as connection:
        for text in (
            f"FROM read_parquet('{stale}')", f"FROM read_parquet('{lake}/data/*/*/*.parquet')", "FROM read_text('/etc/passwd')",
            f"COPY (SELECT 1) TO '{lake}/new.parquet'", "ATTACH 'out.duckdb'", "INSTALL httpfs", "LOAD httpfs",
            "SET enable_external_access = true", "SET allowed_paths = ['/etc/passwd']", "SET threads = 99",
            "FROM enable_logging(storage = 'file', storage_config = {'path': 'out'})", "CREATE PERSISTENT SECRET s (TYPE http)",
        ):  # fmt: skip
            with pytest.raises(Exception, match=r"disabled|locked|Cannot change|already registered"):
                connection.execute(text)
    assert files_in(lake) == before


def test_rows_of_a_table_day_that_does_not_hold_are_seen_no_more_and_it_is_named(lake: Path) -> None:
    file = run_file(lake, house.DAY, "T2")
    file.write_bytes(file.read_bytes()[:-1])
    assert rows(lake, ROUNDS) == [("T1", 1)]
    ((day, table, why),) = rows(lake, "SELECT o.gaming_day, o.table_id, o.why FROM left_out AS o, rounds")
    assert (day, table) == (str(house.DAY), "T2")
    assert str(file) in why


@pytest.mark.parametrize(
    "question",
    [
        "SELECT '-- x', count(*) FROM wagers",
        "SELECT max(dealer || '--' || player), count(*) FROM wagers",
        "SELECT /* -- */ 1, count(*) FROM wagers",
        "SELECT 1, count(*) n -- c\rFROM wagers",
        "SELECT $$--$$, count(*) FROM wagers",
    ],
)
def test_no_mark_of_a_comment_has_a_table_read_as_empty(lake: Path, question: str) -> None:
    (row,) = rows(lake, question)
    assert row[1] == 4


def test_no_row_of_a_file_with_one_bit_flipped_is_seen(lake: Path) -> None:
    file = part_file(lake, "wagers", house.DAY, 0)
    house.damage(file, file.stat().st_size // 2)
    assert rows(lake, "SELECT count(*) FROM wagers") == [(0,)]
    assert [
        table for (table,) in rows(lake, "SELECT o.table_id FROM left_out AS o LEFT JOIN wagers USING (table_id)")
    ] == ["T1", "T2"]
    assert rows(lake, ROUNDS) == [("T1", 1), ("T2", 1)], "which do not rest on it"


def test_a_file_that_changes_while_it_is_read_gives_no_answer(lake: Path) -> None:
    held = contents_of(lake, tables=tables_read_by(ROUNDS))
    file = part_file(lake, "rounds", house.DAY, 0)
    os.utime(file.rename(file.with_name("aside")))
    shutil.copy(file.with_name("aside"), file)
    with pytest.raises(LakeUnusable, match="was changed while it was read"), answer_to(lake, held, ROUNDS, USUAL):
        pytest.fail("no row is shown")


def test_a_log_that_is_damaged_today_shows_no_rows_of_yesterday(archive: Path, lake: Path) -> None:
    house.damage(archive / str(house.DAY) / "T2.avro")
    run_nightly(archive, lake, house.DAY)
    assert rows(lake, ROUNDS) == [("T1", 1)]
    assert rows(lake, "SELECT table_id FROM left_out") == [("T2",)]


@pytest.mark.parametrize(
    "question",
    [
        "SELECT list(i) FROM range(1000000000) t(i)",
        "SELECT length(repeat('x', 4000000000))",
        "SELECT i, repeat('x', 1000) AS text FROM range(100000000) t(i) ORDER BY hash(i)",
    ],
)
def test_a_question_without_end_does_not_take_the_machines_memory(lake: Path, question: str) -> None:
    with pytest.raises(QuestionRefused, match="needs more than 64 MiB of memory"):
        rows(lake, question, Limits(memory=64, spill=64, seconds=60))
    assert not list(lake.glob(".spill-*"))


def test_a_question_without_end_is_stopped_in_time(lake: Path) -> None:
    began = time.monotonic()
    with pytest.raises(QuestionRefused, match="stopped after 1 s"):
        rows(lake, "SELECT count(*) FROM range(100000000000)", Limits(seconds=1))
    assert time.monotonic() - began < 60


def test_a_larger_answer_than_memory_is_spilled_into_a_private_folder(lake: Path) -> None:
    modes = []
    with views(lake, contents_of(lake), Limits(memory=128, spill=4096).settings()) as connection:
        (spill,) = lake.glob(".spill-*")
        modes.append(spill.stat().st_mode & 0o777)
        numbers = "SELECT hash(i) AS h, repeat('y', 50) || i AS text FROM range(3000000) t(i) ORDER BY h"
        connection.execute(f"CREATE TEMP TABLE answer AS {numbers}")
        assert sum(file.stat().st_size for file in spill.rglob("*")) > 64 << 20
    assert modes == [0o700]
    assert not spill.exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ; ;",
        "-- nothing",
        "SELEC 1",
        "SELECT 1 +",
        "SELECT '",
        "\0",
        "SELECT \udcff",
        "SELECT " + "(" * 9000,
        "SELECT " + "1+" * 9000 + "1",
    ],
)
def test_what_is_no_sql_is_one_line(text: str) -> None:
    with pytest.raises(QuestionRefused) as said:
        questions(text)
    assert "\n" not in str(said.value)


def test_values_of_every_kind_come_as_number_boolean_or_text(lake: Path) -> None:
    question = """SELECT 10::HUGEINT AS a, 1.50::DECIMAL(9, 2) AS b, 7::DECIMAL(38, 0) AS c, [1, 2] AS d, {'x': 1} AS e,
        DATE '2026-01-05' AS f, TIMESTAMPTZ '2026-01-05 21:30:00+08' AS g, true AS h, NULL AS i, 'z'::BLOB AS j, 1 AS a"""
    assert rows(lake, question) == [
        (10, "1.50", 7, "[1,2]", '{"x":1}', "2026-01-05", "2026-01-05T13:30:00.000000+00:00", True, None, "z", 1)
    ]
    assert rows(lake, "FROM (VALUES (3), (1), (2)) t(n) ORDER BY n DESC") == [(3,), (2,), (1,)]


def said(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["sql", *map(str, arguments)])
    return code, *capsys.readouterr()


def test_every_table_that_show_tables_names_can_be_read(lake: Path) -> None:
    """The table that an answer is kept in was one of them, and nobody could read it."""
    named = [name for (name,) in rows(lake, "SHOW TABLES")]
    assert {"wagers", "left_out", "table_reconciliation"} <= set(named)
    each = [f"SELECT '{name}', count(*) >= 0 FROM \"{name}\"" for name in named]
    assert sorted(rows(lake, " UNION ALL ".join(each))) == [(name, True) for name in sorted(named)]


def test_one_json_object_with_what_is_left_out(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, ROUNDS, "--lake", lake, "--json")
    assert code == 0
    assert json.loads(out) == {
        "question": ROUNDS,
        "columns": ["table_id", "rounds"],
        "rows": [{"table_id": "T1", "rounds": 1}, {"table_id": "T2", "rounds": 1}],
        "left_out": [],
        "log_changes": [],
    }
    run_file(lake, house.DAY, "T2").unlink()
    code, out, err = said(capsys, ROUNDS, "--lake", lake, "--json")
    assert (code, len(json.loads(out)["rows"])) == (1, 1)
    assert [left["table_id"] for left in json.loads(out)["left_out"]] == ["T2"]
    assert f"left out: {house.DAY} T2" in err
    _, out, _ = said(
        capsys, "SELECT 'nan'::DOUBLE AS a, '-inf'::DOUBLE AS b, 0.5::DOUBLE AS c", "--lake", lake, "--json"
    )
    assert json.loads(out)["rows"] == [{"a": "nan", "b": "-inf", "c": 0.5}]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *(
            (each, f"'{each}")
            for each in ("=1+1", "+1", "-1", "@x", " =1", "＝1", "＠x", "=cmd|' /C calc'!A0", '="a,b"')
        ),
        *((each, f"'{each[0]}'=1") for each in ("\t=1", "\r=1", "\n=1")),
        ("x;=1+1", "x;'=1+1"),  # to one that parts cells by semicolons
        ("x;y\tz", "x;y\tz"),
        ("p\x1b[2J7\x9b", "p\ufffd[2J7\ufffd"),  # nor an order to a terminal
    ],
)
def test_no_text_of_a_log_is_a_formula_in_a_spreadsheet(
    lake: Path, capsys: pytest.CaptureFixture[str], text: str, shown: str
) -> None:
    quoted = text.replace("'", "''")
    code, out, _ = said(capsys, f"SELECT '{quoted}' AS \"=a\", -5 AS n, 'plain' AS p", "--lake", lake, "--csv")
    assert code == 0
    assert list(csv.reader(io.StringIO(out, newline=""))) == [["'=a", "n", "p"], [shown, "-5", "plain"]]


def test_a_time_and_a_boolean_are_written_alike_by_query_and_sql(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Times by ISO 8601 in UTC: two programs' answers are laid side by side."""
    archive, lake = tmp_path / "archive", tmp_path / "lake"
    house.write(
        archive,
        "T1",
        f"{house.OPEN} shuffle:1:machine:1 #1 1.ante=100@p1 nomore void:misdeal end #- dealer-D1 close=500000",
    )
    run_nightly(archive, lake, house.DAY)
    main(["query", "voided_rounds", "--lake", str(lake), "--json"])
    [voided] = json.loads(capsys.readouterr().out)["rows"]
    at = voided["started_at"]
    assert dt.datetime.fromisoformat(at).utcoffset() == dt.timedelta(0) and at[10] == "T" and len(at) == 32
    question = "SELECT started_at, status = 'void' AS voided, NOT voided AS held FROM rounds"
    _, out, _ = said(capsys, question, "--lake", lake, "--json")
    assert json.loads(out)["rows"] == [{"started_at": at, "voided": True, "held": False}]
    _, out, _ = said(capsys, question, "--lake", lake, "--csv")
    assert out.splitlines() == ["started_at,voided,held", f"{at},true,false"]
    _, out, _ = said(capsys, question, "--lake", lake)
    assert f"│ {at} │ true   │ false │" in out


def test_a_table_on_the_screen_shows_no_markup_or_control_character_of_a_log(
    lake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = said(capsys, "SELECT '[red]a[/]' || chr(27) || '[2J' AS \"[b]c[/]\" FROM range(300)", "--lake", lake)
    assert "[red]a[/]" in out
    assert "[b]c[/]" in out
    assert "\x1b" not in out
    assert out.endswith("300 rows, the first 200 are shown; --json and --csv give them all\n")


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["SELECT dealr FROM wagers"], 'Referenced column "dealr" not found'),
        (["DROP VIEW wagers"], "DROP is refused"),
        (["SELECT 1; SELECT 2", "--json"], "answer one question, and these are 2"),
        (["SELECT 1", "--json", "--csv"], "choose one"),
        (["SELECT 1", "--seconds", "0"], "Must be >= 1"),
    ],
)
def test_what_cannot_be_answered_is_one_line_and_exit_2(
    lake: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], reported: str
) -> None:
    code, out, err = said(capsys, *arguments, "--lake", lake)
    assert (code, out) == (2, "")
    assert reported in err.splitlines()[-1]


def test_days_can_be_bounded(lake: Path, archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for bound, count in (("--from", 2), ("--to", 2)):
        _, out, _ = said(capsys, ROUNDS, "--lake", lake, "--csv", bound, house.DAY)
        assert len(out.splitlines()) == 1 + count
    _, out, _ = said(capsys, ROUNDS, "--lake", lake, "--csv", "--from", "2009-06-02")
    assert len(out.splitlines()) == 1


@pytest.mark.parametrize(
    ("first", "last", "reported"),
    [
        ("2009-06-01", "2009-06-01", None),
        ("2009-06-02", None, "2009-06-02: no run judged it"),
        (None, "2009-05-31", "2009-05-31: no run judged it"),
        ("2009-05-30", "2009-06-04", "5 gaming days from 2009-05-30 to 2009-06-04: no run judged them"),
    ],
)
def test_days_asked_for_of_which_the_lake_has_nothing_are_named(
    lake: Path, capsys: pytest.CaptureFixture[str], first: str | None, last: str | None, reported: str | None
) -> None:
    """No row of a day that nobody judged is no answer."""
    bounds = [each for name, day in (("first", first), ("last", last)) if day for each in ("--param", f"{name}={day}")]
    main(["query", "unsettled_wagers", "--lake", str(lake), *bounds])
    queried = capsys.readouterr().err
    bounds = [each for name, day in (("--from", first), ("--to", last)) if day for each in (name, day)]
    _, _, asked = said(capsys, ROUNDS, "--lake", lake, *bounds)
    for stderr in (queried, asked):
        assert [line for line in stderr.splitlines() if "the lake has nothing of" in line] == (
            [f"pitaudit: the lake has nothing of {reported}; `pitaudit backfill` does"] if reported else []
        )


@pytest.mark.parametrize(("action", "missed"), [("splitt", True), (None, False)])
def test_a_query_that_finds_no_row_names_the_texts_that_it_looked_for(
    lake: Path, capsys: pytest.CaptureFixture[str], action: str | None, missed: bool
) -> None:
    """A typing error looked like an answer: nobody did so."""
    params = ["--param", f"action={action}"] if action else []
    assert main(["query", "decisions_against_the_rules", "--lake", str(lake), *params]) == 0
    reported = "there is no row with action=splitt: is it written as the lake has it?"
    assert (reported in capsys.readouterr().err) == missed


def test_questions_are_read_from_standard_input(lake: Path, pitaudit: Any, tmp_path: Path) -> None:
    command: list[Any] = [PITAUDIT, "sql", "--lake", lake]
    done = subprocess.run(
        command, input=b"SHOW TABLES;\n" + ROUNDS.encode() + b"; -- and no more", capture_output=True, check=False,
        env=environment(), cwd=tmp_path, timeout=180,
    )  # fmt: skip
    assert done.returncode == 0
    assert b"table_reconciliation" in done.stdout
    assert done.stdout.rstrip().endswith(b"2 rows")
    done = subprocess.run(command, input=b"\xff", capture_output=True, check=False, env=environment(), timeout=180)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"no UTF-8 at byte 0" in done.stderr


def test_a_terminal_is_prompted_and_a_wrong_question_does_not_end_the_others(lake: Path, tmp_path: Path) -> None:
    here, there = pty.openpty()
    command: list[Any] = [PITAUDIT, "sql", "--lake", lake]
    asked_ = subprocess.Popen(
        command, stdin=there, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment(), cwd=tmp_path
    )
    os.close(there)
    os.write(here, b"SELECT dealr FROM wagers;\nSELECT 41\n + 1\n AS answer;\n\x04")
    try:
        out, _ = asked_.communicate(timeout=180)
    finally:
        asked_.kill()
        os.close(here)
    assert asked_.returncode == 0
    assert b'"dealr" not found' in out
    assert b"42" in out


def test_a_function_that_never_looks_at_the_clock_is_stopped_as_well(lake: Path, pitaudit: Any) -> None:
    began = time.monotonic()
    done = pitaudit("sql", "SELECT length(repeat('x', 1100000000))", "--lake", lake, "--seconds", "1")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "pitaudit: stopped after 1 s: ask for less, or give it more --seconds"
    assert time.monotonic() - began < 120
