"""Pair Plus (PT aposta num Par Superior): art. 10, paid on the player's three cards alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

from replayer.contract.readings import Readings
from replayer.contract.wagers import LOST, Due
from replayer.law.fortune_3_card_poker.cards import HANDS, NOT_KNOWN, Hand
from replayer.law.fortune_3_card_poker.doubt import Doubt, Under
from replayer.law.fortune_3_card_poker.hand import FLUSH, PAIR, STRAIGHT, STRAIGHT_FLUSH, TRIO, Combinations
from replayer.law.provision import Provision


@dataclass(frozen=True)
class PairPlusPrizes(Provision):
    """Art. 10: what each combination pays to one, item by item; three odd cards win nothing."""

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

    @cached_property
    def _dues(self) -> dict[Hand, Doubt[Due]]:
        doubts = self.combinations.doubts
        return {hand: Doubt(doubts(hand), partial(self.prize, hand)) for hand in HANDS}

    def due(self, hand: Hand, readings: Readings) -> Due:
        """What Pair Plus is due on a hand that stayed in the game."""
        if hand == NOT_KNOWN:
            return Due(None, self.cite(), unjudged="Pair Plus is paid on the cards, and one is not known")
        return self._dues[hand].answer(readings)
