"""``lake.duckdb``: any tool that opens it sees the rows that `pitaudit sql` sees, wherever the lake lies by then."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from analytics import database, marts
from analytics.database import write_database
from analytics.lake import LakeContents, contents_of, run_file, views
from analytics.lake.parts import part_file
from flows.cli import main
from flows.plan import NothingToRun
from flows.runs import run_nightly
from replayer.verdicts.tables import TABLES
from tests import house
from tests.flows.property import Property
from tests.full_disk import no_file_beyond
from tests.servers import environment

COUNT = "SELECT table_id, count(*) FROM wagers GROUP BY table_id ORDER BY table_id"
BOTH = [("T1", 2), ("T2", 2)]
OUTSIDE = """
import duckdb, sys
database, attached = sys.argv[1:]
if attached:
    connection = duckdb.connect()
    connection.execute(f"ATTACH '{database}' AS house (READ_ONLY)")
else:
    connection = duckdb.connect(database, read_only=True)
named = "house." if attached else ""
print(connection.execute(f"SELECT table_id, count(*) FROM {named}wagers GROUP BY table_id ORDER BY table_id").fetchall())
print(connection.execute(f"SELECT table_id, overpaid_minor FROM {named}table_reconciliation ORDER BY table_id").fetchall())
"""
SEEN = "[('T1', 2), ('T2', 2)]\n[('T1', 0), ('T2', 5000)]\n"


@pytest.fixture
def archive(judged_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(judged_once / "archive", tmp_path / "archive"))


@pytest.fixture
def lake(judged_once: Path, tmp_path: Path) -> Path:
    """A copy, in another place than the one where its database was made."""
    return Path(shutil.copytree(judged_once / "lake", tmp_path / "lake of 'the' house"))


def outside(lake: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(lake / "lake.duckdb"), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def opened_from(here: Path, database: str, attached: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-c", OUTSIDE, database, attached],
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    return done.stdout + done.stderr


def test_every_table_and_measure_is_the_one_of_our_own_queries(lake: Path) -> None:
    held = contents_of(lake)
    with views(lake, held) as connection, duckdb.connect(str(lake / "lake.duckdb"), read_only=True) as other:
        marts.load(connection, held.runs)
        for name in (*TABLES, *marts.measures(), "left_out"):
            theirs, ours = (each.execute(f"SELECT * FROM {name} ORDER BY ALL") for each in (other, connection))
            assert theirs.description == ours.description, name
            assert theirs.fetchall() == ours.fetchall(), name


def test_no_folder_from_which_it_is_opened_and_no_move_of_the_lake_hides_a_row(lake: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert opened_from(tmp_path, f"{lake.name}/lake.duckdb") == SEEN
    assert opened_from(lake, "lake.duckdb") == SEEN
    assert opened_from(elsewhere, f"../{lake.name}/lake.duckdb") == SEEN
    moved = lake.rename(tmp_path / "moved")
    assert opened_from(elsewhere, str(moved / "lake.duckdb")) == SEEN
    (tmp_path / "mounted").symlink_to(moved)
    assert opened_from(elsewhere, str(tmp_path / "mounted" / "lake.duckdb")) == SEEN


def test_attached_to_another_database_it_reads_where_it_was_made_or_where_it_is_reported(
    archive: Path, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    run_nightly(archive, lake, house.DAY, show=True)
    assert opened_from(tmp_path, str(lake / "lake.duckdb"), "attached") == SEEN
    moved = lake.rename(tmp_path / "moved")
    assert "No files found" in opened_from(tmp_path, str(moved / "lake.duckdb"), "attached")
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{moved}/lake.duckdb' AS house (READ_ONLY)")
        connection.execute(f"SET VARIABLE lake = '{moved}/'")
        assert connection.execute(COUNT.replace("wagers", "house.wagers")).fetchall() == BOTH


def test_rows_of_a_table_day_whose_log_is_damaged_by_now_are_gone_and_it_is_named(archive: Path, lake: Path) -> None:
    house.damage(archive / str(house.DAY) / "T2.avro")
    run_nightly(archive, lake, house.DAY, show=True)
    assert outside(lake, COUNT) == BOTH[:1]
    ((day, table, why),) = outside(lake, "FROM left_out")
    assert (day, table) == (house.DAY, "T2")
    assert str(archive / str(house.DAY) / "T2.avro") in why


def test_a_table_day_whose_manifest_is_missing_is_out_of_sight_and_the_others_are_not(lake: Path) -> None:
    file = run_file(lake, house.DAY, "T1")
    file.unlink()
    write_database(lake)
    assert outside(lake, COUNT) == BOTH[1:]
    ((table, why),) = outside(lake, "SELECT table_id, why FROM left_out")
    assert (table, why.startswith(f"{file} is missing")) == ("T1", True)


def test_a_file_that_is_missing_hides_its_own_rows_and_keeps_nobody_from_the_others(archive: Path, lake: Path) -> None:
    house.write(archive, "T1", house.SOUND, house.DAY.replace(day=2), first_seq=26)
    run_nightly(archive, lake, house.DAY.replace(day=2), show=True)
    part_file(lake, "wagers", house.DAY, 0).unlink()
    write_database(lake)
    assert outside(lake, COUNT) == BOTH[:1]
    left = outside(lake, "SELECT day(gaming_day), table_id FROM left_out ORDER BY ALL")
    assert left == [(1, "T1"), (1, "T2"), (2, "T2")], "T2 is absent on the second day"


@pytest.mark.parametrize("damage", [b"", b"no Parquet at all", b"PAR1 \x15\x00\x04\x00\x00\x00PAR1"])
def test_a_file_of_another_day_that_no_database_can_read_does_not_keep_a_night_from_its_end(
    archive: Path, lake: Path, damage: bytes
) -> None:
    second = house.DAY.replace(day=2)
    for table in ("T1", "T2"):
        house.write(archive, table, house.SOUND, second, first_seq=26)
    file = part_file(lake, "wagers", house.DAY, 0)
    file.write_bytes(damage)
    night = run_nightly(archive, lake, second, show=True)
    assert sorted(night.replayed) == ["T1", "T2"]
    assert outside(lake, COUNT) == BOTH, "those of the second day"
    left = outside(lake, "SELECT day(gaming_day), table_id, why FROM left_out ORDER BY ALL")
    assert [(day, table, str(file) in why) for day, table, why in left] == [(1, "T1", True), (1, "T2", True)]


def test_what_each_column_means_stands_beside_it(lake: Path) -> None:
    said = dict(outside(lake, "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'wagers'"))
    assert said["delta_minor"].startswith("Paid less the exact due: positive where the house overpaid;")
    assert all(said.values())


def test_nothing_of_ours_rests_on_it_and_the_next_night_makes_it_anew(
    archive: Path, lake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = lake / "lake.duckdb"
    whole = outside(lake, COUNT)
    for damage in (b"", b"no database", None):
        file.write_bytes(damage) if damage is not None else file.unlink()
        assert main(["sql", COUNT, "--lake", str(lake), "--csv"]) == 0
        assert capsys.readouterr().out == "table_id,count_star()\r\nT1,2\r\nT2,2\r\n"
        night = run_nightly(archive, lake, house.DAY, show=True)
        assert (night.replayed, night.made_anew) == ((), {})
        assert outside(lake, COUNT) == whole


def test_what_somebody_wrote_into_it_does_not_keep_the_next_one_from_being_opened(archive: Path, lake: Path) -> None:
    database = lake / "lake.duckdb"
    code = "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]); c.execute('CREATE TABLE own AS SELECT 1'); os._exit(0)"
    subprocess.run([sys.executable, "-c", code, database], check=True, timeout=180)
    assert database.with_name("lake.duckdb.wal").exists()
    run_nightly(archive, lake, house.DAY, show=True)
    assert outside(lake, COUNT) == BOTH


def test_a_full_disk_leaves_the_database_as_it_was(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (lake / "lake.duckdb").read_bytes()
    with (
        no_file_beyond(50_000),
        pytest.raises(OSError, match=r"\] File too large: make room there .*lake\.duckdb.$"),
    ):
        write_database(lake)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="make room there"):
        write_database(lake)
    assert (lake / "lake.duckdb").read_bytes() == before
    assert not list(lake.glob(".lake*"))


def test_its_file_is_for_the_same_readers_as_the_rest_of_the_lake(lake: Path) -> None:
    rest = part_file(lake, "wagers", house.DAY, 0).stat().st_mode
    assert (lake / "lake.duckdb").stat().st_mode == rest


def test_a_backfill_makes_it_for_all_days(archive: Path, tmp_path: Path) -> None:
    house.write(archive, "T1", house.SOUND, house.DAY.replace(day=2), first_seq=26)
    Property(tmp_path).backfill(house.DAY, house.DAY.replace(day=2))
    assert outside(tmp_path / "lake", COUNT) == [("T1", 4), ("T2", 2)]


def test_an_empty_lake_gives_no_database_with_rows_that_are_not_there(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(NothingToRun):
        run_nightly(archive, tmp_path / "lake", house.DAY.replace(year=2010), show=True)
    write_database(tmp_path / "lake")
    assert outside(tmp_path / "lake", COUNT) == []


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Days count as settled at once: no file here changes twice within a tick of the clock."""
    monkeypatch.setattr(database, "_SETTLED_NS", 0)


def looked_at(monkeypatch: pytest.MonkeyPatch, lake: Path) -> list[dt.date]:
    """The days that making the database looks at anew."""
    days: list[dt.date] = []

    def reported(lake: Path, first: dt.date, last: dt.date) -> LakeContents:
        days.append(first)
        return contents_of(lake, first, last)

    monkeypatch.setattr(database, "contents_of", reported)
    write_database(lake)
    return days


@pytest.mark.usefixtures("settled")
def test_a_night_looks_again_at_the_days_that_changed_and_at_no_other(
    archive: Path, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = house.DAY.replace(day=2)
    house.write(archive, "T1", house.SOUND, second, first_seq=26)
    run_nightly(archive, lake, second, show=True)
    whole = outside(lake, COUNT), outside(lake, "FROM house_edges ORDER BY ALL")
    assert looked_at(monkeypatch, lake) == []
    assert (outside(lake, COUNT), outside(lake, "FROM house_edges ORDER BY ALL")) == whole
    assert whole[0] == [("T1", 4), ("T2", 2)] and len(whole[1]) > 0
    manifest = run_file(lake, second, "T1")
    text = manifest.read_bytes()
    # In its place, and as long as it was.
    manifest.write_bytes(text.replace(b'"on_other_days": 0', b'"on_other_days": 1'))
    assert looked_at(monkeypatch, lake) == [second]
    assert outside(lake, COUNT) == BOTH
    manifest.write_bytes(text)
    assert looked_at(monkeypatch, lake) == [second], "a damaged day is looked at each time"
    assert outside(lake, COUNT) == whole[0]


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("folder", ["runs", "judged", "days", "parts", "data"])
def test_whatever_is_taken_away_of_a_day_is_seen(lake: Path, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    write_database(lake)
    assert looked_at(monkeypatch, lake) == []
    next(path for path in sorted((lake / folder).rglob("*.*")) if path.is_file()).unlink()
    assert looked_at(monkeypatch, lake) == [house.DAY]


@pytest.mark.usefixtures("settled")
def test_what_is_kept_and_was_changed_by_somebody_is_not_believed(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_database(lake)
    with duckdb.connect(str(lake / "lake.duckdb")) as connection:
        connection.execute("UPDATE kept.days SET shown = replace(shown, 'part-0', 'part-9')")
    assert looked_at(monkeypatch, lake) == [house.DAY]
    assert outside(lake, COUNT) == BOTH


def test_a_day_that_changed_but_now_is_looked_at_again(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.utime(run_file(lake, house.DAY, "T1"))
    write_database(lake)
    assert looked_at(monkeypatch, lake) == [house.DAY]


KILLED = """
import analytics.database, datetime as dt, os, pathlib, sys
from flows.runs import run_nightly
analytics.database.write_durably = lambda *_: os._exit(9)
run_nightly(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), dt.date.fromisoformat(sys.argv[3]), show=True)
"""


def test_a_draft_of_a_night_that_was_killed_is_cleared_away_by_the_next(archive: Path, tmp_path: Path) -> None:
    lake, system = tmp_path / "new lake's", tmp_path / "system"
    system.mkdir()
    command = [sys.executable, "-c", KILLED, archive, lake, str(house.DAY)]
    killed = subprocess.run(command, check=False, env={**environment(), "TMPDIR": str(system)})
    assert killed.returncode == 9
    assert [*system.iterdir()] == [], "nobody clears the system's folder away"
    run_nightly(archive, lake, house.DAY, show=True)
    assert sorted(path.name for path in lake.glob(".*")) == [".lock", ".turn"]
