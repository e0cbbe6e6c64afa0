"""From the shuffle to the last card: arts. 1, 2, 3 and 7, and the consequences of a wrong deal: art. 11."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from replayer.cards import Card
from replayer.law.codes import CARD_TAKEN_AWAY
from replayer.law.fortune_3_card_poker.cards import CARDS
from replayer.law.fortune_3_card_poker.options import SHOE, Options
from replayer.law.provision import Provision
from replayer.law.rulings import Readings
from replayer.machine import Violation
from replayer.symbols import BANK
from replayer.wagers import Due, Void

REPLACE: Final = "replace"
INVALID: Final = "void"
"""What becomes of an exposed card of the croupier that he does not keep (F3-11)."""


@dataclass(frozen=True)
class Material(Provision):
    """Art. 1: one deck of 52 cards, a shoe with a cut card, an automatic shuffler."""

    decks: int = 1


@dataclass(frozen=True)
class Places(Provision):
    """Art. 2: eight places, the croupier's among them."""

    players: int = 7

    def on_layout(self, place: int) -> bool:
        """2(1): whether the layout has that place for a player."""
        return 1 <= place <= self.players


@dataclass(frozen=True)
class Shuffle(Provision):
    """Art. 3: by hand, cut with the cut card, which ends at the bottom, and into the shoe; or by machine, uncut."""


@dataclass(frozen=True)
class Distribution(Provision):
    """Art. 7: three cards, face down, from the left to every hand with a wager, the croupier last."""

    def in_turn(self, options: Options, *, by_hand: bool = False) -> bool:
        """Whether the hands get one card at a time (7(1), from the shoe) rather than three (7(2), from the shuffler). Cards
        shuffled by hand go into the shoe (3(1)), whatever the table uses otherwise."""
        return by_hand or options.device == SHOE

    def order(self, places: tuple[int, ...], *, in_turn: bool) -> tuple[int, ...]:
        """The places in the order in which they get their cards."""
        hands = (*sorted(places), BANK)
        return hands * CARDS if in_turn else tuple(place for place in hands for _ in range(CARDS))


_VOID: Final = Void()


@dataclass(frozen=True)
class Irregularities(Provision):
    """Art. 11: wrong order or number, exposed cards, cards to a place without a wager, a failing shuffler."""

    def number_is_right(self, cards: int) -> bool:
        """11(1): a hand has three cards."""
        return cards == CARDS

    def taken_away(self, card: Card) -> Violation:
        """11(1): a misdeal is not corrected but voids the round. Only an exposed card of the croupier is put aside (11(2)), and
        cards are collected that are played no further (``Bets.is_collected``)."""
        message = f"{card} was taken away: no article takes a card out of a hand that is played"
        return Violation(CARD_TAKEN_AWAY.code, self.cite(1), message)

    def exposed_card(self, readings: Readings) -> str:
        """11(2): what becomes of an exposed card of the croupier, ``keep``, ``replace`` or ``void`` (F3-11)."""
        return readings("F3-11")

    def nothing_due(self, void: Void = _VOID) -> Due:
        """11(1): the bets of an invalid round go back; by 11(4) too, for a failed shuffler, which does not say so."""
        article = void.by or self.cite(4 if void.equipment else 1)
        return Due.of(Fraction(0), article, "the round is invalid: the bet is returned")

    def null_hand(self) -> Due:
        """11(3): cards were dealt to a place without a bet; a bet placed on them afterwards goes back."""
        return Due.of(Fraction(0), self.cite(3), "no hand was dealt to this bet: null, the stake goes back")
