"""What became of a seat: its story word by word, every decision held against what was open to the hand.

A play (hit, double, split, surrender) that was accepted counts even where the rules forbid it: it is a breach, and the
hand is settled on the cards that it got. A claim to money (even money, half for five cards, a special prize) counts
only where the law gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from replayer.game import MOMENTS, Breach, Judgement, Rules, Step
from replayer.law.black_jack.doubling import FIRST_TWO, SPLIT_FIRST_TWO
from replayer.law.black_jack.hand import MOST, NOT_KNOWN, Hand, Seat, best_points, hard_points
from replayer.law.black_jack.outcome import (
    CLOSED,
    EVEN_MONEY,
    FIVE_CARD_HALF,
    SURRENDER,
    HandOutcome,
    SeatOutcome,
)
from replayer.law.black_jack.special import DECLINED, HELD, NEEDS_SUITS, PRIZE_REFUSED, TAKEN, UNSEEN
from schemas.finding import Severity, declare

DECISION_AFTER_FINAL: Final = declare("DECISION_AFTER_FINAL", Severity.PROCEDURE, "A decision on a hand that was over")
DECISION_UNKNOWN: Final = declare("DECISION_UNKNOWN", Severity.PROCEDURE, "A decision that the game does not have")
CARD_NOT_ASKED: Final = declare("CARD_NOT_ASKED", Severity.PROCEDURE, "A card that nobody asked for")
CARD_NOT_GIVEN: Final = declare("CARD_NOT_GIVEN", Severity.PROCEDURE, "A card asked for and not dealt")
CARD_ABSENT: Final = declare("CARD_ABSENT", Severity.INTEGRITY, "A card turned or removed that the hand did not have")
HAND_WITHOUT_SPLIT: Final = declare("HAND_WITHOUT_SPLIT", Severity.PROCEDURE, "A further hand that no split made")
TOTAL_WRONG: Final = declare("TOTAL_WRONG", Severity.PROCEDURE, "A wrong total called for a player")
DOUBLE_NOT_STAKED: Final = declare("DOUBLE_NOT_STAKED", Severity.MONEY, "A hand doubled without a second stake")
SPLIT_NOT_STAKED: Final = declare("SPLIT_NOT_STAKED", Severity.MONEY, "A hand split off without a stake")
STAKE_NOT_DECIDED: Final = declare("STAKE_NOT_DECIDED", Severity.MONEY, "A stake added to a hand without a decision")

HIT: Final = "hit"
STAND: Final = "stand"
DOUBLE: Final = "double"
SPLIT: Final = "split"
INSURANCE: Final = "insurance"

STOOD: Final = "stood"
DOUBLED: Final = "doubled"
BUSTED: Final = "bust"


class _Play:
    """A seat as its story is told."""

    def __init__(self, upcard: str, rules: Rules) -> None:
        self.rules = rules
        self.law = rules.regulation
        self.seat = Seat(upcard)
        self.breaches: list[Breach] = []
        self.insured = False
        self.by_upcard = False
        self.decided = "decisions" not in rules.options.not_recorded
        self.word = 0

    def tell(self, words: list[str]) -> None:
        hands, tellers = self.seat.hands, _TELLERS
        for self.word in range(1, len(words)):
            text = words[self.word]
            sign = text[0]
            if "a" <= sign <= "z":
                number = ord(sign) - 97
                tellers[text[1]](self, hands[number] if number < len(hands) else self._grow(number, text), text[2:])
            else:
                tellers[sign](self, hands[0], text[1:])

    def breach(self, code: str, article: str, message: str) -> None:
        self.breaches.append(Breach(code, article, message, self.word))

    def refused(self, breach: Breach | None) -> bool:
        if breach is None:
            return False
        self.breaches.append(replace(breach, word=self.word))
        return True

    def _grow(self, number: int, text: str) -> Hand:
        """A hand that no decision made so far: a stake on it may come before the decision, or in place of it."""
        splitting, hands = self.law.splitting, self.seat.hands
        staked = text[1:] == "$split"
        if not staked and self.decided:
            self.breach(HAND_WITHOUT_SPLIT.code, splitting.cite(*splitting.right), "no split made this hand")
        while len(hands) <= number:
            pair = next((h for h in hands if len(h.ranks) == 2 and h.ranks[0] == h.ranks[1]), None) if staked else None
            if pair is not None:
                self.refused(splitting.refusal(self.seat, pair, self.rules))
            self._divide(pair or hands[0], moves=pair is not None)
            hands[-1].undecided = staked
        return hands[number]

    def _divide(self, hand: Hand, *, moves: bool) -> None:
        """Part a hand in two; its second card goes to the new one."""
        grown = Hand(split=True, resplit=hand.split)
        if moves:
            hand.aces = grown.aces = hand.ranks == "AA"
            grown.ranks, grown.suits = hand.ranks[1], hand.suits[1:]
            hand.ranks, hand.suits = hand.ranks[0], hand.suits[:1]
        hand.split = True
        hand.called = 0
        self.seat.hands.append(grown)

    # Cards

    def card(self, hand: Hand, text: str) -> None:
        if hand.asked:
            hand.asked -= 1
        elif hand.owed:
            hand.owed -= 1
        elif len(hand.ranks) >= 2 and self.decided:
            drawing = self.law.drawing
            self.breach(CARD_NOT_ASKED.code, drawing.cite(*drawing.player), f"nobody asked for the {text}")
        hand.ranks += text[0]
        hand.suits += text[1:]
        hand.called = 0
        if NOT_KNOWN not in hand.ranks and hard_points(hand.ranks) > MOST:
            hand.ended = BUSTED

    def turned(self, hand: Hand, text: str) -> None:
        at = hand.ranks.find(NOT_KNOWN)
        if at >= 0:
            hand.ranks = hand.ranks[:at] + text[0] + hand.ranks[at + 1 :]
            if text[1:]:
                hand.suits = hand.suits[:at] + text[1] + hand.suits[at + 1 :]
            if NOT_KNOWN not in hand.ranks and hard_points(hand.ranks) > MOST:
                hand.ended = BUSTED
        elif text[0] not in hand.ranks:
            self.breach(CARD_ABSENT.code, self.law.deal.cite(), f"{text} was turned, the hand has none")

    def removed(self, hand: Hand, text: str) -> None:
        at = hand.ranks.rfind(text[0])
        if at < 0:
            at = hand.ranks.rfind(NOT_KNOWN)
        if at < 0:
            self.breach(CARD_ABSENT.code, self.law.deal.cite(), f"{text} was removed, the hand has none")
            return
        hand.ranks = hand.ranks[:at] + hand.ranks[at + 1 :]
        hand.suits = hand.suits[:at] + hand.suits[at + 1 :]
        hand.owed += 1
        if hand.ended == BUSTED:
            hand.ended = ""

    def called(self, hand: Hand, text: str) -> None:
        hand.called = int(text)
        if NOT_KNOWN in hand.ranks or hand.called in (best_points(hand.ranks), hard_points(hand.ranks)):
            return
        drawing = self.law.drawing
        message = f"{text} was called, the hand has {best_points(hand.ranks)}"
        self.breach(TOTAL_WRONG.code, drawing.cite(*drawing.announced), message)

    # Stakes

    def wager(self, hand: Hand, kind: str) -> None:
        if kind == DOUBLE:
            hand.double_stakes += 1
            if not self.decided and not hand.doubled:
                self._double(hand)
        elif kind == SPLIT:
            hand.split_stakes += 1
        elif kind == INSURANCE:
            self.insured = True
            self.by_upcard = True
            self.refused(self.law.insurance.refusal(self.seat))

    # Decisions

    def decision(self, hand: Hand, text: str) -> None:
        action, _, moment = text.partition("/")
        if action == INSURANCE:
            return
        if hand.asked:
            self._not_given(hand)
        if hand.ended and not (hand.ended == DOUBLED and action in (HIT, STAND)):
            self.breach(
                DECISION_AFTER_FINAL.code, self.law.turns.article, f"{action} on a hand that was over: {hand.ended}"
            )
            if action not in (HIT, DOUBLE, SPLIT):
                return
        handler = _DECISIONS.get(action)
        if handler is None:
            self.breach(DECISION_UNKNOWN.code, "", f"there is no decision {action!r}")
        else:
            handler(self, hand, MOMENTS.index(moment) if moment else 0)

    def _not_given(self, hand: Hand) -> None:
        self.breach(
            CARD_NOT_GIVEN.code, self.law.busting.cite(*self.law.busting.called), "a card was asked for and not dealt"
        )
        hand.asked = 0

    def hit(self, hand: Hand, _: int) -> None:
        if hand.ended in ("", DOUBLED):
            self.refused(self.law.drawing.refusal(hand, self.rules))
        hand.acted = True
        hand.asked += 1

    def stand(self, hand: Hand, _: int) -> None:
        hand.acted = True
        hand.ended = STOOD

    def double(self, hand: Hand, _: int) -> None:
        if not hand.ended:
            self.refused(self.law.doubling.refusal(hand, self.rules))
        self._double(hand)
        hand.acted = True
        hand.asked += 1
        hand.ended = DOUBLED

    def _double(self, hand: Hand) -> None:
        usual = SPLIT_FIRST_TWO if hand.split else FIRST_TWO
        hand.doubled = self.law.doubling.mode(hand, self.rules) or usual

    def split(self, hand: Hand, _: int) -> None:
        staked = next((grown for grown in self.seat.hands if grown.undecided), None)
        if staked is not None:
            staked.undecided = False
            return
        if not hand.ended:
            self.refused(self.law.splitting.refusal(self.seat, hand, self.rules))
        self._divide(hand, moves=len(hand.ranks) == 2)

    def surrender(self, hand: Hand, moment: int) -> None:
        law = self.law.surrender
        self.by_upcard = True
        if not self.refused(law.refusal(self.seat, hand, self.rules)):
            self.refused(law.untimely(self.seat, moment, self.rules))
        hand.acted = True
        hand.ended = SURRENDER
        hand.early = law.before_check(self.seat, moment, self.rules)

    def even_money(self, hand: Hand, moment: int) -> None:
        law = self.law.natural
        self.by_upcard = True
        refusal = law.even_money_refusal(self.seat, hand, self.rules) or law.even_money_lapsed(moment, self.rules)
        if not self.refused(refusal):
            hand.ended = EVEN_MONEY

    def five_card_half(self, hand: Hand, moment: int) -> None:
        law = self.law.five_cards
        self.by_upcard = True
        if self.refused(law.refusal(self.seat, hand, self.rules)):
            return
        self.refused(law.lateness(moment, self.rules))
        hand.ended = FIVE_CARD_HALF

    def prize_taken(self, hand: Hand, _: int) -> None:
        hand.prize = TAKEN

    def prize_declined(self, hand: Hand, _: int) -> None:
        hand.prize = DECLINED

    def close(self, hand: Hand) -> None:
        """What must be there when the story ends."""
        if hand.asked:
            self._not_given(hand)
        doubling, splitting = self.law.doubling, self.law.splitting
        if hand.doubled and not hand.double_stakes:
            article = doubling.cite(*doubling.stake)
            self.breach(DOUBLE_NOT_STAKED.code, article, "doubled, and no second stake was placed")
        elif hand.double_stakes and not hand.doubled:
            article = doubling.cite(*doubling.stake)
            self.breach(STAKE_NOT_DECIDED.code, article, "a second stake was placed, and nobody doubled")
            self._double(hand)
        if hand is self.seat.hands[0] or not hand.split:
            return
        article = splitting.cite(*splitting.stake)
        if hand.undecided:
            self.breach(STAKE_NOT_DECIDED.code, article, "a stake on a new hand was placed, and nobody separated")
        elif not hand.split_stakes:
            self.breach(SPLIT_NOT_STAKED.code, article, "a pair was separated, and no stake placed on the new hand")


_TELLERS: Final[dict[str, Callable[[_Play, Hand, str], None]]] = {
    "+": _Play.card,
    "-": _Play.card,
    "^": _Play.turned,
    "~": _Play.removed,
    "=": _Play.called,
    "$": _Play.wager,
    ".": _Play.decision,
}
_DECISIONS: Final[dict[str, Callable[[_Play, Hand, int], None]]] = {
    HIT: _Play.hit,
    STAND: _Play.stand,
    DOUBLE: _Play.double,
    SPLIT: _Play.split,
    SURRENDER: _Play.surrender,
    EVEN_MONEY: _Play.even_money,
    FIVE_CARD_HALF: _Play.five_card_half,
    TAKEN: _Play.prize_taken,
    DECLINED: _Play.prize_declined,
}


def _follow(story: str, rules: Rules) -> _Play:
    words = story.split()
    play = _Play(words[0], rules)
    play.tell(words)
    return play


def judge_seat(story: str, rules: Rules) -> Judgement:
    """What became of a seat; its outcome is as ``outcome`` describes it."""
    play = _follow(story, rules)
    hands: list[HandOutcome] = []
    steps: list[Step] = []
    unjudged = ""
    waits = False
    for hand in play.seat.hands:
        if play.decided:
            play.close(hand)
        if hand.ended not in CLOSED:
            missing = _missing(hand)
            prize = "" if missing else _prize(play, hand)
            if prize == NEEDS_SUITS:
                return Judgement(needs_suits=True)
            if missing or prize == UNSEEN:
                unjudged = missing or "a suit that the special prize turns on is not named"
                waits = True
                continue
            hand.prize = prize
        outcome = _outcome(play, hand)
        hands.append(outcome)
        steps.append(_step(play, hand, outcome))
        waits = waits or _waits(play, outcome)
    text = "" if unjudged else SeatOutcome(play.seat.upcard, tuple(hands)).text()
    return Judgement(text, tuple(play.breaches), tuple(steps), waits, unjudged, not_checked=tuple(_not_checked(play)))


def _missing(hand: Hand) -> str:
    if len(hand.ranks) < 2:
        return "the hand has fewer than two cards on the log"
    return "a card of the hand is not named" if NOT_KNOWN in hand.ranks else ""


def _prize(play: _Play, hand: Hand) -> str:
    """Whether the hand takes a special prize: ``HELD`` or nothing; or what stands in the way of saying so."""
    law = play.law.special_prize
    held = "" if law is None else law.holds(hand, play.rules)
    if held == HELD and not law.is_taken(hand, play.rules):
        return ""
    if not held and hand.prize == TAKEN:
        article = play.law.higher_wins.cite() if law is None else law.cite()
        play.breach(PRIZE_REFUSED.code, article, f"{' '.join(hand.ranks)} earns no special prize")
    return held


def _outcome(play: _Play, hand: Hand) -> HandOutcome:
    natural = play.law.natural.is_one(hand)
    known = NOT_KNOWN not in hand.ranks
    return HandOutcome(
        points=play.law.values.of_player(hand, play.rules) if known else 0,
        natural=natural,
        ending=hand.ended if hand.ended in CLOSED else "",
        doubled=hand.doubled,
        split=hand.split,
        resplit=hand.resplit,
        two=hand.split and len(hand.ranks) == 2,
        prize=hand.prize,
        early=hand.early,
    )


def _step(play: _Play, hand: Hand, outcome: HandOutcome) -> Step:
    """What the hand is, for the explanation."""
    law, cards = play.law, " ".join(hand.ranks)
    if outcome.natural:
        return Step(law.natural.cite(*law.natural.definition), f"{cards} is Black Jack")
    if outcome.bust:
        return Step(law.busting.cite(*law.busting.bust), f"{cards} is {outcome.points}: over 21")
    return Step(law.values.cite(), f"{cards} counts {outcome.points}")


def _waits(play: _Play, hand: HandOutcome) -> bool:
    """Whether a hand's result turns on the bank's points. Black Jack needs to know of the bank's second card only."""
    if hand.ending or hand.bust or hand.natural:
        return False
    return not hand.prize or bool(play.rules.readings("BJ-55") == "additional")


def _not_checked(play: _Play) -> Iterator[str]:
    for unrecorded in ("decisions", "totals"):
        if unrecorded in play.rules.options.not_recorded:
            yield unrecorded
    if play.by_upcard and play.seat.upcard == "?":
        yield "upcard"


def allowed(story: str, number: int, rules: Rules) -> frozenset[str]:
    """The decisions open to hand ``number`` after a seat story so far; empty where it is over or waits for a card.

    Whether a surrender comes in time for the table (art. 18(2)) does not show in the story of one seat.
    """
    play = _follow(story, rules)
    seat = play.seat
    if number >= len(seat.hands):
        return frozenset()
    hand = seat.hands[number]
    if hand.ended or hand.asked or not hand.ranks or NOT_KNOWN in hand.ranks:
        return frozenset()
    law = rules.regulation
    refusals = {
        HIT: law.drawing.refusal(hand, rules),
        DOUBLE: law.doubling.refusal(hand, rules),
        SPLIT: law.splitting.refusal(seat, hand, rules),
        SURRENDER: law.surrender.refusal(seat, hand, rules),
        EVEN_MONEY: law.natural.even_money_refusal(seat, hand, rules),
        FIVE_CARD_HALF: law.five_cards.refusal(seat, hand, rules),
    }
    open_ = {action for action, refusal in refusals.items() if refusal is None}
    if len(hand.ranks) < 2:
        return frozenset(open_ & {DOUBLE})
    if seat.upcard == "A" and not play.insured and len(seat.hands) == 1 and not hand.acted:
        open_.add(INSURANCE)
    prize = law.special_prize
    if prize is not None and prize.holds(hand, rules) == HELD and not prize.is_taken(hand, rules):
        open_.add(TAKEN)
    if open_ - {INSURANCE}:
        open_.add(STAND)
    return frozenset(open_)
