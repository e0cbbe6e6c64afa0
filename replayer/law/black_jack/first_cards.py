"""A seat's first cards, and those of the hands split from it: the machine, and the fold that also finds removed cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final, NamedTuple

from replayer.contract.cards import NOT_KNOWN, Card
from replayer.contract.laid_cards import LaidCard, LaidCards
from replayer.contract.machine import Fold
from replayer.contract.symbols import DOWN, Dealt, Decided, Removed, SeatSymbol, Staked, Turned
from replayer.law.black_jack.hand import Action
from replayer.law.black_jack.outcome import FirstCardsOutcome, Pairing
from replayer.law.black_jack.settlement import SPLIT

_OF_FIRST_SPLIT: Final = 2
"""The hands of a seat's first split; a third seven matters on no other hand (art. 13(2))."""


_OTHER: Final = Card("")
"""Stands for any card of a hand with more than two, where only their number matters; not for a third seven, named or not."""


class FirstCards(NamedTuple):
    """The machine of a seat's first cards, where none is removed, or named only when it is turned.

    It keeps no card on which no wager depends. Attributes:
        hands: the cards of each hand.
        pairings: those with which a hand began; ``after_split``, ``divided``, ``surrendered`` as in :class:`FirstCardsOutcome`.
    """

    hands: tuple[tuple[Card, ...], ...] = ((),)
    pairings: tuple[Pairing, ...] = ()
    after_split: tuple[tuple[int, Card], ...] = ()
    divided: tuple[int, ...] = ()
    surrendered: bool = False

    def after(self, symbol: SeatSymbol) -> FirstCards:
        """After what happened at the seat."""
        match symbol:
            case Dealt(card, _, hand):
                return self.dealt(card, hand)
            case Decided(Action.SURRENDER.value):
                return self._replace(surrendered=True)
            case Decided(Action.SPLIT.value, _, hand):
                return self._split(hand)
            case Staked(kind, hand) if kind == SPLIT and hand >= len(self.hands):
                return self._split(_first_pair(self.hands))  # the log does not show the decision
        return self

    def dealt(self, card: Card, hand: int) -> FirstCards:
        """With one more card."""
        state = self._replace(hands=self.hands + ((),) * (hand + 1 - len(self.hands)))
        cards = state.hands[hand]
        if len(cards) == 1:
            state = state._replace(pairings=_in_order((*self.pairings, Pairing(hand, (cards[0], card)))))
        new = all(hand != each for each, _ in self.after_split)
        if self.divided and new and hand < _OF_FIRST_SPLIT and self._begins_with_sevens:
            state = state._replace(after_split=(*self.after_split, (hand, card)))
        if len(cards) < 2:
            return state._with_hand(hand, (*cards, card))
        if len(cards) > 2:
            return state
        counts = hand == 0 and not self.divided and self._begins_with_sevens and card.rank in ("7", NOT_KNOWN)
        return state._with_hand(hand, (_OTHER, _OTHER, card if counts else _OTHER))

    @property
    def _begins_with_sevens(self) -> bool:
        return {card.rank for card in self.pairings[0].cards} == {"7"}

    def _split(self, hand: int) -> FirstCards:
        """With a hand split: the second card goes to a new one, numbered after the others."""
        if hand >= len(self.hands) or len(self.hands[hand]) != 2:
            return self
        kept, moved = self.hands[hand]
        split = self._with_hand(hand, (kept,))
        return split._replace(hands=(*split.hands, (moved,)), divided=tuple(sorted((*self.divided, hand))))

    def _with_hand(self, hand: int, cards: tuple[Card, ...]) -> FirstCards:
        return self._replace(hands=(*self.hands[:hand], cards, *self.hands[hand + 1 :]))

    def outcome(self) -> FirstCardsOutcome:
        """The outcome if nothing more happens at the seat."""
        third = self.hands[0][2] if len(self.hands[0]) > 2 and not self.divided else _OTHER
        counts = None if third == _OTHER else third
        return FirstCardsOutcome(self.pairings, counts, self.after_split, self.divided, self.surrendered)


def _first_pair(hands: Sequence[Iterable[Card]]) -> int:
    """The number of the first hand that is a pair; that of a further one where none is."""
    all_ranks = ([card.rank for card in hand] for hand in hands)
    return next((n for n, ranks in enumerate(all_ranks) if len(ranks) == 2 and ranks[0] == ranks[1]), len(hands))


def _in_order(pairings: tuple[Pairing, ...]) -> tuple[Pairing, ...]:
    """The seat's own pairing first, the others by hand: no wager depends on the order in which they came."""
    return (pairings[0], *sorted(pairings[1:], key=lambda pairing: pairing.hand))


FIRST_CARDS: Final = FirstCards()
"""A seat before its first card."""


class FirstCardsFold(Fold[SeatSymbol]):
    """A seat's first cards so far, where each one lies (:class:`replayer.contract.machine.FirstCardsFold`): one removed or
    named later is found."""

    def __init__(self) -> None:
        super().__init__()
        self._hands = [LaidCards()]
        self._pairings: list[tuple[int, LaidCard, LaidCard]] = []
        self._after_split: dict[int, LaidCard] = {}
        self._divided: list[int] = []
        self._surrendered = False

    def follow(self, symbol: SeatSymbol) -> None:
        """Take the next symbol of the seat."""
        match symbol:
            case Dealt(card, face, hand):
                self._deal(LaidCard(card, self.here, hidden=face == DOWN), hand)
            case Turned(card, hand):
                self._hand(hand).turn(card, self.here)  # the card may get its name now
            case Removed(card, hand) if (taken := self._hand(hand).take(card)) is not None:
                # A void card never was one of the hand's first two.
                self._pairings = [pairing for pairing in self._pairings if taken not in pairing]
                self._after_split = {hand: card for hand, card in self._after_split.items() if card is not taken}
            case Decided(Action.SURRENDER.value):
                self._surrendered = True
            case Decided(Action.SPLIT.value, _, hand):
                self._split(hand)
            case Staked(kind, hand) if kind == SPLIT and hand >= len(self._hands):
                self._split(_first_pair(self._hands))  # the log does not show the decision

    def _deal(self, card: LaidCard, hand: int) -> None:
        while hand >= len(self._hands):
            self._hands.append(LaidCards())
        laid = self._hands[hand]
        if len(laid.cards) == 1:
            (first,) = laid.cards.values()
            self._pairings.append((hand, first, card))
        if self._divided:
            self._after_split.setdefault(hand, card)
        laid.lay(card)

    def _hand(self, hand: int) -> LaidCards:
        return self._hands[hand] if hand < len(self._hands) else LaidCards()

    def _split(self, hand: int) -> None:
        """The second card of a hand goes to a new one, numbered after the others."""
        laid = self._hand(hand)
        if len(laid.cards) != 2:
            return
        made = LaidCards()
        made.lay(laid.take_last())
        self._hands.append(made)
        self._divided.append(hand)

    def outcome(self) -> FirstCardsOutcome:
        """The outcome if nothing more happens at the seat."""
        third = next(islice(self._hands[0].cards.values(), 2, 3), None)
        return FirstCardsOutcome(
            tuple(Pairing(hand, (first.card, second.card)) for hand, first, second in self._pairings),
            third.card if third and not self._divided else None,
            tuple((hand, lies.card) for hand, lies in self._after_split.items()),
            tuple(sorted(self._divided)),
            self._surrendered,
        )
