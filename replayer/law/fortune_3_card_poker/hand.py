"""What three cards are worth: the order of the cards (art. 4), that of the combinations (art. 8), and Pair Plus (art. 10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Final

from replayer.contract.readings import Readings
from replayer.contract.wagers import LOST, Due
from replayer.law.fortune_3_card_poker.cards import HANDS, NOT_KNOWN, ORDER, SEQUENCES, WHEEL, Hand, Suited
from replayer.law.regulation import Provision
from replayer.law.rulings import Doubt, Under

TOP: Final = SEQUENCES[0]
VALUE: Final = {rank: 14 - place for place, rank in enumerate(ORDER)}

STRAIGHT_FLUSH: Final = "straight flush"
TRIO: Final = "trio"
STRAIGHT: Final = "straight"
FLUSH: Final = "flush"
PAIR: Final = "pair"
ODD: Final = "three odd cards"


@dataclass(frozen=True, slots=True)
class Rank:
    """A hand's combination and a number that is greater the higher the hand is."""

    combination: str
    strength: int


@dataclass(frozen=True)
class CardValues(Provision):
    """Art. 4: the ace is highest; sequences run from A-K-Q down to 3-2-A."""

    def of_cards(self, hand: Hand) -> tuple[int, ...]:
        """Art. 4(1): the values of a hand's cards, high to low."""
        return tuple(sorted((VALUE[rank] for rank in hand.ranks), reverse=True))

    def of_sequence(self, hand: Hand, under: Under) -> int:
        """Art. 4(2): the value of a sequence's highest card; F3-2: that of 3-2-A."""
        if hand.ranks == WHEEL:
            return VALUE["A"] if under("F3-2") == "ace_high_card" else VALUE["3"]
        return VALUE[hand.ranks[0]]


@dataclass(frozen=True)
class Combinations(Provision):
    """Art. 8: the combinations from high to low, and which of two equal ones is the higher."""

    values: CardValues
    order: tuple[str, ...] = (STRAIGHT_FLUSH, TRIO, STRAIGHT, FLUSH, PAIR, ODD)

    def combination(self, hand: Hand, under: Under) -> str:
        """Art. 8(1)-(6): what a hand is."""
        ranks, suits = hand
        if hand.paired:
            return TRIO if ranks[1] == ranks[2] else PAIR
        if suits is Suited.ALL:
            return STRAIGHT_FLUSH if hand.in_sequence and not (ranks == TOP and under("F3-1") == "flush") else FLUSH
        if hand.in_sequence and not (suits is Suited.TWO and under("F3-3") == "all_different"):
            return STRAIGHT
        return ODD

    def item(self, combination: str) -> str:
        """The citation of a combination and of how two such hands compare: items (1) to (6) in their order."""
        return self.cite(self.order.index(combination) + 1)

    def rank(self, hand: Hand, under: Under) -> Rank:
        """A hand's rank under given readings."""
        top = self.values.of_sequence(hand, under) if hand.in_sequence else 0
        combination = self.combination(hand, under)
        if combination in (STRAIGHT_FLUSH, STRAIGHT):
            values: tuple[int, ...] = (top, 0, 0)
        elif combination == PAIR:
            values = (VALUE[hand.ranks[0]], VALUE[hand.ranks[2]], 0)
        else:
            values = self.values.of_cards(hand)
        place = len(self.order) - self.order.index(combination)
        return Rank(combination, (place << 12) + (values[0] << 8) + (values[1] << 4) + values[2])

    @cached_property
    def certain(self) -> Mapping[Hand, Rank]:
        """The rank of every hand whose rank depends on no ruling."""
        ranks = ((hand, Doubt(partial(self.rank, hand)).settled) for hand in HANDS)
        return {hand: rank for hand, rank in ranks if rank is not None}

    def strength(self, hand: Hand) -> int | None:
        """The strength of a hand; None where it depends on a ruling."""
        rank = self.certain.get(hand)
        return None if rank is None else rank.strength

    @cached_property
    def same_combination(self) -> Mapping[Hand, Hand]:
        """For every hand whose rank depends on no ruling, the first one of its combination: bets differ between them only where
        they are compared with another hand."""
        first: dict[str, Hand] = {}
        return {hand: first.setdefault(rank.combination, hand) for hand, rank in self.certain.items()}

    def named(self, hand: Hand, readings: Readings) -> str:
        """What a hand is under the readings in force."""
        rank = self.certain.get(hand)
        if rank is not None:
            return rank.combination
        return Doubt(partial(self.combination, hand)).answer(readings)

    def compare(self, player: Hand, croupier: Hand, readings: Readings) -> int:
        """Art. 8: above zero where the player's hand is higher, below where the croupier's is, zero where equal."""
        ours, theirs = self.certain.get(player), self.certain.get(croupier)
        if ours is not None and theirs is not None:
            return (ours.strength > theirs.strength) - (ours.strength < theirs.strength)
        return Doubt(partial(self._sign, player, croupier)).answer(readings)

    def _sign(self, player: Hand, croupier: Hand, under: Under) -> int:
        ours, theirs = self.rank(player, under).strength, self.rank(croupier, under).strength
        return (ours > theirs) - (ours < theirs)


@dataclass(frozen=True)
class PairPlusPrizes(Provision):
    """Art. 10: Pair Plus (PT aposta num Par Superior), paid on the player's three cards alone: what each combination pays to one,
    item by item; three odd cards win nothing."""

    combinations: Combinations
    prizes: tuple[tuple[str, int], ...] = (
        (STRAIGHT_FLUSH, 40),
        (TRIO, 25),
        (STRAIGHT, 5),
        (FLUSH, 4),
        (PAIR, 1),
    )

    def prize(self, hand: Hand, under: Under) -> Due:
        """What a hand is due under given readings."""
        combination = self.combinations.combination(hand, under)
        for item, (winning, odds) in enumerate(self.prizes, 1):
            if combination == winning:
                return Due.of(Fraction(odds), self.cite(item), f"{combination}: Pair Plus is paid {odds} to 1")
        return Due.of(LOST, self.cite(), f"{combination}: Pair Plus is lost")

    def due(self, hand: Hand, readings: Readings) -> Due:
        """What Pair Plus is due on a hand that stayed in the game."""
        if hand == NOT_KNOWN:
            return Due(None, self.cite(), unjudged="Pair Plus is paid on the cards, and one is not known")
        return Doubt(partial(self.prize, hand)).answer(readings)
