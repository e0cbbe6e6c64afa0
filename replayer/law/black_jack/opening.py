"""The machine of a seat's first cards, and of those of the hands split from it."""

from __future__ import annotations

from typing import Final, NamedTuple

from replayer.law.black_jack.actions import Action
from replayer.law.black_jack.outcome import Opening, Pairing
from replayer.law.black_jack.settlement import SPLIT
from replayer.symbols import Dealt, Decided, Removed, SeatSymbol, Staked, Turned
from schemas.cards import UNKNOWN

_OF_FIRST_SPLIT: Final = 2
"""The hands that the first split of a seat makes; a third seven is asked of no other one (art. 13(2))."""


class Card(NamedTuple):
    """A card that was dealt. ``number`` tells it from others of its name where one of the seat's cards is taken back."""

    name: str
    number: int = 0


_OTHER: Final = Card("")
"""Any card of a hand that has more than two: only how many there were matters then, but for a third seven."""


class FirstCards(NamedTuple):
    """The machine of a seat's first cards.

    Attributes:
        hands: the cards that lie on each hand.
        pairings: those with which a hand began; ``after_split``, ``divided``, ``surrendered`` as in :class:`Opening`.
        dealt_in_all: how many cards were dealt; None where none is taken back or named when it is turned. Cards that no wager
            turns on are forgotten then, and so is which of two equal cards is which.
    """

    hands: tuple[tuple[Card, ...], ...] = ((),)
    pairings: tuple[tuple[int, Card, Card], ...] = ()
    after_split: tuple[tuple[int, Card], ...] = ()
    divided: tuple[int, ...] = ()
    surrendered: bool = False
    dealt_in_all: int | None = 0

    def certain(self) -> FirstCards:
        """A seat none of whose cards is taken back, or named only when it is turned."""
        return self._replace(dealt_in_all=None)

    def after(self, symbol: SeatSymbol) -> FirstCards:
        """After what happened at the seat."""
        match symbol:
            case Dealt(card, _, hand):
                return self.dealt(card, hand)
            case Turned(card, hand):
                return self.turned(card, hand)
            case Removed(card, hand):
                return self.removed(card, hand)
            case Decided(action, _, hand):
                return self.decided(action, hand)
            case Staked(kind, hand):
                return self.placed(kind, hand)
        return self

    def dealt(self, name: str, hand: int) -> FirstCards:
        """With one more card."""
        state = self._replace(hands=self.hands + ((),) * (hand + 1 - len(self.hands)))
        cards, card = state.hands[hand], Card(name, self.dealt_in_all or 0)
        if len(cards) == 1:
            state = state._replace(pairings=self._in_order((*self.pairings, (hand, cards[0], card))))
        if self.divided and state._counts_after_split(hand):
            state = state._replace(after_split=(*self.after_split, (hand, card)))
        if self.dealt_in_all is not None:
            return state._with_hand(hand, (*cards, card))._replace(dealt_in_all=self.dealt_in_all + 1)
        if len(cards) < 2:
            return state._with_hand(hand, (*cards, card))
        if len(cards) > 2:
            return state
        counts = hand == 0 and not self.divided and self._begins_with_sevens and name[0] == "7"
        return state._with_hand(hand, (_OTHER, _OTHER, card if counts else _OTHER))

    def _in_order(self, pairings: tuple[tuple[int, Card, Card], ...]) -> tuple[tuple[int, Card, Card], ...]:
        """The seat's own pairing first: where none is lost, no wager turns on the order in which those of several hands came."""
        if self.dealt_in_all is not None:
            return pairings
        return (pairings[0], *sorted(pairings[1:], key=lambda pairing: pairing[0]))

    def _counts_after_split(self, hand: int) -> bool:
        if hand in (known for known, _ in self.after_split):
            return False
        return self.dealt_in_all is not None or (hand < _OF_FIRST_SPLIT and self._begins_with_sevens)

    @property
    def _begins_with_sevens(self) -> bool:
        _, first, second = self.pairings[0]
        return first.name[0] == second.name[0] == "7"

    def turned(self, name: str, hand: int) -> FirstCards:
        """With the first of a hand's cards named that was not when it was dealt."""
        cards = self.hands[hand] if hand < len(self.hands) else ()
        hidden = next((card for card in cards if card.name == UNKNOWN), None)
        if hidden is None:
            return self
        shown = hidden._replace(name=name)

        def named(card: Card) -> Card:
            return shown if card == hidden else card

        return self._replace(
            hands=tuple(tuple(map(named, cards)) for cards in self.hands),
            pairings=tuple((hand, named(first), named(second)) for hand, first, second in self.pairings),
            after_split=tuple((hand, named(card)) for hand, card in self.after_split),
        )

    def removed(self, name: str, hand: int) -> FirstCards:
        """Without a card that is void: it never was one of the hand's first two."""
        cards = self.hands[hand] if hand < len(self.hands) else ()
        gone = next((card for card in reversed(cards) if name in (card.name, UNKNOWN)), None)
        if gone is None:
            return self
        return self._with_hand(hand, tuple(card for card in cards if card != gone))._replace(
            pairings=tuple(pairing for pairing in self.pairings if gone not in pairing[1:]),
            after_split=tuple(after for after in self.after_split if after[1] != gone),
        )

    def decided(self, action: str, hand: int) -> FirstCards:
        """With a decision."""
        if action == Action.SURRENDER.value:
            return self._replace(surrendered=True)
        return self._parted(hand) if action == Action.SPLIT.value else self

    def placed(self, kind: str, hand: int) -> FirstCards:
        """With a wager. A stake on a hand that is not there yet tells of a split whose decision the log does not show."""
        if kind != SPLIT or hand < len(self.hands):
            return self
        pairs = (number for number, cards in enumerate(self.hands) if len(cards) == 2 and _alike(*cards))
        return self._parted(next(pairs, len(self.hands)))

    def _parted(self, hand: int) -> FirstCards:
        """With a hand parted: the second card goes to a new one, numbered after the others."""
        if hand >= len(self.hands) or len(self.hands[hand]) != 2:
            return self
        kept, moved = self.hands[hand]
        parted = self._with_hand(hand, (kept,))
        return parted._replace(hands=(*parted.hands, (moved,)), divided=tuple(sorted((*self.divided, hand))))

    def _with_hand(self, hand: int, cards: tuple[Card, ...]) -> FirstCards:
        return self._replace(hands=(*self.hands[:hand], cards, *self.hands[hand + 1 :]))

    def became(self) -> Opening:
        """What became of them if nothing more happens at the seat."""
        third = self.hands[0][2].name if len(self.hands[0]) > 2 and not self.divided else ""
        return Opening(
            tuple(Pairing(hand, (first.name, second.name)) for hand, first, second in self.pairings),
            third or None,
            tuple((hand, card.name) for hand, card in self.after_split),
            self.divided,
            self.surrendered,
        )


def _alike(first: Card, second: Card) -> bool:
    return first.name[0] == second.name[0]


FIRST_CARDS: Final = FirstCards()
"""A seat before its first card."""
