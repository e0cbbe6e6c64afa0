"""Which logs lie where an archive keeps none, and which gaming day their places tell."""

import datetime as dt
import os
from pathlib import Path

import pytest

from replayer.sources.archive import read_table_day
from replayer.sources.manifests import TableDayDamaged
from replayer.sources.misplaced import misplaced
from replayer.sources.table_days import TableDayRef, table_days, table_days_in_place

DAY = dt.date(2009, 6, 1)


def found_in(archive: Path, *files: str) -> dict[str, tuple[str, dt.date | None]]:
    """What is found in an archive of empty files: by its path, the name that it is reported under and its gaming day."""
    for file in files:
        (archive / file).parent.mkdir(parents=True, exist_ok=True)
        (archive / file).touch()
    return {str(each.file.relative_to(archive)): (each.table_id, each.gaming_day) for each in misplaced(archive)}


@pytest.mark.parametrize(
    ("file", "name", "day"),
    [
        ("20090601/T9.avro", "T9", DAY),
        ("2009-6-1/T9.avro", "T9", DAY),
        ("2009.06.01/T9.avro", "T9", DAY),
        ("2009_06_01/T9.avro", "T9", DAY),
        ("2009-06-01 (copy)/T9.late-2.avro", "T9", DAY),
        ("Copy of 2009-06-01/T9.avro", "T9", DAY),
        ("2009-06-01.bak/T9 (copy).avro", "T9 (copy)", DAY),
        ("2009-06-01/old/T9.avro", "T9", DAY),
        ("2009-06-01/old/deeper/T9.avro", "T9", DAY),
        ("2009-06-02/2009-06-01/T9.avro", "T9", DAY),
        ("2009-06-01/2009-06-02 to 2009-06-05/T9.avro", "T9", DAY),
        ("restored/2009-06-01/T9.avro", "T9", DAY),
        ("2009-06-01/T9.avro.gz", "T9", DAY),
        ("2009-06-01/T9.late-1.avro.bak", "T9", DAY),
        ("2009-06-01/T9.AVRO", "T9", DAY),
        ("2009-06-01/T9.avro~", "T9", DAY),
        ("2009-06-01/T9.journal", "T9", DAY),
        (".journal/2009-06-01/T9.avro", "T9", DAY),
        (".journal/2009-06-01/T9.journal.gz", "T9", DAY),
        (".journal/2009-06-01/old/T9.journal", "T9", DAY),
        (".journal/2009-6-1/T9.journal", "T9", DAY),
        (".journal/2009-6-1/T9.journal.damaged-7", "T9", DAY),
        (".journal/batch/whole/2009-6-1/T9.avro", "T9", DAY),
        (".journal/batch/whole/2009-06-01/T9.avro.gz", "T9", DAY),
        (".journal/batch/whole/T9.avro", "T9", None),
        (".journal/T9.journal", "T9", None),
        ("T9.avro", "T9", None),
        ("restored/from tape/T9.avro", "T9", None),
        ("2009-06-31/T9.avro", "T9", None),
        ("2009-06-01 to 2009-06-05/T9.avro", "T9", None),
        ("120090601/T9.avro", "T9", None),
        (f"20090601/{'葡' * 80}.avro", "葡" * 48, DAY),
        (f"20090601/{'T' * 64}.late-1.avro", "T" * 64, DAY),
    ],
)
def test_a_log_out_of_place_is_found_with_the_gaming_day_that_its_place_tells(
    tmp_path: Path, file: str, name: str, day: dt.date | None
) -> None:
    assert found_in(tmp_path, file) == {file: (f"{name} (not read)", day)}


@pytest.mark.parametrize(
    "file",
    [
        "2009-06-01/T9.avro",
        "2009-06-01/T9.json",
        "2009-06-01/T9 (copy).avro",
        "2009-06-01/.T9.avro.tmp",
        "2009-06-01/notes.txt",
        "2009-06-01/T9.avrora",
        "20090601/T9.json",
        "20090601/.T9.avro",
        ".columns/2009-06-01/T9.avro",
        "20090601/.trash/T9.avro",
        ".journal/2009-06-01/T9.journal",
        ".journal/2009-06-01/T9.journal.damaged-7",
        ".journal/2009-06-01/T9.journal.damaged-7.1",
        ".journal/batch/draft/2009-06-01/T9.avro",
        ".journal/batch/whole/2009-06-01/T9.avro",
        ".journal/offsets/pit.avro.json",
        ".journal/claims/pit.journal/T9.txt",
        ".journal/lock/T9",
        "quarantine/T9.journal.jsonl",
        "lost/pit.avro/0-100-deleted-1.json",
        "lost+found/2009-06-01/T9.avro",
        "20090601/lost+found/T9.avro",
        "lake/runs/2009-06-01/T9.json",
        "lake/data/wagers/gaming_day=2009-06-01/part-0.parquet",
    ],
)
def test_what_has_its_place_and_what_is_no_log_is_let_be(tmp_path: Path, file: str) -> None:
    assert found_in(tmp_path, file) == {}


def test_a_folder_with_the_name_of_a_log_is_looked_into(tmp_path: Path) -> None:
    assert list(found_in(tmp_path, "20090601/T9.avro/T8.avro")) == ["20090601/T9.avro/T8.avro"]


def test_a_link_is_followed_in_the_place_of_a_gaming_day_only_and_named_where_it_leads_away(tmp_path: Path) -> None:
    """Any other may lead in a circle, or through the whole disk: what lay behind one was omitted without a word."""
    archive, disk = tmp_path / "archive", tmp_path / "disk"
    (disk / "old").mkdir(parents=True)
    (disk / "old" / "T9.avro").touch()
    archive.mkdir()
    (archive / DAY.isoformat()).symlink_to(disk)
    (archive / "20090602").symlink_to(disk)
    (archive / "2009-06-03").symlink_to("2009-06-03")
    (disk / "circle").symlink_to(archive)
    (disk / DAY.isoformat()).symlink_to(disk)
    (archive / "tape").symlink_to("nowhere")
    (archive / ".journal").mkdir()
    (archive / ".journal/2009-06-04").symlink_to(disk / "gone")
    for name, to in {
        "newest": ".journal",
        "quarantine": disk,
        "notes": disk / "old" / "T9.avro",
        ".seen": disk,
    }.items():
        (archive / name).symlink_to(to)
    assert found_in(archive) == {
        ".journal/2009-06-04": ("2009-06-04 (not read)", dt.date(2009, 6, 4)),
        "20090602": ("20090602 (not read)", dt.date(2009, 6, 2)),
        f"{DAY}/{DAY}": (f"{DAY} (not read)", DAY),
        f"{DAY}/old/T9.avro": ("T9 (not read)", DAY),
        "tape": ("tape (not read)", None),
    }


def test_a_link_to_a_sealed_file_in_its_place_is_that_file(tmp_path: Path) -> None:
    found_in(tmp_path, "2009-06-01/T8.avro", "../disk/T9.avro")
    (tmp_path / "2009-06-01/T9.avro").symlink_to(tmp_path.parent / "disk/T9.avro")
    assert [ref.table_id for ref in table_days(tmp_path)] == ["T8", "T9"]
    assert misplaced(tmp_path) == []


def test_a_log_that_comes_into_a_folder_that_was_looked_at_is_found(tmp_path: Path) -> None:
    archive = tmp_path
    assert found_in(archive, "20090601/old/notes.txt") == {}
    for folder in (archive, archive / "20090601", archive / "20090601/old"):
        os.utime(folder, (1_000_000_000, 1_000_000_000))
    assert found_in(archive) == {}
    assert found_in(archive, "20090601/old/T9.avro") != {}


@pytest.mark.parametrize(
    ("file", "listed"),
    [
        ("2009-06-01 (copy)/T9.late-1.avro", ["T9", "T9 (not read)"]),
        ("20090601/T9.avro.gz", ["T9", "T9 (not read)"]),
        ("20090601/T8.avro", ["T9"]),
        ("restored/T9.avro", ["T9"]),  # of no gaming day: every run counts it
    ],
)
def test_what_is_not_read_of_one_table_is_listed_where_that_table_is_asked_for(
    tmp_path: Path, file: str, listed: list[str]
) -> None:
    found_in(tmp_path, f"{DAY}/T9.avro", file)
    assert [ref.table_id for ref in table_days(tmp_path, table="T9")] == listed


def test_a_link_behind_which_nothing_looks_is_listed_whichever_table_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "20090601").symlink_to("/nowhere")
    assert [ref.table_id for ref in table_days(tmp_path, table="T9")] == ["20090601 (not read)"]


def test_a_table_day_that_is_none_is_listed_and_reading_it_names_its_files(tmp_path: Path) -> None:
    found_in(tmp_path, "20090601/T9.avro", "2009-06-01/old/T9.late-1.avro", "restored/T8.avro")
    name = "T9 (not read)"
    ref = TableDayRef(DAY, name, tmp_path)
    assert table_days(tmp_path) == table_days(tmp_path, DAY) == table_days(tmp_path, table=name) == [ref]
    assert table_days(tmp_path, DAY + dt.timedelta(days=1)) == table_days(tmp_path, table="T8") == []
    assert table_days_in_place(tmp_path) == set()
    with pytest.raises(TableDayDamaged) as raised:
        read_table_day(ref)
    assert str(raised.value).startswith(f"{tmp_path}/2009-06-01/old/T9.late-1.avro: not read, as 1 more of it; ")
    with pytest.raises(TableDayDamaged, match="there is no such sealed table-day"):
        read_table_day(TableDayRef(DAY, "T8 (not read)", tmp_path))
