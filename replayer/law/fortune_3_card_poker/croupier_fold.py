"""Folds the croupier's history through the machine of his hand."""

from __future__ import annotations

from collections.abc import Sequence

from replayer.cards import Card
from replayer.laid_cards import LaidCards
from replayer.law.codes import BANK_CARD_ABSENT
from replayer.law.fortune_3_card_poker.cards import ABSENT, CARDS, NOT_KNOWN, Laid
from replayer.law.fortune_3_card_poker.croupier import HIDDEN, UNSEEN, Croupier
from replayer.law.fortune_3_card_poker.outcome import BankOutcome
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.machine import Fold, Violation
from replayer.outcomes import HAND_AWAITED, Judgement, Step
from replayer.rules import stays_hidden
from replayer.symbols import DOWN, UP, BankHistory, BankSymbol, Dealt, Removed, Turned


def judge_bank(history: BankHistory, rules: Rules) -> Judgement[BankOutcome]:
    """The judgement of the croupier's history."""
    awaited, symbols = history
    law, contested = rules.regulation, awaited == HAND_AWAITED
    croupier, his, aside, fold = Croupier(), Laid(), Laid(), Fold()
    unseen = _never_turned(symbols)
    exposed: list[Card] = []
    given, stray = 0, False
    for fold.here, symbol in enumerate(symbols, 1):
        before = croupier
        match symbol:
            case Dealt(card, face) if face:
                given += 1
                hidden = stays_hidden(card.rank, rules, seen=face != DOWN or fold.here not in unseen)
                croupier = croupier.dealt(card, rules, seen=face == UP, hidden=hidden)
                (aside if croupier is before else his).lay(card, seen=face == UP)
                if face == UP:
                    exposed.append(card)
                if hidden:
                    fold.marks[HIDDEN] = fold.here
            case Removed(card) if card not in exposed:
                fold.note((law.art11.taken_away(card),))
            case Turned(card):
                if given < CARDS:
                    exposed.append(card)
                was = his.turn(card)
                if was is not None and given < CARDS and law.art11.replaces_turned(rules):
                    his = his.put_aside(card)
                    aside.lay(card, seen=True)
                    croupier = croupier.left_with(his)
                elif was is not None and was != card:
                    croupier = croupier.turned(was, card)
                elif was is None and aside.turn(card) is None:
                    stray = True
                    fold.note((Violation(BANK_CARD_ABSENT.code, law.art7.cite(), f"{card} turned: {ABSENT}"),))
    outcome, violations = croupier.finish(rules, plays=contested)
    if outcome.void:
        item, why = (
            (2, "a card of the croupier lay open") if croupier.exposed else (1, f"the croupier has {len(his)} cards")
        )
        return Judgement(outcome, tuple(fold.breaches), (Step(law.art11.cite(item), why),))
    if stray:  # his hand is not known, and that is the breach instead of a card never shown
        outcome, violations = BankOutcome(NOT_KNOWN), ()
    hand = outcome.hand
    fold.note(violations)
    article = law.art8.cite() if hand == NOT_KNOWN else law.art8.item(law.art8.named(hand, rules.readings))
    unjudged = UNSEEN if hand == NOT_KNOWN and contested else ""
    return Judgement(
        outcome, tuple(fold.breaches), (Step(article, f"the croupier holds {hand.in_words}"),), unjudged=unjudged
    )


def _never_turned(symbols: Sequence[BankSymbol]) -> set[int]:
    """The positions of the cards never turned."""
    cards, left = LaidCards[int](), set[int]()
    for number, symbol in enumerate(symbols, 1):
        match symbol:
            case Dealt(card, face) if face:
                cards.lay(card, number, seen=face == UP)
                left.add(number)
            case Turned(card):
                left -= {cards.turn(card)}
    return left
