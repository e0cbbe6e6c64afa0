"""The machines of three cards: their ranks and their suits, each by itself, and the hand that they make together."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from functools import cache, lru_cache, reduce
from itertools import combinations_with_replacement
from typing import Final, NamedTuple

from replayer.contract.cards import UNNAMED, Card
from replayer.contract.symbols import Dealt, SeatSymbol
from schemas.cards import SUITS

CARDS: Final = 3
"""Cards of a hand (art. 7). Counting stops at four."""
ORDER: Final = "AKQJT98765432"
"""Art. 4(1), high to low."""
WHEEL: Final = ("3", "2", "A")
SEQUENCES: Final = (*(tuple(ORDER[first : first + CARDS]) for first in range(len(ORDER) - 2)), WHEEL)
"""Art. 4(2), high to low."""
ABSENT: Final = "no such card lies there"


class Suited(StrEnum):
    """How many cards of a hand are of one suit, as far as it matters."""

    NOT_ASKED = ""
    ALL = "s"
    TWO = "t"
    """Of a sequence; F3-3."""


class Hand(NamedTuple):
    """Three cards as the law sees them: their ranks in the order in which hands are compared, a pair before its kicker and
    3-2-A as the law writes it, and their suits. There are 753 such hands.

    >>> str(hand_of([Card("9", "c"), Card("K", "d"), Card("9", "h")])), str(hand_of(Card(rank, "s") for rank in "AQK"))
    ('99K', 'AKQs')
    """

    ranks: tuple[str, ...]
    suits: Suited = Suited.NOT_ASKED

    @property
    def paired(self) -> bool:
        """Whether it has two cards of a rank."""
        return self.ranks[0] == self.ranks[1]

    @property
    def in_sequence(self) -> bool:
        """Whether its ranks follow on one another."""
        return self.ranks in SEQUENCES

    def __str__(self) -> str:
        """Its ranks, then ``s`` where all are of one suit, or ``t`` where a sequence has two of one."""
        return "".join(self.ranks) + self.suits

    @property
    def in_words(self) -> str:
        """Its ranks, and in words how many of its cards are of one suit, as far as it matters."""
        if self == NOT_KNOWN:
            return "cards that the log does not name"
        words = {Suited.ALL: " (all of one suit)", Suited.TWO: " (two of one suit)"}
        return "".join(self.ranks) + words.get(self.suits, "")


NO_HAND: Final = Hand(())
"""No hand, or one that no longer matters."""
NOT_KNOWN: Final = Hand(("?", "?", "?"))
"""A hand with a card, or a suit that counts, that the log does not name."""


def _compared(ranks: tuple[str, ...]) -> tuple[str, ...]:
    """Three ranks, high to low, in the order in which hands are compared."""
    if ranks[0] != ranks[1] == ranks[2]:
        return (*ranks[1:], ranks[0])
    return WHEEL if sorted(ranks) == sorted(WHEEL) else ranks


_COMPARED: Final = {tuple(ranks): _compared(ranks) for ranks in combinations_with_replacement(ORDER, CARDS)}


class Ranks(NamedTuple):
    """The ranks of a hand: ``named`` are those that the log names, high to low; ``unnamed`` is how many it does not name. More
    than three cards are one state: four that are not named."""

    named: tuple[str, ...] = ()
    unnamed: int = 0

    @property
    def size(self) -> int:
        """How many cards there are; four are four or more."""
        return len(self.named) + self.unnamed

    @cache  # noqa: B019 - of values, some seven hundred
    def dealt(self, rank: str) -> Ranks:
        """With one more card, ``?`` one that is not named."""
        if self.size >= CARDS:
            return _MORE
        return Ranks(self.named, self.unnamed + 1) if rank == UNNAMED.rank else self._with(rank, self.unnamed)

    def after(self, symbol: SeatSymbol, rules: object) -> Ranks:
        """After what happened at the place of the hand."""
        return self.dealt(symbol.card.rank) if isinstance(symbol, Dealt) and symbol.face else self

    def turned(self, rank: str) -> Ranks:
        """With the rank of a card that was not named before."""
        return self if self.size > CARDS else self._with(rank, self.unnamed - 1)

    def _with(self, rank: str, unnamed: int) -> Ranks:
        return Ranks(tuple(sorted((*self.named, rank), key=ORDER.index)), unnamed)


_MORE: Final = Ranks(unnamed=CARDS + 1)


class Suits(NamedTuple):
    """The suits of a hand: ``known`` those that the log names, each once; ``unknown`` how many cards have one that it does not
    name; ``cards`` how many there are.

    Of three cards only the number of suits matters, not which: those of three named ones are as good as any. Three suits are one
    state, and so is a fourth card, which never matters.
    """

    known: frozenset[str] = frozenset()
    unknown: int = 0
    cards: int = 0

    @cache  # noqa: B019 - of values, some thirty
    def dealt(self, suit: str) -> Suits:
        """With one more card, ``x`` or ``?`` of a suit that is not named."""
        known, unknown = (self.known | {suit}, self.unknown) if suit in SUITS else (self.known, self.unknown + 1)
        return self._of(known, unknown, self.cards + 1)

    def after(self, symbol: SeatSymbol, rules: object) -> Suits:
        """After what happened at the place of the hand."""
        return self.dealt(symbol.card.suit) if isinstance(symbol, Dealt) and symbol.face else self

    def turned(self, suit: str) -> Suits:
        """With the suit of a card that was not named before."""
        return self if self == _VARIOUS else self._of(self.known | {suit}, self.unknown - 1, self.cards)

    @staticmethod
    def _of(known: frozenset[str], unknown: int, cards: int) -> Suits:
        if len(known) >= CARDS or cards > CARDS:
            return _VARIOUS
        if cards == CARDS and not unknown:
            known = frozenset(SUITS[: len(known)])
        return Suits(known, unknown, cards)


_VARIOUS: Final = Suits(frozenset(SUITS))


class Cards(NamedTuple):
    """The cards of a hand, as far as the log names them."""

    ranks: Ranks = Ranks()
    suits: Suits = Suits()

    def dealt(self, card: Card) -> Cards:
        """With one more card."""
        ranks = self.ranks.dealt(card.rank)
        return _SURPLUS if ranks is _MORE else Cards(ranks, self.suits.dealt(card.suit))

    def turned(self, was: Card, card: Card) -> Cards:
        """With a card that the log called ``was`` when it was dealt, and now calls ``card``."""
        ranks, suits = self
        if card.named and not was.named:
            ranks = ranks.turned(card.rank)
        if was.suit not in SUITS and card.suit in SUITS:
            suits = suits.turned(card.suit)
        return Cards(ranks, suits)

    def hand(self) -> Hand:
        """The hand that they make; ``NOT_KNOWN`` where the log does not show it, or where they are not three."""
        if self.ranks.size != CARDS or self.ranks.unnamed:
            return NOT_KNOWN
        hand, suits = Hand(_COMPARED[self.ranks.named]), self.suits
        if hand.paired:
            return hand
        if suits.unknown:
            return hand if len(suits.known) > 1 and not hand.in_sequence else NOT_KNOWN
        if len(suits.known) == 1:
            return Hand(hand.ranks, Suited.ALL)
        return Hand(hand.ranks, Suited.TWO) if hand.in_sequence and len(suits.known) == 2 else hand


NO_CARDS: Final = Cards()
_SURPLUS: Final = Cards(_MORE, _VARIOUS)

HANDS: Final = tuple(
    Hand(ranks, suits)
    for ranks in _COMPARED.values()
    for suits in Suited
    if suits is Suited.NOT_ASKED or (not Hand(ranks).paired and (suits is Suited.ALL or Hand(ranks).in_sequence))
)
"""Every hand."""


def hand_of(cards: Iterable[Card]) -> Hand:
    """The hand that some cards make; ``NOT_KNOWN`` where the log does not show it, or where they are not three."""
    return _hand_of(tuple(cards))


@lru_cache(maxsize=22_100)  # a deck has so many
def _hand_of(cards: tuple[Card, ...]) -> Hand:
    return reduce(Cards.dealt, cards, NO_CARDS).hand()
