"""One table-day that breaks the contract, or that no reader takes, stops no command and changes no other table-day."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.encoder import varint
from schemas.kinds import KINDS
from schemas.notation import parse_events
from tests import house
from tests.odd import write_foreign

Run = Callable[..., subprocess.CompletedProcess[str]]


def unreadable(datums: list[bytes]) -> list[bytes]:
    """The datums, that of "no more bets" with a kind of -1: fastavro takes it for the last kind, polars-avro refuses it."""
    end = varint(KINDS.index("WagersClosed")) + bytes(8)
    return [datum.removesuffix(end) + varint(-1) + bytes(8) if datum.endswith(end) else datum for datum in datums]


@pytest.fixture
def spoiled(archive: Path) -> Path:
    """The two tables of the archive, one at which a total of -1 was called, and one that cannot be read."""
    called = house.closing(house.RIGHT.replace("1.raise@p1", "1=-1 1.raise@p1"), 200)
    write_foreign(archive, list(parse_events(called, table_id="CALLED", gaming_day=house.DAY)))
    whole = list(parse_events(house.SOUND, table_id="LOST", gaming_day=house.DAY))
    write_foreign(archive, whole, unreadable)
    return archive


def told(done: subprocess.CompletedProcess[str], code: int) -> dict[str, Any]:
    assert done.returncode == code, done.stderr
    assert "internal error" not in done.stderr
    assert "Traceback" not in done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_replay_finds_both_and_says_of_the_others_what_it_says_without_them(pitaudit: Run, spoiled: Path) -> None:
    said = told(pitaudit("replay", spoiled, "--json"), 1)
    assert [each["table_id"] for each in said["damaged"]] == ["LOST"]
    assert "LOST.avro" in said["damaged"][0]["what"]
    assert "kind: index -1" in said["damaged"][0]["what"]
    assert said["findings"] == {"CONTAINER_DAMAGED": 1, "OVERPAID": 1, "VALUE_OUT_OF_BOUNDS": 1}
    assert said["unjudged"] == {"events that this round hangs on break the contract": 2}
    assert said["discrepancies"]["overpaid"] == {"count": 1, "amount_minor": 50_00}


def test_ledger_and_whatif_say_what_is_damaged_and_settle_the_others(pitaudit: Run, spoiled: Path) -> None:
    ledger = told(pitaudit("rulings", "ledger", spoiled, "--json"), 1)
    other = told(pitaudit("whatif", spoiled, "--option", "ante_min=200", "--json"), 1)
    for said in (ledger, other):
        assert said["table_days"] == 4
        (damage,) = said["damaged"]
        assert "LOST.avro" in damage


def test_nightly_and_backfill_do_the_other_tables(pitaudit: Run, spoiled: Path, tmp_path: Path) -> None:
    lake, day = tmp_path / "lake", house.DAY.isoformat()
    night = told(pitaudit("nightly", "--archive", spoiled, "--lake", lake, "--day", day, "--json"), 1)
    assert night["replayed"] == ["CALLED", "T1", "T2"]
    assert list(night["damaged"]) == ["LOST"]
    folders = ("--archive", spoiled, "--lake", tmp_path / "other")
    (again,) = told(pitaudit("backfill", *folders, "--from", day, "--to", day, "--json"), 1)["days"]
    assert (again["replayed"], list(again["damaged"])) == (["CALLED", "T1", "T2"], ["LOST"])
    paid = pitaudit("query", "overpayment_by_dealer_and_player", "--lake", lake, "--param", "min_count=1", "--json")
    said = told(paid, 1)  # one table-day is left out, and told
    assert said["rows"]
    assert [left["table_id"] for left in said["left_out"]] == ["LOST"]


def test_explain_shows_the_finding_and_names_what_it_cannot_read(pitaudit: Run, spoiled: Path) -> None:
    said = told(pitaudit("explain", spoiled, "--table", "CALLED", "--round", "1", "--json"), 1)
    assert [(found["code"], found["seq"]) for found in said["findings"]] == [("VALUE_OUT_OF_BOUNDS", 12)]
    assert "decision.points is -1" in said["findings"][0]["message"]
    told(pitaudit("explain", spoiled, "--table", "T1", "--round", "1", "--json"), 0)
    lost = pitaudit("explain", spoiled, "--table", "LOST", "--round", "1", "--json")
    assert (lost.returncode, lost.stdout) == (2, "")
    assert "LOST.avro" in lost.stderr
    assert len(lost.stderr.splitlines()) == 1
