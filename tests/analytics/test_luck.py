"""Theoretical win and luck: stated of the wagers whose edge is exact, and of no others; honest days are as likely as they say."""

from __future__ import annotations

import datetime as dt
import tomllib
from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

import pytest

from analytics import marts
from analytics.lake import Pins, write
from analytics.reconciliation.reconcile import reconcile
from analytics.reconciliation.result import TableRow
from analytics.report.plots import luck_by_table
from flows.runs import run_nightly
from flows.settings import Settings
from producers.simulator import pit, simulate
from producers.simulator.plan import BLACK_JACK, FORTUNE
from replayer.contract.cards import card_of
from replayer.law.calendar import version_named
from replayer.law.fortune_3_card_poker.cards import hand_of
from replayer.law.odds import fortune
from replayer.law.rulings import readings_by
from schemas.cards import DECK
from tests.analytics import made
from tests.lakes import connect

DAY = dt.date(2009, 6, 1)
F3 = {"game": "fortune_3_card_poker"}
Cards = tuple[int, ...]


@cache
def pair_plus() -> dict[Cards, int]:
    """What Pair Plus pays on every three cards (78/2008 art. 10), by a reading of its own: 0 is the deuce of one suit."""
    return {
        hand: _odds(sorted(card // 4 for card in hand), {card % 4 for card in hand})
        for hand in combinations(range(52), 3)
    }


def _odds(ranks: list[int], suits: set[int]) -> int:
    straight = ranks[0] < ranks[1] < ranks[2] and (ranks[2] - ranks[0] == 2 or ranks == [0, 1, 12])
    if straight or ranks[0] == ranks[2]:
        return 25 if not straight else 40 if len(suits) == 1 else 5
    return 4 if len(suits) == 1 else 1 if len(set(ranks)) == 2 else -1


@cache
def moments() -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Of what the house wins of one: mean, variance, covariance of two hands of one deck, fourth central moment."""
    hands = pair_plus()
    total, with_one, with_two = sum(hands.values()), defaultdict[int, int](int), defaultdict[Cards, int](int)
    for hand, odds in hands.items():
        for card in hand:
            with_one[card] += odds
        for two in combinations(hand, 2):
            with_two[two] += odds
    product = 0  # over all ordered pairs of hands without a common card
    for hand, odds in hands.items():
        ones, twos = sum(with_one[card] for card in hand), sum(with_two[two] for two in combinations(hand, 2))
        product += odds * (total - ones + twos - odds)
    mean = Fraction(total, len(hands))
    variance, fourth = (sum((odds - mean) ** n for odds in hands.values()) / len(hands) for n in (2, 4))
    return -mean, variance, Fraction(product, len(hands) * 18_424) - mean**2, fourth


def test_edge_is_what_the_cards_count_to() -> None:
    (edge,) = marts.house_edges()
    assert edge["wagers"] == ["pair_plus"]
    stated = tuple(Fraction(edge[name]) for name in ("edge", "variance", "covariance"))
    assert stated == moments()[:3]


def test_no_edge_is_stated_that_has_no_source_or_hangs_on_play() -> None:
    text = (Path(marts.__file__).parent / "house_edges.toml").read_text(encoding="utf-8")
    regulations = [name for edge in tomllib.loads(text)["edge"] for name in edge["regulations"]]
    assert len(regulations) == len(set(regulations)), "the covariance is between hands, not between wagers on one hand"
    for edge in marts.house_edges():
        assert edge["source"] and not edge["source"].startswith("none")
        assert not set(edge["wagers"]) & {"main", "double", "split", "ante", "raise", "insurance", "sevens", "streak"}


def put_round(put: Any, *wagers: dict[str, Any], regulation: str = "f3.78-2008", **more: Any) -> None:
    rounds = [
        {"round": number, "regulation": regulation, "game": "fortune_3_card_poker", "dealer": "D1"}
        for number in sorted({wager["round"] for wager in wagers})
    ]
    put(wagers=wagers, rounds=rounds, **F3, **more)


def row_of(lake: Path) -> TableRow:
    (row,) = reconcile(lake, made.DAY).tables
    return row


def test_luck_covers_pair_plus_alone_and_says_how_much_of_the_handle(lake: Path, put: Any) -> None:
    put_round(
        put,
        made.wager(1, 100_000, -100_000, -100_000, wager="pair_plus"),
        made.wager(1, 30_000, 150_000, 150_000, wager="pair_plus", seat=2),
        made.wager(1, 100_000, 100_000, 100_000, wager="ante"),
        made.wager(1, 100_000, 100_000, 100_000, wager="raise"),
        made.wager(2, 20_000, -20_000, -20_000, wager="pair_plus"),
        made.wager(2, 50_000, -50_000, -50_000, wager="pair_plus", player="another on the same hand"),
    )  # fmt: skip
    row = row_of(lake)
    assert row.theoretical_stake_minor == 200_000
    assert row.theoretical_share == 0.5
    assert row.theoretical_win_minor == round(Fraction(1492, 22100) * 200_000)
    assert row.luck_minor == (100_000 - 150_000 + 20_000 + 50_000) - row.theoretical_win_minor
    _, variance, covariance, _ = moments()
    first = variance * (100_000**2 + 30_000**2) + 2 * covariance * 100_000 * 30_000
    assert row.luck_deviation_minor == pytest.approx(sqrt(first + variance * 70_000**2), abs=0.01)
    page = made.render(lake, made.DAY)
    assert "50.0 %" in page and "Theoretical win" in page


def test_deviations_of_a_houses_tables_add_up_by_their_squares(lake: Path, put: Any) -> None:
    for table, stake in (("A", 30_000), ("B", 40_000)):
        put_round(put, made.wager(1, stake, -stake, -stake, wager="pair_plus"), table_id=table)
    (house,) = reconcile(lake, made.DAY).house
    assert house.luck_deviation_minor == pytest.approx(sqrt(moments()[1]) * 50_000, abs=0.01)  # 3, 4 and 5


def test_what_polars_is_reported_to_print_is_nothing_to_the_plot_of_luck(
    lake: Path, put: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_round(put, made.wager(1, 100_000, -100_000, -100_000, wager="pair_plus"))
    drawn = luck_by_table(reconcile(lake, made.DAY))
    monkeypatch.setenv("POLARS_TABLE_WIDTH", "x")
    assert luck_by_table(reconcile(lake, made.DAY)) == drawn
    assert drawn.specification


def test_nothing_is_stated_of_black_jack(lake: Path, put: Any) -> None:
    kinds = ("main", "insurance", "any_pair", "perfect_pair", "over_13", "under_13", "sevens")
    put(wagers=[made.wager(1, 100, -100, -100, wager=kind) for kind in kinds])
    day = reconcile(lake, made.DAY)
    for row in (*day.tables, *day.house):
        assert (row.theoretical_win_minor, row.luck_minor, row.luck_deviation_minor) == (None, None, None)
        assert (row.theoretical_stake_minor, row.theoretical_share) == (0, 0.0)
    assert "No wager of this gaming day has an exact edge" in made.render(lake, made.DAY)


@pytest.mark.parametrize(
    ("rulings", "stated"),
    [
        ({"preset": "zh"}, True),
        ({"F3-3": "all_different"}, False),
        ({"straight_suits": "all_different"}, False),
        ({"F3-3": "all_different", "T1/F3-3": "not_all_same"}, True),
        ({"T1/F3-8a": "all_bets"}, False),
        ({"T2/F3-8a": "all_bets"}, True),
        ({"F3-99": "unheard of"}, False),
    ],
)
def test_edge_is_stated_under_the_readings_alone_that_it_was_counted_for(
    lake: Path, put: Any, rulings: dict[str, str], stated: bool
) -> None:
    put_round(put, made.wager(1, 100, -100, -100, wager="pair_plus"), pins=Pins("1.0", "rules", rulings))
    assert (row_of(lake).luck_minor is not None) == stated


def put_shown(put: Any, lost: dict[str, Any], status: str = "played") -> None:
    won = made.wager(1, 100, 4000, 4000, wager="pair_plus")
    put(
        wagers=[won, lost],
        rounds=[
            {"round": 1, "regulation": "f3.78-2008", "game": "fortune_3_card_poker"},
            {"round": 2, "regulation": "f3.78-2008", "game": "fortune_3_card_poker", "status": status},
        ],
        **F3,
    )


@pytest.mark.parametrize("kind", ["pair_plus", "all", "hand"])
def test_nothing_is_stated_of_hands_that_a_log_may_show_since_they_won(lake: Path, put: Any, kind: str) -> None:
    """A log that names the cards of winners alone shows a house without luck, honest as the day was."""
    put_shown(put, made.wager(2, 100, -100, None, wager=kind, status="unjudged", reason="one is not known"))
    row = row_of(lake)
    assert (row.luck_minor, row.theoretical_win_minor, row.theoretical_stake_minor) == (None, None, 0)
    page = made.render(lake, made.DAY)
    assert "nothing is said of its luck" in page and "Theoretical win" not in page


def test_a_round_that_lacks_events_was_not_left_out_for_its_cards(lake: Path, put: Any) -> None:
    unjudged = made.wager(2, 100, -100, None, wager="pair_plus", status="unjudged", reason="events are missing")
    put_shown(put, unjudged, status="incomplete")
    assert row_of(lake).theoretical_stake_minor == 100


def test_wagers_that_hang_on_more_than_their_cards_are_left_out(lake: Path, put: Any) -> None:
    whole = made.wager(1, 100, -100, -100, wager="pair_plus")
    late = made.wager(1, 100, 4000, 4000, wager="pair_plus", seat=2, placed_seq=77)
    given_back = [
        made.wager(2, 100, 0, 0, wager="pair_plus"),
        made.wager(3, 100, 0, 0, wager="pair_plus", status="void"),
    ]
    closed = {"seq": 77, "round": 1, "code": "WAGER_AFTER_CLOSE", "severity": "money", "message": "late"}
    put_round(put, whole, late, *given_back, findings=[closed])
    assert row_of(lake).theoretical_stake_minor == 100
    raised = made.wager(1, 150, 6000, 6000, wager="pair_plus", seat=3, placed_seq=70)
    added = {**closed, "seq": 78, "seat": 3, "player": raised["player"], "amount_minor": 50}
    put_round(put, raised, findings=[added])
    row = row_of(lake)
    assert (row.theoretical_stake_minor, row.luck_minor) == (100, -4000 - round(Fraction(1492, 22100) * 100))
    other = made.wager(1, 200, 200, 200, wager="ante", seat=3, placed_seq=71)
    put_round(put, raised, other, findings=[added])
    assert row_of(lake).theoretical_stake_minor == 0, "it may be the ante that was added to"
    other = made.wager(1, 50, 50, 50, wager="ante", seat=3, placed_seq=71)
    put_round(put, raised, other, findings=[added])
    assert row_of(lake).theoretical_stake_minor == 100
    fold = {"seq": 5, "round": 9, "code": "F3_FOLD_FORBIDDEN", "severity": "procedure", "message": "folded"}
    put_round(put, whole, findings=[fold])
    assert row_of(lake).theoretical_share == 1
    assert "1 fold that the law forbids" in made.render(lake, made.DAY)


# Honest days: 200 table-days on which nobody erred, held to what is said of their luck

TABLES = 200
ROUNDS = 40
BEYOND = 4.0
"""Deviations off which nobody takes for chance: less than one in sixteen by Chebyshev, and seeds are fixed."""
HALF_PER_CENT = {
    "wagers": ["main"], "regulations": ["bj.57-2009"], "readings": {}, "edge": "1/200", "variance": "529/400", "covariance": "0",
}  # fmt: skip
"""What was once stated of the main wager of Black Jack, from no source."""


def surprise(days: list[tuple[TableRow, list[int]]], excess_of_one: float) -> dict[str, float]:
    """By how many of its own deviations each statistic of luck is off what it must be.

    Luck in its deviations has mean 0 and variance 1 on every table-day, and the square of it the variance 2 + excess,
    which is what is left of the excess kurtosis of a single wager in a sum over the stakes given.
    """
    scores, spreads = [], []
    for row, stakes in days:
        assert row.luck_minor is not None and row.luck_deviation_minor
        scores.append(row.luck_minor / row.luck_deviation_minor)
        spreads.append(2 + excess_of_one * sum(s**4 for s in stakes) / sum(s**2 for s in stakes) ** 2)
    outside = sum(abs(score) > 3 for score in scores)
    most = len(scores) / 9  # by Chebyshev, whatever the stakes
    return {
        "mean": abs(sum(scores)) / sqrt(len(scores)),
        "variance": abs(sum(score**2 - 1 for score in scores)) / sqrt(sum(spreads)),
        "outside the band": (outside - most) / sqrt(most * 8 / 9),
    }


def excess_of_pair_plus() -> float:
    _, variance, _, fourth = moments()
    return float(fourth / variance**2 - 3)


@pytest.fixture(scope="module")
def honest_days(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[int]]]:
    """A lake of table-days with Pair Plus as the rules pay it and Black Jack as timid players play it; the former's stakes."""
    lake = tmp_path_factory.mktemp("honest") / "lake"
    rules = fortune.Table(version_named("f3.78-2008").regulation, readings_by())
    all_stakes: dict[str, list[int]] = {}
    for number in range(TABLES):
        dice = Random(f"honest table {number}")
        wagers = []
        for round_ in range(1, ROUNDS + 1):
            deck = dice.sample(DECK, len(DECK))
            for seat in range(1, dice.randint(1, 5) + 1):
                stake = 100 * dice.choice((1, 1, 2, 5, 10))
                cards = [deck.pop() for _ in range(3)]
                won = int(stake * rules.due("pair_plus", "alone", hand_of(map(card_of, cards))))
                wagers.append(made.wager(round_, stake, won, won, wager="pair_plus", seat=seat))
            net = timid_black_jack(dice) * 100 // 2
            wagers.append(made.wager(ROUNDS + round_, 100, net, net))
        rounds = [
            {"round": each, "regulation": "f3.78-2008" if each <= ROUNDS else "bj.57-2009"}
            for each in range(1, 2 * ROUNDS + 1)
        ]
        table = f"T{number:03d}"
        write(lake, [made.replayed(table, wagers=wagers, rounds=rounds)], made.PINS)
        all_stakes[table] = [each["stake_minor"] for each in wagers if each["wager"] == "pair_plus"]
    return lake, all_stakes


def timid_black_jack(dice: Random) -> int:
    """What a player who never risks to go bust wins of two, from a shoe that never runs out: an honest round, badly played."""
    player, bank = ([min(dice.randint(1, 13), 10) for _ in range(2)] for _ in range(2))
    if 21 in (best(player), best(bank)):
        return 3 * (best(player) == 21) - 2 * (best(bank) == 21) if best(player) != best(bank) else 0
    while best(player) < 12:
        player.append(min(dice.randint(1, 13), 10))
    while best(bank) < 17:
        bank.append(min(dice.randint(1, 13), 10))
    ours, theirs = best(player), best(bank)
    return 2 if theirs > 21 or ours > theirs else 0 if ours == theirs else -2


def best(cards: list[int]) -> int:
    return sum(cards) + 10 * (1 in cards and sum(cards) <= 11)


@pytest.mark.prove
def test_luck_of_honest_days_is_as_likely_as_it_says(honest_days: tuple[Path, dict[str, list[int]]]) -> None:
    lake, stakes = honest_days
    days = [(row, stakes[row.table_id]) for row in reconcile(lake, made.DAY).tables]
    assert len(days) == TABLES
    off = surprise(days, excess_of_pair_plus())
    assert max(off.values()) < BEYOND, off


@pytest.mark.prove
def test_half_per_cent_would_be_found_out_by_honest_days(
    honest_days: tuple[Path, dict[str, list[int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marts, "house_edges", lambda: (HALF_PER_CENT,))
    days = [(row, [100] * ROUNDS) for row in reconcile(honest_days[0], made.DAY).tables]
    assert surprise(days, 0.0)["mean"] > BEYOND


@pytest.mark.prove
def test_luck_of_200_days_of_the_simulated_pit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same from events to reconciliation: no figure of Black Jack, and what half a per cent would have said of it."""
    plans = pit(300, [DAY])
    simulate(tmp_path / "archive", day=DAY, tables=plans, rounds=60, seed=19, workers=2)
    night = run_nightly(tmp_path / "archive", tmp_path / "lake", DAY, Settings(workers=2))
    assert night.clean
    rated = [row for row in night.reconciliation.tables if row.luck_minor is not None]
    assert {row.game for row in rated} == {FORTUNE} and len(rated) == sum(plan.game == FORTUNE for plan in plans)
    stakes: dict[str, list[int]] = defaultdict(list)
    with connect(tmp_path / "lake") as connection:
        placed = "SELECT table_id, stake_minor FROM wagers WHERE wager = 'pair_plus' AND due_minor <> 0"
        for table, stake in connection.sql(placed).fetchall():
            stakes[table].append(stake)
    off = surprise([(row, stakes[row.table_id]) for row in rated], excess_of_pair_plus())
    assert max(off.values()) < BEYOND, off
    parts = ("double", "split")
    more = [HALF_PER_CENT | {"wagers": [kind], "edge": "0", "variance": "0"} for kind in parts]
    monkeypatch.setattr(marts, "house_edges", lambda: (HALF_PER_CENT, *more))
    days = [row for row in reconcile(tmp_path / "lake", DAY).tables if row.game == BLACK_JACK]
    assert surprise([(row, [1]) for row in days], 0.0)["mean"] > BEYOND
