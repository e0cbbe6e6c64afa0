"""What was not judged, lost or only partly read is reported with its reason by every command, until somebody answers for it."""

from __future__ import annotations

import datetime as dt
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from analytics.lake import LakeBusy, LakeUnusable, reading, runs, tables_of, writing
from analytics.lake.losses import acknowledged_loss_file
from analytics.reconciliation.reconcile import reconcile
from analytics.sql import Limits
from flows.artifact import markdown
from flows.cli.sql import _Asker
from flows.cli.warnings import LakeWarnings
from flows.expected import Expecting
from flows.plan import NothingToRun
from flows.runs import run_nightly
from flows.settings import Settings
from flows.status import look
from flows.status.text import status_text
from flows.summary import Night
from producers.archiver.topic_check import write_lost
from producers.quarantine import QuarantineFile
from replayer.sources.layout import lost_folder, quarantine_file
from replayer.sources.lost import Lost, Why, lost_file, lost_messages
from replayer.sources.quarantine import Quarantined
from tests import house
from tests.analytics.made import render
from tests.flows.property import Property, ends

DAY = dt.date(2009, 6, 1)
NEXT = DAY + dt.timedelta(days=1)
FOUND_AT = dt.datetime(2009, 6, 2, 4, tzinfo=dt.UTC)
LOST = Lost("pit", "abcdef01-2345", 3, 100, 556, Why.DELETED, FOUND_AT, DAY, DAY)


# Replay


@pytest.mark.parametrize("with_lake", [False, True])
def test_a_replay_is_not_clean_where_a_table_was_not_sealed_and_its_last_line_names_it(
    sound: Property, capsys: pytest.CaptureFixture[str], with_lake: bool
) -> None:
    """It printed the table in its sentence and exited 0."""
    into = ["--lake", str(sound.lake)] if with_lake else []
    assert ends("replay", sound.archive, *into) == 0
    house.write(sound.archive, "T8", house.UNDER_WAY, sealed=False)
    capsys.readouterr()
    assert ends("replay", sound.archive, *into) == 1
    out, err = capsys.readouterr()
    *above, last = out.splitlines()
    assert last == f"{DAY}: 2 tables, 1 not judged; 1 table not sealed: T8."
    assert any("T8" in line and "not sealed" in line and "22 events" in line for line in above)
    assert f"{DAY} T8: not sealed: 22 events are not sealed" in err
    assert ends("replay", sound.archive, "--json", *into) == 1
    said = json.loads(capsys.readouterr().out)
    [left] = said["not_judged"]
    assert (left["table_id"], left["gaming_day"], left["what"]) == ("T8", str(DAY), "not sealed")


def test_a_replay_is_not_clean_where_a_round_was_declared_void_without_any_ground(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All that its wagers are due hangs on the declaration (78/2008 art. 11(1)): it was an advisory, and the replay exited 0."""
    dealt = house.RIGHT.replace(" 1.ante>+100@p1 1.raise>+100@p1 end", " void:{as asked} 1.ante>0@p1 1.raise>0@p1 end")
    house.write(tmp_path / "archive", "T1", house.closing(dealt, 0))
    assert ends("replay", tmp_path / "archive") == 1
    assert capsys.readouterr().out.splitlines()[-1] == f"{DAY}: 1 table, judged; 1 other finding of money."


def test_a_day_of_which_nothing_is_sealed_is_in_the_sentence_of_a_replay(
    sound: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    house.write(sound.archive, "T8", house.UNDER_WAY, NEXT, sealed=False)
    assert ends("replay", sound.archive) == 1
    said = capsys.readouterr().out.splitlines()[-1]
    assert said == f"{DAY} to {NEXT}: 2 gaming days, 2 table-days, 1 not judged; 1 table-day not sealed: T8 of {NEXT}."


def test_a_table_with_a_sealed_part_and_open_events_is_counted_once_by_a_replay(
    sound: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    house.write(sound.archive, "T1", house.UNDER_WAY, first_seq=26, sealed=False)
    assert ends("replay", sound.archive) == 1
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith(f"{DAY}: 1 table, 1 not judged; ") and "1 table not sealed: T1" in said


def test_a_replay_into_a_lake_misses_the_tables_that_a_night_misses_and_says_the_same_of_them(
    sound: Property, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(sound.folder)
    Path("pitaudit.toml").write_text('[[tables]]\nid = "T1"\n[[tables]]\nid = "T2"\n', encoding="utf-8")
    assert ends("replay", sound.archive, "--lake", "lake") == 1
    replayed = capsys.readouterr().out.splitlines()[-1]
    assert replayed == f"{DAY}: 2 tables, 1 not judged; 1 table absent: T2."
    assert ends("nightly", "--archive", sound.archive, "--lake", "lake", "--day", DAY) == 1
    assert capsys.readouterr().out.splitlines()[-1] == replayed
    ordered = ["acknowledge", "--lake", "lake", "--table", "T2", "--day", str(DAY)]
    assert ends(*ordered, "--by", "M. Wong", "--reason", "shut") == 0
    assert ends("replay", sound.archive, "--lake", "lake") == 0


def test_a_replay_into_a_lake_names_a_log_that_was_judged_and_is_no_longer_in_the_archive(
    sound: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    """It exited 1 and said "1 table, judged; nothing found", since the log was neither unreadable nor its table absent."""
    house.write(sound.archive, "T2", house.SOUND)
    assert ends("replay", sound.archive, "--lake", sound.lake) == 0
    for file in (sound.archive / str(DAY)).glob("T2.*"):
        file.unlink()
    capsys.readouterr()
    assert ends("replay", sound.archive, "--lake", sound.lake) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == f"{DAY}: 2 tables, 1 not judged; 1 table damaged: T2."
    assert f"{DAY} T2: damaged: its files are no longer in the archive" in err


def test_a_replay_of_all_days_into_a_lake_names_a_gaming_day_that_is_no_longer_in_the_archive(
    sound: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was told by missing numbers alone, and not at all of the last day. Its verdicts stay: the archive may be another's."""
    house.write(sound.archive, "T2", house.SOUND, day=NEXT)
    assert ends("backfill", *sound.both, "--from", DAY, "--to", NEXT) == 1  # T1 is absent of the day after
    (sound.archive / str(NEXT)).rename(sound.folder / "taken")
    capsys.readouterr()
    assert ends("replay", sound.archive, "--lake", sound.lake) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == (
        f"{DAY} to {NEXT}: 2 gaming days, 3 table-days, 2 not judged; "
        f"1 table-day absent: T1 of {NEXT}; 1 table-day damaged: T2 of {NEXT}."
    )
    assert f"{NEXT} T2: damaged: its files are no longer in the archive" in err
    assert ends("replay", sound.archive, "--lake", sound.lake, "--day", DAY) == 0
    assert tables_of(sound.lake, NEXT) == {"T2"}
    assert runs(sound.lake, NEXT, NEXT)


# Where a reader looks: which tables, and why


def test_report_artifact_and_status_name_each_table_that_was_not_judged_with_the_reason(pit: Property) -> None:
    house.write(pit.archive, "T4", house.SOUND, day=DAY - dt.timedelta(days=1))
    house.damage(pit.archive / str(DAY) / "T2.avro")
    house.write(pit.archive, "T3", house.UNDER_WAY, sealed=False)
    night = pit.night()
    page = markdown(night, pit.lake)
    shown = page.split("## Tables that were not judged")[1].split("## ")[0]
    report = render(pit.lake, DAY).split('<h2 id="accounted">')[1].split("</section>")[0]
    reported = "".join(
        status_text(look(pit.archive, pit.lake)).split()
    )  # a path that is longer than a line is cut somewhere
    for table, what, why in (
        ("T2", "damaged", "T2.avro, byte 0"),
        ("T3", "not sealed", "22 events are not sealed, the last at 2009-06-01T12:00:21+00:00"),
        ("T4", "absent", "the archive has nothing of it"),
    ):
        [row] = [line for line in shown.replace("\\", "").splitlines() if f"| {table} |" in line]
        assert f"| {what} |" in row and why in row and row.count(what) == 1 + why.count(what)
        assert f'<th scope="row">{table}</th><td class="off">{what}</td><td>' in report and why in report
        assert f"{table} {DAY}, {what}: ".replace(" ", "") in reported and why.replace(" ", "") in reported
    assert "| T1 |" not in shown and ">T1<" not in report


# Questions in SQL


def asker(lake: Path, patience: float = 0.0) -> _Asker:
    return _Asker(LakeWarnings(lake, None, None), Limits(), patience)


def test_a_question_waits_for_the_run_that_writes_the_lake(judged: Property) -> None:
    with (
        writing(judged.lake, "the run of gaming day 2009-06-01"),
        pytest.raises(LakeBusy, match="the run of gaming day 2009-06-01"),
        asker(judged.lake).ask("SELECT 1"),
    ):
        pass
    assert ends("sql", "--lake", judged.lake, "--wait", "0", "SELECT count(*) FROM wagers") == 0


def test_a_question_never_keeps_a_night_waiting_and_gives_no_answer_of_a_lake_that_changed_meanwhile(
    judged: Property,
) -> None:
    """A question may take a day; the night would have given up after ten minutes."""
    with asker(judged.lake).ask("SELECT count(*) FROM wagers") as answer:
        with writing(judged.lake, "a night", wait=0):
            pass
        assert list(answer.rows()) == [(4,)]
    house.write(judged.archive, "T3", house.SOUND)
    with pytest.raises(LakeUnusable, match="was changed while it was read"), asker(judged.lake).ask("FROM wagers"):
        judged.night(chosen=Settings(wait_seconds=0))


def test_who_only_looks_keeps_nobody_from_asking(judged: Property) -> None:
    with reading(judged.lake):
        assert ends("sql", "--lake", judged.lake, "--wait", "0", "SELECT count(*) FROM wagers") == 0


# Losses


def nightly(archive: Path, lake: Path) -> int:
    return ends("nightly", "--archive", archive, "--lake", lake, "--day", DAY, "--json")


def answer_for(lake: Path, *names: str, day: bool = False) -> int:
    which = [word for name in names for word in ("--lost", name)]
    also = ["--table", "T1", "--day", str(DAY)] if day else []
    return ends("acknowledge", "--lake", lake, *which, *also, "--by", "M. Wong", "--reason", "a test topic")


def test_a_loss_that_somebody_answers_for_stays_in_every_report_and_lets_the_night_be_clean(
    sound: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    write_lost(sound.archive, LOST)
    assert nightly(sound.archive, sound.lake) == 1
    out, err = capsys.readouterr()
    said = json.loads(out)
    assert (said["clean"], said["lost"][0]["acknowledged"]) == (False, None)
    assert f"pitaudit acknowledge --lost {LOST.name}" in err
    alarm = {each.alarm for each in look(sound.archive, sound.lake, FOUND_AT).alarms}
    assert answer_for(sound.lake, LOST.name) == 0
    assert nightly(sound.archive, sound.lake) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert said["clean"] and said["lost"][0]["acknowledged"]["by"] == "M. Wong"
    assert said["lost"][0]["name"] == LOST.name == "pit/3-100-deleted-abcdef01"
    [loss] = reconcile(sound.lake, DAY).lost
    assert "messages 100 to 555" in str(loss) and "acknowledged by M. Wong" in str(loss) and "a test topic" in str(loss)
    assert "messages 100 to 555" in (page := render(sound.lake, DAY)) and "acknowledged by M. Wong" in page
    night = sound.night()
    assert "acknowledged by M. Wong" in markdown(night, sound.lake)
    status = look(sound.archive, sound.lake, FOUND_AT)
    assert alarm - {each.alarm for each in status.alarms} == {"lost_messages"}
    assert "1 range of a topic, 1 acknowledged" in status_text(status)
    assert ends("report", "--lake", sound.lake, "--day", DAY, "-o", sound.folder / "r.html") == 0
    assert ends("replay", sound.archive, "--lake", sound.lake) == 0
    assert ends("replay", sound.archive) == 1, "without a lake nobody knows who answered for it"


@pytest.mark.prove
def test_an_answer_holds_for_the_very_range_that_it_names(sound: Property) -> None:
    write_lost(sound.archive, LOST)
    nightly(sound.archive, sound.lake)
    assert answer_for(sound.lake, LOST.name) == 0
    grown = Lost("pit", LOST.topic_id, 3, 100, 600, Why.DELETED, FOUND_AT, DAY, DAY)
    assert write_lost(sound.archive, grown) and lost_messages(sound.archive) == [grown], (
        "it took the shorter one's place"
    )
    assert not write_lost(sound.archive, LOST) and lost_messages(sound.archive) == [grown]
    assert nightly(sound.archive, sound.lake) == 1
    other = Lost("pit", LOST.topic_id, 4, 0, None, Why.REPLACED, FOUND_AT, DAY, DAY)
    write_lost(sound.archive, other)
    nightly(sound.archive, sound.lake)
    assert answer_for(sound.lake, grown.name, other.name) == 0
    assert nightly(sound.archive, sound.lake) == 0


def test_what_is_not_lost_or_not_known_cannot_be_answered_for(
    sound: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    write_lost(sound.archive, LOST)
    sound.night()
    capsys.readouterr()
    for names, day, said in (
        (["pit/9-9-deleted-abcdef01"], False, f"there are {LOST.name}"),
        ([LOST.name, "pit/9-9-deleted-abcdef01"], False, "no night reported a loss pit/9-9"),
        (["../../../etc/passwd"], False, "no night reported a loss ../../../etc/passwd"),
        ([LOST.name], True, "name --day, with --table or alone, or --lost, or --quarantined"),
        ([], False, "name --day, with --table or alone, or --lost, or --quarantined"),
        ([], True, "waits to be acknowledged"),
    ):
        assert answer_for(sound.lake, *names, day=day) == 2
        assert said in capsys.readouterr().err
    assert not sound.night().clean, "all of them or none"
    assert answer_for(sound.lake, LOST.name) == 0 and answer_for(sound.lake, LOST.name) == 2
    assert "acknowledged already, by M. Wong" in capsys.readouterr().err
    lost_file(sound.archive, LOST).write_text("{}", encoding="utf-8")
    assert nightly(sound.archive, sound.lake) == 1
    assert "acknowledge --lost" not in capsys.readouterr().err


def test_an_answer_whose_file_was_changed_answers_for_nothing(sound: Property) -> None:
    write_lost(sound.archive, LOST)
    sound.night()
    answer_for(sound.lake, LOST.name)
    house.damage(acknowledged_loss_file(sound.lake, LOST), 30)
    assert not sound.night().clean
    assert answer_for(sound.lake, LOST.name) == 2


@pytest.mark.prove
def test_a_loss_that_is_found_after_its_day_was_judged_has_the_day_judged_again(sound: Property) -> None:
    """It was reported of the days that were judged after it was found, and of no other that it may concern."""
    house.write(sound.archive, "T1", house.closing("", 0), day=NEXT, first_seq=26)

    def ran() -> list[dt.date]:
        nights = sound.nights(NEXT)
        return [night.reconciliation.gaming_day for night in nights]

    assert ran() == [DAY, NEXT] and ran() == [NEXT]
    write_lost(sound.archive, LOST)
    assert ran() == [DAY, NEXT] and not reconcile(sound.lake, DAY).clean and reconcile(sound.lake, NEXT).clean
    assert ran() == [NEXT]
    (lost_folder(sound.archive) / "stray").write_text("", encoding="utf-8")
    assert ran() == [DAY, NEXT] and ran() == [NEXT]


@pytest.mark.parametrize("acknowledged", [True, False])
def test_a_loss_whose_file_is_taken_away_stays_reported_and_so_is_that_it_was(
    sound: Property, acknowledged: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """No run reported it any more, whether somebody had answered for it or not."""
    house.write(sound.archive, "T1", house.closing("", 0), day=NEXT, first_seq=26)

    def ran() -> list[tuple[dt.date, bool]]:
        nights = sound.nights(NEXT)
        return [(night.reconciliation.gaming_day, night.clean) for night in nights]

    write_lost(sound.archive, LOST)
    assert ran() == [(DAY, False), (NEXT, True)]
    if acknowledged:
        assert answer_for(sound.lake, LOST.name) == 0
    file = lost_file(sound.archive, LOST)
    text = file.read_bytes()
    file.unlink()
    assert DAY in (look(sound.archive, sound.lake, FOUND_AT).lake or pytest.fail()).waiting
    assert ran() == [(DAY, False), (NEXT, True)]
    assert ran() == [(NEXT, True)], "it is reported, and nothing about it changed"
    loss, removed = reconcile(sound.lake, DAY).lost
    assert (loss.lost, loss.open) == (LOST, not acknowledged)
    assert (removed.name, removed.open) == ("pit/3-100-removed-abcdef01", True)
    assert "the file that says so was taken out of the archive since" in str(removed)
    reported = [
        each.count for each in look(sound.archive, sound.lake, FOUND_AT).alarms if each.alarm == "lost_messages"
    ]
    assert reported == [1]
    assert ends("replay", sound.archive, "--lake", sound.lake) == 0, "a replay reads no nights"
    assert len(reconcile(sound.lake, DAY).lost) == 2, "and takes nothing out of them"
    file.write_bytes(text)
    assert ran()[0] == (DAY, acknowledged) and len(reconcile(sound.lake, DAY).lost) == 1
    file.unlink()
    ran()
    assert answer_for(sound.lake, removed.name, *([] if acknowledged else [LOST.name])) == 0
    assert reconcile(sound.lake, DAY).clean


# Catching up for a day that has nothing itself


def shown(lake: Path, question: str) -> list[Any]:
    """What another program that opens ``lake.duckdb`` reads."""
    code = "import duckdb, sys; print(duckdb.connect(sys.argv[1], read_only=True).sql(sys.argv[2]).fetchall())"
    done = subprocess.run(
        [sys.executable, "-c", code, str(lake / "lake.duckdb"), question],
        capture_output=True,
        text=True,
        check=True,
        cwd=lake,
    )
    return list(eval(done.stdout))  # noqa: S307 - our own rows


def test_days_that_were_caught_up_are_reported_and_shown_also_where_the_day_itself_has_nothing(
    sound: Property, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``lake.duckdb`` stayed as it was, and what was found on the days before was reported to nobody."""
    monkeypatch.chdir(sound.folder)
    Path("pitaudit.toml").write_text("look_back_days = 0\n", encoding="utf-8")
    ordered = ["nightly", *sound.both]
    assert ends(*ordered, "--day", DAY) == 0
    house.write(sound.archive, "T1", house.WRONG, day=NEXT, first_seq=26)
    capsys.readouterr()
    assert ends(*ordered, "--wait-for-sealing", "0") == 1
    out = capsys.readouterr().out
    *_, before, last = out.splitlines()
    assert before == f"{NEXT}: 1 table, judged; the house overpaid 50.00 MOP in 1 payment."
    assert "nothing to run" in last and "no table was expected either" in last
    assert shown(
        sound.lake, "SELECT CAST(gaming_day AS VARCHAR), sum(delta_minor)::INT FROM wagers GROUP BY 1 ORDER BY 1"
    ) == [(str(DAY), 0), (str(NEXT), 50_00)]
    assert ends(*ordered, "--wait-for-sealing", "0") == 2, "there was nothing at all"
    house.write(sound.archive, "T1", "dealer+D9", day=NEXT, first_seq=51)
    capsys.readouterr()
    assert ends(*ordered, "--wait-for-sealing", "0", "--json") == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["clean"], [day["gaming_day"] for day in said["caught_up"]]) == (False, [str(NEXT)])
    assert said["sentence"].endswith(f"; and 1 earlier gaming day is not clean: {NEXT}.")
    with pytest.raises(NothingToRun) as nothing:
        sound.nights(NEXT + dt.timedelta(days=90), Settings(expecting=Expecting(look_back_days=0)))
    assert nothing.value.nights == []


def test_the_last_line_of_a_night_in_which_nothing_was_found_names_an_earlier_day_that_is_not_clean(
    sound: Property, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 1 behind "nothing found". What was done on each day is said as it is done: it was, when all were."""
    told: list[str] = []

    def run(archive: Path, lake: Path, day: dt.date, *more: Any, **others: Any) -> Night:
        told.append(capsys.readouterr().err)
        return run_nightly(archive, lake, day, *more, **others)

    monkeypatch.setattr("flows.runs.run_nightly", run)
    monkeypatch.chdir(sound.folder)
    Path("pitaudit.toml").write_text("look_back_days = 0\n", encoding="utf-8")
    last = Settings().last_gaming_day(dt.datetime.now(dt.UTC))
    number = house.write(sound.archive, "T1", house.WRONG, NEXT, 26)
    house.write(sound.archive, "T1", house.closing("", 0), last, number + 1)
    assert ends("nightly", *sound.both) == 1
    out, err = capsys.readouterr()
    *_, said = out.splitlines()
    log = [re.findall(r"(\S+): 1 table-day replayed, 0 unchanged", each) for each in (*told, err)]
    assert log == [[], [str(DAY)], [str(NEXT)], [str(last)]]
    assert said == f"{last}: 1 table, judged; nothing found; and 1 earlier gaming day is not clean: {NEXT}."


# Messages in quarantine


def refuse(archive: Path, *offsets: int) -> None:
    file = QuarantineFile(quarantine_file(archive, "pit"))
    for offset in offsets:
        file.add(Quarantined("pit", 0, offset, "no event", b"\n\n"))
    file.flush()


def answer_for_quarantine(archive: Path, lake: Path) -> int:
    ordered = ["acknowledge", "--lake", str(lake), "--archive", str(archive), "--quarantined"]
    return ends(*ordered, "--by", "M. Wong", "--reason", "a test sender")


def two_answered_for(sound: Property) -> Path:
    """A quarantine of two messages that somebody answered for, so that the night after it is clean."""
    refuse(sound.archive, 1, 2)
    sound.night()
    assert answer_for_quarantine(sound.archive, sound.lake) == 0 and sound.night().clean
    return quarantine_file(sound.archive, "pit")


def test_refused_messages_that_somebody_answers_for_stay_reported_and_let_later_nights_be_clean(
    sound: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    """One message that nobody could decode kept every night from being clean, for ever."""
    assert nightly(sound.archive, sound.lake) == 0
    assert answer_for_quarantine(sound.archive, sound.lake) == 2, "there is none"
    refuse(sound.archive, 1, 2, 3)
    assert nightly(sound.archive, sound.lake) == 1
    assert (
        answer_for_quarantine(sound.archive, sound.lake) == 0 and answer_for_quarantine(sound.archive, sound.lake) == 2
    )
    capsys.readouterr()
    assert nightly(sound.archive, sound.lake) == 0
    said = json.loads(capsys.readouterr().out)
    [who] = said["answered"]
    assert (said["clean"], said["quarantined"], who["messages"]) == (True, 3, 3)
    reported = "pit.jsonl: 3 messages, acknowledged by M. Wong"
    assert reported in render(sound.lake, DAY) and reported in markdown(sound.night(), sound.lake).replace("\\", "")
    status = look(sound.archive, sound.lake)
    assert "3 messages, 3 acknowledged" in status_text(status)
    assert "quarantined" not in {each.alarm for each in status.alarms}
    assert ends("replay", sound.archive, "--lake", sound.lake) == 0
    assert ends("replay", sound.archive) == 1
    refuse(sound.archive, 4)
    assert nightly(sound.archive, sound.lake) == 1, "one that came later"
    assert [each.count for each in look(sound.archive, sound.lake).alarms if each.alarm == "quarantined"] == [1]
    assert answer_for_quarantine(sound.archive, sound.lake) == 0 and nightly(sound.archive, sound.lake) == 0


@pytest.mark.prove
def test_a_quarantine_that_is_no_longer_what_somebody_answered_for_is_reported_again(sound: Property) -> None:
    file = two_answered_for(sound)
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"no event", b"no Event", 1))
    assert not sound.night().clean
    file.write_bytes(whole)
    assert sound.night().clean
    with file.open("ab") as appended:
        appended.write(b"a line that was cut off")
    assert not sound.night().clean


def test_messages_that_a_night_counted_and_that_are_gone_from_quarantine_are_missed(
    sound: Property, caplog: pytest.LogCaptureFixture
) -> None:
    """The nights after it were clean, and those after one that could not read the file."""
    refuse(sound.archive, 1, 2)
    assert nightly(sound.archive, sound.lake) == 1
    [file] = (sound.archive / "quarantine").iterdir()
    file.unlink()
    file.mkdir()
    assert nightly(sound.archive, sound.lake) == 1
    file.rmdir()
    for _ in range(2):
        caplog.clear()
        assert nightly(sound.archive, sound.lake) == 1
        assert f"{file}: it no longer begins with the 2 messages that a run counted: restore it" in caplog.text
    assert answer_for_quarantine(sound.archive, sound.lake) == 0 and nightly(sound.archive, sound.lake) == 0


def test_messages_that_somebody_answered_for_and_that_are_gone_from_quarantine_are_reported(
    sound: Property, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """The nights after it were clean, and nothing was left of what somebody had answered for."""
    file = two_answered_for(sound)
    whole = file.read_bytes()
    why = f"{file}: it no longer begins with the 2 messages that M. Wong acknowledged at "
    for left in (0, 1):
        if left:
            file.write_bytes(whole[: whole.index(b"\n") + 1])
        else:
            file.unlink()
        for asked in (["nightly", "--archive", str(sound.archive), "--day", str(DAY)], ["replay", str(sound.archive)]):
            capsys.readouterr()
            caplog.clear()
            assert ends(*asked, "--lake", sound.lake, "--json") == 1
            out, err = capsys.readouterr()
            reported = err + caplog.text
            assert json.loads(out)["quarantined"] == left + 1
            assert why in reported and ": restore it, or `pitaudit acknowledge --quarantined`" in reported
        [alarm] = [each for each in look(sound.archive, sound.lake).alarms if each.alarm == "quarantined"]
        assert alarm.count == left + 1 and why in alarm.message
        file.write_bytes(whole)
        assert sound.night().clean
    file.unlink()
    assert not sound.night().clean
    assert (
        answer_for_quarantine(sound.archive, sound.lake) == 0 and answer_for_quarantine(sound.archive, sound.lake) == 2
    )
    assert sound.night().clean
    refuse(sound.archive, 3)
    assert not sound.night().clean, "one that came later"
    assert answer_for_quarantine(sound.archive, sound.lake) == 0 and sound.night().clean
