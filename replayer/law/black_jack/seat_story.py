"""A seat's story, as the engine tells it, through the machines of the seat and of its hands.

It knows which card lies where and which word set which mark; the machines do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from replayer.game import MOMENTS, Breach, Judgement, Step
from replayer.law.black_jack import play
from replayer.law.black_jack.actions import ACTIONS, Action
from replayer.law.black_jack.hand import Hand
from replayer.law.black_jack.laid import LaidCard, LaidHand
from replayer.law.black_jack.outcome import BANK_NATURAL_POSSIBLE, CLOSED, HandOutcome, SeatOutcome
from replayer.law.black_jack.play import CLAIM, DECISION_UNKNOWN, DOUBLING, Violations
from replayer.law.black_jack.points import NOT_KNOWN, PIPS, hard_points
from replayer.law.black_jack.rights import open_to
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.seat import Seat, no_split, pair_of
from replayer.law.black_jack.settlement import DOUBLE, INSURANCE, MAIN, SPLIT, hangs_on_natural
from replayer.law.black_jack.showing import BUST, SHOWN, Showing
from replayer.law.black_jack.special import NEEDS_SUITS, UNSEEN
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
        self.seat = Seat(upcard)
        self.hands = [Hand()]
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
        while number >= len(self.hands):
            pair = pair_of(self.hands) if kind == SPLIT else None
            if pair is not None:
                refusal = self.rules.regulation.splitting.refusal(self.seat, self.hands[pair], self.rules)
                self.note(() if refusal is None else (refusal,), pair)
            self._part(pair or 0, apart=pair is None, staked=kind == SPLIT)

    def _part(self, number: int, *, apart: bool = False, staked: bool = False) -> None:
        """A hand becomes two, the new one with the last card of a pair; ``apart`` where it gets none, ``staked`` where a stake on
        it came first."""
        laid, new = self.laid[number], LaidHand(made_at=self.word)
        self.hands[number], made = self.hands[number].parted(apart=apart)
        if made.cards.size:
            new.lay(laid.part())
        laid.total = 0
        self.hands.append(made._replace(undecided=staked))
        self.laid.append(new)
        self.seat = self.seat.parted(staked=staked)

    # Cards

    def dealt(self, number: int, text: str) -> None:
        """``+9`` and ``-9``: a card is dealt."""
        self._deal(number, text[1:], hidden=text[0] == "-")

    def _deal(self, number: int, card: str, *, hidden: bool = False) -> None:
        laid, hand = self.laid[number], self.hands[number]
        self.hands[number], violations = play.deal(hand, card, self.rules, played=self.seat.played, down=hidden)
        laid.lay(LaidCard(card, self.word, hidden=hidden))
        laid.total = 0
        if hidden and hand.doubled:
            laid.down_at[self.word] = None
        if violations:
            self.note(violations, number)

    def turned(self, number: int, text: str) -> None:
        """``^9``: a card that lay face down is shown."""
        laid, text = self.laid[number], text[1:]
        if laid.name(text):
            self.hands[number] = play.name(self.hands[number], *laid.counted())
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
        hand = self.hands[number]
        self.hands[number] = play.take_away(hand, *laid.counted(), drawn=drawn, down=bool(laid.down_at))

    def _absent(self, number: int, message: str) -> None:
        self.note((Violation(CARD_ABSENT.code, self.rules.regulation.deal.cite(), message),), number)

    def called(self, number: int, text: str) -> None:
        """``=17``: a total is announced."""
        self.laid[number].total = int(text[1:])
        self.hands[number], violations = play.announce(self.hands[number], int(text[1:]), self.rules)
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
        violations: Violations = ()
        if kind == MAIN:
            self.seat = self.seat.joined()
        elif kind == INSURANCE:
            self.seat, violations = self.seat.insures(self.rules)
        elif kind in (DOUBLE, SPLIT):
            self.hands[number], violations = play.stake(self.hands[number], kind, self.rules)
            if kind == DOUBLE:
                self.laid[number].marks.setdefault(DOUBLING, self.word)
        if violations:
            self.note(violations, number)

    def decision(self, number: int, text: str) -> None:
        """``.hit``, ``.surrender/3``: a decision, with its moment where that matters. That to insure is told by the wager."""
        name, _, moment = text[1:].partition("/")
        action, laid, hand, seat = ACTIONS.get(name, Action.UNKNOWN), self.laid[number], self.hands[number], self.seat
        if action is Action.INSURANCE:
            return
        passed_over = bool(hand.ended) and play.passes_over(hand, action, seat, self.rules)
        if action is Action.DOUBLE:
            laid.marks[DOUBLING] = self.word
        elif action is Action.TAKE_PRIZE and not passed_over:
            laid.marks[CLAIM] = self.word
        at = MOMENTS.index(moment) if moment else 0
        after, violations = play.decide(hand, action, at, seat, self.rules, all_open=seat.played or laid.all_open)
        self.hands[number], self.seat = after, seat.decided(action, passed_over=passed_over)
        if violations:
            self.note(violations, number, name)
        if self.seat.played and not seat.played:
            self.played_at = self.word
        if action is Action.SPLIT:
            if seat.staked:
                self._decided_on_stake()
            else:
                self._part(number)

    def _decided_on_stake(self) -> None:
        """The decision for which a stake was placed before."""
        number = next(at for at, hand in enumerate(self.hands) if hand.undecided)
        self.hands[number] = self.hands[number]._replace(undecided=False)
        self.seat = self.seat.decided_on_stake()

    # The end

    def finish(self, number: int) -> None:
        """What is missing at a hand when the story ends."""
        hand, laid = self.hands[number], self.laid[number]
        self.hands[number], violations = play.finish(
            hand, self.seat, self.rules, first=number == 0, all_open=laid.all_open
        )
        if violations:
            self.note(violations, number)
        if laid.hidden and self._must_show(number):
            if TURNS in self.rules.told:
                self._show(number)
            else:
                self.turns_missed = True

    def _must_show(self, number: int) -> bool:
        """Whether a hand over 21 had cards that were to be shown."""
        hand = self.hands[number]
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
        if self.seat.upcard_missed:
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
    hands: list[HandOutcome] = []
    steps: list[Step] = []
    unjudged = ""
    awaits_bank = awaits_natural = False
    for number, laid in enumerate(fold.laid):
        fold.finish(number)
        hand = fold.hands[number]
        if hand.ended not in CLOSED:
            missing = _missing(hand)
            prize, violations = ("", ()) if missing else play.special_prize(hand, rules)
            if prize == NEEDS_SUITS:
                return Judgement(needs_suits=True)
            if violations:
                fold.note(violations, number)
            if missing or prize == UNSEEN:
                unjudged = missing or "a suit that the special prize turns on is not named"
                awaits_bank = True
                continue
            hand = hand if prize == hand.prize else hand._replace(prize=prize)
        outcome = play.outcome(hand, fold.seat, rules, first=number == 0)
        hands.append(outcome)
        steps.append(_step(outcome, laid.ranks, rules))
        awaits_bank = awaits_bank or _awaits_bank(outcome, rules)
        awaits_natural = awaits_natural or _awaits_natural(outcome)
    upcard = fold.seat.upcard
    seat = SeatOutcome(upcard, tuple(hands))
    awaits_natural = (awaits_natural or fold.seat.insured) and upcard in BANK_NATURAL_POSSIBLE
    if not awaits_bank and not awaits_natural and any(hand.bust for hand in hands):
        with rules.readings.aside():  # no due of theirs hangs on it but by Black Jack
            awaits_natural = hangs_on_natural(seat, rules)
    breaches, not_checked = tuple(fold.breaches), tuple(fold.not_checked())
    became = None if unjudged else seat
    return Judgement(
        became,
        breaches,
        tuple(steps),
        awaits_bank,
        unjudged,
        False,
        not_checked,
        tuple(fold.if_play_went_on),
        awaits_natural,
    )


def _missing(hand: Hand) -> str:
    if hand.cards.size < 2:
        return "the hand has fewer than two cards on the log"
    return "" if hand.known else "a card of the hand is not named"


def _awaits_bank(hand: HandOutcome, rules: Rules) -> bool:
    """Whether a hand's result turns on the bank's points, and not on its Black Jack alone (:func:`_awaits_natural`)."""
    if hand.ending or hand.bust or hand.natural:
        return False
    if hand.half_agreed and rules.regulation.surrender.is_half_all_the_same(rules):
        return False
    return not hand.prize or bool(rules.readings("BJ-55") == "additional")


def _awaits_natural(hand: HandOutcome) -> bool:
    """Whether what a hand is due may turn on the bank's Black Jack, which its second card tells."""
    return not hand.ending and (hand.natural or hand.half_agreed)


def _step(outcome: HandOutcome, ranks: str, rules: Rules) -> Step:
    """What the hand is, for the explanation."""
    law, cards = rules.regulation, " ".join(ranks)
    if outcome.natural:
        return Step(law.natural.cite(*law.natural.definition), f"{cards} is Black Jack")
    if outcome.bust:
        return Step(law.busting.cite(*law.busting.bust), f"{cards} is {hard_points(ranks)}: over 21")
    return Step(law.values.cite(), f"{cards} counts {outcome.points}")


def allowed(story: str, number: int, rules: Rules) -> frozenset[str]:
    """The names of the decisions open to a hand after a seat story so far; see :func:`open_to`."""
    fold = follow(story, rules)
    if number >= len(fold.hands):
        return frozenset()
    return frozenset(action.value for action in open_to(fold.hands[number], fold.seat, rules))
