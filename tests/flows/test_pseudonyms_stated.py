"""Whoever writes or shows pseudonyms that anybody can work out is told so, once, and never on standard output."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import flows.demo
from flows.cli import main
from schemas.identity import WITHOUT_KEY

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
