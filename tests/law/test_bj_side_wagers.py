"""Every opening of the additional wagers (57/2009 arts. 13(1)-(4), 14(1)-(4)); single ones are in ``cases/first_cards.txt``."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from replayer.contract.rules import Rules
from replayer.contract.wagers import Due, WagerSituation
from replayer.law.black_jack import GAME
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from schemas.cards import DECK
from tests.law.rules import rules
from tests.law.states import first_cards_of

ALL_ON = {f"side_{name}": "on" for name in ("any_pair", "sevens", "over_under", "perfect_pair", "streak")}
SINGLE = [(first, second) for first, second in product(DECK, DECK) if first != second]
"""2,652 openings of one deck."""
MANY = [*product(DECK, DECK)]
"""2,704 openings of a shoe that holds every card more than once."""


def due(kind: str, cards: str, hand: int = 0, *, under: Rules | None = None) -> Due:
    return GAME.settlement.due(
        WagerSituation(kind, hand, first_cards=first_cards_of(GAME, cards)), under or rules(**ALL_ON)
    )


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


# 13(4), 14(4): perfect pair


def test_art13_n4_perfect_pair_over_all_openings():
    """A pair's second card: the same suit 1, the other suit of the colour 1, the other colour 2, of a shoe's 4."""
    assert counts("perfect_pair", MANY) == {25: 52, 12: 52, 5: 104, -1: 2704 - 208}
    assert counts("perfect_pair", SINGLE) == {12: 52, 5: 104, -1: 2652 - 156}


# Cards hidden, turned, taken away, unknown


@pytest.mark.parametrize(
    ("kind", "cards"),
    [("any_pair", "+9c -??"), ("perfect_pair", "+9x +9c"), ("sevens", "+7x +7c"), ("any_pair", "+9c")],
)
def test_what_the_log_does_not_name_is_not_judged(kind, cards):
    answer = due(kind, cards)
    assert answer.odds is None
    assert answer.unjudged


@pytest.mark.parametrize(
    ("kind", "cards", "steps"),
    [
        ("sevens", "+9c +7d", ["9c 7d: not two sevens", "the stake is lost"]),
        ("sevens", "+7c +7d", ["7c 7d: two sevens of two suits", "50 to 1"]),
        ("sevens", "+7c +7c", ["7c 7c: two sevens of one suit", "150 to 1"]),
        ("sevens", "+7c +7d .split b$split +7c", ["7c 7d 7c: three sevens, not all of one suit", "500 to 1"]),
        ("sevens", "+7c +7c .split b$split +7c", ["7c 7c 7c: three sevens of one suit", "5000 to 1"]),
        ("over_13", "+9c +7d", ["9c 7d counts 16", "1 to 1"]),
        ("over_13", "+Ac +Kd", ["Ac Kd counts 11", "the stake is lost"]),
        ("over_13", "+Ac +2d", ["Ac 2d counts 3 or 13", "the stake is lost"]),
        ("perfect_pair", "+Jc +Qc", ["Jc Qc: no pair", "the stake is lost"]),
        ("perfect_pair", "+Jc +Jd", ["Jc Jd: a pair of two colours", "5 to 1"]),
        ("perfect_pair", "+Jc +Js", ["Jc Js: a pair of one colour", "12 to 1"]),
        ("perfect_pair", "+Jc +Jc", ["Jc Jc: a pair of one suit", "25 to 1"]),
    ],
)
def test_the_cards_that_decide_stand_in_the_explanation_with_what_they_make(kind, cards, steps):
    assert [step.text for step in due(kind, cards).steps] == steps


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


def test_art13_a_pair_on_a_hand_that_no_split_made_is_settled_on_that_hand() -> None:
    law = rules(side_any_pair="on")
    wager = WagerSituation("any_pair", 2, first_cards=first_cards_of(GAME, "+A +4 c+7 c+7"))
    assert GAME.settlement.due(GAME.settlement.reduced(wager), law).odds == 11
