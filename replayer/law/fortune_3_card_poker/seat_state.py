"""A place in the middle of a round: what its decision depends on; and the fold of its history."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from replayer.contract.cards import Card
from replayer.contract.laid_cards import LaidCard, LaidCards
from replayer.contract.machine import Fold, Violation, Violations
from replayer.contract.outcomes import Awaited, Breach, Judgement, Step
from replayer.contract.symbols import DOWN, Dealt, Removed, SeatHistory, SeatSymbol, Staked, Turned
from replayer.law.codes import CARD_ABSENT
from replayer.law.fortune_3_card_poker import marks
from replayer.law.fortune_3_card_poker.bets import ANTE, NO_BETS, RAISE, Bets
from replayer.law.fortune_3_card_poker.cards import ABSENT, NO_CARDS, NOT_KNOWN, Cards, Hand
from replayer.law.fortune_3_card_poker.outcome import ALONE, FOLDED, NULL, RAISED, VOID, SeatOutcome
from replayer.law.fortune_3_card_poker.rules import Rules
from schemas.finding import Code, of_procedure

UNSEEN: Final = "a card of the hand, or a suit that counts, is not on the log"


class SeatState(NamedTuple):
    """A place with its one hand (:class:`replayer.contract.machine.SeatState`)."""

    bets: Bets = NO_BETS
    cards: Cards = NO_CARDS

    def faces(self, upcard: str) -> SeatState:
        """Unchanged: the croupier's hand lies face down until everybody has decided."""
        return self

    def step(self, symbol: SeatSymbol, rules: Rules) -> tuple[SeatState, Violations]:
        """The state after a symbol, and the violations. A turned card changes nothing here, as a state does not hold which one it
        was."""
        bets, violations = self.bets.step(symbol, rules)
        cards = self.cards
        if isinstance(symbol, Dealt) and symbol.face and not symbol.hand:
            cards = cards.dealt(symbol.card)
        return SeatState(bets, cards), violations

    def lawful(self) -> SeatState:
        """Unchanged: nothing in it matters only to further breaches."""
        return self

    def judgement(self, rules: Rules) -> Judgement[SeatOutcome] | None:
        """The final judgement; None where a rule was broken."""
        fate, violations = self.bets.finish(rules)
        return None if violations else self._judgement(fate, rules)

    def open(self, hand: int, rules: Rules) -> frozenset[str]:
        """What may be decided at the place."""
        return frozenset() if hand else rules.regulation.play.open_to(self.bets, rules.readings)

    def so_far(self, rules: Rules) -> Judgement[SeatOutcome]:
        """The judgement if nothing more happens at the place, without breaches."""
        return self._judgement(self.bets.finish(rules)[0], rules)

    def _judgement(self, fate: str, rules: Rules) -> Judgement[SeatOutcome]:
        if fate in (NULL, VOID):
            return Judgement(SeatOutcome(fate))
        hand = self.cards.hand()
        unjudged = UNSEEN if hand == NOT_KNOWN and fate != FOLDED else ""
        unseen = () if rules.records("decisions") else ("decisions",)
        awaited = Awaited.HAND if fate == RAISED else Awaited.NOTHING
        return Judgement(SeatOutcome(fate, hand), awaited=awaited, unjudged=unjudged, not_checked=unseen)


NEW_SEAT: Final = SeatState()
"""A seat before the round."""


# The fold of its history

F3_SECOND_HAND: Final = of_procedure("F3_SECOND_HAND", "A second hand at a place, which has one")

STRAY: Final = "a card of another hand is on the log at this place"


@dataclass(slots=True)
class _Fold(Fold[SeatSymbol]):
    """The machines of a place so far, and the cards that lie there."""

    rules: Rules
    state: SeatState = NEW_SEAT
    laid: LaidCards = field(default_factory=lambda: LaidCards(one_deck=True))
    stray: bool = False
    collected: list[Breach] = field(default_factory=list)  # if its player raises after all

    def follow(self, symbol: SeatSymbol) -> None:
        """Take the next symbol of the history."""
        undecided = not self.state.bets.decided
        self.state, violations = self.state.step(symbol, self.rules)
        if undecided and self.state.bets.decided:
            self.marks[marks.DECIDED] = self.here
        self.note(violations)
        match symbol:
            case _ if symbol.hand:
                self.strays(F3_SECOND_HAND, f"{symbol.hand + 1} hands: a place has one")
            case Dealt(card, face) if face:
                self.laid.lay(LaidCard(card, self.here, hidden=face == DOWN))
            case Turned(card):
                lies = self.laid.turn(card, self.here)
                if lies is None:
                    self.strays(CARD_ABSENT, f"{card} turned: {ABSENT}")
                else:
                    self.state = self.state._replace(cards=self.state.cards.turned(lies.was, card))
            case Staked(kind) if kind in (ANTE, RAISE):
                self.marks[marks.ANTED if kind == ANTE else marks.STAKED] = self.here
            case Removed(card) if not (violations or self.rules.records("decisions")):
                self.collected.append(self.rules.regulation.irregularities.taken_away(card).at(self.here))

    def strays(self, code: Code, message: str) -> None:
        """Note a symbol of a card or a hand that the place does not have: its cards are then not known."""
        if not self.stray or code == CARD_ABSENT:
            self.note((Violation(code, self.rules.regulation.distribution.cite(), message),))
        self.stray = True


def _fold(history: SeatHistory, rules: Rules) -> _Fold:
    fold = _Fold(rules)
    fold.follow_all(history.symbols)
    return fold


def judge_seat(history: SeatHistory, rules: Rules, *, steps: bool = False) -> Judgement[SeatOutcome]:
    """The judgement of a seat's history."""
    fold = _fold(history, rules)
    if fold.stray:
        return Judgement(breaches=tuple(fold.breaches), unjudged=STRAY)
    judgement, bets = fold.state.so_far(rules), fold.state.bets
    if (bets.bet or bets.cards) and not bets.is_judged(rules):
        return judgement
    fate, violations = bets.finish(rules)
    fold.note(violations, at_end=True)
    if bets.plays:
        fold.breaches += fold.collected
    explained = steps and fate != NULL
    value = (_step(fate, bets, fold.state.cards.hand(), rules),) if explained else ()
    return replace(judgement, breaches=tuple(fold.breaches), steps=value)


def cards_of(history: SeatHistory, rules: Rules) -> list[Card]:
    """The cards that lie at the place after a seat history so far."""
    return list(_fold(history, rules).laid)


def _step(fate: str, bets: Bets, hand: Hand, rules: Rules) -> Step:
    law = rules.regulation
    rank = law.combinations.certain.get(hand)
    held = f"{hand} ({rank.combination})" if rank else hand.in_words
    if fate == ALONE:
        return law.kinds_of_bet.pair_plus_alone(held)
    if fate == RAISED:
        return Step(law.play.cite(*law.play.raise_item), f"{held}: plays against the croupier")
    if not bets.decided:
        return Step(law.play.cite(*law.play.deciding_item), f"{held}: no decision")
    return Step(law.play.cite(*law.play.fold_item), f"{held}: does not play")
