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
class View:
    """A player's view at a decision: the ranks of the hand, the rank of the bank's open card, the open decisions."""

    ranks: str
    bank: str
    allowed: frozenset[str]


def _stand_or_hit(view: View, stands_on: int) -> str:
    return "stand" if best_points(view.ranks) >= stands_on else "hit"


def basic(view: View, random: Random) -> str:
    """Plays close to basic strategy."""
    ranks, bank, allowed = view.ranks, view.bank, view.allowed
    points, soft = best_points(ranks), is_soft(ranks)
    if "five_card_half" in allowed and points < 18:
        return "five_card_half"
    if "split" in allowed and bank in PAIRS_TO_SPLIT.get(ranks[0], ""):
        return "split"
    if "double" in allowed and bank in ("456" if soft and 13 <= points <= 18 else HARD_TO_DOUBLE.get(points, "")):
        return "double"
    if soft:
        return _stand_or_hit(view, 19 if bank in "9" + TENS + "A" else 18)
    return _stand_or_hit(view, 17 if bank in "789" + TENS + "A" else 13)


def timid(view: View, random: Random) -> str:
    """Never risks going over 21, and takes sure payments."""
    for sure in ("even_money", "five_card_half"):
        if sure in view.allowed:
            return sure
    return "hit" if is_soft(view.ranks) and best_points(view.ranks) < 17 else _stand_or_hit(view, 12)


def reckless(view: View, random: Random) -> str:
    """Puts more money out whenever possible."""
    points = best_points(view.ranks)
    if "split" in view.allowed and random.random() < 0.8:
        return "split"
    if "double" in view.allowed and 8 <= points <= 12:
        return "double"
    return _stand_or_hit(view, 17)


def erratic(view: View, random: Random) -> str:
    """Decides at random, but mostly stands on a good hand."""
    if best_points(view.ranks) >= 18 and random.random() < 0.9:
        return "stand"
    choices = sorted(view.allowed)
    return choices[int(random.random() * len(choices))]


PLAYS: Final[Mapping[str, Callable[[View, Random], str]]] = {
    "basic": basic,
    "timid": timid,
    "reckless": reckless,
    "random": erratic,
}
"""The decision on a Black Jack hand, by skill."""

TAKES_INSURANCE: Final[Mapping[str, float]] = {"basic": 0.0, "timid": 0.6, "reckless": 0.2, "random": 0.3}
TAKES_EVEN_MONEY: Final[Mapping[str, float]] = {"basic": 0.0, "timid": 0.9, "reckless": 0.1, "random": 0.3}
SURRENDERS: Final[Mapping[str, Mapping[int, str]]] = {
    "basic": {15: TENS, 16: "9" + TENS},
    "timid": {14: TENS, 15: "9" + TENS, 16: "89" + TENS},
    "reckless": {},
    "random": {12: TENS, 16: "2345"},
}
"""The hard points on which each skill surrenders, and against which open cards of the bank."""

RAISES_FROM: Final[Mapping[str, tuple[str, ...]]] = {
    "basic": ("Qc", "6d", "4h"),
    "timid": ("Kc", "7d", "2h"),
    "reckless": (),
    "random": ("Tc", "7d", "2h"),
}
"""The lowest hand of Fortune 3 Card Poker that each skill plays; no cards: every hand."""

SIDE_WAGER_RATE: Final[Mapping[str, float]] = {"basic": 0.05, "timid": 0.15, "reckless": 0.5, "random": 0.3}
"""The probability of a side wager, by skill."""


def choose(view: View, skill: str, random: Random) -> str:
    """The decision of a player of a skill, always an open one."""
    wish = PLAYS[skill](view, random)
    if wish in view.allowed:
        return wish
    fallback = "stand" if best_points(view.ranks) >= 12 else "hit"
    return fallback if fallback in view.allowed else min(view.allowed)
