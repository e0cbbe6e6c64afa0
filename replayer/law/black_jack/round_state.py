"""The machines of a round together: the shoe, the burned cards, the deal, the play, the bounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from replayer.contract.machine import Violation, Violations
from replayer.contract.outcomes import Judgement, RoundOutcome
from replayer.contract.rules import TOTALS
from replayer.contract.symbols import (
    BANK,
    UP,
    BankLooked,
    BetsClosed,
    Burned,
    CardTo,
    Cut,
    Ended,
    Failed,
    FoundShoe,
    Paid,
    PlayAt,
    RemovedAt,
    RoundStart,
    RoundSymbol,
    Shuffled,
    TurnedAt,
    Voided,
    WhiteCardOut,
    WhiteCardPut,
)
from replayer.law.black_jack.bank import MANY
from replayer.law.black_jack.order_of_play import OrderOfPlay
from replayer.law.black_jack.passes import Passes
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.shoe import BurnedCards, Shoe

SHOWN_BY_A_ROUND: Final = ("shuffle", "cut", "burn", "deal_order", "faces", "decisions", "close", "authorisations")
"""The facts that a round's checks need; the options name those that the log's source does not record."""


class RoundBounds(NamedTuple):
    """A round's beginning and end: bets are closed before its first card, and nothing is dealt when it is over.

    Whether bets were ``closed``, any card was ``dealt``, the round is ``over``, and anything was ``added`` afterwards."""

    closed: bool = False
    dealt: bool = False
    over: bool = False
    added: bool = False

    def closes(self, rules: Rules) -> tuple[RoundBounds, Violations]:
        """After no more bets was said."""
        late = self.dealt and not self.closed
        return self._replace(closed=True), tuple(rules.regulation.deal.closed_late(rules)) if late else ()

    def deals(self, rules: Rules) -> tuple[RoundBounds, Violations]:
        """After a card was dealt."""
        after, violations = self.goes_on(rules)
        if self.dealt:
            return after, violations
        return after._replace(dealt=True), (*rules.regulation.deal.closed_procedure(rules), *violations)

    def goes_on(self, rules: Rules) -> tuple[RoundBounds, Violations]:
        """After a decision, or a card of a hand in play."""
        if not self.over or self.added:
            return self, ()
        return self._replace(added=True), (rules.regulation.deal.after_the_end(),)

    def ends(self) -> RoundBounds:
        """After the round was closed or declared void."""
        return self._replace(over=True)

    def finish(self, rules: Rules) -> Iterator[Violation]:
        """What is missing."""
        if self.dealt and not self.closed:
            yield from rules.regulation.deal.never_closed(rules)


class RoundState(NamedTuple):
    """A round in its middle (:class:`replayer.contract.machine.RoundState`); ``bank_cards`` counts the bank's valid cards up
    to three.

    The machines take each card as finally known: one removed while the cards were dealt does not count.
    """

    shoe: Shoe
    burned: BurnedCards
    passes: Passes
    play: OrderOfPlay = OrderOfPlay()
    bounds: RoundBounds = RoundBounds()
    bank_cards: int = 0

    @classmethod
    def new(cls, round_start: RoundStart, rules: Rules) -> RoundState:
        """A round before its first event."""
        found = round_start.found
        return cls(Shoe(found), BurnedCards(found is FoundShoe.UNSHUFFLED), Passes(frozenset(round_start.bets)))

    def after(self, symbol: RoundSymbol, rules: Rules) -> RoundState | None:
        """The state after a symbol. None where a rule was broken, and where a state alone does not determine the outcome: a
        card is removed, the round is declared void, the equipment fails."""
        if isinstance(symbol, RemovedAt | Voided | Failed):
            return None
        state, violations = self.step(symbol, rules)
        return None if violations else state

    def step(self, symbol: RoundSymbol, rules: Rules, *, stands: bool = True) -> tuple[RoundState, Violations]:
        """The state after a symbol, and the violations; a card ``stands`` unless it is removed before anything follows on it."""
        shoe, violations = self.shoe, Violations()
        match symbol:
            case CardTo(place, face):
                return self._deals(place, face, rules, stands=stands and not self.bounds.over)
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
            case WhiteCardOut():
                return self._replace(shoe=shoe.gives_white_card()), violations
            case Burned(face):
                return self._replace(burned=self.burned.burns(rules, seen=face == UP)), violations
            case BetsClosed():
                bounds, violations = self.bounds.closes(rules)
                return self._replace(bounds=bounds), violations
            case Paid():
                return self._replace(passes=self.passes.pays()), violations
            case Ended() | Voided():
                return self._replace(bounds=self.bounds.ends()), violations
        return self, violations

    def _deals(self, place: int, face: str, rules: Rules, *, stands: bool) -> tuple[RoundState, Violations]:
        """The step of a card: before the first decision, to the bank, or the first one after a shuffle."""
        shoe, of_shoe = self.shoe.deals(rules)
        burned, of_burned = self.burned.deals(rules)
        if place != BANK and self.passes.over:
            after, of_play = self._plays(place, rules, aside=False)
            return after._replace(shoe=shoe, burned=burned), (*of_shoe, *of_burned, *of_play)
        bounds, of_bounds = self.bounds.deals(rules)
        violations = (*of_shoe, *of_burned, *of_bounds)
        passes, play, bank_cards, fresh = self.passes, self.play, self.bank_cards, shoe.found is FoundShoe.FRESH
        if not stands:
            passes = passes.begins()
        elif place == BANK:
            bank_cards = min(bank_cards + 1, MANY)
            passes, of_passes = passes.deals_bank(bank_cards, face, rules, fresh=fresh)
            if bank_cards == 2:
                burned, play = burned.deals_second(), play.deals_second()
            violations += of_passes
        else:
            passes, of_passes = passes.deals(place, face, rules, fresh=fresh)
            violations += of_passes
        return RoundState(shoe, burned, passes, play, bounds, bank_cards), violations

    def _plays(self, seat: int, rules: Rules, *, aside: bool) -> tuple[RoundState, Violations]:
        """The step of a decision, or of a card to a seat in play; ``aside`` marks what is no play of a hand: such a decision,
        and a card that is removed."""
        over, passes, play = self.bounds.over, self.passes, self.play
        if not over:
            passes, play = passes.is_decided(rules), play.is_decided(rules)
        if aside:
            return self._replace(passes=passes, play=play), ()
        bounds, violations = self.bounds.goes_on(rules)
        if not over:
            passes, without_bet = passes.plays(seat, rules)
            play, out_of_turn = play.plays(seat, rules)
            violations = (*violations, *without_bet, *out_of_turn)
        return RoundState(self.shoe.goes_on(), self.burned, passes, play, bounds, self.bank_cards), violations

    def finish(self, rules: Rules, *, interrupted: bool) -> Violations:
        """What is missing; ``interrupted`` is a round that was declared void or in which the equipment failed."""
        return (
            *self.shoe.finish(rules, interrupted=interrupted),
            *self.burned.finish(rules, interrupted=interrupted),
            *self.passes.finish(rules, interrupted=interrupted),
            *self.play.finish(rules, interrupted=interrupted),
            *self.bounds.finish(rules),
        )

    def judgement(self, rules: Rules) -> Judgement[RoundOutcome] | None:
        """The final judgement; None where a rule was broken."""
        return None if self.finish(rules, interrupted=False) else stands(rules)


def stands(rules: Rules) -> Judgement[RoundOutcome]:
    """The judgement of a valid round, with the checks that the log does not allow."""
    law, unknown = rules.regulation, rules.options.not_recorded
    left_out: tuple[str, ...] = tuple(name for name in SHOWN_BY_A_ROUND if name in unknown)
    if TOTALS not in rules.recorded and (law.drawing.calls_seats(rules) or law.drawing.calls_bank(rules)):
        left_out += (TOTALS,)
    return Judgement(RoundOutcome(), awaits_bank=False, not_checked=left_out)
