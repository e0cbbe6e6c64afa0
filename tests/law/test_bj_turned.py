"""Cards that lie face down and are turned or taken away later: which of them it was (57/2009 arts. 5(1), 5(2), 6(2), 8, 13)."""

from __future__ import annotations

import pytest

from replayer.law.black_jack import GAME
from tests.law.notation import cards, judge_seat
from tests.law.rules import rules
from tests.law.states import first_cards_of


@pytest.mark.parametrize(
    ("dealt", "first"),
    [
        ("-7d -?? ^7d ^9c", "7d 9c"),
        ("-?? -7d ^7d ^9c", "9c 7d"),
        ("+7d -?? ^7d", "7d 7d"),
        ("-7h -?? ^7d ^7h", "7h 7d"),
    ],
)
def test_art13_any_pair_is_not_won_by_one_card_that_is_recorded_twice(dealt: str, first: str) -> None:
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
    ("dealt", "first"),
    [
        ("+7h +7d ~7h +9c", "7d 9c"),
        ("+7x +7d ~7h +9c", "7d 9c"),
        ("+7h +7d ~7x +9c", "7h 9c"),  # which of them is not recorded: the last one
    ],
)
def test_art13_a_card_taken_back_is_the_one_that_was_named(dealt: str, first: str) -> None:
    assert first_cards_of(GAME, dealt).first == cards(first)
