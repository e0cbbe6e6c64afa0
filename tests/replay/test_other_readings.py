"""Judges under other readings of the same rules: they ask again only what rests on a ruling that is read otherwise."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from replayer.contract.rules import AnyRules, Rules
from replayer.engine import evaluator
from replayer.engine.evaluator import Memoised
from replayer.engine.replay_settings import ReplaySettings
from replayer.engine.ruled import Ruled
from replayer.law.rulings import readings_by, register
from replayer.log.columns import TableDay
from replayer.verdicts.replay import replay_table_days
from tests.law.one_round import codes, replay

DEFAULT = ReplaySettings()


pytestmark = pytest.mark.usefixtures("forget")


def digests(pit: list[TableDay], settings: ReplaySettings) -> list[str]:
    return [day.digest for day in replay_table_days(pit, settings)]


def test_who_judged_under_other_readings_before_says_the_same(pit: list[TableDay], forget: Callable[[], None]) -> None:
    usual = digests(pit, DEFAULT)
    others = [ReplaySettings(preset="pt"), ReplaySettings(preset="zh")]
    every = {ruling.id: ruling.readings[-1] for ruling in register().values()}
    others += [ReplaySettings(readings=every)]
    again = [digests(pit, settings) for settings in others]
    for settings, found in zip(others, again, strict=True):
        forget()
        assert digests(pit, settings) == found
    assert all(one != other for one, other in zip(again[-1], usual, strict=True))


def test_only_what_rests_on_a_ruling_is_followed_again_under_its_other_reading(pit: list[TableDay]) -> None:
    digests(pit, DEFAULT)
    filled = sum(each.size for each in evaluator._AUTOMATA.values())
    usual = set(evaluator._AUTOMATA)
    digests(pit, DEFAULT.with_readings({"BJ-36": "sevens_only"}))  # of a version that is not in force
    assert sum(evaluator._AUTOMATA[key].size for key in evaluator._AUTOMATA.keys() - usual) == 0
    digests(pit, DEFAULT.with_readings({"BJ-1": "stand"}))
    assert 0 < sum(evaluator._AUTOMATA[key].size for key in evaluator._AUTOMATA.keys() - usual) < filled / 4


def test_a_situation_that_asks_for_no_ruling_is_asked_of_the_game_once() -> None:
    asked: list[int] = []

    def law(situation: int, rules: AnyRules) -> str:
        asked.append(situation)
        return rules.readings("BJ-4") if situation else "clear"

    one, other = (Rules(None, None, readings) for readings in (readings_by(), readings_by({"BJ-4": "yes"})))
    first = Memoised(law, one)
    second = Memoised(law, other, first)
    assert [second(0), second(1)] == [Ruled("clear"), Ruled("yes", ("BJ-4",))]
    assert [first(0), first(1)] == [Ruled("clear"), Ruled("no", ("BJ-4",))]
    assert asked == [0, 1, 1]


def test_art16_n6_whether_the_bank_has_to_show_is_asked_again_where_bets_on_hands_over_21_may_come_back() -> None:
    """No money of the seat's hangs on the ruling (BJ-12), so that it is not named; what the bank has to do does."""
    both_bust = (
        "1.main=100@p1 nomore 1+8c B+Td 1+8d 1.split@p1 1b.split=100@p1 1+Ts 1b+9s 1.hit 1+Kd 1b.hit 1b+Qd"
        " 1.main>-100@p1 1b.split>-100@p1 end"
    )

    def found(**readings: str) -> set[str]:
        return codes(replay(both_bust, "black_jack", "2009-06-01", readings))

    assert found() == set()
    assert found(**{"BJ-12": "total_initial"}) == {"BANK_DID_NOT_DRAW"}
    assert found() == set()
