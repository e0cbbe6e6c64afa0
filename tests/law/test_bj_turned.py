"""Cards that lie face down and are turned or taken away later: which of them it was (57/2009 arts. 5(1), 5(2), 6(2), 8, 13)."""

from __future__ import annotations

import pytest

from replayer.law.black_jack import GAME
from tests.law.notation import cards, judge_seat
from tests.law.rules import rules
from tests.law.states import first_cards_of


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ("-7d -?? ^7d ^9c", 16),  # the log named one of them as it was dealt
        ("-?? -7d ^7d ^9c", 16),
        ("-?? -7d ^9c ^7d", 16),
        ("-?? -7x ^7d ^9c", 16),
        ("-7h -?? ^7d ^7h", 14),  # of another suit: it is the one that was not named
        ("-7d -7d -?? ^7d ^7d ^2c", 16),
        ("+7d -?? ^7d", 14),  # that one lay open, so that it is not the one that was turned
    ],
)
def test_art8_a_card_that_the_log_named_as_it_was_dealt_is_not_given_to_the_hand_twice_when_it_is_turned(
    cards: str, points: int
) -> None:
    recorded = judge_seat(GAME, f"6 $main {cards} .stand", rules(not_recorded="faces,decisions"))
    assert recorded.outcome is not None, recorded.unjudged
    assert [hand.points for hand in recorded.outcome.hands] == [points]
    assert "CARD_ABSENT" not in [breach.code for breach in recorded.breaches]


@pytest.mark.parametrize(
    ("dealt", "first"),
    [
        ("-7d -?? ^7d ^9c", "7d 9c"),
        ("-?? -7d ^7d ^9c", "9c 7d"),
        ("+7d -?? ^7d", "7d 7d"),
        ("-7h -?? ^7d ^7h", "7h 7d"),
    ],
)
def test_art13_any_pair_is_not_won_by_one_card_that_is_told_twice(dealt: str, first: str) -> None:
    assert first_cards_of(GAME, dealt).first == cards(first)


def test_art13_a_card_turned_without_its_suit_is_the_one_of_its_rank_that_lies_down() -> None:
    """As the hand's points take it: the card that the log never named stays unnamed."""
    assert first_cards_of(GAME, "-?? -7d ^7x").first == cards("?? 7d")


def test_art5_n1_a_card_that_was_not_named_as_it_was_dealt_and_is_void_is_none_of_the_first_two() -> None:
    """The hand of the same history loses it as well: what wagers on it turn on must not be another hand."""
    assert first_cards_of(GAME, "-?? +7d ~9c +7h").first == cards("7d 7h")
    recorded = judge_seat(GAME, "6 $main -?? +7d ~9c +7h .stand", rules(not_recorded="faces"))
    assert recorded.outcome is not None
    assert [hand.points for hand in recorded.outcome.hands] == [14]


@pytest.mark.parametrize(
    ("cards", "prize"),
    [
        ("+6h +7h +7d ~7d +8h", True),
        ("+6h +7h +7d ~7h +8h", False),
        ("+6h +7d +7h ~7d +8h", True),
        ("+6h +7x +7h ~7d +8h", True),  # the one whose suit is not known was it
    ],
)
def test_art15_of_two_cards_of_a_rank_the_one_that_was_named_is_taken_back(cards: str, *, prize: bool) -> None:
    recorded = judge_seat(GAME, f"6 $main {cards} .stand", rules(not_recorded="deal_order"))
    assert recorded.outcome is not None, recorded.unjudged
    assert [bool(hand.prize) for hand in recorded.outcome.hands] == [prize]


@pytest.mark.parametrize(
    ("dealt", "first"),
    [
        ("+7h +7d ~7h +9c", "7d 9c"),
        ("+7x +7d ~7h +9c", "7d 9c"),
        ("+7h +7d ~7x +9c", "7h 9c"),  # which of them is not told: the last one
    ],
)
def test_art13_a_card_taken_back_is_the_one_that_was_named(dealt: str, first: str) -> None:
    assert first_cards_of(GAME, dealt).first == cards(first)


@pytest.mark.parametrize("dealt", ["-Ac -Kd", "-?? -??", "-?? -Kd", "-Ac -??"])
@pytest.mark.parametrize("shown", ["^Ac ^Kd", "^Kd ^Ac"])
def test_art10_n3_even_money_is_open_to_black_jack_though_the_log_names_its_cards_only_when_they_are_shown(
    dealt: str, shown: str
) -> None:
    recorded = judge_seat(GAME, f"A $main {dealt} .even_money/7 {shown}", rules(deal_procedure="1"))
    assert not recorded.breaches
    assert recorded.outcome is not None
    assert [hand.ending for hand in recorded.outcome.hands] == ["even_money"]
