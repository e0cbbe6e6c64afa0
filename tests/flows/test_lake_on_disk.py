"""Writing the lake: killed anywhere and run again it is as if nothing had been; a full disk is said in one line."""

from __future__ import annotations

import datetime as dt
import json
import os
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analytics.lake import DayFiles, LakeUnusable, contents_of, damage_of, remove_leftovers, run_file, views
from analytics.lake.files import locked, sha256_of
from analytics.lake.memory import memory_file
from analytics.lake.note import day_file
from analytics.lake.parts import part_file, parts_file, staged_folder
from analytics.reconciliation.reconcile import reconcile
from analytics.reconciliation.result import Reconciliation
from flows.artifact import markdown
from flows.cli import main
from flows.runs import run_nightly
from flows.settings import Settings
from replayer.engine.replay_settings import ReplaySettings
from replayer.sources.safe_texts import digested_json, read_digested_json
from replayer.verdicts import run
from replayer.verdicts.tables import TABLES
from tests import house
from tests.archives import files_in
from tests.bits import flipped_bit
from tests.commands import PITAUDIT
from tests.servers import environment
from tests.shares import few

DAY = dt.date(2009, 6, 1)
OTHER = Settings(replay=ReplaySettings(readings={"X-2": "down"}))

KILLED = """
import datetime as dt, os, shutil, signal, sys
from pathlib import Path
from flows.runs import run_nightly
from flows.settings import Settings

archive, start, folder = map(Path, sys.argv[1:4])
day = dt.date(2009, 6, 1)

def run(lake, steps):
    left = steps
    def counted(call):
        def one(*args, **more):
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **more)
        return one
    os.fsync, os.replace, os.unlink = map(counted, (os.fsync, os.replace, os.unlink))
    Path.replace = lambda self, to: os.replace(self, to)
    run_nightly(archive, lake, day, show=True)
    os._exit(0)

for steps in range(1, 400, int(sys.argv[4])):  # the process forks before anything has started threads
    lake = folder / str(steps)
    if start.exists():
        shutil.copytree(start, lake)
    for tries in (steps, -1):
        child = os.fork()
        if not child:
            run(lake, tries)
        ended = os.waitpid(child, 0)[1]
        if tries == steps and ended == 0:
            sys.exit(0)
        assert ended == (signal.SIGKILL if tries == steps else 0), ended
"""


def content(lake: Path) -> dict[str, bytes]:
    """Every byte of a lake but those of the database for other tools, which nothing rests on and no two times are the same."""
    return files_in(lake, "lake.duckdb")


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("before", "every"),
    [(True, 19), *(pytest.param(*case, marks=pytest.mark.prove) for case in ((False, 19), (True, 3), (False, 3)))],
)
def test_a_night_killed_anywhere_and_run_again_leaves_the_same_lake(
    clean_archive: Path, clean_lake: Path, tmp_path: Path, before: bool, every: int
) -> None:
    start, killed = tmp_path / "start", tmp_path / "killed"
    if before:
        run_nightly(clean_archive, start, DAY, OTHER, show=True)
    subprocess.run([sys.executable, "-c", KILLED, clean_archive, start, killed, str(every)], check=True)
    undisturbed = content(clean_lake)
    lakes = list(killed.iterdir())
    assert len(lakes) > 5, "it was killed in the middle, again and again"
    for again in lakes:
        assert content(again) == undisturbed, again.name


def test_a_full_disk_is_one_line_and_leaves_the_other_table_days_as_they_were(
    archive: Path, lake: Path, tmp_path: Path, pitaudit: Any
) -> None:
    house.write(archive, "T2", "dealer+D9 dealer-D9", first_seq=26)
    before = {name: data for name, data in content(lake).items() if "T1" in name}
    said = subprocess.run(
        [PITAUDIT, "nightly", "--archive", archive, "--lake", lake, "--day", str(DAY)],
        capture_output=True, text=True, check=False, cwd=tmp_path, env=environment(), timeout=180,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500)),  # no file grows beyond
    )  # fmt: skip
    assert (said.returncode, said.stdout) == (2, "")
    (line,) = said.stderr.splitlines()
    assert str(staged_folder(lake, DAY)) in line
    assert "make room" in line
    assert "internal" not in line
    assert {name: data for name, data in content(lake).items() if "T1" in name} == before
    assert [run.table_id for run in contents_of(lake, DAY, DAY).runs] == ["T1"]
    assert [left.table_id for left in contents_of(lake, DAY, DAY).left_out] == ["T2"]
    night = run_nightly(archive, lake, DAY, show=True)
    assert (night.replayed, night.unchanged, night.undone) == (("T2",), ("T1",), {})


def test_a_night_killed_between_two_table_days_does_not_pass_for_a_whole_one(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake, page = tmp_path / "lake", tmp_path / "page.html"

    def stop(table: str) -> None:
        raise KeyboardInterrupt(table)

    monkeypatch.setattr(run, "EVENTS_PER_BATCH", 1)
    with pytest.raises(KeyboardInterrupt, match="T1"):
        run_nightly(archive, lake, DAY, on_table_day=stop, show=True)
    shutil.rmtree(lake / "judged")  # of T2 there is nothing but what the night meant to do
    held = contents_of(lake, DAY, DAY)
    assert [left.table_id for left in held.left_out] == ["T2"]
    assert main(["report", "--lake", str(lake), "--day", str(DAY), "-o", str(page)]) == 1
    assert "runs/2009-06-01/T2.json is missing" in page.read_text()


def test_a_file_that_changes_while_a_query_reads_it_gives_no_answer(archive: Path, lake: Path) -> None:
    held = contents_of(lake, DAY, DAY)
    with pytest.raises(LakeUnusable, match="was changed while it was read: ask again"), views(lake, held) as connection:
        assert connection.sql("SELECT count(*) FROM table_days").fetchall() == [(2,)]
        run_nightly(archive, lake, DAY, OTHER, show=True)


def _leave_drafts(lake: Path) -> list[Path]:
    wagers = part_file(lake, "wagers", DAY, 0)
    drafts = [
        wagers.with_name(".part-9.parquet.tmp"),
        lake / "runs" / str(DAY) / ".T9.json.tmp",
        lake / "days" / ".2009-05-31.json.tmp",
        lake / "judged" / str(DAY) / ".T9.jsonl.tmp",
        lake / ".other.duckdb.tmp",
    ]
    for draft in drafts:
        draft.write_bytes(b"half")
    spill = lake / ".spill-0123"
    spill.mkdir()
    (spill / "duckdb_temp_storage_DEFAULT-0.tmp").write_bytes(b"half")
    return [*drafts, spill]


def test_drafts_of_killed_runs_go_with_the_next_night_and_nothing_else_does(archive: Path, lake: Path) -> None:
    whole = content(lake)
    _leave_drafts(lake)
    somebodys = lake / ".keep"
    somebodys.write_text("")
    run_nightly(archive, lake, DAY, show=True)
    somebodys.unlink()
    assert content(lake) == whole
    assert not list(lake.glob(".spill-*"))


def test_a_draft_of_a_run_that_lives_is_left_alone(archive: Path, lake: Path) -> None:
    drafts = _leave_drafts(lake)
    with locked(lake):
        run_nightly(archive, lake, DAY, show=True)
        assert all(draft.exists() for draft in drafts)
    remove_leftovers(lake)
    assert not any(draft.exists() for draft in drafts)


def test_a_lake_that_is_only_read_is_not_written_to(lake: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in [lake, *lake.rglob("*")]}
    held = contents_of(lake)
    assert ([run.table_id for run in held.runs], held.left_out, held.changes) == (["T1", "T2"], [], [])
    assert {path: path.stat().st_mtime_ns for path in [lake, *lake.rglob("*")]} == before
    shutil.rmtree(lake)
    assert contents_of(lake).runs == []
    assert not os.path.lexists(lake)


def test_a_lake_of_an_earlier_layout_is_reported_and_made_anew(
    archive: Path, judged_once: Path, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    for table in ("T1", "T2"):
        old = lake / "wagers" / str(DAY) / f"{table}.parquet"
        old.parent.mkdir(parents=True, exist_ok=True)
        old.write_bytes(b"PAR1 of another schema")
        manifest = run_file(lake, DAY, table)
        manifest.parent.mkdir(parents=True, exist_ok=True)
        values = {
            "format": 2,
            "table_id": table,
            "gaming_day": str(DAY),
            "files": {"wagers": sha256_of(old.read_bytes())},
        }
        manifest.write_text(digested_json(values))
    held = contents_of(lake)
    assert held.runs == []
    assert [(left.table_id, "another version of this program wrote it" in left.why) for left in held.left_out] == [
        ("T1", True),
        ("T2", True),
    ]
    night = run_nightly(archive, lake, DAY, show=True)
    assert night.made_anew.keys() == {"T1", "T2"}
    assert "another version of this program wrote it" in night.made_anew["T1"]
    assert [row.settlement_gap_minor for row in night.reconciliation.tables] == [0, -50_00]
    assert {path for path in content(lake) if path.startswith("data")} == {
        path for path in content(judged_once / "lake") if path.startswith("data")
    }


def test_files_of_the_first_lakes_which_have_no_digest_are_not_called_altered(archive: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    files = (day_file(lake, DAY), run_file(lake, DAY, "T1"))
    for file in files:
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"format": 1}))
    night = run_nightly(archive, lake, DAY)
    for file, table in zip(files, ("", "T1"), strict=True):
        assert night.made_anew[table].startswith(
            f"{file} cannot be read: it is not as this version wrote it, with its SHA-256 last"
        )


# What is not as it was written


QUERY = ("query", "unsettled_wagers", "--json", "--lake")


@pytest.fixture(scope="module")
def right(judged_once: Path) -> tuple[object, ...]:
    return figures(reconcile(judged_once / "lake", DAY))


def flip(file: Path, bit: int) -> None:
    file.write_bytes(flipped_bit(file.read_bytes(), bit))


def figures(said: Reconciliation) -> tuple[object, ...]:
    return said.tables, said.house, said.settlement_causes, said.custody_findings, said.findings


@pytest.mark.parametrize("bits", few([slice(1), slice(1, 6)], 1), ids=lambda bits: "more" if bits.start else "one")
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
            reported = damage_of(DayFiles(lake, DAY), "T1") + "".join(left.why for left in held.left_out)
            assert str(file) in reported, (file, bit)
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


def _retype(file: Path) -> None:
    values = read_digested_json(file.read_bytes())
    file.write_text(digested_json(values | dict.fromkeys(values.keys() & {"parts", "misplaced"})))


UNREADABLE: dict[str, Callable[[Path], object]] = {
    "empty": lambda file: file.write_bytes(b""),
    "brackets": lambda file: file.write_bytes(b"[" * 200_000),
    "a number of 5,000 digits": lambda file: file.write_bytes(b'{"format": ' + b"9" * 5000 + b"}"),
    "no UTF-8": lambda file: file.write_bytes(b'{"format": "\xff"}'),
    "of other types": _retype,
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


def test_a_night_of_damage_leaves_the_lake_as_if_nothing_had_been(archive: Path, lake: Path, judged_once: Path) -> None:
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
    assert content(lake) == content(judged_once / "lake")


def test_a_lake_is_neither_the_archive_nor_a_pattern(archive: Path, tmp_path: Path) -> None:
    for lake in (archive, archive / ".." / "archive", tmp_path / "la*ke", tmp_path / os.fsdecode(b"lake\xff")):
        with pytest.raises(LakeUnusable, match=r"another folder|must hold none of|must be UTF-8"):
            run_nightly(archive, lake, DAY)
    assert sorted(path.name for path in archive.iterdir()) == [".journal", str(DAY)]
    assert not (tmp_path / "la*ke").exists()
