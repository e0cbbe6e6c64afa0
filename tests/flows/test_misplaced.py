"""A log that lies where an archive keeps none is damage of its gaming day, and every command tells it."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analytics.lake import read_note
from analytics.lake.statuses import Status
from analytics.reconciliation.reconcile import reconcile
from flows.cli import main
from flows.expected import Expecting
from flows.pending_days import to_catch_up
from flows.runs import run_nightly
from flows.settings import Settings
from flows.status import look
from flows.status.text import status_text
from replayer.sources.table_days import table_days
from replayer.verdicts.run import replay_all
from tests import house
from tests.flows.property import Property
from tests.flows.test_status import alarms, at_noon

DAY = dt.date(2009, 6, 1)
NEXT = DAY + dt.timedelta(days=1)
THIRD = DAY + dt.timedelta(days=2)
NOON = dt.datetime(2009, 6, 4, 12, tzinfo=dt.UTC)
NAME = "T9 (not read)"
LOOKING_BACK = Expecting()


@pytest.fixture(scope="module")
def two_days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of one sound table on two gaming days, and beside it a day of T9 as it would be sealed."""
    folder = tmp_path_factory.mktemp("two")
    last = house.write(folder / "archive", "T1", house.SOUND)
    house.write(folder / "archive", "T1", house.SOUND, NEXT, last + 1)
    house.write(folder / "other", "T9", house.SOUND)
    return folder


@pytest.fixture
def here(two_days: Path, tmp_path: Path) -> Property:
    return Property(Path(shutil.copytree(two_days, tmp_path / "two")))


@pytest.fixture(scope="module")
def two_nights(two_days: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same after both nights, to be copied before it is touched."""
    folder = Path(shutil.copytree(two_days, tmp_path_factory.mktemp("nights") / "two"))
    assert ran(Property(folder), NEXT) == [DAY, NEXT]
    return folder


@pytest.fixture
def judged_here(two_nights: Path, tmp_path: Path) -> Property:
    return Property(Path(shutil.copytree(two_nights, tmp_path / "two")))


def put(here: Property, place: str, table: str = "T9") -> None:
    """A table in a folder of the archive: container and manifest."""
    folder = here.archive / place
    folder.mkdir(parents=True, exist_ok=True)
    for file in (here.folder / "other" / str(DAY)).iterdir():
        shutil.copy(file, folder / f"{table}{file.suffix}")


def packed(here: Property, table: str) -> None:
    shutil.copy(here.folder / "other" / str(DAY) / "T9.avro", here.archive / str(DAY) / f"{table}.avro.gz")


def journal(here: Property, table: str) -> None:
    folder = here.archive / ".journal" / "2009-6-1"
    folder.mkdir(parents=True)
    (folder / f"{table}.journal").write_bytes(b"journal")


PLACES: dict[str, Callable[[Property, str], None]] = {
    "20090601": lambda here, table: put(here, "20090601", table),
    "2009-6-1": lambda here, table: put(here, "2009-6-1", table),
    "copy": lambda here, table: put(here, "2009-06-01 (copy)", table),
    "inside": lambda here, table: put(here, "2009-06-01/old", table),
    "inside another": lambda here, table: put(here, "2009-06-02/2009-06-01", table),
    "packed": packed,
    "journal": journal,
}


def ran(here: Property, day: dt.date) -> list[dt.date]:
    return [night.reconciliation.gaming_day for night in here.nights(day, Settings(expecting=LOOKING_BACK))]


def open_on(here: Property, day: dt.date) -> list[tuple[str, Status]]:
    return [(each.table_id, each.status) for each in reconcile(here.lake, day).open_statuses]


def test_a_misplaced_log_is_a_damaged_table_day_of_the_day_that_its_place_tells(
    here: Property, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was read by nothing, and every command said that all was judged. Each table lies in another such place."""
    sound = {(each.gaming_day, each.table_id): each.digest for each in replay_all(table_days(here.archive)).outcomes}
    asked = [*here.both]
    tables = {f"T{number}": place for number, place in enumerate(PLACES, start=3)}
    names = [f"{table} (not read)" for table in tables]
    for table, place in tables.items():
        PLACES[place](here, table)
        if table == "T3":
            assert main(["backfill", *asked, "--from", str(DAY), "--to", str(NEXT)]) == 1
            last = capsys.readouterr().out.splitlines()[-1]
            assert f"1 table-day damaged: {names[0]} of {DAY}" in last
    assert main(["replay", str(here.archive), "--json"]) == 1
    out, err = capsys.readouterr()
    for left, (table, place) in zip(json.loads(out)["not_judged"], tables.items(), strict=True):
        reported = (left["table_id"], left["gaming_day"], left["what"])
        assert reported == (f"{table} (not read)", str(DAY), "damaged"), place
        assert f"{table}." in left["why"] and "an archive keeps no log under this path" in left["why"], place
        assert f"{DAY} {table} (not read): damaged: {here.archive}/" in err, place
    judged = {
        (each.gaming_day, each.table_id): each.digest
        for each in replay_all(table_days(here.archive)).outcomes
        if not each.damage
    }
    assert judged == sound, "no verdict of a sound table is another"
    assert main(["nightly", *asked, "--day", str(DAY), "--json"]) == 1
    out, err = capsys.readouterr()
    assert list(json.loads(out)["damaged"]) == names
    assert f"7 tables damaged: {', '.join(names[:5])} and 2 more" in err
    assert main(["backfill", *asked, "--from", str(DAY), "--to", str(NEXT)]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert f"7 table-days damaged: {', '.join(f'{name} of {DAY}' for name in names[:5])} and 2 more" in last
    assert open_on(here, DAY) == [(name, Status.DAMAGED) for name in names]
    assert open_on(here, NEXT) == [], "they are missed on their own day only"
    page = tmp_path / "r.html"
    assert main(["report", "--lake", str(here.lake), "--day", str(DAY), "-o", str(page)]) == 1
    shown = page.read_text()
    looked = here.look(NOON)
    status = status_text(looked).replace("\n" + " " * 20, " ")
    assert [name for name in names if name not in shown] == []
    assert looked.lake is not None
    assert [(day, each.table_id, each.in_words) for day, each in looked.lake.tables] == [
        (DAY, name, "damaged") for name in names
    ]
    assert all(f"{DAY} {name} damaged" in status for name in names[:3]) and "table not judged (7)" in status


def test_the_digest_of_a_replay_does_not_move_where_a_folder_without_logs_is_added(here: Property) -> None:
    archive = here.archive
    before = replay_all(table_days(archive)).to_dict()["digest"]
    for folder in ("20090601", "2009-06-01/empty", "lost+found", ".columns/2009-06-01", "restored"):
        (archive / folder).mkdir(parents=True)
    (archive / ".columns/2009-06-01/T9.avro").touch()
    (archive / "lost+found").chmod(0)
    assert replay_all(table_days(archive)).to_dict()["digest"] == before
    assert run_nightly(archive, here.lake, DAY).clean


@pytest.mark.parametrize("place", ["20090601", "packed", "journal"])
def test_a_log_that_comes_out_of_place_after_its_day_was_accounted_for_is_caught_up_and_so_is_its_going(
    judged_here: Property, place: str
) -> None:
    before = shutil.copytree(judged_here.archive, judged_here.folder / "before")
    PLACES[place](judged_here, "T9")
    assert ran(judged_here, NEXT) == [DAY, NEXT]
    assert open_on(judged_here, DAY) == [(NAME, Status.DAMAGED)]
    assert ran(judged_here, NEXT) == [NEXT], "it is reported, and nothing about it changed"
    shutil.rmtree(judged_here.archive)
    before.rename(judged_here.archive)
    assert ran(judged_here, NEXT) == [DAY, NEXT]
    assert open_on(judged_here, DAY) == []


def test_a_log_that_is_put_into_its_place_is_judged_by_the_next_night(here: Property) -> None:
    put(here, "20090601")
    assert ran(here, NEXT) == [DAY, NEXT]
    for file in (here.archive / "20090601").iterdir():
        file.rename(here.archive / str(DAY) / file.name)
    assert ran(here, NEXT) == [DAY, NEXT]
    note = read_note(here.lake, DAY)
    assert note is not None
    assert [(each.table_id, each.status) for each in note.tables or ()] == [
        ("T1", Status.JUDGED),
        ("T9", Status.JUDGED),
    ]


@pytest.mark.parametrize("expected", [True, False])
def test_a_day_of_which_nothing_else_is_there_is_caught_up(here: Property, expected: bool) -> None:
    """Where other days are near their tables are expected as well; a day long before all of them has nothing else."""
    day = THIRD if expected else dt.date(2001, 2, 3)
    put(here, f"copy of {day}")
    end = day + dt.timedelta(days=1) if expected else NEXT
    assert ran(here, end)[0 if not expected else 2] == day
    absent = [("T1", Status.ABSENT)] if expected else []
    assert open_on(here, day) == [*absent, (NAME, Status.DAMAGED)]
    assert to_catch_up(here.archive, here.lake, dt.date.min, end, LOOKING_BACK) == []


def test_a_day_of_which_nothing_else_is_there_waits_in_the_status_and_is_replayed_and_filled(
    judged_here: Property,
) -> None:
    put(judged_here, "20010203")
    day = dt.date(2001, 2, 3)
    status = judged_here.look(NOON)
    assert status.lake is not None
    assert day in status.lake.overdue
    assert (
        main(["replay", str(judged_here.archive), "--day", str(day), "--lake", str(judged_here.folder / "replayed")])
        == 1
    )
    assert [(each.table_id, each.status) for each in reconcile(judged_here.folder / "replayed", day).open_statuses] == [
        (NAME, Status.DAMAGED)
    ]
    [night] = judged_here.backfill(day, day)
    assert list(night.reconciliation.damaged) == [NAME]


def test_an_archive_of_which_every_day_is_out_of_place_is_there(judged_here: Property) -> None:
    """It was taken for one whose disk is not mounted."""
    archive = judged_here.archive
    for day in (DAY, NEXT):
        (archive / str(day)).rename(archive / str(day).replace("-", ""))
    night = run_nightly(archive, judged_here.lake, DAY)
    assert {*night.reconciliation.damaged} == {"T1", "T1 (not read)"}


ASKED = {
    "replay": lambda archive, lake: ["replay", archive],
    "nightly": lambda archive, lake: ["nightly", "--archive", archive, "--lake", lake, "--day", str(DAY)],
    "backfill": lambda archive, lake: [
        *("backfill", "--archive", archive, "--lake", lake),
        *("--from", str(DAY), "--to", str(DAY)),
    ],
    "whatif": lambda archive, lake: ["whatif", archive, "--ruling", "BJ-55=additional"],
    "ledger": lambda archive, lake: ["rulings", "ledger", archive],
}


@pytest.mark.parametrize("command", ASKED)
def test_a_place_that_tells_no_gaming_day_is_named_on_standard_error(
    here: Property, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = here.archive
    asked = ASKED[command](str(archive), str(here.lake))
    assert main(asked) == 0
    assert "restored" not in capsys.readouterr().err
    put(here, "restored/from tape")
    shutil.copy(archive / "restored/from tape/T9.avro", archive / "restored/from tape/T8.avro")
    assert main(asked) == 1
    out, err = capsys.readouterr()
    [line] = [line for line in err.splitlines() if "restored" in line]
    assert line.startswith(f"pitaudit: {archive}/restored/from tape: 2 logs ")
    assert ("; 2 logs lie where none is kept: not read." in out) == (command in ("replay", "nightly", "backfill"))


@pytest.mark.parametrize("command", ASKED)
def test_it_is_named_where_there_is_nothing_else(
    here: Property, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here, "../only/restored/from tape")
    assert main(ASKED[command](str(here.folder / "only"), str(here.lake))) == 2
    assert "restored/from tape: 1 log " in capsys.readouterr().err


@pytest.mark.parametrize("command", ["replay", "whatif", "ledger"])
def test_what_is_not_sealed_is_named_and_no_result_is_one_of_the_whole_archive(
    here: Property, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    house.write(here.archive, "T8", house.SOUND, THIRD, sealed=False)
    assert main(ASKED[command](str(here.archive), "")) == 1
    assert f"{THIRD} T8: not sealed: " in capsys.readouterr().err
    assert main([*ASKED[command](str(here.archive), ""), "--table", "T1"]) == 0


@pytest.mark.parametrize("command", ["whatif", "ledger"])
def test_a_misplaced_log_is_damage_of_what_is_settled_again(
    here: Property, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here, "20090601")
    assert main(ASKED[command](str(here.archive), "")) == 1
    assert "20090601/T9.avro: not read; " in capsys.readouterr().err


# Odd names in the folder of a gaming day


@pytest.mark.parametrize("name", ["BJ-01 (copy).avro", "BJ-01 (copy).json"])
def test_a_day_with_nothing_but_files_of_odd_names_is_due_and_caught_up(here: Property, name: str) -> None:
    """It was not due, so that no night but one that named it ever reported it."""
    day = dt.date(2001, 2, 3)
    folder = here.archive / str(day)
    folder.mkdir()
    (folder / name).touch()
    assert ran(here, NEXT) == [day, DAY, NEXT]
    assert open_on(here, day) == [("BJ-01 (copy)", Status.DAMAGED)]
    assert ran(here, NEXT) == [NEXT]
    [night] = here.backfill(day, day)
    assert list(night.reconciliation.damaged) == ["BJ-01 (copy)"]


def stray(archive: Path) -> None:
    (archive / str(DAY) / "BJ-01 (copy).avro").touch()


def stray_journal(archive: Path) -> None:
    (archive / ".journal" / str(DAY)).mkdir(exist_ok=True)
    (archive / ".journal" / str(DAY) / "BJ 01.journal").touch()


def misplaced(archive: Path) -> None:
    (archive / "20090601").mkdir()
    (archive / "20090601" / "BJ-01.avro").touch()


@pytest.mark.parametrize("make", [stray, stray_journal, misplaced])
def test_a_file_that_was_reported_as_damaged_is_not_expected_as_a_table_of_the_days_that_follow(
    here: Property, make: Callable[[Path], None]
) -> None:
    """They reported it as absent, seven days long, and nobody could acknowledge it."""
    make(here.archive)
    assert not here.night(DAY).clean
    night = here.night(NEXT)
    assert night.clean
    assert [each.table_id for each in night.reconciliation.statuses or ()] == ["T1"]


def test_what_stands_in_the_place_of_a_day_is_not_expected_either(here: Property) -> None:
    (here.archive / str(THIRD)).touch()
    after = THIRD + dt.timedelta(days=1)
    assert ran(here, after)[-2:] == [THIRD, after]
    assert open_on(here, THIRD) == [(str(THIRD), Status.DAMAGED), ("T1", Status.ABSENT)]
    assert open_on(here, after) == [("T1", Status.ABSENT)]


def test_a_day_of_which_nothing_is_left_does_not_keep_the_nights_after_it_from_running(here: Property) -> None:
    """No table was expected on it, so that every night ended there, with nothing to run, and judged no day any more."""
    before = shutil.copytree(here.archive, here.folder / "before")
    day = dt.date(2001, 2, 3)
    put(here, f"copy of {day}")
    assert ran(here, DAY) == [day, DAY]
    shutil.rmtree(here.archive)
    before.rename(here.archive)
    assert ran(here, NEXT) == [day, NEXT]
    assert open_on(here, day) == []
    assert ran(here, NEXT) == [NEXT]


# What no night comes to by itself


YESTERDAY = dt.date(2009, 6, 1)
TODAY = YESTERDAY + dt.timedelta(days=1)
NOON_AFTER = dt.datetime(2009, 6, 2, 12, tzinfo=dt.UTC)
AHEAD = dt.date(9062, 11, 24)
NIGHT = ("--day", str(YESTERDAY))
DAYS = ("--from", str(YESTERDAY), "--to", str(YESTERDAY))


@pytest.fixture(scope="module")
def judged_yesterday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("yesterday")
    house.write(folder / "archive", "T1", house.SOUND, YESTERDAY)
    assert run_nightly(folder / "archive", folder / "lake", YESTERDAY).clean
    return folder


@pytest.fixture
def there(judged_yesterday: Path, tmp_path: Path) -> Property:
    """A folder with an archive of a sound table-day of yesterday, and its lake."""
    shutil.copytree(judged_yesterday, tmp_path, dirs_exist_ok=True)
    at_noon(tmp_path / "lake")
    return Property(tmp_path)


def asked(there: Property, *more: str) -> list[str]:
    return [*there.both, *more]


def words(there: Property) -> str:
    return status_text(there.look(NOON_AFTER)).replace("\n" + " " * 20, " ")


# Logs in places that tell no gaming day


def test_a_log_in_a_place_that_tells_no_gaming_day_is_counted_by_every_run_and_look(
    there: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was a warning on standard error, and all that a machine reads said that nothing was found."""
    house.write(there.folder / "other", "T9", house.SOUND, YESTERDAY)
    places = [there.archive / place for place in ("03-06-2009", "x", ".")]
    for place in places:
        shutil.copytree(there.folder / "other" / str(YESTERDAY), place, dirs_exist_ok=True)

    def said(*words: str) -> Any:
        assert main([*words, "--json"]) == 1
        return json.loads(capsys.readouterr().out)

    night = said("nightly", *asked(there, *NIGHT))
    assert (night["misplaced"], night["clean"]) == (3, False)
    assert night["sentence"] == f"{YESTERDAY}: 1 table, judged; 3 logs lie where none is kept: not read."
    assert (
        main(["report", "--lake", str(there.lake), "--day", str(YESTERDAY), "-o", str(there.folder / "day.html")]) == 0
    )
    assert night["sentence"] in capsys.readouterr().out
    assert "Logs in the archive that lie where none is kept, not read: 3;" in (there.folder / "day.html").read_text()
    filled = said("backfill", *asked(there, *DAYS))
    assert ([day["misplaced"] for day in filled["days"]], filled["clean"]) == ([3], False)
    replayed = said("replay", str(there.archive))
    assert replayed["misplaced"] == 3
    assert replayed["sentence"].endswith("; 3 logs lie where none is kept: not read.")
    looked = said("status", *asked(there, "--no-kafka"))
    assert looked["archive"]["misplaced"] == 3
    assert ("log_misplaced", 3) in [(each["alarm"], each["count"]) for each in looked["alarms"]]
    assert "put them into their places, or take them out of it: " in words(there)
    for left, place in zip((2, 1, 0), places, strict=True):
        for file in place.glob("T9.*"):
            file.unlink()
        assert main(["nightly", *asked(there, *NIGHT)]) == bool(left)
        last = capsys.readouterr().out.splitlines()[-1]
        assert ("; 1 log lies where none is kept: not read." in last) == (left == 1)


# Table-days dated beyond today


@pytest.mark.parametrize("sealed", [True, False])
def test_a_table_day_dated_beyond_today_is_named_by_every_night_and_look(
    there: Property, sealed: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was omitted in silence until its year had come."""
    archive = there.archive
    assert main(["nightly", *asked(there, *NIGHT)]) == 0
    house.write(archive, "T2", house.SOUND, AHEAD, sealed=sealed)
    named = [{"table_id": "T2", "gaming_day": str(AHEAD)}]
    assert main(["nightly", *asked(there, *NIGHT, "--json")]) == 1
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (said["gaming_day"], said["ahead"], said["clean"]) == (str(YESTERDAY), named, False)
    assert main(["nightly", *asked(there, *NIGHT)]) == 1
    why = f"1 table-day is dated beyond today (a table's clock or an import is wrong): T2 of {AHEAD}"
    assert why in capsys.readouterr().out.splitlines()[-1]
    assert (
        main(["report", "--lake", str(there.lake), "--day", str(YESTERDAY), "-o", str(there.folder / "day.html")]) == 0
    )
    assert why in capsys.readouterr().out
    assert "since a table's clock or an import is wrong: 1;" in (there.folder / "day.html").read_text()
    assert main(["backfill", *asked(there, *DAYS)]) == 1
    assert why in capsys.readouterr().out.splitlines()[-1]
    assert main(["status", *asked(there, "--no-kafka", "--json")]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["archive"]["ahead"] == named
    assert ("dated_ahead", 1) in [(each["alarm"], each["count"]) for each in said["alarms"]]
    assert f"look into the table's clock, or the import that brought it: {AHEAD} T2" in words(there)


def test_a_run_under_prefect_is_not_clean_either(there: Property) -> None:
    from flows.run_states import NOT_CLEAN, ended  # noqa: PLC0415 - a second, for this test alone

    house.write(there.archive, "T2", house.SOUND, AHEAD)
    (there.archive / "T9.avro").touch()
    state = ended(there.backfill(YESTERDAY, YESTERDAY))
    assert (state.name, state.message) == (NOT_CLEAN, "1 log misplaced, 1 table-day dated beyond today")


def test_the_day_of_one_is_judged_where_it_is_named_and_goes_on_being_named(
    there: Property, capsys: pytest.CaptureFixture[str]
) -> None:
    house.write(there.archive, "T2", house.SOUND, AHEAD)
    assert main(["nightly", *asked(there, "--day", str(AHEAD), "--json")]) == 1
    said = json.loads(capsys.readouterr().out)
    assert [(each["table_id"], each["status"]) for each in said["tables"]] == [("T2", "judged")]
    assert said["ahead"] == [{"table_id": "T2", "gaming_day": str(AHEAD)}]
    shutil.rmtree(there.archive / str(YESTERDAY))
    there.night(YESTERDAY)
    looked_at = look(there.archive, there.lake, NOON_AFTER, days=1).lake
    assert looked_at and [(day, each.table_id) for day, each in looked_at.tables] == [(YESTERDAY, "T1")]


def test_a_day_with_logs_that_no_night_reaches_is_named_by_every_night_and_look_until_it_is_judged(
    empty: Property, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Night and look were clean, and only a report of that very day missed its verdicts."""
    monkeypatch.chdir(empty.folder)
    (empty.folder / "pitaudit.toml").write_text("catch_up_days = 2\nlook_back_days = 0\n")
    last = Settings().last_gaming_day(dt.datetime.now(dt.UTC))
    far, near = last - dt.timedelta(days=4), last - dt.timedelta(days=2)
    number = 0
    for day in (far, near, last):
        number = house.write(empty.archive, "T1", house.closing("", 0), day, number + 1)
    assert main(["nightly", *empty.both, "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert ([night["gaming_day"] for night in said["caught_up"]], said["left_behind"]) == ([str(near)], [str(far)])
    why = "1 earlier gaming day has logs and no verdicts, and no night reaches so far back (catch_up_days): "
    assert said["sentence"] == f"{last}: 1 table, judged; {why}pitaudit backfill --from {far} --to {far}."
    assert main(["status", *empty.both, "--no-kafka", "--json"]) == 1
    assert [each["alarm"] for each in json.loads(capsys.readouterr().out)["alarms"]] == ["left_behind"]
    assert main(["backfill", *empty.both, "--from", str(far), "--to", str(far)]) == 0
    assert main(["nightly", *empty.both]) == 0
    assert main(["status", *empty.both, "--no-kafka"]) == 0


def test_a_table_day_of_today_or_before_is_not_ahead(there: Property) -> None:
    house.write(there.archive, "T2", house.SOUND, TODAY)
    assert there.night(YESTERDAY).clean
    at_noon(there.lake)
    assert alarms(there.look(NOON_AFTER)) == {}
    house.write(there.archive, "T3", house.SOUND, TODAY + dt.timedelta(days=1))
    assert alarms(there.look(NOON_AFTER)) == {"dated_ahead": 1}
