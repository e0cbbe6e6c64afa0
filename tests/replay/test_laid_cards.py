"""Which card of a hand is meant when one is turned or taken away."""

from __future__ import annotations

import pytest

from replayer.contract.cards import card_of
from replayer.contract.laid_cards import LaidCard, LaidCards


def meant(acts: str, *, one_deck: bool = False) -> list[int | None]:
    """The cards meant, by their places: ``+9c`` ``-9c`` lies open or face down, ``^9c`` is turned, ``~9c`` taken away."""
    laid, found, places = LaidCards(one_deck=one_deck), list[int | None](), 0
    for at, act in enumerate(acts.split(), 1):
        card = card_of(act[1:])
        if act[0] in "+-":
            places += 1
            laid.lay(LaidCard(card, places, hidden=act[0] == "-"))
        else:
            lies = laid.turn(card, at) if act[0] == "^" else laid.take(card)
            found.append(lies and lies.dealt_at - 1)
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
        ("+?? -?? ^9c ^8c", [1, 0]),  # a card that lies face down is turned, rather than one that lies open
        ("+9c ^8c", [None]),
        ("-?? -9d ^9x ^9x", [1, 0]),  # no suit is told: any of its rank, then one without a name
        ("-9d +9c ^9c", [0]),  # the log contradicts itself: one still lay face down
        ("+?? -9d ^9c", [0]),  # but for what the log never named
        ("+9d ^9c", [0]),
    ],
)
def test_a_card_that_is_shown(acts: str, places: list[int | None]) -> None:
    assert meant(acts) == places


@pytest.mark.parametrize(
    ("acts", "places"), [("-9d ^9c", [None]), ("-9d +9c ^9c", [1]), ("-9d ^9x", [0]), ("-9x ^9c", [0])]
)
def test_a_card_of_one_deck_that_is_shown_is_none_of_another_suit(acts: str, places: list[int | None]) -> None:
    assert meant(acts, one_deck=True) == places


@pytest.mark.parametrize(
    ("acts", "places"),
    [
        ("+9c +9c ~9c ~9c ~9c", [1, 0, None]),  # the last one first
        ("-9c +9c -9c ~9c ~9c ~9c", [2, 1, 0]),
        ("+9c -?? ~8c", [1]),  # none of that name: the last one without a name
        ("-?? +9c ^9c ~9c ~9c", [0, 1, 0]),
        ("+9c ~8c", [None]),
        ("+9x +8c ~9c", [0]),  # its suit was not told
        ("+9x +9d -?? ~9c ~9c ~9c", [0, 2, 1]),  # the log contradicts itself where no other is left
        ("+9c +9x +9d ~9x ~9x ~9x", [2, 1, 0]),
        ("-?? +9c ~9x ~9x", [1, 0]),
        ("+9c ~??", [None]),
    ],
)
def test_a_card_that_is_taken_away(acts: str, places: list[int | None]) -> None:
    assert meant(acts) == places
