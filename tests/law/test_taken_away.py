"""A card that the bank got and that was taken away again: it was void (57/2009 art. 5(1)(1)) or another's (5(1)(2)), so that no
right turns on it; and a card of the croupier that lay open by accident, which opens nothing (78/2008 art. 11(2))."""

from __future__ import annotations

import pytest

from replayer.engine.removed_in_columns import taken_away_in_rounds, taken_back_in_rounds
from replayer.engine.table_in_play import TableInPlay
from replayer.law.black_jack import GAME
from schemas.notation import parse_events
from tests.law.one_round import codes, replay
from tests.law.rules import rules
from tests.texts import frame_of

SHOE = "#- shuffle:1:hand:6 cut:1:player white:1:60 !-?? !-?? !-?? !-?? !-?? !-??"
EXPOSED = "B+7s B~7s:exposed B-??"
"""The hidden card came out face up, was void, and another one was dealt face down."""


UNSEEN_SURPLUS = "1.main=100 nomore 1+Kc 1+5d B+7c 1.stand B+Td B-?? B~{card}:surplus 1.main>-100 end"
"""The bank has 17 with 7 and the ten of diamonds, takes a card that it does not show, and that card is taken away by its name."""


def test_a_table_in_play_tells_a_surplus_card_from_one_of_its_rank() -> None:
    table = TableInPlay(GAME)
    for event in parse_events(f"{SHOE} #1 {UNSEEN_SURPLUS.format(card='Th')}"):
        table.take(event)
    judged = GAME.bank.judge(table.rounds[1].histories().bank_history("PLAYED"), rules())
    assert [breach.code for breach in judged.breaches] == ["BANK_SURPLUS_CARD"]


def test_a_table_in_play_counts_no_card_that_the_bank_did_not_keep() -> None:
    table, under = TableInPlay(GAME), rules(deal_procedure="3")
    for event in parse_events(f"{SHOE} #1 1.main=100 nomore 1+Ah B+9d B~9d B+Ad 1+Kc {EXPOSED} 1.even_money B? B^9c"):
        table.take(event)
    history = table.rounds[1].histories().seat_history(1)
    assert history.begin == "A"
    assert GAME.seat.judge(history, under).breaches == ()


@pytest.mark.parametrize(
    ("stray", "found"),
    [
        ("1+7c 1~7c", set()),
        ("1+7x 1~7c", set()),  # its suit was not told when it was dealt
        ("1+7c 1~7x", set()),  # or when it was taken away
        ("1-?? 1~7c", set()),
        ("1+7d 1~7c", {"CARD_ABSENT"}),  # the suit was mistaken, the card taken away nevertheless
        ("1+7c 1+7d 1~7c", {"SURRENDER_LATE", "CARD_NOT_ASKED"}),
        ("1+7c 1~8c", {"SURRENDER_LATE", "CARD_NOT_ASKED", "CARD_ABSENT"}),
    ],
)
def test_art18_n2_a_card_taken_away_at_once_is_no_additional_one_however_the_log_names_its_suit(
    stray: str, found: set[str]
) -> None:
    """The hand and the moment of the surrender lose the same card, as its table is played and when its day is replayed."""
    dealt = "1.main=100@p1 2.main=100@p2 nomore 1+Kc 2+9c B+6h 1+8d 2+7s 1.stand"
    replayed = replay(f"{dealt} {stray} 2.surrender B+Kd B+5s end", "black_jack", "2009-06-01")
    assert codes(replayed) & {"SURRENDER_LATE", "CARD_NOT_ASKED", "CARD_ABSENT"} == found
    table = TableInPlay(GAME)
    for event in parse_events(f"{SHOE} #1 {dealt} {stray} 2.surrender"):
        table.take(event)
    judged = GAME.seat.judge(table.rounds[1].histories().seat_history(2), rules())
    assert {breach.code for breach in judged.breaches} == found & {"SURRENDER_LATE"}


@pytest.mark.parametrize("stray", ["1+3d 1~3d", "B+3d B~3d"])
def test_a_table_in_play_counts_no_card_taken_away_as_an_additional_one(stray: str) -> None:
    table = TableInPlay(GAME)
    for event in parse_events(
        f"{SHOE} #1 1.main=100 2.main=100 nomore 1+Kc 2+9c B+6h 1+8d 2+7s 1.stand {stray} 2.surrender"
    ):
        table.take(event)
    assert GAME.seat.judge(table.rounds[1].histories().seat_history(2), rules()).breaches == ()
    for event in parse_events("#1 1+3d", first_seq=100):
        table.take(event)
    for event in parse_events("#1 2.surrender", first_seq=101):
        table.take(event)
    (_, again) = (
        each
        for each in table.rounds[1].histories().seat_history(2).symbols
        if getattr(each, "action", "") == "surrender"
    )
    assert again.moment


@pytest.mark.parametrize(
    ("text", "seqs"),
    [
        ("#1 1+3d 1~3d 1.stand", [1]),
        ("#1 1+3d 1.stand 1~3d", []),
        ("#1 1+3d #2 1.stand #1 1~3d", [1]),
        ("#1 1-3d 1^3d 1~3d #2 1+3d 1.main=100 1~3d", [1, 2]),
    ],
    ids=["at once", "after a decision", "a decision in another round", "turned before"],
)
def test_a_card_is_taken_away_at_once_before_anything_is_done_in_its_round(text: str, seqs: list[int]) -> None:
    rows = frame_of(text).with_columns(ri="round")
    assert sorted(taken_back_in_rounds(rows, taken_away_in_rounds(rows))) == seqs
