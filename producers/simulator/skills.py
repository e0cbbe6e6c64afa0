"""How players of different skill choose among what they may do. Nothing here says what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from replayer.law.black_jack.points import best_points, is_soft

PAIRS_TO_SPLIT: Final[Mapping[str, str]] = {
    "A": "A23456789TJQK", "8": "A23456789TJQK", "9": "2345689", "7": "234567", "6": "23456", "3": "234567", "2": "234567",
}  # fmt: skip
HARD_TO_DOUBLE: Final[Mapping[int, str]] = {9: "3456", 10: "23456789", 11: "23456789TJQK"}
TENS: Final = "TJQK"


@dataclass(frozen=True, slots=True)
class Sight:
    """What a player sees when asked: the ranks of the own hand, the rank of the bank's open card, what is allowed."""

    ranks: str
    bank: str
    allowed: frozenset[str]


def _stand_or_hit(sight: Sight, stands_on: int) -> str:
    return "stand" if best_points(sight.ranks) >= stands_on else "hit"


def basic(sight: Sight, random: Random) -> str:
    """Close to the best play that does without counting."""
    ranks, bank, allowed = sight.ranks, sight.bank, sight.allowed
    points, soft = best_points(ranks), is_soft(ranks)
    if "five_card_half" in allowed and points < 18:
        return "five_card_half"
    if "split" in allowed and bank in PAIRS_TO_SPLIT.get(ranks[0], ""):
        return "split"
    if "double" in allowed and bank in ("456" if soft and 13 <= points <= 18 else HARD_TO_DOUBLE.get(points, "")):
        return "double"
    if soft:
        return _stand_or_hit(sight, 19 if bank in "9" + TENS + "A" else 18)
    return _stand_or_hit(sight, 17 if bank in "789" + TENS + "A" else 13)


def timid(sight: Sight, random: Random) -> str:
    """Never risks going over 21, and takes whatever is sure."""
    for sure in ("even_money", "five_card_half"):
        if sure in sight.allowed:
            return sure
    return "hit" if is_soft(sight.ranks) and best_points(sight.ranks) < 17 else _stand_or_hit(sight, 12)


def reckless(sight: Sight, random: Random) -> str:
    """Puts more money out whenever possible."""
    points = best_points(sight.ranks)
    if "split" in sight.allowed and random.random() < 0.8:
        return "split"
    if "double" in sight.allowed and 8 <= points <= 12:
        return "double"
    return _stand_or_hit(sight, 17)


def erratic(sight: Sight, random: Random) -> str:
    """Anything, but no cards on a good hand."""
    if best_points(sight.ranks) >= 18 and random.random() < 0.9:
        return "stand"
    choices = sorted(sight.allowed)
    return choices[int(random.random() * len(choices))]


PLAYS: Final[Mapping[str, Callable[[Sight, Random], str]]] = {
    "basic": basic,
    "timid": timid,
    "reckless": reckless,
    "random": erratic,
}
"""What to do with a Black Jack hand, by skill."""

TAKES_INSURANCE: Final[Mapping[str, float]] = {"basic": 0.0, "timid": 0.6, "reckless": 0.2, "random": 0.3}
TAKES_EVEN_MONEY: Final[Mapping[str, float]] = {"basic": 0.0, "timid": 0.9, "reckless": 0.1, "random": 0.3}
SURRENDERS: Final[Mapping[str, Mapping[int, str]]] = {
    "basic": {15: TENS, 16: "9" + TENS},
    "timid": {14: TENS, 15: "9" + TENS, 16: "89" + TENS},
    "reckless": {},
    "random": {12: TENS, 16: "2345"},
}
"""Hard points that each skill gives up, and against which open cards of the bank."""

RAISES_FROM: Final[Mapping[str, tuple[str, ...]]] = {
    "basic": ("Qc", "6d", "4h"),
    "timid": ("Kc", "7d", "2h"),
    "reckless": (),
    "random": ("Tc", "7d", "2h"),
}
"""The least hand of Fortune 3 Card Poker that each skill plays; no card is any."""

SIDE_TASTE: Final[Mapping[str, float]] = {"basic": 0.05, "timid": 0.15, "reckless": 0.5, "random": 0.3}
"""How often each skill bets beside the main wager."""


def chosen(sight: Sight, skill: str, random: Random) -> str:
    """What a player of a skill does: always something that is allowed."""
    wish = PLAYS[skill](sight, random)
    if wish in sight.allowed:
        return wish
    fallback = "stand" if best_points(sight.ranks) >= 12 else "hit"
    return fallback if fallback in sight.allowed else min(sight.allowed)
