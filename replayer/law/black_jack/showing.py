"""The machine of a hand over 21 some of whose cards lie face down: they are to be shown before play goes on (art. 6(2)).

It takes the cards of a hand as they were in the end: named from the start, and without those that were taken away.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from replayer.law.black_jack.actions import Action
from replayer.law.black_jack.points import MOST, PIPS
from replayer.law.black_jack.rules import Rules
from replayer.machine import Violation
from replayer.symbols import DOWN, Dealt, Decided, SeatSymbol, Turned
from schemas.finding import Severity, declare

BUST_NOT_SHOWN: Final = declare("BUST_NOT_SHOWN", Severity.PROCEDURE, "A hand over 21 that was not shown at once")

BUST: Final = "bust"
SHOWN: Final = "shown"
"""Marks: the card that bust it, the turning of the last card that lay face down by then."""

_OVER: Final = MOST + 1


class Showing(NamedTuple):
    """What is still to be shown of a hand.

    Attributes:
        points: with every ace at one; 22 is over 21.
        down: the ranks of its cards that lie face down, of one over 21 those that lay so when it came to that; in order.
        owes: whether there were such cards.
        late: whether play of the seat went on before all of them were shown.
        turned_last: whether the last thing at its seat was that a card of its was turned.
    """

    points: int = 0
    down: tuple[str, ...] = ()
    owes: bool = False
    late: bool = False
    turned_last: bool = False

    @property
    def over(self) -> bool:
        """Whether the hand is over 21."""
        return self.points > MOST

    def dealt(self, rank: str, *, down: bool) -> Showing:
        """With one more card."""
        if self.over:
            return self
        points = min(self.points + PIPS[rank], _OVER)
        lie = tuple(sorted((*self.down, rank))) if down else self.down
        return Showing(points, lie, owes=points > MOST and bool(lie))

    def turned(self, rank: str) -> Showing:
        """With a card turned, if one of its rank lies face down."""
        if rank not in self.down:
            return self
        at = self.down.index(rank)
        return self._replace(down=self.down[:at] + self.down[at + 1 :])

    def went_on(self) -> Showing:
        """With a card or a decision at the seat."""
        return self._replace(late=True) if self.over and self.down else self

    def after(self, symbol: SeatSymbol, rules: Rules) -> Showing | None:
        """After what happened at a seat of which this is the one hand (``replayer.states.Machine``). None where a card is turned
        that did not lie face down there, and where this machine does not follow which ones do."""
        match symbol:
            case Turned(card, number):
                lies = not number and card.rank in self.down
                return self.turned(card.rank)._replace(turned_last=True) if lies else None
            case _ if self == CANNOT_TELL or symbol.hand or _unclear(symbol):
                return CANNOT_TELL
            case Dealt(card, face) if face:
                return self.went_on().dealt(card.rank, down=face == DOWN)._replace(turned_last=False)
            case Decided():
                return self.went_on()._replace(turned_last=False)
        return self._replace(turned_last=False)

    def finish(self, rules: Rules) -> tuple[Violation | None, Violation | None]:
        """What is wrong, and what is wrong if play had gone on to another place when the last card was shown."""
        if not self.owes:
            return None, None
        drawing = rules.regulation.drawing
        article = drawing.cite(*drawing.player)
        if self.down or self.late:
            message = "over 21, and the hidden cards were not shown at once"
            return Violation(BUST_NOT_SHOWN.code, article, message, BUST), None
        message = "over 21, and the hidden cards were shown when play had gone on"
        return None, Violation(BUST_NOT_SHOWN.code, article, message, SHOWN)


def _unclear(symbol: SeatSymbol) -> bool:
    """A separation, or a card that is not named."""
    match symbol:
        case Decided(action):
            return action == Action.SPLIT.value
        case Dealt(card):
            return not card.named
    return False


NOTHING_TO_SHOW: Final = Showing()
"""A seat before the round."""
CANNOT_TELL: Final = Showing(points=-1)
"""A seat with further hands or a card that is not named: what lies face down at which hand, this machine does not follow."""
