"""A wager of nothing was never laid: cards go to seats with bets, and its seat is none of these (57/2009 art. 5(1);
78/2008 arts. 7, 11(1), 11(3))."""

from __future__ import annotations

import pytest

from tests.law.one_round import codes, dues, replay

FORTUNE = "1.ante=100 2.ante=0 nomore 1-Kc 1-9d 1-4h {} B-Qc B-8d B-3s 1.raise 1.raise=100 {} B^Qc B^8d B^3s end"
BLACK_JACK = "1.main=100 2.main=0 nomore 1+Kc {} B+6h 1+Qd {} 1.stand B+Tc B+5d end"


@pytest.mark.parametrize(
    ("cards", "found"),
    [
        (("", ""), set()),
        (("2-Jc 2-7d 2-2h", "2.fold"), {"F3_HAND_NULL"}),
        (("2-Jc 2-7d 2-2h", ""), {"F3_HAND_NULL"}),
        (("2-Jc 2-Jd 2-Jh", "2.raise 2.raise=50"), {"F3_HAND_NULL", "F3_RAISE_AMOUNT"}),
    ],
)
def test_78_2008_the_round_stands_whether_or_not_its_place_gets_cards(cards: tuple[str, str], found: set[str]) -> None:
    replayed = replay(FORTUNE.format(*cards), "fortune_3_card_poker", "2008-09-01")
    assert dues(replayed, "ante")[0] == (100_00, "78/2008 art. 9(8)(4)")
    assert codes(replayed) == {"STAKE_NOT_POSITIVE", *found}
    assert replayed.wagers.filter(replayed.wagers["seat"] == 2)["due_minor"].sum() == 0


@pytest.mark.parametrize(
    ("bets", "play", "found", "owed"),
    [
        ("1.ante=0 1.pair_plus=50", "", set(), (0, 50)),  # art. 5(2): Pair Plus alone, no decision is asked
        ("1.ante=0 1.pair_plus=50", "1.fold", {"F3_DECISION_FORBIDDEN"}, (0, 50)),  # no fold with both bets
        ("1.ante=0 1.pair_plus=50", "1.raise 1.raise=50", {"F3_DECISION_FORBIDDEN", "F3_RAISE_AMOUNT"}, (0, 50, 0)),
        ("1.ante=100 1.pair_plus=0", "1.fold", set(), (-100, 0)),  # an ante alone may fold
        ("1.ante=100", "1.raise 1.raise=0", {"F3_RAISE_MISSING"}, (100, 0)),
        ("1.ante=100", "1.raise=0", {"F3_DECISION_MISSING"}, (-100, 0)),
        ("1.ante=100@p1 2.ante=0@p1", "1.raise 1.raise=100@p1", set(), (100, 0, 100)),  # art. 6(2): one place
        ("2.ante=0@p1 1.ante=100@p1", "1.raise 1.raise=100@p1", set(), (0, 100, 100)),
        ("1.ante=100@p1/0 1.ante=0@p2/1", "1.raise 1.raise=100@p1/0", set(), (100, 0, 100)),
    ],
)
def test_97_2008_it_is_neither_an_ante_nor_pair_plus_nor_a_raise(
    bets: str, play: str, found: set[str], owed: tuple[int, ...]
) -> None:
    text = f"{bets} nomore 1-Kc 1-Kd 1-4h B-Qc B-8d B-3s {play} B^Qc B^8d B^3s end"
    replayed = replay(text, "fortune_3_card_poker", "2009-01-05")
    assert codes(replayed) == {"STAKE_NOT_POSITIVE", *found}
    assert replayed.wagers.sort("placed_seq")["due_minor"].to_list() == [amount * 100 for amount in owed]


@pytest.mark.parametrize(("cards", "found"), [(("", ""), set()), (("2+9h", "2+8s"), {"CARD_WITHOUT_BET"})])
def test_57_2009_its_seat_gets_no_cards(cards: tuple[str, str], found: set[str]) -> None:
    replayed = replay(BLACK_JACK.format(*cards), "black_jack", "2009-06-01")
    assert dues(replayed, "main")[0] == (-100_00, "57/2009 art. 9")
    assert codes(replayed) == {"STAKE_NOT_POSITIVE", *found}


@pytest.mark.parametrize(
    ("bet", "found"),
    [("2.raise=50", {"F3_RAISE_AMOUNT", "F3_RAISE_EARLY"}), ("2.main=50", {"F3_WAGER_UNKNOWN"})],
)
@pytest.mark.parametrize(("cards", "null"), [("", set()), ("2-Jc 2-7d 2-2h", {"F3_HAND_NULL"})])
def test_78_2008_art5_n1_what_is_no_bet_of_its_own_asks_for_no_cards(
    bet: str, found: set[str], cards: str, null: set[str]
) -> None:
    """Art. 5(1) names ante and Pair Plus: by anything else the round is not invalid for everybody (11(1))."""
    text = FORTUNE.replace("2.ante=0", bet).format(cards, "")
    replayed = replay(text, "fortune_3_card_poker", "2008-09-01")
    assert dues(replayed, "ante") == [(100_00, "78/2008 art. 9(8)(4)")]
    assert codes(replayed) == found | null


@pytest.mark.parametrize(
    ("bet", "found"),
    [("2.double=50", {"WAGER_WITHOUT_BASE"}), ("2.any_pair=50", {"SEAT_NOT_DEALT"})],
)
def test_57_2009_a_seat_is_dealt_to_for_what_is_laid_before_the_cards(bet: str, found: set[str]) -> None:
    replayed = replay(
        BLACK_JACK.replace("2.main=0", bet).format("", ""), "black_jack", "2009-06-01", side_any_pair="on"
    )
    assert dues(replayed, "main") == [(-100_00, "57/2009 art. 9")]
    assert found <= codes(replayed)
    assert ("SEAT_NOT_DEALT" in codes(replayed)) == ("SEAT_NOT_DEALT" in found)
