"""The table-days of a gaming day in few files: every row once, none that was replaced or taken away, whatever is killed when."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from pyarrow import dataset

from analytics.lake import compact, compaction, contents_of, forget, parts, write
from analytics.lake.files import NotIntact
from analytics.lake.memory import memory_file
from analytics.lake.parts import part_file, parts_file, staged_folder
from replayer.processes.spread import spread
from replayer.verdicts import run
from replayer.verdicts.tables import TABLES
from tests.analytics import made
from tests.archives import files_in
from tests.lakes import connect

NEXT = dt.date(2026, 1, 6)


def rows_of(lake: Path) -> dict[str, list[tuple[Any, ...]]]:
    with connect(lake) as connection:
        return {name: connection.sql(f"FROM {name} ORDER BY ALL").fetchall() for name in TABLES}


def seen_by_a_glob(lake: Path) -> list[tuple[Any, ...]]:
    """What any tool sees that is given the place of the wagers, and nothing of this program."""
    files = lake / "data" / "wagers" / "*" / "*.parquet"
    said = "table_id, gaming_day, round, paid_minor"
    return duckdb.sql(f"SELECT {said} FROM read_parquet('{files}', hive_partitioning = true) ORDER BY ALL").fetchall()


def test_a_gaming_day_is_one_file_a_table_however_many_tables_there_are(lake: Path, put: Any) -> None:
    for number in range(12):
        put(f"T{number}", wagers=[made.wager(1, 100, 100, 100)])
    staged = rows_of(lake)
    compact(lake, made.DAY)
    assert [path.name for path in lake.rglob("*.parquet")] == ["part-0.parquet"] * len(TABLES)
    assert rows_of(lake) == staged
    assert len(staged["wagers"]) == 12


@pytest.mark.parametrize("tables", [2, 12])
def test_table_days_that_were_judged_together_are_not_read_one_by_one(
    lake: Path, put: Any, monkeypatch: pytest.MonkeyPatch, tables: int
) -> None:
    """It was a read for each file of each table-day: of tiny ones a third of the night."""
    put("S1", wagers=[made.wager(1, 100, 100, 100)])
    compact(lake, made.DAY)
    together = [made.replayed(f"T{number}", wagers=[made.wager(1, 100, 100, 100)]) for number in range(tables)]
    write(lake, together, made.PINS)
    reads: list[object] = []
    scan = pl.scan_parquet
    monkeypatch.setattr(compaction.pl, "scan_parquet", lambda source: reads.append(source) or scan(source))
    compact(lake, made.DAY)
    assert 0 < len(reads) <= 2 * len(TABLES), "what lay in the part, and all that is staged"
    monkeypatch.undo()
    assert len(rows_of(lake)["wagers"]) == tables + 1


def test_any_tool_that_knows_hive_folders_reads_rows_and_gaming_days(lake: Path, put: Any) -> None:
    put("T1", wagers=[made.wager(1, 100, 130, 100)])
    put("T1", NEXT, wagers=[made.wager(2, 100, -100, -100)])
    for day in (made.DAY, NEXT):
        compact(lake, day)
    expected = [("T1", made.DAY, 1, 130), ("T1", NEXT, 2, -100)]
    assert seen_by_a_glob(lake) == expected
    columns = ["table_id", "gaming_day", "round", "paid_minor"]
    assert pl.scan_parquet(lake / "data" / "wagers").select(columns).sort("round").collect().rows() == expected
    table = dataset.dataset(lake / "data" / "wagers", partitioning="hive").to_table(columns=columns)
    assert sorted(map(str, table["gaming_day"].to_pylist())) == [str(made.DAY), str(NEXT)]
    assert pl.read_parquet_schema(part_file(lake, "wagers", NEXT, 0))["placed_at"] == pl.Datetime("us", "UTC")


def test_what_was_judged_again_leaves_no_earlier_row_to_a_glob(lake: Path, put: Any) -> None:
    put("T1", wagers=[made.wager(1, 100, 130, 100)])
    put("T2", wagers=[made.wager(1, 100, 100, 100)])
    compact(lake, made.DAY)
    put("T1", wagers=[made.wager(1, 100, 777, 100), made.wager(2, 100, 100, 100)], digest="e" * 64)
    now = [("T1", made.DAY, 1, 777), ("T1", made.DAY, 2, 100), ("T2", made.DAY, 1, 100)]
    with connect(lake) as connection:
        seen = connection.sql("SELECT table_id, gaming_day, round, paid_minor FROM wagers ORDER BY ALL").fetchall()
    assert seen == now, "before they are put together too"
    compact(lake, made.DAY)
    assert seen_by_a_glob(lake) == now


def test_of_table_days_that_were_judged_together_each_is_replaced_or_taken_away_alone(tmp_path: Path) -> None:
    def judged(paid: int, *tables: str) -> list[Any]:
        return [made.replayed(table, wagers=[made.wager(1, 100, paid, 100)]) for table in tables]

    lake, once = tmp_path / "lake", tmp_path / "once"
    write(lake, judged(500, "T1", "T2", "T3", "T4", "T9"), made.PINS)
    write(lake, judged(100, "T4", "T2"), made.PINS)
    write(lake, judged(100, "T3"), made.PINS)
    forget(lake, made.DAY, "T9")
    write(once, [*judged(500, "T1"), *judged(100, "T2", "T3", "T4")], made.PINS)
    assert rows_of(lake) == rows_of(once)
    for each in (lake, once):
        compact(each, made.DAY)
    assert rows_of(lake) == rows_of(once)
    memory_file(lake, made.DAY, "T9").unlink()
    assert files_in(lake) == files_in(once)


def test_a_batch_that_is_not_as_it_was_written_is_believed_for_none_of_its_table_days(lake: Path) -> None:
    for tables in (("T1", "T2"), ("T3",)):
        write(lake, [made.replayed(table, wagers=[made.wager(1, 100, 100, 100)]) for table in tables], made.PINS)
    note = next(file for file in staged_folder(lake, made.DAY).glob("*.json") if b"T1" in file.read_bytes())
    for file in (note, note.with_name(f"{note.stem}-hands.parquet")):
        whole = file.read_bytes()
        file.write_bytes(whole[:-1])
        held = contents_of(lake)
        assert [run.table_id for run in held.runs] == ["T3"]
        assert [(left.table_id, str(file) in left.why) for left in held.left_out] == [("T1", True), ("T2", True)]
        file.write_bytes(whole)
    assert len(rows_of(lake)["wagers"]) == 3


def test_what_was_taken_away_leaves_no_row_to_a_glob(lake: Path, put: Any) -> None:
    for table in ("T1", "T2"):
        put(table, wagers=[made.wager(1, 100, 100, 100)])
    compact(lake, made.DAY)
    forget(lake, made.DAY, "T1")
    with connect(lake) as connection:
        assert connection.sql("SELECT DISTINCT table_id FROM wagers").fetchall() == [("T2",)]
    compact(lake, made.DAY)
    assert {row[0] for row in seen_by_a_glob(lake)} == {"T2"}
    assert [left.table_id for left in contents_of(lake).left_out] == ["T1"], (
        "and yet it is not forgotten that it was judged"
    )
    forget(lake, made.DAY, "T2")
    compact(lake, made.DAY)
    assert list((lake / "data").rglob("*.parquet")) == []


def test_a_large_gaming_day_is_cut_by_rows_and_shrinks_again(
    lake: Path, put: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "KEPT_TOGETHER", 500)
    for number in range(4):
        put(f"T{number}", wagers=[made.wager(n, 100, 100, 100) for n in range(1, 4)])
    staged = rows_of(lake)
    compact(lake, made.DAY)
    assert len(list((lake / "data" / "wagers").rglob("*.parquet"))) == 4
    assert rows_of(lake) == staged
    for table in ("T0", "T2", "T3"):
        forget(lake, made.DAY, table)
    compact(lake, made.DAY)
    assert len(list((lake / "data").rglob("*.parquet"))) == len(TABLES)
    assert {row[0] for row in seen_by_a_glob(lake)} == {"T1"}


def test_the_same_table_days_give_the_same_bytes_whatever_happened_before(tmp_path: Path) -> None:
    right = made.replayed("T1", wagers=[made.wager(1, 100, 100, 100)])
    wrong = made.replayed("T1", wagers=[made.wager(1, 100, 500, 100)])
    other = made.replayed("T2", wagers=[made.wager(1, 100, 100, 100)])
    for lake, steps in ((tmp_path / "one", [right, other]), (tmp_path / "two", [other, wrong, right])):
        for step in steps:
            write(lake, [step], made.PINS)
            compact(lake, made.DAY)
    assert files_in(tmp_path / "one") == files_in(tmp_path / "two")


def test_a_batch_as_large_as_a_part_becomes_it_unread_with_the_bytes_of_a_merge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "_ROW_GROUP", 5)
    judged = [made.replayed(f"T{n}", wagers=[made.wager(m, 100 + m, 100, 100) for m in range(9)]) for n in range(4)]
    merged, moved = tmp_path / "merged", tmp_path / "moved"
    for each in judged:
        write(merged, [each], made.PINS)
    compact(merged, made.DAY)
    monkeypatch.setattr(run, "KEPT_TOGETHER", 8000)
    write(moved, judged, made.PINS)
    monkeypatch.delattr(pl, "scan_parquet")
    compact(moved, made.DAY)
    assert files_in(moved) == files_in(merged)
    assert not list((moved / "staged").rglob("*"))


def test_any_number_of_processes_puts_a_day_together_into_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "KEPT_TOGETHER", 500)
    tables = [made.replayed(f"T{number}", wagers=[made.wager(1, 100, 100, 100)]) for number in range(3)]
    for workers in (1, 2):
        write(tmp_path / str(workers), tables, made.PINS)
        compact(tmp_path / str(workers), made.DAY, workers)
    assert files_in(tmp_path / "1") == files_in(tmp_path / "2")
    assert len(rows_of(tmp_path / "2")["wagers"]) == 3


def test_a_file_that_changes_while_another_process_reads_it_is_named(
    lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "KEPT_TOGETHER", 500)
    write(lake, [made.replayed(f"T{number}", wagers=[made.wager(1, 100, 100, 100)]) for number in range(3)], made.PINS)
    (file,) = staged_folder(lake, made.DAY).glob("*-wagers.parquet")

    def disturbed(*arguments: Any, **more: Any) -> Any:
        file.write_bytes(b"PAR1")
        return spread(*arguments, **more)

    monkeypatch.setattr(compaction, "spread", disturbed)
    with pytest.raises(NotIntact, match=r"wagers\.parquet was changed while it was read"):
        compact(lake, made.DAY, 2)


class Cut(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("kept_together", [500, 5000], ids=["moved", "merged"])
def test_stopped_at_any_rename_no_reader_sees_other_rows_and_the_next_run_completes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept_together: int
) -> None:
    monkeypatch.setattr(run, "KEPT_TOGETHER", kept_together)

    def judged(lake: Path) -> None:
        for table in ("T1", "T2", "T3"):
            write(lake, [made.replayed(table, wagers=[made.wager(n, 100, 100, 100) for n in (1, 2)])], made.PINS)
        compact(lake, made.DAY)
        write(lake, [made.replayed("T2", wagers=[made.wager(1, 100, 500, 100)])], made.PINS)
        forget(lake, made.DAY, "T3")

    start, undisturbed = tmp_path / "start", tmp_path / "undisturbed"
    judged(start)
    shutil.copytree(start, undisturbed)
    expected = rows_of_whole(undisturbed)
    compact(undisturbed, made.DAY)
    assert rows_of_whole(undisturbed) == expected
    for stop in range(1, 100):
        lake = Path(shutil.copytree(start, tmp_path / str(stop)))
        if not _cut_short(monkeypatch, stop, lambda: compact(lake, made.DAY)):  # noqa: B023 (called at once)
            break
        assert rows_of_whole(lake) == expected, f"stopped at step {stop}"
        compact(lake, made.DAY)
        assert files_in(lake) == files_in(undisturbed), f"stopped at step {stop}"
    assert stop > 15, "it was stopped in the middle, again and again"


def rows_of_whole(lake: Path) -> list[tuple[Any, ...]]:
    """The wagers of the table-days that are whole; T3 was taken away."""
    held = contents_of(lake)
    assert [left.table_id for left in held.left_out] == ["T3"]
    with connect(lake) as connection:
        return connection.sql("FROM wagers ORDER BY ALL").fetchall()


def _cut_short(monkeypatch: pytest.MonkeyPatch, stop: int, act: Callable[[], None]) -> bool:
    """Act, and end at the ``stop``-th rename or removal of a file; whether it came to that."""
    left = stop

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def one(*arguments: Any, **more: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                raise Cut
            return call(*arguments, **more)

        return one

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", counted(Path.replace))
        patch.setattr(Path, "unlink", counted(Path.unlink))
        try:
            act()
        except Cut:
            return True
    return False


def test_a_part_that_is_not_as_it_was_written_is_believed_for_none_of_its_table_days(lake: Path, put: Any) -> None:
    for table in ("T1", "T2"):
        put(table, wagers=[made.wager(1, 100, 100, 100)])
    compact(lake, made.DAY)
    for file in (part_file(lake, "wagers", made.DAY, 0), parts_file(lake, made.DAY)):
        whole = file.read_bytes()
        file.write_bytes(whole[:-1])
        held = contents_of(lake)
        assert (held.runs, [left.table_id for left in held.left_out]) == ([], ["T1", "T2"])
        assert all(str(file) in left.why for left in held.left_out)
        with connect(lake) as connection:
            assert connection.sql("FROM wagers").fetchall() == []
        file.write_bytes(whole)
    assert len(rows_of(lake)["wagers"]) == 2


def test_a_folder_of_the_lakes_path_passes_for_no_column(tmp_path: Path) -> None:
    lake = tmp_path / "round=7" / "gaming_day=1999-01-01"
    write(lake, [made.replayed("T1", wagers=[made.wager(1, 100, 100, 100)])], made.PINS)
    for _ in range(2):
        with connect(lake) as connection:
            assert connection.sql("SELECT gaming_day, round FROM wagers").fetchall() == [(made.DAY, 1)]
        compact(lake, made.DAY)
