"""What three cards are worth: the order of the cards (art. 4) and of the combinations (art. 8).

A hand is written as short as the law needs it: its ranks in the order in which they are compared (``KT4``, ``99K``,
``32A``), then ``s`` where all are of one suit, or ``t`` where a sequence has two of one suit and F3-3 asks about it.
There are 753 such hands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final

from replayer.law.fortune_3_card_poker.doubt import Doubt, Under
from replayer.law.provision import Provision
from replayer.law.rulings import Readings
from schemas.cards import UNKNOWN, UNKNOWN_SUIT

ORDER: Final = "AKQJT98765432"
"""Art. 4(1), high to low."""
SEQUENCES: Final = ("AKQ", "KQJ", "QJT", "JT9", "T98", "987", "876", "765", "654", "543", "432", "32A")
"""Art. 4(2), high to low."""
TOP: Final = SEQUENCES[0]
WHEEL: Final = SEQUENCES[-1]
VALUE: Final = {rank: 14 - place for place, rank in enumerate(ORDER)}

STRAIGHT_FLUSH: Final = "straight flush"
TRIO: Final = "trio"
STRAIGHT: Final = "straight"
FLUSH: Final = "flush"
PAIR: Final = "pair"
ODD: Final = "three odd cards"

NOT_KNOWN: Final = "???"
"""A hand with a card, or a suit that counts, that the log does not name."""


def _written(ranks: str) -> str:
    """Three ranks in the order in which hands are compared: a pair before its kicker, 3-2-A as the law writes it."""
    ordered = "".join(sorted(ranks, key=ORDER.index))
    if ordered[0] != ordered[1] == ordered[2]:
        ordered = ordered[1:] + ordered[0]
    return WHEEL if ordered == "A32" else ordered


_WRITTEN: Final = {a + b + c: _written(a + b + c) for a, b, c in product(ORDER, repeat=3)}
HANDS: Final = tuple(
    hand
    for ranks in dict.fromkeys(_WRITTEN.values())
    for hand in (
        [ranks] if ranks[0] == ranks[1] else [ranks, ranks + "s", *([ranks + "t"] if ranks in SEQUENCES else [])]
    )
)
"""Every hand as it is written."""


def write_hand(cards: Sequence[str]) -> str:
    """Three cards as a hand is written; ``NOT_KNOWN`` where that cannot be said.

    >>> write_hand(["9c", "Kd", "9h"]), write_hand(["2s", "Ks", "7s"]), write_hand(["Ah", "2h", "3c"])
    ('99K', 'K72s', '32At')
    """
    first, second, third = cards
    ranks = _WRITTEN.get(first[0] + second[0] + third[0])
    if ranks is None or UNKNOWN in cards:
        return NOT_KNOWN
    if ranks[0] == ranks[1]:
        return ranks
    a, b, c = first[1], second[1], third[1]
    if UNKNOWN_SUIT in (a, b, c):
        known = {a, b, c} - {UNKNOWN_SUIT}
        return ranks if len(known) > 1 and ranks not in SEQUENCES else NOT_KNOWN
    if a == b == c:
        return ranks + "s"
    if ranks in SEQUENCES and len({a, b, c}) == 2:
        return ranks + "t"
    return ranks


@dataclass(frozen=True, slots=True)
class Rank:
    """A hand's combination and a number that is greater the higher the hand is."""

    combination: str
    strength: int


@dataclass(frozen=True)
class CardValues(Provision):
    """Art. 4: the ace is highest; sequences run from A-K-Q down to 3-2-A."""

    def of_cards(self, hand: str) -> tuple[int, ...]:
        """Art. 4(1): the values of a hand's cards, high to low."""
        return tuple(sorted((VALUE[rank] for rank in hand[:3]), reverse=True))

    def of_sequence(self, hand: str, under: Under) -> int:
        """Art. 4(2): the value of a sequence's highest card; 3-2-A as F3-2 has it."""
        if hand[:3] == WHEEL:
            return VALUE["A"] if under["F3-2"] == "ace_high_card" else VALUE["3"]
        return VALUE[hand[0]]


@dataclass(frozen=True)
class Combinations(Provision):
    """Art. 8: the combinations from high to low, and which of two equal ones is the higher."""

    values: CardValues
    order: tuple[str, ...] = (STRAIGHT_FLUSH, TRIO, STRAIGHT, FLUSH, PAIR, ODD)

    def doubts(self, hand: str) -> tuple[str, ...]:
        """The rulings that a hand's rank turns on."""
        ids = []
        if hand == TOP + "s":
            ids.append("F3-1")
        if hand[:3] == WHEEL:
            ids.append("F3-2")
        if hand.endswith("t"):
            ids.append("F3-3")
        return tuple(ids)

    def combination(self, hand: str, under: Under) -> str:
        """Art. 8(1)-(6): what a hand is."""
        ranks, suits = hand[:3], hand[3:]
        if ranks[0] == ranks[1]:
            return TRIO if ranks[1] == ranks[2] else PAIR
        sequence = ranks in SEQUENCES
        if suits == "s":
            return STRAIGHT_FLUSH if sequence and not (ranks == TOP and under["F3-1"] == "flush") else FLUSH
        if sequence and not (suits == "t" and under["F3-3"] == "all_different"):
            return STRAIGHT
        return ODD

    def item(self, combination: str) -> str:
        """Where a combination stands, and how two of it compare: items (1) to (6) in their order."""
        return self.cite(self.order.index(combination) + 1)

    def rank(self, hand: str, under: Under) -> Rank:
        """A hand's rank under given readings; ``under`` needs only the hand's doubts."""
        combination = self.combination(hand, under)
        if combination in (STRAIGHT_FLUSH, STRAIGHT):
            values: tuple[int, ...] = (self.values.of_sequence(hand, under), 0, 0)
        elif combination == PAIR:
            values = (VALUE[hand[0]], VALUE[hand[2]], 0)
        else:
            values = self.values.of_cards(hand)
        place = len(self.order) - self.order.index(combination)
        return Rank(combination, (place << 12) + (values[0] << 8) + (values[1] << 4) + values[2])

    @cached_property
    def certain(self) -> Mapping[str, Rank]:
        """The rank of every hand that no ruling touches."""
        return {hand: self.rank(hand, {}) for hand in HANDS if not self.doubts(hand)}

    def named(self, hand: str, readings: Readings) -> str:
        """What a hand is under the readings in force."""
        rank = self.certain.get(hand)
        if rank is not None:
            return rank.combination
        return Doubt(self.doubts(hand), lambda under: self.combination(hand, under)).answer(readings)

    def compare(self, player: str, croupier: str, readings: Readings) -> int:
        """Art. 8: above zero where the player's hand is higher, below where the croupier's is, zero where equal."""
        ours, theirs = self.certain.get(player), self.certain.get(croupier)
        if ours is not None and theirs is not None:
            return (ours.strength > theirs.strength) - (ours.strength < theirs.strength)
        doubts = tuple(dict.fromkeys(self.doubts(player) + self.doubts(croupier)))
        return Doubt(doubts, lambda under: self._sign(player, croupier, under)).answer(readings)

    def _sign(self, player: str, croupier: str, under: Under) -> int:
        ours, theirs = self.rank(player, under).strength, self.rank(croupier, under).strength
        return (ours > theirs) - (ours < theirs)
