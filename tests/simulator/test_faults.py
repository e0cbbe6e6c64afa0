"""Planted faults: an auditor finds each of them, where its label says, with the amount it says, and nothing else."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import analytics.reconciliation.reconcile  # noqa: F401  the codes of custody are declared there
import replayer.verdicts.replay  # noqa: F401  and those of log, settlement and law from here on
from producers.simulator import pit, simulate
from producers.simulator.faults import DROP_VARIANCE, FAULTS, INVENTORY_VARIANCE, PATTERN
from replayer.sources.archive import read_table_day
from replayer.sources.table_days import table_days
from replayer.verdicts.replay import Replayed
from schemas.finding import CODES
from tests.shares import few
from tests.simulator.judging import judged

DAY = dt.date(2009, 6, 1)
OF_DAY = {INVENTORY_VARIANCE, DROP_VARIANCE}
Faulty = tuple[Path, list[dict[str, Any]]]
ADVISORY = "LAW_TEXT_UNVERIFIED"


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Faulty:
    folder = tmp_path_factory.mktemp("faulty")
    simulate(folder / "archive", tables=12, rounds=300, seed="faulty", faults=0.2, labels_path=folder / "labels.jsonl")
    return folder / "archive", [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def judged_faulty(faulty: Faulty) -> dict[str, Replayed]:
    return judged(faulty[0])


def test_every_label_names_a_declared_code() -> None:
    assert {code for fault in FAULTS.values() for code in fault.findings} <= set(CODES)


def test_every_kind_of_fault_is_reached_and_labelled_as_declared(faulty: Faulty) -> None:
    _, labels = faulty
    assert {label["fault"] for label in labels} == set(FAULTS)
    for label in labels:
        assert label["finding"] in FAULTS[label["fault"]].findings


def test_what_is_found_is_what_was_planted(faulty: Faulty, judged_faulty: dict[str, Replayed]) -> None:
    held_against_labels(judged_faulty, faulty[1])


@pytest.mark.parametrize(
    "day", few([dt.date(2003, 5, 5), dt.date(2009, 2, 2), dt.date(2005, 5, 5), dt.date(2008, 6, 2)], 3)
)
def test_what_an_earlier_text_does_not_forbid_is_not_planted_under_it(day: dt.date, tmp_path: Path) -> None:
    simulate(tmp_path / "archive", day=day, tables=4, rounds=130, seed=9, faults=0.4, labels_path=tmp_path / "labels")
    labels = [json.loads(line) for line in (tmp_path / "labels").read_text().splitlines()]
    held_against_labels(judged(tmp_path / "archive"), labels)


def held_against_labels(made: dict[str, Replayed], labels: list[dict[str, Any]]) -> None:
    planted = Counter(
        (label["table_id"], label["round"], label["finding"], label["delta_minor"])
        for label in labels
        if label["finding"] not in OF_DAY
    )
    found: Counter[tuple[str, int, str, int]] = Counter()
    for table_id, replayed in made.items():
        for round_, code, delta in replayed.findings.select("round", "code", "delta_minor").iter_rows():
            if code != ADVISORY:
                found[(table_id, round_, code, delta or 0)] += 1
    assert found == planted


def test_money_labels_point_at_the_settlement_and_name_player_and_dealer(
    faulty: Faulty, judged_faulty: dict[str, Replayed]
) -> None:
    _, labels = faulty
    money = [label for label in labels if label["finding"] in ("OVERPAID", "UNDERPAID")]
    for label in money:
        row = judged_faulty[label["table_id"]].wagers.row(
            by_predicate=pl.col("settled_seq") == label["seq"], named=True
        )
        named = (row["round"], row["seat"], row["player"], row["dealer"], row["delta_minor"])
        assert named == tuple(label[key] for key in ("round", "seat", "player", "dealer", "delta_minor"))


def test_custody_variances_of_a_day_are_what_was_planted(faulty: Faulty) -> None:
    archive, labels = faulty
    planted = {(x["table_id"], x["finding"]): x["delta_minor"] for x in labels if x["finding"] in OF_DAY}
    assert {finding for _, finding in planted} == OF_DAY
    for ref in table_days(archive):
        frame = read_table_day(ref).events

        def total(kind: str, column: str = "chips_amount_minor", frame: pl.DataFrame = frame) -> int:
            return int(frame.filter(pl.col("kind") == kind)[column].sum() or 0)

        expected = total("TableOpened") + total("ChipsFilled") - total("ChipsCredited") - total("CashBoughtIn")
        expected -= total("WagerSettled", "wager_net_minor")
        assert total("TableClosed") - expected == planted.get((ref.table_id, INVENTORY_VARIANCE), 0)
        assert total("DropCounted") - total("CashBoughtIn") == planted.get((ref.table_id, DROP_VARIANCE), 0)


def test_a_round_has_one_fault_at_most(faulty: Faulty) -> None:
    _, labels = faulty
    per_round: dict[tuple[str, int], set[str]] = {}
    for label in labels:
        if label["round"] is not None:
            per_round.setdefault((label["table_id"], label["round"]), set()).add(label["fault_id"])
    assert all(len(faults) == 1 for faults in per_round.values())


def test_a_round_that_was_declared_void_has_ended(tmp_path: Path) -> None:
    fortune = [plan for plan in pit(6) if plan.game == "fortune_3_card_poker"]
    simulate(tmp_path / "archive", tables=fortune, rounds=250, seed=9, faults=1.0, labels_path=tmp_path / "labels")
    labels = [json.loads(line) for line in (tmp_path / "labels").read_text().splitlines()]
    void = {
        (ref.table_id, round_)
        for ref in table_days(tmp_path / "archive")
        for round_ in read_table_day(ref).events.filter(pl.col("kind") == "RoundVoided")["round"]
    }
    assert void
    held_against_labels(judged(tmp_path / "archive"), labels)
    assert not {(x["table_id"], x["round"]) for x in labels if x["finding"] == "ROUND_NOT_CLOSED"} & void


def test_a_favour_is_one_dealer_one_player_one_amount(faulty: Faulty) -> None:
    _, labels = faulty
    favours: dict[str, list[tuple[str, str, int]]] = {}
    for label in labels:
        if label["fault"] == PATTERN:
            whose = (label["dealer"], label["player"], label["delta_minor"])
            favours.setdefault(label["fault_id"], []).append(whose)
    assert any(len(times) == 5 for times in favours.values())
    assert all(len(times) <= 5 and len(set(times)) == 1 for times in favours.values())


def test_faults_come_at_the_rate_asked_for(tmp_path: Path) -> None:
    plain = simulate(tmp_path / "plain", tables=2, rounds=60, faults=0.0)
    assert plain.labels == 0
    assert not plain.faults
    some = simulate(tmp_path / "some", tables=pit(6), rounds=100, faults=0.2, seed=2)
    single = sum(count for fault, count in some.faults.items() if fault != PATTERN)
    assert 80 <= single <= 150  # 120 are due; repetitions of the favour come on top


def test_a_lost_event_does_not_count(tmp_path: Path) -> None:
    made = simulate(tmp_path, tables=pit(4), rounds=60, faults=0.3, seed=2)
    assert made.faults["event_lost"]
    assert made.events == sum(read_table_day(ref).events.height for ref in table_days(tmp_path))
