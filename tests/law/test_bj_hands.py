"""Black Jack: what hands are worth and what they are due on points (57/2009 arts. 7 to 11)."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from replayer.contract.cards import Card
from replayer.contract.wagers import Due, WagerSituation
from replayer.law.black_jack import GAME
from replayer.law.black_jack.hand import Cards, cards_of
from replayer.law.black_jack.points import SIX_SEVEN_EIGHT, THREE_SEVENS, best_points, hard_points
from schemas.cards import RANKS, UNKNOWN_SUIT
from tests.law.outcomes import bank as bank_of
from tests.law.rules import rules
from tests.law.seats import due, judge

BANKS = ("17", "18", "19", "20", "21", "bust", "bj")


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
    """With a card that is not named, three to six cards have 3 to 21, 4 to 31, 5 to 32 and 6 to 32 points at least."""
    found, waiting = {Cards()}, [Cards()]
    while waiting:
        state = waiting.pop()
        for card in (Card(rank, suit) for rank in f"{RANKS}?" for suit in ("s", "h", "d", "c", UNKNOWN_SUIT, "")):
            after = state.dealt(card)
            if after not in found:
                found.add(after)
                waiting.append(after)
    assert len(found) == 1329 + (19 - 1) + (28 - 1) + (28 - 1) + (27 - 1)


def test_art9_and_11_every_total_against_every_bank() -> None:
    for points in range(12, 21):
        cards = f"+T +{'T' if points == 20 else points - 10}"
        for bank in range(4, 22):
            sign = (points > bank) - (points < bank)
            assert due(f"x {cards} .stand", str(bank)).odds == sign
        assert due(f"x {cards} .stand", "bust").odds == 1


def test_bj29_cancelled_round() -> None:
    back = GAME.settlement.void("", rules())
    assert (back.odds, back.article) == (0, "57/2009 art. 5(1)(2)")
    assert GAME.settlement.void("", rules(readings={"BJ-29": "stand_for_redeal"})).odds is None


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
