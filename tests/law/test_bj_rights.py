"""Black Jack: what is asked for without the right to it, under every version (X-6, and BJ-66 beside it).

The whole bet is what a bank with Black Jack takes (57/2009 art. 12(2)); half, one to one and the half for five cards are paid
only where the article that gives them does.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from replayer.contract.rules import Rules
from replayer.contract.wagers import WagerSituation as Wager
from replayer.law.black_jack import GAME
from replayer.law.black_jack.despacho_42_2007 import DSEF_42_2007
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from tests.law.notation import carried, letter_of, streak_due
from tests.law.outcomes import bank as bank_of
from tests.law.outcomes import seat as seat_of
from tests.law.rules import rules
from tests.law.seats import DEALT, due, judge

WHOLE = Fraction(-1)

VERSIONS = (
    (DCE_141_2000, "141/2000 art. 12", "141/2000 art. 8"),
    (DSEF_56_2004, "56/2004 art. 18(1)", "56/2004 art. 12(2)"),
    (DSEF_42_2007, "56/2004 art. 18(1)", "56/2004 art. 12(2)"),
    (DSEF_57_2009, "57/2009 art. 18(1)", "57/2009 art. 12(2)"),
)

"""Each with where it gives half, and where it has the bank with Black Jack take all."""


def codes(history: str, law: Rules | None = None) -> list[tuple[str, str]]:
    return [(breach.code, breach.article) for breach in judge(history, law).breaches]


@pytest.mark.parametrize("reading", ["as_it_stands", "half"])
@pytest.mark.parametrize(("regulation", "gives", "takes"), VERSIONS)
def test_art12_n2_black_jack_takes_the_whole_bet_of_a_surrender_against_an_ace(
    regulation: object, gives: str, takes: str, reading: str
) -> None:
    law = rules(regulation, {"X-6": reading})
    history = f"A +T +6 .surrender/{DEALT}"
    assert codes(history, law) == [("SURRENDER_REFUSED", gives)]
    with law.readings.consulted() as asked:
        taken = GAME.settlement.due(Wager("main", 0, seat_of("A 16:half_agreed"), bank_of("bj")), law)
    assert (taken.odds, taken.article) == (WHOLE, takes)
    assert due(history, "bj", law).odds == WHOLE
    assert "X-6" not in asked, "it is the whole bet by either reading"


def test_art18_n3_streaks_lost_by_a_surrender_cite_the_item_that_ends_them() -> None:
    """Not 13(5)(2)(ii), which speaks of a round lost."""
    lost = streak_due("streak_3", carried("WS"), rules(side_streak="on"))
    assert lost is not None
    assert (lost.odds, lost.article) == (WHOLE, "57/2009 art. 18(3)")
    beaten = streak_due("streak_3", carried("WL"), rules(side_streak="on"))
    assert beaten is not None
    assert (beaten.odds, beaten.article) == (WHOLE, "57/2009 art. 13(5)(2)(ii)")


@pytest.mark.parametrize(
    ("bank", "reading", "letter"),
    [("bj", "as_it_stands", "L"), ("bj", "half", "L"), ("19", "as_it_stands", "W"), ("19", "half", "S")],
)
def test_art18_n3_the_streak_of_a_surrender_without_right(bank: str, reading: str, letter: str) -> None:
    law = rules(readings={"X-6": reading})
    outcome = judge(f"A +T +T .surrender/{DEALT}", law).outcome
    assert letter_of(GAME.carried.result(outcome, bank_of(bank), law)) == letter
