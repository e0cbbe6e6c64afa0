"""The machine of a streak wager: all that it can come to is enumerated and counted, and reaches every code that it can give."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest

from replayer.contract.machine import Violations
from replayer.contract.rules import MARKERS
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.streak import AdditionalWagersAndStreaks, End, Streak
from tests.law.notation import carried
from tests.law.reachable import Reached, reached
from tests.law.rules import rules

ROUNDS = carried("WLHSTAVC?Ewlhst")
LAW = DSEF_57_2009.additional_wagers
assert isinstance(LAW, AdditionalWagersAndStreaks)


def of_the_streak(needed: int, law: Rules) -> Reached:
    def after(streak: Streak) -> Iterator[tuple[Streak, Violations]]:
        return (streak.step(each, law) for each in ROUNDS)

    return reached([Streak(needed)], after)


@pytest.mark.parametrize("needed", [2, 3, 4, 5])
@pytest.mark.parametrize("wins_of", ["player_box", "player"])
def test_all_that_a_streak_can_come_to(needed: int, wins_of: str) -> None:
    """So many states that it lives on in, as many in which it was lost in each of three ways, and won, abandoned, returned, not
    told; where the player's wins count wherever he bets, the log may not tell where that was. Of a running one the letters lead
    to itself, to one round more, and to each of these ends; an ended one stays what it is."""
    law = rules(readings={"BJ-46": wins_of}, side_streak="on")
    gone = 3 if wins_of == "player_box" else 4  # abandoned, returned, not told, not followed
    running, ended = needed, 1 + 3 * needed + gone
    ways = 1 + 1 + 3 + gone  # it stays, one more is won, it is lost, it is gone
    assert of_the_streak(needed, law) == (running + ended, ways * running + ended, {"STREAK_ABANDONED"})


def test_what_is_of_no_matter_any_more_is_not_kept() -> None:
    """After one round won or two, a streak that its player left is one and the same."""
    once, twice = Streak(4, 1), Streak(4, 2)
    law = rules(side_streak="on")
    no_bet, void, tie = carried("AVT")
    assert once.step(no_bet, law)[0] == twice.step(no_bet, law)[0] == Streak(4, 0, End.ABANDONED)
    assert once.step(tie, law)[0] == once.step(void, law)[0] == once


def test_all_that_can_be_wrong_with_the_button() -> None:
    """Whatever streaks live on (none of more than four rounds won), whatever the button shows: it is wrong where it shows no
    next round of any, and where a round was won and it did not move. 31 sets of streaks, two results, seven positions."""
    law, codes = rules(recorded=[MARKERS]), dict[str, int]()
    for next_wins in (set(some) for size in range(1, 6) for some in combinations(range(1, 6), size)):
        for just_won in (True, False):
            for moved in ([], *([shows] for shows in range(1, 7))):
                found = LAW.judge_button(next_wins, moved, law, just_won=just_won).breaches
                wrong = not next_wins.issuperset(moved) if moved else just_won
                assert len(found) == wrong
                for each in found:
                    codes[each.code] = codes.get(each.code, 0) + 1
    assert codes == {"BUTTON_NOT_MOVED": 31, "BUTTON_MISPLACED": 2 * (31 * 6 - 80)}
