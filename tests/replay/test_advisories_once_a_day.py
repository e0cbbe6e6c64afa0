"""An advisory that stands on many amounts is one finding a table-day, with count and money; each of them can be asked for."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

import pytest

from analytics.reconciliation.reconcile import reconcile
from flows.runs import run_nightly
from replayer.explanation import explain_round
from replayer.verdicts.finding_frames import findings_frame, one_per_code
from replayer.verdicts.replay import Replayed
from replayer.verdicts.replay_totals import Summary, outcome_of
from schemas.finding import Finding
from schemas.notation import parse_events
from tests.analytics.made import run as run_query
from tests.archives import record
from tests.texts import opened, replay_text, table_day_of

CODE = "LAW_TEXT_UNVERIFIED"
DAY = dt.date(2008, 6, 2)
ROUND = """#{n} 1.main={stake}@p1 nomore 1+8h B+Ad 1+8d 1.split 1b.split={stake}@p1 1+2c 1.stand 1b+3c 1b.stand B+Kd
1.main>-{stake}@p1 1b.split>0@p1 end"""
STAKES = (100, 250, 50)


def table_day(stakes: tuple[int, ...] = STAKES) -> str:
    """One split against Black Jack a round: 56/2004 art. 16 as 42/2007 left it spares the split, by a text not at hand."""
    rounds = "\n".join(ROUND.format(n=number, stake=stake) for number, stake in enumerate(stakes, 1))
    return f"{opened(burned=6)}\n{rounds}\n#- dealer-D1 drop=0 close={50000 + sum(stakes)}"


def replayed(stakes: tuple[int, ...] = STAKES) -> Replayed:
    return replay_text(table_day(stakes), DAY)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    for table in ("T1", "T2"):
        record(tmp_path / "archive", parse_events(table_day(), table_id=table, gaming_day=DAY))
    run_nightly(tmp_path / "archive", tmp_path / "lake", DAY)
    return tmp_path / "lake"


def test_advisories_of_a_table_day_are_one_finding_with_their_number_and_stakes() -> None:
    made = replayed()
    [shown] = made.findings.filter(code=CODE).rows(named=True)
    assert (shown["times"], shown["stake_minor"], shown["delta_minor"]) == (3, 400_00, None)
    assert (shown["round"], shown["seat"]) == (1, 1)
    assert shown["message"].startswith("3 times, on stakes of 400; first: ")
    assert made.advisories.select("round", "stake_minor").rows() == [(1, 100_00), (2, 250_00), (3, 50_00)]


def test_stakes_of_advisories_in_two_currencies_are_not_added_up() -> None:
    outcomes = [outcome_of(replayed(stakes)) for stakes in (STAKES, (100,))]
    assert Summary(outcomes).advisories()[CODE] == {"count": 4, "stake_minor": 500_00, "currency": "MOP"}
    summary = Summary([outcomes[0], replace(outcomes[1], currency="HKD")])
    assert summary.advisories()[CODE] == {
        "count": 4,
        "stake_minor": None,
        "currency": None,
        "by_currency": {"HKD": 100_00, "MOP": 400_00},
    }


def test_one_advisory_is_shown_as_it_is() -> None:
    made = replayed((100,))
    [shown], [single] = made.findings.filter(code=CODE).rows(named=True), made.advisories.rows(named=True)
    assert shown == single and shown["times"] == 1 and "times" not in shown["message"]


def test_no_finding_above_an_advisory_is_merged_with_another() -> None:
    made = replayed()
    assert set(made.advisories["severity"]) == {"advisory"}
    assert made.findings.filter(severity="advisory").height == made.advisories["code"].n_unique()
    assert all(row["times"] == 1 for row in made.findings.rows(named=True) if row["severity"] != "advisory")


def test_no_stake_is_said_to_rest_on_a_breach() -> None:
    made = replay_text(table_day((100,)).replace("1.main=100@p1 nomore", "nomore 1.main=100@p1"), DAY)
    stakes = dict(made.findings.select("code", "stake_minor").iter_rows())
    assert (stakes["WAGER_AFTER_CLOSE"], stakes[CODE]) == (None, 100_00)


def test_which_amounts_rest_on_a_text_changes_the_digest() -> None:
    assert len({replayed(stakes).digest for stakes in ((100, 250), (250, 100), (100, 250, 50))}) == 3


def test_the_day_counts_one_a_table_and_its_rows_can_be_asked_for(lake: Path) -> None:
    [found] = [each for each in reconcile(lake, DAY).findings if each.code == CODE]
    assert (found.count, found.times, found.stake_minor, found.delta_minor) == (2, 6, 800_00, None)
    rows = run_query("advisories", lake, {"code": CODE, "table": "T2"}).rows(named=True)
    assert [(row["table_id"], row["round"], row["wager"], row["stake_minor"]) for row in rows] == [
        ("T2", 1, "split", 100_00), ("T2", 2, "split", 250_00), ("T2", 3, "split", 50_00),
    ]  # fmt: skip


def test_a_round_that_is_not_the_first_is_explained_with_its_advisory() -> None:
    codes = [finding.code for finding in explain_round(table_day_of(table_day(), DAY), 3).findings]
    assert codes.count(CODE) == 1


def test_sums_of_stakes_beyond_64_bits_stand_in_the_message_and_break_nothing() -> None:
    found = [Finding(CODE, "T1", DAY, seq, stake_minor=10**18) for seq in range(1, 11)]
    shown, advisories = one_per_code(findings_frame(found))
    assert shown.select("times", "stake_minor").rows() == [(10, None)] and advisories.height == 10
    assert shown["message"][0].startswith("10 times, on stakes of 100000000000000000")
