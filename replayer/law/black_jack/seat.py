"""What became of a seat when its story is told, and what was open to a hand in between."""

from __future__ import annotations

from collections.abc import Iterator

from replayer.game import Judgement, Step
from replayer.law.black_jack.hand import Hand
from replayer.law.black_jack.outcome import (
    BANK_NATURAL_POSSIBLE,
    CLOSED,
    EVEN_MONEY,
    FIVE_CARD_HALF,
    OVER,
    SURRENDER,
    HandOutcome,
    SeatOutcome,
)
from replayer.law.black_jack.play import HIT, STAND, Play, follow
from replayer.law.black_jack.points import MOST, hard_points
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.settlement import DOUBLE, INSURANCE, SPLIT, hangs_on_natural
from replayer.law.black_jack.special import HELD, NEEDS_SUITS, PRIZE_REFUSED, TAKEN, UNSEEN


def judge_seat(story: str, rules: Rules) -> Judgement[SeatOutcome]:
    """What became of a seat."""
    play = follow(story, rules)
    hands: list[HandOutcome] = []
    steps: list[Step] = []
    unjudged = ""
    waits = pends = False
    for number in range(len(play.hands)):
        if play.decided:
            play.close(number)
        play.faces(number)
        play.shown(number)
        hand = play.hands[number]
        if hand.ended not in CLOSED:
            missing = _missing(hand)
            prize = "" if missing else _prize(play, number)
            if prize == NEEDS_SUITS:
                return Judgement(needs_suits=True)
            if missing or prize == UNSEEN:
                unjudged = missing or "a suit that the special prize turns on is not named"
                waits = True
                continue
            hand = hand._replace(prize=prize)
        outcome = _outcome(play, hand, first=number == 0)
        hands.append(outcome)
        steps.append(_step(play, number, outcome))
        waits = waits or _waits(play, outcome)
        pends = pends or _pends(outcome)
    seat = SeatOutcome(play.upcard, tuple(hands))
    not_checked, at_once = tuple(_not_checked(play)), tuple(play.at_once)
    pends = (pends or play.insured) and play.upcard in BANK_NATURAL_POSSIBLE
    if not waits and not pends and any(hand.bust for hand in hands):
        with rules.readings.aside():  # no due of theirs hangs on it but by Black Jack
            pends = hangs_on_natural(seat, rules)
    breaches = tuple(play.breaches)
    became = None if unjudged else seat
    return Judgement(became, breaches, tuple(steps), waits, unjudged, False, not_checked, at_once, pends)


def _missing(hand: Hand) -> str:
    if hand.cards.size < 2:
        return "the hand has fewer than two cards on the log"
    return "" if hand.known else "a card of the hand is not named"


def _prize(play: Play, number: int) -> str:
    """Whether the hand takes a special prize: ``HELD`` or nothing; or what stands in the way of saying so."""
    law, hand, track = play.law.special_prize, play.hands[number], play.tracks[number]
    held = "" if law is None else law.holds(hand, play.rules)
    if law is not None and held == HELD and not law.is_taken(hand, play.rules):
        return ""
    if not held and hand.prize == TAKEN:
        article = play.law.higher_wins.cite() if law is None else law.cite()
        if law is not None and not play.rules.options.special_prizes:
            article = play.law.waived(law) or article
        play.breach(PRIZE_REFUSED.code, article, f"{' '.join(track.ranks)} earns no special prize", track.prize_at)
    return held


def _outcome(play: Play, hand: Hand, *, first: bool) -> HandOutcome:
    points = play.law.values.of_player(hand, play.rules) if hand.known else 0
    ending = hand.ended if hand.ended in CLOSED else ""
    return HandOutcome(
        points=MOST if hand.natural else min(points, OVER),
        natural=hand.natural,
        ending=ending,
        doubled=hand.doubled,
        split=hand.split,
        resplit=hand.resplit,
        two=hand.split and hand.cards.size == 2,
        prize=hand.prize,
        early=bool(ending) and hand.early,
        half_agreed=hand.half_agreed,
        staked_late=hand.staked_late,
        shared=hand.ended == FIVE_CARD_HALF and play.mains > 1,
        bare=hand.split and not hand.split_stakes and not first,
    )


def _step(play: Play, number: int, outcome: HandOutcome) -> Step:
    """What the hand is, for the explanation."""
    law, ranks = play.law, play.tracks[number].ranks
    cards = " ".join(ranks)
    if outcome.natural:
        return Step(law.natural.cite(*law.natural.definition), f"{cards} is Black Jack")
    if outcome.bust:
        return Step(
            law.busting.cite(*law.busting.bust),
            f"{cards} is {hard_points(''.join(play.tracks[number].ranks))}: over 21",
        )
    return Step(law.values.cite(), f"{cards} counts {outcome.points}")


def _waits(play: Play, hand: HandOutcome) -> bool:
    """Whether a hand's result turns on the bank's points, and not on its Black Jack alone (``_pends``)."""
    if hand.ending or hand.bust or hand.natural:
        return False
    if hand.half_agreed and play.law.surrender.is_half_all_the_same(play.rules):
        return False
    return not hand.prize or bool(play.rules.readings("BJ-55") == "additional")


def _pends(hand: HandOutcome) -> bool:
    """Whether what a hand is due may turn on the bank's Black Jack, which its second card tells."""
    return not hand.ending and (hand.natural or hand.half_agreed)


def _not_checked(play: Play) -> Iterator[str]:
    yield from sorted(play.not_checked)
    if "decisions" in play.rules.options.not_recorded:
        yield "decisions"
    if play.by_upcard and play.upcard == "?":
        yield "upcard"


def allowed(story: str, number: int, rules: Rules) -> frozenset[str]:
    """The decisions open to hand ``number`` after a seat story so far; empty where it is over or waits for a card.

    Whether a surrender comes in time for the table (art. 18(2)) does not show in the story of one seat.
    """
    play = follow(story, rules)
    seat = play.seat
    if number >= len(play.hands):
        return frozenset()
    hand = play.hands[number]
    if hand.ended or hand.asked or not hand.cards.size or not hand.known:
        return frozenset()
    law = rules.regulation
    refusals = {
        HIT: law.drawing.refusal(hand, rules),
        DOUBLE: law.doubling.refusal(hand, rules),
        SPLIT: law.splitting.refusal(seat, hand, rules),
        SURRENDER: law.surrender.refusal(seat, hand, 0, rules),
        EVEN_MONEY: law.natural.even_money_refusal(seat, hand, rules),
        FIVE_CARD_HALF: law.five_cards.refusal(seat, hand, rules),
    }
    open_ = {action for action, refusal in refusals.items() if refusal is None}
    if hand.cards.size < 2:
        return frozenset(open_ & {DOUBLE})
    if seat.upcard == "A" and not play.insured and seat.hands == 1 and not hand.acted:
        open_.add(INSURANCE)
    prize = law.special_prize
    if prize is not None and prize.holds(hand, rules) == HELD and not prize.is_taken(hand, rules):
        open_.add(TAKEN)
    if open_ - {INSURANCE}:
        open_.add(STAND)
    return frozenset(open_)
