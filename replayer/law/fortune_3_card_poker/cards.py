"""The machines of three cards: their ranks and their suits, each by itself, and the hand that they make together.

A hand is written as short as the law needs it: its ranks in the order in which they are compared (``KT4``, ``99K``,
``32A``), then ``s`` where all are of one suit, or ``t`` where a sequence has two of one suit and F3-3 asks about it.
There are 753 such hands.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache, lru_cache
from heapq import heappop, heappush
from itertools import product
from typing import Final, NamedTuple

from replayer.symbols import Dealt, SeatSymbol
from schemas.cards import SUITS, UNKNOWN, UNKNOWN_SUIT

CARDS: Final = 3
"""Cards of a hand (art. 7). From four on no rule counts them."""
ORDER: Final = "AKQJT98765432"
"""Art. 4(1), high to low."""
SEQUENCES: Final = ("AKQ", "KQJ", "QJT", "JT9", "T98", "987", "876", "765", "654", "543", "432", "32A")
"""Art. 4(2), high to low."""
WHEEL: Final = SEQUENCES[-1]
NOT_KNOWN: Final = "???"
"""A hand with a card, or a suit that counts, that the log does not name."""


def _written(ranks: str) -> str:
    """Three ranks in the order in which hands are compared: a pair before its kicker, 3-2-A as the law writes it."""
    ordered = "".join(sorted(ranks, key=ORDER.index))
    if ordered[0] != ordered[1] == ordered[2]:
        ordered = ordered[1:] + ordered[0]
    return WHEEL if ordered == "A32" else ordered


_WRITTEN: Final = {"".join(ranks): _written("".join(ranks)) for ranks in product(ORDER, repeat=3)}


class Ranks(NamedTuple):
    """The ranks of a hand: ``named`` those that the log names, high to low; ``unnamed`` how many it does not name.

    More than three cards are one state: four that are not named.
    """

    named: str = ""
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
        return Ranks(self.named, self.unnamed + 1) if rank == UNKNOWN[0] else self._with(rank, self.unnamed)

    def after(self, symbol: SeatSymbol, rules: object) -> Ranks:
        """After what happened at the place of the hand."""
        return self.dealt(symbol.card[0]) if isinstance(symbol, Dealt) and symbol.face else self

    def turned(self, rank: str) -> Ranks:
        """With one that was not named, and that turned out to be ``rank``."""
        return self if self.size > CARDS else self._with(rank, self.unnamed - 1)

    def _with(self, rank: str, unnamed: int) -> Ranks:
        return Ranks("".join(sorted(self.named + rank, key=ORDER.index)), unnamed)


_MORE: Final = Ranks(unnamed=CARDS + 1)


class Suits(NamedTuple):
    """The suits of a hand: ``known`` those that the log names, each once; ``unknown`` how many cards have one that it does not
    name.

    Three are one state: no rule asks which they are, and none asks of a fourth card.
    """

    known: str = ""
    unknown: int = 0

    @cache  # noqa: B019 - of values, some thirty
    def dealt(self, suit: str) -> Suits:
        """With one more card, ``x`` or ``?`` of a suit that is not named."""
        return self._with(suit, self.unknown) if suit in SUITS else self._of(self.known, self.unknown + 1)

    def after(self, symbol: SeatSymbol, rules: object) -> Suits:
        """After what happened at the place of the hand."""
        return self.dealt(symbol.card[1]) if isinstance(symbol, Dealt) and symbol.face else self

    def turned(self, suit: str) -> Suits:
        """With one whose suit was not named, and turned out to be ``suit``."""
        return self if self == _VARIOUS else self._with(suit, self.unknown - 1)

    def _with(self, suit: str, unknown: int) -> Suits:
        return self._of(self.known if suit in self.known else "".join(sorted(self.known + suit)), unknown)

    @staticmethod
    def _of(known: str, unknown: int) -> Suits:
        return _VARIOUS if len(known) >= CARDS or len(known) + unknown > CARDS else Suits(known, unknown)


_VARIOUS: Final = Suits(SUITS)


class Cards(NamedTuple):
    """The cards of a hand, each as the log names it: ``9h``, ``9x`` a nine of some suit, ``??`` not named."""

    ranks: Ranks = Ranks()
    suits: Suits = Suits()

    def dealt(self, card: str) -> Cards:
        """With one more card."""
        ranks = self.ranks.dealt(card[0])
        return _SURPLUS if ranks is _MORE else Cards(ranks, self.suits.dealt(card[1]))

    def turned(self, was: str, card: str) -> Cards:
        """With a card that the log called ``was`` when it was dealt, and now calls ``card``."""
        ranks, suits = self
        if was == UNKNOWN != card:
            ranks = ranks.turned(card[0])
        if was[1] not in SUITS and card[1] in SUITS:
            suits = suits.turned(card[1])
        return Cards(ranks, suits)

    def hand(self) -> str:
        """The hand as it is written; ``NOT_KNOWN`` where that cannot be said, as of any but three cards."""
        if self.ranks.size != CARDS or self.ranks.unnamed:
            return NOT_KNOWN
        hand, suits = _WRITTEN[self.ranks.named], self.suits
        if hand[0] == hand[1]:
            return hand
        sequence = hand in SEQUENCES
        if suits.unknown:
            return hand if len(suits.known) > 1 and not sequence else NOT_KNOWN
        if len(suits.known) == 1:
            return hand + "s"
        return hand + "t" if sequence and len(suits.known) == 2 else hand


NO_CARDS: Final = Cards()
_SURPLUS: Final = Cards(_MORE, _VARIOUS)

HANDS: Final = tuple(
    hand
    for ranks in dict.fromkeys(_WRITTEN.values())
    for hand in (
        [ranks] if ranks[0] == ranks[1] else [ranks, ranks + "s", *([ranks + "t"] if ranks in SEQUENCES else [])]
    )
)
"""Every hand as it is written."""


@lru_cache(maxsize=22_100)  # a deck has so many
def write_hand(cards: tuple[str, ...]) -> str:
    """Three cards as a hand is written; ``NOT_KNOWN`` where that cannot be said.

    >>> write_hand(("9c", "Kd", "9h")), write_hand(("2s", "Ks", "7s")), write_hand(("Ah", "2h", "3c"))
    ('99K', 'K72s', '32At')
    """
    hand = NO_CARDS
    for card in cards:
        hand = hand.dealt(card)
    return hand.hand()


class Laid(list[str]):
    """The cards of a hand where they lie, as the log names them. Which lie where is no state of a machine: a deck has one of
    each."""

    def __init__(self) -> None:
        super().__init__()
        self._places: defaultdict[str, list[int]] = defaultdict(list)

    def lay(self, card: str) -> None:
        """One more card lies there."""
        heappush(self._places[card], len(self))
        self.append(card)

    def turn(self, card: str) -> str | None:
        """Name a card that was turned where it lay; what the log called it until then. None where no such card lay there."""
        for was in (card, card[0] + UNKNOWN_SUIT, UNKNOWN):
            places = self._places[was]
            if places:
                place = heappop(places)
                self[place] = card
                heappush(self._places[card], place)
                return was
        return None
