"""A night judges the day that it was for, waits for what is still open of it, and takes up what earlier nights could not."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from analytics.api import judge
from analytics.lake import note_or_empty
from analytics.lake.parts import part_file
from analytics.lake.statuses import Status
from analytics.reconciliation.reconcile import reconcile
from analytics.reconciliation.result import Reconciliation
from flows.cli import main
from flows.expected import Expecting, RegisteredTable
from flows.known_errors import CouldNotRun
from flows.pending_days import clock_fault, damaged_days, first_within, require_over, to_catch_up, unsealed_days
from flows.runs import run_nightly, run_with_catching_up
from flows.settings import Settings
from flows.summary import Night
from producers.sinks.archive import ArchiveSink
from replayer.sources.layout import PartName, on_their_way
from replayer.sources.listing import sealed_in
from schemas.notation import parse_events
from tests import house
from tests.archives import append

FIRST = dt.date(2009, 6, 1)
DAYS = [FIRST + dt.timedelta(days=number) for number in range(4)]
LOOKING_BACK = Expecting()


@pytest.fixture(scope="module")
def four_nights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables on each of four gaming days."""
    folder = tmp_path_factory.mktemp("nights") / "archive"
    for table in ("T1", "T2"):
        last = 0
        for day in DAYS:
            last = house.write(folder, table, house.closing("", 0), day=day, first_seq=last + 1)
    return folder


@pytest.fixture
def nights(four_nights: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(four_nights, tmp_path / "archive"))


@pytest.fixture(scope="module")
def three_judged(four_nights: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lake of the first three nights, to be copied before it is touched."""
    lake = tmp_path_factory.mktemp("judged") / "lake"
    done = ran(four_nights, lake, DAYS[2])
    assert days_of(done) == DAYS[:3]
    assert all(night.clean for night in done)
    return lake


@pytest.fixture
def lake(three_judged: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(three_judged, tmp_path / "lake"))


def ran(
    archive: Path, lake: Path, day: dt.date, on_wait: Callable[[str], None] = lambda _: None, **more: Any
) -> list[Night]:
    chosen = Settings(expecting=LOOKING_BACK, **more)
    return run_with_catching_up(partial(run_nightly, archive, lake), archive, lake, day, chosen, on_wait=on_wait)


def days_of(nights: list[Night]) -> list[dt.date]:
    return [night.reconciliation.gaming_day for night in nights]


def test_after_an_outage_every_day_without_a_verdict_is_caught_up_the_oldest_first(
    nights: Path, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    run_nightly(nights, lake, DAYS[0])
    done = ran(nights, lake, DAYS[3])
    assert days_of(done) == DAYS[1:]
    assert all(night.clean for night in done)
    assert days_of(ran(nights, lake, DAYS[3])) == [DAYS[3]], "what was judged is not judged again"


def test_a_day_of_which_nothing_came_in_an_outage_is_accounted_for_as_well(nights: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    shutil.rmtree(nights / str(DAYS[2]))
    run_nightly(nights, lake, DAYS[0])
    done = {night.reconciliation.gaming_day: night for night in ran(nights, lake, DAYS[3])}
    assert [*done] == DAYS[1:]
    assert {each.status for each in done[DAYS[2]].reconciliation.open_statuses} == {Status.ABSENT}


def test_what_is_said_of_a_days_numbers_depends_on_no_order_in_which_days_came(
    nights: Path, lake: Path, tmp_path: Path
) -> None:
    """A day that came later, went or came back was held against those before it only, and the day after it never again."""

    def between(known: Path) -> list[tuple[dt.date, str]]:
        return [(found.gaming_day, found.code) for day in DAYS for found in note_or_empty(known, day).between]

    first = nights / str(DAYS[0])  # on each day each table has five numbers
    assert days_of(ran(nights, lake, DAYS[3])) == [DAYS[3]]
    first.rename(tmp_path / "taken out")
    house.write(tmp_path / "other", "T1", house.closing("dealer+D9 dealer-D9 dealer+D9", 0), day=DAYS[0])
    shutil.copytree(tmp_path / "other" / first.name, first)
    assert days_of(ran(nights, lake, DAYS[3])) == [DAYS[0], DAYS[1], DAYS[3]]
    ran(nights, tmp_path / "new", DAYS[3])
    assert between(lake) == between(tmp_path / "new") == [(DAYS[1], "SEQUENCE_CONFLICT")], "6, 7 and 8 stand there, too"
    shutil.rmtree(first)
    (tmp_path / "taken out").rename(first)
    assert days_of(ran(nights, lake, DAYS[3])) == [DAYS[0], DAYS[1], DAYS[3]]
    assert between(lake) == []
    assert days_of(ran(nights, lake, DAYS[3])) == [DAYS[3]]


def test_damaged_and_unsealed_days_are_looked_for_as_far_back_as_is_asked(nights: Path, lake: Path) -> None:
    house.damage(part_file(lake, "rounds", DAYS[0], 0), 20)
    for table, day in (("T8", DAYS[0]), ("T9", DAYS[3])):
        house.write(nights, table, house.OPEN, day, sealed=False)
    for first, found in ((dt.date.min, [DAYS[0]]), (DAYS[0], [DAYS[0]]), (DAYS[1], [])):
        assert unsealed_days(nights, first, DAYS[3]) == damaged_days(nights, lake, first, DAYS[3]) == found


def test_no_day_before_the_first_of_the_calendar_is_looked_for(nights: Path, lake: Path) -> None:
    for day in (dt.date.min, dt.date.min + dt.timedelta(days=2)):
        first = first_within(9, day)
        assert to_catch_up(nights, lake, first, day, LOOKING_BACK) == damaged_days(nights, lake, first, day) == []


@pytest.mark.parametrize("file", ["T1.avro", "T1.json"])
def test_a_sealed_file_that_is_gone_is_reported_by_the_next_night_however_long_ago_its_day_was(
    nights: Path, lake: Path, tmp_path: Path, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a day that is not held to its digests any more, a manifest that was gone was reported by no night."""
    monkeypatch.setattr("flows.pending_days.HELD_DAYS", 1)
    (nights / str(DAYS[0]) / file).rename(tmp_path / file)
    done = ran(nights, lake, DAYS[3])
    assert days_of(done) == [DAYS[0], DAYS[3]]
    assert [(each.table_id, each.status) for each in done[0].reconciliation.open_statuses] == [("T1", Status.DAMAGED)]
    (tmp_path / file).rename(nights / str(DAYS[0]) / file)
    assert [night.clean for night in ran(nights, lake, DAYS[3])] == [True, True]


def test_what_is_sealed_after_its_night_is_taken_up_by_the_next_run_of_any_day(nights: Path, tmp_path: Path) -> None:
    lake, aside = tmp_path / "lake", tmp_path / "aside"
    shutil.copytree(nights / str(DAYS[1]), aside)
    for file in (nights / str(DAYS[1])).glob("T2.*"):
        file.unlink()
    assert not ran(nights, lake, DAYS[1])[-1].clean
    assert to_catch_up(nights, lake, dt.date.min, DAYS[2], LOOKING_BACK) == []
    shutil.copytree(aside, nights / str(DAYS[1]), dirs_exist_ok=True)
    done = ran(nights, lake, DAYS[2])
    assert days_of(done) == DAYS[1:3]
    assert done[0].replayed == ("T2",)
    assert reconcile(lake, DAYS[1]).clean


@pytest.mark.parametrize(
    ("file", "gone"),
    [
        (f"data/wagers/gaming_day={DAYS[0]}/part-0.parquet", False),
        pytest.param(f"runs/{DAYS[0]}/T1.json", True, marks=pytest.mark.prove),
        pytest.param(f"judged/{DAYS[0]}/T1.jsonl", False, marks=pytest.mark.prove),
    ],
)
def test_verdicts_of_an_earlier_day_that_were_damaged_since_are_made_anew_by_the_next_night(
    nights: Path, lake: Path, file: str, gone: bool
) -> None:
    """Nobody names the earlier day: `pitaudit status` says that the next night makes its verdicts anew."""
    if gone:
        (lake / file).unlink()
    else:
        house.damage(lake / file, (lake / file).stat().st_size // 2)
    done = ran(nights, lake, DAYS[3])
    assert days_of(done) == [DAYS[0], DAYS[3]]
    assert reconcile(lake, DAYS[0]).clean
    assert done[0].made_anew
    assert days_of(ran(nights, lake, DAYS[3])) == [DAYS[3]], "what was made anew is whole"


def test_a_run_that_was_killed_is_caught_up_and_one_that_is_too_long_ago_is_not(nights: Path, lake: Path) -> None:
    (lake / "days" / f"{DAYS[0]}.json").unlink()
    assert to_catch_up(nights, lake, dt.date.min, DAYS[3], LOOKING_BACK) == [DAYS[0]]
    assert to_catch_up(nights, lake, DAYS[1], DAYS[3], LOOKING_BACK) == []


def two_days(folder: Path, first: str, second: str) -> tuple[Path, Path]:
    """An archive with rounds of one table on the first two days, and a lake yet to be made."""
    last = house.write(folder / "archive", "T1", first, day=FIRST)
    house.write(folder / "archive", "T1", second, day=DAYS[1], first_seq=last + 1)
    return folder / "archive", folder / "lake"


def test_a_night_that_was_killed_before_its_findings_were_noted_is_caught_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, lake = two_days(tmp_path, house.WRONG, house.SOUND)
    with monkeypatch.context() as killed, pytest.raises(KeyboardInterrupt):
        killed.setattr("analytics.reconciliation.reconcile.reconcile", lambda *_: os.kill(os.getpid(), signal.SIGINT))
        run_nightly(archive, lake, FIRST)
    assert reconcile(lake, FIRST).unfinished
    assert days_of(ran(archive, lake, DAYS[1])) == DAYS[:2]
    assert note_or_empty(lake, FIRST).found == "1 overpaid 50.00 MOP", "the status tells it from now on"


def test_a_day_that_fails_by_a_fault_of_the_program_keeps_no_later_one_from_being_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, lake = two_days(tmp_path, house.SOUND, house.WRONG)

    def faulty(lake: Path, day: dt.date) -> Reconciliation:
        if day == FIRST:
            raise ZeroDivisionError
        return reconcile(lake, day)

    monkeypatch.setattr("analytics.reconciliation.reconcile.reconcile", faulty)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            ran(archive, lake, DAYS[1])
        assert note_or_empty(lake, DAYS[1]).found == "1 overpaid 50.00 MOP"
    monkeypatch.undo()
    assert days_of(ran(archive, lake, DAYS[1])) == DAYS[:2], "the first day waited"


def test_tables_of_a_register_are_missed_on_days_that_nobody_ran(nights: Path, tmp_path: Path) -> None:
    for day in DAYS[2:]:
        shutil.rmtree(nights / str(day))
    register = Expecting((RegisteredTable("T1"), RegisteredTable("T2")))
    due = to_catch_up(nights, tmp_path / "lake", dt.date.min, DAYS[3] + dt.timedelta(days=9), register)
    assert due == [FIRST + dt.timedelta(days=number) for number in range(12)]


def test_days_on_which_tables_were_only_missed_make_no_later_ones_due(
    nights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One log dated long ago gave each night another month of days on which a whole register was absent."""
    monkeypatch.setattr("flows.pending_days.STILL_EXPECTED_DAYS", 2)
    lake, tables = tmp_path / "lake", (RegisteredTable("T1"), RegisteredTable("T2"))
    register = Settings(expecting=Expecting(tables))
    for day in (*DAYS, *(DAYS[3] + dt.timedelta(days=days) for days in (1, 2))):
        run_nightly(nights, lake, day, register)
    assert to_catch_up(nights, lake, dt.date.min, DAYS[3] + dt.timedelta(days=9), register.expecting) == []


def test_a_named_day_is_judged_alone_and_no_day_means_the_last_one_and_what_waits(
    nights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    last = Settings().last_gaming_day(dt.datetime.now(dt.UTC))
    ordered = ["nightly", "--archive", str(nights), "--lake", str(tmp_path / "lake"), "--json"]
    assert main([*ordered, "--day", str(DAYS[3])]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["gaming_day"], said["caught_up"]) == (str(DAYS[3]), [])
    register = [
        f'id = "T1"\nuntil = {DAYS[3] + dt.timedelta(days=1)}',
        f'id = "T2"\nuntil = {DAYS[3]}',
        f'id = "T3"\nfrom = {last}',
    ]
    (tmp_path / "pitaudit.toml").write_text("".join(f"[[tables]]\n{line}\n" for line in register))
    assert main(ordered) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["gaming_day"] == str(last)
    assert [(row["table_id"], row["status"]) for row in said["tables"]] == [("T3", "absent")]
    caught_up = [(night["gaming_day"], night["clean"]) for night in said["caught_up"]]
    assert caught_up == [*((str(day), True) for day in DAYS[:3]), (str(DAYS[3] + dt.timedelta(days=1)), False)]


def leave_open(archive: Path) -> ArchiveSink:
    sink = ArchiveSink(archive)
    append(sink, *parse_events(house.closing("", 0), table_id="T9", gaming_day=DAYS[0]))
    sink.flush()
    return sink


def test_what_is_sealed_while_a_night_runs_is_judged_by_the_next_one(nights: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    with closing(leave_open(nights)) as sink:
        night = run_nightly(nights, lake, DAYS[0], on_table_day=lambda _: sink.seal("T9", DAYS[0]))
    assert (night.unsealed, unsealed_days(nights, dt.date.min, DAYS[1])) == (("T9",), [])
    assert [(night.reconciliation.gaming_day, night.replayed) for night in ran(nights, lake, DAYS[1])] == [
        (DAYS[0], ("T9",)),
        (DAYS[1], ("T1", "T2")),
    ]


def test_a_journal_that_a_kill_left_beside_its_sealed_part_leaves_no_table_unjudged_once_it_is_removed(
    nights: Path, tmp_path: Path
) -> None:
    lake, journal = tmp_path / "lake", PartName(DAYS[0], "T9").journal(nights)
    with closing(leave_open(nights)) as sink:
        data = journal.read_bytes()
        sink.seal("T9", DAYS[0])
    journal.parent.mkdir(exist_ok=True)
    journal.write_bytes(data)
    [night] = ran(nights, lake, DAYS[0])
    assert [(each.table_id, each.status) for each in night.reconciliation.open_statuses] == [("T9", Status.NOT_SEALED)]
    with closing(ArchiveSink(nights)) as sink:
        assert sink.last_seq("T9")
    assert not journal.exists(), "the table's next recorder removes it"
    late, _ = ran(nights, lake, DAYS[1])
    assert late.reconciliation.open_statuses == ()


def tables_of_a_night(archive: Path, lake: Path) -> set[str]:
    return {each.table_id for each in run_nightly(archive, lake, DAYS[0]).reconciliation.statuses or ()}


def tables_of_a_replay(archive: Path, lake: Path) -> set[str]:
    assert main(["replay", str(archive), "--lake", str(lake)]) == 1
    return {each.table_id for each in note_or_empty(lake, DAYS[0]).tables or ()}


def tables_of_a_notebook(archive: Path, _: Path) -> set[str]:
    with pytest.warns(UserWarning, match="T9"):
        judged = judge(archive, day=DAYS[0])
    return {*judged.table_days["table_id"], *(each.table_id or "" for each in judged.missing)}


@pytest.mark.parametrize("named_by", [tables_of_a_night, tables_of_a_replay, tables_of_a_notebook])
def test_a_table_that_is_sealed_while_an_archive_is_listed_is_not_omitted(
    nights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named_by: Callable[[Path, Path], set[str]]
) -> None:
    with closing(leave_open(nights)) as sink:

        def listed(folder: Path) -> Mapping[str, tuple[str, ...]]:
            names = sealed_in(folder)
            sink.seal("T9", DAYS[0])
            return names

        monkeypatch.setattr("replayer.sources.table_days.sealed_in", listed)
        assert named_by(nights, tmp_path / "lake") == {"T1", "T2", "T9"}


def test_a_night_waits_for_a_table_that_is_not_sealed(nights: Path, tmp_path: Path) -> None:
    sink = leave_open(nights)
    reported: list[str] = []

    def seal() -> None:
        while not reported:
            time.sleep(0.01)
        sink.seal("T9", DAYS[0])
        sink.close()

    thread = threading.Thread(target=seal)
    thread.start()
    [night] = ran(nights, tmp_path / "lake", DAYS[0], wait_for_sealing_seconds=60, on_wait=reported.append)
    thread.join()
    assert len(reported) == 1
    assert reported[0].endswith("until these tables are sealed: T9")
    assert "T9" in night.replayed
    assert night.clean


def test_a_night_waits_no_longer_than_its_limit_and_reports_what_was_not_sealed(nights: Path, tmp_path: Path) -> None:
    sink = leave_open(nights)
    began = time.monotonic()
    [night] = ran(nights, tmp_path / "lake", DAYS[0], wait_for_sealing_seconds=1)
    assert 1 <= time.monotonic() - began < 30
    assert [(each.table_id, each.status) for each in night.reconciliation.open_statuses] == [("T9", Status.NOT_SEALED)]
    sink.seal("T9", DAYS[0])
    sink.close()
    done = ran(nights, tmp_path / "lake", DAYS[1])
    assert (done[0].replayed, days_of(done)) == (("T9",), DAYS[:2])
    assert {each.table_id for each in done[1].reconciliation.open_statuses} == {"T9"}


def test_an_archive_of_which_nothing_was_sealed_yet_is_one_for_every_night(tmp_path: Path) -> None:
    """A second run said that it holds no gaming day, as if its disk were not mounted."""
    with closing(leave_open(tmp_path / "archive")):
        for _ in range(2):
            [night] = ran(tmp_path / "archive", tmp_path / "lake", DAYS[0])
            assert [(each.table_id, each.status) for each in night.reconciliation.open_statuses] == [
                ("T9", Status.NOT_SEALED)
            ]


def test_events_that_come_late_to_a_judged_day_are_named_every_night_until_they_are_sealed_and_judged(
    nights: Path, lake: Path
) -> None:
    """Only the night of their own day reported them, and that was over."""
    sink = ArchiveSink(nights)
    last = sink.last_seq("T1")
    append(sink, *parse_events(house.RIGHT, gaming_day=DAYS[0], first_seq=last + 1))
    sink.flush()
    for _ in range(2):
        late, last_day = ran(nights, lake, DAYS[3])
        assert (days_of([late, last_day]), late.clean, last_day.clean) == ([DAYS[0], DAYS[3]], False, True)
        [left] = late.reconciliation.open_statuses
        assert (left.table_id, left.status) == ("T1", Status.NOT_SEALED)
    assert days_of(ran(nights, lake, DAYS[3], catch_up_days=2)) == [DAYS[3]]
    assert days_of(ran(nights, lake, DAYS[3], catch_up_days=0)) == [DAYS[3]], "a day that is named is judged alone"
    sink.seal("T1", DAYS[0])
    sink.close()
    late, _ = ran(nights, lake, DAYS[3])
    assert late.replayed == ("T1",)
    assert [each.status for each in late.reconciliation.statuses or ()] == [Status.JUDGED, Status.JUDGED]
    assert days_of(ran(nights, lake, DAYS[3])) == [DAYS[3]]


@pytest.mark.parametrize("planted", [["T1.avro", "T1.json"], ["T1.json"], ["T1.avro"]], ids=" ".join)
def test_a_judged_table_under_an_import_is_named_as_such_every_night_and_judged_once_it_is_over(
    nights: Path, lake: Path, planted: list[str]
) -> None:
    """Its files were called gone, though nobody had touched them, and the nights after that were clean; when the import had come
    to its end no night judged it. Without its manifest it was not heard of at all."""
    staged = on_their_way(nights) / str(DAYS[0])
    staged.mkdir(parents=True)
    for name in planted:
        shutil.copy(nights / str(DAYS[0]) / name, staged)
    for _ in range(2):
        early, _ = ran(nights, lake, DAYS[3])
        [left] = early.reconciliation.open_statuses
        assert (left.table_id, left.status) == ("T1", Status.NOT_SEALED)
        assert left.why == "an import of it is under way or was killed"
    shutil.rmtree(on_their_way(nights))
    assert [night.clean for night in ran(nights, lake, DAYS[3])] == [True, True]
    assert days_of(ran(nights, lake, DAYS[3])) == [DAYS[3]]


def test_only_a_day_that_was_over_lately_is_waited_for_unless_somebody_says_how_long() -> None:
    morning = dt.datetime(2026, 1, 6, 6, 15, tzinfo=Settings().time_zone)
    day = dt.date(2026, 1, 5)
    assert Settings().wait_for_sealing(day, morning) == 1800
    assert Settings().wait_for_sealing(day, morning + dt.timedelta(days=1)) == 0
    assert Settings().wait_for_sealing(dt.date.max, morning) == 0
    assert Settings(wait_for_sealing_seconds=5).wait_for_sealing(FIRST, morning) == 5


def test_a_day_that_is_not_over_is_reported_with_its_end(nights: Path, tmp_path: Path) -> None:
    settings = Settings()
    now = dt.datetime(2026, 1, 6, 5, 59, tzinfo=settings.time_zone).astimezone(dt.UTC)
    day = dt.date(2026, 1, 5)
    with pytest.raises(CouldNotRun, match=r"2026-01-05 is not over: it ends at 2026-01-06 06:00 \(Asia/Macau\)"):
        require_over(nights, tmp_path / "lake", day, settings, now, pytest.fail, named=True)
    later = now + dt.timedelta(minutes=1)
    require_over(nights, tmp_path / "lake", day, settings, later, pytest.fail, named=True)
    shutil.copytree(nights / str(DAYS[0]), nights / str(day))
    said = list[str]()
    require_over(nights, tmp_path / "lake", day, settings, now, said.append, named=True)
    [line] = said
    assert line.endswith("it is 2026-01-06 05:59; tables that are absent may yet come")


def test_a_clock_that_went_back_never_passes_an_older_day_for_the_last_one(nights: Path, lake: Path) -> None:
    now = dt.datetime.now(dt.UTC)
    assert clock_fault(lake, now) == ""
    fault = clock_fault(lake, now - dt.timedelta(days=2))
    assert re.search(r"set the clock right \(or, .*\), or name the gaming day with --day", fault)
    ahead = time.time() + 90_000
    os.utime(lake / "days" / f"{DAYS[0]}.json", (ahead, ahead))
    assert main(["nightly", "--archive", str(nights), "--lake", str(lake)]) == 2
    assert main(["nightly", "--archive", str(nights), "--lake", str(lake), "--day", str(DAYS[0])]) == 0


def test_after_a_night_whose_clock_was_ahead_the_message_names_the_way_out_and_what_it_judged_too_early_is_judged_anew(
    nights: Path, lake: Path, tmp_path: Path
) -> None:
    played = shutil.move(nights / str(DAYS[3]), tmp_path / "played")
    [early] = ran(nights, lake, DAYS[3])
    assert [each.status for each in early.reconciliation.open_statuses] == [Status.ABSENT, Status.ABSENT]
    ahead = time.time() + 90_000
    for note in (lake / "days").glob("*.json"):
        os.utime(note, (ahead, ahead))
    way_out = re.search(r"touch \S+\.json", clock_fault(lake, dt.datetime.now(dt.UTC)))
    assert way_out
    subprocess.run(["/bin/sh", "-c", way_out[0]], check=True)
    assert clock_fault(lake, dt.datetime.now(dt.UTC)) == ""
    shutil.move(played, nights / str(DAYS[3]))
    [anew] = ran(nights, lake, DAYS[3])
    assert (anew.clean, anew.replayed) == (True, ("T1", "T2"))


def test_a_backfill_misses_no_table_of_a_day_that_is_not_over(nights: Path, tmp_path: Path) -> None:
    ordered = ["backfill", "--archive", str(nights), "--lake", str(tmp_path / "lake"), "--from", str(DAYS[3])]
    assert main([*ordered, "--to", str(DAYS[3])]) == 0
    today = Settings().last_gaming_day(dt.datetime.now(dt.UTC)) + dt.timedelta(days=1)
    shutil.copytree(nights / str(DAYS[0]), nights / str(today - dt.timedelta(days=1)))
    # Its containers say another day, which is reported; the day that is not over is not.
    assert main([*ordered[:-1], str(today), "--to", str(today)]) == 2
