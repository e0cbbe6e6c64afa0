"""A place in the middle of a round: what its decision depends on."""

from __future__ import annotations

from typing import Final, NamedTuple

from replayer.contract.machine import Violations
from replayer.contract.outcomes import Judgement
from replayer.contract.symbols import Dealt, SeatSymbol
from replayer.law.fortune_3_card_poker.bets import NO_BETS, Bets
from replayer.law.fortune_3_card_poker.cards import NO_CARDS, NOT_KNOWN, Cards
from replayer.law.fortune_3_card_poker.outcome import FOLDED, NULL, RAISED, VOID, SeatOutcome
from replayer.law.fortune_3_card_poker.rules import Rules

UNSEEN: Final = "a card of the hand, or a suit that counts, is not on the log"


class SeatState(NamedTuple):
    """A place with its one hand (:class:`replayer.contract.machine.SeatState`)."""

    bets: Bets = NO_BETS
    cards: Cards = NO_CARDS

    def faces(self, upcard: str) -> SeatState:
        """Unchanged: the croupier's hand lies face down until everybody has decided."""
        return self

    def step(self, symbol: SeatSymbol, rules: Rules) -> tuple[SeatState, Violations]:
        """The state after a symbol, and the violations. A turned card changes nothing here, as a state does not hold which one it
        was."""
        bets, violations = self.bets.step(symbol, rules)
        cards = self.cards
        if isinstance(symbol, Dealt) and symbol.face and not symbol.hand:
            cards = cards.dealt(symbol.card)
        return SeatState(bets, cards), violations

    def lawful(self) -> SeatState:
        """Unchanged: nothing in it matters only to further breaches."""
        return self

    def judgement(self, rules: Rules) -> Judgement[SeatOutcome] | None:
        """The final judgement; None where a rule was broken."""
        fate, violations = self.bets.finish(rules)
        return None if violations else self._judgement(fate, not_checked(rules))

    def open(self, hand: int, rules: Rules) -> frozenset[str]:
        """What may be decided at the place."""
        return frozenset() if hand else rules.regulation.play.open_to(self.bets, rules.readings)

    def so_far(self, rules: Rules) -> Judgement[SeatOutcome]:
        """The judgement if nothing more happens at the place, without breaches."""
        return self._judgement(self.bets.finish(rules)[0])

    def _judgement(self, fate: str, unchecked: tuple[str, ...] = ()) -> Judgement[SeatOutcome]:
        if fate in (NULL, VOID):
            return Judgement(SeatOutcome(fate), awaits_bank=False)
        hand = self.cards.hand()
        unjudged = UNSEEN if hand == NOT_KNOWN and fate != FOLDED else ""
        return Judgement(SeatOutcome(fate, hand), awaits_bank=fate == RAISED, unjudged=unjudged, not_checked=unchecked)


def not_checked(rules: Rules) -> tuple[str, ...]:
    """The checks that the log does not allow."""
    return () if rules.records("decisions") else ("decisions",)


NEW_SEAT: Final = SeatState()
"""A seat before the round."""
