"""Black Jack: what hands are worth and what they are due on points (57/2009 arts. 7 to 11)."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from replayer.cards import Card
from replayer.law.black_jack import GAME
from replayer.law.black_jack.cards import SIX_SEVEN_EIGHT, THREE_SEVENS, Cards, cards_of
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.law.black_jack.points import best_points, hard_points
from replayer.rules import Rules
from replayer.wagers import Due, Void, WagerSituation
from schemas.cards import RANKS, UNKNOWN_SUIT
from tests.law import seats
from tests.law.outcomes import bank as bank_of
from tests.law.rules import VERSIONS, rules
from tests.law.seats import judge

BANKS = ("17", "18", "19", "20", "21", "bust", "bj")


def due(seat: str, bank: str, law: Rules | None = None, kind: str = "main", hand: int = 0) -> Due:
    """What a wager is due on a seat history against a bank outcome."""
    assert not judge(seat, law).unjudged
    return seats.due(seat, bank, law, kind, hand)


def independent_points(ranks: str) -> int:
    """The best total by trying every value of every ace; not the way the rules reckon."""
    values = [(1, 11) if rank == "A" else (10,) if rank in "TJQK" else (int(rank),) for rank in ranks]
    totals = {sum(choice) for choice in product(*values)}
    fitting = [total for total in totals if total <= 21]
    return max(fitting) if fitting else min(totals)


def test_art8_every_hand_of_up_to_four_cards() -> None:
    counted = 0
    for number in (1, 2, 3, 4):
        for cards in product("A23456789T", repeat=number):
            ranks = "".join(cards)
            points = independent_points(ranks)
            assert best_points(ranks) == points, ranks
            laid = cards_of(map(Card, ranks))
            assert (laid.best, laid.bust) == (min(points, 32), points > 21), ranks
            counted += 1
    assert counted == 11_110


def test_art8_figures_count_ten() -> None:
    assert [hard_points(rank) for rank in "ATJQK"] == [1, 10, 10, 10, 10]


def test_art10_n1_every_two_cards() -> None:
    naturals = {a + b for a in RANKS for b in RANKS if cards_of((Card(a), Card(b))).natural}
    assert naturals == {"A" + ten for ten in "TJQK"} | {ten + "A" for ten in "TJQK"}


def test_art15_every_three_cards_with_their_suits() -> None:
    """What a state keeps of three cards is what the cards themselves say of a special prize."""
    for ranks in product("6789", repeat=3):
        for suits in product(f"sh{UNKNOWN_SUIT}", repeat=3):
            cards = cards_of(map(Card, ranks, suits))
            run = sorted(ranks) == ["6", "7", "8"] and len(set(suits) - {UNKNOWN_SUIT}) < 2
            assert (cards.prize == SIX_SEVEN_EIGHT) == run
            assert (cards.prize == THREE_SEVENS) == (set(ranks) == {"7"})
            assert cards.suits == (set(suits) if run else set())


def test_all_that_the_cards_of_a_hand_can_come_to() -> None:
    found, waiting = {Cards()}, [Cards()]
    while waiting:
        state = waiting.pop()
        for card in (Card(rank, suit) for rank in f"{RANKS}?" for suit in ("s", "h", "d", "c", UNKNOWN_SUIT, "")):
            after = state.dealt(card)
            if after not in found:
                found.add(after)
                waiting.append(after)
    assert len(found) == 1329


@pytest.mark.parametrize("law", VERSIONS.values())
def test_art10_n2_player_natural_wins_one_and_a_half(law: object) -> None:
    for bank in ("17", "18", "19", "20", "bust", "no bj"):
        assert due("T +A +K", bank, rules(law)).odds == Fraction(3, 2)


def test_art10_n5_player_natural_beats_drawn_21() -> None:
    paid = due("T +A +K", "21")
    assert (paid.odds, paid.article) == (Fraction(3, 2), "57/2009 art. 10(5)")


def test_art11_n1_both_natural_is_a_tie() -> None:
    tie = due("T +A +K", "bj")
    assert (tie.odds, tie.article) == (0, "57/2009 art. 11(1)(1)")
    assert due("T +A +K", "bj", rules(DSEF_56_2004)).article == "56/2004 art. 11(1)"
    assert due("T +A +K", "bj", rules(DCE_141_2000)).article == "141/2000 art. 7(a)"


def test_art10_n4_drawn_21_is_paid_one_to_one() -> None:
    paid = due("6 +7 +5 .hit +9 .stand", "20")
    assert (paid.odds, paid.article) == (1, "57/2009 art. 10(4)")
    assert due("6 +7 +5 .hit +9 .stand", "21").odds == 0


def test_art10_n6_bank_natural_beats_drawn_21() -> None:
    lost = due("T +7 +5 .hit +9 .stand", "bj")
    assert (lost.odds, lost.article) == (-1, "57/2009 art. 10(6)")


def test_art10_n6_split_21_is_no_natural() -> None:
    history = "T +A +A .split b$split +K b+5"
    assert due(history, "20").odds == 1
    assert due(history, "21").odds == 0


def test_art7_n2_bust_loses_even_when_the_bank_busts() -> None:
    for bank in (*BANKS, "no bj", ""):
        lost = due("6 +T +8 .hit +5", bank)
        assert (lost.odds, lost.article) == (-1, "57/2009 art. 7(2)")


def test_art9_and_11_every_total_against_every_bank() -> None:
    hands = {
        12: "+T +2",
        13: "+T +3",
        14: "+T +4",
        15: "+T +5",
        16: "+T +6",
        17: "+T +7",
        18: "+T +8",
        19: "+T +9",
        20: "+T +T",
    }
    for points, cards in hands.items():
        for bank in range(4, 22):
            sign = (points > bank) - (points < bank)
            assert due(f"x {cards} .stand", str(bank)).odds == sign
        assert due(f"x {cards} .stand", "bust").odds == 1


def test_a_double_is_due_as_the_hand_is() -> None:
    history = "6 +6 +5 .double $double +T"
    for bank, odds in (("20", 1), ("21", 0), ("bust", 1)):
        assert due(history, bank).odds == due(history, bank, kind="double").odds == odds


def test_split_hands_are_due_each_for_itself() -> None:
    history = "6 +8 +8 .split b$split +T .stand b+3 b.hit b+K"
    assert due(history, "19").odds == -1
    assert due(history, "19", kind="split", hand=1).odds == 1


def test_what_is_not_known_is_not_due() -> None:
    assert due("T +T +9 .stand", "").odds is None
    assert due("T +T +9 .stand", "no bj").odds is None
    assert due("T +A +K", "").odds is None
    assert due("T +T +9 .stand", "18", kind="double").odds is None
    assert due("T +T +9 .stand", "18", kind="split", hand=1).odds is None


def test_a_natural_needs_no_second_card_of_a_bank_that_can_have_none() -> None:
    assert due("x +A +K", "").odds == Fraction(3, 2)


def test_bj6_declared_total_of_a_players_ace() -> None:
    history = "6 +A +7 =8 .stand"
    law = rules()
    with law.readings.consulted() as asked:
        assert due(history, "17", law).odds == 1
    assert asked == {"BJ-6"}
    assert due(history, "17", rules(readings={"BJ-6": "declared"})).odds == -1


def test_bj29_cancelled_round() -> None:
    back = GAME.settlement.void("main", Void(), rules())
    assert (back.odds, back.article) == (0, "57/2009 art. 5(1)(2)")
    assert GAME.settlement.void("main", Void(), rules(readings={"BJ-29": "stand_for_redeal"})).odds is None


def test_art9_a_hand_is_judged_though_another_one_of_its_seat_cannot_be() -> None:
    """Not against Black Jack (12(2), 16(6)): what a stake is due turns on all hands of the seat then."""
    seat = judge("A $main +8 +8 .split b$split +K .stand", rules())
    assert seat.unjudged == "the hand has fewer than two cards on the log"

    def odds(kind: str, hand: int, bank: str | None) -> Fraction | None:
        outcome = None if bank is None else bank_of(bank)
        due: Due = GAME.settlement.due(WagerSituation(kind, hand, seat.outcome, outcome), rules())
        return due.odds

    assert [odds("main", 0, bank) for bank in (*BANKS, None)] == [1, 0, -1, -1, -1, 1, None, None]
    assert {odds("split", 1, bank) for bank in (*BANKS, None)} == {None}
