"""A sealed log that is replaced after it was judged is a finding until somebody acknowledges these very digests."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from analytics.lake import Change, run_file
from analytics.lake.acknowledged import Acknowledgement, NothingToAcknowledge
from analytics.lake.memory import acknowledge, memory_file
from analytics.reconciliation.reconcile import reconcile
from flows.artifact import markdown
from flows.runs import run_nightly
from flows.settings import Settings
from flows.summary import Night, one_sentence
from replayer.engine.replay_settings import ReplaySettings
from replayer.sources.layout import TableIdRefused
from replayer.sources.table_days import table_days
from replayer.verdicts.run import replay_all
from tests import house
from tests.analytics.made import render
from tests.archives import read_events
from tests.flows.property import Property
from tests.shares import few

DAY = dt.date(2009, 6, 1)
WHO = Acknowledgement("M. Wong", "2009-06-02T09:00:00+00:00", "restored from tape")
LATE = "dealer+D9 dealer-D9"


def sha256(archive: Path, name: str = "T1") -> str:
    return hashlib.sha256((archive / str(DAY) / f"{name}.avro").read_bytes()).hexdigest()


@pytest.fixture
def replace(sound: Property) -> Callable[..., str]:
    """Put other logs in the place of the sealed ones, each with a manifest of its own that fits; the new digest."""

    def put(*texts: str) -> str:
        made = sound.folder / "forged"
        shutil.rmtree(made, ignore_errors=True)
        first = 1
        for text in texts:
            first = house.write(made, "T1", text, first_seq=first) + 1
        shutil.copytree(made / str(DAY), sound.archive / str(DAY), dirs_exist_ok=True)
        return sha256(sound.archive)

    return put


@pytest.fixture
def other() -> str:
    """Another table-day that is right in itself: one more dealer looked in."""
    return str(house.closing(f"{house.RIGHT} dealer+D8 dealer-D8", 200))


def reported(night: Night) -> list[tuple[int | None, str, str | None]]:
    counted = [f.count for f in night.reconciliation.findings if f.code in ("CONTAINER_REPLACED", "MEMORY_LOST")]
    changes = night.reconciliation.open_log_changes
    assert sum(counted) == len(changes)
    assert not (changes and night.clean)
    return [(change.part, change.was, change.now) for change in changes]


def test_a_log_replaced_with_its_manifest_is_a_finding_every_time_and_everywhere(
    clean: Property, replace: Any, other: str
) -> None:
    was = sha256(clean.archive)
    now = replace(other)
    expected = [(0, was, now)]
    nights = [
        clean.night(),
        clean.night(),
        clean.night(chosen=Settings(replay=ReplaySettings(readings={"X-2": "down"}))),
        *clean.backfill(DAY, DAY),
    ]
    assert [night.replayed for night in nights] == [("T1",), (), ("T1",), ("T1",)]
    assert [reported(night) for night in nights] == [expected] * 4
    for text in (json.dumps(nights[-1].to_dict()), render(clean.lake, DAY), markdown(nights[-1], clean.lake)):
        assert was in text
        assert now in text


def test_the_command_line_says_so_and_its_exit_code_too(
    command: Any, clean: Property, replace: Any, other: str
) -> None:
    was, now = sha256(clean.archive), replace(other)
    commands: list[tuple[object, ...]] = [
        ("replay", clean.archive, "--lake", clean.lake, "--json"),
        ("nightly", *clean.both, "--day", DAY, "--json"),
        ("backfill", *clean.both, "--from", DAY, "--to", DAY),
        ("report", "--lake", clean.lake, "--day", DAY, "-o", clean.folder / "page.html"),
        ("query", "unsettled_wagers", "--lake", clean.lake, "--json"),
    ]
    for asked in commands:
        code, stdout, stderr = command(*asked)
        assert (code, f"CONTAINER_REPLACED {DAY} T1" in stderr) == (1, True), asked
        if "--json" in asked:
            assert [(c["was"], c["now"]) for c in json.loads(stdout)["log_changes"]] == [(was, now)]
    mine = ("acknowledge", "--lake", clean.lake, "--table", "T1", "--day", DAY, "--by", "M. Wong", "--json", "--reason")
    for no_reason in (" ", "two\nlines", "\x1b[31m"):
        assert command(*mine, no_reason)[0] == 2
    code, stdout, _ = command(*mine, "restored from tape")
    (change,) = json.loads(stdout)["acknowledged"]
    assert (code, change["was"], change["now"]) == (0, was, now)
    assert [command(*asked)[0] for asked in commands] == [0] * len(commands)
    assert "by M. Wong at " in (clean.folder / "page.html").read_text()
    code, _, stderr = command(*mine, "again")
    assert (code, len(stderr.splitlines())) == (2, 1)


def test_a_late_part_only_adds_and_is_no_replacement(clean: Property) -> None:
    house.write(clean.archive, "T1", LATE, first_seq=26)
    for _ in range(2):
        assert reported(clean.night()) == []


def test_a_part_that_is_gone_or_other_under_the_same_last_part_is_reported(
    clean: Property, replace: Any, other: str
) -> None:
    first = sha256(clean.archive)
    house.write(clean.archive, "T1", LATE, first_seq=26)
    late = sha256(clean.archive, "T1.late-1")
    clean.night()
    for file in (clean.archive / str(DAY)).glob("T1.late-1.*"):
        file.unlink()
    night = clean.night()
    assert reported(night) == [(1, late, None)]
    [gone] = night.reconciliation.open_log_changes
    assert gone.message.endswith("it is no longer in the archive")
    now, night = replace(other, LATE), clean.night()
    assert reported(night) == [(0, first, now), (1, late, sha256(clean.archive, "T1.late-1"))]
    for change in night.reconciliation.open_log_changes:
        assert change.message.endswith(f"the archive now holds {change.now} in its place")


def test_an_acknowledgement_holds_for_the_digests_it_names_and_no_other(
    clean: Property, replace: Any, other: str
) -> None:
    right = house.SOUND
    first = sha256(clean.archive)
    second = replace(other)
    clean.night()
    acknowledge(clean.lake, DAY, "T1", WHO)
    night = clean.night()
    assert reported(night) == []
    assert [change.acknowledged for change in night.reconciliation.log_changes] == [WHO]
    with pytest.raises(NothingToAcknowledge, match="T1 on 2009-06-01"):
        acknowledge(clean.lake, DAY, "T1", WHO)
    third = replace(other + " dealer+D7 dealer-D7")
    assert reported(clean.night()) == [(0, first, third), (0, second, third)]
    assert replace(right) == first, "the very bytes that were judged first come back"
    assert reported(clean.night()) == [(0, second, first), (0, third, first)]
    acknowledge(clean.lake, DAY, "T1", WHO)
    assert reported(clean.night()) == []


def test_a_log_that_is_replaced_while_the_lakes_own_files_are_damaged_is_still_reported(
    clean: Property, replace: Any, other: str
) -> None:
    was, now = sha256(clean.archive), replace(other)
    run_file(clean.lake, DAY, "T1").unlink()
    assert reported(clean.night()) == [(0, was, now)]


def test_a_log_that_was_damaged_first_and_replaced_then_is_still_reported(
    clean: Property, replace: Any, other: str
) -> None:
    was = sha256(clean.archive)
    house.damage(clean.archive / str(DAY) / "T1.avro")
    assert clean.night().undone.keys() == {"T1"}
    assert reported(clean.night()) == []
    now = replace(other)
    assert reported(clean.night()) == [(0, was, now)]


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


Attacked = tuple[Path, Path, dict[str, str]]
"""An archive, its lake, and the tables of both with the way in which the memory of each is taken away."""


@pytest.fixture
def attacked(tmp_path: Path) -> Attacked:
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


def test_who_takes_the_memory_away_makes_nothing_forgotten(attacked: Attacked, other: str) -> None:
    archive, lake, tables = attacked
    was = {table: sha256(archive, table) for table in tables}
    files = {table: memory_file(lake, DAY, table) for table in tables}
    whole = {table: file.read_bytes() for table, file in files.items()}
    for table, how in tables.items():
        FORGETTING[how](files[table])
    night = run_nightly(archive, lake, DAY)
    for table, how in tables.items():
        assert str(files[table]) in night.made_anew[table], how
        assert ("is missing" in night.made_anew[table]) == (how == "removed"), how
        assert files[table].read_bytes() == whole[table], how
        FORGETTING[how](files[table])
    assert reported(night) == []
    now = replace_all(archive, tables, other)
    night = run_nightly(archive, lake, DAY)
    assert reported(night) == [(0, was[table], now[table]) for table in tables]
    assert [change.table_id for change in night.reconciliation.open_log_changes] == [*tables]


def test_who_takes_the_memory_away_and_its_copy_is_found_out(attacked: Attacked, other: str) -> None:
    archive, lake, tables = attacked
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
    assert reported(run_nightly(archive, lake, DAY)) == []


def test_a_memory_that_somebody_wrote_anew_is_found_out(clean: Property, replace: Any, other: str) -> None:
    was, now = sha256(clean.archive), replace(other)
    run_nightly(clean.archive, clean.folder / "anew", DAY)
    shutil.copy(memory_file(clean.folder / "anew", DAY, "T1"), memory_file(clean.lake, DAY, "T1"))
    assert [change.code for change in reconcile(clean.lake, DAY).open_log_changes] == ["MEMORY_LOST"]
    changes = (night := clean.night()).reconciliation.open_log_changes
    assert [(change.code, change.part) for change in changes] == [("CONTAINER_REPLACED", 0), ("MEMORY_LOST", None)]
    assert "; 1 log changed after it was judged: T1;" in one_sentence(night)
    assert (changes[0].was, changes[0].now) == (was, now)


def test_an_acknowledgement_cannot_be_taken_back_or_be_slipped_in(clean: Property, replace: Any, other: str) -> None:
    now = replace(other)
    clean.night()
    file = memory_file(clean.lake, DAY, "T1")
    forged = {"acknowledged": [[0, "0" * 64, now]], "at": "", "before": "", "by": "nobody", "reason": ""}
    whole = file.read_bytes()
    file.write_bytes(whole + json.dumps(forged).encode() + b"\n")
    assert reported(clean.night()) != []
    assert file.read_bytes() == whole
    acknowledge(clean.lake, DAY, "T1", WHO)
    _cut(file)
    assert [change.code for change in reconcile(clean.lake, DAY).open_log_changes] == ["CONTAINER_REPLACED"]


def test_a_table_without_changes_has_nothing_to_acknowledge(clean: Property) -> None:
    for table in ("T1", "T9"):
        with pytest.raises(NothingToAcknowledge):
            acknowledge(clean.lake, DAY, table, WHO)
    with pytest.raises(TableIdRefused):
        acknowledge(clean.lake, DAY, "../T1", WHO)
    assert Change("T1", DAY, 0, "a", "b", "").code == "CONTAINER_REPLACED"


def test_the_next_night_finds_a_log_that_was_replaced_after_its_own(clean: Property, replace: Any, other: str) -> None:
    """It was found only when its own gaming day was run again, which nobody does of a day that was clean."""
    was = sha256(clean.archive)
    after = DAY + dt.timedelta(days=1)

    def nights() -> dict[dt.date, Night]:
        made = clean.nights(after)
        return {night.reconciliation.gaming_day: night for night in made}

    assert nights().keys() == {after}, "a day that was judged from the very bytes that are there is left alone"
    now = replace(other)
    found = nights()
    assert reported(found[DAY]) == [(0, was, now)] and found[DAY].replayed == ("T1",)
    assert nights().keys() == {after}, "it is judged again once, and the finding stands until somebody acknowledges it"
    assert reported(clean.night()) == [(0, was, now)]


def test_the_next_night_finds_a_log_that_was_damaged_after_its_own(clean: Property) -> None:
    _flip(clean.archive / str(DAY) / "T1.avro")
    made = clean.nights(DAY + dt.timedelta(days=1))
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
    clean: Property, case: tuple[bool, Callable[[Path], None]]
) -> None:
    """It stayed without verdicts until somebody ran its own gaming day: its parts are as many as they were. A case is whether the
    day was judged before, and the damage."""
    judged, spoil = case
    if not judged:
        shutil.rmtree(clean.lake)
    folder, kept = clean.archive / str(DAY), clean.folder / "tape"
    shutil.copytree(folder, kept)

    def nights() -> dict[dt.date, Night]:
        after = DAY + dt.timedelta(days=1)
        made = clean.nights(after)
        return {night.reconciliation.gaming_day: night for night in made}

    spoil(folder / "T1.avro")
    if judged or spoil is not _gone:
        damaged = nights()[DAY]
        assert damaged.undone.keys() == {"T1"} and damaged.restored == {}
        assert DAY not in nights(), "what is damaged still is not tried every night"
    shutil.copytree(kept, folder, dirs_exist_ok=True)
    night = nights()[DAY]
    assert (night.replayed, night.undone, night.reconciliation.damaged) == (("T1",), {}, {})
    assert reported(night) == [], "these are the very bytes that were sealed"
    if judged or spoil is not _gone:
        assert night.restored == {"T1": damaged.undone["T1"]}
        assert night.to_dict()["restored"] == night.restored
        assert "T1 can be read again and was judged; it could not be before: " in markdown(night, clean.lake)
    assert DAY not in nights()


def test_a_restored_log_waits_for_its_verdicts_and_the_command_says_that_it_got_them(
    clean: Property, command: Any
) -> None:
    container = clean.archive / str(DAY) / "T1.avro"
    whole = container.read_bytes()
    ours = clean.both
    _flip(container)
    assert command("nightly", *ours, "--day", DAY)[0] == 1
    assert str(DAY) not in json.loads(command("status", *ours, "--no-kafka", "--json")[1])["lake"]["waiting"]
    container.write_bytes(whole)
    assert str(DAY) in json.loads(command("status", *ours, "--no-kafka", "--json")[1])["lake"]["waiting"]
    _, stdout, stderr = command("nightly", *ours, "--wait-for-sealing", 0)
    assert f"{DAY}: T1 can be read again and was judged; it could not be before: " in stderr
    assert f"{DAY}: 1 table, judged" in stdout


# What was found stays found, whoever appends what to the logs


OVERPAID_AT = 21
"""The raise of table T2, settled at +150 where +100 is due (78/2008 art. 7: equal stakes, even money)."""
CLOSED_AT = 24
ATTACKS = [
    "correct:21:miskeyed:1.raise=100>+100@p1 correct:24:miscounted:chips=499850",
    "#1 1.raise=100>-50@p1",
    "#1 1.raise=50@p1",
    "#1 void:{cards cancelled}",
    "correct:8:misread:1-3h correct:16:misread:1^3h",
    "#1 failed:{the shuffler broke}",
    "option:regulation=bj.house option:not_recorded={custody,decisions,deal_order}",
    "dealer-D1 dealer+D2 option:not_recorded=custody #2 void:{nothing was dealt}",
]
CUSTODY = [
    "close=500000",
    "credit:C-2=50000",
    "fill:F-2=1",
    "buyin=50000@p1",
    "slipvoid:F-1=50000:{wrong table}",
    "correct:1:miscounted:chips=450000",
    "correct:5:miscounted:chips=500000",
    "correct:3:miscounted:chips=0",
    "open:fortune_3_card_poker:MOP:7=450000",
    "open:fortune_3_card_poker:MOP:7=450000 close=500000",
    "drop=50000",
]


def custody_of(night: Any) -> Mapping[str, int]:
    return {finding.code: finding.delta_minor for finding in night.reconciliation.custody_findings}


def codes_of(night: Any) -> set[str]:
    return {found.code for found in night.reconciliation.findings}


def test_the_positions_of_the_attacks_are_those_of_the_log(pit: Property) -> None:
    (ref,) = table_days(pit.archive, table="T2")
    kinds = {event.seq: event.kind for event in read_events(ref)}
    assert (kinds[OVERPAID_AT], kinds[CLOSED_AT], kinds[8], kinds[16]) == (
        "WagerSettled", "TableClosed", "CardDealt", "CardTurned"
    )  # fmt: skip


def test_an_overpayment_is_not_cleared_by_what_is_appended(empty: Property) -> None:
    for number in range(len(ATTACKS)):
        house.write(empty.archive, f"T{number}", house.WRONG)
    before = empty.night()
    for number, attack in enumerate(ATTACKS):
        house.write(empty.archive, f"T{number}", attack, first_seq=26)
    after = empty.night()
    for night in (before, after):
        wrong = [(cause.table_id, cause.seq, cause.delta_minor) for cause in night.reconciliation.settlement_causes]
        assert wrong == [(f"T{number}", OVERPAID_AT, 50_00) for number in range(len(ATTACKS))]
        assert {(row.settlement_gap_minor, row.custody_gap_minor) for row in night.reconciliation.tables} == {
            (-50_00, 0)
        }
    assert codes_of(before) == {"OVERPAID"}
    assert {change.table_id for change in after.reconciliation.book_changes} == {f"T{n}" for n in range(len(ATTACKS))}


def test_chips_missing_at_the_closing_are_not_cleared_by_what_is_appended(empty: Property) -> None:
    """50,000 arrived on slip F-1 and are not in the tray."""
    tables = [f"T{number:02}" for number in range(len(CUSTODY))]
    for table in tables:
        house.write(empty.archive, table, f"{house.OPEN} fill:F-1=50000 dealer-D1 close=500000 drop=0")
    before = empty.night()
    for table, late in zip(tables, CUSTODY, strict=True):
        house.write(empty.archive, table, late, first_seq=7)
    after = empty.night()
    for night in (before, after):
        first = {finding.table_id: finding for finding in reversed(night.reconciliation.custody_findings)}
        assert {table: (f.code, f.delta_minor) for table, f in first.items()} == dict.fromkeys(
            tables, ("INVENTORY_VARIANCE", -50_000_00)
        )
        rows = night.reconciliation.tables
        assert {(row.inventory_variance_minor, row.custody_gap_minor) for row in rows} == {(-50_000_00, -50_000_00)}
    changes = after.reconciliation.book_changes
    assert not before.reconciliation.book_changes
    assert {table: {c.seq for c in changes if c.table_id == table} >= {7} for table in tables} == dict.fromkeys(
        tables, True
    )


def test_the_drop_counted_late_is_ordinary_once(empty: Property) -> None:
    house.write(empty.archive, "T1", f"{house.OPEN} buyin=30@p1 dealer-D1 close=499970")
    assert [row.not_counted for row in empty.night().reconciliation.tables] == ["drop"]
    house.write(empty.archive, "T1", "drop=20", first_seq=6)
    assert custody_of(empty.night()) == {"DROP_VARIANCE": -10_00}
    house.write(empty.archive, "T1", "drop=10", first_seq=7)
    again = empty.night()
    assert custody_of(again) == {"DROP_VARIANCE": -10_00}
    changes = [(change.code, change.before, change.after) for change in again.reconciliation.book_changes]
    assert changes == [("DROP_COUNTED_AGAIN", "20", "10"), ("PART_LATE", None, "1 event(s), seq 7 to 7")]


def test_a_correction_in_time_does_not_leave_a_night_clean(empty: Property) -> None:
    corrected = house.OVERPAID.replace("end #-", "end #- correct:21:miskeyed:1.raise=100>+100@p1")
    house.write(empty.archive, "T1", house.closing(corrected, 200))
    night = empty.night()
    assert codes_of(night) == {"EVENT_CORRECTED"}
    assert not night.clean
    (change,) = night.reconciliation.book_changes
    assert (change.seq, change.round, change.before, change.after) == (23, 1, "net +150", "net +100")


def test_what_was_appended_is_listed_wherever_a_night_is_read(pit: Property, pitaudit: Any) -> None:
    house.write(pit.archive, "T2", "correct:21:miskeyed:1.raise=100>+100@p1 fill:F-9=700", first_seq=26)
    done = pitaudit("nightly", *pit.both, "--day", house.DAY, "--json")
    assert done.returncode == 1
    reported = [(c["seq"], c["before"], c["after"]) for c in json.loads(done.stdout)["book_changes"]]
    fill = "Chips from the cage: 700 on slip F-9"
    assert reported == [(26, "net +150", "net +100"), (26, None, "2 event(s), seq 26 to 27"), (27, None, fill)]
    assert "seq 26: CORRECTION_LATE" in done.stderr
    page = re.sub(r"<[^>]+>", " ", render(pit.lake, house.DAY))
    section = page[page.index("Corrections and late entries") :]
    for word in ("CORRECTION_LATE", "net +150", "net +100", fill):
        assert word in section
    assert "corrected too late by seq 26" in page
    page = markdown(pit.night(), pit.lake)
    assert "Corrections and late entries" in page
    for table in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1, table
    explained = pitaudit("explain", pit.archive, "--table", "T2", "--round", "1", "--day", house.DAY)
    assert explained.returncode == 1
    assert "CORRECTION_LATE (seq 26)" in explained.stdout
    assert "(corrected too late by seq 26)" in explained.stdout
    replayed = json.loads(pitaudit("replay", pit.archive, "--json").stdout)["findings"]
    assert (replayed["CORRECTION_LATE"], replayed["ENTERED_LATE"], replayed["PART_LATE"]) == (1, 1, 1)


def test_what_was_appended_is_judged_alike_by_one_and_by_two_workers(pit: Property) -> None:
    house.write(pit.archive, "T1", "close=1 #1 void:{why not}", first_seq=26)
    house.write(pit.archive, "T2", ATTACKS[0], first_seq=26)
    refs = table_days(pit.archive)
    assert replay_all(refs, workers=2).digest() == replay_all(refs).digest()
