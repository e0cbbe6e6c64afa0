"""The machine of the croupier's hand: three cards, and what becomes of an exposed one (arts. 9, 11); the fold of its history."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import Final, NamedTuple

from replayer.contract.cards import Card
from replayer.contract.laid_cards import LaidCard, LaidCards
from replayer.contract.machine import Fold, Violation, Violations
from replayer.contract.outcomes import Awaited, Judgement, Step
from replayer.contract.rules import stays_hidden
from replayer.contract.symbols import DOWN, UP, BankHistory, BankSymbol, Dealt, Removed, Turned
from replayer.law.codes import BANK_CARD_ABSENT
from replayer.law.fortune_3_card_poker import marks
from replayer.law.fortune_3_card_poker.cards import ABSENT, CARDS, NO_CARDS, NOT_KNOWN, Cards
from replayer.law.fortune_3_card_poker.dealing import INVALID, REPLACE
from replayer.law.fortune_3_card_poker.outcome import BankOutcome
from replayer.law.fortune_3_card_poker.rules import Rules
from schemas.plural import plural

UNSEEN: Final = "a card of the croupier, or a suit that counts, is not on the log"


class Croupier(NamedTuple):
    """The croupier's hand.

    Attributes:
        cards: his cards.
        exposed: whether an exposed card makes the round invalid (F3-11).
        hidden: whether one of them was never seen.
    """

    cards: Cards = NO_CARDS
    exposed: bool = False
    hidden: bool = False

    def dealt(self, card: Card, face: str, rules: Rules) -> Croupier:
        """With one more card. Art. 11(2): an exposed card is kept, is replaced, or makes the round invalid (F3-11)."""
        if self.exposed:
            return self
        if face == UP and rules.records("faces"):
            consequence = rules.regulation.irregularities.exposed_card(rules.readings)
            if consequence == INVALID:
                return Croupier(exposed=True)
            if consequence == REPLACE:
                return self
        cards = self.cards.dealt(card)
        if cards.ranks.size > CARDS:
            return Croupier(cards)
        return Croupier(cards, hidden=self.hidden or stays_hidden(card.rank, rules, seen=face != DOWN))

    def step(self, symbol: BankSymbol, rules: Rules) -> tuple[Croupier, Violations]:
        """The state after a symbol, and no violations: those of the deal are the round's. A turned or removed card changes
        nothing here, as a state does not hold which one it was."""
        match symbol:
            case Dealt(card, face) if face:
                return self.dealt(card, face, rules), ()
        return self, ()

    def after(self, symbol: BankSymbol, rules: Rules) -> Croupier | None:
        """The state after a symbol (:class:`replayer.contract.machine.BankState`). None where a card is turned that the log
        did not name before, or removed."""
        return None if isinstance(symbol, Turned | Removed) else self.step(symbol, rules)[0]

    def so_far(self, awaited: Awaited, rules: Rules) -> Judgement[BankOutcome]:
        """The judgement if nothing more happens to the croupier's hand, without breaches."""
        outcome, _ = self.finish(rules, plays=awaited is Awaited.HAND)
        return Judgement(outcome, unjudged=_unjudged(outcome, awaited))

    def judgement(self, awaited: Awaited, rules: Rules) -> Judgement[BankOutcome] | None:
        """The final judgement; None where the hand had to be shown and was not, and where it is void."""
        outcome, violations = self.finish(rules, plays=awaited is Awaited.HAND)
        if outcome.void or violations:
            return None
        if outcome.hand != NOT_KNOWN:
            rules.regulation.combinations.named(outcome.hand, rules.readings)
        return Judgement(outcome, unjudged=_unjudged(outcome, awaited))

    def finish(self, rules: Rules, *, plays: bool) -> tuple[BankOutcome, Violations]:
        """The outcome of his hand, and the violation of not showing it where a player ``plays`` against it."""
        if self.exposed or self.cards.ranks.size not in (0, CARDS):  # 11(2), 11(1)
            return BankOutcome(void=True), ()
        unseen = self.hidden and plays and rules.records("deal_order", "faces")
        return BankOutcome(self.cards.hand()), (rules.regulation.play.not_shown(),) if unseen else ()


def _unjudged(outcome: BankOutcome, awaited: Awaited) -> str:
    return UNSEEN if outcome.hand == NOT_KNOWN and awaited is Awaited.HAND else ""


# The fold of his history


@dataclass(slots=True)
class _Fold(Fold[BankSymbol]):
    """The machine of his hand so far, his cards, those put aside and those exposed."""

    rules: Rules
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
        before = self.croupier
        self.croupier = before.dealt(card, face, self.rules)
        (self.aside if self.croupier is before else self.his).lay(LaidCard(card, self.here, hidden=face == DOWN))
        if face == UP:
            self.exposed.append(card)

    def _turn(self, card: Card) -> None:
        law, dealing = self.rules.regulation, self.given < CARDS
        if dealing:
            self.exposed.append(card)
        lies = self.his.turn(card, self.here)
        if lies is not None and dealing and law.irregularities.replaces_turned(self.rules):
            self.aside.lay(self.his.remove(lies))
            self.croupier = self.croupier._replace(cards=reduce(Cards.dealt, self.his, NO_CARDS))
        elif lies is not None:
            self.croupier = self.croupier._replace(cards=self.croupier.cards.turned(lies.was, card))
        elif self.aside.turn(card, self.here) is None:
            self.stray = True
            self.note((Violation(BANK_CARD_ABSENT, law.distribution.cite(), f"{card} turned: {ABSENT}"),))


def judge_bank(history: BankHistory, rules: Rules, *, steps: bool = False) -> Judgement[BankOutcome]:
    """The judgement of the croupier's history."""
    awaited, symbols = history
    law = rules.regulation
    fold = _Fold(rules)
    fold.follow_all(symbols)
    his = fold.his.cards.values()
    unseen = [lies.dealt_at for lies in his if stays_hidden(lies.card.rank, rules, seen=not lies.lies_down)]
    fold.marks[marks.HIDDEN] = max(unseen, default=0)
    croupier = fold.croupier._replace(hidden=bool(unseen))
    outcome, violations = croupier.finish(rules, plays=awaited is Awaited.HAND)
    if outcome.void:
        item, why = 1, f"the croupier has {plural(len(fold.his.cards), 'card')}"
        if croupier.exposed:
            item, why = 2, "a card of the croupier lay open"
        return Judgement(outcome, tuple(fold.breaches), (Step(law.irregularities.cite(item), why),) if steps else ())
    if fold.stray:  # his hand is not known, and that is the breach instead of a card never shown
        outcome, violations = BankOutcome(NOT_KNOWN), ()
    hand = outcome.hand
    fold.note(violations, at_end=True)
    held = f"the croupier holds {hand.in_words}" if fold.given else "the croupier has no card"
    article = law.combinations.cite()
    if hand != NOT_KNOWN:
        article = law.combinations.item(law.combinations.named(hand, rules.readings))
    explained = (Step(article, held),) if steps else ()
    return Judgement(outcome, tuple(fold.breaches), explained, unjudged=_unjudged(outcome, awaited))
