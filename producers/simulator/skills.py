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


@dataclass(frozen=True, slots=True, eq=False)
class Skill:
    """How a player chooses.

    Attributes:
        wish: the decision on a Black Jack hand, which may not be open.
        insurance, even_money: the probability of taking each where it is open; ``side_wager``: of placing one.
        surrenders: the hard points to surrender on, and the bank's open cards to surrender against.
        raises_from: the lowest hand of Fortune 3 Card Poker to play; no cards: every hand.
    """

    wish: Callable[[View, Random], str]
    insurance: float
    even_money: float
    side_wager: float
    surrenders: Mapping[int, str]
    raises_from: tuple[str, ...]

    def choose(self, view: View, random: Random) -> str:
        """The decision on a Black Jack hand, always an open one."""
        wish = self.wish(view, random)
        if wish in view.allowed:
            return wish
        fallback = "stand" if best_points(view.ranks) >= 12 else "hit"
        return fallback if fallback in view.allowed else min(view.allowed)


SKILLS: Final[Mapping[str, Skill]] = {
    "basic": Skill(basic, 0.0, 0.0, 0.05, {15: TENS, 16: "9" + TENS}, ("Qc", "6d", "4h")),
    "timid": Skill(timid, 0.6, 0.9, 0.15, {14: TENS, 15: "9" + TENS, 16: "89" + TENS}, ("Kc", "7d", "2h")),
    "reckless": Skill(reckless, 0.2, 0.1, 0.5, {}, ()),
    "random": Skill(erratic, 0.3, 0.3, 0.3, {12: TENS, 16: "2345"}, ("Tc", "7d", "2h")),
}
"""Every skill by name."""
