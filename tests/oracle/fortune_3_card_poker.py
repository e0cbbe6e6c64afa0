"""Fortune 3 Card Poker settled a second time: the one second body of the rules that there may be, and only to be compared.

Written from the articles of 78/2008 and from what is known of 97/2008, with the default reading of each doubtful text,
without a look at how the program does it. Cards are two letters, rank and suit. Every answer is a multiple of the wager's
own stake.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

V78, V97 = "78/2008", "97/2008"

ORDER = "23456789TJQKA"
"""Art. 4(1), lowest first."""
SEQUENCES = ("32A", "432", "543", "654", "765", "876", "987", "T98", "JT9", "QJT", "KQJ", "AKQ")
"""Art. 4(2), lowest first (F3-1, F3-2)."""

ODD, PAIR, FLUSH, STRAIGHT, TRIO, STRAIGHT_FLUSH = range(6)
"""Art. 8, lowest first."""

PAIR_PLUS = {STRAIGHT_FLUSH: 40, TRIO: 25, STRAIGHT: 5, FLUSH: 4, PAIR: 1, ODD: -1}
"""Arts. 9(1), 10."""
TABLE = {STRAIGHT_FLUSH: 5, TRIO: 4}
"""Art. 9(8) of 78/2008; any other hand pays one."""
BONUS = {STRAIGHT_FLUSH: 5, TRIO: 4, STRAIGHT: 1}
"""The bonus on the ante that 97/2008 is taken to have (F3-7)."""


@dataclass
class Place:
    """A player's place in a round. ``decision`` is ``raise``, ``fold`` or, where none was told, empty."""

    cards: list[str]
    ante: bool = True
    pair_plus: bool = False
    decision: str = ""


def hand_class(cards: list[str]) -> int:
    """Art. 8."""
    ranks = {card[0] for card in cards}
    one_suit = len({card[1] for card in cards}) == 1
    in_sequence = any(set(sequence) == ranks for sequence in SEQUENCES)
    if in_sequence:
        return STRAIGHT_FLUSH if one_suit else STRAIGHT  # F3-3
    if one_suit:
        return FLUSH
    return {1: TRIO, 2: PAIR, 3: ODD}[len(ranks)]


def strength(cards: list[str]) -> tuple[int, ...]:
    """Art. 8: what is compared, first things first: the class, then what decides within it."""
    made = hand_class(cards)
    if made in (STRAIGHT, STRAIGHT_FLUSH):
        ranks = {card[0] for card in cards}
        return made, next(place for place, sequence in enumerate(SEQUENCES) if set(sequence) == ranks)
    counted = Counter(ORDER.index(card[0]) for card in cards)
    return made, *sorted(counted, key=lambda rank: (counted[rank], rank), reverse=True)


def croupier_plays(cards: list[str]) -> bool:
    """Art. 9(5): with a hand of queen-high or better (F3-5)."""
    return hand_class(cards) > ODD or max(ORDER.index(card[0]) for card in cards) >= ORDER.index("Q")


def settle(place: Place, croupier: list[str], version: str) -> dict[str, Fraction]:
    """What the wagers of a place are due."""
    if len(place.cards) != 3 or len(croupier) != 3:  # art. 11(1): the bets are void
        kinds = ["ante"] * place.ante + ["pair_plus"] * place.pair_plus + ["raise"] * (place.decision == "raise")
        return dict.fromkeys(kinds, Fraction(0))
    dues: dict[str, Fraction] = {}
    made = hand_class(place.cards)
    if place.pair_plus:
        forfeited = version == V97 and place.ante and place.decision != "raise"  # F3-8
        dues["pair_plus"] = Fraction(-1 if forfeited else PAIR_PLUS[made])
    if not place.ante:
        return dues
    # Art. 9(3), 9(4); 97/2008 art. 9(2): who plays raises, and who does not play has lost.
    if place.decision != "raise":
        return dues | {"ante": Fraction(-1)}
    own, other = strength(place.cards), strength(croupier)
    if not croupier_plays(croupier):
        ante, raised = 1, 0  # art. 9(6); 97/2008 art. 9(5)
    elif own == other:
        ante, raised = 0, 0  # F3-4
    elif own < other:
        ante, raised = -1, -1  # art. 9(7)
    elif version == V78:
        ante = raised = TABLE.get(made, 1)  # art. 9(8), F3-6
    else:
        ante, raised = 1, 1  # 97/2008 art. 9(6)
    if version == V97:
        ante += BONUS.get(made, 0)
    return dues | {"ante": Fraction(ante), "raise": Fraction(raised)}
