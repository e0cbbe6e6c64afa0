"""What a table-day costs grows with what it holds, not with its square. CPU time is compared, never told in seconds."""

from __future__ import annotations

import datetime as dt
import math
import random
import time
from collections.abc import Callable

import polars as pl
import pytest

from replayer.engine.evaluator import _EVALUATORS
from replayer.engine.impossible_cards import ShoeInUse, too_many_cards
from replayer.law.black_jack.points import hard_points
from replayer.verdicts.replay_totals import Outcome, continuity
from tests.texts import frame_of, replay_frame

DAY = dt.date(2026, 1, 5)
OPEN = "open:black_jack:MOP:7=0 shuffle:1:hand:6"
ROUND = "1.main=100@p1 nomore 1+9c B+6h 1+2d 1.stand B+Tc B+5s 1.main>-100@p1 end"
MOST_RATIO = 2.6
"""Twice as much may cost so many times as much; the square would cost four times, and more than that with its constants."""


def day_of(words: str) -> pl.DataFrame:
    return frame_of(f"{OPEN} {words} #- close=0", DAY)


def seat_cards(n: int) -> pl.DataFrame:
    return day_of("#1 1.main=100@p1 nomore 1+9c 1+2d B+6h " + "1.hit 1+2c " * n + "B+Tc B+5s 1.main>-100@p1 end")


def wagers_of_a_split_seat(n: int) -> pl.DataFrame:
    bets = " ".join(f"1.main=100@p{player}/{player % 5}" for player in range(n))
    split = "1.split@p0 1b.split=100@p0 1+2d 1b+3d 1.stand 1b.stand"
    return day_of(f"#1 {bets} nomore 1+8c 1+8d B+6h {split} B+Tc B+5s end")


def rounds_of_one_number(n: int) -> pl.DataFrame:
    """As of a table system that never counts its rounds."""
    return day_of("#1 " + f"{ROUND} " * n)


def cpu(work: Callable[[], object], enough: float = 0) -> float:
    """The least of three times, or the first that is short ``enough``."""
    least = math.inf
    for _ in range(3):
        _EVALUATORS.clear()  # what was judged before must be judged again, or nothing is measured
        hard_points.cache_clear()
        begun = time.process_time()
        work()
        least = min(least, time.process_time() - begun)
        if least <= enough:
            break
    return least


def held(few: Callable[[], object], many: Callable[[], object], ratio: float = MOST_RATIO) -> None:
    """Hold that ``many`` costs no more than so many times what ``few`` does."""
    once = cpu(few)
    most = ratio * once + 0.1
    more = cpu(many, enough=most)
    assert more <= most, f"{once:.2f} s, and {more:.2f} s for more"


@pytest.mark.parametrize(
    ("made", "number"), [(seat_cards, 4_000), (wagers_of_a_split_seat, 3_000), (rounds_of_one_number, 800)]
)
def test_twice_as_many_in_one_round_cost_no_square(made: Callable[[int], pl.DataFrame], number: int) -> None:
    few, many = made(number), made(2 * number)
    assert many.height > 1.9 * few.height
    replay_frame(few, DAY)  # what is loaded and learned once is paid here
    held(lambda: replay_frame(few, DAY), lambda: replay_frame(many, DAY))


def test_an_impossible_card_costs_no_walk_over_all_cards() -> None:
    """Each round of a shoe that takes its cards back at once has one card twice, or two that are one card each."""
    shuffle = day_of("").filter(pl.col("kind") == "ShoeShuffled").with_columns(shoe_decks=pl.lit(1, dtype=pl.Int32))

    def day(second: str, rounds: int) -> pl.DataFrame:
        one = day_of(f"#1 1+9c 1+{second} end").filter(pl.col("round") == 1)
        every = [one.with_columns(pl.col("round") + n, pl.col("seq") + 10 * n) for n in range(rounds)]
        return pl.concat([shuffle, *every], rechunk=True)

    right, wrong = day("9d", 1_500), day("9c", 1_500)
    assert [len([*too_many_cards(frame, [ShoeInUse(0, 1, refilled=True)])]) for frame in (right, wrong)] == [0, 1_500]
    held(
        lambda: [*too_many_cards(right, [ShoeInUse(0, 1, refilled=True)])],
        lambda: [*too_many_cards(wrong, [ShoeInUse(0, 1, refilled=True)])],
        ratio=10,
    )


def test_gaming_days_that_reach_into_each_other_cost_no_square() -> None:
    """Each day's drop was counted when the next had begun: all days are one stretch."""

    def days(n: int) -> list[Outcome]:
        first = dt.date(2020, 1, 1)
        made = [
            Outcome("T1", first + dt.timedelta(i), numbers=((10 * i + 1, 10 * i + 10), (10 * i + 12, 10 * i + 12)))
            for i in range(n)
        ]
        return random.Random(1).sample(made, n)

    few, many = days(3_000), days(6_000)
    held(lambda: continuity(few), lambda: continuity(many))


def elected_each_round(n: int) -> pl.DataFrame:
    return day_of(" ".join(f"#- option:made_up_{i}=1 #{i + 1} {ROUND}" for i in range(n)))


def opened_again_and_again(n: int) -> pl.DataFrame:
    return day_of(f"#1 {ROUND}" + " #- close=0 open:black_jack:MOP:7=0" * n)


@pytest.mark.parametrize(("made", "number"), [(elected_each_round, 800), (opened_again_and_again, 3_000)])
def test_twice_as_many_odd_events_of_a_table_day_cost_no_square(
    made: Callable[[int], pl.DataFrame], number: int
) -> None:
    few, many = made(number), made(2 * number)
    replay_frame(few, DAY)
    held(lambda: replay_frame(few, DAY), lambda: replay_frame(many, DAY))
