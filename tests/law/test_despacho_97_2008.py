"""Fortune 3 Card Poker with art. 9 as 97/2008 rewrote it, clause by clause."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction

import pytest

from replayer.law.fortune_3_card_poker import GAME
from replayer.law.fortune_3_card_poker.despacho_78_2008 import DSEF_78_2008
from replayer.law.fortune_3_card_poker.despacho_97_2008 import DSEF_97_2008
from replayer.rules import Rules
from replayer.wagers import Due, WagerSituation
from tests.law.one_round import replay
from tests.law.outcomes import croupier as croupier_of
from tests.law.outcomes import hand as hand_of
from tests.law.rules import rules

BOTH_BETS = "? $ante $pair_plus -9c -9d -2h"


def settle(kind: str, seat: str, bank: str, under: Rules | None = None) -> Due:
    return GAME.settlement.due(WagerSituation(kind, 0, hand_of(seat), croupier_of(bank)), under or rules(DSEF_97_2008))


def odds(kind: str, seat: str, bank: str, under: Rules | None = None) -> Fraction | None:
    return settle(kind, seat, bank, under).odds


def test_only_art9_is_amended() -> None:
    for field in fields(DSEF_78_2008):
        same = getattr(DSEF_78_2008, field.name) is getattr(DSEF_97_2008, field.name)
        assert same == (field.name != "art9")
    assert DSEF_97_2008.art9.cite(6) == "78/2008 art. 9(6) (97/2008)"


@pytest.mark.parametrize(
    ("reading", "ante", "pair_plus"), [("forfeit_both", -100, -50), ("no_fold", 100, 50), ("forfeit_ante", -100, 50)]
)
def test_f3_8b_what_a_pair_of_nines_is_due_to_who_says_nothing(reading: str, ante: int, pair_plus: int) -> None:
    deal = "1.ante=100 1.pair_plus=50 nomore 1-9c 1-9d 1-2h B-Qs B-8d B-5s B^Qs B^8d B^5s"
    text = f"{deal} 1.ante>0 1.pair_plus>0 end"
    told = replay(text, "fortune_3_card_poker", "2009-01-05", {"F3-8b": reading}).wagers
    due = dict(told.select("wager", "due_minor").iter_rows())
    assert due == {"ante": ante * 100, "pair_plus": pair_plus * 100}


@pytest.mark.parametrize(
    ("began", "reading", "ante", "raised", "pair_plus"),
    [
        ("15:59:59", "round_start", 400, 400, 50),  # the last second of 15 December in Macau: 78/2008 art. 9(8)(2)
        ("15:59:59", "settlement", 500, 100, -50),
        (
            "16:00:00",
            "round_start",
            500,
            100,
            -50,
        ),  # art. 9(6) with the bonus of F3-7; art. 9(2): a fold forfeits both bets
    ],
)
def test_x_1_it_is_in_force_from_midnight_in_macau(
    began: str, reading: str, ante: int, raised: int, pair_plus: int
) -> None:
    cards = "nomore 1-4c 1-4d 1-4h 2-9c 2-9d 2-2h B-Qs B-8d B-5s 2.fold 1.raise 1.raise=100 B^Qs B^8d B^5s"
    paid = "1.ante>0 1.raise>0 2.ante>0 2.pair_plus>0 end"
    text = f"@{began} 1.ante=100 2.ante=100 2.pair_plus=50 {cards} {paid}"
    replayed = replay(text, "fortune_3_card_poker", "2008-12-15", {"X-1": reading})
    due = [amount * 100 for amount in (ante, -100, pair_plus, raised)]
    assert replayed.wagers.sort("placed_seq")["due_minor"].to_list() == due
