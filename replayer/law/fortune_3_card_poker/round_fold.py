"""Folds a round's history through the machines of a round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from replayer.law.fortune_3_card_poker.deal import BURNED, DECLARED_VOID, FAILED, OPENED
from replayer.law.fortune_3_card_poker.order import LAST_CARD, LAST_CARD_LEFT, OUT_OF_ORDER
from replayer.law.fortune_3_card_poker.round_state import RoundState, judgement_of
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.law.fortune_3_card_poker.shoe import ROUND, SHUFFLED_AGAIN
from replayer.machine import HERE, Violation
from replayer.outcomes import Breach, Judgement, RoundOutcome
from replayer.symbols import BANK, UP, Burned, CardTo, Failed, RoundHistory, RoundSymbol, Shuffled, TurnedAt, Voided


@dataclass(slots=True)
class _Fold:
    """The round so far, the positions of the marks and how often each was set, and the breaches; ``cards`` has the position of
    every card dealt, its place, and whether it lay open."""

    rules: Rules
    state: RoundState
    marks: dict[str, int] = field(default_factory=lambda: {ROUND: 0})
    times: Counter[str] = field(default_factory=Counter)
    cards: list[tuple[int, int, bool]] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)

    def follow(self, number: int, symbol: RoundSymbol) -> None:
        """Take the next symbol of the history."""
        self.marks[HERE] = number
        match symbol:
            case CardTo(place, face) if face:
                self.cards.append((number, place, face == UP))
            case TurnedAt(place) if place == BANK and not self.state.deal.under_way:
                self.first(OPENED)
            case TurnedAt(place) if place == BANK:
                self.expose()
            case Burned(face) if face:
                self.first(BURNED)
            case Shuffled() if self.state.shoe.dealt and not (self.state.shoe.again or self.state.shoe.during):
                self.marks[SHUFFLED_AGAIN] = number
            case Failed() if self.state.deal.begun:
                self.first(FAILED)
            case Voided():
                self.first(DECLARED_VOID)
        self.state, violations = self.state.step(symbol, self.rules)
        if violations:
            self.note(violations)
        if isinstance(symbol, CardTo) and self.state.deal.given.wrong is not None:
            self.first(OUT_OF_ORDER)

    def expose(self) -> None:
        """Note that the croupier's last card that lay face down was turned."""
        down = [number for number, (_, place, seen) in enumerate(self.cards) if place == BANK and not seen]
        if down:
            self.cards[down[-1]] = (*self.cards[down[-1]][:2], True)

    def first(self, mark: str) -> None:
        """Set a mark at the current position, unless it is set already, and count it."""
        self.marks.setdefault(mark, self.marks[HERE])
        self.times[mark] += 1

    def note(self, violations: Iterable[Violation]) -> None:
        """Note violations as breaches at the positions of their marks; at the round's beginning where a mark is not set."""
        for found in violations:
            at, times = self.marks.get(found.mark, 0), self.times[found.mark]
            mark, _, place = found.mark.rpartition(" ")
            if mark in (LAST_CARD, LAST_CARD_LEFT):
                own = [
                    at
                    for at, to, seen in self.cards
                    if to == int(place) and not (seen and to == BANK and mark != LAST_CARD)
                ]
                at, times = own[-1] if own else 0, len(own)
            self.breaches.append(Breach(found.code, found.article, found.message.format(cards=times), at))


def judge_round(history: RoundHistory, rules: Rules) -> Judgement[RoundOutcome]:
    """Arts. 1, 2, 3, 7, 9, 11: the shuffle and the deal."""
    fold = _Fold(rules, RoundState.new(history.begin, rules))
    fold.note(rules.regulation.art2.off_layout(fold.state.deal.places))
    for number, symbol in enumerate(history.symbols, 1):
        fold.follow(number, symbol)
    ground, violations = fold.state.finish(rules)
    fold.note(violations)
    return replace(judgement_of(fold.state.deal, ground, rules), breaches=tuple(fold.breaches))
