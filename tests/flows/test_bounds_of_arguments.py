"""A number or a text beyond every use is refused at once, in one line, wherever a person can write it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from flows.cli import main
from flows.cli.terminal import COULD_NOT_RUN
from flows.settings import SettingsRefused, load

HUGE = str(10**12)
LONG = "x" * 100_000
SHOWN = 5_000
"""Characters that one line may have on a terminal."""
SIMULATE = ("simulate", "--archive", "a")
ACKNOWLEDGE = ("acknowledge", "--lake", "l", "--table", "T1", "--day", "2026-01-05")


@pytest.mark.parametrize(
    "arguments",
    [
        *[(*SIMULATE, option, value) for option in ("--tables", "--rounds", "--days") for value in (HUGE, "0", "-1")],
        (*SIMULATE, "--tables", "100000", "--rounds", "1000000"),
        (*SIMULATE, "--seed", "9" * 400),
        *[("explain", "a", "--table", "T1", "--round", number) for number in ("3.7", "4.5", "0x3", "1e2", "three")],
        (*SIMULATE, "--tables", "1.5"),
        ("odds", "--regulation", "57/2009", "--decks", "1.5"),
        ("status", "--archive", "a", "--no-kafka", "--days", "1.5"),
        *[(*SIMULATE, "--faults", value) for value in ("nan", "inf", "-0.1", "1e400")],
        (*SIMULATE, "--workers", "1000000000"),
        ("replay", "a", "--workers", "1000000000"),
        ("nightly", "--archive", "a", "--lake", "l", "--workers", "1000000000"),
        ("backfill", "--archive", "a", "--lake", "l", "--from", "2026-01-05", "--to", "2026-01-05", "--workers", HUGE),
        ("rulings", "ledger", "a", "--workers", "1000000000"),
        ("whatif", "a", "--ruling", "X-2=down", "--workers", "1000000000"),
        *[("odds", "--regulation", "57/2009", "--decks", decks) for decks in ("99999", "16", "0", "-1", "9" * 5000)],
        ("odds", "--regulation", "57/2009", "--workers", "1000000000"),
        *[("topic", "create", "--kafka", "127.0.0.1:1", name, HUGE) for name in ("--partitions", "--replication")],
        ("topic", "check", "--kafka", "127.0.0.1:1", "--min-in-sync", HUGE),
        (*ACKNOWLEDGE, "--by", LONG, "--reason", "r"),
        (*ACKNOWLEDGE, "--by", "b", "--reason", LONG),
        ("explain", "a", "--table", "T1", "--round", "9" * 400),
        ("explain", "a", "--table", LONG, "--round", "1"),
        ("replay", "a", "--table", LONG),
        ("replay", LONG),
        ("query", LONG, "--lake", "l"),
        ("report", "--lake", "l", "--day", "2026-01-05", "-o", LONG),
        ("law", "diff", LONG, "57/2009"),
    ],
    ids=lambda arguments: " ".join(arguments)[:70],
)
def test_no_argument_beyond_use_is_taken(
    arguments: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    begun = time.process_time()
    assert main(arguments) == COULD_NOT_RUN
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and len(said.err) < SHOWN
    assert "internal error" not in said.err and "Traceback" not in said.err
    assert time.process_time() - begun < 20, "it was refused before anything was begun"
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("said", ["1000000000", "0", "-1", "true", "1.5", '"10000000000"'])
def test_no_number_of_workers_beyond_use_is_taken_from_the_settings(said: str, tmp_path: Path) -> None:
    file = tmp_path / "pitaudit.toml"
    file.write_text(f"workers = {said}\n")
    with pytest.raises(SettingsRefused, match=r"workers is .*; it is a number of processes from 1 to 256"):
        load(file, {})
    with pytest.raises(SettingsRefused, match="PITAUDIT_WORKERS"):
        load(None, {"PITAUDIT_WORKERS": "1000000000"})


@pytest.mark.parametrize("number", [10**20, -(10**20)])
def test_a_round_that_no_log_can_number_is_not_there(
    number: int, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", str(archive), "--table", "T1", f"--round={number}"]) == COULD_NOT_RUN
    assert f"has no round {number}; it has rounds 1 to" in capsys.readouterr().err
