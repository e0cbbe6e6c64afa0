"""Folds the croupier's history through the machine of his hand."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from replayer.contract.cards import Card
from replayer.contract.laid_cards import LaidCard, LaidCards
from replayer.contract.machine import Fold, Violation
from replayer.contract.outcomes import Awaited, Judgement, Step
from replayer.contract.rules import stays_hidden
from replayer.contract.symbols import DOWN, UP, BankHistory, BankSymbol, Dealt, Removed, Turned
from replayer.law.codes import BANK_CARD_ABSENT
from replayer.law.fortune_3_card_poker.cards import ABSENT, CARDS, NOT_KNOWN
from replayer.law.fortune_3_card_poker.croupier import HIDDEN, UNSEEN, Croupier
from replayer.law.fortune_3_card_poker.outcome import BankOutcome
from replayer.law.fortune_3_card_poker.rules import Rules
from schemas.plural import plural


@dataclass(slots=True)
class _Fold(Fold[BankSymbol]):
    """The machine of his hand so far, his cards, those put aside and those exposed; ``unseen`` are the positions of the cards
    never turned."""

    rules: Rules
    unseen: Set[int]
    croupier: Croupier = field(default_factory=Croupier)
    his: LaidCards = field(default_factory=lambda: LaidCards(one_deck=True))
    aside: LaidCards = field(default_factory=lambda: LaidCards(one_deck=True))
    exposed: list[Card] = field(default_factory=list)
    given: int = 0
    stray: bool = False

    def follow(self, symbol: BankSymbol) -> None:
        """Take the next symbol of the history."""
        match symbol:
            case Dealt(card, face) if face:
                self._deal(card, face)
            case Removed(card) if card not in self.exposed:
                self.note((self.rules.regulation.irregularities.taken_away(card),))
            case Turned(card):
                self._turn(card)

    def _deal(self, card: Card, face: str) -> None:
        self.given += 1
        before, seen = self.croupier, face != DOWN or self.here not in self.unseen
        hidden = stays_hidden(card.rank, self.rules, seen=seen)
        self.croupier = before.dealt(card, self.rules, seen=face == UP, hidden=hidden)
        (self.aside if self.croupier is before else self.his).lay(LaidCard(card, self.here, hidden=face == DOWN))
        if face == UP:
            self.exposed.append(card)
        if hidden:
            self.marks[HIDDEN] = self.here

    def _turn(self, card: Card) -> None:
        law, dealing = self.rules.regulation, self.given < CARDS
        if dealing:
            self.exposed.append(card)
        lies = self.his.turn(card, self.here)
        if lies is not None and dealing and law.irregularities.replaces_turned(self.rules):
            self.aside.lay(self.his.remove(lies))
            self.croupier = self.croupier.left_with(self.his)
        elif lies is not None:
            self.croupier = self.croupier.turned(lies.was, card)
        elif self.aside.turn(card, self.here) is None:
            self.stray = True
            self.note((Violation(BANK_CARD_ABSENT.code, law.distribution.cite(), f"{card} turned: {ABSENT}"),))


def judge_bank(history: BankHistory, rules: Rules, *, steps: bool = False) -> Judgement[BankOutcome]:
    """The judgement of the croupier's history."""
    awaited, symbols = history
    law, contested = rules.regulation, awaited is Awaited.HAND
    fold = _Fold(rules, _never_turned(symbols))
    fold.follow_all(symbols)
    croupier = fold.croupier
    outcome, violations = croupier.finish(rules, plays=contested)
    if outcome.void:
        open_card, number = (
            (2, "a card of the croupier lay open"),
            (1, f"the croupier has {plural(len(fold.his.cards), 'card')}"),
        )
        item, why = open_card if croupier.exposed else number
        return Judgement(outcome, tuple(fold.breaches), (Step(law.irregularities.cite(item), why),) if steps else ())
    if fold.stray:  # his hand is not known, and that is the breach instead of a card never shown
        outcome, violations = BankOutcome(NOT_KNOWN), ()
    hand = outcome.hand
    fold.note(violations)
    held = f"the croupier holds {hand.in_words}" if fold.given else "the croupier has no card"
    article = (
        law.combinations.cite()
        if hand == NOT_KNOWN
        else law.combinations.item(law.combinations.named(hand, rules.readings))
    )
    unjudged = UNSEEN if hand == NOT_KNOWN and contested else ""
    return Judgement(outcome, tuple(fold.breaches), (Step(article, held),) if steps else (), unjudged=unjudged)


def _never_turned(symbols: Sequence[BankSymbol]) -> set[int]:
    """The positions of the cards never turned."""
    cards, left = LaidCards(one_deck=True), set[int]()
    for number, symbol in enumerate(symbols, 1):
        match symbol:
            case Dealt(card, face) if face:
                cards.lay(LaidCard(card, number, hidden=face == DOWN))
                left.add(number)
            case Turned(card) if (lies := cards.turn(card, number)) is not None:
                left.discard(lies.dealt_at)
    return left
