"""Exact odds of Fortune 3 Card Poker against direct counting and published figures."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest

from replayer.contract.cards import Card, card_of
from replayer.law import calendar
from replayer.law.calendar import version_named
from replayer.law.fortune_3_card_poker.cards import Hand, hand_of
from replayer.law.fortune_3_card_poker.despacho_97_2008 import DSEF_97_2008
from replayer.law.fortune_3_card_poker.outcome import BankOutcome
from replayer.law.odds import NotComputable, odds
from replayer.law.odds.fortune import Table, kinds, play
from replayer.law.rulings import readings_by
from schemas.cards import DECK
from tests.law.notation import cards

WHOLE_DECK = [card_of(name) for name in DECK]


def test_1755_kinds_of_hands_stand_for_all_22100() -> None:
    found = dict(kinds())
    assert len(found) == 1755
    assert sum(found.values()) == 22_100


def test_no_suit_is_preferred_by_the_game() -> None:
    swap = dict(zip("cdhs", "dhsc", strict=True))  # with the next one it makes every exchange of suits
    turn = dict(zip("cdhs", "dchs", strict=True))
    for dealt in combinations(WHOLE_DECK, 3):
        hand = hand_of(dealt)
        for other in (swap, turn):
            assert hand_of(Card(rank, other[suit]) for rank, suit in dealt) == hand


@pytest.mark.parametrize("dealt", list(map(cards, ("Ac Ad Ah", "Qs 6d 4d", "9c Tc Jc"))))
def test_a_hand_against_every_croupier_counted_one_by_one(dealt: tuple[Card, ...]) -> None:
    table = Table(DSEF_97_2008, readings_by())
    hand = hand_of(dealt)
    left = [card for card in WHOLE_DECK if card not in dealt]
    croupiers: Counter[Hand] = Counter(hand_of(other) for other in combinations(left, 3))
    dues = {
        each: table.due("ante", "raised", hand, BankOutcome(each))
        + table.due("raise", "raised", hand, BankOutcome(each))
        for each in croupiers
    }
    total = sum((times * dues[croupier] for croupier, times in croupiers.items()), Fraction())
    assert croupiers.total() == 18_424
    assert table.croupiers.without(dealt) == croupiers
    (kind,) = play(table, [(dealt, 1)])
    assert kind.due == total
    assert sum(kind.met.values()) == 18_424


def test_text_not_at_hand_is_not_computed() -> None:
    with pytest.raises(NotComputable, match="F3-17"):
        odds("f3.89-2025")
    with pytest.raises(NotComputable, match="one deck"):
        odds("f3.78-2008", decks=6)


def test_a_game_without_odds_is_refused_and_not_taken_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    baccarat = replace(version_named("bj.57-2009"), id="bac.1-2030", game="baccarat")
    monkeypatch.setattr(calendar, "VERSIONS", (*calendar.VERSIONS, baccarat))
    with pytest.raises(
        NotComputable, match="no odds of baccarat are computed, only of black_jack, fortune_3_card_poker"
    ):
        odds("bac.1-2030")


@pytest.mark.prove
def test_art10_pair_plus_over_all_hands() -> None:
    figures = odds("f3.78-2008", workers=1)["pair_plus"]
    won = {40: 48, 25: 52, 5: 720, 4: 1096, 1: 3744, -1: 16440}
    assert {int(key): Fraction(value) for key, value in figures["probability"].items()} == {
        prize: Fraction(number, 22_100) for prize, number in won.items()
    }
    assert Fraction(figures["ev"]) == Fraction(sum(prize * number for prize, number in won.items()), 22_100)


@pytest.mark.prove
def test_published_edges_of_ante_and_play() -> None:
    """Three Card Poker with a bonus of 1, 4 and 5 on the ante, raised on Q-6-4 or better.

    Wizard of Odds, "Three Card Poker": 3.37 % of the ante; the croupier plays 69.59 %. J. Grochowski, "About Three Card
    Poker": 2.01 % of all that is staked.
    """
    ticks: list[tuple[int, int]] = []
    figures = odds("f3.78-2008+97-2008", progress=lambda done, total: ticks.append((done, total)), workers=2)
    simple, best = figures["ante_and_raise"]["simple"], figures["ante_and_raise"]["best"]
    assert round(float(-Fraction(simple["ev"])) * 100, 4) == 3.3730
    staked = 1 + Fraction(simple["raises"], 22_100)
    assert round(float(-Fraction(simple["ev"]) / staked) * 100, 2) == 2.01
    assert simple == best  # Q-6-4 is the best there is
    assert round(figures["croupier"]["plays"] / figures["deals"] * 100, 2) == 69.59
    assert figures["deals"] == 22_100 * 18_424
    assert sum(row["hands"] for row in figures["player"].values()) == 22_100
    for row in figures["player"].values():
        assert row["deals"] == row["hands"] * 18_424
        assert row["croupier_below"] + row["wins"] + row["ties"] + row["loses"] == row["deals"]
    assert ticks[-1] == (20, 20)


@pytest.mark.prove
def test_edge_without_a_bonus_is_greater_by_what_the_bonus_pays() -> None:
    """5 for 48 straight flushes, 4 for 52 trios, 1 for 720 straights, all of them raised."""
    figures = odds("f3.78-2008+97-2008", readings=readings_by({"F3-7": "none"}), workers=2)
    assert figures["readings"] == {"F3-7": "none"}
    edge = -Fraction(figures["ante_and_raise"]["simple"]["ev"])
    assert round(float(edge - Fraction(5 * 48 + 4 * 52 + 720, 22_100)) * 100, 4) == 3.3730


@pytest.mark.prove
def test_what_a_reading_of_the_straight_moves() -> None:
    """F3-3: of 720 straights, 12 sequences of 4 x 3 x 2 suits remain, the other 432 hands are odd cards."""
    figures = odds("f3.78-2008", readings=readings_by({"F3-3": "all_different"}), workers=2)
    hands = defaultdict(int, {name: row["hands"] for name, row in figures["player"].items()})
    assert hands["straight"] == 12 * 24
    assert hands["three odd cards"] == 16_440 + 432
