"""A seat's story, as the engine tells it, through the machines of the seat and of its hands.

It knows which card lies where and which word set which mark; the machines do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from replayer.game import Breach, Judgement, Step
from replayer.law.black_jack import play
from replayer.law.black_jack.actions import ACTIONS, Action
from replayer.law.black_jack.laid import LaidCard, LaidHand
from replayer.law.black_jack.outcome import HandOutcome, SeatOutcome
from replayer.law.black_jack.play import CLAIM, DECISION_UNKNOWN, DOUBLING, Violations
from replayer.law.black_jack.points import hard_points
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.seat import no_split
from replayer.law.black_jack.seat_state import NEW_SEAT, TURNS
from replayer.law.black_jack.settlement import DOUBLE, SPLIT
from replayer.law.black_jack.showing import BUST, SHOWN, Showing
from replayer.machine import HERE, Violation
from replayer.symbols import DOWN, Called, Dealt, Decided, Removed, SeatStory, SeatSymbol, Staked, Turned, Unknown
from schemas.finding import Severity, declare

CARD_ABSENT: Final = declare("CARD_ABSENT", Severity.INTEGRITY, "A card turned or removed that the hand did not have")


class Fold:
    """The machines of a seat so far, its hands as they lie, and what was found: ``breaches``, and those that are some only
    ``if_play_went_on`` to another place by then."""

    def __init__(self, upcard: str, rules: Rules) -> None:
        self.rules = rules
        self.state = NEW_SEAT.faces(upcard)
        self.laid = [LaidHand()]
        self.breaches: list[Breach] = []
        self.if_play_went_on: list[Breach] = []
        self.symbols: Sequence[SeatSymbol] = ()
        self.word = 0
        self.played_at = 0
        self.turns_missed = False

    def tell(self, symbols: Sequence[SeatSymbol]) -> None:
        """Take in what happened at the seat."""
        self.symbols = symbols
        for self.word, symbol in enumerate(symbols, 1):
            if symbol.hand >= len(self.laid):
                self._grow(symbol.hand, symbol.kind if isinstance(symbol, Staked) else "")
            _TELLERS[type(symbol)](self, symbol.hand, symbol)

    def note(self, violations: Violations, number: int, action: str = "") -> None:
        """Keep what was violated, at the word of its mark."""
        laid = self.laid[number]
        for found in violations:
            message = found.message
            if "{" in message:
                message = message.format(cards=" ".join(laid.ranks), action=action)
            word = laid.where(found.mark) if found.mark != HERE else 0
            self.breaches.append(Breach(found.code, found.article, message, word or self.word))

    def _grow(self, number: int, kind: str) -> None:
        """A hand that no decision made so far: a stake on it may come before the decision, or in place of it."""
        if kind != SPLIT and play.records_decisions(self.rules):
            self.note((no_split(self.rules),), 0)
        while number >= len(self.laid):
            state, pair = self.state, self.state.pair_for(kind)
            if pair is not None:
                refusal = self.rules.regulation.splitting.refusal(state.seat, state.hands[pair], self.rules)
                self.note(() if refusal is None else (refusal,), pair)
            self.state = state.parted(pair or 0, apart=pair is None, staked=kind == SPLIT)
            self._lay_apart(pair or 0)

    def _lay_apart(self, number: int) -> None:
        """A hand became two: the new one has the last card of a pair."""
        laid, new = self.laid[number], LaidHand(made_at=self.word)
        if self.state.hands[-1].cards.size:
            new.lay(laid.part())
        laid.total = 0
        self.laid.append(new)

    # Cards

    def dealt(self, number: int, card: Dealt) -> None:
        """A card is dealt."""
        laid, hidden = self.laid[number], card.face == DOWN
        self.state, violations = self.state.deals(number, card.card, self.rules, down=hidden)
        laid.lay(LaidCard(card.card, self.word, hidden=hidden))
        laid.total = 0
        if hidden and self.state.hands[number].doubled:
            laid.down_at[self.word] = None
        if violations:
            self.note(violations, number)

    def turned(self, number: int, card: Turned) -> None:
        """A card that lay face down is shown."""
        laid = self.laid[number]
        if laid.name(card.card):
            self.state = self.state.with_hand(number, play.name(self.state.hands[number], *laid.counted()))
        elif not laid.has(card.card[0]):
            self._absent(number, f"{card.card} was turned, the hand has none")
        laid.turn(card.card[0], self.word)

    def removed(self, number: int, card: Removed) -> None:
        """A card is taken away; another may come in its place."""
        laid = self.laid[number]
        if laid.take_away(card.card[0]) is None:
            self._absent(number, f"{card.card} was removed, the hand has none")
            return
        drawn = 0 < self.played_at < laid.last_at
        hand = play.take_away(self.state.hands[number], *laid.counted(), drawn=drawn, down=bool(laid.down_at))
        self.state = self.state.with_hand(number, hand)

    def _absent(self, number: int, message: str) -> None:
        self.note((Violation(CARD_ABSENT.code, self.rules.regulation.deal.cite(), message),), number)

    def called(self, number: int, called: Called) -> None:
        """A total is announced."""
        self.laid[number].total = called.points
        self.state, violations = self.state.calls(number, called.points, self.rules)
        self.note(violations, number)

    def other(self, number: int, unknown: Unknown) -> None:
        """Something that is no word of the game."""
        self.note((Violation(DECISION_UNKNOWN.code, "", "{action!r} is no word of the game"),), number, unknown.text)

    # Stakes and decisions

    def wager(self, number: int, stake: Staked) -> None:
        """A stake is placed."""
        self.state, violations = self.state.stakes(number, stake.kind, self.rules)
        if stake.kind == DOUBLE:
            self.laid[number].marks.setdefault(DOUBLING, self.word)
        if violations:
            self.note(violations, number)

    def decision(self, number: int, decided: Decided) -> None:
        """A decision is taken. That to insure is told by the wager."""
        action, laid, before = ACTIONS.get(decided.action, Action.UNKNOWN), self.laid[number], self.state
        if action is Action.DOUBLE:
            laid.marks[DOUBLING] = self.word
        elif action is Action.TAKE_PRIZE and not before.passes_over(number, action, self.rules):
            laid.marks[CLAIM] = self.word
        self.state, violations = before.decides(number, action, decided.moment or 0, self.rules, all_open=laid.all_open)
        if violations:
            self.note(violations, number, decided.action)
        if self.state.seat.played and not before.seat.played:
            self.played_at = self.word
        if len(self.state.hands) > len(before.hands):
            self._lay_apart(number)

    # The end

    def finish(self, number: int) -> None:
        """What is missing at a hand when the story ends."""
        state, laid = self.state, self.laid[number]
        hand, violations = play.finish(
            state.hands[number], state.seat, self.rules, first=number == 0, all_open=laid.all_open
        )
        self.state = state.with_hand(number, hand)
        if violations:
            self.note(violations, number)
        if not laid.hidden or not self.state.must_show(number, self.rules):
            return
        if any(card.hidden for card in laid.cards.values()):
            if TURNS in self.rules.told:
                self._show(number)
            else:
                self.turns_missed = True

    def _show(self, number: int) -> None:
        """Tell the hand's cards as they were in the end."""
        laid, showing = self.laid[number], Showing()
        dealt = laid.cards
        turned = {card.turned_at: card for card in dealt.values() if card.turned_at}
        for word, symbol in enumerate(self.symbols, 1):
            if isinstance(symbol, Decided) or (isinstance(symbol, Dealt) and symbol.face):
                showing = showing.went_on()
            before = showing
            if word in dealt:
                showing = showing.dealt(dealt[word].text[0], down=dealt[word].hidden)
                if showing.over and not before.over:
                    laid.marks[BUST] = word
            elif word in turned:
                showing = showing.turned(turned[word].text[0])
                if showing.over and showing != before:
                    laid.marks[SHOWN] = word
        violation, if_went_on = showing.finish(self.rules)
        if violation is not None:
            self.note((violation,), number)
        if if_went_on is not None:
            word = laid.marks[SHOWN]
            self.if_play_went_on.append(Breach(if_went_on.code, if_went_on.article, if_went_on.message, word))

    def not_checked(self) -> Iterator[str]:
        """What the log does not record and would have had to show."""
        if self.turns_missed:
            yield TURNS
        yield from self.state.not_checked(self.rules)


_TELLERS: Final[dict[type, Callable[[Fold, int, Any], None]]] = {
    Dealt: Fold.dealt,
    Turned: Fold.turned,
    Removed: Fold.removed,
    Called: Fold.called,
    Staked: Fold.wager,
    Decided: Fold.decision,
    Unknown: Fold.other,
}


def follow(story: SeatStory, rules: Rules) -> Fold:
    """Follow a seat's story."""
    fold = Fold(story.begin, rules)
    fold.tell(story.symbols)
    return fold


def judge_seat(story: SeatStory, rules: Rules) -> Judgement[SeatOutcome]:
    """What became of a seat."""
    fold = follow(story, rules)
    hands: list[tuple[HandOutcome | None, str]] = []
    steps: list[Step] = []
    for number, laid in enumerate(fold.laid):
        fold.finish(number)
        hand, why, violations = fold.state.hand_became(number, rules)
        if violations:
            fold.note(violations, number)
        hands.append((hand, why))
        if hand is not None:
            steps.append(_step(hand, laid.ranks, rules))
    told = fold.state.together(hands, rules)
    return replace(
        told,
        breaches=tuple(fold.breaches),
        steps=tuple(steps),
        not_checked=tuple(fold.not_checked()),
        if_play_went_on=tuple(fold.if_play_went_on),
    )


def _step(outcome: HandOutcome, ranks: str, rules: Rules) -> Step:
    """What the hand is, for the explanation."""
    law, cards = rules.regulation, " ".join(ranks)
    if outcome.natural:
        return Step(law.natural.cite(*law.natural.definition), f"{cards} is Black Jack")
    if outcome.bust:
        return Step(law.busting.cite(*law.busting.bust), f"{cards} is {hard_points(ranks)}: over 21")
    return Step(law.values.cite(), f"{cards} counts {outcome.points}")
