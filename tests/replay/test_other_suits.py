"""Cards turned or taken away under another suit than they were dealt under. The words of a text are events, counted from one."""

from __future__ import annotations

import polars as pl
import pytest

from replayer.engine.impossible_cards import cards_of_other_suits
from tests.texts import frame_of


def found(text: str) -> list[tuple[str, int]]:
    noted = cards_of_other_suits(frame_of(text), pl.Series([1, 2]))
    return [(note.breach.code, note.seq) for note in noted]


@pytest.mark.parametrize(
    ("text", "breaches"),
    [
        ("#1 B-6h B^6h", []),
        ("#1 B-6h B^6d", [("BANK_CARD_ABSENT", 2)]),
        ("#1 B-6h B~6d", [("BANK_CARD_ABSENT", 2)]),
        ("#1 1-6h 1^6d 2-6d", [("CARD_ABSENT", 2)]),
        ("#1 1-6h #2 1-6d 1^6h", [("CARD_ABSENT", 3)]),
        ("#1 B-6d 1-6h B-Tc B^6h", [("BANK_CARD_ABSENT", 4)]),
        ("#1 1-6h 1b-6d 1^6d", []),
    ],
    ids=["same", "turned", "taken away", "at another seat", "in another round", "of the bank", "on a split hand"],
)
def test_a_card_is_turned_and_taken_away_as_it_was_dealt(text: str, breaches: list[tuple[str, int]]) -> None:
    assert found(text) == breaches


@pytest.mark.parametrize(
    "text",
    ["#1 B-6x B^6d", "#1 B-6h B-?? B^6d", "#1 B-6h B^6x", "#1 B-6h B^??", "#1 B-6h B-6x B^6d"],
    ids=["dealt without a suit", "another one not named", "turned without a suit", "turned unnamed", "either of two"],
)
def test_nothing_is_found_where_the_log_left_a_suit_open(text: str) -> None:
    assert found(text) == []


def test_a_rank_that_was_never_dealt_is_found_by_the_machine_of_the_hand_and_not_again() -> None:
    assert found("#1 B-6h B^7d") == []
