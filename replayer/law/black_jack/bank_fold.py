"""Folds a bank's history through the machines of the bank and of its hidden card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from replayer.contract.laid_cards import LaidCard, LaidCards
from replayer.contract.machine import Fold
from replayer.contract.outcomes import Awaited, Breach, Judgement, Step
from replayer.contract.rules import stays_hidden
from replayer.contract.symbols import (
    DOWN,
    FOUND_NATURAL,
    BankHistory,
    BankSymbol,
    Called,
    Dealt,
    Looked,
    PlayBegan,
    Removed,
    Turned,
)
from replayer.law.black_jack.bank import HIDDEN, LOOK, PLAY, Bank, HoleCard, judgement_of
from replayer.law.black_jack.marks import LAST_CARD
from replayer.law.black_jack.outcome import BANK_NATURAL, BankOutcome
from replayer.law.black_jack.rules import Rules
from replayer.law.codes import BANK_CARD_ABSENT


@dataclass(slots=True)
class _Card:
    """A card of the bank as finally known, with the positions that turned and removed it, 0 where none did.

    Attributes:
        late: whether a total, a card or the first play came between its deal and its removal.
        opened_at: the position that last turned a card dealt before it.
    """

    rank: str
    seen: bool
    turned_at: int = 0
    removed_at: int = 0
    late: bool = False
    opened_at: int = 0


@dataclass(slots=True)
class _Fold(Fold[BankSymbol]):
    """The machines of the bank so far, for whose hand ``awaited`` waits; its cards by position, and the ranks of those that
    count."""

    rules: Rules
    awaited: Awaited
    bank: Bank = field(default_factory=Bank)
    hole: HoleCard = field(default_factory=HoleCard)
    cards: dict[int, _Card] = field(default_factory=dict)
    ranks: list[str] = field(default_factory=list)

    def follow(self, symbol: BankSymbol) -> None:
        """Take the next symbol of the history, once all cards are known."""
        match symbol:
            case Dealt():
                self._takes(self.cards[self.here])
            case Looked(found):
                self.marks[LOOK] = self.here
                self.hole = self.hole.looked_at(natural=found == FOUND_NATURAL)
            case PlayBegan():
                self.marks[PLAY] = self.here
                self.hole = self.hole.played()
            case Called(points):
                self.bank, violations = self.bank.announced(points, self.rules)
                self.note(violations)

    def named(self, mark: str) -> Mapping[str, object]:
        """The bank's first two cards, at which it looks."""
        return {"cards": " ".join(self.ranks[:2])}

    def _takes(self, card: _Card) -> None:
        if self._is_of_another(card):
            return
        self.marks[LAST_CARD] = self.here
        if stays_hidden(card.rank, self.rules, seen=card.seen) and not card.removed_at:
            self.first(HIDDEN)
        removed = card.removed_at > 0
        completes = removed and not card.late and self._completes(card.rank)
        self.bank, violations = self.bank.dealt(card.rank, self.rules, seen=card.seen, removed=removed)
        self.note(violations)
        if (card.late or completes) and not violations:
            ended = "it had completed the bank's hand" if completes else ""
            uncorrected = self.rules.regulation.deal.no_correction(f"the bank's {card.rank}", ended)
            self.breaches.append(uncorrected.at(card.removed_at))
        if not self.bank.void:
            self.hole = self.hole.dealt(card.rank)
            self.ranks.append(card.rank)

    def _is_of_another(self, card: _Card) -> bool:
        """Whether a card was another's, which came to the bank by error and was taken back at once (art. 5(1)(2)): the bank draws
        none while its hidden card is not yet turned."""
        return bool(card.removed_at) and not card.late and card.removed_at < card.opened_at

    def _completes(self, rank: str) -> bool:
        """Whether a card that the bank must draw ends its hand (art. 6(1)); its first two cards are not drawn."""
        hand, drawing = self.bank.hand, self.rules.regulation.drawing
        if hand.cards < 2 or not drawing.bank_must_draw(hand, self.awaited, self.rules):
            return False
        after = drawing.bank_takes(hand, rank, self.rules)
        return after.known and not drawing.bank_may_draw(after, self.rules)


def _fold(history: BankHistory, rules: Rules) -> _Fold:
    """Fold a history. Cards count as finally known: one that was turned is named from the deal on, one that was removed never
    counts."""
    awaited, symbols = history
    fold, laid = _Fold(rules, awaited), LaidCards()
    drawing = rules.regulation.drawing
    followed_at = 0
    for index, symbol in enumerate(symbols, 1):
        if isinstance(symbol, Called | Dealt | PlayBegan):
            followed_at = index
        match symbol:
            case Dealt(card, face):  # a card without a face on the log counts as seen
                fold.cards[index] = _Card(card.rank, seen=face != DOWN)
                laid.lay(LaidCard(card, index, hidden=face == DOWN))
            case Turned(card) if (lies := laid.turn(card, index)) is not None:
                turned = fold.cards[lies.dealt_at]
                turned.rank, turned.seen, turned.turned_at = card.rank, True, index
            case Removed(card) if (lies := laid.take(card)) is not None:
                taken = fold.cards[lies.dealt_at]
                taken.removed_at, taken.late = index, followed_at > lies.dealt_at
            case Turned(card) | Removed(card):
                message = f"{card} was {'turned' if isinstance(symbol, Turned) else 'removed'}, the bank has none"
                fold.breaches.append(Breach(BANK_CARD_ABSENT.code, drawing.cite(*drawing.bank), message, index))
    for before, own in pairwise(fold.cards.values()):
        own.opened_at = max(before.opened_at, before.turned_at)
    fold.follow_all(symbols)
    return fold


def judge_bank(history: BankHistory, rules: Rules, *, steps: bool = False) -> Judgement[BankOutcome]:
    """The judgement of a bank's history."""
    fold = _fold(history, rules)
    fold.note(fold.hole.finish(rules))
    fold.note(fold.bank.finish(fold.awaited, rules, found=fold.hole.found_natural))
    judgement = replace(judgement_of(fold.bank, fold.hole, rules), breaches=tuple(fold.breaches))
    if not steps or not fold.bank.hand.known:
        return judgement
    drawing = rules.regulation.drawing
    has = "Black Jack" if judgement.outcome == BANK_NATURAL else judgement.outcome
    text = f"the bank has {has} with {' '.join(fold.ranks)}"
    return replace(judgement, steps=(Step(drawing.cite(*drawing.bank), text),))
