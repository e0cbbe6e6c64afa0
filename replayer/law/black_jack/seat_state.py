"""A seat and its hands from one event to the next: the steps from one :class:`Seat` to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from replayer.contract.cards import NOT_KNOWN, UNNAMED, Card
from replayer.contract.machine import SEVERAL, Violation, Violations
from replayer.contract.outcomes import LAST, Awaited, Breach, Judgement
from replayer.contract.rules import TOTALS, TURNS
from replayer.contract.symbols import DOWN, Called, Dealt, Decided, Removed, SeatSymbol, Staked, Turned
from replayer.law.black_jack import play
from replayer.law.black_jack.hand import BUSTED, CANNOT_TELL, CLOSED, Action, Cards, Hand, Seat, Showing
from replayer.law.black_jack.outcome import BANK_NATURAL_POSSIBLE, UNKNOWN_HAND, HandOutcome, SeatOutcome, Untold
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.settlement import (
    INSURANCE,
    MAIN,
    SPLIT,
    bust_may_come_back,
    turns_on_bank,
    turns_on_natural,
)
from schemas.bounds import LAST_HAND

_NAMES: Final = {str(action): action for action in Action}
_PLAYED_ON: Final = (Action.HIT, Action.STAND, Action.DOUBLE)
"""Plays by which a pair is not separated."""
_BY_UPCARD: Final = (Action.SURRENDER, Action.EVEN_MONEY, Action.FIVE_CARD_HALF)
"""Claims that turn on the bank's open card."""
_UNNAMED: Final = Hand(Cards().dealt(UNNAMED), split=True)
"""A hand beyond those that an event can name, with the card that a separation left it: no other one comes, and no stake."""


class Ended(NamedTuple):
    """A hand at its end.

    Attributes:
        outcome: what became of it; None where that cannot be judged, ``unjudged`` says why.
        violations: what is missing at the end; ``if_bank_played``: the one that holds only if the bank played on.
    """

    outcome: HandOutcome | None
    unjudged: Untold | None
    violations: Violations
    if_bank_played: Violation | None


class SeatState(Seat):
    """A seat in the middle of its round (:class:`replayer.contract.machine.SeatState`).

    A step gives the next state and the violations; ``number`` is the hand's, 0 the first one. Which cards of the ``hidden`` hands
    are still to be shown a machine of its own knows, :class:`Showing` (:meth:`judgement`).
    """

    __slots__ = ()

    def hand(self, number: int) -> Hand:
        """The hand of a number."""
        return self.hands[number] if number < len(self.hands) else _UNNAMED

    def with_hand(self, number: int, hand: Hand) -> SeatState:
        """The state with a hand replaced."""
        if number >= len(self.hands) or hand is self.hands[number]:
            return self
        return SeatState(self.upcard, (*self.hands[:number], hand, *self.hands[number + 1 :]), *self[2:])

    def with_split(self, number: int, *, unpaired: bool = False, staked: bool = False) -> SeatState:
        """The state after a split, the new hand with the last card of a pair; ``unpaired`` where it gets none, ``staked`` where a
        stake on it came first."""
        kept, made = self.hands[number].separated(unpaired=unpaired)
        after = self.with_hand(number, kept)
        if number in self.hidden and not unpaired:
            after = after._replace(hidden=self.hidden | {len(self.hands)})
        if len(self.hands) > LAST_HAND:
            return after._replace(beyond=self.beyond + 1)
        return after._replace(hands=(*after.hands, made._replace(undecided=staked)))

    def grown(self, symbol: SeatSymbol, rules: Rules) -> tuple[SeatState, int, Violations]:
        """The state with a further hand that no decision made, the number of the hand it was split from, and the violations
        there. A stake on it stands before the decision, or for it, and splits a pair; else the new hand gets no card, and
        nothing is separated before the decision, where the log records these."""
        staked = isinstance(symbol, Staked) and symbol.kind == SPLIT
        pair = self._pair(rules) if staked else None
        violations: list[Violation] = []
        if pair is not None:
            hand, law = self.hands[pair], rules.regulation
            if not self.played:
                violations += law.drawing.total_not_called(hand, rules, all_open=pair not in self.hidden)
            refusal = law.splitting.refusal(self, hand, rules)
            violations += [] if refusal is None else [refusal]
        elif staked and rules.records("decisions", "deal_order", "times"):
            early = rules.regulation.splitting.staked_early(self)
            violations += [] if early is None else [early]
        after = self.with_split(pair or 0, unpaired=pair is None, staked=staked)
        if staked and pair is None and rules.records("decisions"):
            after = after.with_hand(0, self.hands[0])
        return after, pair or 0, tuple(violations)

    def _pair(self, rules: Rules) -> int | None:
        """The first pair that may be split; failing that, the first that is not over, or else the first of all."""
        splitting = rules.regulation.splitting
        two = [(n, hand.cards) for n, hand in enumerate(self.hands) if hand.cards.size == 2]
        pairs = [n for n, cards in two if splitting.is_pair(cards.ranks, rules)]
        refused = {n for n in pairs if splitting.refusal(self, self.hands[n], rules) is not None}
        return min(pairs, key=lambda n: (n in refused, bool(self.hands[n].ended)), default=None)

    def unmade(self, symbol: SeatSymbol, rules: Rules) -> Violations:
        """The violation where something happens at a hand that nothing made."""
        staked = isinstance(symbol, Staked) and symbol.kind == SPLIT
        there = symbol.hand < self.size or staked or not rules.records("decisions")
        return () if there else (rules.regulation.splitting.not_made(),)

    # Steps

    def step(self, symbol: SeatSymbol, rules: Rules, *, all_open: bool = True) -> tuple[SeatState, Violations]:
        """The state after a symbol, and the violations; ``all_open`` is whether none of the hand's cards lies face down. Turned
        and removed cards change nothing here, as a state does not hold which card lies where."""
        if symbol.hand >= self.size:
            grown, not_made = self._grown_to(symbol, rules)
            after, violations = grown.step(symbol, rules, all_open=all_open)
            return after, not_made + violations
        match symbol:
            case Dealt(card, face, number):
                return self._deals(number, card, rules, down=face == DOWN)
            case Called(points, number):
                hand, violations = play.announce(self.hands[number], points, rules)
                return self.with_hand(number, hand), violations
            case Staked(kind, number):
                return self._stakes(number, kind, rules)
            case Decided(action, moment, number):
                named = _NAMES.get(action, Action.UNKNOWN)
                return self._decides(number, named, moment or 0, rules, all_open=all_open)
        return self, ()

    def _deals(self, number: int, card: Card, rules: Rules, *, down: bool) -> tuple[SeatState, Violations]:
        hand, violations = play.deal(self.hands[number], card, rules, played=self.played, down=down)
        after = self.with_hand(number, hand)
        return (after._replace(hidden=self.hidden | {number}) if down else after), violations

    def _stakes(self, number: int, kind: str, rules: Rules) -> tuple[SeatState, Violations]:
        if kind == MAIN:
            return self._replace(bettors=min(self.bettors + 1, SEVERAL)), ()
        if kind == INSURANCE:
            refusal = rules.regulation.insurance.refusal(self)
            after = self._replace(insured=True, upcard_missed=self.upcard == NOT_KNOWN)
            return after, () if refusal is None else (refusal,)
        hand, violations = play.stake(self.hands[number], kind, rules)
        return self.with_hand(number, hand), violations

    def _decides(
        self, number: int, action: Action, moment: int, rules: Rules, *, all_open: bool
    ) -> tuple[SeatState, Violations]:
        """The step of a decision. The decision to insure changes nothing: its wager does."""
        if action is Action.INSURANCE:
            return self, ()
        asked = self
        if action is Action.SPLIT and self._is_unseparated(number):
            asked = self._replace(hands=tuple([hand for hand in self.hands if not hand.undecided]))
        hand, violations = play.decide(self.hands[number], action, moment, asked, rules, all_open=all_open)
        after = self._with_decision(number, action, rules).with_hand(number, hand)
        if action is Action.SPLIT:
            after = after._decided_on_stake(number) if self.staked else after.with_split(number)
        return after, violations

    def _with_decision(self, number: int, action: Action, rules: Rules) -> SeatState:
        """The state with what a decision on a hand changes for the whole seat."""
        if action in play.PLAYS:
            again = action in _PLAYED_ON and rules.regulation.splitting.is_pair_again(self.hands[number], rules)
            declined = self.declined or again
            if self.played and declined == self.declined:
                return self
            return self._replace(played=True, declined=declined)
        if self.upcard != NOT_KNOWN or action not in _BY_UPCARD:
            return self
        over = play.passes_over(self.hands[number], action, self, rules)
        return self if over else self._replace(upcard_missed=True)

    def _is_unseparated(self, number: int) -> bool:
        """Whether the stake that came before a decision to split a hand has not separated it."""
        staked = self.staked
        return bool(staked) and not self.hands[staked[0]].cards.size and self.hands[number].cards.size > 1

    def _decided_on_stake(self, number: int) -> SeatState:
        """The state after the decision for which a stake was placed before; it separates what that stake did not."""
        at, hidden = self.staked[0], self.hidden
        kept, made = self.hands[number], self.hands[at]._replace(undecided=False)
        if self._is_unseparated(number):
            kept, new = kept.separated()
            made = made._replace(cards=new.cards, resplit=new.resplit, aces=new.aces)
            hidden = hidden | {at} if number in hidden else hidden
        return self.with_hand(number, kept).with_hand(at, made)._replace(hidden=hidden)

    def after(self, symbol: SeatSymbol, rules: Rules) -> SeatState | None:
        """The state after a symbol, by the steps above. None where a rule was broken, and where a state alone does not determine
        the outcome: a card is named later or removed, or one that lies face down goes to a hand that no decision made."""
        match symbol:
            case Removed():
                return None
            case Dealt(card, face) if face == DOWN and not card.named:
                return None
            case Turned(_, number):  # the machine ``Showing`` checks whether it lay there
                return self if number < len(self.hands) and self.hands[number].known else None
            case Decided() if self.hidden and TOTALS in rules.recorded:  # a total is called when all cards are open
                return None
        state, violations = self._grown_to(symbol, rules)
        if violations or state.hidden != self.hidden:
            return None
        state, violations = state.step(symbol, rules)
        return None if violations else state.lawful()

    def _grown_to(self, symbol: SeatSymbol, rules: Rules) -> tuple[SeatState, Violations]:
        """The state with the hands up to the symbol's own that no decision made, and the violations."""
        state, violations = self, self.unmade(symbol, rules)
        while symbol.hand >= state.size:
            state, _, more = state.grown(symbol, rules)
            violations += more
        return state, violations

    def lawful(self) -> SeatState:
        """The state without the identity of two cards in hands that cannot lawfully be split."""
        state = self
        for number, hand in enumerate(self.hands):
            cards = hand.cards.lawful()
            if cards is not hand.cards:
                state = state.with_hand(number, hand._replace(cards=cards))
        return state

    def faces(self, upcard: str) -> SeatState:
        """The state with the class of the bank's open card."""
        return self._replace(upcard=upcard)

    def open(self, hand: int, rules: Rules) -> frozenset[str]:
        """The names of the decisions open to a hand; see :func:`play.open_to`."""
        if hand >= len(self.hands):
            return frozenset()
        return frozenset(action.value for action in play.open_to(self.hands[hand], self, rules))

    # What became of it

    def ended(self, number: int, rules: Rules, *, all_open: bool = True) -> Ended:
        """A hand at the end of its history; ``all_open`` as in :meth:`step`."""
        hand, violations, left = play.finish(self.hand(number), self, rules, first=number == 0, all_open=all_open)
        if hand.ended not in (*CLOSED, BUSTED) and (hand.cards.size < 2 or not hand.known):
            return Ended(None, Untold.CARDS if hand.cards.size < 2 else Untold.CARD, violations, left)
        prize, refused = (False, ()) if hand.closed else rules.regulation.special_prize.of_hand(hand, rules)
        if prize is None:
            return Ended(None, Untold.SUIT, violations, left)
        outcome = play.outcome(hand, self, rules, first=number == 0, prize=prize)
        return Ended(outcome, None, violations + refused, left)

    def _all_ended(self, rules: Rules) -> list[Ended]:
        """Its hands, one for all at which nothing can happen."""
        return [self.ended(number, rules) for number in range(len(self.hands) + bool(self.beyond))]

    def of_hands(self, hands: Sequence[Ended], rules: Rules) -> Judgement[SeatOutcome]:
        """The judgement of the seat from its hands at their end; a hand without an outcome gives the reason, and the others are
        judged nevertheless."""
        outcomes = [hand.outcome for hand in hands]
        unjudged = next((hand.unjudged for hand in reversed(hands) if hand.unjudged), "")
        seat = SeatOutcome(self.upcard, tuple(hand or UNKNOWN_HAND for hand in outcomes[: LAST_HAND + 1]))
        awaited = self._awaited(outcomes, rules)
        return Judgement(seat if any(outcomes) else None, awaited=awaited, unjudged=unjudged)

    def _awaited(self, outcomes: Sequence[HandOutcome | None], rules: Rules) -> Awaited:
        """What its insurance and its hands await of the bank; a hand on which side wagers alone lie awaits nothing (BJ-8)."""
        hands = outcomes if self.bettors else ()
        with rules.readings.uncounted():  # settlement asks for what their dues rest on
            if any(hand is None or turns_on_bank(hand, rules) for hand in hands):
                return Awaited.HAND
            known = tuple(hand for hand in hands if hand is not None)
            natural = self.insured or any(map(turns_on_natural, known))
            if self.upcard not in BANK_NATURAL_POSSIBLE or not (natural or any(hand.bust for hand in known)):
                return Awaited.NOTHING
            natural = natural or bust_may_come_back(SeatOutcome(self.upcard, known), rules)
        return Awaited.NATURAL if natural else Awaited.NOTHING

    def so_far(self, rules: Rules) -> Judgement[SeatOutcome]:
        """The judgement if nothing more happens at the seat, without breaches."""
        return self.of_hands(self._all_ended(rules), rules)

    def judgement(self, rules: Rules, showing: Showing = CANNOT_TELL) -> Judgement[SeatOutcome] | None:
        """The final judgement, by the seat and what is still to be shown of its one hand; None where a rule was broken, or
        where it depends on suits, or on when each of its cards was shown."""
        hands = self._all_ended(rules)
        irregular = any(hand.violations or hand.unjudged is Untold.SUIT for hand in hands)
        if irregular or (self.hidden and TOTALS in rules.recorded):
            return None
        shown = not any(self.must_show(number, rules) for number in self.hidden)
        late: tuple[Breach, ...] = ()
        if not shown and TURNS in rules.recorded:
            if showing.points < 0:  # it does not tell which cards must be shown
                return None
            violation, if_play_went_on = showing.finish(rules)
            if violation is not None or (if_play_went_on is not None and not showing.turned_last):
                return None
            shown = True
            if if_play_went_on is not None:
                late = (if_play_went_on.at(LAST),)
        return replace(
            self.of_hands(hands, rules),
            not_checked=tuple(self.not_checked(rules, turns_missed=not shown)),
            if_play_went_on=late,
            unplaced=any(hand.if_bank_played for hand in hands),
        )

    def must_show(self, number: int, rules: Rules) -> bool:
        """Whether a hand is over 21, so that its cards had to be shown."""
        hand = self.hand(number)
        if not hand.cards.bust or hand.closed:
            return False
        return rules.records("faces", "deal_order")

    def not_checked(self, rules: Rules, *, turns_missed: bool) -> Iterator[str]:
        """The checks left out because the log does not record what they need, such as the turning of its cards."""
        if turns_missed:
            yield TURNS
        if not rules.records("decisions"):
            yield "decisions"
        if self.upcard_missed:
            yield "upcard"


NEW_SEAT: Final = SeatState()
"""A seat before the round."""
