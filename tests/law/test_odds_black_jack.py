"""Exact odds at Black Jack against short formulas and a second way of counting the bank's hand."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from replayer.law.odds import odds

INFINITE, SIX = None, 6


@cache
def figures(version: str, decks: int | None) -> dict[str, Any]:
    return odds(version, decks, workers=1)


def ev(version: str, wager: str, decks: int | None) -> Fraction:
    return Fraction(figures(version, decks)["wagers"][wager]["ev"])


@pytest.mark.parametrize(("decks", "same", "left"), [(INFINITE, 1, 13), (SIX, 23, 311)])
def test_art14_n1_any_pair(decks: int | None, same: int, left: int) -> None:
    assert ev("bj.57-2009", "any_pair", decks) == Fraction(11 * same - (left - same), left)


def test_art14_n4_perfect_pair_of_six_decks() -> None:
    # Behind any card 5 are the same, 6 have its rank and colour, 12 its rank and the other colour, of 311.
    assert ev("bj.57-2009", "perfect_pair", SIX) == Fraction(25 * 5 + 12 * 6 + 5 * 12 - (311 - 23), 311)


def test_art14_n3_over_and_under_13() -> None:
    # Aces count one: of 169 pairs of ranks so many are above and below thirteen.
    pips = [min(rank, 10) for rank in range(1, 14)]
    totals = Counter((a + b > 13) - (a + b < 13) for a in pips for b in pips)
    assert ev("bj.57-2009", "over_13", INFINITE) == Fraction(totals[1] - totals[0] - totals[-1], 169)
    assert ev("bj.57-2009", "under_13", INFINITE) == Fraction(totals[-1] - totals[0] - totals[1], 169)


def test_art14_n2_sevens_split_once() -> None:
    # Two sevens in 1/169, suited in a quarter; a third seven follows to the split pair's first hand in 1/13.
    probability = figures("bj.57-2009", INFINITE)["wagers"]["sevens"]["probability"]
    assert Fraction(probability["-1"]) == Fraction(168, 169)
    assert sum(Fraction(value) for value in probability.values()) == 1
    assert Fraction(probability["5000"]) < Fraction(1, 169) * Fraction(1, 4) * Fraction(2, 13)


@pytest.mark.parametrize(("decks", "tens", "left"), [(INFINITE, 4, 13), (SIX, 96, 311)])
@pytest.mark.parametrize("version", ["bj.141-2000", "bj.56-2004", "bj.57-2009"])
def test_art12_insurance(version: str, decks: int | None, tens: int, left: int) -> None:
    assert ev(version, "insurance", decks) == Fraction(2 * tens - (left - tens), left)


def test_141_2000_has_no_side_wagers() -> None:
    assert set(figures("bj.141-2000", INFINITE)["wagers"]) == {"insurance"}


def bank_by_points(upcard: int, *, hits_a6: bool) -> Counter[str]:
    """The bank's hand from an endless shoe, followed by points: a second way, written from art. 6(1)."""
    found: Counter[str] = Counter()

    def follow(hard: int, cards: int, aces: int, likely: Fraction, a6: bool) -> None:
        points = hard + 10 if aces and hard + 10 <= 21 else hard
        if cards == 2 and points == 21:
            found["bj"] += likely
        elif cards >= 2 and points >= 17 and not (hits_a6 and a6):
            found["bust" if points > 21 else str(points)] += likely
        else:
            for rank in range(1, 14):
                card = min(rank, 10)
                pair = cards == 1 and {hard, card} == {1, 6}
                follow(hard + card, cards + 1, aces + (card == 1), likely / 13, pair)

    follow(upcard, 1, int(upcard == 1), Fraction(1), False)
    return found


@pytest.mark.parametrize(("version", "hits_a6"), [("bj.56-2004", False), ("bj.57-2009", True)])
@pytest.mark.parametrize("upcard", "A6T")
def test_art6_n1_what_the_bank_comes_to(version: str, hits_a6: bool, upcard: str) -> None:
    probability = figures(version, INFINITE)["bank"][upcard]["probability"]
    card = {"A": 1, "T": 10}.get(upcard) or int(upcard)
    assert {key: Fraction(value) for key, value in probability.items()} == bank_by_points(card, hits_a6=hits_a6)


def test_published_bank_busts_of_an_endless_shoe() -> None:
    """Stands on every 17: 42.3154 % busts behind a six."""
    busts = Fraction(figures("bj.56-2004", INFINITE)["bank"]["6"]["probability"]["bust"])
    assert round(float(busts) * 100, 4) == 42.3154


def test_six_decks_lose_the_open_card_only() -> None:
    for upcard, row in figures("bj.57-2009", SIX)["bank"].items():
        assert sum(Fraction(value) for value in row["probability"].values()) == 1, upcard
    tens = Fraction(figures("bj.57-2009", SIX)["bank"]["A"]["probability"]["bj"])
    assert tens == Fraction(96, 311)
