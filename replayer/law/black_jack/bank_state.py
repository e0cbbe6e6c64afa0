"""The machines of the bank and of its hidden card together, from one event to the next."""

from __future__ import annotations

from typing import Final, NamedTuple

from replayer.cards import NOT_KNOWN
from replayer.law.black_jack.bank import Bank
from replayer.law.black_jack.hole_card import HoleCard
from replayer.law.black_jack.outcome import BANK_NATURAL, NO_NATURAL, OVER, BankOutcome
from replayer.law.black_jack.rules import Rules
from replayer.machine import Violations
from replayer.outcomes import Judgement
from replayer.symbols import DOWN, BankSymbol, Burned, Called, Dealt, Looked, PlayBegan, Turned

NATURAL: Final = "natural"
"""What the log says of the bank's look at its hidden card if it found Black Jack."""


class BankState(NamedTuple):
    """The bank in the middle of a round (:class:`replayer.states.BankState`).

    The machines take cards as finally known: ``down`` is the rank of a card that lies face down and may still be turned, empty
    where there is none; the machines get it when the next card comes, or the round ends.
    """

    bank: Bank = Bank()
    hole: HoleCard = HoleCard()
    down: str = ""

    def after(self, symbol: BankSymbol, rules: Rules) -> BankState | None:
        """The state after a symbol. None where a rule was broken, and where a state alone does not determine the outcome: a
        second card lies face down, one is removed, or turns out to be another."""
        match symbol:
            case Dealt(card, face):
                if not self.down:
                    return self._replace(down=card.rank) if face == DOWN else self._takes(card.rank, rules, seen=True)
            case Turned(card):
                if self.down in (NOT_KNOWN, card.rank):
                    return self._replace(down="")._takes(card.rank, rules, seen=True)
            case Called(points):
                if not self.down:
                    return self._of(*self.bank.calls(points, rules))
            case Looked(found):
                return self._replace(hole=self.hole.looked_at(natural=found == NATURAL))
            case PlayBegan():
                return self._replace(hole=self.hole.played())
            case Burned():
                return self
        return None

    def _takes(self, rank: str, rules: Rules, *, seen: bool) -> BankState | None:
        after = self._of(*self.bank.takes(rank, rules, seen=seen))
        return after and (after if after.bank.void else after._replace(hole=self.hole.dealt(rank)))

    def _of(self, bank: Bank, violations: Violations) -> BankState | None:
        return None if violations else self._replace(bank=bank)

    def judgement(self, awaited: str, rules: Rules) -> Judgement[BankOutcome] | None:
        """The final judgement, where ``awaited`` (``replayer.outcomes``) waits for the bank; None where a rule was broken."""
        ended = self._takes(self.down, rules, seen=False) if self.down else self
        if ended is None or any(ended.hole.finish(rules)):
            return None
        if any(ended.bank.finish(awaited, rules, found=ended.hole.found_natural)):
            return None
        return judgement_of(ended.bank, ended.hole, rules)


def judgement_of(bank: Bank, hole: HoleCard, rules: Rules) -> Judgement[BankOutcome]:
    """The judgement of the bank by its machines, without breaches."""
    unseen = rules.options.checks_hole and not hole.looked and not rules.records("hole_check")
    not_checked = ("hole_check",) if unseen else ()
    hand = bank.hand
    if not hand.known:
        natural = hole.natural()
        outcome = None if natural is None else BANK_NATURAL if natural else NO_NATURAL
        missing = "the bank has no second card on the log" if hand.cards < 2 else "a card of the bank is not named"
        return Judgement(outcome, awaits_bank=False, unjudged="" if natural else missing, not_checked=not_checked)
    points = rules.regulation.drawing.bank_points(hand, rules)
    outcome = BANK_NATURAL if hand.natural else BankOutcome(min(points, OVER))
    return Judgement(outcome, awaits_bank=False, not_checked=not_checked)


NEW_BANK: Final = BankState()
"""The bank before its first card."""
