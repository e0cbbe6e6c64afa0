"""`nightly` and `backfill` in words: why they exit 1, on any width of screen, and one sentence at the end."""

from __future__ import annotations

import datetime as dt
import json
import re
import subprocess
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import flows.demo
from analytics.lake.note import day_file
from analytics.lake.parts import part_file
from producers.recorder import Recorder
from producers.sinks.archive import ArchiveSink
from replayer.law.calendar import local_day
from schemas.bounds import FIRST_DAY, LAST_DAY, NUMBERS
from schemas.event import CardAt, Chips, Table, Wager
from schemas.identity import SHORT_KEY, WITHOUT_KEY, Pseudonyms
from tests import house
from tests.commands import Run
from tests.flows.property import Property, ends

DAY = "2009-06-01"
SENTENCE = f"{DAY}: 2 tables, all judged; the house overpaid 50.00 MOP in 1 payment."


@pytest.fixture
def nightly(inside: Run, tmp_path: Path) -> Run:
    def run(archive: Path, *more: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return inside("nightly", "--archive", archive, "--lake", tmp_path / "lake", "--day", DAY, *more, **variables)

    return run


def test_one_table_day_is_reported_in_the_singular(nightly: Run, sound: Property) -> None:
    assert f"{DAY}: 1 table-day replayed, 0 unchanged" in nightly(sound.archive).stderr


@pytest.mark.parametrize("width", ["80", "120", "200"])
def test_the_night_fits_the_screen_and_ends_with_one_sentence(nightly: Run, pit: Property, width: str) -> None:
    done = nightly(pit.archive, COLUMNS=width)
    assert done.returncode == 1
    *tables, last = done.stdout.splitlines()
    assert last == SENTENCE
    assert max(map(len, tables)) <= int(width)
    assert "OVERPAID" in done.stdout and "+50.00" in done.stdout
    assert "49.00" not in done.stdout


def test_no_two_columns_of_a_table_have_one_name(nightly: Run, pit: Property) -> None:
    heads = [re.split(r"\s*┃\s*", line.strip("┃ ")) for line in nightly(pit.archive).stdout.splitlines() if "┃" in line]
    assert heads and all(len(set(head)) == len(head) for head in heads)


def test_a_clean_night_says_so_plainly(nightly: Run, sound: Property) -> None:
    done = nightly(sound.archive)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == f"{DAY}: 1 table, judged; nothing found."
    assert json.loads(nightly(sound.archive, "--json").stdout)["sentence"] == f"{DAY}: 1 table, judged; nothing found."


def test_damaged_and_unsealed_tables_are_named_with_the_reason(nightly: Run, pit: Property) -> None:
    house.damage(pit.archive / DAY / "T1.avro")
    done = nightly(pit.archive)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == (
        f"{DAY}: 2 tables, 1 not judged; the house overpaid 50.00 MOP in 1 payment; 1 table damaged: T1."
    )
    [row] = [line for line in done.stdout.splitlines() if line.startswith("│ T1 ")]
    assert "damaged" in row and "T1.avro" in done.stdout.split("Tables that were not judged")[1]
    assert nightly(pit.archive, "--json").stderr.splitlines()[-1].endswith("1 table damaged: T1.")


def test_what_was_made_anew_is_in_the_sentence(nightly: Run, pit: Property) -> None:
    nightly(pit.archive)
    house.damage(part_file(pit.lake, "wagers", house.DAY, 0))  # it holds both tables
    assert nightly(pit.archive).stdout.splitlines()[-1] == f"{SENTENCE[:-1]}; verdicts of 2 tables made anew."


def test_a_days_note_that_was_made_anew_is_no_table(nightly: Run, pit: Property) -> None:
    nightly(pit.archive)
    house.damage(day_file(pit.lake, house.DAY))
    again = nightly(pit.archive)
    assert "what the lake held of the day as a whole was damaged" in again.stderr
    assert again.stdout.splitlines()[-1] == SENTENCE


def test_a_backfill_says_each_day_and_the_sum(inside: Run, pit: Property) -> None:
    house.write(pit.archive, "T1", house.WRONG, day=dt.date(2009, 6, 2), first_seq=26)
    ordered = ("backfill", *pit.both, "--from", DAY, "--to", "2009-06-02")
    done = inside(*ordered, COLUMNS="80")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-3:] == [
        SENTENCE,
        "2009-06-02: 2 tables, 1 not judged; the house overpaid 50.00 MOP in 1 payment; 1 table absent: T2.",
        "2009-06-01 to 2009-06-02: 2 gaming days, 4 table-days, 1 not judged; the house overpaid 100.00 MOP in 2 payments; "
        "1 table-day absent: T2 of 2009-06-02.",
    ]
    said = json.loads(inside(*ordered, "--json").stdout)
    assert [day["sentence"] for day in said["days"]] == done.stdout.splitlines()[-3:-1]
    assert said["sentence"] == done.stdout.splitlines()[-1]


# The ends of the calendar, and wagers that nobody could judge


FIRST, LAST = dt.date.min, dt.date.max
UNKNOWN = "1999-01-04"  # before the first text of Black Jack that is at hand


@pytest.mark.parametrize(
    "arguments",
    [
        ("--day", FIRST),
        ("--day", LAST),
        ("--day", "9999-12-29", "--days", "3"),
        ("--day", "9990-01-01", "--days", "10000"),
    ],
)
def test_simulate_says_that_the_calendar_does_not_hold_a_day(
    inside: Run, tmp_path: Path, arguments: tuple[object, ...]
) -> None:
    done = inside("simulate", "--archive", tmp_path / "a", "--tables", "1", "--rounds", "2", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "would not fit: they go from 0001-01-02 to 9999-12-30" in done.stderr and len(done.stderr.splitlines()) == 1


def test_simulate_plays_the_last_gaming_day_there_is(inside: Run, tmp_path: Path) -> None:
    day = ("--day", "9999-12-30")
    assert inside("simulate", "--archive", tmp_path / "a", "--tables", "1", "--rounds", "2", *day).returncode == 0
    assert inside("replay", tmp_path / "a", *day).returncode == 0


def record(archive: Path, table: str, day: dt.date, times: Any, player: str = "p7") -> None:
    """A round in which 100 was won and 150 paid, at the times given."""
    sink = ArchiveSink(archive)
    recorder = Recorder(sink, table)

    def write(kind: str, **bodies: Any) -> None:
        recorder.record(kind, at=next(times), gaming_day=day, **bodies)

    write("TableOpened", table=Table("black_jack", "MOP", seats=7), chips=Chips(500_00))
    write("WagerPlaced", round=1, wager=Wager("main", seat=1, stake_minor=100_00, player=player))
    write("WagersClosed", round=1)
    for seat, card in ((1, "9c"), (None, "6h"), (1, "Td"), (None, "Th"), (None, "Tc")):
        write("CardDealt", round=1, card=CardAt(seat=seat, card=card, face="up"))
    write("WagerSettled", round=1, wager=Wager("main", seat=1, stake_minor=100_00, net_minor=150_00, player=player))
    write("RoundClosed", round=1)
    write("TableClosed", chips=Chips(350_00))
    recorder.flush()
    recorder.seal(day)
    sink.close()


@pytest.mark.parametrize(
    ("day", "times"),
    [(FIRST_DAY, count(NUMBERS["at"][0], 10**6)), (LAST_DAY, count(NUMBERS["at"][1] - 60 * 10**6, 10**6))],
    ids=["first", "last"],
)
def test_day_at_an_end_of_the_calendar_is_replayed_explained_and_reported(
    inside: Run, empty: Property, day: dt.date, times: Any
) -> None:
    record(empty.archive, "T1", day, times)
    night = inside("nightly", *empty.both, "--day", day, "--json")
    said = json.loads(night.stdout)
    assert (night.returncode, said["replayed"], said["failed"]) == (1, ["T1"], {})
    assert inside("report", "--lake", empty.lake, "--day", day, "-o", empty.folder / "page.html").returncode == 0
    explained = inside("explain", empty.archive, "--table", "T1", "--round", "1")
    assert "internal error" not in explained.stderr and "Td to seat 1" in explained.stdout


def test_moment_beyond_the_calendar_is_on_its_first_or_last_day() -> None:
    assert (local_day(-(2**63)), local_day(2**63 - 1)) == (FIRST, LAST)


def test_wagers_that_nobody_could_judge_are_reported_on_the_last_line_and_are_not_clean(
    inside: Run, empty: Property
) -> None:
    day = dt.date.fromisoformat(UNKNOWN)
    record(empty.archive, "T1", day, count(915_400_000_000_000, 10**6))
    last = "judged but for 1 wager; 1 wager that nobody could judge, because: "
    replayed = inside("replay", empty.archive)
    assert replayed.returncode == 1
    assert last in replayed.stdout.splitlines()[-1]
    as_json = inside("replay", empty.archive, "--json")
    assert last in as_json.stderr.splitlines()[-1] and sum(json.loads(as_json.stdout)["unjudged"].values()) == 1
    night = inside("nightly", *empty.both, "--day", day)
    assert night.returncode == 1 and last in night.stdout.splitlines()[-1]
    days = inside("backfill", *empty.both, "--from", day, "--to", day, "--json")
    assert not json.loads(days.stdout)["clean"] and last in days.stderr.splitlines()[-1]
    page = inside("report", "--lake", empty.lake, "--day", day, "-o", empty.folder / "page.html")
    assert page.returncode == 0 and last in page.stdout.splitlines()[-1]
    assert inside("explain", empty.archive, "--table", "T1", "--round", "1").returncode == 1


def test_wagers_that_nobody_could_judge_are_in_the_currency_in_which_they_were_laid(
    inside: Run, tmp_path: Path
) -> None:
    """Opened for MOP, then for HKD: the one wager of 1,000 in HKD is judged by nobody."""
    won = "1.main=1000@p1 nomore 1+Th B+9d 1+9d 1.stand@p1 B+8s 1.main>+1000@p1 end"
    again = f"open:black_jack:HKD:7=50000 shuffle:1:hand:6 #2 {won} #- drop=0 close=49000"
    house.write(tmp_path / "archive", "T1", f"{house.SOUND} {again}")
    night = inside("nightly", "--archive", tmp_path / "archive", "--lake", tmp_path / "lake", "--day", house.DAY)
    [row] = [line for line in night.stdout.splitlines() if "+1,000.00" in line]
    assert " HKD " in row and " MOP " not in row


# Pseudonyms that anybody can work out


SAID = "pseudonyms without a key"
DAYS = ("--from", "2009-06-01", "--to", "2009-06-01")


def warnings(done: subprocess.CompletedProcess[str]) -> int:
    assert done.returncode in (0, 1), done.stderr
    assert SAID not in done.stdout
    return done.stderr.count(WITHOUT_KEY)


@pytest.mark.parametrize(("key", "times"), [("", 1), ("a secret of the house", 0)])
def test_every_command_that_writes_or_shows_pseudonyms_says_that_they_have_no_key(
    inside: Run, pit: Property, key: str, times: int
) -> None:
    page, secret = pit.folder / "report.html", {"PITAUDIT_PSEUDONYM_KEY": key}
    night = inside("nightly", *pit.both, "--day", "2009-06-01", "--json", **secret)
    assert warnings(night) == times
    json.loads(night.stdout)
    assert warnings(inside("backfill", *pit.both, *DAYS, **secret)) == times
    assert warnings(inside("replay", pit.archive, "--lake", pit.lake, **secret)) == times
    assert warnings(inside("explain", pit.archive, "--table", "T1", "--round", "1", **secret)) == times
    # What was written without a key stays without one, whatever is set for whoever reads it.
    assert warnings(inside("query", "overpayment_by_dealer_and_player", "--lake", pit.lake)) == times
    assert warnings(inside("report", "--lake", pit.lake, "--day", "2009-06-01", "-o", page)) == times
    assert (SAID in page.read_text(encoding="utf-8")) == bool(times)


def test_the_demo_says_so_of_its_lake_and_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PITAUDIT_PSEUDONYM_KEY", raising=False)
    monkeypatch.setattr(flows.demo, "ROUNDS", 5)
    assert ends("demo", "--dir", tmp_path / "demo") in (0, 1)
    said = capsys.readouterr()
    assert said.err.count(WITHOUT_KEY) == 1
    assert SAID not in said.out


def test_nothing_is_said_where_no_pseudonym_is_written_or_shown(inside: Run, pit: Property) -> None:
    assert warnings(inside("replay", pit.archive, PITAUDIT_PSEUDONYM_KEY="")) == 0
    shown = inside("explain", pit.archive, "--table", "T1", "--round", "1", "--identities", PITAUDIT_PSEUDONYM_KEY="")
    assert warnings(shown) == 0


def test_days_under_different_keys_are_reported_since_one_player_has_several_names_there(
    inside: Run, pit: Property
) -> None:
    of = "a player may have 2 names here"
    query = ("query", "overpayment_by_dealer_and_player", "--lake", pit.lake)
    for day, key, times in (("2009-06-01", "k" * 32, 0), ("2009-06-02", "l" * 32, 1)):
        assert of not in inside(*query).stderr
        inside("simulate", "--archive", pit.archive, "--day", day, "--tables", 1, "--rounds", 2, "--seed", 1)
        night = ("nightly", *pit.both, "--day", day)
        assert inside(*night, PITAUDIT_PSEUDONYM_KEY=key).stderr.count(of) == times, "by the night that begins with it"
    assert inside(*query).stderr.count(of) == 1
    assert of not in inside(*night, PITAUDIT_PSEUDONYM_KEY="k" * 32).stderr
    assert of not in inside(*query).stderr


@pytest.mark.parametrize(("key", "weakness"), [(b"k" * 15, SHORT_KEY), (b"k" * 16, ""), (b"", WITHOUT_KEY)])
def test_a_key_that_can_be_guessed_is_reported(key: bytes, weakness: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITAUDIT_PSEUDONYM_KEY", key.decode())
    assert Pseudonyms.from_environment().weakness == weakness


@pytest.mark.parametrize("key", [" ", "\t \n", "\u00a0", "a" * 64 + "\n"])
def test_a_key_with_blanks_at_its_ends_is_refused_and_writes_nothing(inside: Run, pit: Property, key: str) -> None:
    """Blanks alone keep no secret; a line's end, as a file has it, gave every player another name without a word."""
    secret = {"PITAUDIT_PSEUDONYM_KEY": key}
    for command in (
        ("nightly", *pit.both, "--day", "2009-06-01"),
        ("replay", pit.archive, "--lake", pit.lake),
        ("explain", pit.archive, "--table", "T1", "--round", "1"),
    ):
        done = inside(*command, **secret)
        assert done.returncode == 2 and done.stderr.count("PITAUDIT_PSEUDONYM_KEY begins or ends with a blank") == 1, (
            done.stderr
        )
    assert not [file for file in pit.lake.rglob("*") if file.suffix], "nothing but a lock"
