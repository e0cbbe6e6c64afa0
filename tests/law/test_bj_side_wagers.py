"""Black Jack's additional wagers on first cards (57/2009 arts. 13(1)-(4), 14(1)-(4)), every opening of them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from replayer.law.black_jack import GAME
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.rules import Rules
from replayer.wagers import Due, WagerSituation
from schemas.cards import DECK
from tests.law.rules import rules
from tests.law.states import first_cards_of

ALL_ON = {f"side_{name}": "on" for name in ("any_pair", "sevens", "over_under", "perfect_pair", "streak")}
OF_2004 = {f"side_{name}": "on" for name in ("any_pair", "sevens", "over_under")}
SINGLE = [(first, second) for first, second in product(DECK, DECK) if first != second]
"""2,652 openings of one deck."""
MANY = [*product(DECK, DECK)]
"""2,704 openings of a shoe that holds every card more than once."""


def due(kind: str, cards: str, hand: int = 0, *, under: Rules | None = None) -> Due:
    return GAME.settlement.due(
        WagerSituation(kind, hand, first_cards=first_cards_of(GAME, cards)), under or rules(**ALL_ON)
    )


def odds(kind: str, cards: str, readings: dict[str, str] | None = None, hand: int = 0) -> Fraction | None:
    return due(kind, cards, hand, under=rules(DSEF_57_2009, readings, **ALL_ON)).odds


def counts(kind: str, openings: list[tuple[str, str]], readings: dict[str, str] | None = None) -> dict[int, int]:
    under = rules(DSEF_57_2009, readings, **ALL_ON)
    return dict(Counter(int(due(kind, f"+{a} +{b}", under=under).odds) for a, b in openings))


# 13(1), 14(1): any pair


def test_art13_n1_any_pair_over_all_openings():
    """The second card matches the rank: 3 of 51 left in one deck, 4 ranks' cards of 52 in a shoe without end."""
    assert counts("any_pair", SINGLE) == {11: 52 * 3, -1: 52 * 48}
    assert counts("any_pair", MANY) == {11: 52 * 4, -1: 52 * 48}


def test_art13_n1_any_pair_of_eight_decks():
    """Each opening of distinct cards stands for 8 x 8 deals, of equal cards for 8 x 7: 416 x 31 pairs of 416 x 415."""
    weighted: Counter[int] = Counter()
    under = rules(**ALL_ON)
    for a, b in MANY:
        weighted[int(due("any_pair", f"+{a} +{b}", under=under).odds)] += 8 * (7 if a == b else 8)
    assert weighted == {11: 416 * 31, -1: 416 * (415 - 31)}


def test_art13_n1_1_jack_and_queen_are_no_pair():
    assert odds("any_pair", "+Jc +Qd") == -1
    assert odds("any_pair", "+Jc +Jd") == 11


def test_art14_n1_cites_the_prize_and_where_it_lost_the_definition():
    assert due("any_pair", "+Jc +Jd").article == "57/2009 art. 14(1)"
    assert due("any_pair", "+Jc +Qd").article == "57/2009 art. 13(1)(1)"


SPLIT_TO_TWO_PAIRS = "+8c +8d .split b$split +8h .hit +2c b+8s"
"""Eights separated; both hands get an eight again: three pairs in all."""


def test_bj38_any_pair_after_a_split():
    assert odds("any_pair", SPLIT_TO_TWO_PAIRS) == 11
    assert odds("any_pair", SPLIT_TO_TWO_PAIRS, {"BJ-38": "once"}) == 11
    assert odds("any_pair", SPLIT_TO_TWO_PAIRS, {"BJ-38": "repeat"}) == 33
    assert odds("any_pair", "+8c +8d .split b$split +8h .hit +2c b+9s", {"BJ-38": "repeat"}) == 22
    assert odds("any_pair", "+8c +8d .split b$split +7h b+9s", {"BJ-38": "repeat"}) == 11


def test_bj38_a_new_stake_on_the_split_hand_is_paid_on_its_first_two_cards():
    assert odds("any_pair", SPLIT_TO_TWO_PAIRS, hand=1) == 11
    assert odds("any_pair", "+8c +8d .split b$split +8h b+9s", hand=1) == -1


def test_a_split_again_makes_a_third_hand():
    cards = "+8c +8d .split b$split +2h b+8h b.split c$split b+3s c+8s"
    assert odds("any_pair", cards, hand=1) == 11
    assert odds("any_pair", cards, hand=2) == 11
    assert odds("any_pair", cards, {"BJ-38": "repeat"}) == 33


@pytest.mark.parametrize(("reading", "eights"), [("any", 11), ("sevens_only", -1)])
def test_bj36_the_printed_qualquer_par_7(reading, eights):
    under = rules(DSEF_56_2004, {"BJ-36": reading}, **OF_2004)
    assert due("any_pair", "+8c +8d", under=under).odds == eights
    assert due("any_pair", "+7c +7d", under=under).odds == 11
    assert odds("any_pair", "+8c +8d", {"BJ-36": reading}) == 11


# 13(2), 14(2): sevens


def test_art13_n2_two_sevens_over_all_openings():
    """4 x 3 ordered pairs of sevens in one deck, all of different suits; in a shoe 4 more of the same suit."""
    assert counts("sevens", SINGLE) == {50: 12, -1: 2652 - 12}
    assert counts("sevens", MANY) == {50: 12, 150: 4, -1: 2704 - 16}


def test_art13_n2_2_three_sevens_over_all_suits():
    """4 x 4 x 4 suits: 4 all the same, 24 all different, 36 with exactly two the same."""
    got: dict[str, Counter[int]] = {"500": Counter(), "two_card_line": Counter()}
    for reading, tally in got.items():
        under = rules(DSEF_57_2009, {"BJ-41": reading}, **ALL_ON)
        for a, b, c in product("cdhs", repeat=3):
            cards = f"+7{a} +7{b} .split b$split +7{c} b+2c"
            tally[int(due("sevens", cards, under=under).odds)] += 1
    assert got["500"] == {5000: 4, 500: 24 + 36}
    # of the 36, the two initial cards are the equal ones in 12
    assert got["two_card_line"] == {5000: 4, 500: 24, 150: 12, 50: 24}


def test_bj41_two_of_three_sevens_suited():
    """Stake 10 on 7h-7d, then 7d: 5,000 against 500."""
    cards = "+7h +7d .split b$split +7d b+2c"
    assert 10 * odds("sevens", cards) == 5000
    assert 10 * odds("sevens", cards, {"BJ-41": "two_card_line"}) == 500


def test_bj39_third_seven_without_a_split():
    cards = "+7h +7d .hit +7c"
    assert odds("sevens", cards) == 50
    assert odds("sevens", cards, {"BJ-39": "any_third"}) == 500
    assert odds("sevens", "+7h +7d .hit +8c", {"BJ-39": "any_third"}) == 50


def test_bj40_which_card_is_the_third():
    other_hand = "+7h +7d .split b$split +2c .stand b+7c"
    assert odds("sevens", other_hand) == 50
    assert odds("sevens", other_hand, {"BJ-40": "any_split_hand"}) == 500
    next_one = "+7h +7d .split b$split +7c .stand b+2c"
    assert odds("sevens", next_one) == odds("sevens", next_one, {"BJ-40": "any_split_hand"}) == 500
    second_card_of_the_hand = "+7h +7d .split b$split +2c .hit +7c b+3c"
    assert odds("sevens", second_card_of_the_hand, {"BJ-40": "any_split_hand"}) == 50


@pytest.mark.parametrize(
    ("first", "second", "mixed", "either_hand"),
    [
        ("7h", "7c", 50, 500),  # two of three suited pay as two sevens, three suits pay 500 and are larger
        ("7c", "7h", 500, 500),
        ("7c", "7s", 500, 500),
        ("7h", "7d", 50, 50),
    ],
)
def test_art14_n2_the_largest_combination_of_either_hand_by_whatever_reading(first, second, mixed, either_hand):
    cards = f"+7h +7d .split b$split +{first} b+{second}"
    assert odds("sevens", cards) == odds("sevens", cards, {"BJ-40": "any_split_hand"}) == 500
    assert odds("sevens", cards, {"BJ-41": "two_card_line"}) == mixed
    assert odds("sevens", cards, {"BJ-41": "two_card_line", "BJ-40": "any_split_hand"}) == either_hand


def test_art14_n2_only_the_largest_combination():
    assert due("sevens", "+7h +7h .split b$split +7h b+2c").odds == 5000
    assert due("sevens", "+7h +7h .split b$split +7h b+2c").article == "57/2009 art. 14(2)(4)"


def test_one_seven_or_none_loses():
    assert odds("sevens", "+7h +8h") == odds("sevens", "+8h +7h") == odds("sevens", "+9h +8h") == -1


# 13(3), 14(3): over and under thirteen


def _totals(ace: int) -> Counter[str]:
    """Over, under and exactly thirteen over 52 x 52, from ranks alone."""
    value = {rank: min(number, 10) for number, rank in enumerate("A23456789TJQK", 1)} | {"A": ace}
    tally: Counter[str] = Counter()
    for a, b in product(value, value):
        total = value[a] + value[b]
        tally["over" if total > 13 else "under" if total < 13 else "thirteen"] += 16
    return tally


def test_art13_n3_over_and_under_over_all_openings():
    """With the ace at one: 1,264 over, 1,216 under, 224 exactly thirteen of 2,704."""
    expected = _totals(1)
    assert expected == {"over": 1264, "under": 1216, "thirteen": 224}
    assert counts("over_13", MANY) == {1: expected["over"], -1: 2704 - expected["over"]}
    assert counts("under_13", MANY) == {1: expected["under"], -1: 2704 - expected["under"]}


def test_bj43_ace_at_eleven():
    expected = _totals(11)
    assert counts("over_13", MANY, {"BJ-43": "eleven"}) == {1: expected["over"], -1: 2704 - expected["over"]}
    assert counts("under_13", MANY, {"BJ-43": "eleven"}) == {1: expected["under"], -1: 2704 - expected["under"]}


@pytest.mark.parametrize(
    ("cards", "reading", "over", "under"),
    [
        ("+Ah +5d", "one", -1, 1),
        ("+Ah +5d", "eleven", 1, -1),
        ("+Ah +5d", "player_choice", 1, 1),
        ("+Ah +2d", "one", -1, 1),
        ("+Ah +2d", "eleven", -1, -1),
        ("+Ah +2d", "player_choice", -1, 1),
        ("+Ah +Ad", "one", -1, 1),
        ("+Ah +Ad", "eleven", 1, -1),
    ],
)
def test_bj43_value_of_the_ace(cards, reading, over, under):
    assert odds("over_13", cards, {"BJ-43": reading}) == over
    assert odds("under_13", cards, {"BJ-43": reading}) == under


def test_exactly_thirteen_loses_both_sides():
    assert odds("over_13", "+6h +7d") == odds("under_13", "+6h +7d") == -1


# 13(4), 14(4): perfect pair


def test_art13_n4_perfect_pair_over_all_openings():
    """A pair's second card: the same suit 1, the other suit of the colour 1, the other colour 2, of a shoe's 4."""
    assert counts("perfect_pair", MANY) == {25: 52, 12: 52, 5: 104, -1: 2704 - 208}
    assert counts("perfect_pair", SINGLE) == {12: 52, 5: 104, -1: 2652 - 156}


@pytest.mark.parametrize(
    ("reading", "mixed", "colour", "perfect"),
    [("highest", 5, 12, 25), ("cumulative_pt", 5, 17, 30), ("cumulative_zh", 5, 17, 42)],
)
def test_bj44_a_perfect_pair_is_a_mixed_pair_too(reading, mixed, colour, perfect):
    assert odds("perfect_pair", "+Jh +Js", {"BJ-44": reading}) == mixed
    assert odds("perfect_pair", "+Jh +Jd", {"BJ-44": reading}) == colour
    assert odds("perfect_pair", "+Jh +Jh", {"BJ-44": reading}) == perfect


# Cards hidden, turned, taken away, unknown


def test_cards_dealt_down_count_when_they_are_turned():
    assert odds("any_pair", "-?? -?? .hit +2c ^9c ^9d") == 11
    assert odds("perfect_pair", "-9c -9d ^9c ^9d") == 5


def test_a_card_taken_away_is_none_of_the_first_two():
    assert odds("any_pair", "+9c +2d ~2d +9d") == 11
    assert odds("any_pair", "+9c +9d ~9d +2d") == -1


@pytest.mark.parametrize(
    ("kind", "cards"),
    [("any_pair", "+9c -??"), ("perfect_pair", "+9x +9c"), ("sevens", "+7x +7c"), ("any_pair", "+9c")],
)
def test_what_the_log_does_not_name_is_not_judged(kind, cards):
    answer = due(kind, cards)
    assert answer.odds is None
    assert answer.unjudged


def test_a_suit_that_makes_no_difference_need_not_be_known():
    assert odds("any_pair", "+9x +9c") == 11
    assert odds("over_13", "+9x +9x") == 1


# Which there are


def test_2000_had_no_additional_wager():
    assert due("any_pair", "+9c +9d", under=rules(DCE_141_2000)).odds is None


def test_2004_had_no_perfect_pair():
    assert due("perfect_pair", "+9c +9d", under=rules(DSEF_56_2004, **OF_2004)).odds is None


@pytest.mark.parametrize(("reading", "expected"), [("finding", 11), ("void", 0)])
def test_x3_a_wager_that_was_not_elected(reading, expected):
    under = rules(readings={"X-3": reading})
    assert due("any_pair", "+9c +9d", under=under).odds == expected
    assert odds("any_pair", "+9c +9d", {"X-3": reading}) == 11


def test_a_verdict_names_only_rulings_that_could_change_it():
    under = rules(**ALL_ON)
    with under.readings.consulted() as asked:
        due("sevens", "+7h +7d .split b$split +2c b+3c", under=under)
        due("perfect_pair", "+Jh +Js", under=under)
        due("any_pair", "+8c +8d", under=under)
    assert asked == {"BJ-42", "BJ-73"}
    with under.readings.consulted() as asked:
        due("over_13", "+Ah +5d", under=under)
    assert asked == {"BJ-43"}
    with under.readings.consulted() as asked:
        due("under_13", "+2h +5d .surrender/3", under=under)
    assert asked == {"BJ-68", "BJ-73"}


def test_art13_a_pair_on_a_hand_that_no_split_made_is_settled_on_that_hand_in_its_narrowest_terms_too() -> None:
    law = rules(side_any_pair="on")
    wager = WagerSituation("any_pair", 2, first_cards=first_cards_of(GAME, "+A +4 c+7 c+7"))
    told = [GAME.settlement.due(each, law) for each in (wager, GAME.settlement.reduced(wager))]
    assert told[0] == told[1]
