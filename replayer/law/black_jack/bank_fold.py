"""Folds a bank's history through the machines of the bank and of its hidden card."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from replayer.laid_cards import LaidCards
from replayer.law.black_jack.bank import HIDDEN, LAST_CARD, Bank
from replayer.law.black_jack.bank_state import NATURAL, judgement_of
from replayer.law.black_jack.hole_card import LOOK, PLAY, HoleCard
from replayer.law.black_jack.outcome import BANK_NATURAL, BankOutcome
from replayer.law.black_jack.rules import Rules
from replayer.law.codes import BANK_CARD_ABSENT
from replayer.machine import HERE, Violations
from replayer.outcomes import Breach, Judgement, Step
from replayer.rules import stays_hidden
from replayer.symbols import DOWN, BankHistory, Called, Dealt, Looked, PlayBegan, Removed, Turned


@dataclass(slots=True)
class _Card:
    """A card of the bank as finally known, the positions that dealt and removed it, 0 where none did; ``late`` is whether a
    total, a card or the first play came in between."""

    rank: str
    seen: bool
    position: int
    removed_at: int = 0
    late: bool = False


@dataclass(slots=True)
class _Fold:
    """The machines of the bank so far, the cards that count, the positions of the marks, and the breaches."""

    rules: Rules
    bank: Bank = field(default_factory=Bank)
    hole: HoleCard = field(default_factory=HoleCard)
    ranks: list[str] = field(default_factory=list)
    marks: dict[str, int] = field(default_factory=dict)
    breaches: list[Breach] = field(default_factory=list)

    def takes(self, card: _Card, awaited: str) -> None:
        """Take a card dealt to the bank, for whose hand ``awaited`` waits."""
        self.marks[LAST_CARD] = self.marks[HERE] = card.position
        if stays_hidden(card.rank, self.rules, seen=card.seen) and not card.removed_at:
            self.marks.setdefault(HIDDEN, card.position)
        removed = card.removed_at > 0
        completes = removed and not card.late and self._completes(card.rank, awaited)
        self.bank, violations = self.bank.takes(card.rank, self.rules, seen=card.seen, removed=removed)
        self.note(violations)
        if (card.late or completes) and not violations:
            self.marks[HERE] = card.removed_at
            ended = "it had completed the bank's hand" if completes else ""
            self.note((self.rules.regulation.deal.no_correction(f"the bank's {card.rank}", ended),))
        if not self.bank.void:
            self.hole = self.hole.dealt(card.rank)
            self.ranks.append(card.rank)

    def _completes(self, rank: str, awaited: str) -> bool:
        """Whether a card that the bank must draw ends its hand (art. 6(1)); its first two cards are not drawn."""
        hand, drawing = self.bank.hand, self.rules.regulation.drawing
        if hand.cards < 2 or not self.bank.must_draw(awaited, self.rules):
            return False
        after = drawing.bank_takes(hand, rank, self.rules)
        return after.known and not drawing.bank_must_draw(after, self.rules)

    def calls(self, points: int, position: int) -> None:
        """A total was called for the bank."""
        self.marks[HERE] = position
        self.bank, violations = self.bank.calls(points, self.rules)
        self.note(violations)

    def looks(self, position: int, *, natural: bool) -> None:
        """The bank looked at its hidden card."""
        self.marks[LOOK] = position
        self.hole = self.hole.looked_at(natural=natural)

    def play_begins(self, position: int) -> None:
        """The first decision was taken that is a play of a hand."""
        self.marks[PLAY] = position
        self.hole = self.hole.played()

    def note(self, violations: Violations) -> None:
        """Note violations as breaches at the positions of their marks."""
        for found in violations:
            message = found.message.format(cards=" ".join(self.ranks[:2]))
            self.breaches.append(Breach(found.code, found.article, message, self.marks[found.mark]))


def _fold(history: BankHistory, rules: Rules) -> tuple[_Fold, str]:
    """Fold a history; gives also what of the bank is awaited.

    Cards count as finally known: one that was turned is named from the deal on, one that was removed never counts.
    """
    fold = _Fold(rules)
    drawing = rules.regulation.drawing
    cards: dict[int, _Card] = {}
    laid = LaidCards[_Card]()
    awaited, symbols = history
    followed_at = 0
    for index, symbol in enumerate(symbols, 1):
        if isinstance(symbol, Called | Dealt | PlayBegan):
            followed_at = index
        match symbol:
            case Dealt(card, face):  # a card without a face on the log counts as seen
                cards[index] = _Card(card.rank, seen=face != DOWN, position=index)
                laid.lay(card, cards[index], seen=face != DOWN)
            case Turned(card) if (turned := laid.turn(card)) is not None:
                turned.rank, turned.seen = card.rank, True
            case Removed(card) if (removed := laid.take(card)) is not None:
                removed.removed_at, removed.late = index, followed_at > removed.position
            case Turned(card) | Removed(card):
                message = f"{card} was {'turned' if isinstance(symbol, Turned) else 'removed'}, the bank has none"
                fold.breaches.append(Breach(BANK_CARD_ABSENT.code, drawing.cite(*drawing.bank), message, index))
    for index, symbol in enumerate(symbols, 1):
        match symbol:
            case Dealt():
                fold.takes(cards[index], awaited)
            case Looked(found):
                fold.looks(index, natural=found == NATURAL)
            case PlayBegan():
                fold.play_begins(index)
            case Called(points):
                fold.calls(points, index)
    return fold, awaited


def judge_bank(history: BankHistory, rules: Rules) -> Judgement[BankOutcome]:
    """The judgement of a bank's history."""
    fold, awaited = _fold(history, rules)
    fold.note(tuple(fold.hole.finish(rules)))
    fold.note(tuple(fold.bank.finish(awaited, rules, found=fold.hole.found_natural)))
    judgement, steps = judgement_of(fold.bank, fold.hole, rules), tuple[Step, ...]()
    if fold.bank.hand.known:
        drawing = rules.regulation.drawing
        has = "Black Jack" if judgement.outcome == BANK_NATURAL else judgement.outcome
        text = f"the bank has {has} with {' '.join(fold.ranks)}"
        steps = (Step(drawing.cite(*drawing.bank), text),)
    return replace(judgement, breaches=tuple(fold.breaches), steps=steps)


def bank_draws(history: BankHistory, rules: Rules) -> bool:
    """Whether the bank must take another card after a bank history so far."""
    fold, awaited = _fold(history, rules)
    return fold.bank.must_draw(awaited, rules)
