"""Cards that cannot have been in the shoe. Copies are counted by hand in each test."""

from __future__ import annotations

import random

import polars as pl
import pytest

from replayer.engine import impossible_cards
from replayer.engine.impossible_cards import ShoeInUse, emptied_shoes, too_many_cards
from replayer.engine.stacked_days import SPAN, stack
from replayer.log.columns import TEXT
from schemas.cards import DECK
from tests.texts import frame_of


def found(text: str, decks: int = 1, *, refilled: bool = False) -> list[int]:
    events = frame_of(text)
    return [seq for seq, _, _ in too_many_cards(events, [ShoeInUse(0, decks, refilled)])]


def test_stacked_table_days_do_not_share_a_shoe() -> None:
    one = frame_of("#1 1+9c end")
    shuffled = frame_of("shuffle:1:hand:1 #1 1+9c end")
    for days in ([one, one], [shuffled, one], [shuffled, shuffled]):
        assert list(too_many_cards(stack(days), [ShoeInUse(0, 1), ShoeInUse(SPAN, 1)])) == []


def test_the_second_copy_in_one_deck_is_impossible() -> None:
    assert found("shuffle:1:hand:1 #1 1+9c B+6h 1+9c") == [4]


def test_two_decks_hold_two_copies_and_no_third() -> None:
    assert found("shuffle:1:hand:2 #1 1+9c B+6h 1+9c") == []
    assert found("shuffle:1:hand:2 #1 1+9c B+9c 1+9c") == [4]


@pytest.mark.parametrize("text", ["zz", "9", "9cc", "??"])
def test_a_text_that_names_no_card_counts_as_none(text: str) -> None:
    """It has a finding of its own; none says that a deck holds four of rank z."""
    frame = frame_of(f"shuffle:1:hand:1 #1 {'1+9c ' * 53}end")
    said = pl.when(pl.col("card_card").is_not_null()).then(pl.lit(text, TEXT)).alias("card_card")
    assert not list(too_many_cards(frame.with_columns(said), [ShoeInUse(0, 1)]))
    assert not list(emptied_shoes(frame.with_columns(said), 1))


def test_a_shuffle_brings_the_cards_back() -> None:
    assert found("shuffle:1:hand:1 #1 1+9c end #- shuffle:2:hand:1 #2 1+9c end") == []


def test_without_a_shuffle_on_the_log_only_single_rounds_are_counted() -> None:
    assert found("#1 1+9c end #2 1+9c end") == []
    assert found("#1 1+9c B+9c end") == [2]


def test_a_machine_that_takes_the_cards_back_is_counted_round_by_round() -> None:
    assert found("shuffle:1:machine:1 #1 1+9c end #2 1+9c end", refilled=True) == []


def test_art2_n2_4_a_card_burned_between_rounds_goes_back_with_those_of_the_round_that_is_dealt_next() -> None:
    """The machine is given the used cards at the end of each round: a burned one may be the next round's, and is not in this."""
    burned = "shuffle:1:auto:1 !-9c #1 1+8c end #- !-9c #2 end #- #3 1+8c end #- !-9c #4 1+9c end #- !-9c"
    assert found(burned, refilled=True) == [10]
    assert set(found(burned)) == {5, 7, 9, 10, 12}


def test_a_burned_card_has_left_the_shoe() -> None:
    assert found("shuffle:1:hand:1 !+9c #1 1+9c") == [3]


def test_a_hidden_card_counts_once_when_it_is_turned() -> None:
    assert found("shuffle:1:hand:1 #1 B-?? B^9c") == []
    assert found("shuffle:1:hand:1 #1 B-9c B^9c") == []
    assert found("shuffle:1:hand:1 #1 1+9c B-?? B^9c") == [4]
    assert found("shuffle:1:hand:1 #1 B-?? B^9c B^9c") == []


def test_a_card_named_as_it_was_dealt_counts_once_beside_a_hidden_one() -> None:
    assert found("shuffle:1:hand:1 #1 B-9c B-?? B^9c B^8c") == []
    assert found("shuffle:1:hand:1 #1 B-9x B-?? B^8c B^9c") == []
    assert found("shuffle:1:hand:1 #1 1-8c B-9c B-?? B^8c B^9c") == [5]
    assert found("shuffle:1:hand:2 #1 B-9c B-?? B^9c B^9c 1+9c") == [6]


def test_a_card_that_lay_open_is_none_that_is_turned() -> None:
    assert found("shuffle:1:hand:2 #1 B+9c B-?? B^9c") == []
    assert found("shuffle:1:hand:1 #1 B+9c B-?? B^9c") == [4]


def test_art5_n1_2_a_card_that_is_given_to_whom_it_belongs_is_one_card() -> None:
    assert found("shuffle:1:hand:1 #1 2+9c 2~9c:misdeal 1+9c") == []
    assert found("shuffle:1:hand:1 #1 2+9c 1+8c 2~9c 1~8c 1+9c 2+8c") == []
    assert found("shuffle:1:hand:1 #1 B-?? B^9c B~9c 1b+9c 1b~9c 1+9c") == []
    assert found("shuffle:1:hand:1 #1 2+9c 2~9c 1+9c 3+9c") == [5]
    assert found("shuffle:1:hand:1 #1 2+9c 2~9c:exposed 2+9c") == [4]
    assert found("shuffle:1:hand:1 #1 2+9c 2~9c end #2 1+9c") == [5]
    assert found("shuffle:1:hand:1 #1 1+9c 2~9c 2+9c") == [4]


def test_art6_n1_a_surplus_card_of_the_bank_that_was_not_shown_may_stay_the_shoes_next_card() -> None:
    for following in ("1+9c", "!-9c", "B-9c"):
        assert found(f"shuffle:1:hand:1 #1 B-9c B~9c:next end #2 {following}") == []
    assert found("shuffle:1:hand:1 #1 B-9c B~9c:next end #2 1+8c 1+9c") == [6]  # it was not the next one
    assert found("shuffle:1:hand:1 #1 B-9c B^9c B~9c:next end #2 1+9c") == [6]  # shown, it is void
    assert found("shuffle:1:hand:1 #1 B+9c B~9c:next end #2 1+9c") == [5]
    assert found("shuffle:1:hand:1 #1 B-9c B~9c:next end #2 1+9c 2+9c") == [6]


def test_a_card_without_suit_counts_for_its_rank() -> None:
    assert found("#1 1+9x 2+9x 3+9x 4+9x") == []
    assert found("#1 1+9x 2+9x 3+9x 4+9x 5+9x") == [5]


def rounds_of(cards: list[str], in_each: int) -> str:
    """Rounds of ``in_each`` cards to seat 1."""
    starts = range(0, len(cards), in_each)
    return " ".join(f"#{n + 1} " + " ".join(f"1+{c}" for c in cards[at : at + in_each]) for n, at in enumerate(starts))


def test_a_shoe_dealt_to_its_last_card_is_found_where_the_next_one_begins() -> None:
    deck = random.Random(3).sample(DECK, 52)
    again = random.Random(4).sample(DECK, 52)
    events = frame_of(rounds_of([*deck, *again, again[0]], 10))
    found = [(seq, round_) for seq, round_, _ in emptied_shoes(events, 1)]
    assert found == [(53, 6), (105, 11)]  # the 53rd card stands in the sixth round of ten, the 105th in the eleventh
    assert "within the round" in next(message for _, _, message in emptied_shoes(events, 1))


def test_a_shoe_that_is_cut_short_is_not_taken_for_an_emptied_one() -> None:
    cards = [card for seed in range(20) for card in random.Random(seed).sample(DECK, 40)]
    assert list(emptied_shoes(frame_of(rounds_of(cards, 8)), 1)) == []


@pytest.mark.parametrize("refilled", [False, True])
def test_cards_are_counted_a_few_ranks_at_a_time_with_the_same_result(
    refilled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    odds = random.Random(7)
    rounds = (" ".join(f"1+{odds.choice(DECK)}" for _ in range(40)) for _ in range(30))
    text = "shuffle:1:machine:1 " + " ".join(f"#{number} {cards} end" for number, cards in enumerate(rounds, 1))
    together = found(text, refilled=refilled)
    assert together
    monkeypatch.setattr(impossible_cards, "_CARDS_AT_A_TIME", 100)
    assert found(text, refilled=refilled) == together
