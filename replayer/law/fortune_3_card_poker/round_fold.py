"""Folds a round's history through the machines of a round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from replayer.contract.machine import HERE, Fold
from replayer.contract.outcomes import Judgement, RoundOutcome
from replayer.contract.symbols import (
    BANK,
    UP,
    Burned,
    CardTo,
    Failed,
    RoundHistory,
    RoundSymbol,
    Shuffled,
    TurnedAt,
    Voided,
)
from replayer.law.fortune_3_card_poker.deal import BURNED, DECLARED_VOID, FAILED, OPENED
from replayer.law.fortune_3_card_poker.order import LAST_CARD, LAST_CARD_LEFT, OUT_OF_ORDER
from replayer.law.fortune_3_card_poker.round_state import RoundState, judgement_of
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.law.fortune_3_card_poker.shoe import SHUFFLED_AGAIN


@dataclass(slots=True)
class _Fold(Fold[RoundSymbol]):
    """The round so far, and the positions of the cards burned and of those of each place, by the mark of the last one."""

    rules: Rules
    state: RoundState
    cards: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def follow(self, symbol: RoundSymbol) -> None:
        """Take the next symbol of the history."""
        match symbol:
            case CardTo(place, face) if face:
                self.cards[f"{LAST_CARD} {place}"].append(self.here)
                if place != BANK or face != UP:
                    self.cards[f"{LAST_CARD_LEFT} {place}"].append(self.here)
            case TurnedAt(place) if place == BANK and not self.state.deal.under_way:
                self.first(OPENED)
            case TurnedAt(place) if place == BANK:  # the last one that lay face down is exposed
                self.cards[f"{LAST_CARD_LEFT} {BANK}"][-1:] = []
            case Burned(face) if face:
                self.first(BURNED)
                self.cards[BURNED].append(self.here)
            case Shuffled() if self.state.shoe.dealt and not (self.state.shoe.again or self.state.shoe.during):
                self.marks[SHUFFLED_AGAIN] = self.here
            case Failed() if self.state.deal.begun:
                self.first(FAILED)
            case Voided():
                self.first(DECLARED_VOID)
        self.state, violations = self.state.step(symbol, self.rules)
        if violations:
            self.note(violations)
        if isinstance(symbol, CardTo) and self.state.deal.given.wrong is not None:
            self.first(OUT_OF_ORDER)

    def where(self, mark: str) -> Sequence[int]:
        """The position that a violation with a mark points at; the round's beginning where the mark is not set."""
        return Fold.where(self, mark) if mark == HERE or mark in self.marks else self.cards[mark][-1:] or (0,)

    def named(self, mark: str) -> Mapping[str, object]:
        """The number of the cards in question."""
        return {"cards": len(self.cards[mark])}


def judge_round(history: RoundHistory, rules: Rules, *, steps: bool = False) -> Judgement[RoundOutcome]:
    """Arts. 1, 2, 3, 7, 9, 11: the shuffle and the deal."""
    fold = _Fold(rules, RoundState.new(history.begin, rules))
    fold.note(rules.regulation.places.off_layout(fold.state.deal.places))
    fold.follow_all(history.symbols)
    ground, violations = fold.state.finish(rules)
    fold.note(violations)
    deal = fold.state.deal
    grounds = tuple(islice(rules.regulation.irregularities.made_void_by(deal, rules), 1)) if deal.void else ()
    return replace(judgement_of(deal, ground, rules), breaches=tuple(fold.breaches), steps=grounds if steps else ())
