"""The machines of a round together: the shoe, the burned cards, the deal, the play; and the fold of its history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, NamedTuple

from replayer.contract.machine import Fold, Violation, Violations
from replayer.contract.outcomes import IfDealtRight, IfUnexplained, Judgement, RoundOutcome
from replayer.contract.rules import TOTALS
from replayer.contract.symbols import (
    BANK,
    UP,
    BankLooked,
    Burned,
    CardTo,
    Cut,
    FoundShoe,
    PlayAt,
    RemovedAt,
    RoundEvent,
    RoundHistory,
    RoundStart,
    RoundSymbol,
    Shuffled,
    TurnedAt,
    WhiteCardPut,
)
from replayer.law.black_jack import marks
from replayer.law.black_jack.bank import MANY
from replayer.law.black_jack.corrections import Corrections
from replayer.law.black_jack.deal_and_play import OrderOfPlay, Passes
from replayer.law.black_jack.dealing import (
    BANK_SECOND_CARD_EARLY,
    CARD_FACE,
    CARD_TAKEN_BACK,
    CARD_WITHOUT_BET,
    EXPOSED_CARD_KEPT,
)
from replayer.law.black_jack.drawing import CARD_NOT_ASKED, CARD_NOT_GIVEN
from replayer.law.black_jack.play import DECISION_AFTER_FINAL
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.shoe import BurnedCards, Shoe
from replayer.law.black_jack.splitting import HAND_WITHOUT_SPLIT
from replayer.law.codes import BANK_CARD_ABSENT, CARD_TAKEN_AWAY

SHOWN_BY_A_ROUND: Final = ("shuffle", "cut", "burn", "deal_order", "faces", "decisions", "close", "authorisations")
"""The facts that a round's checks need; the options name those that the log's source does not record."""


class RoundState(NamedTuple):
    """A round in its middle (:class:`replayer.contract.machine.RoundState`). The machines take each card as finally known: one
    removed while the cards were dealt does not count.

    Attributes:
        bank_cards: the bank's valid cards, counted to three.
        closed: whether bets were closed, which comes before the first card.
        over, added: whether the round is over, and whether anything was added afterwards.
    """

    shoe: Shoe
    burned: BurnedCards
    passes: Passes
    play: OrderOfPlay = OrderOfPlay()
    bank_cards: int = 0
    closed: bool = False
    over: bool = False
    added: bool = False

    @classmethod
    def new(cls, round_start: RoundStart, rules: Rules) -> RoundState:
        """A round before its first event."""
        found = round_start.found
        return cls(Shoe(found), BurnedCards(found is FoundShoe.UNSHUFFLED), Passes(frozenset(round_start.bets)))

    def after(self, symbol: RoundSymbol, rules: Rules) -> RoundState | None:
        """The state after a symbol. None where a rule was broken, and where a state alone does not determine the outcome: a
        card is removed, the round is declared void, the equipment fails."""
        if isinstance(symbol, RemovedAt) or symbol is RoundEvent.VOIDED or symbol is RoundEvent.FAILED:
            return None
        state, violations = self.step(symbol, rules)
        return None if violations else state

    def step(self, symbol: RoundSymbol, rules: Rules, *, stands: bool = True) -> tuple[RoundState, Violations]:
        """The state after a symbol, and the violations; a card ``stands`` unless it is removed before anything follows on it."""
        shoe, violations = self.shoe, Violations()
        match symbol:
            case CardTo(place, face):
                return self._deals(place, face, rules, stands=stands and not self.over)
            case PlayAt(place, aside):
                return self._plays(place, rules, aside=aside or not stands)
            case TurnedAt(place):
                return (self._replace(play=self.play.opens(rules)) if place == BANK else self), violations
            case BankLooked(natural):
                return self._replace(play=self.play.looks(rules, natural=natural)), violations
            case Shuffled(method, decks):
                shoe, violations = shoe.is_shuffled(method, decks, rules)
                return self._replace(shoe=shoe, burned=self.burned.is_shuffled(decks)), violations
            case Cut():
                return self._replace(shoe=shoe.is_cut()), violations
            case WhiteCardPut(behind):
                return self._replace(shoe=shoe.takes_white_card(behind)), violations
            case RoundEvent.WHITE_CARD_OUT:
                return self._replace(shoe=shoe.gives_white_card()), violations
            case Burned(face):
                return self._replace(burned=self.burned.burns(rules, seen=face == UP)), violations
            case RoundEvent.BETS_CLOSED:
                if self.passes.begun and not self.closed:
                    violations = tuple(rules.regulation.deal.closed_late(rules))
                return self._replace(closed=True), violations
            case RoundEvent.PAID:
                return self._replace(passes=self.passes.pays()), violations
            case RoundEvent.ENDED | RoundEvent.VOIDED:
                return self._replace(over=True), violations
        return self, violations

    def _deals(self, place: int, face: str, rules: Rules, *, stands: bool) -> tuple[RoundState, Violations]:
        """The step of a card: before the first decision, to the bank, or the first one after a shuffle."""
        shoe, of_shoe = self.shoe.deals(rules)
        burned, of_burned = self.burned.deals(rules)
        if place != BANK and self.passes.over:
            after, of_play = self._plays(place, rules, aside=False)
            return after._replace(shoe=shoe, burned=burned), (*of_shoe, *of_burned, *of_play)
        added, too_late = self._goes_on(rules)
        undescribed = () if self.passes.begun else rules.regulation.deal.closed_procedure(rules)
        violations = (*of_shoe, *of_burned, *undescribed, *too_late)
        passes, play, bank_cards = self.passes, self.play, self.bank_cards
        fresh = shoe.found is FoundShoe.FRESH or not rules.records("shuffle")
        if not stands:
            passes = passes.begins()
        elif place == BANK:
            bank_cards = min(bank_cards + 1, MANY)
            passes, of_passes = passes.deals_bank(bank_cards, face, rules, fresh=fresh)
            if bank_cards == 2:
                burned, play = burned.deals_second(), play.deals_second()
            elif bank_cards > 2:
                play = play.opens(rules)
            violations += of_passes
        else:
            passes, of_passes = passes.deals(place, face, rules, fresh=fresh)
            violations += of_passes
        return RoundState(shoe, burned, passes, play, bank_cards, self.closed, self.over, added), violations

    def _plays(self, seat: int, rules: Rules, *, aside: bool) -> tuple[RoundState, Violations]:
        """The step of a decision, or of a card to a seat in play; ``aside`` marks what is no play of a hand: such a decision,
        and a card that is removed."""
        passes, play = self.passes, self.play
        if not self.over:
            passes, play = passes.is_decided(rules), play.is_decided(rules)
        if aside:
            return self._replace(passes=passes, play=play), ()
        added, violations = self._goes_on(rules)
        if not self.over:
            passes, without_bet = passes.plays(seat, rules)
            play, out_of_turn = play.plays(seat, rules)
            violations = (*violations, *without_bet, *out_of_turn)
        return self._replace(shoe=self.shoe.goes_on(), passes=passes, play=play, added=added), violations

    def _goes_on(self, rules: Rules) -> tuple[bool, Violations]:
        """Whether anything was added to a round that is over, and the violation if this card or decision is the first."""
        if not self.over or self.added:
            return self.added, ()
        return True, (rules.regulation.deal.after_the_end(),)

    def finish(self, rules: Rules, *, interrupted: bool) -> Violations:
        """What is missing; ``interrupted`` is a round that was declared void or in which the equipment failed."""
        law = rules.regulation
        violations = [*law.shuffling.after_the_round(self.shoe, rules, interrupted=interrupted)]
        if not interrupted:  # the deal need not be complete otherwise
            violations += law.burns.before_the_second_card(self.burned, rules) if self.burned.dealt else ()
            violations += law.deal.after_the_round(self.passes.is_decided(rules), rules)
            violations += law.deal.after_the_play(self.play, rules)
        if self.passes.begun and not self.closed:
            violations += law.deal.never_closed(rules)
        return tuple(violations)

    def judgement(self, rules: Rules) -> Judgement[RoundOutcome] | None:
        """The final judgement; None where a rule was broken."""
        return None if self.finish(rules, interrupted=False) else stands(rules)


def stands(rules: Rules) -> Judgement[RoundOutcome]:
    """The judgement of a valid round, with the checks that the log does not allow."""
    law, unknown = rules.regulation, rules.options.not_recorded
    left_out: tuple[str, ...] = tuple(name for name in SHOWN_BY_A_ROUND if name in unknown)
    if TOTALS not in rules.recorded and (law.drawing.calls_seats(rules) or law.drawing.calls_bank(rules)):
        left_out += (TOTALS,)
    return Judgement(RoundOutcome(), not_checked=left_out)


# The fold of its history

_MISDEALT: Final = frozenset({CARD_NOT_ASKED, HAND_WITHOUT_SPLIT})
_NOT_GIVEN: Final = frozenset({CARD_NOT_GIVEN})
_OVER: Final = frozenset({DECISION_AFTER_FINAL, CARD_NOT_ASKED})
_OF_REMOVALS: Final = frozenset({CARD_TAKEN_AWAY, CARD_TAKEN_BACK, BANK_CARD_ABSENT})


@dataclass(slots=True)
class _Fold(Fold[RoundSymbol]):
    """The round so far, and the numbers for messages. The cards at the positions ``gone`` do not count, those ``moved`` lie
    at another place."""

    rules: Rules
    state: RoundState
    gone: Set[int]
    moved: Mapping[int, RoundSymbol]
    counts: Counter[str] = field(default_factory=Counter)
    cards: Counter[int] = field(default_factory=Counter)
    lying: Counter[int] = field(default_factory=Counter)  # at each seat, with those that are taken back later
    shuffled_since: list[int] = field(default_factory=list)
    shuffled_again: list[int] = field(default_factory=list)
    declared: RoundState | None = None  # the round when it was declared void
    begun: bool = False  # whether a seat played or the bank looked before the round was declared void
    after_second: list[int] = field(default_factory=list)  # the plays of seats after the bank's second card
    went_on: int = 0  # the last position at which the round went on, before it was declared void

    def follow(self, symbol: RoundSymbol) -> None:
        """Take the next symbol; a card ``stands`` unless it was taken back before anything followed on it. What is paid on two
        cards of a seat is not paid too soon, though one of them is taken back later."""
        match symbol:
            case CardTo(place) | RemovedAt(place) if place != BANK:
                self.lying[place] += 1 if isinstance(symbol, CardTo) else -1
            case RoundEvent.PAID if max(self.lying.values(), default=0) > 1:
                return
        symbol, stands = self.moved.get(self.here, symbol), self.here not in self.gone
        self._mark(symbol, stands=stands)
        self.state, violations = self.state.step(symbol, self.rules, stands=stands)
        self.note(violations)
        if symbol is RoundEvent.VOIDED and self.declared is None:
            self.declared = self.state
        if isinstance(symbol, Shuffled):  # after the violations of the cards before it, which need their own marks
            if self.state.shoe.dealt:
                self.shuffled_since.append(self.here)
            self.marks[marks.SHUFFLED] = self.here
            self.counts = Counter(unseen=self.counts["unseen"])

    def where(self, mark: str) -> Sequence[int]:
        """The positions that a violation with a mark points at; all shuffles during the round have one mark."""
        return self.shuffled_again if mark == marks.SHUFFLED_AGAIN else Fold.where(self, mark)

    def named(self, mark: str) -> Mapping[str, object]:
        """The numbers so far."""
        return self.counts

    def unfounded(self, symbols: Iterable[RoundSymbol]) -> Iterator[IfDealtRight]:
        """The breach of declaring the round void though it broke no article, not even one that the declaration excuses. Judged
        by what came before, and only where a seat had played or the bank had looked: until then a card may come too soon."""
        if self.declared is None or not self.begun:
            return
        until = self.marks[marks.DECLARED_VOID]
        if any(isinstance(each, RemovedAt) or each is RoundEvent.FAILED for each in islice(symbols, until)):
            return
        violation = self.rules.regulation.deal.void_unfounded(self.rules)
        excused = self.declared.finish(self.rules, interrupted=False)
        before = (each for each in self.breaches if each.position <= until)
        broken = [each.article for each in before] + [each.article for each in excused]
        if violation is not None and not any(broken):
            yield IfDealtRight(violation.at(self.marks[violation.mark]), self.went_on, _MISDEALT, _NOT_GIVEN)

    def _mark(self, symbol: RoundSymbol, *, stands: bool) -> None:
        match symbol:
            case CardTo(place) if place != BANK and self.state.passes.over:
                self.first(marks.FIRST_CARD)
                self._marks_play(aside=False)
            case CardTo(place):
                self.first(marks.FIRST_CARD)
                self._goes_on()
                if stands and not self.state.over:
                    self.cards[place] += 1
                    self.marks[marks.card(place, self.cards[place])] = self.here
                    if place == BANK and self.cards[place] == 2:
                        self.marks[marks.SECOND_CARD] = self.here
                    elif place == BANK and self.cards[place] > 2:
                        self.first(marks.BANK_OPENED)
            case PlayAt(_, aside):
                self._marks_play(aside=aside or not stands)
            case TurnedAt(place) if place == BANK:
                self.first(marks.BANK_OPENED)
            case BankLooked():
                self._begins()
            case RoundEvent.PAID:
                self.first(marks.PAID)
            case RoundEvent.VOIDED:
                self.first(marks.DECLARED_VOID)
            case WhiteCardPut(behind):
                self.counts["whites"] += 1
                self.counts["behind"] = behind
                self.marks[marks.white_card(self.counts["whites"])] = self.here
            case RoundEvent.WHITE_CARD_OUT if not self.state.shoe.out:
                self.marks[marks.WHITE_CARD_OUT] = self.here
            case Burned() if self.state.burned.opens(self.rules):
                self.counts["burned"] += 1
                self.marks[marks.burn(self.counts["burned"])] = self.here
            case Burned(face) if face != UP:
                self.counts["unseen"] += 1
                self.marks[marks.later_burn(self.counts["unseen"])] = self.here

    def _marks_play(self, *, aside: bool) -> None:
        if not self.state.over:
            self.first(marks.DEAL_ENDS)
        if not aside:
            self._goes_on()
            self._begins()
            self.first(marks.FIRST_PLAY)
            if marks.SECOND_CARD in self.marks and not self.state.over:
                self.after_second.append(self.here)

    def _begins(self) -> None:
        """A seat played, or the bank looked at its hidden card: the deal is done."""
        self.begun |= marks.DECLARED_VOID not in self.marks

    def _goes_on(self) -> None:
        """The round goes on, so that the shuffles before were made during it."""
        if marks.DECLARED_VOID not in self.marks:
            self.went_on = self.here
        self.shuffled_again += self.shuffled_since
        self.shuffled_since.clear()


def _fold(history: RoundHistory, rules: Rules, put_right: Corrections) -> _Fold:
    """Fold a history. Art. 5(1)(2): a card that replaces another, or is moved to another place, counts as dealt when the first
    one was, whatever was dealt in between. A history names no cards, so that it counts so where that leaves fewer breaches."""
    gone, moved = put_right.gone, put_right.moved
    fold = _fold_corrected(history, rules, gone, {})
    if not moved:
        return fold
    cards = {taken: history.symbols[later - 1] for taken, later in moved.items()}
    other = _fold_corrected(history, rules, (gone - moved.keys()) | set(moved.values()), cards)
    return min(fold, other, key=lambda each: len(each.breaches))


def _fold_corrected(history: RoundHistory, rules: Rules, gone: Set[int], moved: Mapping[int, RoundSymbol]) -> _Fold:
    """Fold a history without the cards ``gone``, and with those ``moved``."""
    symbols = history.symbols
    fold = _Fold(rules, RoundState.new(history.begin, rules), gone, moved)
    fold.first(marks.START)
    fold.follow_all(symbols)
    fold.first(marks.DEAL_ENDS)
    interrupted = any(symbol is RoundEvent.VOIDED or symbol is RoundEvent.FAILED for symbol in symbols)
    fold.note(fold.state.finish(rules, interrupted=interrupted), at_end=True)
    return fold


def _taken_late(place: int, rules: Rules) -> Violation:
    whose = f"seat {place}" if place else "the bank"
    return rules.regulation.deal.no_correction(f"a card of {whose}")


_CANCELLED: Final = frozenset({CARD_WITHOUT_BET, CARD_FACE, EXPOSED_CARD_KEPT})
"""Violations of a card as it lies, which do not count in a round whose cards are all cancelled (art. 5(1)(2))."""


def judge_round(history: RoundHistory, rules: Rules, *, steps: bool = False) -> Judgement[RoundOutcome]:
    """The judgement of a round's history, without steps. X-5: despite breaches the round stands, except by art. 5(1)(2)."""
    put_right = Corrections.of(history.symbols, rules)
    fold = _fold(history, rules, put_right)
    void = marks.DECLARED_VOID in fold.marks
    found = [breach for breach in fold.breaches if not (void and breach.code in _CANCELLED)]
    if found:
        rules.readings("X-5")
    early = [breach for breach in found if breach.code == BANK_SECOND_CARD_EARLY]
    breaches = tuple(sorted((each for each in found if each not in early), key=lambda breach: breach.position))
    if_in_play = (IfUnexplained(each, tuple(fold.after_second), _OVER) for each in early)
    late = () if void else put_right.late.items()
    if_untold = (IfUnexplained(_taken_late(place, rules).at(at), (at,), _OF_REMOVALS) for at, place in late)
    return replace(
        stands(rules), breaches=breaches, conditional=(*if_in_play, *if_untold, *fold.unfounded(history.symbols))
    )
