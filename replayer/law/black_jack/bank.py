"""The bank in a round, on one page: its hand, its hidden card, the steps from one event to the next, the fold of its history.

Arts. 6(1) and 7(1) say what it draws and calls, art. 5(2)(3) when it looks at its hidden card.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, NamedTuple

from replayer.contract.cards import NOT_KNOWN
from replayer.contract.laid_cards import LaidCard, LaidCards
from replayer.contract.machine import Fold, Violation, Violations
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
from replayer.law.black_jack import marks
from replayer.law.black_jack.outcome import BANK_NATURAL, NO_NATURAL, OVER, BankOutcome
from replayer.law.black_jack.points import MOST, PIPS, TEN_VALUES, CalledTotal, ace_counts_eleven
from replayer.law.black_jack.rules import Rules
from replayer.law.codes import BANK_CARD_ABSENT

# Its hand

MANY: Final = 3
"""The number of cards at which counting stops."""
_FAR_OVER: Final = 31
"""Points at which counting stops: a bank that draws correctly reaches 26 at most."""
_HARD_17: Final = 17
"""Above these points no rule asks for the cards."""
_OF_TWO: Final = (7, 11)
"""Points, with the ace at one, of an ace and a six and of Black Jack, which are counted otherwise than more cards are."""


@dataclass(frozen=True, slots=True)
class BankHand:
    """The bank's hand, as it takes cards and calls totals.

    Attributes:
        cards: how many it has; two are Black Jack, or an ace and a six, three are any others.
        hard: its points with every ace at one; 31 are 31 or more, and 0 where a card is not named.
        ace, six: whether it has one; not kept above 17, nor an ace without a six above 11.
        unnamed: whether the log does not name one of its cards.
        called: the total announced since its last card.
        over_soft17: whether a card was drawn on a soft 17, as long as it is soft.
    """

    cards: int = 0
    hard: int = 0
    ace: bool = False
    six: bool = False
    unnamed: bool = False
    called: CalledTotal = CalledTotal.NOTHING
    over_soft17: bool = False

    @property
    def known(self) -> bool:
        """Whether it has its two cards and all are named."""
        return self.cards >= 2 and not self.unnamed

    @property
    def soft(self) -> bool:
        """Whether an ace counts eleven in its best points."""
        return self.ace and ace_counts_eleven(self.hard)

    @property
    def best(self) -> int:
        """Its points with one ace at eleven where that does not exceed 21."""
        return self.hard + 10 if self.soft else self.hard

    @property
    def natural(self) -> bool:
        """Whether it is Black Jack: no other two cards come to a soft 21."""
        return self.cards == 2 and self.best == MOST

    @property
    def ace_and_six(self) -> bool:
        """Whether it is an ace and a six: no other two cards come to a soft 17."""
        return self.cards == 2 and self.soft and self.best == _HARD_17

    def dealt(self, rank: str, *, over_soft17: bool = False) -> BankHand:
        """With one more card, ``?`` one that is not named; ``over_soft17`` is whether it was drawn on a soft 17."""
        cards = min(self.cards + 1, MANY)
        if self.unnamed or rank == NOT_KNOWN:
            return BankHand(MANY if self.cards else 1, unnamed=True)
        hard = min(self.hard + PIPS[rank], _FAR_OVER)
        matters = hard <= _HARD_17
        six = matters and (self.six or rank == "6")
        ace = matters and (self.ace or rank == "A") and (six or ace_counts_eleven(hard))
        soft = ace and ace_counts_eleven(hard)
        if cards == 2 and not (ace and hard in _OF_TWO):
            cards = MANY
        return BankHand(cards, hard, ace, six, over_soft17=soft and (self.over_soft17 or over_soft17))

    def announced(self, points: int) -> BankHand:
        """With a total called, of cards that can be counted."""
        return replace(self, called=CalledTotal.HARD if self.soft and points == self.hard else CalledTotal.BEST)

    def counts(self, points: int) -> bool:
        """Whether its cards come to ``points`` with every ace at one."""
        return min(points, _FAR_OVER) == self.hard


# Its hidden card

TEN_OR_ACE: Final = frozenset("ATJQK")

LOOK: Final = "look"
PLAY: Final = "play"
"""Marks: the look at the hidden card, the first decision that is a play of a hand."""


class FirstTwo(StrEnum):
    """What the bank's first two cards are, or its first one as long as that is alone."""

    NOT_THERE = "no card"
    ACE = "an ace"
    TEN = "a ten or a figure"
    UNNAMED = "a card that is not named"
    NATURAL = "Black Jack"
    OTHERS = "one that is neither an ace nor a ten, or any other two"
    POSSIBLE = "not both named, and perhaps Black Jack"


_ALONE: Final = (FirstTwo.ACE, FirstTwo.TEN, FirstTwo.UNNAMED)
_CLASSES: Final = {"A": FirstTwo.ACE, NOT_KNOWN: FirstTwo.UNNAMED, **dict.fromkeys(TEN_VALUES, FirstTwo.TEN)}


class Look(StrEnum):
    """What the look at the hidden card found, and whether play went on."""

    NONE = "it did not look"
    PLAYED_ON = "it did not look, and play began"
    NOT_DUE = "it did not look, under neither an ace nor a ten"
    NATURAL = "Black Jack"
    NATURAL_PLAYED_ON = "Black Jack, and play went on"
    NO_NATURAL = "no Black Jack"


_PLAYED_ON: Final = {Look.NONE: Look.PLAYED_ON, Look.NATURAL: Look.NATURAL_PLAYED_ON}


@dataclass(frozen=True, slots=True)
class HoleCard:
    """The bank's first two cards and its look at them (art. 5(2)(3))."""

    first_two: FirstTwo = FirstTwo.NOT_THERE
    look: Look = Look.NONE

    @property
    def looked(self) -> bool:
        """Whether the bank looked."""
        return self.look not in (Look.NONE, Look.PLAYED_ON, Look.NOT_DUE)

    @property
    def is_due(self) -> bool:
        """Whether its first card is an ace or a ten, and it did not look."""
        return self.first_two is not FirstTwo.NOT_THERE and self.look in (Look.NONE, Look.PLAYED_ON)

    @property
    def found_natural(self) -> bool:
        """Whether the look was said to have found Black Jack."""
        return self.look in (Look.NATURAL, Look.NATURAL_PLAYED_ON)

    @property
    def shown(self) -> bool | None:
        """Whether its cards are Black Jack (art. 10(1)); None where they do not tell."""
        return {FirstTwo.NATURAL: True, FirstTwo.OTHERS: False}.get(self.first_two)

    def dealt(self, rank: str) -> HoleCard:
        """With one more card of the bank that counts."""
        card = _CLASSES.get(rank, FirstTwo.OTHERS)
        if self.first_two in _ALONE:
            return HoleCard(_both({self.first_two, card}), self.look)
        if self.first_two is not FirstTwo.NOT_THERE:
            return self
        due = self.looked or card in (FirstTwo.ACE, FirstTwo.TEN)
        return HoleCard(card, self.look if due else Look.NOT_DUE)

    def looked_at(self, *, natural: bool) -> HoleCard:
        """With a look that was said to have found Black Jack, or none."""
        return HoleCard(self.first_two, Look.NATURAL if natural else Look.NO_NATURAL)

    def played(self) -> HoleCard:
        """With the first decision that is a play of a hand."""
        return replace(self, look=_PLAYED_ON.get(self.look, self.look))

    def natural(self) -> bool | None:
        """Whether it is Black Jack; None where neither the cards nor the look tell."""
        return self.found_natural if self.shown is None and self.looked else self.shown


def _both(cards: set[FirstTwo]) -> FirstTwo:
    if FirstTwo.UNNAMED in cards and FirstTwo.OTHERS not in cards:
        return FirstTwo.POSSIBLE
    return FirstTwo.NATURAL if cards == {FirstTwo.ACE, FirstTwo.TEN} else FirstTwo.OTHERS


# The bank

HIDDEN: Final = "hidden card"
"""Mark: the bank's first card never seen."""


class BankState(NamedTuple):
    """The bank in the middle of a round (:class:`replayer.contract.machine.BankState`). It takes cards as finally known.

    Attributes:
        hand: its valid cards, the total called of them.
        void: whether its last card is void.
        hidden: whether a valid card was never seen.
        hole: its first two cards, and its look at them.
        down: the rank of a card that lies face down and may still be turned, empty where there is none: it is taken when the
            next card comes, or the round ends.
    """

    hand: BankHand = BankHand()
    void: bool = False
    hidden: bool = False
    hole: HoleCard = HoleCard()
    down: str = ""

    def step(self, symbol: BankSymbol, rules: Rules) -> tuple[BankState, Violations]:
        """The state after a symbol, and the violations. A card that lies face down when the next one comes is not turned any
        more; a removed one changes nothing here, as a state does not hold which card lies where."""
        match symbol:
            case Dealt(card, face):
                before, violations = self._ended(rules)
                if face == DOWN:
                    return before._replace(down=card.rank), violations
                after, more = before.dealt(card.rank, rules, seen=True)
                return after, violations + more
            case Turned(card) if self.down:
                return self._replace(down="").dealt(card.rank, rules, seen=True)
            case Called(points):
                return self.announced(points, rules)
            case Looked(found) if self.hand.cards > 1 or self.down or self.void:
                return self._replace(hole=self.hole.looked_at(natural=found == FOUND_NATURAL)), ()
            case PlayBegan():
                return self._replace(hole=self.hole.played()), ()
        return self, ()

    def after(self, symbol: BankSymbol, rules: Rules) -> BankState | None:
        """The state after a symbol. None where a rule was broken, and where a state alone does not determine the outcome: a
        second card lies face down, one is removed, or turns out to be another."""
        match symbol:
            case Turned(card) if self.down not in (NOT_KNOWN, card.rank):
                return None
            case Removed():
                return None
            case Dealt() | Called() if self.down:
                return None
        state, violations = self.step(symbol, rules)
        return None if violations else state

    def dealt(self, rank: str, rules: Rules, *, seen: bool, removed: bool = False) -> tuple[BankState, Violations]:
        """With one more card, as finally known: ``?`` where not named, ``seen`` by the players, ``removed`` again."""
        drawing, violations, counts = rules.regulation.drawing, Violations(), not removed
        if self.hand.known and not drawing.bank_may_draw(self.hand, rules):
            held, surplus = drawing.bank_surplus(self.hand, rules, seen=seen, removed=removed)
            counts, violations = counts and held, (surplus,)
        if not counts:
            return self._replace(void=True), violations
        hidden = self.hidden or stays_hidden(rank, rules, seen=seen)
        hand, hole = drawing.bank_takes(self.hand, rank, rules), self.hole.dealt(rank)
        return BankState(hand, hidden=hidden, hole=hole, down=self.down), violations

    def announced(self, called: int, rules: Rules) -> tuple[BankState, Violations]:
        """With a total called; one behind a void card may count that card."""
        if not self.hand.known:
            return self, ()
        after, scoring = self._replace(hand=self.hand.announced(called)), rules.regulation.scoring
        if self.void:
            return (after if scoring.is_bank_total(after.hand, called, rules) else self), ()
        return after, scoring.bank_total_wrong(after.hand, called, rules)

    def _ended(self, rules: Rules) -> tuple[BankState, Violations]:
        """The state with the card that still lies face down, and the violations."""
        return self._replace(down="").dealt(self.down, rules, seen=False) if self.down else (self, ())

    def draws(self, awaited: Awaited, rules: Rules) -> bool:
        """Whether the bank must take another card."""
        return rules.regulation.drawing.bank_must_draw(self._ended(rules)[0].hand, awaited, rules)

    def so_far(self, awaited: Awaited, rules: Rules) -> Judgement[BankOutcome]:
        """The judgement if nothing more happens to the bank, without breaches."""
        return self._ended(rules)[0].judged(rules)

    def judgement(self, awaited: Awaited, rules: Rules) -> Judgement[BankOutcome] | None:
        """The final judgement, where ``awaited`` waits for the bank; None where a rule was broken."""
        ended, violations = self._ended(rules)
        return None if violations or any(ended.finish(awaited, rules)) else ended.judged(rules)

    def finish(self, awaited: Awaited, rules: Rules) -> Iterator[Violation]:
        """What was wrong with the look, and what is missing."""
        law = rules.regulation
        yield from law.deal.of_the_look(self.hole, rules)
        yield from law.scoring.bank_not_shown(self, awaited, rules)
        if self.hand.known:
            yield from law.drawing.bank_not_drawn(self.hand, awaited, rules)
            yield from law.scoring.bank_not_called(self.hand, rules)

    def judged(self, rules: Rules) -> Judgement[BankOutcome]:
        """The judgement by the state as it is, without breaches."""
        hole, hand = self.hole, self.hand
        unseen = rules.options.checks_hole and not hole.looked and not rules.records("hole_check")
        not_checked = ("hole_check",) if unseen else ()
        if not hand.known:
            natural = hole.natural()
            outcome = None if natural is None else BANK_NATURAL if natural else NO_NATURAL
            missing = "the bank has no second card on the log" if hand.cards < 2 else "a card of the bank is not named"
            return Judgement(outcome, unjudged="" if natural else missing, not_checked=not_checked)
        points = rules.regulation.drawing.bank_points(hand, rules)
        outcome = BANK_NATURAL if hand.natural else BankOutcome(min(points, OVER))
        # Where it does not look, it has its second card, or shows it, when all players were heard (arts. 5(2), 6(3); BJ-74).
        played = not (hand.natural and rules.options.checks_hole)
        return Judgement(outcome, not_checked=not_checked, played=played)


NEW_BANK: Final = BankState()
"""The bank before its first card."""


# The fold of its history


@dataclass(slots=True)
class _Fold(Fold[BankSymbol]):
    """The bank so far, for whose hand ``awaited`` waits.

    Attributes:
        cards: every card by the position that dealt it, as finally known; ``turned_at``: the positions that turned some of them.
        removed: by the position of a card the one that removed it, and whether a total, a card or the first play came between.
        opened_at: the last position that turned one of the cards so far.
        ranks: of the cards that count.
    """

    rules: Rules
    awaited: Awaited
    state: BankState = NEW_BANK
    cards: dict[int, LaidCard] = field(default_factory=dict)
    turned_at: dict[int, int] = field(default_factory=dict)
    removed: dict[int, tuple[int, bool]] = field(default_factory=dict)
    opened_at: int = 0
    ranks: list[str] = field(default_factory=list)

    def follow(self, symbol: BankSymbol) -> None:
        """Take the next symbol of the history, once all cards are known."""
        match symbol:
            case Dealt():
                self._takes(self.cards[self.here])
                self.opened_at = max(self.opened_at, self.turned_at.get(self.here, 0))
                return
            case Looked():
                self.marks[LOOK] = self.here
            case PlayBegan():
                self.marks[PLAY] = self.here
        self.state, violations = self.state.step(symbol, self.rules)
        self.note(violations)

    def named(self, mark: str) -> Mapping[str, object]:
        """The bank's first two cards, at which it looks."""
        return {"cards": " ".join(self.ranks[:2])}

    def _takes(self, card: LaidCard) -> None:
        removed_at, late = self.removed.get(self.here, (0, False))
        # A card that came to the bank by error and was taken back at once (art. 5(1)(2)): the bank draws none while its hidden
        # card is not yet turned.
        if 0 < removed_at < self.opened_at and not late:
            return
        if not removed_at:
            self.marks[marks.LAST_CARD] = self.here
        rank, seen = card.card.rank, not card.lies_down
        if stays_hidden(rank, self.rules, seen=seen) and not removed_at:
            self.first(HIDDEN)
        uncorrected = self._uncorrected(rank, late=late) if removed_at else None
        self.state, violations = self.state.dealt(rank, self.rules, seen=seen, removed=removed_at > 0)
        self.note(violations)
        if uncorrected is not None and not violations:  # what it must not take is rightly taken away
            self.breaches.append(uncorrected.at(removed_at))
        if not self.state.void:
            self.ranks.append(rank)

    def _uncorrected(self, rank: str, *, late: bool) -> Violation | None:
        """What is found at the removal of a card that need not have put an error right: one on which something followed, and one
        that the bank drew, as it does its second one where that is dealt open (arts. 5(2), 6(1)). Where no decisions are recorded
        it may have drawn any."""
        law, hand = self.rules.regulation, self.state.hand
        card = f"the bank's {rank}" if rank != NOT_KNOWN else "an unseen card of the bank"
        if late:
            return law.deal.no_correction(card)
        of_the_deal = 2 if self.rules.options.hides_second and self.here not in self.turned_at else 1
        drawn = hand.cards >= of_the_deal or not self.rules.records("decisions")
        if not drawn or not law.drawing.bank_must_draw(hand, self.awaited, self.rules):
            return None
        after = law.drawing.bank_takes(hand, rank, self.rules)
        if hand.cards > 1 and after.known and not law.drawing.bank_may_draw(after, self.rules):
            return law.deal.no_correction(card, "it had completed the bank's hand")
        return law.deal.taken_back(card)


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
                fold.cards[index] = LaidCard(card, index, hidden=face == DOWN)
                laid.lay(fold.cards[index])
            case Turned(card) if (lies := laid.turn(card, index)) is not None:
                fold.turned_at[lies.dealt_at] = index
            case Removed(card) if (lies := laid.take(card)) is not None:
                fold.removed[lies.dealt_at] = index, followed_at > lies.dealt_at
            case Turned(card) | Removed(card):
                message = f"{card.rank} was {'turned' if isinstance(symbol, Turned) else 'removed'}, the bank has none"
                fold.breaches.append(Breach(BANK_CARD_ABSENT, drawing.cite(*drawing.bank), message, index))
    fold.follow_all(symbols)
    return fold


def judge_bank(history: BankHistory, rules: Rules, *, steps: bool = False) -> Judgement[BankOutcome]:
    """The judgement of a bank's history."""
    fold = _fold(history, rules)
    fold.note(fold.state.finish(fold.awaited, rules), at_end=True)
    judgement = replace(fold.state.judged(rules), breaches=tuple(fold.breaches))
    if not steps or not fold.state.hand.known:
        return judgement
    drawing = rules.regulation.drawing
    has = "Black Jack" if judgement.outcome == BANK_NATURAL else judgement.outcome
    text = f"the bank has {has} with {' '.join(fold.ranks)}"
    return replace(judgement, steps=(Step(drawing.cite(*drawing.bank), text),))
