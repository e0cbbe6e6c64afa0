"""Follows a seat's first cards event by event, keeping where each card lies, so that one removed or named later is found."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice

from replayer.cards import Card
from replayer.law.black_jack.hand import Action
from replayer.law.black_jack.laid import LaidCard, LaidHand
from replayer.law.black_jack.outcome import FirstCardsOutcome, Pairing
from replayer.law.black_jack.settlement import SPLIT
from replayer.symbols import DOWN, Dealt, Decided, Removed, SeatSymbol, Staked, Turned


class FirstCardsFold:
    """A seat's first cards so far, and those of the hands split from it (:class:`replayer.states.FirstCardsFold`)."""

    def __init__(self) -> None:
        self._hands = [LaidHand()]
        self._pairings: dict[LaidCard, tuple[int, LaidCard]] = {}
        """The hand and the first card of each pairing by its second card."""
        self._second_cards: defaultdict[LaidCard, list[LaidCard]] = defaultdict(list)
        """The second cards of the pairings that a card is in."""
        self._after_split: dict[int, LaidCard] = {}
        self._divided: list[int] = []
        self._surrendered = False
        self._position = 0

    def follow(self, symbol: SeatSymbol) -> None:
        """Take in the next symbol of the seat."""
        self._position += 1
        match symbol:
            case Dealt(card, face, hand):
                self._deal(LaidCard(card, self._position, hidden=face == DOWN), hand)
            case Turned(card, hand):
                self._turn(card, hand)
            case Removed(card, hand):
                self._take_back(card, hand)
            case Decided(Action.SURRENDER.value):
                self._surrendered = True
            case Decided(Action.SPLIT.value, _, hand):
                self._split(hand)
            case Staked(kind, hand) if kind == SPLIT and hand >= len(self._hands):
                self._split(self._first_pair())  # the log does not show the decision

    def _deal(self, card: LaidCard, hand: int) -> None:
        while hand >= len(self._hands):
            self._hands.append(LaidHand())
        laid = self._hands[hand]
        if len(laid.cards) == 1:
            (first,) = laid.cards.values()
            self._pair(hand, first, card)
        if self._divided:
            self._after_split.setdefault(hand, card)
        laid.lay(card)

    def _pair(self, hand: int, first: LaidCard, second: LaidCard) -> None:
        self._pairings[second] = hand, first  # no other pairing has this second card
        for card in (first, second):
            self._second_cards[card].append(second)

    def _turn(self, card: Card, hand: int) -> None:
        """Turn a card: the one so named when it was dealt, else the first unnamed one, which gets its name now."""
        laid = self._hand(hand)
        if laid.lies_down(card) is None:
            laid.name(card)
        if laid.lies_down(card) is not None:
            laid.turn(card, self._position)

    def _take_back(self, card: Card, hand: int) -> None:
        """Remove a void card, which then never was one of the hand's first two. An unnamed card stands for the last one."""
        laid = self._hand(hand)
        if not laid.cards:
            return
        taken = laid.take_away(card) if card.named else laid.part()
        if taken is None:
            return
        for second in self._second_cards.pop(taken, ()):
            self._pairings.pop(second, None)
        self._after_split = {hand: card for hand, card in self._after_split.items() if card is not taken}

    def _hand(self, hand: int) -> LaidHand:
        return self._hands[hand] if hand < len(self._hands) else LaidHand()

    def _first_pair(self) -> int:
        pairs = (n for n, laid in enumerate(self._hands) if len(laid.cards) == 2 and len(set(laid.ranks)) == 1)
        return next(pairs, len(self._hands))

    def _split(self, hand: int) -> None:
        """The second card of a hand goes to a new one, numbered after the others."""
        laid = self._hand(hand)
        if len(laid.cards) != 2:
            return
        made = LaidHand(made_at=self._position)
        made.lay(laid.part())
        self._hands.append(made)
        self._divided.append(hand)

    def outcome(self) -> FirstCardsOutcome:
        """The outcome if nothing more happens at the seat."""
        third = next(islice(self._hands[0].cards.values(), 2, 3), None)
        return FirstCardsOutcome(
            tuple(Pairing(hand, (first.card, second.card)) for second, (hand, first) in self._pairings.items()),
            third.card if third and not self._divided else None,
            tuple((hand, lies.card) for hand, lies in self._after_split.items()),
            tuple(sorted(self._divided)),
            self._surrendered,
        )
