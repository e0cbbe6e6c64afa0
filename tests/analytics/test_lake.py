"""The lake: whole table-days or none, read back as they were, players under pseudonyms, no reach beyond the folder."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from analytics.lake import (
    DayFiles,
    DayNote,
    LakeUnusable,
    describe,
    forget,
    is_current,
    note_day,
    read_note,
    run_file,
    runs,
    write,
)
from analytics.lake.contents import contents_of
from analytics.lake.describe import description, page
from analytics.lake.files import NotIntact
from analytics.lake.parts import staged_folder
from analytics.lake.run import Run, read_run
from replayer.law.calendar import games
from replayer.sources.layout import Manifest, TableIdRefused
from replayer.sources.safe_texts import digested_json, read_digested_json
from replayer.sources.table_days import TableDayRef
from replayer.verdicts.tables import DEFINITIONS, TABLES, TIME
from schemas.finding import Finding
from schemas.identity import Pseudonyms
from tests.analytics import made
from tests.lakes import connect


def sealed_log(archive: Path, data: bytes) -> TableDayRef:
    """A sealed container in an archive; its bytes need not be Avro, the lake only digests them."""
    folder = archive / made.DAY.isoformat()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "T1.avro").write_bytes(data)
    sha256 = hashlib.sha256(data).hexdigest()
    manifest = Manifest("T1", made.DAY, 0, 1, 1, 1, len(data), sha256, "00", "0" * 64)
    (folder / "T1.json").write_text(manifest.to_json())
    return TableDayRef(made.DAY, "T1", archive)


def test_empty_lake_has_empty_views_of_the_right_schema(lake: Path) -> None:
    with connect(lake) as connection:
        for name, schema in TABLES.items():
            assert connection.sql(f'FROM "{name}"').pl().schema == schema


def test_tables_come_back_as_they_were(lake: Path) -> None:
    day = made.replayed(wagers=[made.wager(1, 100, 100, 100, player=None)], custody=made.custody(("TableOpened", 5000)))
    write(lake, [day], made.PINS)
    with connect(lake) as connection:
        for name, frame in day.tables().items():
            assert connection.sql(f'FROM "{name}"').pl().equals(frame)


def test_views_hold_only_the_days_asked_for(lake: Path, put: Any) -> None:
    for number in (4, 5, 6):
        put("T1", dt.date(2026, 1, number))
    with connect(lake, dt.date(2026, 1, 5), dt.date(2026, 1, 6)) as connection:
        days = connection.sql("SELECT gaming_day FROM table_days ORDER BY ALL").fetchall()
    assert days == [(dt.date(2026, 1, 5),), (dt.date(2026, 1, 6),)]


def test_connection_reads_nothing_outside_the_lake(lake: Path, tmp_path: Path, put: Any) -> None:
    put()
    outside = tmp_path / "outside.csv"
    outside.write_text("a\n1\n")
    with connect(lake) as connection:
        with pytest.raises(duckdb.PermissionException):
            connection.sql(f"FROM read_csv('{outside}')").fetchall()
        with pytest.raises(duckdb.Error):
            connection.execute("SET enable_external_access = true")
        assert connection.sql("SELECT current_setting('TimeZone')").fetchall() == [("UTC",)]


def test_a_damaged_file_of_the_lake_is_named_with_what_to_do(lake: Path, put: Any) -> None:
    put()
    (file,) = staged_folder(lake, made.DAY).glob("*-wagers.parquet")
    file.write_bytes(file.read_bytes()[:200])
    [left] = contents_of(lake).left_out
    assert f"{file} is not as it was written" in left.why
    assert f"`pitaudit nightly --day {made.DAY}` makes it anew" in left.why
    with connect(lake) as connection:
        assert connection.sql("FROM wagers").fetchall() == []


def test_path_with_a_quote_works_and_with_a_wildcard_is_refused(tmp_path: Path) -> None:
    quoted = tmp_path / "o'lake"
    write(quoted, [made.replayed()], made.PINS)
    with connect(quoted) as connection:
        assert connection.sql("SELECT count(*) FROM table_days").fetchall() == [(1,)]
    with pytest.raises(LakeUnusable, match="must hold none of"), connect(tmp_path / "la*ke"):
        pass


def test_table_day_without_manifest_is_not_seen(lake: Path, put: Any) -> None:
    put("T1")
    put("T2")
    run_file(lake, made.DAY, "T1").unlink()
    with connect(lake) as connection:
        assert connection.sql("SELECT table_id FROM table_days").fetchall() == [("T2",)]


def test_failure_while_rewriting_leaves_the_table_day_absent_and_a_rerun_completes_it(lake: Path) -> None:
    write(lake, [made.replayed(wagers=[made.wager(1, 100, 100, 100)])], made.PINS)
    better = made.replayed(wagers=[made.wager(1, 100, 100, 100), made.wager(2, 100, -100, -100)])
    in_the_way = staged_folder(lake, made.DAY)
    shutil.rmtree(in_the_way)
    in_the_way.write_text("a file where the folder must be")
    with pytest.raises(OSError, match="staged"):
        write(lake, [better], made.PINS)
    assert runs(lake) == []
    with connect(lake) as connection:
        assert connection.sql("FROM wagers").fetchall() == []
    in_the_way.unlink()
    write(lake, [better], made.PINS)
    with connect(lake) as connection:
        assert connection.sql("SELECT count(*) FROM wagers").fetchall() == [(2,)]


def test_draft_of_a_file_that_could_not_be_written_is_taken_away(lake: Path) -> None:
    write(lake, [made.replayed()], made.PINS)
    (file,) = staged_folder(lake, made.DAY).glob("*-rounds.parquet")
    file.unlink()
    file.mkdir()
    with pytest.raises(OSError, match=str(file)):
        write(lake, [made.replayed()], made.PINS)
    assert [path.name for path in lake.rglob(".*")] == []


def test_current_only_for_the_same_bytes_and_the_same_pins(lake: Path, tmp_path: Path) -> None:
    ref = sealed_log(tmp_path / "archive", b"events")
    digest = hashlib.sha256(b"events").hexdigest()
    assert not is_current(ref, made.PINS, DayFiles(lake, made.DAY))
    write(lake, [made.replayed(container_sha256=digest)], made.PINS)
    assert is_current(ref, made.PINS, DayFiles(lake, made.DAY))
    for other in (
        replace(made.PINS, program="1.1"),
        replace(made.PINS, rules_digest="changed"),
        replace(made.PINS, rulings={"X-2": "down"}),
        replace(made.PINS, pseudonyms=Pseudonyms(b"key")),
    ):
        assert not is_current(ref, other, DayFiles(lake, made.DAY))
    ref.archive.joinpath(made.DAY.isoformat(), "T1.avro").write_bytes(b"evemts")
    assert not is_current(ref, made.PINS, DayFiles(lake, made.DAY)), (
        "a flipped bit makes a run necessary although no manifest changed"
    )
    sealed_log(tmp_path / "archive", b"other events")
    assert not is_current(ref, made.PINS, DayFiles(lake, made.DAY))


def test_not_current_when_a_file_was_lost_cut_or_the_manifest_is_half_written(lake: Path, tmp_path: Path) -> None:
    ref = sealed_log(tmp_path / "archive", b"events")
    day = made.replayed(container_sha256=hashlib.sha256(b"events").hexdigest())
    write(lake, [day], made.PINS)
    (rounds,) = staged_folder(lake, made.DAY).glob("*-rounds.parquet")
    rounds.write_bytes(rounds.read_bytes()[:-1])
    assert not is_current(ref, made.PINS, DayFiles(lake, made.DAY))
    write(lake, [day], made.PINS)
    rounds.unlink()
    assert not is_current(ref, made.PINS, DayFiles(lake, made.DAY))
    [left] = contents_of(lake).left_out
    assert "rounds.parquet is missing" in left.why
    write(lake, [day], made.PINS)
    manifest = run_file(lake, made.DAY, "T1")
    manifest.write_text(manifest.read_text()[:40])
    assert not is_current(ref, made.PINS, DayFiles(lake, made.DAY))
    with pytest.raises(NotIntact, match="cannot be read: no JSON at line 2"):
        read_run(lake, made.DAY, "T1")


def test_forgotten_table_day_is_out_of_sight(lake: Path, put: Any) -> None:
    put("T1")
    forget(lake, made.DAY, "T1")
    forget(lake, made.DAY, "T9")
    assert runs(lake) == []


def test_table_id_that_could_leave_the_lake_is_refused(lake: Path) -> None:
    with pytest.raises(TableIdRefused):
        write(lake, [made.replayed("../T1")], made.PINS)
    assert not lake.exists()


def test_players_are_pseudonymous_everywhere(lake: Path) -> None:
    day = made.replayed(
        wagers=[made.wager(1, 100, 100, 100), made.wager(1, 100, -100, -100, seat=2, player=None)],
        custody=made.custody(("CashBoughtIn", 500, None, "alice")),
        decisions=[{"round": 1, "seq": 12, "seat": 1, "hand": 0, "action": "hit", "player": "alice"}],
    )
    write(lake, [day], replace(made.PINS, pseudonyms=Pseudonyms(b"secret")))
    with connect(lake) as connection:
        seen = {
            name: connection.sql(f"SELECT player FROM {name} ORDER BY ALL NULLS LAST").fetchall()
            for name in ("wagers", "custody", "decisions")
        }
    alias = "p" + hashlib.blake2b(b"alice", digest_size=8, key=b"secret", person=b"pitaudit.player").hexdigest()
    assert seen == {"wagers": [(alias,), (None,)], "custody": [(alias,)], "decisions": [(alias,)]}
    for file in lake.rglob("*.parquet"):
        assert b"alice" not in file.read_bytes()
    assert "secret" not in run_file(lake, made.DAY, "T1").read_text()


def test_pseudonyms_hang_on_the_key_and_take_keys_of_any_length() -> None:
    aliases = {Pseudonyms(key).of("alice") for key in (b"", b"k", b"x" * 64, b"x" * 65)}
    assert len(aliases) == 4
    assert Pseudonyms.from_environment({"PITAUDIT_PSEUDONYM_KEY": "k"}) == Pseudonyms(b"k")
    assert Pseudonyms.from_environment({"PITAUDIT_PSEUDONYM_KEY": os.fsdecode(b"\xff\xfe")}) == Pseudonyms(b"\xff\xfe")
    assert Pseudonyms.from_environment({}).print == ""
    assert "k" not in repr(Pseudonyms(b"k")).removeprefix("Pseudonyms")


def test_day_note_comes_back_and_a_damaged_one_is_reported(lake: Path) -> None:
    assert read_note(lake, made.DAY) is None
    gap = Finding("SEQUENCE_GAP", "T1", made.DAY, 7, message="2 events missing")
    elsewhere = Finding("SEQUENCE_GAP", "T1", dt.date(2026, 1, 6), 7)
    note_day(lake, made.DAY, DayNote(3, {"T7": "cut off at byte 9"}, (gap, elsewhere)))
    assert read_note(lake, made.DAY) == DayNote(3, {"T7": "cut off at byte 9"}, (gap,))
    path = lake / "days" / f"{made.DAY}.json"
    path.write_text("{")
    with pytest.raises(LakeUnusable, match="run the day again"):
        read_note(lake, made.DAY)
    unknown = {"code": "NO_SUCH", "table_id": "", "seq": 1, "message": ""}
    note_day(lake, made.DAY, DayNote())
    path.write_text(digested_json(read_digested_json(path.read_bytes()) | {"between": [unknown]}))
    with pytest.raises(LakeUnusable, match="NO_SUCH"):
        read_note(lake, made.DAY)


@pytest.mark.parametrize("odd", [5, "x", [5], ["xy"], [["x"]], [{"a": 1}]], ids=repr)
def test_a_day_note_with_a_value_of_another_type_is_damaged(lake: Path, odd: object) -> None:
    note_day(lake, made.DAY, DayNote())
    path = lake / "days" / f"{made.DAY}.json"
    values = read_digested_json(path.read_bytes())
    for name in ("damaged", "between", "tables", "lost", "answered", "ahead"):
        path.write_text(digested_json(values | {name: odd}))
        with pytest.raises(LakeUnusable, match="is no note of a gaming day"):
            read_note(lake, made.DAY)


def test_no_manifest_is_written_anew_to_be_read(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A night with nothing to do reads each manifest several times: it cost a second for two hundred table-days."""
    write(lake, [made.replayed(wagers=[made.wager(1, 100, 100, 100)])], made.PINS)
    written: list[Any] = []
    monkeypatch.setattr(Run, "to_json", written.append)
    monkeypatch.setattr("analytics.lake.run.digested_json", written.append)
    (run,) = contents_of(lake).runs
    assert run.identity == hashlib.sha256(run_file(lake, run.gaming_day, run.table_id).read_bytes()).hexdigest()
    assert not written


# Every table and column is described where it is defined, and nowhere otherwise


def test_the_page_in_the_repository_is_what_the_definitions_say() -> None:
    kept = Path(describe.__file__).with_name("tables.md").read_text(encoding="utf-8")
    assert kept == page(), "write it anew: pitaudit lake --describe > analytics/lake/tables.md"


@pytest.mark.parametrize("table", TABLES)
def test_every_column_has_a_meaning_and_what_is_measured_has_a_unit(table: str) -> None:
    assert DEFINITIONS[table].grain
    for column in DEFINITIONS[table].columns:
        assert column.meaning.endswith("."), column.name
        if column.name.endswith("_minor"):
            assert column.unit == "minor units", column.name
        if column.name == "at" or column.name.endswith("_at"):
            assert (column.type, column.unit) == (TIME, "UTC, microseconds")


def test_the_views_have_the_columns_and_types_that_are_described(tmp_path: Path) -> None:
    with connect(tmp_path / "lake") as connection:
        for table in description():
            seen = connection.sql(f"DESCRIBE {table['table']}").fetchall()
            assert [(row[0], row[1]) for row in seen] == [(c["name"], c["type"]) for c in table["columns"]]


def test_no_column_of_a_time_or_an_amount_is_a_number_with_a_fraction() -> None:
    assert not [name for schema in TABLES.values() for name, kind in schema.items() if kind in (pl.Float64, pl.Float32)]


def test_decisions_of_a_hand_say_which_decisions_they_leave_out() -> None:
    (decisions,) = [column for column in DEFINITIONS["hands"].columns if column.name == "decisions"]
    for game in games().values():
        for action in game.actions.aside:
            assert action.replace("_", " ") in decisions.meaning.split(";")[-1], action
