"""Whoever writes or shows pseudonyms that anybody can work out is told so, once, and never on standard output."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import flows.demo
from flows.cli import main
from schemas.identity import SHORT_KEY, WITHOUT_KEY, Pseudonyms

Run = Callable[..., subprocess.CompletedProcess[str]]
SAID = "pseudonyms without a key"
DAYS = ("--from", "2009-06-01", "--to", "2009-06-01")


def warnings(done: subprocess.CompletedProcess[str]) -> int:
    assert done.returncode in (0, 1), done.stderr
    assert SAID not in done.stdout
    return done.stderr.count(WITHOUT_KEY)


@pytest.mark.parametrize(("key", "times"), [("", 1), ("a secret of the house", 0)])
def test_every_command_that_writes_or_shows_pseudonyms_says_that_they_have_no_key(
    pitaudit: Run, archive: Path, tmp_path: Path, key: str, times: int
) -> None:
    lake, page, secret = tmp_path / "lake", tmp_path / "report.html", {"PITAUDIT_PSEUDONYM_KEY": key}
    night = pitaudit("nightly", "--archive", archive, "--lake", lake, "--day", "2009-06-01", "--json", **secret)
    assert warnings(night) == times
    json.loads(night.stdout)
    assert warnings(pitaudit("backfill", "--archive", archive, "--lake", lake, *DAYS, **secret)) == times
    assert warnings(pitaudit("replay", archive, "--lake", lake, **secret)) == times
    assert warnings(pitaudit("explain", archive, "--table", "T1", "--round", "1", **secret)) == times
    # What was written without a key stays without one, whatever is set for whoever reads it.
    assert warnings(pitaudit("query", "overpayment_by_dealer_and_player", "--lake", lake)) == times
    assert warnings(pitaudit("report", "--lake", lake, "--day", "2009-06-01", "-o", page)) == times
    assert (SAID in page.read_text(encoding="utf-8")) == bool(times)


def test_the_demo_says_so_of_its_lake_and_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PITAUDIT_PSEUDONYM_KEY", raising=False)
    monkeypatch.setattr(flows.demo, "ROUNDS", 5)
    assert main(["demo", "--dir", str(tmp_path / "demo")]) in (0, 1)
    said = capsys.readouterr()
    assert said.err.count(WITHOUT_KEY) == 1
    assert SAID not in said.out


def test_nothing_is_said_where_no_pseudonym_is_written_or_shown(pitaudit: Run, archive: Path) -> None:
    assert warnings(pitaudit("replay", archive, PITAUDIT_PSEUDONYM_KEY="")) == 0
    shown = pitaudit("explain", archive, "--table", "T1", "--round", "1", "--identities", PITAUDIT_PSEUDONYM_KEY="")
    assert warnings(shown) == 0


def test_days_under_different_keys_are_told_since_one_player_has_several_names_there(
    pitaudit: Run, archive: Path, tmp_path: Path
) -> None:
    lake, of = tmp_path / "lake", "a player may have 2 names here"
    query = ("query", "overpayment_by_dealer_and_player", "--lake", lake)
    for day, key in (("2009-06-01", "k" * 32), ("2009-06-02", "l" * 32)):
        assert of not in pitaudit(*query).stderr
        pitaudit("simulate", "--archive", archive, "--day", day, "--tables", 1, "--rounds", 2, "--seed", 1)
        night = ("nightly", "--archive", archive, "--lake", lake, "--day", day)
        assert pitaudit(*night, PITAUDIT_PSEUDONYM_KEY=key).returncode in (0, 1)
    assert pitaudit(*query).stderr.count(of) == 1
    assert pitaudit(*night, PITAUDIT_PSEUDONYM_KEY="k" * 32).returncode in (0, 1)
    assert of not in pitaudit(*query).stderr


@pytest.mark.parametrize(("key", "weakness"), [(b"k" * 15, SHORT_KEY), (b"k" * 16, ""), (b"", WITHOUT_KEY)])
def test_a_key_that_can_be_guessed_is_told(key: bytes, weakness: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITAUDIT_PSEUDONYM_KEY", key.decode())
    assert Pseudonyms.from_environment().weakness == weakness


@pytest.mark.parametrize("blanks", [" ", "\t \n", "\u00a0"])
def test_a_key_of_blanks_is_no_secret_and_writes_nothing(
    pitaudit: Run, archive: Path, tmp_path: Path, blanks: str
) -> None:
    secret, lake = {"PITAUDIT_PSEUDONYM_KEY": blanks}, tmp_path / "lake"
    for command in (
        ("nightly", "--archive", archive, "--lake", lake, "--day", "2009-06-01"),
        ("replay", archive, "--lake", lake),
        ("explain", archive, "--table", "T1", "--round", "1"),
    ):
        done = pitaudit(*command, **secret)
        assert done.returncode == 2 and done.stderr.count("PITAUDIT_PSEUDONYM_KEY is made of blanks") == 1, done.stderr
    assert not [file for file in lake.rglob("*") if file.suffix], "nothing but a lock"
