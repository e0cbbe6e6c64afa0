"""A seat's story, as the engine tells it, through the machines of the seat and of its hands.

It knows which card lies where and which word set which mark; the machines do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from replayer.game import MOMENTS, Breach, Judgement, Step
from replayer.law.black_jack import play
from replayer.law.black_jack.actions import ACTIONS, Action
from replayer.law.black_jack.laid import LaidCard, LaidHand
from replayer.law.black_jack.outcome import CLOSED, HandOutcome, SeatOutcome
from replayer.law.black_jack.play import CLAIM, DECISION_UNKNOWN, DOUBLING, Violations
from replayer.law.black_jack.points import NOT_KNOWN, PIPS, hard_points
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.seat import no_split
from replayer.law.black_jack.seat_state import NEW_SEAT
from replayer.law.black_jack.settlement import DOUBLE, SPLIT
from replayer.law.black_jack.showing import BUST, SHOWN, Showing
from replayer.law.black_jack.special import NEEDS_SUITS
from replayer.machine import HERE, Violation
from schemas.finding import Severity, declare

CARD_ABSENT: Final = declare("CARD_ABSENT", Severity.INTEGRITY, "A card turned or removed that the hand did not have")

TURNS: Final = "turns"
"""What a log tells of that has cards turned."""
ACTS: Final = frozenset("+-.")
"""Signs of cards dealt and of decisions."""
LETTERS: Final = "bcdefghijklmnopqrstuvwxyz"
"""Letters of a seat's further hands."""


class Fold:
    """The machines of a seat so far, its hands as they lie, and what was found: ``breaches``, and those that are some only
    ``if_play_went_on`` to another place by then."""

    def __init__(self, upcard: str, rules: Rules) -> None:
        self.rules = rules
        self.state = NEW_SEAT.faces(upcard)
        self.laid = [LaidHand()]
        self.breaches: list[Breach] = []
        self.if_play_went_on: list[Breach] = []
        self.words: list[str] = []
        self.word = 0
        self.played_at = 0
        self.turns_missed = False

    def tell(self, words: list[str]) -> None:
        """Take in the words of a story, the first of which is the class of the bank's open card."""
        tellers = _TELLERS
        self.words = words
        for self.word in range(1, len(words)):
            text, number = words[self.word], 0
            sign = text[0]
            if "a" <= sign <= "z":
                number = ord(sign) - 97
                if number >= len(self.laid):
                    self._grow(number, text[2:] if text[1:2] == "$" else "")
                text = text[1:]
                sign = text[:1]
            tellers.get(sign, Fold.other)(self, number, text)

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

    def dealt(self, number: int, text: str) -> None:
        """``+9`` and ``-9``: a card is dealt."""
        self._deal(number, text[1:], hidden=text[0] == "-")

    def _deal(self, number: int, card: str, *, hidden: bool = False) -> None:
        laid = self.laid[number]
        self.state, violations = self.state.deals(number, card, self.rules, down=hidden)
        laid.lay(LaidCard(card, self.word, hidden=hidden))
        laid.total = 0
        if hidden and self.state.hands[number].doubled:
            laid.down_at[self.word] = None
        if violations:
            self.note(violations, number)

    def turned(self, number: int, text: str) -> None:
        """``^9``: a card that lay face down is shown."""
        laid, text = self.laid[number], text[1:]
        if laid.name(text):
            self.state = self.state.with_hand(number, play.name(self.state.hands[number], *laid.counted()))
        elif not laid.has(text[0]):
            self._absent(number, f"{text} was turned, the hand has none")
        laid.turn(text[0], self.word)

    def removed(self, number: int, text: str) -> None:
        """``~9``: a card is taken away; another may come in its place."""
        laid, text = self.laid[number], text[1:]
        if laid.take_away(text[0]) is None:
            self._absent(number, f"{text} was removed, the hand has none")
            return
        drawn = 0 < self.played_at < laid.last_at
        hand = play.take_away(self.state.hands[number], *laid.counted(), drawn=drawn, down=bool(laid.down_at))
        self.state = self.state.with_hand(number, hand)

    def _absent(self, number: int, message: str) -> None:
        self.note((Violation(CARD_ABSENT.code, self.rules.regulation.deal.cite(), message),), number)

    def called(self, number: int, text: str) -> None:
        """``=17``: a total is announced."""
        self.laid[number].total = int(text[1:])
        self.state, violations = self.state.calls(number, int(text[1:]), self.rules)
        self.note(violations, number)

    def other(self, number: int, text: str) -> None:
        """``9``: a card of which the log does not say how it lay; anything else is no word of the game."""
        if text[:1] in PIPS or text[:1] == NOT_KNOWN:
            self._deal(number, text)
        else:
            self.note((Violation(DECISION_UNKNOWN.code, "", "{action!r} is no word of the game"),), number, text)

    # Stakes and decisions

    def wager(self, number: int, text: str) -> None:
        """``$double``: a stake is placed."""
        kind = text[1:]
        self.state, violations = self.state.stakes(number, kind, self.rules)
        if kind == DOUBLE:
            self.laid[number].marks.setdefault(DOUBLING, self.word)
        if violations:
            self.note(violations, number)

    def decision(self, number: int, text: str) -> None:
        """``.hit``, ``.surrender/3``: a decision, with its moment where that matters. That to insure is told by the wager."""
        name, _, moment = text[1:].partition("/")
        action, laid, before = ACTIONS.get(name, Action.UNKNOWN), self.laid[number], self.state
        if action is Action.DOUBLE:
            laid.marks[DOUBLING] = self.word
        elif action is Action.TAKE_PRIZE and not before.passes_over(number, action, self.rules):
            laid.marks[CLAIM] = self.word
        at = MOMENTS.index(moment) if moment else 0
        self.state, violations = before.decides(number, action, at, self.rules, all_open=laid.all_open)
        if violations:
            self.note(violations, number, name)
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
        if laid.hidden and self._must_show(number):
            if TURNS in self.rules.told:
                self._show(number)
            else:
                self.turns_missed = True

    def _must_show(self, number: int) -> bool:
        """Whether a hand over 21 had cards that were to be shown."""
        hand = self.state.hands[number]
        if not hand.cards.bust or hand.ended in CLOSED or self.rules.options.not_recorded & {"faces", "deal_order"}:
            return False
        return any(card.hidden for card in self.laid[number].cards.values())

    def _show(self, number: int) -> None:
        """Tell the hand's cards as they were in the end."""
        laid, showing = self.laid[number], Showing()
        dealt = laid.cards
        turned = {card.turned_at: card for card in dealt.values() if card.turned_at}
        for word, text in enumerate(self.words):
            if word and text.lstrip(LETTERS)[:1] in ACTS:
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
        if not play.records_decisions(self.rules):
            yield "decisions"
        if self.state.seat.upcard_missed:
            yield "upcard"


_TELLERS: Final[dict[str, Callable[[Fold, int, str], None]]] = {
    "+": Fold.dealt,
    "-": Fold.dealt,
    "^": Fold.turned,
    "~": Fold.removed,
    "=": Fold.called,
    "$": Fold.wager,
    ".": Fold.decision,
}


def follow(story: str, rules: Rules) -> Fold:
    """Read a seat's story."""
    words = story.split()
    fold = Fold(words[0], rules)
    fold.tell(words)
    return fold


def judge_seat(story: str, rules: Rules) -> Judgement[SeatOutcome]:
    """What became of a seat."""
    fold = follow(story, rules)
    hands: list[HandOutcome | None] = []
    steps: list[Step] = []
    unjudged = ""
    for number, laid in enumerate(fold.laid):
        fold.finish(number)
        hand, why, violations = fold.state.hand_became(number, rules)
        if why == NEEDS_SUITS:
            return Judgement(needs_suits=True)
        if violations:
            fold.note(violations, number)
        hands.append(hand)
        unjudged = why or unjudged
        if hand is not None:
            steps.append(_step(hand, laid.ranks, rules))
    told = fold.state.together(hands, unjudged, rules)
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
