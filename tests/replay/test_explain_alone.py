"""An explanation judges one round and those on which it hangs: it tells what the whole table-day tells of that round."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from dataclasses import replace

import polars as pl
import pytest

from producers.simulator import simulate
from producers.simulator.plan import pit
from replayer.engine.history_rows import EVERY_ROUND
from replayer.engine.reconstruct import Reconstruction, reconstruct, rounds_behind
from replayer.engine.replay_settings import ReplaySettings
from replayer.explanation import explain_round
from replayer.integrity.inspection import inspect_all
from replayer.log.columns import TableDay, columns_of
from replayer.sources.archive import read_table_day
from replayer.sources.table_days import table_days
from replayer.verdicts.finding_frames import in_order
from replayer.verdicts.replay import replay_table_days
from schemas.finding import Severity
from tests.odd import odd_table_day
from tests.shares import few
from tests.texts import CLOSED, opened, table_day_of

DAY = dt.date(2009, 6, 1)
SETTINGS = ReplaySettings()


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[TableDay]:
    """Faulty table-days of both games, with streaks at some of the tables."""
    folder = tmp_path_factory.mktemp("faulty")
    plans = [plan for plan in pit(12) if plan.table_id in ("BJ-01", "F3-01") or "side_streak" in plan.options]
    simulate(archive=folder, tables=plans, rounds=8, seed=3, faults=0.6)
    return [read_table_day(ref) for ref in table_days(folder)]


def explained_by_the_whole(day: TableDay, patch: pytest.MonkeyPatch) -> dict[int, str]:
    """The explanation of each round where every round of the table-day is judged."""
    (replayed,) = replay_table_days([day], SETTINGS)
    (log,) = inspect_all([day])
    counted = replayed.findings.filter(pl.col("severity") != Severity.ADVISORY)
    found = in_order(pl.concat([counted, replayed.advisories]))

    def judged(_: TableDay, number: int, __: ReplaySettings) -> tuple[pl.DataFrame, pl.DataFrame, Reconstruction]:
        return replayed.wagers, found, reconstruct([log], log.opened.game, SETTINGS, shown=number)

    with patch.context() as whole:
        whole.setattr("replayer.explanation.replay_round", judged)
        whole.setattr("replayer.engine.reconstruct.rounds_behind", lambda *_: EVERY_ROUND)
        return {
            number: explained(day, number) for number in reconstruct([log], log.opened.game, SETTINGS).rounds.to_list()
        }


def explained(day: TableDay, number: int) -> str:
    explanation = explain_round(day, number, SETTINGS, named=str)
    return json.dumps(explanation.to_dict()) + explanation.text()


def test_every_round_is_explained_as_where_the_whole_table_day_is_judged(
    days: list[TableDay], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: Counter[str] = Counter()
    for day in days:
        for number, whole in explained_by_the_whole(day, monkeypatch).items():
            alone = explained(day, number)
            assert alone == whole, (day.table_id, number)
            seen.update(word for word in ("streak_", "OVERPAID", "void", "fortune", '"code"') if word in alone)
    assert min(seen[word] for word in ("streak_", "OVERPAID", "void", "fortune", '"code"')) > 0


@pytest.mark.parametrize("seed", few((3, 0), 1))
def test_every_round_of_an_odd_log_is_explained_as_where_the_whole_table_day_is_judged(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = TableDay("T1", DAY, columns_of(odd_table_day(seed)))
    for number, whole in explained_by_the_whole(day, monkeypatch).items():
        assert explained(day, number) == whole, number


STREAK = f"""{opened("option:side_streak=on:DICJ-1:2009-05-04:2009-05-20:2009-06-01")}
#1 1.main=100@P1 nomore !-?? 1+Kc B+6h 1+Qd 1.stand@P1 B+Tc B+Kd 1.main>+100@P1 end
#2 1.main=100@P1 1.streak_2=100@P1 nomore 1+Kc B+6h 1+Qd 1.stand@P1 B+Tc B+Kd 1.main>+100@P1 end
#3 1.main=100@P1 nomore 1+Kc B+6h 1+Qd 1.stand@P1 B+Tc B+Kd 1.main>+100@P1 end
{CLOSED}"""


def test_a_round_depends_on_no_other_where_no_wager_is_carried_into_it() -> None:
    (log,) = inspect_all([table_day_of(STREAK, DAY)])
    made = reconstruct([log], log.opened.game, SETTINGS)
    assert made.game is not None
    assert rounds_behind(1, log.events, made.game) == (1, 1)
    assert [rounds_behind(number, log.events, made.game)[0] for number in (2, 3)] == [2, 2]


def test_a_round_of_a_day_sealed_in_parts_is_explained_with_what_a_later_part_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every round of the day was judged anew for it, in each of its states."""
    rounds = STREAK.replace("1.streak_2=100@P1 ", "")
    day = table_day_of(rounds, DAY)
    cut = day.events["kind"].to_list().index("DecisionTaken") + 1
    in_parts = replace(day, parts=(cut, day.events.height - cut))
    said = explained_by_the_whole(in_parts, monkeypatch)
    assert ["answered by part 1" in said[number] for number in (1, 2, 3)] == [True, False, False]
    assert {number: explained(in_parts, number) for number in said} == said


def test_no_other_round_is_judged_where_none_is_hung_on() -> None:
    """That a round is explained quickly rests on it."""
    (log,) = inspect_all([table_day_of(STREAK, DAY)])
    made = reconstruct([log], log.opened.game, SETTINGS, shown=1)
    assert made.wagers["ri"].unique().to_list() == [0]
    assert made.rounds.to_list() == [1, 2, 3]


def test_only_the_round_shown_keeps_the_steps_of_its_judgements() -> None:
    """A round that it hangs on is judged by the tables, which have none."""
    (log,) = inspect_all([table_day_of(STREAK, DAY)])
    made = reconstruct([log], log.opened.game, SETTINGS, shown=2)
    assert made.judged is not None
    seats, banks = made.judged.judgements.seats, made.judged.judgements.banks
    shown, later = (seats.at(0).value, banks.at(1).value), (seats.at(1).value, banks.at(2).value)
    assert all(judgement.steps for judgement in shown)
    assert not any(judgement.steps for judgement in later)
    assert [judgement.outcome for judgement in later] == [judgement.outcome for judgement in shown]
