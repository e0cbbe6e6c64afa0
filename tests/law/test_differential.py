"""The program against the oracle: random rounds, lawful and not, settled by two bodies of rules and compared to the wager."""

from __future__ import annotations

import multiprocessing
import os
import random
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import reduce
from itertools import repeat
from operator import add

import pytest

from replayer.engine.replay_settings import ReplaySettings
from replayer.law.rulings import readings_by, register
from tests.oracle import black_jack
from tests.oracle.compare import (
    DAY,
    IDS,
    UNLAWFUL,
    Compared,
    black_jack_days,
    black_jack_rounds,
    fortune_days,
    fortune_deals,
    fortune_dues,
    some_round,
)
from tests.oracle.fortune_3_card_poker import V78, V97
from tests.oracle.rounds import elected, notation, some_deal, some_house
from tests.texts import replay_text

BLACK_JACK_ROUNDS = 800_000
FORTUNE_DEALS = 400_000
CHUNK = 10_000

REACHED = {
    "main": {-1, Fraction(-1, 2), 0, Fraction(1, 2), 1, Fraction(3, 2), 3, None},
    "split": {-1, 0, Fraction(1, 2), 1, 3, None},
    "double": {-1, 0, 1, 3, None},
    "insurance": {-1, 2, None},
    "any_pair": {-1, 11, None},
    "sevens": {-1, 50, 150, 500, 5000, None},
    "over_13": {-1, 1, None},
    "under_13": {-1, 1, None},
    "perfect_pair": {-1, 5, 12, 25, None},
}
"""All that a wager of Black Jack can be due by default; None where the version has no such wager or the bank's cards are
not there."""

NOT_MET = {
    "BJ-5": "totals are not called",
    "BJ-6": "totals are not called",
    "BJ-15": "about the amount that may be staked",
    "BJ-16": "a wager placed after its moment counts (X-7)",
    "BJ-19": "where the hidden card is not checked the hands are settled as without it, whether or not it had to be",
    "BJ-29": "no round is cancelled",
    "BJ-37": "about which wagers may be placed together",
    "BJ-59a": "about which cards may be separated: a split that was accepted is settled",
    "BJ-59b": "about which cards may be separated: a split that was accepted is settled",
    "BJ-61": "about how often a pair may be separated: a split that was accepted is settled",
    "BJ-65": "about the amount that may be staked",
    "BJ-65b": "about which hands may be doubled: a double that was accepted is settled",
    "BJ-70b": "one player bets on each seat",
    "F3-11": "no card of the croupier is exposed",
    "F3-12": "the cards are dealt in their order",
}
"""Money rulings on which no due of these rounds hangs, and why."""

SETTLED_AS_THE_ORACLE_DOES = {
    ("BJ-7", "void"): "the card leaves the bank's hand either way: it is removed, or is the shoe's next",
    ("BJ-38", "once"): "forbids a stake that the rounds place; it is settled all the same",
}
"""Readings of money rulings under which these rounds are due the same as by default, and why."""

OTHER_READINGS = [
    (ruling.id, reading)
    for ruling in register().values()
    for reading in ruling.readings[1:]
    if ruling.money and ruling.game != "*" and ruling.id not in NOT_MET
    if (ruling.id, reading) not in SETTLED_AS_THE_ORACLE_DOES
]


def agreed(compared: Compared, wagers: int) -> None:
    """Nothing differs, and at least so many wagers were compared."""
    assert not compared.differences, "\n".join(compared.differences)
    assert compared.wagers >= wagers


def test_black_jack_rounds_are_settled_as_the_oracle_does() -> None:
    agreed(black_jack_rounds(seed=1, count=2000), wagers=8_000)


def test_fortune_deals_are_settled_as_the_oracle_does() -> None:
    agreed(fortune_deals(seed=1, count=2000), wagers=8_000)


def test_table_days_of_black_jack_are_settled_as_the_oracle_does_from_their_text() -> None:
    agreed(black_jack_days(seed=1, days=5, rounds=60), wagers=1200)


def test_table_days_of_fortune_are_settled_as_the_oracle_does_from_their_text() -> None:
    agreed(fortune_days(seed=1, days=4, rounds=60), wagers=900)


def test_the_rounds_reach_everything_that_can_be_due() -> None:
    dice = random.Random(2)
    reached = defaultdict(set)
    for number in range(15_000):
        made = some_round(dice, unlawful=number % 2 * UNLAWFUL)
        for seat in made.seats.values():
            for (_, kind), due in black_jack.settle(seat, made.bank, made.house).items():
                reached[kind].add(due)
    assert {kind: dues - reached[kind] for kind, dues in REACHED.items() if dues - reached[kind]} == {}


def test_the_deals_reach_everything_that_can_be_due() -> None:
    dice = random.Random(2)
    reached: dict[str, set[Fraction]] = defaultdict(set)
    for number in range(20_000):
        version = (V78, V97)[number % 2]
        for dues in fortune_dues(some_deal(dice, undecided=0.05), version).values():
            for kind, due in dues.items():
                reached[f"{kind} {version}"].add(due)
    assert reached == {
        f"ante {V78}": {-1, 0, 1, 4, 5},
        f"raise {V78}": {-1, 0, 1, 4, 5},
        f"ante {V97}": {-1, 0, 1, 2, 3, 4, 5, 6},
        f"raise {V97}": {-1, 0, 1},
        f"pair_plus {V78}": {-1, 1, 4, 5, 25, 40},
        f"pair_plus {V97}": {-1, 1, 4, 5, 25, 40},
    }


@pytest.mark.parametrize(
    ("ruling", "reading"), [("BJ-44", "cumulative_zh"), ("BJ-12", "max"), ("BJ-43", "eleven"), ("F3-4", "player")]
)
def test_another_reading_of_the_program_is_noticed(ruling: str, reading: str) -> None:
    """The oracle knows the default readings only: where a due hangs on another one the two must part."""
    assert bool(differences(ruling, reading, 1000)) is (reading != register()[ruling].default)


def test_a_due_names_no_ruling_of_another_version() -> None:
    dice, named = random.Random(4), set()
    for _ in range(16):
        house = some_house(dice)
        options = " ".join(f"option:{name}={value}" for name, value in elected(house).items())
        rounds = [notation(some_round(dice, house, unlawful=number % 2 * UNLAWFUL), number) for number in range(1, 41)]
        text = "\n".join([f"open:black_jack:MOP:7=0 {options} shuffle:1:hand:6", *rounds, "#- close=0"])
        settings = ReplaySettings(regulation=IDS[house.version])
        wagers = replay_text(text, DAY, settings).wagers
        named |= {(ruling, IDS[house.version]) for rulings in wagers["rulings"].unique() for ruling in rulings.split()}
    assert [(ruling, version) for ruling, version in named if not {version, "*"} & {*register()[ruling].versions}] == []
    assert len(named) > 50


@pytest.mark.prove
@pytest.mark.parametrize(("ruling", "reading"), OTHER_READINGS)
def test_every_other_reading_is_noticed(ruling: str, reading: str) -> None:
    assert any(differences(ruling, reading, count) for count in (1000, 10_000, 100_000))


def differences(ruling: str, reading: str, count: int) -> tuple[str, ...]:
    """What differs when the program, and not the oracle, takes another reading."""
    settle = black_jack_rounds if register()[ruling].game == "black_jack" else fortune_deals
    return settle(seed=5, count=count, readings=readings_by({ruling: reading})).differences


@pytest.mark.prove
def test_a_million_rounds_are_settled_as_the_oracle_does() -> None:
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("fork")) as pool:
        hands = pool.map(black_jack_rounds, range(100, 100 + BLACK_JACK_ROUNDS // CHUNK), repeat(CHUNK))
        deals = pool.map(fortune_deals, range(100, 100 + FORTUNE_DEALS // CHUNK), repeat(CHUNK))
        both = (reduce(add, hands, Compared()), reduce(add, deals, Compared()))
    for compared, rounds in zip(both, (BLACK_JACK_ROUNDS, FORTUNE_DEALS), strict=True):
        agreed(compared, wagers=4 * rounds)
        assert compared.rounds == rounds


@pytest.mark.prove
def test_many_table_days_are_settled_as_the_oracle_does_from_their_text() -> None:
    agreed(black_jack_days(seed=9, days=40, rounds=250), wagers=40_000)
    agreed(fortune_days(seed=9, days=40, rounds=250), wagers=40_000)
