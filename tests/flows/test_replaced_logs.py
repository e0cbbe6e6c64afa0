"""A sealed log that is replaced after it was judged is a finding until somebody acknowledges these very digests."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from analytics.lake import Change, run_file
from analytics.lake.memory import Acknowledgement, NothingToAcknowledge, acknowledge, memory_file
from analytics.reconcile import reconcile
from flows.artifact import markdown
from flows.night import Night
from flows.runs import run_backfill, run_nightly, run_with_catching_up
from flows.settings import Settings
from replayer.engine.rules_in_force import ReplaySettings
from replayer.sources.layout import TableIdRefused
from tests import house
from tests.analytics.made import render
from tests.shares import few

DAY = dt.date(2009, 6, 1)
WHO = Acknowledgement("M. Wong", "2009-06-02T09:00:00+00:00", "restored from tape")
LATE = "dealer+D9 dealer-D9"


def sha256(archive: Path, name: str = "T1") -> str:
    return hashlib.sha256((archive / str(DAY) / f"{name}.avro").read_bytes()).hexdigest()


@pytest.fixture
def lake(clean_lake: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(clean_lake, tmp_path / "lake"))


@pytest.fixture
def replace(clean_archive: Path, tmp_path: Path) -> Callable[..., str]:
    """Put other logs in the place of the sealed ones, each with a manifest of its own that fits; the new digest."""

    def put(*texts: str) -> str:
        made = tmp_path / "forged"
        shutil.rmtree(made, ignore_errors=True)
        first = 1
        for text in texts:
            first = house.write(made, "T1", text, first_seq=first) + 1
        shutil.copytree(made / str(DAY), clean_archive / str(DAY), dirs_exist_ok=True)
        return sha256(clean_archive)

    return put


@pytest.fixture
def other() -> str:
    """Another table-day that is right in itself: one more dealer looked in."""
    return str(house.closing(f"{house.RIGHT} dealer+D8 dealer-D8", 200))


def told(night: Night) -> list[tuple[int | None, str, str | None]]:
    counted = [f.count for f in night.reconciliation.findings if f.code in ("CONTAINER_REPLACED", "MEMORY_LOST")]
    changes = night.reconciliation.open_log_changes
    assert sum(counted) == len(changes)
    assert not (changes and night.clean)
    return [(change.part, change.was, change.now) for change in changes]


def test_a_log_replaced_with_its_manifest_is_a_finding_every_time_and_everywhere(
    clean_archive: Path, lake: Path, replace: Any, other: str
) -> None:
    was = sha256(clean_archive)
    now = replace(other)
    expected = [(0, was, now)]
    nights = [
        run_nightly(clean_archive, lake, DAY),
        run_nightly(clean_archive, lake, DAY),
        run_nightly(clean_archive, lake, DAY, Settings(replay=ReplaySettings(readings={"X-2": "down"}))),
        *run_backfill(clean_archive, lake, DAY, DAY),
    ]
    assert [night.replayed for night in nights] == [("T1",), (), ("T1",), ("T1",)]
    assert [told(night) for night in nights] == [expected] * 4
    for text in (json.dumps(nights[-1].to_dict()), render(lake, DAY), markdown(nights[-1], lake)):
        assert was in text
        assert now in text


def test_the_command_line_says_so_and_its_exit_code_too(
    command: Any, clean_archive: Path, lake: Path, replace: Any, other: str, tmp_path: Path
) -> None:
    was, now = sha256(clean_archive), replace(other)
    commands: list[tuple[object, ...]] = [
        ("replay", clean_archive, "--lake", lake, "--json"),
        ("nightly", "--archive", clean_archive, "--lake", lake, "--day", DAY, "--json"),
        ("backfill", "--archive", clean_archive, "--lake", lake, "--from", DAY, "--to", DAY),
        ("report", "--lake", lake, "--day", DAY, "-o", tmp_path / "page.html"),
        ("query", "unsettled_wagers", "--lake", lake, "--json"),
    ]
    for asked in commands:
        code, stdout, stderr = command(*asked)
        assert (code, f"CONTAINER_REPLACED {DAY} T1" in stderr) == (1, True), asked
        if "--json" in asked:
            assert [(c["was"], c["now"]) for c in json.loads(stdout)["log_changes"]] == [(was, now)]
    mine = ("acknowledge", "--lake", lake, "--table", "T1", "--day", DAY, "--by", "M. Wong", "--json", "--reason")
    for no_reason in (" ", "two\nlines", "\x1b[31m"):
        assert command(*mine, no_reason)[0] == 2
    code, stdout, _ = command(*mine, "restored from tape")
    (change,) = json.loads(stdout)["acknowledged"]
    assert (code, change["was"], change["now"]) == (0, was, now)
    assert [command(*asked)[0] for asked in commands] == [0] * len(commands)
    assert "by M. Wong at " in (tmp_path / "page.html").read_text()
    code, _, stderr = command(*mine, "again")
    assert (code, len(stderr.splitlines())) == (2, 1)


def test_a_late_part_only_adds_and_is_no_replacement(clean_archive: Path, lake: Path) -> None:
    house.write(clean_archive, "T1", LATE, first_seq=26)
    for _ in range(2):
        assert told(run_nightly(clean_archive, lake, DAY)) == []


def test_a_part_that_is_gone_or_other_under_the_same_last_part_is_reported(
    clean_archive: Path, lake: Path, replace: Any, other: str
) -> None:
    first = sha256(clean_archive)
    house.write(clean_archive, "T1", LATE, first_seq=26)
    late = sha256(clean_archive, "T1.late-1")
    run_nightly(clean_archive, lake, DAY)
    for file in (clean_archive / str(DAY)).glob("T1.late-1.*"):
        file.unlink()
    assert told(run_nightly(clean_archive, lake, DAY)) == [(1, late, None)]
    now = replace(other, LATE)
    assert told(run_nightly(clean_archive, lake, DAY)) == [
        (0, first, now),
        (1, late, sha256(clean_archive, "T1.late-1")),
    ]


def test_an_acknowledgement_holds_for_the_digests_it_names_and_no_other(
    clean_archive: Path, lake: Path, replace: Any, other: str
) -> None:
    right = house.SOUND
    first = sha256(clean_archive)
    second = replace(other)
    run_nightly(clean_archive, lake, DAY)
    acknowledge(lake, DAY, "T1", WHO)
    night = run_nightly(clean_archive, lake, DAY)
    assert told(night) == []
    assert [change.acknowledged for change in night.reconciliation.log_changes] == [WHO]
    with pytest.raises(NothingToAcknowledge, match="T1 on 2009-06-01"):
        acknowledge(lake, DAY, "T1", WHO)
    third = replace(other + " dealer+D7 dealer-D7")
    assert told(run_nightly(clean_archive, lake, DAY)) == [(0, first, third), (0, second, third)]
    assert replace(right) == first, "the very bytes that were judged first come back"
    assert told(run_nightly(clean_archive, lake, DAY)) == [(0, second, first), (0, third, first)]
    acknowledge(lake, DAY, "T1", WHO)
    assert told(run_nightly(clean_archive, lake, DAY)) == []


def test_a_log_that_is_replaced_while_the_lakes_own_files_are_damaged_is_still_reported(
    clean_archive: Path, lake: Path, replace: Any, other: str
) -> None:
    was, now = sha256(clean_archive), replace(other)
    run_file(lake, DAY, "T1").unlink()
    assert told(run_nightly(clean_archive, lake, DAY)) == [(0, was, now)]


def test_a_log_that_was_damaged_first_and_replaced_then_is_still_reported(
    clean_archive: Path, lake: Path, replace: Any, other: str
) -> None:
    was = sha256(clean_archive)
    house.damage(clean_archive / str(DAY) / "T1.avro")
    assert run_nightly(clean_archive, lake, DAY).undone.keys() == {"T1"}
    assert told(run_nightly(clean_archive, lake, DAY)) == []
    now = replace(other)
    assert told(run_nightly(clean_archive, lake, DAY)) == [(0, was, now)]


def _cut(file: Path) -> None:
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:-1]))


def _flip(file: Path) -> None:
    house.damage(file, file.stat().st_size // 2)


FORGETTING: dict[str, Callable[[Path], object]] = {
    "removed": lambda file: file.unlink(),
    "emptied": lambda file: file.write_bytes(b""),
    "cut": _cut,
    "flipped": _flip,
    "a folder": lambda file: (file.unlink(), file.mkdir()),
    "nested": lambda file: file.write_bytes(b"[" * 100_000),
}


Pit = tuple[Path, Path, dict[str, str]]
"""An archive, its lake, and the tables of both with the way in which the memory of each is taken away."""


@pytest.fixture
def pit(tmp_path: Path) -> Pit:
    archive, lake = tmp_path / "pit", tmp_path / "pit-lake"
    tables = {f"T{number}": how for number, how in enumerate(FORGETTING)}
    replace_all(archive, tables, house.SOUND)
    run_nightly(archive, lake, DAY)
    return archive, lake, tables


def replace_all(archive: Path, tables: Iterable[str], text: str) -> dict[str, str]:
    """Put another log in the place of each table's; the new digests."""
    shutil.rmtree(archive, ignore_errors=True)
    for table in tables:
        house.write(archive, table, text)
    return {table: sha256(archive, table) for table in tables}


def test_who_takes_the_memory_away_makes_nothing_forgotten(pit: Pit, other: str) -> None:
    archive, lake, tables = pit
    was = {table: sha256(archive, table) for table in tables}
    files = {table: memory_file(lake, DAY, table) for table in tables}
    whole = {table: file.read_bytes() for table, file in files.items()}
    for table, how in tables.items():
        FORGETTING[how](files[table])
    night = run_nightly(archive, lake, DAY)
    for table, how in tables.items():
        assert str(files[table]) in night.made_anew[table], how
        assert files[table].read_bytes() == whole[table], how
        FORGETTING[how](files[table])
    assert told(night) == []
    now = replace_all(archive, tables, other)
    night = run_nightly(archive, lake, DAY)
    assert told(night) == [(0, was[table], now[table]) for table in tables]
    assert [change.table_id for change in night.reconciliation.open_log_changes] == [*tables]


def test_who_takes_the_memory_away_and_its_copy_is_found_out(pit: Pit, other: str) -> None:
    archive, lake, tables = pit
    replace_all(archive, tables, other)
    for table, how in tables.items():
        FORGETTING[how](memory_file(lake, DAY, table))
        run_file(lake, DAY, table).unlink()
    for _ in range(2):
        night = run_nightly(archive, lake, DAY)
        assert not night.clean
        changes = night.reconciliation.open_log_changes
        for (table, how), change in zip(tables.items(), changes, strict=True):
            assert (change.table_id, change.code, change.part, change.now) == (table, "MEMORY_LOST", None, None), how
            assert str(memory_file(lake, DAY, table)) in change.message, how
    for table in tables:
        acknowledge(lake, DAY, table, WHO)
    assert told(run_nightly(archive, lake, DAY)) == []


def test_a_memory_that_somebody_wrote_anew_is_found_out(
    clean_archive: Path, lake: Path, replace: Any, other: str, tmp_path: Path
) -> None:
    was, now = sha256(clean_archive), replace(other)
    run_nightly(clean_archive, tmp_path / "forged", DAY)
    shutil.copy(memory_file(tmp_path / "forged", DAY, "T1"), memory_file(lake, DAY, "T1"))
    assert [change.code for change in reconcile(lake, DAY).open_log_changes] == ["MEMORY_LOST"]
    changes = run_nightly(clean_archive, lake, DAY).reconciliation.open_log_changes
    assert [(change.code, change.part) for change in changes] == [("CONTAINER_REPLACED", 0), ("MEMORY_LOST", None)]
    assert (changes[0].was, changes[0].now) == (was, now)


def test_an_acknowledgement_cannot_be_taken_back_or_be_slipped_in(
    clean_archive: Path, lake: Path, replace: Any, other: str
) -> None:
    now = replace(other)
    run_nightly(clean_archive, lake, DAY)
    file = memory_file(lake, DAY, "T1")
    forged = {"acknowledged": [[0, "0" * 64, now]], "at": "", "before": "", "by": "nobody", "reason": ""}
    whole = file.read_bytes()
    file.write_bytes(whole + json.dumps(forged).encode() + b"\n")
    assert told(run_nightly(clean_archive, lake, DAY)) != []
    assert file.read_bytes() == whole
    acknowledge(lake, DAY, "T1", WHO)
    _cut(file)
    assert [change.code for change in reconcile(lake, DAY).open_log_changes] == ["CONTAINER_REPLACED"]


def test_a_table_without_changes_has_nothing_to_acknowledge(lake: Path) -> None:
    for table in ("T1", "T9"):
        with pytest.raises(NothingToAcknowledge):
            acknowledge(lake, DAY, table, WHO)
    with pytest.raises(TableIdRefused):
        acknowledge(lake, DAY, "../T1", WHO)
    assert Change("T1", DAY, 0, "a", "b", "").code == "CONTAINER_REPLACED"


def test_the_next_night_finds_a_log_that_was_replaced_after_its_own(
    clean_archive: Path, lake: Path, replace: Any, other: str
) -> None:
    """It was found only when its own gaming day was run again, which nobody does of a day that was clean."""
    was = sha256(clean_archive)
    after = DAY + dt.timedelta(days=1)

    def nights() -> dict[dt.date, Night]:
        made = run_with_catching_up(
            lambda day: run_nightly(clean_archive, lake, day), clean_archive, lake, after, Settings()
        )
        return {night.reconciliation.gaming_day: night for night in made}

    assert nights().keys() == {after}, "a day that was judged from the very bytes that are there is left alone"
    now = replace(other)
    found = nights()
    assert told(found[DAY]) == [(0, was, now)] and found[DAY].replayed == ("T1",)
    assert nights().keys() == {after}, "it is judged again once, and the finding stands until somebody acknowledges it"
    assert told(run_nightly(clean_archive, lake, DAY)) == [(0, was, now)]


def test_the_next_night_finds_a_log_that_was_damaged_after_its_own(clean_archive: Path, lake: Path) -> None:
    _flip(clean_archive / str(DAY) / "T1.avro")
    made = run_with_catching_up(
        lambda day: run_nightly(clean_archive, lake, day), clean_archive, lake, DAY + dt.timedelta(days=1), Settings()
    )
    assert "its SHA-256 is not the manifest's" in made[0].undone["T1"]


def _without_manifest(container: Path) -> None:
    container.with_suffix(".json").unlink()


def _torn_manifest(container: Path) -> None:
    manifest = container.with_suffix(".json")
    manifest.write_bytes(manifest.read_bytes()[:-10])


def _gone(container: Path) -> None:
    container.unlink()
    _without_manifest(container)


@pytest.mark.parametrize(
    "case",
    few(
        [
            (True, _flip),
            (False, _without_manifest),
            (True, _gone),
            *((judged, damage) for judged in (True, False) for damage in (_torn_manifest, Path.unlink)),
            (False, _flip),
            (True, _without_manifest),
            (False, _gone),
        ],
        3,
    ),
)
def test_a_damaged_log_that_was_restored_is_judged_by_the_next_night_and_said(
    clean_archive: Path, lake: Path, tmp_path: Path, case: tuple[bool, Callable[[Path], None]]
) -> None:
    """It stayed without verdicts until somebody ran its own gaming day: its parts are as many as they were. A case is whether the
    day was judged before, and the damage."""
    judged, spoil = case
    if not judged:
        shutil.rmtree(lake)
    folder, kept = clean_archive / str(DAY), tmp_path / "tape"
    shutil.copytree(folder, kept)

    def nights() -> dict[dt.date, Night]:
        after = DAY + dt.timedelta(days=1)
        made = run_with_catching_up(
            lambda day: run_nightly(clean_archive, lake, day), clean_archive, lake, after, Settings()
        )
        return {night.reconciliation.gaming_day: night for night in made}

    spoil(folder / "T1.avro")
    if judged or spoil is not _gone:
        damaged = nights()[DAY]
        assert damaged.undone.keys() == {"T1"} and damaged.restored == {}
        assert DAY not in nights(), "what is damaged still is not tried every night"
    shutil.copytree(kept, folder, dirs_exist_ok=True)
    night = nights()[DAY]
    assert (night.replayed, night.undone, night.reconciliation.damaged) == (("T1",), {}, {})
    assert told(night) == [], "these are the very bytes that were sealed"
    if judged or spoil is not _gone:
        assert night.restored == {"T1": damaged.undone["T1"]}
        assert night.to_dict()["restored"] == night.restored
        assert "T1 can be read again and was judged; it could not be before: " in markdown(night, lake)
    assert DAY not in nights()


def test_a_restored_log_waits_for_its_verdicts_and_the_command_says_that_it_got_them(
    clean_archive: Path, lake: Path, command: Any
) -> None:
    container = clean_archive / str(DAY) / "T1.avro"
    whole = container.read_bytes()
    ours = ("--archive", clean_archive, "--lake", lake)
    _flip(container)
    assert command("nightly", *ours, "--day", DAY)[0] == 1
    assert str(DAY) not in json.loads(command("status", *ours, "--no-kafka", "--json")[1])["lake"]["waiting"]
    container.write_bytes(whole)
    assert str(DAY) in json.loads(command("status", *ours, "--no-kafka", "--json")[1])["lake"]["waiting"]
    _, stdout, stderr = command("nightly", *ours, "--wait-for-sealing", 0)
    assert f"{DAY}: T1 can be read again and was judged; it could not be before: " in stderr
    assert f"{DAY}: 1 table, judged" in stdout
