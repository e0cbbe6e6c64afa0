"""The machine of the cards before the deal: shuffled since the round before, by hand or by machine, and cut (arts. 1 and 3)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple

from replayer.law.codes import SHUFFLE_DURING_ROUND
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.machine import Violation
from schemas.finding import Severity, declare

F3_DECKS: Final = declare("F3_DECKS", Severity.PROCEDURE, "Another number of decks than one")
F3_NOT_SHUFFLED: Final = declare("F3_NOT_SHUFFLED", Severity.PROCEDURE, "Cards dealt again without a shuffle")
F3_CUT_MISSING: Final = declare("F3_CUT_MISSING", Severity.PROCEDURE, "Cards shuffled by hand and not cut")
F3_CUT_CARD: Final = declare("F3_CUT_CARD", Severity.PROCEDURE, "The cut card is not at the bottom")

ROUND: Final = "round"
SHUFFLED_AGAIN: Final = "shuffle"
"""Marks: the round's beginning, the first shuffle after a card was dealt that was followed by another card."""


class Found(Enum):
    """The cards at the beginning of the round."""

    FRESH = "shuffled"
    PLAYED = "not shuffled since the round before"
    UNSHUFFLED = "never shuffled"


_WHY: Final = {Found.PLAYED: "no shuffle since the round before", Found.UNSHUFFLED: "no shuffle is on the log"}


class Shoe(NamedTuple):
    """The cards of a round.

    Attributes:
        found: their state at the beginning of the round.
        by_hand, cut: whether they were shuffled by hand, and whether they were cut, since the last card was dealt.
        dealt: whether a card was dealt; ``again``, ``during``: whether they were shuffled since, or between two cards.
    """

    found: Found
    by_hand: bool = False
    cut: bool = False
    dealt: bool = False
    again: bool = False
    during: bool = False

    def shuffled(self, decks: int, rules: Rules, *, by_hand: bool) -> tuple[Shoe, tuple[Violation, ...]]:
        """With a shuffle of ``decks``, 0 where the log does not give their number. Art. 1(1): there is one."""
        material = rules.regulation.art1
        found = (
            ()
            if decks in (0, material.decks)
            else (Violation(F3_DECKS.code, material.cite(1), f"decks shuffled: {decks}"),)
        )
        return self._replace(by_hand=by_hand, again=self.dealt and not self.during), found

    def deals(self, rules: Rules) -> tuple[Shoe, tuple[Violation, ...]]:
        """With a card dealt. Art. 3(1): cards shuffled by hand must be cut before; another shuffle needs another cut."""
        found = tuple(self._uncut(rules)) if self.by_hand and rules.records("cut") else ()
        return Shoe(self.found, dealt=True, during=self.during or self.again), found

    def _uncut(self, rules: Rules) -> Iterator[Violation]:
        rules.readings("F3-15")
        if not self.cut:
            article, mark = rules.regulation.art3.cite(1), SHUFFLED_AGAIN if self.dealt else ROUND
            yield Violation(F3_CUT_MISSING.code, article, "shuffled by hand, and no cut on the log", mark)

    def was_cut(self) -> Shoe:
        """With a cut, which may come before or after the shuffle (F3-15)."""
        return self._replace(cut=True)

    def cut_card(self, behind: int, rules: Rules) -> tuple[Violation, ...]:
        """The cut card was placed with so many cards ``behind`` it. Art. 3(1): it lies at the bottom."""
        if not behind:
            return ()
        text = f"{behind} cards lie behind the cut card"
        return (Violation(F3_CUT_CARD.code, rules.regulation.art3.cite(1), text),)

    def finish(self, rules: Rules, *, interrupted: bool) -> Iterator[Violation]:
        """Art. 3: the cards are shuffled before every round, and not during a deal unless it was ``interrupted``."""
        article, unseen = rules.regulation.art3, rules.options.not_recorded
        if self.found is not Found.FRESH and "shuffle" not in unseen:
            yield Violation(F3_NOT_SHUFFLED.code, article.cite(), _WHY[self.found], ROUND)
        if self.during and not interrupted and "shuffle" not in unseen:
            yield Violation(
                SHUFFLE_DURING_ROUND.code, article.cite(), "the cards are shuffled, then dealt", SHUFFLED_AGAIN
            )
