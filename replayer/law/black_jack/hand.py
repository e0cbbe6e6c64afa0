"""The state of a seat in a round, on one page: its cards, its hands, what their rights depend on besides, what lies face down.

It holds what a rule can still need, and as little else as keeps the rules simple. ``play`` says what an event makes of a hand,
``seat_state`` what it makes of a seat.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache, reduce
from typing import Final, NamedTuple

from replayer.contract.cards import NOT_KNOWN, UNNAMED, Card
from replayer.contract.machine import Violation
from replayer.contract.symbols import DOWN, Dealt, Decided, SeatSymbol, Turned
from replayer.law.black_jack.outcome import OVER
from replayer.law.black_jack.points import (
    MOST,
    NO_SUITS,
    PIPS,
    SUITED,
    TEN_VALUES,
    CalledTotal,
    Ranks,
    ace_counts_eleven,
    towards_prize,
)
from replayer.law.black_jack.rules import Rules
from schemas.bounds import LAST_HAND

# What its player may decide


class Action(StrEnum):
    """A decision. ``UNKNOWN`` is one that the law does not have; a message about it quotes the log's name for it."""

    HIT = "hit"
    STAND = "stand"
    DOUBLE = "double"
    SPLIT = "split"
    SURRENDER = "surrender"
    EVEN_MONEY = "even_money"
    FIVE_CARD_HALF = "five_card_half"
    TAKE_PRIZE = "special_prize"
    LEAVE_PRIZE = "decline_special_prize"
    INSURANCE = "insurance"
    UNKNOWN = "{action}"


CLOSED: Final = frozenset({Action.SURRENDER.value, Action.EVEN_MONEY.value, Action.FIVE_CARD_HALF.value})
"""Those that close a hand, whatever the bank gets."""

# Its cards

FIVE: Final = 5
MANY: Final = 6
"""The number of cards at which counting stops."""
FAR_OVER: Final = MOST + 11
"""Points at which counting stops: a hand without cards dealt to it over 21 never reaches them."""


class Cards(NamedTuple):
    """The cards of a hand.

    Attributes:
        size: how many, counted to six.
        hard: their points with every ace at one, and at least where one is not named; 32 for all over 31.
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
    suits: frozenset[str] = NO_SUITS

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
    def may_be_natural(self) -> bool:
        """Whether they are Black Jack for all that the log names."""
        two_unseen = self.unnamed and self.size == 2
        return self.natural or (two_unseen and TEN_VALUES.union("A", NOT_KNOWN).issuperset(self.ranks))

    @property
    def bust(self) -> bool:
        """Whether they are over 21, whatever those are that the log does not name."""
        return self.hard > MOST

    @property
    def five(self) -> bool:
        """Whether they are five and not over 21 (art. 19), for all that the log names."""
        return self.size == FIVE and not self.bust

    def counts(self, points: int) -> bool:
        """Whether they count ``points``, with an ace at one or at eleven."""
        return min(points, FAR_OVER) in (self.best, self.hard)

    def called(self, points: int) -> CalledTotal:
        """Which of their totals ``points`` is; zero is none."""
        if not points:
            return CalledTotal.NOTHING
        return CalledTotal.HARD if self.soft and points == self.hard else CalledTotal.BEST

    @lru_cache(maxsize=65536)  # noqa: B019 - of values
    def dealt(self, card: Card) -> Cards:
        """With one more card."""
        size = min(self.size + 1, MANY)
        kept = card if card.rank in SUITED else card.of_its_rank
        first = (*self.first, kept) if size <= 2 else ()
        hard = min(self.hard + PIPS[card.rank], FAR_OVER)
        if self.unnamed or not card.named:
            return Cards(size, hard, unnamed=True, first=first)
        ace = ace_counts_eleven(hard) and (self.ace or card.rank == "A")
        return Cards(size, hard, ace, False, first, *towards_prize(self.prize, self.suits, card, first=not self.size))

    def separated(self) -> tuple[Cards, Cards]:
        """Two cards, each for itself; not named where it was not kept which ones they are."""
        first, second = self.first or (UNNAMED, UNNAMED)
        return Cards().dealt(first), Cards().dealt(second)

    def lawful(self) -> Cards:
        """Without their identity, where they are two that are a pair under no reading (art. 16): it matters only to an
        unlawful split."""
        if self.size != 2 or self.unnamed or len({PIPS[card.rank] for card in self.first}) < 2:
            return self
        return self._replace(first=())


def cards_of(dealt: Iterable[Card]) -> Cards:
    """Some cards.

    >>> cards_of([Card("A", "s"), Card("6", "h")]).best, cards_of([Card("7")] * 3).prize
    (17, ('7', '7', '7'))
    """
    return reduce(Cards.dealt, dealt, Cards())


def many(ranks: Mapping[str, int]) -> Cards:
    """Six cards or more, of which only the points matter; ``ranks`` has the number of each rank.

    >>> from collections import Counter
    >>> many(Counter("A22222")), many(Counter("2222223")) == cards_of(map(Card, "2222223"))
    (Cards(size=6, hard=11, ace=True, unnamed=False, first=(), prize=(), suits=frozenset()), True)
    """
    hard = sum(points * ranks.get(rank, 0) for rank, points in PIPS.items())
    unnamed = bool(ranks.get(NOT_KNOWN))
    ace = not unnamed and ace_counts_eleven(hard) and bool(ranks.get("A"))
    return Cards(MANY, min(hard, FAR_OVER), ace, unnamed)


# A hand

STOOD: Final = "stood"
DOUBLED: Final = "doubled"
BUSTED: Final = "bust"
"""What ended a hand, besides the decisions that close it."""


class Hand(NamedTuple):
    """A player's hand.

    Attributes:
        cards: its cards.
        called: the total announced since its last card.
        drawn: whether its last card came after play of the seat had begun.
        down: whether a card was dealt to it face down since it was doubled.
        ended: the decision or event that ended it, empty while it is open.
        asked: whether a card was asked for and not dealt yet; ``owed``: cards removed and not replaced yet.
        split: made by a split; ``resplit``: by a later one than the first.
        aces: one of two split aces.
        doubled: the mode in which it was doubled, empty where it was not.
        double_staked, split_staked: whether such a stake was placed on it; ``undecided``: a stake made it, no decision yet.
        staked_as: the mode in which a second stake doubles it that came without a decision, as long as none is taken.
        staked_late: whether a second stake was placed after it got its one card.
        acted: whether a decision was taken that is a play of it.
        early: whether it was surrendered before the bank had looked at its hidden card.
        half_agreed: whether it was last surrendered without the right to it.
        lapsed: the claim that had ended it until one of its cards was taken away.
        prize: whether its player decided to take a special prize; None where he did not decide.
    """

    cards: Cards = Cards()
    called: CalledTotal = CalledTotal.NOTHING
    drawn: bool = False
    down: bool = False
    ended: str = ""
    asked: bool = False
    owed: int = 0
    split: bool = False
    resplit: bool = False
    aces: bool = False
    doubled: str = ""
    double_staked: bool = False
    split_staked: bool = False
    undecided: bool = False
    staked_as: str = ""
    staked_late: bool = False
    acted: bool = False
    early: bool = False
    half_agreed: bool = False
    lapsed: str = ""
    prize: bool | None = None

    @property
    def known(self) -> bool:
        """Whether all its cards are named."""
        return not self.cards.unnamed

    @property
    def closed(self) -> bool:
        """Whether its player closed it."""
        return self.ended in CLOSED

    @property
    def natural(self) -> bool:
        """Black Jack: arts. 10(1), and 10(6): 21 on separated bets never is."""
        return not self.split and self.cards.natural

    def with_card(self, cards: Cards, *, drawn: bool, down: bool, ended: str, owed: int) -> Hand:
        """The hand with one more card, which changes its first seven fields."""
        return Hand(cards, CalledTotal.NOTHING, drawn, down, ended, False, owed, *self[7:])

    def separated(self, *, unpaired: bool = False) -> tuple[Hand, Hand]:
        """The two hands that a split makes: two cards are separated; any other number, or ``unpaired`` ones, stay together. A
        split ace stays marked as one, whatever it is split from later."""
        pair = self.cards.size == 2 and not unpaired
        aces = pair and self.cards.ranks == ("A", "A")
        stays, goes = self.cards.separated() if pair else (self.cards, Cards())
        kept = self._replace(
            cards=stays, called=CalledTotal.NOTHING, drawn=self.drawn and not pair, split=True, aces=self.aces or aces
        )
        return kept, Hand(goes, split=True, resplit=self.split, aces=aces)


# A seat


class Seat(NamedTuple):
    """A seat.

    Attributes:
        upcard: the class of the bank's open card, ``?`` unknown.
        hands: those that an event can name; ``beyond``: how many more it has, after very many splits, without any event.
        hidden: the numbers of the hands with a card dealt face down.
        bettors: how many players bet on it, counted to two; ``insured``: whether one of them took insurance.
        played: whether a decision was taken that is a play of a hand.
        upcard_missed: whether anything turned on a bank's open card that the log does not name.
        declined: whether a hand of a separated pair that was another one was played on (art. 16(5)).
    """

    upcard: str = NOT_KNOWN
    hands: tuple[Hand, ...] = (Hand(),)
    beyond: int = 0
    hidden: frozenset[int] = frozenset()
    bettors: int = 0
    insured: bool = False
    played: bool = False
    upcard_missed: bool = False
    declined: bool = False

    @property
    def size(self) -> int:
        """How many hands it has."""
        return len(self.hands) + self.beyond

    @property
    def staked(self) -> tuple[int, ...]:
        """The numbers of the hands that a stake made, no decision yet."""
        return tuple([number for number, hand in enumerate(self.hands) if hand.undecided])


# What lies face down at it

BUST: Final = "bust"
SHOWN: Final = "shown"
"""Marks: the card that bust the hand, the turning of the last card that lay face down by then."""

_DOWN_AFTER_SEPARATION: Final = 2
"""The most face-down cards of a split hand that are followed: the one that was split, and the one on which it doubled."""


class Showing(NamedTuple):
    """The cards of a hand that are still to be shown: those of a hand over 21, before play goes on (art. 6(2)).

    It takes the cards of a hand as finally known: named from the start, and without those that were taken away.

    Attributes:
        points: at least, with every ace at one; 22 is over 21, -1 where they are not followed, as in :data:`CANNOT_TELL`, and of
            the hands that decisions split, of which nothing is kept but what lies face down.
        down: for each hand the ranks of its cards that lie face down, sorted; once it is over 21, of those that lay so when it
            went over.
        owes: whether there were such cards.
        late: whether play of the seat went on before all of them were shown.
        turned_last: whether the last event at its seat turned one of its cards, while its points are followed.
    """

    points: int = 0
    down: tuple[Ranks, ...] = ((),)
    owes: bool = False
    late: bool = False
    turned_last: bool = False

    @property
    def over(self) -> bool:
        """Whether the hand is over 21."""
        return self.points > MOST

    def after(self, symbol: SeatSymbol, rules: Rules) -> Showing | None:
        """The state after a symbol (``replayer.contract.machine.Machine``). None where a card is turned that did not lie face
        down there, and where this machine does not follow which cards do."""
        number = symbol.hand
        match symbol:
            case Turned(card):
                lie = self.down[number] if number < len(self.down) else ()
                if card.rank not in lie:
                    return None
                at = lie.index(card.rank)
                after = self._with_down(number, lie[:at] + lie[at + 1 :])
                return after._replace(turned_last=self.points >= 0)
            case _ if number >= len(self.down):
                return CANNOT_TELL
            case Decided(Action.SPLIT.value):
                return self._split(number)
            case Dealt(card, face):
                before = self._went_on() if face else self
                return before._dealt(number, card.rank, down=face == DOWN)._replace(turned_last=False)
            case Decided():
                return self._went_on()._replace(turned_last=False)
        return self._replace(turned_last=False)

    def _went_on(self) -> Showing:
        """With a card or a decision at the seat."""
        return self._replace(late=True) if self.over and any(self.down) else self

    def _dealt(self, number: int, rank: str, *, down: bool) -> Showing:
        if self.over:
            return self
        lie = tuple(sorted((*self.down[number], rank))) if down else self.down[number]
        if self.points < 0:
            return self._with_down(number, lie) if len(lie) <= _DOWN_AFTER_SEPARATION else CANNOT_TELL
        points = min(self.points + PIPS[rank], OVER)
        return Showing(points, (lie,), owes=points > MOST and bool(lie))

    def _split(self, number: int) -> Showing | None:
        """With a hand split. None where the log does not say which of its cards goes to the new hand, where only one of the two
        cards lies face down, or the other is of another rank."""
        lie = self.down[number]
        if self.points < 0:
            return None if lie else self._replace(down=(*self.down, ())[: LAST_HAND + 1])
        if lie and (lie[1:] != lie[:1] or self.points != 2 * PIPS[lie[0]]):
            return None
        return CANNOT_TELL._replace(down=(lie[:1], lie[:1]))

    def _with_down(self, number: int, lie: Ranks) -> Showing:
        return self._replace(down=(*self.down[:number], lie, *self.down[number + 1 :]))

    def finish(self, rules: Rules) -> tuple[Violation | None, Violation | None]:
        """The violation, and the one that holds only if play had gone on to another place when the last card was shown."""
        return rules.regulation.drawing.bust_not_shown(self) if self.owes else (None, None)


NOTHING_TO_SHOW: Final = Showing()
"""A seat before the round."""
CANNOT_TELL: Final = Showing(-1, ())
"""A seat with hands that no decision made: this machine does not follow what lies face down there."""
