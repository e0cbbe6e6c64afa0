"""What cards count (art. 8): an ace one or eleven, figures ten, other cards their pips; which win a special prize (art. 15)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import combinations
from typing import Final, TypeAlias

from replayer.contract.cards import NOT_KNOWN, Card
from schemas.cards import RANKS, UNKNOWN_SUIT

Ranks: TypeAlias = tuple[str, ...]

PIPS: Final = {rank: min(number, 10) for number, rank in enumerate(RANKS, 1)} | {NOT_KNOWN: 1}
"""With an ace at one, which is the least that a card without a name counts."""
TEN_VALUES: Final = frozenset("TJQK")
MOST: Final = 21


def ace_counts_eleven(hard: int) -> bool:
    """Whether an ace counts eleven among cards that have ``hard`` points with every ace at one."""
    return hard + 10 <= MOST


@lru_cache(maxsize=32768)
def hard_points(ranks: Sequence[str]) -> int:
    """The points of cards with every ace at one.

    >>> hard_points("A6"), hard_points("AAK")
    (7, 12)
    """
    return sum([PIPS[rank] for rank in ranks]) if len(ranks) <= MOST else sum(PIPS[r] * ranks.count(r) for r in PIPS)


@lru_cache(maxsize=32768)
def best_points(ranks: Sequence[str]) -> int:
    """The points of cards with one ace at eleven where that does not exceed 21.

    >>> best_points("A6"), best_points("A6T"), best_points("AA"), best_points("KQ2")
    (17, 17, 12, 22)
    """
    hard = hard_points(ranks)
    return hard + 10 if "A" in ranks and ace_counts_eleven(hard) else hard


def is_soft(ranks: Sequence[str]) -> bool:
    """Whether an ace counts eleven in the best points."""
    return best_points(ranks) != hard_points(ranks)


class CalledTotal(StrEnum):
    """The total that was announced since the last card."""

    NOTHING = "none"
    HARD = "that of a soft hand with its ace at one"
    BEST = "any other"


SIX_SEVEN_EIGHT: Final[Ranks] = ("6", "7", "8")
THREE_SEVENS: Final[Ranks] = ("7", "7", "7")
SUITED: Final = frozenset(SIX_SEVEN_EIGHT)
"""Ranks of cards whose suits may matter to a hand (art. 15)."""
NO_SUITS: Final[frozenset[str]] = frozenset()
_NO_PRIZE: Final[tuple[Ranks, frozenset[str]]] = (), NO_SUITS
_SEVENS: Final = frozenset(THREE_SEVENS[:count] for count in (1, 2, 3))
_MAY_WIN: Final = _SEVENS | {ranks for count in (1, 2, 3) for ranks in combinations(SIX_SEVEN_EIGHT, count)}
"""Sorted ranks that are, or may become, a special prize."""


def towards_prize(ranks: Ranks, suits: frozenset[str], card: Card, *, first: bool) -> tuple[Ranks, frozenset[str]]:
    """The ranks and suits of cards with one more, while they may win a special prize; ``first`` where there were none."""
    if ranks in (SIX_SEVEN_EIGHT, THREE_SEVENS):
        return ranks, suits
    longer = tuple(sorted((*ranks, card.rank)))
    if longer not in _MAY_WIN or not (first or ranks):
        return _NO_PRIZE
    if (longer in _SEVENS and len(longer) > 1) or not card.suit or not (first or suits):
        return longer, NO_SUITS
    suits |= {card.suit}
    return (longer, suits) if len(suits - {UNKNOWN_SUIT}) < 2 else _NO_PRIZE
