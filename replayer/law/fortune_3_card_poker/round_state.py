"""The machines of a round together, the shoe and the deal, from one event to the next; and the fold of its history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from replayer.contract.machine import HERE, Fold, Violations
from replayer.contract.outcomes import Judgement, RoundOutcome
from replayer.contract.symbols import (
    BANK,
    UP,
    Burned,
    CardTo,
    Cut,
    FoundShoe,
    PlayAt,
    RoundEvent,
    RoundHistory,
    RoundStart,
    RoundSymbol,
    Shuffled,
    TurnedAt,
    WhiteCardPut,
)
from replayer.law.fortune_3_card_poker import marks
from replayer.law.fortune_3_card_poker.deal import Deal, Shoe
from replayer.law.fortune_3_card_poker.rules import Rules


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
                deal = deal._replace(burned=True)
            case RoundEvent.PAID:
                deal = deal.paid(rules)
            case RoundEvent.ENDED:
                deal = deal.ended()
            case RoundEvent.FAILED:
                deal = deal.failed()
            case RoundEvent.VOIDED:
                deal = deal.declared_void()
            case Shuffled(method, decks):
                shoe, violations = shoe.shuffled(method, decks, rules)
                deal = deal.shuffled(method, rules)
            case Cut():
                shoe = shoe._replace(cut=True)  # before or after the shuffle (F3-15)
            case WhiteCardPut(behind):
                violations = rules.regulation.shuffle.cut_card(behind)
        return RoundState(shoe, deal), violations

    def finish(self, rules: Rules) -> tuple[str, Violations]:
        """The article that makes the round invalid, whether or not the log declares it void, and what is missing."""
        law, shoe, deal = rules.regulation, self.shoe, self.deal
        checked = shoe.dealt and rules.records("shuffle")
        missing = law.shuffle.after_the_round(shoe, interrupted=deal.interrupted) if checked else ()
        burned = (law.distribution.burned(in_turn=deal.in_turn),) if deal.burned else ()
        ground, irregular = law.irregularities.after_the_round(deal, rules)
        return ground, (*missing, *burned, *irregular)

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
    return Judgement(RoundOutcome(ground), not_checked=unseen)


# The fold of its history


@dataclass(slots=True)
class _Fold(Fold[RoundSymbol]):
    """The round so far, the position of the last card of the deal, and those of the cards burned and of each place's, by the
    mark of the last one."""

    rules: Rules
    state: RoundState
    last_card: int = 0
    cards: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def follow(self, symbol: RoundSymbol) -> None:
        """Take the next symbol of the history."""
        match symbol:
            case CardTo(place, face) if face:
                if not (self.state.deal.decided or self.state.deal.over):
                    self.last_card = self.here
                self.cards[f"{marks.LAST_CARD} {place}"].append(self.here)
                if place != BANK or face != UP:
                    self.cards[f"{marks.LAST_CARD_LEFT} {place}"].append(self.here)
            case TurnedAt(place) if place == BANK and not self.state.deal.under_way:
                self.first(marks.OPENED)
            case TurnedAt(place) if place == BANK:  # the last one that lay face down is exposed
                self.cards[f"{marks.LAST_CARD_LEFT} {BANK}"][-1:] = []
            case Burned(face) if face:
                self.first(marks.BURNED)
                self.cards[marks.BURNED].append(self.here)
            case Shuffled() if self.state.shoe.dealt and not (self.state.shoe.again or self.state.shoe.during):
                self.marks[marks.SHUFFLED_AGAIN] = self.here
            case RoundEvent.FAILED if self.state.deal.begun:
                self.first(marks.FAILED)
            case RoundEvent.VOIDED:
                self.first(marks.DECLARED_VOID)
        self.state, violations = self.state.step(symbol, self.rules)
        if violations:
            self.note(violations)
        if isinstance(symbol, CardTo) and self.state.deal.given.wrong is not None:
            self.first(marks.OUT_OF_ORDER)

    def where(self, mark: str) -> Sequence[int]:
        """The position that a violation with a mark points at; for a place that got no card where the deal ended."""
        if mark == HERE or mark in self.marks:
            return Fold.where(self, mark)
        return self.cards[mark][-1:] or (0 if mark == marks.ROUND else self.last_card,)

    def named(self, mark: str) -> Mapping[str, object]:
        """The number of the cards in question."""
        return {"cards": len(self.cards[mark])}


def judge_round(history: RoundHistory, rules: Rules, *, steps: bool = False) -> Judgement[RoundOutcome]:
    """Arts. 1, 2, 3, 7, 9, 11: the shuffle and the deal."""
    fold = _Fold(rules, RoundState.new(history.begin, rules))
    fold.note(rules.regulation.places.off_layout(fold.state.deal.places))
    fold.follow_all(history.symbols)
    ground, violations = fold.state.finish(rules)
    fold.note(violations, at_end=True)
    deal = fold.state.deal
    grounds = tuple(islice(rules.regulation.irregularities.made_void_by(deal, rules), 1)) if deal.void else ()
    return replace(judgement_of(deal, ground, rules), breaches=tuple(fold.breaches), steps=grounds if steps else ())
