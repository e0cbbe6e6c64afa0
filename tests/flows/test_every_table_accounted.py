"""Every table of a gaming day is accounted for: what is absent, not sealed or not read is never clean, and never forgotten."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analytics.lake import read_note
from analytics.lake.statuses import Status, TableStatus, acknowledged_file, with_acknowledgement
from analytics.reconciliation.reconcile import reconcile
from analytics.report import render
from flows.artifact import markdown
from flows.expected import Expecting, RegisteredTable
from flows.plan import NothingToRun, note_waiting
from flows.runs import run_nightly
from flows.settings import Settings
from flows.unsealed import under_way
from producers.quarantine import QuarantineFile
from replayer.log.columns import TableDay
from replayer.sources.layout import PartName, quarantine_file
from replayer.sources.quarantine import Quarantined
from replayer.sources.table_days import table_days
from replayer.verdicts import run
from replayer.verdicts.replay import Replayed, replay_table_days
from schemas.codec import encode
from schemas.event import moment
from schemas.notation import parse_events
from tests import house
from tests.flows.property import Property, ends

DAY = dt.date(2009, 6, 1)
NEXT = DAY + dt.timedelta(days=1)
NIGHTS = [DAY + dt.timedelta(days=n) for n in range(3)]
TABLES = ("T1", "T2", "T3")


@pytest.fixture(scope="module")
def three_nights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tables on each of three gaming days, all of them right."""
    folder = tmp_path_factory.mktemp("nights") / "archive"
    for table in TABLES:
        last = 0
        for day in NIGHTS:
            last = house.write(folder, table, house.SOUND, day=day, first_seq=last + 1)
    return folder


@pytest.fixture
def nights(three_nights: Path, tmp_path: Path) -> Property:
    shutil.copytree(three_nights, tmp_path / "archive")
    return Property(tmp_path)


@pytest.fixture(scope="module")
def lake_of_the_first(three_nights: Path) -> Path:
    """The lake of :func:`three_nights` after the first of them, to be copied before it is touched."""
    here = Property(three_nights.parent)
    here.night(DAY)
    return here.lake


@pytest.fixture
def first_judged(nights: Property, lake_of_the_first: Path) -> Property:
    """The same after the first of them."""
    shutil.copytree(lake_of_the_first, nights.lake)
    return nights


def take_away(archive: Path, table: str, day: dt.date) -> None:
    for file in (archive / day.isoformat()).glob(f"{table}.*"):
        file.unlink()


def reported(nights: Property, day: dt.date, chosen: Settings | None = None) -> dict[str, Status]:
    """The status of each table after a run, and by whoever reads the lake later."""
    night = nights.night(day, chosen)
    later = reconcile(nights.lake, day)
    assert later == night.reconciliation
    assert night.clean == (not later.open_statuses)
    return {each.table_id: each.status for each in later.statuses or ()}


@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table=st.sampled_from(TABLES), night=st.sampled_from(NIGHTS[1:]), judged_before=st.booleans(), folder=st.booleans()
)
def test_a_table_taken_from_a_night_never_leaves_it_clean(
    three_nights: Path,
    tmp_path_factory: pytest.TempPathFactory,
    table: str,
    night: dt.date,
    judged_before: bool,
    folder: bool,
) -> None:
    here = Property(tmp_path_factory.mktemp("taken"))
    shutil.copytree(three_nights, here.archive)
    if judged_before:
        here.backfill(NIGHTS[0], NIGHTS[-1])
    if folder:
        shutil.rmtree(here.archive / night.isoformat())
    else:
        take_away(here.archive, table, night)
    for day in here.backfill(NIGHTS[0], NIGHTS[-1]):
        if day.reconciliation.gaming_day == night:
            assert not day.clean
            missed = {each.table_id for each in day.reconciliation.open_statuses}
            assert missed == (set(TABLES) if folder else {table})
            assert set(day.undone) == missed
        else:
            assert day.clean or day.reconciliation.findings, "the numbers that are missing are found on the next day"


def test_a_day_of_which_nothing_came_misses_every_table(nights: Property, pitaudit: Any) -> None:
    shutil.rmtree(nights.archive / NIGHTS[2].isoformat())
    done = pitaudit("nightly", "--archive", nights.archive, "--lake", nights.lake, "--day", NIGHTS[2], "--json")
    assert done.returncode == 1, done.stderr
    said = json.loads(done.stdout)
    assert {row["table_id"]: row["status"] for row in said["tables"]} == dict.fromkeys(TABLES, "absent")
    assert (said["clean"], said["basis"]) == (False, "days before")
    assert [(found["code"], found["count"]) for found in said["findings"]] == [("TABLE_ABSENT", 3)]
    for table in TABLES:
        assert f"{NIGHTS[2]} {table}: absent" in done.stderr
    assert ends("report", "--lake", nights.lake, "--day", NIGHTS[2], "-o", nights.folder / "r.html") == 1
    page = (nights.folder / "r.html").read_text()
    assert page.count('<td class="off">absent</td>') == 3
    assert page.count("Nothing was checked.") == 2 and "every wager" not in page.lower()


def test_with_nothing_there_and_nothing_expected_there_is_nothing_to_run(nights: Property) -> None:
    with pytest.raises(NothingToRun, match="no table was expected"):
        nights.night(DAY - dt.timedelta(days=1))
    with pytest.raises(NothingToRun):
        nights.night(NIGHTS[2] + dt.timedelta(days=8))
    assert reported(nights, NIGHTS[2] + dt.timedelta(days=7)) == dict.fromkeys(TABLES, Status.ABSENT)


def test_a_table_whose_folder_was_deleted_everywhere_in_the_archive_is_known_by_the_lake(
    first_judged: Property,
) -> None:
    for day in NIGHTS:
        take_away(first_judged.archive, "T2", day)
    assert reported(first_judged, NEXT) == {"T1": Status.JUDGED, "T2": Status.ABSENT, "T3": Status.JUDGED}
    assert "All 2 tables judged agree:" in render(first_judged.lake, reconcile(first_judged.lake, NEXT))


def test_tables_that_do_not_agree_are_counted_among_those_that_were_judged(first_judged: Property) -> None:
    for table in ("T1", "T2"):
        take_away(first_judged.archive, table, NEXT)
    house.write(first_judged.archive, "T1", house.WRONG, NEXT, first_seq=26)
    assert reported(first_judged, NEXT)["T2"] is Status.ABSENT
    assert "1 of 2 tables judged</strong> does not agree:" in render(
        first_judged.lake, reconcile(first_judged.lake, NEXT)
    )


def test_a_table_that_is_not_sealed_is_reported_with_its_events_and_the_last_of_them(nights: Property) -> None:
    take_away(nights.archive, "T2", NEXT)
    house.write(nights.archive, "T2", house.UNDER_WAY, NEXT, first_seq=26, sealed=False)
    events = list(parse_events(house.UNDER_WAY, table_id="T2", gaming_day=NEXT, first_seq=26))
    assert reported(nights, NEXT)["T2"] is Status.NOT_SEALED
    [left] = reconcile(nights.lake, NEXT).open_statuses
    assert (left.events, left.expected, left.code) == (len(events), True, "TABLE_NOT_SEALED")
    assert left.last_at == moment(events[-1].at).isoformat(timespec="seconds")


def test_what_an_earlier_run_found_is_missed_though_nobody_expects_it(nights: Property) -> None:
    house.write(nights.archive, "T9", house.UNDER_WAY, NEXT, sealed=False)
    assert reported(nights, NEXT)["T9"] is Status.NOT_SEALED
    (nights.archive / ".journal" / str(NEXT) / "T9.journal").unlink()
    (left,) = nights.night(NEXT).reconciliation.open_statuses
    assert (left.table_id, left.status) == ("T9", Status.ABSENT)
    assert left.why == "the archive has nothing of it, though an earlier run found something"


def test_report_of_a_day_of_which_no_tables_were_expected_names_no_days_before_it(nights: Property) -> None:
    house.write(nights.archive, "T9", house.UNDER_WAY, DAY, sealed=False)
    assert reported(nights, DAY)["T9"] is Status.NOT_SEALED
    page = render(nights.lake, reconcile(nights.lake, DAY))
    assert "Every table of which the archive has anything was judged unless it stands here" in page
    assert "by the gaming days before it" not in page


def test_late_events_that_are_not_sealed_keep_a_judged_table_from_being_clean(nights: Property) -> None:
    house.write(nights.archive, "T1", house.UNDER_WAY, NIGHTS[2], first_seq=200, sealed=False)
    night = nights.night(NIGHTS[2])
    assert [row.table_id for row in night.reconciliation.tables] == list(TABLES)
    assert [(each.table_id, each.status, each.parts) for each in night.reconciliation.open_statuses] == [
        ("T1", Status.NOT_SEALED, 1)
    ]
    assert not night.clean
    assert ends("query", "overpayment_by_dealer_and_player", "--lake", nights.lake) == 1
    assert ends("sql", "--lake", nights.lake, "FROM wagers LIMIT 1") == 1
    assert markdown(night, nights.lake).count("are not sealed, the last at") == 1


def test_a_journal_that_cannot_be_read_is_damage(nights: Property) -> None:
    take_away(nights.archive, "T2", NEXT)
    house.write(nights.archive, "T2", house.UNDER_WAY, NEXT, first_seq=26, sealed=False)
    house.damage(nights.archive / ".journal" / str(NEXT) / "T2.journal", position=200)
    night = nights.night(NEXT)
    assert "T2.journal" in night.reconciliation.damaged["T2"]
    assert [(each.table_id, each.status) for each in night.reconciliation.open_statuses] == [("T2", Status.DAMAGED)]


def test_a_journal_in_the_place_of_another_is_damage_and_no_event_of_the_table(nights: Property) -> None:
    take_away(nights.archive, "T2", NEXT)
    house.write(nights.archive, "T9", house.UNDER_WAY, NEXT, sealed=False)
    [strange] = (nights.archive / ".journal" / str(NEXT)).glob("*")
    foreign = strange.rename(strange.with_name("T2.journal"))
    said = f"{foreign}: it is a journal of table T9 of {NEXT}; put it back into its place"
    assert nights.night(NEXT).reconciliation.damaged == {"T2": said}
    assert [each.damage for each in under_way(nights.archive)] == [said], "the status says the same"


def test_a_table_of_which_nothing_but_refused_messages_came_is_absent(nights: Property) -> None:
    take_away(nights.archive, "T2", NEXT)
    quarantine = QuarantineFile(quarantine_file(nights.archive, "events"))
    for offset, event in enumerate(parse_events(house.OPEN, table_id="T2", gaming_day=NEXT)):
        quarantine.add(Quarantined("events", 0, offset, "its number was held already", encode(event)))
    quarantine.flush()
    assert reported(nights, NEXT)["T2"] is Status.ABSENT
    [left] = reconcile(nights.lake, NEXT).open_statuses
    assert left.why == "the archive has nothing of it but 2 messages in quarantine"


@pytest.mark.parametrize("name", ["a\0b", "../../T1", ""])
def test_a_refused_message_that_names_no_table_is_counted_and_stops_no_night(nights: Property, name: str) -> None:
    """A NUL in the table's name of one stranger's message stopped every night, report, query and status from then on."""
    quarantine = QuarantineFile(quarantine_file(nights.archive, "events"))
    [event, *_] = parse_events(house.OPEN, table_id="T2", gaming_day=NEXT)
    quarantine.add(Quarantined("events", 0, 0, "no table's id", encode(dataclasses.replace(event, table_id=name))))
    quarantine.flush()
    night = nights.night(NEXT)
    assert not night.reconciliation.open_statuses
    assert (night.clean, night.reconciliation.note.quarantined) == (False, 1)
    noted = TableStatus(name, Status.ABSENT)  # as a note may name one
    assert with_acknowledgement(nights.lake, NEXT, noted).open


def test_the_register_decides_where_there_is_one(nights: Property) -> None:
    monday = DAY
    assert monday.weekday() == 0
    register = (
        RegisteredTable("T1", "fortune_3_card_poker"),
        RegisteredTable("T2", until=DAY),
        RegisteredTable("T4", weekdays=frozenset({1})),
        RegisteredTable("T5", first=NIGHTS[2]),
        RegisteredTable("T3", "black_jack"),
    )
    expecting = Expecting(register)
    first = nights.night(DAY, Settings(expecting=expecting))
    [other] = first.reconciliation.open_statuses
    assert (other.table_id, other.why) == ("T3", "the register says black_jack, its log says fortune_3_card_poker")
    assert "| not expected | the register says black\\_jack" in markdown(first, nights.lake)
    second = nights.night(NEXT, Settings(expecting=expecting)).reconciliation
    assert {each.table_id: (each.status, each.expected) for each in second.open_statuses} == {
        "T2": (Status.JUDGED, False),
        "T3": (Status.JUDGED, False),
        "T4": (Status.ABSENT, True),
    }
    assert {(found.code, found.count) for found in second.findings} == {("TABLE_ABSENT", 1), ("TABLE_UNEXPECTED", 2)}


def test_a_table_that_may_play_unnamed_may_not_play_another_game_than_the_register_says_later(nights: Property) -> None:
    others = tuple(RegisteredTable(each) for each in ("T1", "T2"))
    nights.night(DAY, Settings(expecting=Expecting(others)))
    assert acknowledge(nights.lake, "T3", DAY) == 0
    assert nights.night(DAY, Settings(expecting=Expecting(others))).clean
    named = Settings(expecting=Expecting((*others, RegisteredTable("T3", "black_jack"))))
    assert not nights.night(DAY, named).clean
    assert acknowledge(nights.lake, "T3", DAY) == 0
    assert nights.night(DAY, named).clean


def test_a_day_of_rest_by_the_register_has_nothing_to_miss(nights: Property) -> None:
    quiet = NIGHTS[2] + dt.timedelta(days=1)
    resting = Expecting((RegisteredTable("T1", weekdays=frozenset({0, 1, 2})),))
    assert nights.night(quiet, Settings(expecting=resting)).clean
    closed = Expecting((RegisteredTable("T1", until=NIGHTS[2]),))
    with pytest.raises(NothingToRun):
        run_nightly(nights.archive, nights.folder / "other", quiet, Settings(expecting=closed))


def acknowledge(lake: Path, table: str, day: dt.date) -> int:
    said = ["--by", "M. Wong", "--reason", "closed for repair"]
    return ends("acknowledge", "--lake", lake, "--table", table, "--day", day, *said)


def test_an_absence_is_acknowledged_for_that_table_and_day_alone_and_stands_in_the_report(
    nights: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    page = nights.folder / "r.html"
    for day in NIGHTS[1:]:
        take_away(nights.archive, "T2", day)
        nights.night(day)
    assert acknowledge(nights.lake, "T3", NEXT) == 2, "a table that was judged is not acknowledged"
    assert acknowledge(nights.lake, "T2", NEXT) == 0
    assert reconcile(nights.lake, NEXT).clean
    night = nights.night(NEXT)
    assert night.clean, "a later run keeps it"
    [row] = [line for line in markdown(night, nights.lake).splitlines() if line.startswith("| T2 ")]
    assert "absent" in row and "M. Wong" in row and "closed for repair" in row
    assert ends("report", "--lake", nights.lake, "--day", NEXT, "-o", page) == 0
    assert "M. Wong" in page.read_text()
    assert "closed for repair" in page.read_text()
    assert "Tables that were not judged or not expected: 1 of 3, 1 acknowledged;" in page.read_text()
    assert [each.table_id for each in reconcile(nights.lake, NIGHTS[2]).open_statuses] == ["T2"]
    assert acknowledge(nights.lake, "T2", NEXT) == 2, "once is enough"
    capsys.readouterr()
    for day, code in ((NEXT, 0), (NIGHTS[2], 1)):
        asked = ["query", "overpayment_by_dealer_and_player", "--lake", str(nights.lake)]
        assert ends(*asked, "--param", f"first={day}", "--param", f"last={day}") == code


def test_an_acknowledged_absence_covers_no_events_that_turn_up_later(nights: Property) -> None:
    take_away(nights.archive, "T2", NEXT)
    nights.night(NEXT)
    assert acknowledge(nights.lake, "T2", NEXT) == 0
    house.write(nights.archive, "T2", house.UNDER_WAY, NEXT, first_seq=26, sealed=False)
    assert reported(nights, NEXT)["T2"] is Status.NOT_SEALED
    assert [each.table_id for each in reconcile(nights.lake, NEXT).open_statuses] == ["T2"]
    shutil.rmtree(nights.archive / ".journal" / str(NEXT))
    for _ in range(2):
        assert reported(nights, NEXT)["T2"] is Status.ABSENT
        assert [each.table_id for each in reconcile(nights.lake, NEXT).open_statuses] == ["T2"], "they are gone again"
    assert acknowledge(nights.lake, "T2", NEXT) == 0
    assert reconcile(nights.lake, NEXT).clean


def test_an_acknowledgement_that_was_altered_acknowledges_nothing(
    nights: Property, caplog: pytest.LogCaptureFixture
) -> None:
    take_away(nights.archive, "T2", NEXT)
    nights.night(NEXT)
    acknowledge(nights.lake, "T2", NEXT)
    file = acknowledged_file(nights.lake, NEXT, "T2")
    whole = file.read_text()
    file.write_text(whole.replace("repair", "summer"))
    assert not reconcile(nights.lake, NEXT).clean
    assert [said for said in caplog.messages if said.startswith(f"{file} is damaged: line 1: ")] == caplog.messages[-1:]
    file.write_text(whole)
    assert reconcile(nights.lake, NEXT).clean


def test_an_acknowledgement_copied_to_another_day_acknowledges_nothing_there(nights: Property) -> None:
    """Its place alone told of which table and day it was."""
    for day in NIGHTS[1:]:
        take_away(nights.archive, "T2", day)
        nights.night(day)
    acknowledge(nights.lake, "T2", NEXT)
    file, copied = (acknowledged_file(nights.lake, day, "T2") for day in NIGHTS[1:3])
    copied.parent.mkdir()
    shutil.copy(file, copied)
    assert [reconcile(nights.lake, day).clean for day in NIGHTS[1:3]] == [True, False]


def test_a_lake_that_no_run_accounted_for_is_not_clean(first_judged: Property) -> None:
    (first_judged.lake / "days" / f"{DAY}.json").unlink()
    said = reconcile(first_judged.lake, DAY)
    assert (said.statuses, said.clean) == (None, False)
    assert ends("query", "overpayment_by_dealer_and_player", "--lake", first_judged.lake) == 1
    assert ends("sql", "--lake", first_judged.lake, "FROM wagers LIMIT 1") == 1
    assert ends("report", "--lake", first_judged.lake, "--day", DAY, "-o", first_judged.folder / "r.html") == 1


def test_what_rests_on_the_run_before_one_that_was_killed_is_not_clean(
    first_judged: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    """The verdicts of the run before are there, of other rules or of a shorter log: they were told as the day's."""
    note_waiting(first_judged.lake, table_days(first_judged.archive, DAY)[:1])
    page = first_judged.folder / "r.html"
    warning = f"{DAY}: its last run did not finish, what the lake has may rest on the one before"
    for command in (
        ("query", "overpayment_by_dealer_and_player"),
        ("sql", "FROM wagers LIMIT 1"),
        ("report", "--day", DAY, "-o", page),
    ):
        assert ends(*command, "--lake", first_judged.lake) == 1
        out, err = capsys.readouterr()
        assert warning in err
    assert out == f"{DAY}: 3 tables, all judged; the last run did not finish.\n"
    assert "The last run of this gaming day did not finish" in page.read_text(encoding="utf-8")
    first_judged.night(DAY)
    assert ends("report", "--day", DAY, "-o", page, "--lake", first_judged.lake) == 0
    assert "did not finish" not in page.read_text(encoding="utf-8")


def test_a_judged_table_of_which_the_lake_has_lost_everything_is_missed(first_judged: Property) -> None:
    for file in [*first_judged.lake.glob(f"*/{DAY}/T2.*")]:
        file.unlink()
    assert [(each.table_id, each.status) for each in reconcile(first_judged.lake, DAY).open_statuses] == [
        ("T2", Status.DAMAGED)
    ]


def test_a_replay_into_a_lake_misses_the_tables_that_a_night_misses(nights: Property) -> None:
    take_away(nights.archive, "T2", NEXT)
    assert ends("replay", nights.archive, "--lake", nights.folder / "replayed") == 1
    nights.backfill(NIGHTS[0], NIGHTS[-1])
    for day in NIGHTS:
        replayed, night = read_note(nights.folder / "replayed", day), read_note(nights.lake, day)
        assert replayed is not None
        assert night is not None
        assert dataclasses.replace(replayed, between=()) == dataclasses.replace(night, between=())


def test_a_replay_into_a_lake_says_what_a_night_says_of_tables_that_it_could_not_judge(
    nights: Property, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a damaged journal it noted that the table is not sealed, and said itself that it is damaged."""
    house.write(nights.archive, "T4", house.UNDER_WAY, day=NEXT, sealed=False)
    house.damage(PartName(NEXT, "T4").journal(nights.archive), 200)
    house.damage(nights.archive / str(NEXT) / "T3.avro")

    def failing(days: Sequence[TableDay], *args: Any, **more: Any) -> list[Replayed]:
        if any((day.table_id, day.gaming_day) == ("T2", NEXT) for day in days):
            raise ArithmeticError
        return replay_table_days(days, *args, **more)

    monkeypatch.setattr(run, "replay_table_days", failing)
    assert ends("replay", nights.archive, "--lake", nights.folder / "replayed") == 1
    nights.backfill(NIGHTS[0], NIGHTS[-1])
    replayed, night = read_note(nights.folder / "replayed", NEXT), read_note(nights.lake, NEXT)
    assert replayed is not None
    assert night is not None
    assert (replayed.damaged, replayed.tables) == (night.damaged, night.tables)
    found = {each.table_id: each.status for each in night.tables or ()}
    assert found == {"T1": Status.JUDGED, "T2": Status.FAILED, "T3": Status.DAMAGED, "T4": Status.DAMAGED}


@pytest.mark.parametrize("expecting", [Expecting(), Expecting((RegisteredTable("T1"),))])
def test_a_table_that_was_found_damaged_and_is_taken_out_of_the_archive_is_reported_until_somebody_acknowledges_it(
    nights: Property, expecting: Expecting
) -> None:
    """It was expected by nobody and had no verdicts, so that its day was clean without it."""
    for table in ("T2", "T3"):
        take_away(nights.archive, table, DAY)
    log = nights.archive / str(DAY) / "T9.avro"
    log.write_bytes(b"Obj")
    assert reported(nights, DAY, Settings(expecting=expecting)) == {"T1": Status.JUDGED, "T9": Status.DAMAGED}
    log.unlink()
    for _ in range(2):
        assert reported(nights, DAY, Settings(expecting=expecting)) == {"T1": Status.JUDGED, "T9": Status.ABSENT}
    assert acknowledge(nights.lake, "T9", DAY) == 0
    assert nights.night(DAY, Settings(expecting=expecting)).clean
