"""The machines of a round together, the shoe and the deal, from one event to the next."""

from __future__ import annotations

from typing import NamedTuple

from replayer.contract.machine import Violations
from replayer.contract.outcomes import Judgement, RoundOutcome
from replayer.contract.symbols import (
    UP,
    Burned,
    CardTo,
    Cut,
    Ended,
    Failed,
    FoundShoe,
    Paid,
    PlayAt,
    RoundStart,
    RoundSymbol,
    Shuffled,
    TurnedAt,
    Voided,
    WhiteCardPut,
)
from replayer.law.fortune_3_card_poker.deal import Deal
from replayer.law.fortune_3_card_poker.options import HAND
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.law.fortune_3_card_poker.shoe import Shoe


class RoundState(NamedTuple):
    """A round in the middle (:class:`replayer.contract.machine.RoundState`)."""

    shoe: Shoe
    deal: Deal

    @classmethod
    def new(cls, round_start: RoundStart, rules: Rules) -> RoundState:
        """A round before its first event."""
        found = FoundShoe.USED if round_start.found is FoundShoe.WHITE_CARD_OUT else round_start.found
        return cls(Shoe(found), Deal.of(round_start.bets, rules))

    def after(self, symbol: RoundSymbol, rules: Rules) -> RoundState | None:
        """The state after a symbol; None where a rule was broken."""
        state, violations = self.step(symbol, rules)
        return None if violations else state

    def step(self, symbol: RoundSymbol, rules: Rules) -> tuple[RoundState, Violations]:
        """The state after a symbol, and the violations."""
        shoe, deal, violations = self.shoe, self.deal, Violations()
        match symbol:
            case CardTo(place, face) if face:
                shoe, uncut = shoe.deals(rules)
                deal, violations = deal.dealt(place, rules, seen=face == UP)
                violations = (*uncut, *violations)
            case TurnedAt(place):
                deal, violations = deal.turned(place, rules)
            case PlayAt(place, aside) if place in deal.places and not aside:  # nobody decides on a null hand (11(3))
                deal, violations = deal.decides(rules)
            case Burned(face) if face:
                deal = deal.burnt()
            case Paid():
                deal = deal.paid(rules)
            case Ended():
                deal = deal.ended()
            case Failed():
                deal = deal.failed()
            case Voided():
                deal = deal.declared_void()
            case Shuffled(method, decks):
                shoe, violations = shoe.shuffled(decks, rules, by_hand=method == HAND)
                deal = deal.shuffled(method, rules)
            case Cut():
                shoe = shoe.was_cut()
            case WhiteCardPut(behind):
                violations = rules.regulation.shuffle.cut_card(behind)
        return RoundState(shoe, deal), violations

    def finish(self, rules: Rules) -> tuple[str, Violations]:
        """The article that makes the round invalid although the log does not declare it void, and what is missing."""
        missing = tuple(self.shoe.finish(rules, interrupted=self.deal.interrupted)) if self.shoe.dealt else ()
        ground, violations = self.deal.finish(rules)
        return ground, (*missing, *violations)

    def judgement(self, rules: Rules) -> Judgement[RoundOutcome] | None:
        """The final judgement; None where a rule was broken."""
        if rules.regulation.places.off_layout(self.deal.places):
            return None
        ground, violations = self.finish(rules)
        return None if violations else judgement_of(self.deal, ground, rules)


def judgement_of(deal: Deal, ground: str, rules: Rules) -> Judgement[RoundOutcome]:
    """The judgement of a round, invalid by ``ground`` if that is given, with the checks that the log does not allow."""
    checks = {"shuffle", "cut"} if deal.void else {"shuffle", "cut", "faces", "deal_order"}
    unseen = tuple(sorted(checks & rules.options.not_recorded))
    return Judgement(RoundOutcome(ground), awaits_bank=False, not_checked=unseen)
