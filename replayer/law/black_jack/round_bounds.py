"""The machine of a round's beginning and end: bets are closed before its first card, and nothing is dealt when it is over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from replayer.law.black_jack.rules import Rules
from replayer.machine import Violation, Violations


class RoundBounds(NamedTuple):
    """Whether bets were ``closed``, any card was ``dealt``, the round is ``over``, and anything was ``added`` afterwards."""

    closed: bool = False
    dealt: bool = False
    over: bool = False
    added: bool = False

    def closes(self, rules: Rules) -> tuple[RoundBounds, Violations]:
        """After no more bets was said."""
        late = self.dealt and not self.closed
        return self._replace(closed=True), tuple(rules.regulation.deal.closed_late(rules)) if late else ()

    def deals(self, rules: Rules) -> tuple[RoundBounds, Violations]:
        """After a card was dealt."""
        after, violations = self.goes_on(rules)
        if self.dealt:
            return after, violations
        return after._replace(dealt=True), (*rules.regulation.deal.closed_procedure(rules), *violations)

    def goes_on(self, rules: Rules) -> tuple[RoundBounds, Violations]:
        """After a decision, or a card of a hand in play."""
        if not self.over or self.added:
            return self, ()
        return self._replace(added=True), (rules.regulation.deal.after_the_end(),)

    def ends(self) -> RoundBounds:
        """After the round was closed or declared void."""
        return self._replace(over=True)

    def finish(self, rules: Rules) -> Iterator[Violation]:
        """What is missing."""
        if self.dealt and not self.closed:
            yield from rules.regulation.deal.never_closed(rules)
