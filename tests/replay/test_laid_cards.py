"""Which card of a hand is meant when one is turned or taken away."""

from __future__ import annotations

import pytest

from replayer.contract.cards import card_of
from replayer.contract.laid_cards import LaidCards


def meant(acts: str) -> list[int | None]:
    """The cards meant, by their places: ``+9c`` ``-9c`` lies open or face down, ``^9c`` is turned, ``~9c`` taken away."""
    laid, found, places = LaidCards[int](), [], 0
    for act in acts.split():
        card = card_of(act[1:])
        if act[0] in "+-":
            laid.lay(card, places, seen=act[0] == "+")
            places += 1
        else:
            found.append(laid.turn(card) if act[0] == "^" else laid.take(card))
    return found


@pytest.mark.parametrize(
    ("acts", "places"),
    [
        ("-9c -?? ^9c ^8c", [0, 1]),  # the one that the log named so, then the one that it did not
        ("-?? -9c ^9c ^8c", [1, 0]),
        ("+9c -?? ^9c", [1]),  # that lay open, so that another one is shown
        ("-9x -?? ^8c ^9c", [1, 0]),  # a suit is told later
        ("-?? -?? ^9c ^8c", [0, 1]),
        ("-9c ^9c ^9c", [0, 0]),  # shown twice
        ("-?? ^9c ^9c", [0, 0]),
        ("+?? ^9c ~9c", [0, 0]),  # it lay open without a name
        ("+9c ^8c", [None]),
        ("-9d ^9c", [None]),
    ],
)
def test_a_card_that_is_shown(acts: str, places: list[int | None]) -> None:
    assert meant(acts) == places


@pytest.mark.parametrize(
    ("acts", "places"),
    [
        ("+9c +9c ~9c ~9c ~9c", [1, 0, None]),  # the last one first
        ("-9c +9c -9c ~9c ~9c ~9c", [2, 1, 0]),
        ("+9c -?? ~8c", [1]),  # none of that name: the last one without a name
        ("-?? +9c ^9c ~9c ~9c", [0, 1, 0]),
        ("+9c ~8c", [None]),
    ],
)
def test_a_card_that_is_taken_away(acts: str, places: list[int | None]) -> None:
    assert meant(acts) == places
