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
from tests.law.notation import judge_seat
from tests.law.one_round import replay
from tests.law.outcomes import croupier as croupier_of
from tests.law.outcomes import hand as hand_of
from tests.law.rules import rules
from tests.law.states import open_to

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


def test_art9_n1_raise_and_n2_fold() -> None:
    cards = "? $ante -9c -Td -2h"
    assert open_to(GAME, cards, 0, rules(DSEF_97_2008)) == {"raise", "fold"}
    assert judge_seat(GAME, f"{cards} .raise $raise", rules(DSEF_97_2008)).outcome == hand_of("raised T92")
    folded = judge_seat(GAME, f"{cards} .fold", rules(DSEF_97_2008))
    assert folded.outcome == hand_of("folded T92")
    assert folded.breaches == ()
    assert odds("ante", "folded T92", "") == -1


def test_art9_n3_with_both_bets_one_must_raise() -> None:
    assert open_to(GAME, BOTH_BETS, 0, rules(DSEF_97_2008)) == {"raise"}
    judged = judge_seat(GAME, f"{BOTH_BETS} .fold", rules(DSEF_97_2008))
    assert [breach.code for breach in judged.breaches] == ["F3_FOLD_FORBIDDEN"]
    assert judged.breaches[0].article == "78/2008 art. 9(3) (97/2008)"


@pytest.mark.parametrize(
    ("reading", "outcome", "pair_plus", "breaches"),
    [("forfeit_both", "folded 992", -1, 1), ("no_fold", "raised 992", 1, 1), ("forfeit_ante", "folded 992", 1, 0)],
)
def test_f3_8b_a_fold_with_both_bets(reading: str, outcome: str, pair_plus: int, breaches: int) -> None:
    held = rules(DSEF_97_2008, {"F3-8b": reading})
    judged = judge_seat(GAME, f"{BOTH_BETS} .fold", held)
    assert judged.outcome == hand_of(outcome)
    assert judged.awaits_bank == (reading == "no_fold")
    assert len(judged.breaches) == breaches
    assert odds("pair_plus", outcome, "Q32", held) == pair_plus


@pytest.mark.parametrize("reading", ["forfeit_both", "no_fold", "forfeit_ante"])
def test_f3_8b_who_says_nothing_with_both_bets_is_taken_as_who_folds(reading: str) -> None:
    """Where one with both bets cannot fold, he does not lose the ante by silence either: it stays in play."""
    held = rules(DSEF_97_2008, {"F3-8b": reading})
    silent, folded = (judge_seat(GAME, f"{BOTH_BETS}{said}", held) for said in ("", " .fold"))
    assert (silent.outcome, silent.awaits_bank) == (folded.outcome, folded.awaits_bank)
    assert [breach.code for breach in silent.breaches] == ["F3_DECISION_MISSING"]


@pytest.mark.parametrize(
    ("reading", "ante", "pair_plus"), [("forfeit_both", -100, -50), ("no_fold", 100, 50), ("forfeit_ante", -100, 50)]
)
def test_f3_8b_what_a_pair_of_nines_is_due_to_who_says_nothing(reading: str, ante: int, pair_plus: int) -> None:
    deal = "1.ante=100 1.pair_plus=50 nomore 1-9c 1-9d 1-2h B-Qs B-8d B-5s B^Qs B^8d B^5s"
    text = f"{deal} 1.ante>0 1.pair_plus>0 end"
    told = replay(text, "fortune_3_card_poker", "2009-01-05", {"F3-8b": reading}).wagers
    due = dict(told.select("wager", "due_minor").iter_rows())
    assert due == {"ante": ante * 100, "pair_plus": pair_plus * 100}


def test_f3_8b_is_not_asked_of_a_raise() -> None:
    held = rules(DSEF_97_2008)
    with held.readings.consulted() as ids:
        judge_seat(GAME, f"{BOTH_BETS} .raise $raise", held)
        assert ids == set()


def test_art9_n5_below_a_queen() -> None:
    assert odds("ante", "raised 532", "JT8") == 1
    assert odds("raise", "raised 532", "JT8") == 0


@pytest.mark.parametrize("hand", ["KQJs", "444", "KQJ", "AK9s", "99K", "AK9"])
def test_art9_n6_ante_and_raise_even_money(hand: str) -> None:
    none = rules(DSEF_97_2008, {"F3-7": "none"})
    assert odds("ante", f"raised {hand}", "Q32", none) == 1
    assert odds("raise", f"raised {hand}", "Q32") == 1


def test_a_higher_croupier_collects() -> None:
    assert odds("ante", "raised KT4", "AT4") == -1
    assert odds("raise", "raised KT4", "AT4") == -1


@pytest.mark.parametrize(("hand", "bonus"), [("KQJs", 5), ("444", 4), ("KQJ", 1), ("AK9s", 0), ("99K", 0)])
def test_f3_7_bonus_whatever_the_croupier_holds(hand: str, bonus: int) -> None:
    for croupier, ante in (("Q32", 1), ("JT8", 1), ("AKQs", -1)):
        due = settle("ante", f"raised {hand}", croupier)
        assert due.odds == ante + bonus
        assert [breach.code for breach in due.breaches] == (["LAW_TEXT_UNVERIFIED"] if bonus else [])


def test_f3_7_bonus_only_for_a_win() -> None:
    if_win = rules(DSEF_97_2008, {"F3-7": "5_4_1_if_win"})
    assert odds("ante", "raised 444", "Q32", if_win) == 5
    assert odds("ante", "raised 444", "JT8", if_win) == 5
    assert odds("ante", "raised 444", "AKQs", if_win) == -1
    assert odds("ante", "raised KQJ", "KQJ", if_win) == 0
    assert odds("ante", "raised KQJ", "KQJ") == 1


def test_f3_7_is_asked_only_where_a_bonus_is_in_question() -> None:
    held = rules(DSEF_97_2008)
    for seat, ids_due in (("raised 444", {"F3-7"}), ("raised 99K", set())):
        with held.readings.consulted() as ids:
            settle("ante", seat, "Q32", held)
            assert ids == ids_due
    with held.readings.consulted() as ids:
        settle("raise", "raised 444", "Q32", held)
        assert ids == set()


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
