"""The machine of the bank: its hand, as it takes cards and totals are called (arts. 6(1), 7(1))."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from replayer.law.black_jack.bank_hand import BankHand
from replayer.law.black_jack.rules import Rules
from replayer.machine import Violation, Violations
from replayer.rules import stays_hidden

HIDDEN: Final = "hidden card"
"""Mark: the bank's first card never seen."""


@dataclass(frozen=True, slots=True)
class Bank:
    """The bank in a round.

    Attributes:
        hand: the valid cards.
        void: whether its last card is void.
        hidden: whether a valid card was never seen.
    """

    hand: BankHand = field(default_factory=BankHand)
    void: bool = False
    hidden: bool = False

    def takes(self, rank: str, rules: Rules, *, seen: bool = True, removed: bool = False) -> tuple[Bank, Violations]:
        """After one more card, as finally known: ``?`` where not named, ``seen`` by the players, ``removed`` again."""
        drawing, violations, counts = rules.regulation.drawing, Violations(), not removed
        if self.hand.known and not drawing.bank_may_draw(self.hand, rules):
            held, surplus = drawing.bank_surplus(self.hand, rules, seen=seen, removed=removed)
            counts, violations = counts and held, (surplus,)
        if not counts:
            return replace(self, void=True), violations
        hidden = self.hidden or stays_hidden(rank, rules, seen=seen)
        return Bank(drawing.bank_takes(self.hand, rank, rules), hidden=hidden), violations

    def calls(self, called: int, rules: Rules) -> tuple[Bank, Violations]:
        """With a total called; one behind a void card may count that card."""
        if not self.hand.known:
            return self, ()
        after, scoring = replace(self, hand=self.hand.announced(called)), rules.regulation.scoring
        if self.void:
            return (after if scoring.is_bank_total(after.hand, called, rules) else self), ()
        return after, scoring.bank_total_wrong(after.hand, called, rules)

    def finish(self, awaited: str, rules: Rules, *, found: bool) -> Iterator[Violation]:
        """What is missing; ``awaited`` is one of ``HAND_AWAITED``, ``NATURAL_AWAITED`` or ``NOT_AWAITED``, and
        ``found`` whether its look at its hidden card found Black Jack."""
        law = rules.regulation
        yield from law.scoring.bank_not_shown(self, awaited, rules, found=found)
        if self.hand.known:
            yield from law.drawing.bank_not_drawn(self.hand, awaited, rules)
            yield from law.scoring.bank_not_called(self.hand, rules)
