"""Wagers, and settlements, of which the log does not say whose they are, beside others of the seat that it names; and a streak in
a round of which it does not say how the player did, or whether he bet.

Whoever doubles, separates, insures or begins a streak does so on his own bet (57/2009 arts. 12(1), 13(5), 16(2), 17(1); 78/2008
arts. 6(2), 9(4)): where one player only bet on the seat, what lies there is his. Nobody is accused of what the log does not tell.
"""

from __future__ import annotations

import pytest

from replayer.verdicts.replay import Replayed
from tests.law.one_round import codes, replay

DOUBLED = "nomore 1+6h B+9d 1+5d 1.double 1.double=100{} 1+Tc B+8h"
SPLIT = "nomore 1+8h B+9d 1+8d 1.split 1b.split=100{} 1+Tc 1.stand 1b+Td 1b.stand B+8h"
OPTIONS = {"side_streak": "on", "side_perfect_pair": "on"}


def black_jack(text: str) -> Replayed:
    return replay(text, "black_jack", "2009-06-01", **OPTIONS)


@pytest.mark.parametrize(("text", "laid"), [(DOUBLED, "1.double"), (SPLIT, "1b.split")])
def test_a_bet_that_names_nobody_is_that_of_the_only_player_who_doubled_or_separated(text: str, laid: str) -> None:
    replayed = black_jack(f"1.main=100 {text.format('@p1')} 1.main>+100 {laid}>+100@p1 end")
    assert (codes(replayed), set(replayed.wagers["player"])) == (set(), {"p1"})


def test_a_double_that_names_nobody_is_nobodys_where_two_players_bet() -> None:
    replayed = black_jack(f"1.main=100@p1/0 1.main=100@p2/1 {DOUBLED.format('')} 1.main>+100@p1 1.main>+100@p2 end")
    assert replayed.wagers.filter(replayed.wagers["wager"] == "double")["player"].to_list() == [None]
