"""Exact odds at Black Jack against short formulas and a second way of counting the bank's hand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction

import pytest

from replayer.contract.rules import Rules
from replayer.law.black_jack import GAME
from replayer.law.black_jack.outcome import BankOutcome
from replayer.law.odds import NotComputable, odds
from replayer.law.odds.black_jack import RANKS, bank, insurance, rules_of, side_wager
from replayer.law.rulings import readings_by
from tests.law.notation import judge_bank

INFINITE, SIX = None, 6
VERSIONS = ("bj.141-2000", "bj.56-2004", "bj.56-2004+42-2007", "bj.57-2009")


def ev(wager: str, decks: int | None, **readings: str) -> Fraction:
    chosen = {name.replace("BJ_", "BJ-"): reading for name, reading in readings.items()}
    found = side_wager(rules_of("bj.57-2009", readings_by(chosen)), wager, decks)
    assert found is not None
    assert sum(Fraction(likely) for likely in found["probability"].values()) == 1
    return Fraction(found["ev"])


@pytest.mark.parametrize(("decks", "same", "left"), [(INFINITE, 1, 13), (SIX, 23, 311)])
def test_art14_n1_any_pair(decks: int | None, same: int, left: int) -> None:
    assert ev("any_pair", decks) == Fraction(11 * same - (left - same), left)


def test_art14_n4_perfect_pair_of_six_decks() -> None:
    # Behind any card 5 are the same, 6 have its rank and colour, 12 its rank and the other colour, of 311.
    assert ev("perfect_pair", SIX) == Fraction(25 * 5 + 12 * 6 + 5 * 12 - (311 - 23), 311)


def test_art14_n3_an_ace_of_eleven_moves_over_13() -> None:
    pips = {rank: min(number, 10) for number, rank in enumerate("A23456789TJQK", 1)}
    over = sum((pips[a] + 10 * (a == "A") + pips[b] + 10 * (b == "A")) > 13 for a in pips for b in pips)
    assert ev("over_13", INFINITE, BJ_43="eleven") == Fraction(over - (169 - over), 169)


@pytest.mark.prove
def test_art14_n2_sevens_split_once() -> None:
    found = side_wager(rules_of("bj.57-2009", readings_by()), "sevens", INFINITE)
    assert found is not None
    probability = {int(key): Fraction(value) for key, value in found["probability"].items()}
    assert probability[-1] == Fraction(168, 169)
    assert sum(probability.values()) == 1
    # BJ-40: the third seven is the next card after the split; a quarter of a quarter has it of the pair's one suit.
    assert probability[500] + probability[5000] == Fraction(1, 169) * Fraction(1, 13)
    assert probability[5000] == Fraction(1, 169) * Fraction(1, 13) * Fraction(1, 16)
    assert probability[150] == Fraction(1, 169) * Fraction(12, 13) * Fraction(1, 4)


@pytest.mark.parametrize(("decks", "tens", "left"), [(INFINITE, 4, 13), (SIX, 96, 311)])
@pytest.mark.parametrize("version", VERSIONS)
def test_art12_insurance(version: str, decks: int | None, tens: int, left: int) -> None:
    found = insurance(rules_of(version, readings_by()), decks)
    assert found is not None
    assert Fraction(found["ev"]) == Fraction(2 * tens - (left - tens), left)


def bank_by_points(upcard: str, *, hits_a6: bool) -> Mapping[str, Fraction]:
    """The bank's hand from an endless shoe, followed by points: a second way, written from art. 6(1)."""
    found: defaultdict[str, Fraction] = defaultdict(Fraction)

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

    first = {"A": 1, "T": 10}.get(upcard) or int(upcard)
    follow(first, 1, int(first == 1), Fraction(1), False)
    return found


@pytest.mark.parametrize(("version", "hits_a6"), [("bj.56-2004", False), ("bj.57-2009", True)])
@pytest.mark.parametrize("upcard", ["6", "T", pytest.param("A", marks=pytest.mark.prove)])
def test_art6_n1_what_the_bank_comes_to(version: str, hits_a6: bool, upcard: str) -> None:
    found = bank(rules_of(version, readings_by()), upcard, INFINITE)
    assert {str(outcome): likely for outcome, likely in found.items()} == bank_by_points(upcard, hits_a6=hits_a6)


def test_figures_and_suits_make_no_difference_to_the_bank() -> None:
    rules = rules_of("bj.57-2009", readings_by())
    assert RANKS[-1] == "T"
    tens = {rank: bank_after(rules, rank) for rank in "TJQK"}
    assert len(set(tens.values())) == 1


def bank_after(rules: Rules, rank: str) -> tuple[BankOutcome | None, ...]:
    histories = [f"hand +{rank} | +{second} +{third}" for second in "A26T" for third in "A5T"]
    return tuple(judge_bank(GAME, history, rules).outcome for history in histories)


def test_impossible_shoes() -> None:
    with pytest.raises(NotComputable, match="from one to"):
        odds("bj.57-2009", decks=0)


@pytest.mark.prove
@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_computes_whole(version: str) -> None:
    figures = odds(version, SIX, workers=2)
    sides = set() if version == "bj.141-2000" else {"any_pair", "sevens", "over_13", "under_13"}
    sides |= {"perfect_pair"} if version == "bj.57-2009" else set()
    assert set(figures["wagers"]) == sides | {"insurance"}
    assert set(figures["bank"]) == set(RANKS)
    for row in figures["bank"].values():
        assert sum(Fraction(likely) for likely in row["probability"].values()) == 1
