"""What an archive holds and no night comes to by itself is named by each of them, and by every look at the archive."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from flows.cli import main
from flows.runs import run_backfill, run_nightly
from flows.status import Watch, look
from flows.status.text import status_text
from tests import house
from tests.flows.test_status import alarms, at_noon

YESTERDAY = dt.date(2009, 6, 1)
TODAY = YESTERDAY + dt.timedelta(days=1)
NOON = dt.datetime(2009, 6, 2, 12, tzinfo=dt.UTC)
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
def here(judged_yesterday: Path, tmp_path: Path) -> Path:
    """A folder with an archive of a sound table-day of yesterday, and its lake."""
    shutil.copytree(judged_yesterday, tmp_path, dirs_exist_ok=True)
    at_noon(tmp_path / "lake")
    return tmp_path


def asked(here: Path, *more: str) -> list[str]:
    return ["--archive", str(here / "archive"), "--lake", str(here / "lake"), *more]


def words(here: Path) -> str:
    return status_text(look(Watch(here / "archive", here / "lake"), NOON)).replace("\n" + " " * 20, " ")


# Logs in places that tell no gaming day


def test_a_log_in_a_place_that_tells_no_gaming_day_is_counted_by_every_run_and_look(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was a warning on standard error, and all that a machine reads said that nothing was found."""
    house.write(here / "other", "T9", house.SOUND, YESTERDAY)
    places = [here / "archive" / place for place in ("03-06-2009", "x", ".")]
    for place in places:
        shutil.copytree(here / "other" / str(YESTERDAY), place, dirs_exist_ok=True)

    def said(*words: str) -> Any:
        assert main([*words, "--json"]) == 1
        return json.loads(capsys.readouterr().out)

    night = said("nightly", *asked(here, *NIGHT))
    assert (night["misplaced"], night["clean"]) == (3, False)
    assert night["sentence"] == f"{YESTERDAY}: 1 table, judged; 3 logs lie where none is kept: not read."
    assert main(["report", "--lake", str(here / "lake"), "--day", str(YESTERDAY), "-o", str(here / "day.html")]) == 0
    assert night["sentence"] in capsys.readouterr().out
    assert "Logs in the archive that lie where none is kept, not read: 3;" in (here / "day.html").read_text()
    filled = said("backfill", *asked(here, *DAYS))
    assert ([day["misplaced"] for day in filled["days"]], filled["clean"]) == ([3], False)
    replayed = said("replay", str(here / "archive"))
    assert replayed["misplaced"] == 3
    assert replayed["sentence"].endswith("; 3 logs lie where none is kept: not read.")
    looked = said("status", *asked(here, "--no-kafka"))
    assert looked["archive"]["misplaced"] == 3
    assert ("log_misplaced", 3) in [(each["alarm"], each["count"]) for each in looked["alarms"]]
    assert "put them into their places, or take them out of it: " in words(here)
    for left, place in zip((2, 1, 0), places, strict=True):
        for file in place.glob("T9.*"):
            file.unlink()
        assert main(["nightly", *asked(here, *NIGHT)]) == bool(left)
        last = capsys.readouterr().out.splitlines()[-1]
        assert ("; 1 log lies where none is kept: not read." in last) == (left == 1)


# Table-days dated beyond today


@pytest.mark.parametrize("sealed", [True, False])
def test_a_table_day_dated_beyond_today_is_named_by_every_night_and_look(
    here: Path, sealed: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was omitted in silence until its year had come."""
    archive = here / "archive"
    assert main(["nightly", *asked(here, *NIGHT)]) == 0
    house.write(archive, "T2", house.SOUND, AHEAD, sealed=sealed)
    named = [{"table_id": "T2", "gaming_day": str(AHEAD)}]
    assert main(["nightly", *asked(here, *NIGHT, "--json")]) == 1
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (said["gaming_day"], said["ahead"], said["clean"]) == (str(YESTERDAY), named, False)
    assert main(["nightly", *asked(here, *NIGHT)]) == 1
    why = f"1 table-day is dated beyond today (a table's clock or an import is wrong): T2 of {AHEAD}"
    assert why in capsys.readouterr().out.splitlines()[-1]
    assert main(["report", "--lake", str(here / "lake"), "--day", str(YESTERDAY), "-o", str(here / "day.html")]) == 0
    assert why in capsys.readouterr().out
    assert "since a table's clock or an import is wrong: 1;" in (here / "day.html").read_text()
    assert main(["backfill", *asked(here, *DAYS)]) == 1
    assert why in capsys.readouterr().out.splitlines()[-1]
    assert main(["status", *asked(here, "--no-kafka", "--json")]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["archive"]["ahead"] == named
    assert ("dated_ahead", 1) in [(each["alarm"], each["count"]) for each in said["alarms"]]
    assert f"look into the table's clock, or the import that brought it: {AHEAD} T2" in words(here)


def test_a_run_under_prefect_is_not_clean_either(here: Path) -> None:
    from flows.run_states import NOT_CLEAN, ended  # noqa: PLC0415 - a second, for this test alone

    house.write(here / "archive", "T2", house.SOUND, AHEAD)
    (here / "archive" / "T9.avro").touch()
    state = ended(run_backfill(here / "archive", here / "lake", YESTERDAY, YESTERDAY))
    assert (state.name, state.message) == (NOT_CLEAN, "1 log misplaced, 1 table-day dated beyond today")


def test_the_day_of_one_is_judged_where_it_is_named_and_goes_on_being_named(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    house.write(here / "archive", "T2", house.SOUND, AHEAD)
    assert main(["nightly", *asked(here, "--day", str(AHEAD), "--json")]) == 1
    said = json.loads(capsys.readouterr().out)
    assert [(each["table_id"], each["status"]) for each in said["tables"]] == [("T2", "judged")]
    assert said["ahead"] == [{"table_id": "T2", "gaming_day": str(AHEAD)}]


def test_a_table_day_of_today_or_before_is_not_ahead(here: Path) -> None:
    house.write(here / "archive", "T2", house.SOUND, TODAY)
    assert run_nightly(here / "archive", here / "lake", YESTERDAY).clean
    at_noon(here / "lake")
    assert alarms(look(Watch(here / "archive", here / "lake"), NOON)) == {}
    house.write(here / "archive", "T3", house.SOUND, TODAY + dt.timedelta(days=1))
    assert alarms(look(Watch(here / "archive", here / "lake"), NOON)) == {"dated_ahead": 1}
