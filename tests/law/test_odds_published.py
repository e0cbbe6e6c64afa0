"""What public literature prints for these wagers, reproduced by ``odds`` to the last digit printed.

Each figure stands as its source has it, with what the source assumes. Nothing here was computed by this program. Some
sources round, some cut off, some fit a column to 100: a figure agrees that is less than one unit of the last digit away.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from replayer.law.black_jack.outcome import BANK_NATURAL
from replayer.law.odds import odds
from replayer.law.odds.black_jack import bank, insurance, rules_of, side_wager
from replayer.law.rulings import readings_by
from tests.law.outcomes import bank as bank_of

INFINITE = None


def agrees(printed: str, exact: Fraction, *, percent: bool = False) -> bool:
    """Whether a figure is a printed one, to as many places as that has."""
    unit = Fraction(Decimal(1).scaleb(Decimal(printed).as_tuple().exponent))  # type: ignore[arg-type]
    return abs((100 if percent else 1) * exact - Fraction(printed)) < unit


def wager(kind: str, decks: int | None) -> dict[str, Any]:
    found = side_wager(rules_of("bj.57-2009", readings_by()), kind, decks)
    assert found is not None
    return found


def edge(kind: str, decks: int | None) -> Fraction:
    return -Fraction(wager(kind, decks)["ev"])


def chances(kind: str, decks: int | None) -> dict[int, Fraction]:
    return {int(pays): Fraction(likely) for pays, likely in wager(kind, decks)["probability"].items()}


# Additional wagers, 57/2009 art. 14


@pytest.mark.parametrize(
    ("decks", "printed"),
    [(1, "29.41"), (2, "18.45"), (3, "14.84"), (4, "13.04"), (5, "11.97"), (6, "11.25"), (8, "10.36")],
)
def test_art14_n1_any_pair_at_11_to_1(decks: int, printed: str) -> None:
    """Wizard of Odds, "Pair Play": 11 to 1 on a pair in the first two cards, house edge by decks, per cent."""
    assert agrees(printed, edge("any_pair", decks), percent=True)


def test_art14_n1_pairs_of_six_decks() -> None:
    """Wizard of Odds, "Pair Play": 3,588 of 48,516 combinations of two cards are pairs."""
    assert chances("any_pair", 6) == {11: Fraction(3588, 48_516), -1: Fraction(44_928, 48_516)}


def test_art14_n2_sevens_of_six_decks() -> None:
    """Wizard of Odds, "Super Sevens", six decks with a third card assured.

    Assumed there and here: who has two sevens splits them, and the next card counts. The probabilities are of the cards;
    what they pay in Macau differs (50, 150, 500, 5000, nothing for one seven).
    """
    found = chances("sevens", 6)
    assert agrees("0.000016", found[5000])
    assert agrees("0.000388", found[500])
    assert agrees("0.001149", found[150])
    assert agrees("0.004136", found[50])


@pytest.mark.parametrize(
    ("decks", "under", "over"),
    [
        (1, ("44.95", "10.11"), ("46.61", "6.79")),
        (2, ("44.96", "10.08"), ("46.68", "6.65")),
        (4, ("44.97", "10.07"), ("46.71", "6.58")),
        (6, ("44.97", "10.07"), ("46.73", "6.55")),
        (8, ("44.97", "10.06"), ("46.73", "6.54")),
    ],
)
def test_art14_n3_over_and_under_13(decks: int, under: tuple[str, str], over: tuple[str, str]) -> None:
    """Wizard of Odds, "Over/Under 13", the ace one: probability of winning and house edge, per cent."""
    for kind, (likely, against) in (("under_13", under), ("over_13", over)):
        assert agrees(likely, chances(kind, decks)[1], percent=True)
        assert agrees(against, edge(kind, decks), percent=True)


def test_art14_n3_over_and_under_13_of_six_decks() -> None:
    """E. Jacobson, "Card Counting the Over/Under 13 Blackjack Side Bet, Update #1": 6.555 and 10.067 per cent."""
    assert agrees("6.555", edge("over_13", 6), percent=True)
    assert agrees("10.067", edge("under_13", 6), percent=True)


def test_art14_n4_perfect_pair_of_eight_decks() -> None:
    """Wizard of Odds, "Perfect Pairs", pay table C (25, 12, 5, the highest class only), said to be played in Macau."""
    found = chances("perfect_pair", 8)
    printed = {25: "0.016867", 12: "0.019277", 5: "0.038554", -1: "0.925301"}
    assert all(agrees(likely, found[pays]) for pays, likely in printed.items())
    assert agrees("-0.079518", -edge("perfect_pair", 8))


# Insurance and naturals, arts. 10 and 12


def test_art12_insurance_of_an_endless_shoe() -> None:
    """A. Krigman, "When Insurance Gives Blackjack Players an Edge" (1997): 7.7 cents to the dollar, the ace not removed."""
    found = insurance(rules_of("bj.57-2009", readings_by()), INFINITE)
    assert found is not None
    assert agrees("7.7", -Fraction(found["ev"]), percent=True)


@pytest.mark.parametrize(("decks", "printed"), [(1, "31.37"), (2, "31.07")])
def test_art12_black_jack_under_an_ace(decks: int, printed: str) -> None:
    """blackjackinfo.com, "Blackjack Dealer Outcome Probabilities": an ace up; insurance wins just as often."""
    rules = rules_of("bj.57-2009", readings_by())
    insured = insurance(rules, decks)
    assert insured is not None
    assert agrees(printed, bank(rules, "A", decks)[BANK_NATURAL], percent=True)
    assert agrees(printed, Fraction(insured["probability"]["2"]), percent=True)


@pytest.mark.parametrize(
    ("decks", "printed"), [(INFINITE, "4.73"), (8, "4.745"), (6, "4.749"), (4, "4.756"), (1, "4.83")]
)
def test_art10_n1_how_often_two_cards_are_black_jack(decks: int | None, printed: str) -> None:
    """onlineblackjack.org, "Drawing a natural blackjack" (2010): an ace first in 1 of 13 hands, a ten in 4."""
    rules = rules_of("bj.56-2004", readings_by())
    natural = (
        Fraction(1, 13) * bank(rules, "A", decks)[BANK_NATURAL]
        + Fraction(4, 13) * bank(rules, "T", decks)[BANK_NATURAL]
    )
    assert agrees(printed, natural, percent=True)


# The bank's hand, 56/2004 art. 6: it stands on every 17


@pytest.mark.parametrize(
    ("upcard", "published"),
    [
        ("A", {"17": "0.126128", "20": "0.131553", "bj": "0.313726", "bust": "0.11654"}),
        ("9", {"17": "0.121886", "18": "0.103921", "19": "0.357391"}),
        ("8", {"17": "0.130857", "18": "0.362989", "19": "0.129445", "bust": "0.238627"}),
        ("7", {"17": "0.372345", "18": "0.138583", "bust": "0.259854"}),
        ("6", {"17": "0.166948", "18": "0.106454", "19": "0.107192", "20": "0.100705", "bust": "0.420823"}),
        ("5", {"17": "0.119687", "18": "0.123483", "21": "0.106321", "bust": "0.428905"}),
        ("4", {"17": "0.130973", "18": "0.114163", "21": "0.115096", "bust": "0.402803"}),
        ("3", {"17": "0.130313", "18": "0.130946", "21": "0.116047", "bust": "0.375588"}),
        ("2", {"17": "0.138976", "18": "0.131762", "21": "0.120526", "bust": "0.352973"}),
    ],
)
def test_what_the_bank_comes_to_with_one_deck(upcard: str, published: dict[str, str]) -> None:
    """Wizard of Odds, Blackjack appendix 2B: one deck, stands on every 17, hidden card not looked at."""
    found = bank(rules_of("bj.56-2004", readings_by()), upcard, 1)
    assert [outcome for outcome, likely in published.items() if not agrees(likely, found[bank_of(outcome)])] == []


@pytest.mark.parametrize(
    ("upcard", "published"),
    [
        ("7", {"17": "36.86", "18": "13.78", "19": "7.86", "20": "7.86", "21": "7.41", "bust": "26.23"}),
        ("8", {"17": "12.86", "18": "35.93", "19": "12.86", "20": "6.94", "21": "6.94", "bust": "24.47"}),
        ("9", {"17": "12.00", "18": "12.00", "19": "35.08", "20": "12.00", "21": "6.08", "bust": "22.84"}),
        (
            "T",
            {"17": "11.14", "18": "11.14", "19": "11.14", "20": "34.22", "21": "3.45", "bj": "7.69", "bust": "21.22"},
        ),
        (
            "A",
            {"17": "13.08", "18": "13.08", "19": "13.08", "20": "13.08", "21": "5.39", "bj": "30.77", "bust": "11.52"},
        ),
        ("6", {"bust": "42.31"}),
    ],
)
def test_what_the_bank_comes_to_with_an_endless_shoe(upcard: str, published: dict[str, str]) -> None:
    """A. Krigman, "How Well Can You Predict Dealers' Final Totals from their Upcards?" (2006): stands on every 17.

    Of its table for low cards only the bust with a six is at hand.
    """
    found = bank(rules_of("bj.56-2004", readings_by()), upcard, INFINITE)
    assert [
        outcome for outcome, likely in published.items() if not agrees(likely, found[bank_of(outcome)], percent=True)
    ] == []


# Fortune 3 Card Poker


@pytest.mark.prove
def test_art8_how_often_three_cards_make_each_hand() -> None:
    """Wizard of Odds, "Three Card Poker": combinations among 22,100; art. 10 pays them 40, 25, 5, 4 and 1."""
    combinations = {40: 48, 25: 52, 5: 720, 4: 1096, 1: 3744, -1: 16_440}
    found = {int(pays): Fraction(likely) for pays, likely in odds("f3.78-2008")["pair_plus"]["probability"].items()}
    assert found == {pays: Fraction(number, 22_100) for pays, number in combinations.items()}
