"""Black Jack: what holds of many histories of a seat (57/2009 arts. 6, 16, 17); single ones are in ``cases/play.txt``."""

from __future__ import annotations

import pytest

from replayer.law.black_jack import GAME
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.law.black_jack.regulation import BlackJack
from tests.law.rules import rules
from tests.law.seats import codes, judge
from tests.law.states import open_to


def test_what_is_allowed_is_no_breach_and_what_is_not_is_one() -> None:
    plays = {
        "hit": ".hit +2",
        "double": ".double $double +2",
        "split": ".split b$split +2 b+2",
        "surrender": ".surrender/3",
    }
    law = rules()
    for upcard in "ATx":
        for first in "A23456789T":
            for second in "A23456789T":
                history = f"{upcard} +{first} +{second}"
                open_ = open_to(GAME, history, 0, law)
                for action, words in plays.items():
                    assert bool(codes(f"{history} {words}", law)) is (action not in open_), (history, action)


@pytest.mark.parametrize("regulation", [DCE_141_2000, DSEF_57_2009], ids=["2000", "2009"])
@pytest.mark.parametrize("reading", ["yes", "no"])
def test_art16_chips_that_come_before_the_decision_separate_the_pair_that_it_separates(
    regulation: BlackJack, reading: str
) -> None:
    """BJ-59: a king and a queen, where they are one; of two pairs the one that was not stood on."""
    law = rules(regulation, {regulation.splitting.pair_ruling: reading})
    for cards in ("+8 +8", "+K +Q"):
        turns = "+5 .stand b+5 b.stand"
        chips, decision = (judge(f"6 $main {cards} {recorded} {turns}", law) for recorded in CHIPS_OR_WORD_FIRST)
        expected = cards == "+8 +8" or reading == "yes"
        assert (not chips.breaches) is (not decision.breaches) is expected
        if expected:
            assert chips.outcome == decision.outcome
    again = "6 $main +8 +8 .split b$split +8 .stand b+8 {} b+5 b.stand c+6 c.stand"
    chips, decision = (judge(again.format(recorded), law) for recorded in ("c$split b.split", "b.split c$split"))
    assert chips.outcome == decision.outcome


CHIPS_OR_WORD_FIRST = ("b$split .split", ".split b$split")


@pytest.mark.parametrize("held", ["+9 +8", "-9 -8", "+5 +6 .hit +2"])
def test_art16_n1_of_what_is_no_pair_chips_before_the_decision_separate_what_it_does(held: str) -> None:
    chips, decision = (
        judge(f"6 $main {held} {recorded} +5 .stand b+T b+9 b.stand") for recorded in CHIPS_OR_WORD_FIRST
    )
    assert [breach.code for breach in chips.breaches] == [breach.code for breach in decision.breaches]
    assert "SPLIT_NO_PAIR" in {breach.code for breach in chips.breaches}
    assert (chips.outcome, chips.unjudged) == (decision.outcome, decision.unjudged)
