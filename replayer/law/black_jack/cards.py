"""The cards of a player's hand: what a rule can still need of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

from replayer.cards import NOT_KNOWN, UNNAMED, Card
from replayer.law.black_jack.points import MOST, PIPS, CalledTotal, ace_counts_eleven
from schemas.cards import UNKNOWN_SUIT

Ranks: TypeAlias = tuple[str, ...]

MANY: Final = 6
"""The number of cards at which counting stops."""
FAR_OVER: Final = MOST + 11
"""Points at which counting stops: a hand without cards dealt to it over 21 never reaches them."""
SIX_SEVEN_EIGHT: Final[Ranks] = ("6", "7", "8")
THREE_SEVENS: Final[Ranks] = ("7", "7", "7")
SUITED: Final = frozenset(SIX_SEVEN_EIGHT)
"""Ranks of cards whose suits may matter to a hand (art. 15)."""
_WINNING: Final = frozenset({SIX_SEVEN_EIGHT, THREE_SEVENS})
_SEVENS: Final = frozenset(THREE_SEVENS[:count] for count in (1, 2, 3))
_OF_ANY_SUIT: Final = _SEVENS - {("7",)}
_MAY_WIN: Final = _SEVENS | {ranks for count in (1, 2, 3) for ranks in combinations(SIX_SEVEN_EIGHT, count)}
"""Sorted ranks that are, or may become, a special prize."""


class Cards(NamedTuple):
    """The cards of a hand.

    Attributes:
        size: how many, counted to six.
        hard: their points with every ace at one, 32 for all over 31; 0 where one is not named.
        ace: whether there is one; not kept above 11, where none counts eleven.
        unnamed: whether the log does not name one of them.
        first: one or two cards in their order, which a split parts, those of other ranks than :data:`SUITED` without suit; empty
            for none, for more, and for two that no rule lets be split any more (:meth:`lawful`).
        prize: their ranks from low to high while they may become 6-7-8 of one suit or three sevens (art. 15), empty otherwise;
            three cards that won stay winning, whatever is dealt to them against the rules, because the prize is due at once.
        suits: the one of cards that may become 6-7-8, and ``x`` where the log does not give that of one; empty where suits do not
            matter.
    """

    size: int = 0
    hard: int = 0
    ace: bool = False
    unnamed: bool = False
    first: tuple[Card, ...] = ()
    prize: Ranks = ()
    suits: frozenset[str] = frozenset()

    @property
    def ranks(self) -> Ranks:
        """The ranks of its first cards."""
        return tuple([card.rank for card in self.first])

    @property
    def soft(self) -> bool:
        """Whether an ace counts eleven in their best points."""
        return self.ace and ace_counts_eleven(self.hard)

    @property
    def best(self) -> int:
        """Their points with one ace at eleven where that does not exceed 21."""
        return self.hard + 10 if self.soft else self.hard

    @property
    def natural(self) -> bool:
        """Whether they are an ace and a ten-value card: no other two cards come to a soft 21."""
        return self.size == 2 and self.best == MOST

    @property
    def bust(self) -> bool:
        """Whether they are over 21."""
        return self.hard > MOST

    def counts(self, points: int) -> bool:
        """Whether they count ``points``, with an ace at one or at eleven."""
        return min(points, FAR_OVER) in (self.best, self.hard)

    def called(self, points: int) -> CalledTotal:
        """Which of their totals ``points`` is; zero is none."""
        if not points:
            return CalledTotal.NOTHING
        return CalledTotal.HARD if self.soft and points == self.hard else CalledTotal.BEST

    def dealt(self, card: Card) -> Cards:
        """With one more card."""
        return _dealt(self, card)

    def parted(self) -> tuple[Cards, Cards]:
        """Two cards, each for itself; not named where it was not kept which ones they are."""
        first, second = self.first or (UNNAMED, UNNAMED)
        return Cards().dealt(first), Cards().dealt(second)

    def lawful(self) -> Cards:
        """Without their identity, where they are two that are a pair under no reading (art. 16): it matters only to an
        unlawful split."""
        if self.size != 2 or self.unnamed or len({PIPS[card.rank] for card in self.first}) < 2:
            return self
        return self._replace(first=())


@lru_cache(maxsize=65536)
def _dealt(cards: Cards, card: Card) -> Cards:
    count = min(cards.size + 1, MANY)
    kept = card if card.rank in SUITED else card.of_its_rank
    first = (*cards.first, kept) if count <= 2 else ()
    if cards.unnamed or not card.named:
        return Cards(count, unnamed=True, first=first)
    hard = min(cards.hard + PIPS[card.rank], FAR_OVER)
    prize, suits = (cards.prize, cards.suits) if cards.prize in _WINNING else _prize(cards, card)
    return Cards(count, hard, ace_counts_eleven(hard) and (cards.ace or card.rank == "A"), False, first, prize, suits)


_NO_SUITS: Final[frozenset[str]] = frozenset()
_NO_PRIZE: Final[tuple[Ranks, frozenset[str]]] = (), _NO_SUITS


def _prize(cards: Cards, card: Card) -> tuple[Ranks, frozenset[str]]:
    """The ranks and suits of cards with one more, while they may win a special prize."""
    ranks = tuple(sorted((*cards.prize, card.rank)))
    if ranks not in _MAY_WIN or (cards.size and not cards.prize):
        return _NO_PRIZE
    if ranks in _OF_ANY_SUIT or not card.suit or (cards.size and not cards.suits):
        return ranks, _NO_SUITS
    suits = cards.suits | {card.suit}
    return (ranks, suits) if len(suits - {UNKNOWN_SUIT}) < 2 else _NO_PRIZE


def cards_of(dealt: Iterable[Card]) -> Cards:
    """Some cards.

    >>> cards_of([Card("A", "s"), Card("6", "h")]).best, cards_of([Card("7")] * 3).prize
    (17, ('7', '7', '7'))
    """
    cards = Cards()
    for card in dealt:
        cards = cards.dealt(card)
    return cards


def many(ranks: Mapping[str, int]) -> Cards:
    """Six cards or more, of which only the points matter; ``ranks`` has the number of each rank.

    >>> from collections import Counter
    >>> many(Counter("A22222")), many(Counter("2222223")) == cards_of(map(Card, "2222223"))
    (Cards(size=6, hard=11, ace=True, unnamed=False, first=(), prize=(), suits=frozenset()), True)
    """
    if ranks.get(NOT_KNOWN):
        return Cards(MANY, unnamed=True)
    hard = sum(points * ranks.get(rank, 0) for rank, points in PIPS.items())
    return Cards(MANY, min(hard, FAR_OVER), ace_counts_eleven(hard) and bool(ranks.get("A")))
