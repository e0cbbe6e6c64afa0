"""The cards of a player's hand: what a rule can still ask of them, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from replayer.law.black_jack.points import MOST, NOT_KNOWN, PIPS, Called
from schemas.cards import UNKNOWN_SUIT

MANY: Final = 6
"""Cards from which on no rule counts them."""
FAR_OVER: Final = MOST + 11
"""Points from which on a hand's are one: nobody comes to them who was dealt no card over 21."""
MIXED: Final = "mixed"
"""Suits that are not one."""
SUITED: Final = frozenset("678")
"""Ranks of cards whose suits a hand may turn on (art. 15)."""
THREE_SEVENS: Final = "777"
_WINNING: Final = frozenset({"678", THREE_SEVENS})
_NO_SUIT: Final = "-"


class Cards(NamedTuple):
    """The cards of a hand.

    Attributes:
        size: how many; six are six or more.
        hard: their points with every ace at one, 32 for all over 31; 0 where one is not named.
        ace: whether there is one; no matter above 11, where none counts eleven.
        unnamed: whether the log does not name one of them.
        ranks: those of one or two cards in their order, which a split parts; empty for none, for more, and for two that no
            rule lets be parted any more (:meth:`lawful`).
        suits: those of the same cards as far as they may become 6-7-8, ``-`` for any other; empty where none is told.
        prize: their ranks in order of height as long as they may become 6-7-8 or three sevens (art. 15), empty otherwise; three
            cards that were that stay it, whatever is dealt to them against the rules: what they win is due at once.
        suit: that of cards which may become 6-7-8: one suit, one with ``x`` behind where another is not known, ``x``,
            :data:`MIXED`, or empty where the log does not tell one.
    """

    size: int = 0
    hard: int = 0
    ace: bool = False
    unnamed: bool = False
    ranks: str = ""
    suits: str = ""
    prize: str = ""
    suit: str = ""

    @property
    def soft(self) -> bool:
        """Whether an ace counts eleven in their best points."""
        return self.ace and self.hard + 10 <= MOST

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
        """Whether they come to ``points``, with an ace at one or at eleven."""
        return min(points, FAR_OVER) in (self.best, self.hard)

    def called(self, points: int) -> Called:
        """Which of their totals ``points`` is; zero is none."""
        if not points:
            return Called.NOTHING
        return Called.HARD if self.soft and points == self.hard else Called.BEST

    def dealt(self, card: str) -> Cards:
        """With one more card, as the log tells it: its rank, ``?`` where it does not name it, and its suit if it tells that."""
        return _dealt(self, card[0], card[1:])

    def parted(self) -> tuple[Cards, Cards]:
        """Two cards, each for itself; not named where it was not kept which ones they are."""
        first, second = (
            Cards().dealt(rank + suit.strip(_NO_SUIT))
            for rank, suit in zip(self.ranks or NOT_KNOWN * 2, self.suits or _NO_SUIT * 2, strict=True)
        )
        return first, second

    def lawful(self) -> Cards:
        """Without which ones they are, where these are two that under no reading are a pair (art. 16): only a split against the
        rules still asks that."""
        if self.size != 2 or self.unnamed or len({PIPS[rank] for rank in self.ranks}) < 2:
            return self
        return self._replace(ranks="", suits="")


@lru_cache(maxsize=65536)
def _dealt(cards: Cards, rank: str, suit: str) -> Cards:
    count = min(cards.size + 1, MANY)
    ranks = cards.ranks + rank if count <= 2 else ""
    suits = _suits(cards, rank, suit) if count <= 2 else ""
    if cards.unnamed or rank == NOT_KNOWN:
        return Cards(count, unnamed=True, ranks=ranks, suits=suits)
    hard = min(cards.hard + PIPS[rank], FAR_OVER)
    if cards.prize in _WINNING and cards.suit != MIXED:
        prize, of = cards.prize, cards.suit
    else:
        prize = _prize(cards, rank)
        of = _suit(cards, suit) if prize and prize not in ("77", THREE_SEVENS) else ""
    return Cards(
        count,
        hard,
        hard + 10 <= MOST and (cards.ace or rank == "A"),
        False,
        ranks,
        suits,
        prize,
        of,
    )


def _suits(cards: Cards, rank: str, suit: str) -> str:
    texts = (cards.suits or _NO_SUIT * cards.size) + (suit if suit and rank in SUITED else _NO_SUIT)
    return texts if texts.strip(_NO_SUIT) else ""


def _prize(cards: Cards, rank: str) -> str:
    ranks = "".join(sorted(cards.prize + rank))
    may = (cards.size == 0 or bool(cards.prize)) and (ranks in "777" or ranks in ("6", "8", "67", "68", "78", "678"))
    return ranks if may else ""


def _suit(cards: Cards, suit: str) -> str:
    if not suit or (cards.size and not cards.suit):
        return ""
    known = {*cards.suit.removeprefix(MIXED), suit} if cards.suit != MIXED else {suit}
    if cards.suit == MIXED or len(known - {UNKNOWN_SUIT}) > 1:
        return MIXED
    return "".join(sorted(known, key=lambda each: each == UNKNOWN_SUIT))


def cards_of(texts: Iterable[str]) -> Cards:
    """Some cards, as the log tells them.

    >>> cards_of(["As", "6h"]).best, cards_of(["7", "7", "7"]).prize, cards_of(["6s", "8s", "7x"]).suit
    (17, '777', 'sx')
    """
    cards = Cards()
    for card in texts:
        cards = cards.dealt(card)
    return cards


def many(ranks: Mapping[str, int]) -> Cards:
    """Six cards or more, of which no rule asks more than what they count; ``ranks`` is how many there are of each.

    >>> from collections import Counter
    >>> many(Counter("A22222")), many(Counter("2222223")) == cards_of("2222223")
    (Cards(size=6, hard=11, ace=True, unnamed=False, ranks='', suits='', prize='', suit=''), True)
    """
    if ranks.get(NOT_KNOWN):
        return Cards(MANY, unnamed=True)
    hard = sum(points * ranks.get(rank, 0) for rank, points in PIPS.items())
    return Cards(MANY, min(hard, FAR_OVER), hard + 10 <= MOST and bool(ranks.get("A")))
