"""What cards count: an ace one or eleven, figures ten, other cards their pips (art. 8)."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Final

from schemas.cards import RANKS

PIPS: Final = {rank: min(number, 10) for number, rank in enumerate(RANKS, 1)}
TEN_VALUES: Final = frozenset("TJQK")
MOST: Final = 21


def ace_counts_eleven(hard: int) -> bool:
    """Whether an ace counts eleven among cards that have ``hard`` points with every ace at one."""
    return hard + 10 <= MOST


@lru_cache(maxsize=32768)
def hard_points(ranks: str) -> int:
    """The points of cards with every ace at one.

    >>> hard_points("A6"), hard_points("AAK")
    (7, 12)
    """
    return sum([PIPS[rank] for rank in ranks]) if len(ranks) <= MOST else sum(PIPS[r] * ranks.count(r) for r in PIPS)


@lru_cache(maxsize=32768)
def best_points(ranks: str) -> int:
    """The points of cards with one ace at eleven where that does not exceed 21.

    >>> best_points("A6"), best_points("A6T"), best_points("AA"), best_points("KQ2")
    (17, 17, 12, 22)
    """
    hard = hard_points(ranks)
    return hard + 10 if "A" in ranks and ace_counts_eleven(hard) else hard


def is_soft(ranks: str) -> bool:
    """Whether an ace counts eleven in the best points."""
    return best_points(ranks) != hard_points(ranks)


class CalledTotal(StrEnum):
    """The total that was announced since the last card."""

    NOTHING = "none"
    HARD = "that of a soft hand with its ace at one"
    BEST = "any other"
