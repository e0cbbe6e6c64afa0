"""The lake knows its own bytes: what is not as it was written is left out, told and made anew, and changes no amount."""

from __future__ import annotations

import datetime as dt
import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analytics.lake import LakeUnusable, contents_of, damage_of, part_file, parts_file, run_file
from analytics.lake.files import sealed
from analytics.lake.memory import memory_file
from analytics.lake.note import day_file
from analytics.reconcile import reconcile
from analytics.reconciliation import Reconciliation
from flows.artifact import markdown
from flows.runs import run_nightly
from replayer.verdicts.tables import TABLES
from tests import house
from tests.bits import flipped_bit
from tests.flows.test_lake_writing import content
from tests.shares import few

DAY = dt.date(2009, 6, 1)
QUERY = ("query", "unsettled_wagers", "--json", "--lake")


@pytest.fixture(scope="module")
def right(judged: Path) -> tuple[object, ...]:
    return figures(reconcile(judged / "lake", DAY))


def flip(file: Path, bit: int) -> None:
    file.write_bytes(flipped_bit(file.read_bytes(), bit))


def figures(said: Reconciliation) -> tuple[object, ...]:
    return said.tables, said.house, said.settlement_causes, said.custody_findings, said.findings


@pytest.mark.parametrize("bits", few([slice(1), slice(1, 6)], 1), ids=["one", "more"])
@pytest.mark.parametrize("table", TABLES)
def test_a_flipped_bit_never_changes_an_amount_and_is_made_anew_and_said(
    archive: Path, lake: Path, right: tuple[object, ...], table: str, bits: slice
) -> None:
    file = part_file(lake, table, DAY, 0)
    for bit in random.Random(table).sample(range(8 * file.stat().st_size), 6)[bits]:
        flip(file, bit)
        before = reconcile(lake, DAY)
        assert before.tables == (), "no table-day whose rows lie in the file is believed"
        assert all(str(file) in before.damaged[name] for name in ("T1", "T2"))
        assert not before.clean
        night = run_nightly(archive, lake, DAY)
        assert (night.replayed, night.unchanged) == (("T1", "T2"), ())
        assert str(file) in night.made_anew["T2"]
        assert night.to_dict()["made_anew"] == night.made_anew
        assert str(file).replace("_", r"\_") in markdown(night, lake).replace(r"\-", "-").replace(r"\.", ".")
        assert figures(night.reconciliation) == right
        assert run_nightly(archive, lake, DAY).made_anew == {}


def test_every_flip_in_a_manifest_a_note_or_a_memory_is_noticed(lake: Path) -> None:
    chance = random.Random(4)
    for file in (run_file(lake, DAY, "T1"), day_file(lake, DAY), memory_file(lake, DAY, "T1"), parts_file(lake, DAY)):
        whole = file.read_bytes()
        for bit in chance.sample(range(8 * len(whole)), 40):
            flip(file, bit)
            held = contents_of(lake, DAY, DAY)
            told = damage_of(lake, DAY, "T1") + "".join(left.why for left in held.left_out)
            assert str(file) in told, (file, bit)
            file.write_bytes(whole)


def _swap(one: Path, other: Path) -> None:
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(kept)


def test_the_whole_file_of_another_table_day_does_not_hold_in_its_place(archive: Path, lake: Path) -> None:
    _swap(run_file(lake, DAY, "T1"), run_file(lake, DAY, "T2"))
    assert reconcile(lake, DAY).damaged.keys() == {"T1", "T2"}
    night = run_nightly(archive, lake, DAY)
    assert night.made_anew.keys() == {"T1", "T2"}
    assert {row.table_id: row.settlement_gap_minor for row in night.reconciliation.tables} == {"T1": 0, "T2": -50_00}


def test_a_file_that_no_manifest_names_is_nobodys(archive: Path, lake: Path) -> None:
    wagers = part_file(lake, "wagers", DAY, 0)
    for name in ("T9.parquet", "T1.parquet.bak", "nonsense"):
        shutil.copy(wagers, wagers.with_name(name))
    (lake / "runs" / "nonsense").mkdir()
    (lake / "runs" / "2009-06-01" / "not a table.json").write_text("{}")
    night = run_nightly(archive, lake, DAY)
    assert (night.unchanged, night.made_anew, night.undone) == (("T1", "T2"), {}, {})


UNREADABLE: dict[str, Callable[[Path], object]] = {
    "empty": lambda file: file.write_bytes(b""),
    "brackets": lambda file: file.write_bytes(b"[" * 200_000),
    "a number of 5,000 digits": lambda file: file.write_bytes(b'{"format": ' + b"9" * 5000 + b"}"),
    "no UTF-8": lambda file: file.write_bytes(b'{"format": "\xff"}'),
    "of other types": lambda file: file.write_text(sealed({"format": 3, "parts": 7, "files": []})),
    "a dangling link": lambda file: (file.unlink(), file.symlink_to("nowhere")),
    "a pipe": lambda file: (file.unlink(), os.mkfifo(file)),
    "removed": lambda file: file.unlink(),
    "a device": lambda file: (file.unlink(), file.symlink_to("/dev/zero")),
}


def test_a_manifest_that_cannot_be_read_never_makes_its_table_vanish(tmp_path: Path) -> None:
    archive, lake = tmp_path / "archive", tmp_path / "lake"
    tables = {f"T{number}": how for number, how in enumerate(UNREADABLE)}
    for table in (*tables, "WHOLE"):
        house.write(archive, table, house.SOUND)
    run_nightly(archive, lake, DAY)
    files = {table: run_file(lake, DAY, table) for table in tables}
    for table, how in tables.items():
        UNREADABLE[how](files[table])
    before = reconcile(lake, DAY)
    assert [found.count for found in before.findings if found.code == "LAKE_DAMAGED"] == [len(tables)]
    night = run_nightly(archive, lake, DAY)
    assert (night.replayed, night.undone) == ((*tables,), {})
    for table, how in tables.items():
        assert str(files[table]) in before.damaged[table], how
        assert str(files[table]) in night.made_anew[table], how
    assert [row.table_id for row in night.reconciliation.tables] == [*tables, "WHOLE"]


@pytest.mark.parametrize("how", ["brackets", "of other types", "a dangling link", "a pipe"])
def test_a_note_that_cannot_be_read_is_reported_and_made_anew(archive: Path, lake: Path, how: str) -> None:
    file = day_file(lake, DAY)
    whole = file.read_bytes()
    UNREADABLE[how](file)
    with pytest.raises(LakeUnusable, match=str(file)):
        reconcile(lake, DAY)
    assert [(left.table_id, str(file) in left.why) for left in contents_of(lake).left_out] == [("", True)]
    night = run_nightly(archive, lake, DAY)
    assert str(file) in night.made_anew[""]
    assert file.read_bytes() == whole


@pytest.mark.parametrize("how", ["removed", "a dangling link", "a pipe", "a device"])
def test_a_parquet_file_that_cannot_be_read_is_reported_and_made_anew(archive: Path, lake: Path, how: str) -> None:
    file = part_file(lake, "rounds", DAY, 0)
    UNREADABLE[how](file)
    assert str(file) in reconcile(lake, DAY).damaged["T1"]
    assert str(file) in run_nightly(archive, lake, DAY).made_anew["T1"]


def test_a_folder_in_a_manifests_place_is_reported_and_leaves_the_others_done(archive: Path, lake: Path) -> None:
    file = run_file(lake, DAY, "T1")
    file.unlink()
    file.mkdir()
    night = run_nightly(archive, lake, DAY)
    assert str(file) in night.failed["T1"]
    assert [row.table_id for row in night.reconciliation.tables] == ["T2"]


def test_verdicts_that_are_damaged_while_the_log_is_too_stay_reported(archive: Path, lake: Path) -> None:
    flip(run_file(lake, DAY, "T1"), 999)
    house.damage(archive / str(DAY) / "T1.avro")
    for _ in range(2):
        night = run_nightly(archive, lake, DAY)
        assert (night.made_anew, list(night.undone)) == ({}, ["T1"])
        assert str(archive / str(DAY) / "T1.avro") in night.undone["T1"]


def test_every_command_that_reads_the_lake_reports_its_damage(
    command: Any, archive: Path, lake: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    file = part_file(lake, "wagers", DAY, 0)
    flip(file, 4321)
    code, _, stderr = command("report", "--lake", lake, "--day", DAY, "-o", page)
    assert (code, str(file) in stderr, str(file) in page.read_text()) == (1, True, True)
    code, stdout, stderr = command(*QUERY, lake)
    assert (code, str(file) in stderr) == (1, True)
    assert [left["table_id"] for left in json.loads(stdout)["left_out"]] == ["T1", "T2"]
    _, stdout, stderr = command("nightly", "--archive", archive, "--lake", lake, "--day", DAY, "--json")
    assert f"what the lake held of T1 was damaged and was made anew: {file}" in stderr
    assert list(json.loads(stdout)["made_anew"]) == ["T1", "T2"]
    code, stdout, _ = command(*QUERY, lake)
    assert (code, json.loads(stdout)["left_out"]) == (0, [])


def test_a_night_of_damage_leaves_the_lake_as_if_nothing_had_been(archive: Path, lake: Path, judged: Path) -> None:
    chance = random.Random(9)
    for file in [
        path for path in lake.rglob("*") if path.is_file() and path.stat().st_size and "runs" not in path.parts
    ]:
        flip(file, chance.randrange(8 * file.stat().st_size))
    night = run_nightly(archive, lake, DAY)
    assert night.made_anew.keys() == {"", "T1", "T2"}
    assert night.reconciliation.log_changes == (), "the manifests have copies of the memories"
    for file in (lake / "runs" / str(DAY)).iterdir():
        flip(file, chance.randrange(8 * file.stat().st_size))
    assert run_nightly(archive, lake, DAY).made_anew.keys() == {"T1", "T2"}
    for aside in lake.glob("judged/*/*.damaged-*"):
        aside.unlink()
    assert content(lake) == content(judged / "lake")


def test_a_lake_is_neither_the_archive_nor_a_pattern(archive: Path, tmp_path: Path) -> None:
    for lake in (archive, archive / ".." / "archive", tmp_path / "la*ke", tmp_path / os.fsdecode(b"lake\xff")):
        with pytest.raises(LakeUnusable, match=r"another folder|must hold none of|must be UTF-8"):
            run_nightly(archive, lake, DAY)
    assert sorted(path.name for path in archive.iterdir()) == [".journal", str(DAY)]
    assert not (tmp_path / "la*ke").exists()
