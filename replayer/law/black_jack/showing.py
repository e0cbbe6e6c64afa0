"""The machine of the cards that lie face down at a seat: those of a hand over 21 are shown before play goes on (art. 6(2)).

It takes the cards of a hand as finally known: named from the start, and without those that were taken away.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from replayer.law.black_jack.actions import Action
from replayer.law.black_jack.outcome import OVER
from replayer.law.black_jack.points import MOST, PIPS
from replayer.law.black_jack.rules import Rules
from replayer.machine import Violation
from replayer.symbols import DOWN, Dealt, Decided, SeatSymbol, Turned
from schemas.bounds import LAST_HAND

BUST: Final = "bust"
SHOWN: Final = "shown"
"""Marks: the card that bust the hand, the turning of the last card that lay face down by then."""

_DOWN_AFTER_SEPARATION: Final = 2
"""The most face-down cards of a split hand that are followed: the one that was split, and the one on which it doubled."""


class Showing(NamedTuple):
    """The cards of a hand that are still to be shown.

    Attributes:
        points: with every ace at one; 22 is over 21.
        down: the ranks of its cards that lie face down, sorted; once it is over 21, of those that lay so when it went over.
        owes: whether there were such cards.
        late: whether play of the seat went on before all of them were shown.
        turned_last: whether the last event at its seat turned one of its cards.
        separated: for each hand that a decision split off the ranks that lie face down; nothing else is kept of these hands.
    """

    points: int = 0
    down: tuple[str, ...] = ()
    owes: bool = False
    late: bool = False
    turned_last: bool = False
    separated: tuple[tuple[str, ...], ...] = ()

    @property
    def is_followed(self) -> bool:
        """Whether the machine knows which cards must be shown."""
        return self.points >= 0

    @property
    def over(self) -> bool:
        """Whether the hand is over 21."""
        return self.points > MOST

    def dealt(self, rank: str, *, down: bool) -> Showing:
        """With one more card."""
        if self.over:
            return self
        points = min(self.points + PIPS[rank], OVER)
        lie = _sorted(self.down, rank) if down else self.down
        return Showing(points, lie, owes=points > MOST and bool(lie))

    def turned(self, rank: str) -> Showing:
        """With a card turned, if one of its rank lies face down."""
        return self._replace(down=_without(self.down, rank)) if rank in self.down else self

    def went_on(self) -> Showing:
        """With a card or a decision at the seat."""
        return self._replace(late=True) if self.over and self.down else self

    def after(self, symbol: SeatSymbol, rules: Rules) -> Showing | None:
        """The state after a symbol (``replayer.states.Machine``). None where a card is turned that did not lie face down there,
        and where this machine does not follow which cards do."""
        if self.separated:
            return self._after_separation(symbol)
        match symbol:
            case Turned(card, number):
                lies = not number and card.rank in self.down
                return self.turned(card.rank)._replace(turned_last=True) if lies else None
            case _ if self == CANNOT_TELL or symbol.hand or _is_unnamed(symbol):
                return CANNOT_TELL
            case Decided(Action.SPLIT.value):
                return self._parted()
            case Dealt(card, face):
                before = self.went_on() if face else self
                return before.dealt(card.rank, down=face == DOWN)._replace(turned_last=False)
            case Decided():
                return self.went_on()._replace(turned_last=False)
        return self._replace(turned_last=False)

    def _parted(self) -> Showing | None:
        """With the hand split. None where only one of the two cards lies face down, or the other is of another rank."""
        if not self.down:
            return CANNOT_TELL._replace(separated=((), ()))
        first, *others = self.down
        if others != [first] or self.points != 2 * PIPS[first]:
            return None
        return CANNOT_TELL._replace(separated=((first,), (first,)))

    def _after_separation(self, symbol: SeatSymbol) -> Showing | None:
        if symbol.hand >= len(self.separated):
            return None if isinstance(symbol, Turned) else CANNOT_TELL
        down = self.separated[symbol.hand]
        match symbol:
            case Turned(card):
                return self._with_down(symbol.hand, _without(down, card.rank)) if card.rank in down else None
            case Dealt(card, face):
                if not card.named or (face == DOWN and len(down) == _DOWN_AFTER_SEPARATION):
                    return CANNOT_TELL
                return self._with_down(symbol.hand, _sorted(down, card.rank)) if face == DOWN else self
            case Decided(Action.SPLIT.value):
                if down:  # the log does not say which of its cards goes to the new hand
                    return None
                return self._replace(separated=(*self.separated, ())[: LAST_HAND + 1])
        return self

    def _with_down(self, hand: int, down: tuple[str, ...]) -> Showing:
        return self._replace(separated=(*self.separated[:hand], down, *self.separated[hand + 1 :]))

    def finish(self, rules: Rules) -> tuple[Violation | None, Violation | None]:
        """The violation, and the one that holds only if play had gone on to another place when the last card was shown."""
        return rules.regulation.drawing.bust_not_shown(self) if self.owes else (None, None)


def _sorted(ranks: tuple[str, ...], further: str) -> tuple[str, ...]:
    return tuple(sorted((*ranks, further)))


def _without(ranks: tuple[str, ...], one: str) -> tuple[str, ...]:
    at = ranks.index(one)
    return ranks[:at] + ranks[at + 1 :]


def _is_unnamed(symbol: SeatSymbol) -> bool:
    return isinstance(symbol, Dealt) and not symbol.card.named


NOTHING_TO_SHOW: Final = Showing()
"""A seat before the round."""
CANNOT_TELL: Final = Showing(points=-1)
"""A seat with hands that no decision made, or with a card that is not named: this machine does not follow what lies face down
there."""
