"""A wager of nothing was never laid: cards go to seats with bets, and its seat is none of these (57/2009 art. 5(1);
78/2008 arts. 7, 11(1), 11(3))."""

from __future__ import annotations

import pytest

from tests.law.test_late_wagers import codes, dues, replay

FORTUNE = "1.ante=100 2.ante=0 nomore 1-Kc 1-9d 1-4h {} B-Qc B-8d B-3s 1.raise 1.raise=100 {} B^Qc B^8d B^3s end"
BLACK_JACK = "1.main=100 2.main=0 nomore 1+Kc {} B+6h 1+Qd {} 1.stand B+Tc B+5d end"


@pytest.mark.parametrize(("cards", "found"), [(("", ""), set()), (("2-Jc 2-7d 2-2h", "2.fold"), {"F3_HAND_NULL"})])
def test_78_2008_the_round_stands_whether_or_not_its_place_gets_cards(cards: tuple[str, str], found: set[str]) -> None:
    replayed = replay(FORTUNE.format(*cards), "fortune_3_card_poker", "2008-09-01")
    assert dues(replayed, "ante")[0] == (100_00, "78/2008 art. 9(8)(4)")
    assert codes(replayed) == {"STAKE_NOT_POSITIVE", *found}


@pytest.mark.parametrize(("cards", "found"), [(("", ""), set()), (("2+9h", "2+8s"), {"CARD_WITHOUT_BET"})])
def test_57_2009_its_seat_gets_no_cards(cards: tuple[str, str], found: set[str]) -> None:
    replayed = replay(BLACK_JACK.format(*cards), "black_jack", "2009-06-01")
    assert dues(replayed, "main")[0] == (-100_00, "57/2009 art. 9")
    assert codes(replayed) == {"STAKE_NOT_POSITIVE", *found}
