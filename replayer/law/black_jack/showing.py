"""The machine of a hand over 21 some of whose cards lie face down: they are to be shown before play goes on (art. 6(2)).

It takes the cards of a hand as they were in the end: named from the start, and without those that were taken away.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from replayer.law.black_jack.points import MOST, PIPS
from replayer.law.black_jack.rules import Rules
from replayer.machine import Violation
from schemas.finding import Severity, declare

BUST_NOT_SHOWN: Final = declare("BUST_NOT_SHOWN", Severity.PROCEDURE, "A hand over 21 that was not shown at once")

BUST: Final = "bust"
SHOWN: Final = "shown"
"""Marks: the card that bust it, the turning of the last card that lay face down by then."""

_OVER: Final = MOST + 1


@dataclass(frozen=True, slots=True)
class Showing:
    """What is still to be shown of a hand.

    Attributes:
        points: with every ace at one; 22 is over 21.
        down: the ranks of its cards that lie face down, of one over 21 those that lay so when it came to that; in order.
        owes: whether there were such cards.
        late: whether play of the seat went on before all of them were shown.
    """

    points: int = 0
    down: str = ""
    owes: bool = False
    late: bool = False

    @property
    def over(self) -> bool:
        """Whether the hand is over 21."""
        return self.points > MOST

    def dealt(self, rank: str, *, down: bool) -> Showing:
        """With one more card."""
        if self.over:
            return self
        points = min(self.points + PIPS[rank], _OVER)
        lie = "".join(sorted(self.down + rank)) if down else self.down
        return Showing(points, lie, owes=points > MOST and bool(lie))

    def turned(self, rank: str) -> Showing:
        """With a card turned, if one of its rank lies face down."""
        return replace(self, down=self.down.replace(rank, "", 1))

    def went_on(self) -> Showing:
        """With a card or a decision at the seat."""
        return replace(self, late=True) if self.over and self.down else self

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
