"""The machine of the play: the order in which seats play, and the bank's cards meanwhile (arts. 5(2), 6(3))."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from replayer.contract.machine import Violation
from replayer.law.black_jack.rules import Rules


class SecondCard(Enum):
    """The bank's second card."""

    NOT_DEALT = "not dealt"
    DEALT = "dealt"
    PLAYED_ON = "dealt open, and play went on"
    LATE = "due face down before the first decision, and not dealt by then"


class Opened(Enum):
    """The bank's card that lies face down."""

    NOT_YET = "not opened"
    AFTER_LOOK = "to be opened at once, as the look found Black Jack"
    OPENED = "opened"
    PLAYED_ON = "opened, and play went on"


class LookTime(Enum):
    """Whether the bank looked at its hidden card before anyone played."""

    NOT_YET = "not yet"
    IN_TIME = "before anyone played"
    LATE = "when play had begun"


class OrderOfPlay(NamedTuple):
    """The play of a round.

    Attributes:
        last: the seat that played last; 0 before anyone did.
        second: the bank's second card.
        opened: the bank's card that lies face down, where its second one must.
        looked: the bank's look at that card, where it must look.
    """

    last: int = 0
    second: SecondCard = SecondCard.NOT_DEALT
    opened: Opened = Opened.NOT_YET
    looked: LookTime = LookTime.NOT_YET

    def deals_second(self) -> OrderOfPlay:
        """After the bank took its second card."""
        return self._replace(second=SecondCard.DEALT) if self.second is SecondCard.NOT_DEALT else self

    def is_decided(self, rules: Rules) -> OrderOfPlay:
        """After a decision, even one on insurance, even money or a surrender: a card due face down before it is late now."""
        late = self.second is SecondCard.NOT_DEALT and rules.options.hides_second
        return self._replace(second=SecondCard.LATE) if late else self

    def plays(self, seat: int, rules: Rules) -> tuple[OrderOfPlay, tuple[Violation, ...]]:
        """After a decision or a card of a seat in play."""
        second, opened = self.second, self.opened
        if second is SecondCard.DEALT and not rules.options.hides_second:
            second = SecondCard.PLAYED_ON
        if opened is Opened.OPENED:
            opened = Opened.PLAYED_ON
        violations = tuple(rules.regulation.drawing.turn(self.last, seat, rules))
        return OrderOfPlay(seat, second, opened, self.looked), violations

    def opens(self, rules: Rules) -> OrderOfPlay:
        """After a card of the bank was turned."""
        if self.opened is not Opened.NOT_YET or not rules.options.hides_second:
            return self
        return self._replace(opened=Opened.OPENED)

    def looks(self, rules: Rules, *, natural: bool) -> OrderOfPlay:
        """After the bank looked at its hidden card; where it found Black Jack it opens the card at once."""
        if not rules.options.checks_hole:
            return self
        looked, opened = self.looked, self.opened
        if looked is LookTime.NOT_YET:
            looked = LookTime.LATE if self.last else LookTime.IN_TIME
        if natural and opened is Opened.NOT_YET:
            opened = Opened.AFTER_LOOK
        return self._replace(looked=looked, opened=opened)

    def finish(self, rules: Rules, *, interrupted: bool) -> Iterator[Violation]:
        """What came at the wrong time, unless the round was ``interrupted``: declared void, or stopped by failed equipment."""
        if not interrupted:
            yield from rules.regulation.deal.after_the_play(self, rules)
