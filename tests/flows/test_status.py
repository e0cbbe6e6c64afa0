"""``pitaudit status``: what of topic, archive and lake is open, late, unjudged, quarantined, behind; and who should look."""

from __future__ import annotations

import base64
import datetime as dt
import fcntl
import json
import os
import shutil
import time
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from analytics.lake import LakeBusy, writing
from analytics.lake.acknowledged import Acknowledgement
from analytics.lake.lock import Holder
from analytics.lake.statuses import acknowledge_status
from flows.expected import Expecting, RegisteredTable
from flows.known_errors import CouldNotRun
from flows.plan import note_waiting
from flows.runs import Night, run_nightly
from flows.settings import Settings
from flows.status import Status, look
from flows.status.alarms import Alarm
from flows.status.metrics import exposition
from flows.status.text import status_text
from flows.unsealed import under_way
from producers.archiver import Options, archive_topic
from producers.archiver.place import Place, place_file, write_place
from producers.archiver.topic_check import write_lost
from producers.quarantine import QuarantineFile
from producers.sinks.archive import ArchiveSink
from producers.sinks.journal import read_ends, read_journal
from producers.spool import TableSpool, spool_id
from replayer.sources.layout import PartName, quarantine_file
from replayer.sources.lost import Lost, Why, lost_file
from replayer.sources.quarantine import Quarantined, counts, quarantined
from replayer.sources.table_days import TableDayRef
from schemas.codec import encode
from schemas.event import moment
from schemas.notation import parse_events
from tests import house
from tests.archives import record
from tests.flows.property import Property

NOW = dt.datetime(2009, 6, 2, 4, tzinfo=dt.UTC)
"""Noon in Macau, six hours after the end of the gaming day of the house."""
NEXT = dt.date(2009, 6, 2)
LOOKED_INTO = ("--day", NEXT, "--by", "M. Wong", "--reason", "dealer was told")


def said_of(status: Status) -> str:
    return " ".join(each.message for each in status.alarms)


def alarms(status: Status) -> dict[str, int]:
    return {each.alarm.value: each.count for each in status.alarms}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an archive and a lake in which its one gaming day was judged clean, at noon after it."""
    folder = tmp_path_factory.mktemp("judged")
    house.write(folder / "archive", "T1", house.SOUND)
    assert judge(Property(folder), house.DAY).clean
    return folder


def judge(here: Property, day: dt.date, chosen: Settings | None = None) -> Night:
    """The night of a gaming day, at noon."""
    night = here.night(day, chosen)
    at_noon(here.lake)
    return night


def at_noon(lake: Path) -> None:
    """Let the notes of a lake be of the night after the house's gaming day."""
    for note in (lake / "days").iterdir():
        os.utime(note, (NOW.timestamp(), NOW.timestamp()))


@pytest.fixture
def night(judged: Path, tmp_path: Path) -> Property:
    """A copy of them for one test."""
    return Property(Path(shutil.copytree(judged, tmp_path / "night")))


def test_a_property_where_all_is_sealed_and_judged_needs_nobody(night: Property) -> None:
    status = night.look(NOW)
    assert alarms(status) == {}
    assert status.lake is not None
    assert (status.lake.last_judged, status.lake.waiting) == (house.DAY, ())
    assert status_text(status).splitlines()[-1] == "Nothing needs to be looked at."


def test_a_table_is_open_while_its_day_lasts_and_late_when_it_was_not_sealed_after_it(night: Property) -> None:
    events = house.write(night.archive, "T2", house.UNDER_WAY, sealed=False)
    end = dt.datetime(2009, 6, 1, 22, tzinfo=dt.UTC)  # 06:00 in Macau
    quiet = {minutes: night.look(end + dt.timedelta(minutes=minutes)) for minutes in (-60, 20, 21)}
    assert [Alarm.TABLE_LATE in alarms(status) for status in quiet.values()] == [False, False, True]
    [table] = quiet[21].archive.open  # type: ignore[union-attr]
    assert (table.events, table.table_id, quiet[21].archive.late) == (events, "T2", (table,))  # type: ignore[union-attr]
    assert "2009-06-01 T2" in status_text(quiet[21])
    patient = partial(look, night.archive, night.lake, settings=Settings(kafka_quiet_seconds=3600))
    assert Alarm.TABLE_LATE not in alarms(patient(now=end + dt.timedelta(minutes=21)))


def test_a_damaged_journal_is_reported_with_file_and_byte(night: Property) -> None:
    house.write(night.archive, "T2", house.UNDER_WAY, sealed=False)
    journal = PartName(house.DAY, "T2").journal(night.archive)
    house.damage(journal, 200)
    status = night.look(NOW)
    assert alarms(status)["journal_damaged"] == 1
    said = next(each.message for each in status.alarms if each.alarm is Alarm.JOURNAL_DAMAGED)
    assert f"{journal}, byte " in said


def test_long_journals_are_reported_by_their_ends_as_by_reading_all_of_them(tmp_path: Path) -> None:
    text = " ".join(
        [house.OPEN, *(house.RIGHT.replace("#1", f"#{n}").replace("shuffle:1", f"shuffle:{n}") for n in (1, 2))]
    )
    sink = ArchiveSink(tmp_path)
    for event in parse_events(text, table_id="T1", gaming_day=house.DAY):
        sink.append("T1", house.DAY, event.seq, encode(event))
        sink.flush()
    sink.close()
    journal = PartName(house.DAY, "T1").journal(tmp_path)
    entries = read_journal(journal).entries
    assert read_ends(journal) == (entries[0], entries[-1], entries[-1].seq)
    [whole], [short] = under_way(tmp_path), under_way(tmp_path, most_bytes=0)
    assert (whole.read_through, short.read_through) == (True, False)
    same = ("table_id", "gaming_day", "part", "events", "first_at", "last_at", "changed_at", "damage")
    assert [getattr(whole, name) for name in same] == [getattr(short, name) for name in same]
    data = journal.read_bytes()
    journal.write_bytes(data[:-10])
    assert "cut off" in under_way(tmp_path, most_bytes=0)[0].damage


def test_an_archiver_that_wrote_nothing_for_minutes_is_missed(night: Property) -> None:
    for partition, ago in ((0, 60), (1, 60)):
        seen = NOW - dt.timedelta(seconds=ago)
        write_place(night.archive, "events", Place(partition, "id", next=10, end=13, seen_at=seen))
    fresh = night.look(NOW)
    assert (alarms(fresh), fresh.topics[0].lag) == ({}, 6)
    later = night.look(NOW + dt.timedelta(seconds=121))
    assert alarms(later) == {"archiver_silent": 2}
    never = look(night.archive, night.lake, NOW, topic="other")
    assert alarms(never) == {"archiver_silent": 1}
    assert "no archiver ever looked at it" in status_text(never).replace("\n" + " " * 20, " ")
    place = Place(0, "id", next=10, end=10_010, seen_at=NOW)
    write_place(night.archive, "events", place)
    assert alarms(night.look(NOW)) == {"behind": 10_000}
    ahead = night.look(NOW - dt.timedelta(days=3))  # it would not have been missed for three days
    assert "archiver_silent" in alarms(ahead)
    assert "has not reached: set the clocks right" in said_of(ahead)
    file = place_file(night.archive, "events", 0)
    file.write_text(file.read_text().replace("10010", "10011"))
    assert alarms(night.look(NOW)) == {"place_damaged": 1}


def test_lost_and_refused_messages_are_reported_and_are_reasons_to_look_for_some_days(night: Property) -> None:
    lost = Lost("events", "id", 0, 5, 9, Why.DELETED, NOW, dt.date(2009, 5, 31), dt.date(2009, 6, 1))
    assert write_lost(night.archive, lost)
    file = QuarantineFile(quarantine_file(night.archive, "events"))
    for offset in range(3):
        file.add(Quarantined("events", 0, offset, "no event", b"\n\n"))
    file.flush()
    with quarantine_file(night.archive, "events").open("ab") as appended:
        appended.write(b"no line\nand none that ends")
    assert counts(night.archive) == {"events.jsonl": len([*quarantined(night.archive)])} == {"events.jsonl": 5}
    status = night.look(NOW)
    # The day that the loss may concern was judged before it was found, so that it waits to be judged again.
    assert alarms(status) == {"lost_messages": 1, "quarantined": 5, "day_waiting": 1}
    assert next(iter(status.alarms)).alarm is Alarm.LOST_MESSAGES
    shutil.rmtree(night.lake)
    years = look(night.archive, None, dt.datetime.now(dt.UTC) + dt.timedelta(days=30))
    assert alarms(years) == {}
    assert years.archive is not None
    assert (sum(years.archive.quarantined.values()), len(years.archive.lost)) == (5, 1)


def test_a_loss_and_acknowledged_messages_whose_files_are_removed_are_reported(night: Property, command: Any) -> None:
    lost = Lost("events", "id", 0, 5, 9, Why.DELETED, NOW, house.DAY, house.DAY)
    assert write_lost(night.archive, lost)
    quarantine = quarantine_file(night.archive, "events")
    file = QuarantineFile(quarantine)
    file.add(Quarantined("events", 0, 5, "no event", b"\n"))
    file.flush()
    who = ("--by", "M. Wong", "--reason", "a test message")
    assert command("acknowledge", "--lake", night.lake, "--archive", night.archive, "--quarantined", *who)[0] == 0
    judge(night, house.DAY)
    assert alarms(night.look(NOW)) == {"lost_messages": 1}
    assert command("acknowledge", "--lake", night.lake, "--lost", lost.name, *who)[0] == 0
    at_noon(night.lake)
    assert alarms(night.look(NOW)) == {}
    lost_file(night.archive, lost).unlink()
    quarantine.unlink()
    judge(night, house.DAY)
    status = night.look(NOW)
    assert (alarms(status)["lost_messages"], alarms(status)["quarantined"]) == (1, 1)
    assert "it no longer begins with the 1 message that M. Wong acknowledged" in status_text(status).replace(
        "\n" + " " * 20, " "
    )


def test_days_without_verdicts_wait_and_are_overdue_two_hours_after_their_end(night: Property) -> None:
    house.write(night.archive, "T1", house.SOUND, NEXT, 100)
    end = dt.datetime(2009, 6, 2, 22, tzinfo=dt.UTC)
    soon, later = (night.look(end + dt.timedelta(minutes=minutes)) for minutes in (120, 121))
    assert soon.lake is not None
    assert later.lake is not None
    assert (soon.lake.waiting, soon.lake.overdue) == ((NEXT,), ())
    assert later.lake.overdue == (NEXT,)
    assert (alarms(soon), alarms(later)) == ({}, {"day_waiting": 1})


def held(lake: Path, since: dt.datetime) -> ExitStack:
    """The lake, as a run holds it that has been at work since a moment."""
    stack = ExitStack()
    stack.enter_context(writing(lake, "the run of gaming day 2009-06-02"))
    said = json.loads((lake / ".lock").read_text())
    (lake / ".lock").write_text(json.dumps(said | {"since": since.isoformat()}))
    return stack


def test_a_run_that_holds_the_lake_is_waited_for_and_one_that_hangs_is_reported_with_what_is_overdue(
    night: Property,
) -> None:
    """A night that hung kept the monitor green for as long as it hung."""
    house.write(night.archive, "T1", house.SOUND, NEXT, 100)
    since = dt.datetime(2009, 6, 2, 22, 15, tzinfo=dt.UTC)
    with held(night.lake, since):
        at_work, hung = (night.look(since + dt.timedelta(minutes=minutes)) for minutes in (180, 181))
    assert alarms(at_work) == {}
    assert "the run of gaming day 2009-06-02" in status_text(at_work)
    assert alarms(hung) == {"lake_held": 1, "day_waiting": 1}
    text = status_text(hung).replace("\n" + " " * 20, " ")
    assert "held since 2009-06-02T22:15:00+00:00 by the run of gaming day 2009-06-02" in text
    assert f"end process {os.getpid()} on " in text
    said = hung.to_dict()["lake"]
    assert (said["hangs"], said["overdue"], said["held_by"]["pid"]) == (True, ["2009-06-02"], os.getpid())


def test_what_a_run_is_writing_is_not_damaged_until_the_run_is_killed(night: Property) -> None:
    note_waiting(night.lake, [TableDayRef(NEXT, "T1", night.archive)])
    at_noon(night.lake)
    with held(night.lake, NOW):
        writing_it = night.look(NOW)
        house.damage(night.lake / "runs" / house.DAY.isoformat() / "T1.json", 20)
        assert alarms(night.look(NOW)) == {"lake_damaged": 1}, "of the day that no run is writing"
    assert alarms(writing_it) == {}
    assert alarms(night.look(NOW)) == {"lake_damaged": 2}
    assert writing_it.lake is not None
    assert writing_it.lake.last_judged == house.DAY


def test_without_an_archive_no_gaming_day_waits_for_verdicts(night: Property) -> None:
    status = look(None, night.lake, NOW + dt.timedelta(days=9))
    assert status.lake is not None
    assert (status.lake.waiting, alarms(status)) == ((), {})


@pytest.mark.parametrize("began", [True, False], ids=["a run that began meanwhile", "a run that ended meanwhile"])
def test_a_run_that_held_the_lake_for_a_part_of_the_look_is_at_work(
    night: Property, monkeypatch: pytest.MonkeyPatch, began: bool
) -> None:
    house.write(night.archive, "T1", house.SOUND, NEXT, 100)
    end = dt.datetime(2009, 6, 2, 22, tzinfo=dt.UTC)
    run = Holder("the run of gaming day 2009-06-02", 1, "pit", end.isoformat())
    holders = iter((None, run) if began else (run, None))
    monkeypatch.setattr("flows.status.lake.holder", lambda _: next(holders))
    status = night.look(end + dt.timedelta(minutes=150))
    assert status.lake is not None
    assert (status.lake.held_by, alarms(status)) == (run, {})


@pytest.mark.parametrize("text", ["", "[]", '{"work": "x", "pid": 1, "host": "h", "since": "lately"}'])
def test_a_holder_that_wrote_nothing_about_itself_is_called_that_and_keeps_no_day_from_being_overdue(
    night: Property, text: str
) -> None:
    """`flock` was "another run (process 0 on , since )"."""
    house.write(night.archive, "T1", house.SOUND, NEXT, 100)
    with (night.lake / ".lock").open("w") as lock:
        lock.write(text)
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        status = night.look(dt.datetime(2009, 6, 3, 0, 1, tzinfo=dt.UTC))
        with pytest.raises(LakeBusy, match="in use by a program that wrote nothing about itself; did not wait"):
            run_nightly(night.archive, night.lake, house.DAY, Settings(wait_seconds=0))
    assert alarms(status) == {"day_waiting": 1}
    assert "held by           a program that wrote nothing about itself\n" in status_text(status)
    assert status.to_dict()["lake"]["held_by"]["pid"] is None


def test_a_night_that_never_ran_is_missed_though_nothing_was_ever_recorded(tmp_path: Path) -> None:
    """The night would have every table of the register absent; until it ran, nothing needed to be looked at."""
    (tmp_path / "a").mkdir()
    registered = Settings(expecting=Expecting((RegisteredTable("T1", first=house.DAY),)))
    status = look(tmp_path / "a", tmp_path / "l", NOW, settings=registered)
    assert alarms(status) == {"day_waiting": 1}
    assert alarms(look(tmp_path / "a", tmp_path / "l", NOW)) == {}


def test_a_gaming_day_long_ago_that_no_run_ever_judged_waits_as_well(tmp_path: Path) -> None:
    archive, lake = tmp_path / "a", tmp_path / "l"
    for back in range(40):
        (archive / (house.DAY - dt.timedelta(days=back)).isoformat()).mkdir(parents=True)
    house.write(archive, "T1", house.SOUND, house.DAY - dt.timedelta(days=39))
    status = look(archive, lake, NOW)
    assert status.lake is not None
    assert house.DAY - dt.timedelta(days=39) in status.lake.overdue
    bounded = look(archive, lake, NOW, settings=Settings(catch_up_days=5))
    assert bounded.lake is not None
    assert house.DAY - dt.timedelta(days=39) not in bounded.lake.waiting
    assert bounded.lake.left_behind == (house.DAY - dt.timedelta(days=39),)
    assert alarms(bounded)["left_behind"] == 1


def test_what_a_judged_day_lacks_is_reported_until_it_is_mended_or_acknowledged(night: Property) -> None:
    register = (RegisteredTable("T1"), RegisteredTable("T9", until=house.DAY))
    expecting = Expecting(register)
    [absent] = judge(night, house.DAY, Settings(expecting=expecting)).reconciliation.open_statuses
    watch = partial(look, night.archive, night.lake, settings=Settings(expecting=expecting))
    status = watch(now=NOW)
    assert alarms(status) == {"table_not_judged": 1}
    assert "2009-06-01 T9 absent" in status_text(status)
    assert acknowledge_status(night.lake, house.DAY, absent, Acknowledgement("M. Wong", NOW.isoformat(), "closed"))
    assert alarms(watch(now=NOW)) == {}
    house.damage(night.lake / "runs" / house.DAY.isoformat() / "T1.json", 20)
    assert alarms(watch(now=NOW)) == {"lake_damaged": 1}


def test_a_table_that_plays_another_game_than_the_register_says_is_reported_until_somebody_acknowledges_it(
    night: Property,
) -> None:
    """The night was not clean, and nobody heard of it again."""
    expecting = Expecting((RegisteredTable("T1", "black_jack"),))
    [other] = judge(night, house.DAY, Settings(expecting=expecting)).reconciliation.open_statuses
    assert alarms(night.look(NOW)) == {"table_not_judged": 1}
    assert "2009-06-01 T1 not expected" in said_of(night.look(NOW))
    assert acknowledge_status(night.lake, house.DAY, other, Acknowledgement("M. Wong", NOW.isoformat(), "moved"))
    assert alarms(night.look(NOW)) == {}


def test_what_a_night_found_is_reported_until_somebody_looked_into_it_though_its_one_alarm_was_lost(
    night: Property, command: Any
) -> None:
    """The night's message comes once; the nights after are clean, and nobody would hear of the day again."""
    last = house.write(night.archive, "T1", house.WRONG, NEXT, first_seq=26)
    assert not judge(night, NEXT).clean
    after = NEXT + dt.timedelta(days=1)
    house.write(night.archive, "T1", house.SOUND, after, last + 1)
    assert judge(night, after).clean
    later = NOW + dt.timedelta(days=2)
    status = night.look(later)
    assert alarms(status) == {"findings": 1}
    assert "2009-06-02: 1 overpaid 50.00 MOP" in status_text(status).replace("\n" + " " * 20, " ")
    assert 'pitaudit_alarm{alarm="findings"} 1' in exposition(status)
    assert "pitaudit_lake_days_with_findings 1" in exposition(status)

    code, out, _ = command("acknowledge", "--lake", night.lake, *LOOKED_INTO, "--json")
    assert (code, json.loads(out)["found"]) == (0, "1 overpaid 50.00 MOP")
    at_noon(night.lake)
    assert alarms(night.look(later)) == {}
    code, _, err = command("acknowledge", "--lake", night.lake, *LOOKED_INTO)
    assert (code, err) == (2, f"pitaudit: nothing found on {NEXT} waits to be acknowledged\n")
    assert not judge(night, NEXT).clean, "an acknowledgement makes no wrong payment right"
    assert alarms(night.look(later)) == {}, "the same was found again"

    shutil.rmtree(night.archive / NEXT.isoformat())
    house.write(night.archive, "T1", house.closing(house.OVERPAID.replace("+150", "+160"), 260), NEXT, first_seq=26)
    judge(night, NEXT)
    assert alarms(night.look(later)) == {"findings": 1, "log_changed": 1}, "something else was found"


def test_what_was_looked_into_is_those_findings_and_no_others_of_the_same_sum(night: Property, command: Any) -> None:
    """Of two rounds each morning one was overpaid by 50.00, but not the same one."""
    second = {text: text.replace("#1", "#2") for text in (house.RIGHT, house.OVERPAID)}
    for rounds in ((house.OVERPAID, second[house.RIGHT]), (house.RIGHT, second[house.OVERPAID])):
        house.write(night.archive, "T1", house.closing(" ".join(rounds), 450), NEXT, first_seq=26)
        judge(night, NEXT)
        status = night.look(NOW + dt.timedelta(days=1))
        assert alarms(status)["findings"] == 1 and "1 overpaid 50.00 MOP" in status_text(status)
        assert command("acknowledge", "--lake", night.lake, *LOOKED_INTO)[0] == 0
        shutil.rmtree(night.archive / NEXT.isoformat())


def test_what_a_replay_into_a_lake_found_is_reported_likewise(night: Property, command: Any) -> None:
    shutil.rmtree(night.lake)
    shutil.rmtree(night.archive / house.DAY.isoformat())
    house.write(night.archive, "T1", house.WRONG)
    assert command("replay", night.archive, "--lake", night.lake)[0] == 1
    at_noon(night.lake)
    assert alarms(night.look(NOW)) == {"findings": 1}


def test_a_log_that_was_replaced_after_it_was_judged_is_reported(night: Property, tmp_path: Path) -> None:
    shutil.rmtree(night.archive / house.DAY.isoformat())
    house.write(night.archive, "T1", house.WRONG)
    judge(night, house.DAY)
    assert alarms(night.look(NOW)) == {"log_changed": 1, "findings": 1}


def test_wagers_that_nobody_could_judge_are_counted(empty: Property) -> None:
    events = parse_events(house.SOUND, table_id="T1", gaming_day=house.DAY)
    record(
        empty.archive,
        (event for event in events if not event.card or (event.kind, event.card.card) != ("CardDealt", "4c")),
    )
    wagers = sum(row.wagers for row in judge(empty, house.DAY).reconciliation.unjudged)
    assert wagers == 2
    assert alarms(empty.look(NOW)) == {"wagers_unjudged": 2, "findings": 1}  # a number is missing


def test_an_import_that_was_killed_is_reported(night: Property) -> None:
    folder = night.archive / ".journal" / "batch" / "whole" / house.DAY.isoformat()
    folder.mkdir(parents=True)
    (folder / "T7.json").touch()
    assert alarms(night.look(NOW))["import_unfinished"] == 1


def test_a_clock_that_went_back_is_reported(night: Property) -> None:
    assert "clock_back" in alarms(night.look(NOW - dt.timedelta(days=99)))


def test_the_example_of_the_runbook_is_what_the_command_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    archive, day = Path("archive"), dt.date(2026, 1, 5)
    at = dt.datetime(2026, 1, 6, 3, tzinfo=dt.UTC)
    house.write(archive, "BJ-07", house.UNDER_WAY, day, sealed=False)
    journal = PartName(day, "BJ-07").journal(archive)
    os.utime(journal, (at.timestamp() - 17_160,) * 2)
    seen = dt.datetime(2026, 1, 5, 22, 14, 9, tzinfo=dt.UTC)
    for partition in range(3):
        write_place(archive, "pitaudit.events", Place(partition, "id", next=812, end=812, seen_at=seen))
    runbook = (Path(__file__).parents[2] / "flows" / "deployment" / "RUNBOOK.md").read_text(encoding="utf-8")
    example = runbook.partition("$ pitaudit status --archive archive --no-kafka\n")[2].partition("```")[0]
    assert status_text(look(archive, None, at)) + "\n" == example


def test_an_archive_whose_disk_is_gone_is_no_archive_without_alarms(tmp_path: Path) -> None:
    with pytest.raises(CouldNotRun, match="there is no archive"):
        look(tmp_path / "gone", None)


def test_words_fit_80_columns_and_no_text_of_a_log_commands_the_terminal(night: Property) -> None:
    for number in range(20):
        house.write(night.archive, f"T{number}-{'x' * 60}", house.OPEN, sealed=False)
    folder = night.archive / ".journal" / "offsets" / ("\x1b[2J" + "t" * 200)
    folder.mkdir(parents=True)
    text = status_text(night.look(NOW))
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    assert text.splitlines()[-1].endswith(".")


def test_the_command_exits_1_where_somebody_should_look_and_2_where_it_cannot_tell(
    command: Any, clean_archive: Path, tmp_path: Path
) -> None:
    code, out, err = command("status", "--archive", clean_archive, "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert (said["fine"], said["alarms"], said["lake"], said["topics"]) == (True, [], None, [])
    code, out, err = command("status", "--archive", clean_archive, "--lake", tmp_path / "lake")
    assert (code, err) == (1, "")
    days_after = 7  # on which the table should have played as well
    assert out.splitlines()[-1] == f"Somebody should look: day waiting ({1 + days_after})."
    assert not (tmp_path / "lake").exists()
    for wrong, what in (
        ((), "no archive and no lake is named"),
        (("--archive", tmp_path / "gone"), "there is no archive"),
        (("--lake", tmp_path / "gone"), "there is no lake"),
        (("--archive", clean_archive, "--kafka", "me:hunter2@broker:9092"), "set the variables KAFKA_SASL_*"),
        (("--archive", clean_archive, "--kafka", "a:1", "--no-kafka"), "do not go together"),
        (("--archive", clean_archive, "--serve", "nowhere"), "write it as PORT or HOST:PORT"),
        (("--archive", clean_archive, "--serve", "9464", "--json"), "do not go together"),
        (("--archive", clean_archive, "--serve", "no\udcff:0"), "name another address or port"),
    ):
        code, out, err = command("status", *wrong)
        assert (code, out, len(err.splitlines())) == (2, "", 1)
        assert what in err
        assert "hunter2" not in err


def test_a_look_changes_nothing(night: Property, tmp_path: Path) -> None:
    house.write(night.archive, "T2", house.OPEN, sealed=False)

    def files() -> dict[Path, tuple[int, str]]:
        return {
            path: (path.stat().st_mtime_ns, base64.b64encode(path.read_bytes()).decode() if path.is_file() else "")
            for folder in (night.archive, night.lake)
            for path in folder.rglob("*")
        }

    before = files()
    night.look(NOW)
    assert files() == before


def test_the_brokers_say_how_far_the_archive_is_behind(
    command: Any, kafka_bootstrap: str, kafka_topic: str, tmp_path: Path
) -> None:
    from kafka import KafkaProducer  # noqa: PLC0415 - only tests that need a broker pay for the import

    archive = tmp_path / "a"
    kafka = ("--kafka", kafka_bootstrap, "--topic", kafka_topic)
    old = dt.datetime.now(dt.UTC).replace(microsecond=0) - dt.timedelta(minutes=10)
    events = list(parse_events(f"{house.OPEN} {house.RIGHT}", table_id="T1", gaming_day=house.DAY))
    with closing(KafkaProducer(bootstrap_servers=kafka_bootstrap)) as producer:

        def send(number: int) -> None:
            at = int((old.timestamp() + number) * 1000)
            message = encode(events[number])
            producer.send(kafka_topic, message, key=b"T1", timestamp_ms=at).get(timeout=30)

        send(0)
        archive_topic(Options(kafka_bootstrap, kafka_topic, archive, until_end=True))
        before = json.loads(command("status", *kafka, "--archive", archive, "--json")[1])
        for number in (1, 2, 3):
            send(number)
    code, out, _ = command("status", *kafka, "--archive", archive, "--json")
    after = json.loads(out)
    unasked = json.loads(command("status", "--archive", archive, "--topic", kafka_topic, "--json")[1])
    [topic] = after["topics"]
    assert (before["topics"][0]["lag"], topic["lag"], unasked["topics"][0]["lag"]) == (0, 3, 0)
    assert (topic["asked"], topic["trouble"], len(topic["partitions"])) == (True, "", 3)
    assert code == 1
    assert [each["alarm"] for each in after["alarms"] if each["alarm"] == "behind"] == ["behind"]
    [waiting] = [each["waiting_since"] for each in topic["partitions"] if each["lag"]]
    assert waiting == (old + dt.timedelta(seconds=1)).isoformat()


def test_what_waits_in_a_spool_is_reported_and_after_minutes_a_reason_to_look(tmp_path: Path) -> None:
    spool_id(tmp_path / "spool")
    [event] = parse_events("open:black_jack:MOP:7=500000", table_id="T1", gaming_day=dt.date(2009, 6, 1))
    table = TableSpool(tmp_path / "spool", "T1")
    table.add(event.seq, encode(event))
    table.sync()
    table.close()
    (tmp_path / "a").mkdir()
    watch = partial(look, tmp_path / "a", None, spools=(tmp_path / "spool",))
    soon, later = (watch(now=moment(event.at) + dt.timedelta(seconds=seconds)) for seconds in (299, 301))
    assert (alarms(soon), alarms(later)) == ({}, {"spool_waiting": 1})
    assert "1 event of 1 table, the oldest 5 min ago" in status_text(later)
    [segment] = (tmp_path / "spool" / "T1").glob("0*")
    segment.write_bytes(segment.read_bytes()[:-3])
    assert alarms(watch(now=NOW)) == {"spool_damaged": 1}


def test_brokers_that_do_not_answer_are_reported_soon(clean_archive: Path) -> None:
    began = time.monotonic()
    status = look(clean_archive, None, NOW, topic="events", brokers="127.0.0.1:9")
    assert time.monotonic() - began < 30
    assert alarms(status).keys() == {"topic_unreachable", "archiver_silent"}
