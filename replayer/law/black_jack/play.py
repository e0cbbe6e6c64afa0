"""The steps of a player's hand: its cards, stakes and decisions, each judged by what was open to it.

A play (hit, double, split) that was accepted counts even where the rules forbid it: it is a violation, and the hand is
settled on the cards that it got; ``seat_fold`` tells which double or split was not accepted. A claim to money (even money,
half for five cards, a special prize, a surrender) counts only where the law gives it.
"""

from __future__ import annotations

from typing import Final

from replayer.contract.cards import Card
from replayer.contract.machine import Violation, Violations
from replayer.law.black_jack.hand import BUSTED, CLOSED, DOUBLED, STOOD, Action, Cards, Hand, Seat
from replayer.law.black_jack.outcome import OVER, HandOutcome
from replayer.law.black_jack.points import MOST, CalledTotal
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.settlement import DOUBLE, SPLIT
from schemas.finding import of_procedure
from schemas.plural import spoken

DECISION_AFTER_FINAL: Final = of_procedure("DECISION_AFTER_FINAL", "A decision on a hand that was over")
DECISION_UNKNOWN: Final = of_procedure("DECISION_UNKNOWN", "A decision that the game does not have")

PLAYS: Final = (Action.HIT, Action.STAND, Action.DOUBLE, Action.SPLIT)
"""Plays of a hand; the other decisions are claims to money."""
_FOR_CARDS: Final = (Action.HIT, Action.DOUBLE, Action.SPLIT)
"""Plays that bring a card, and count even where the rules forbid them."""
_STILL_OPEN: Final = {
    DOUBLED: (Action.HIT, Action.STAND, Action.TAKE_PRIZE, Action.LEAVE_PRIZE),
    STOOD: (Action.EVEN_MONEY, Action.FIVE_CARD_HALF),
}
"""What may still be decided on a hand, by what ended it. Who has stood decided to do without cards (art. 6(3)); arts. 10(3) and
19(1) give him these claims until the bank's second card is known (BJ-14, BJ-70a)."""

Step = tuple[Hand, Violations]


# Cards


def deal(hand: Hand, card: Card, rules: Rules, *, played: bool, down: bool = False) -> Step:
    """A card is dealt; ``played`` as in :class:`Seat`, ``down`` whether it lies face down."""
    violations: Violations = ()
    cards, owed = hand.cards.dealt(card), hand.owed
    if not hand.asked:
        if owed:
            owed -= 1
        elif hand.cards.size >= 2 and rules.records("decisions"):
            violations = (rules.regulation.drawing.not_asked(card),)
    down = hand.down or (down and bool(hand.doubled))
    ended = hand.lapsed if hand.lapsed and _has_ground(hand.lapsed, cards) else hand.ended
    return hand.with_card(cards, drawn=played, down=down, ended=_over(ended, cards), owed=owed), violations


def name(hand: Hand, cards: Cards, called: CalledTotal) -> Hand:
    """A card is named that was not named before: the hand is as if it had been named from the start."""
    return hand._replace(cards=cards, called=called, ended=_over(hand.ended, cards))


def take_away(
    hand: Hand, ended: str, unclaimed: str, cards: Cards, called: CalledTotal, *, drawn: bool, down: bool, owed: bool
) -> Hand:
    """A card is taken away: the hand is as if it had not been dealt. ``ended`` is what had ended the hand before that card,
    ``unclaimed`` what had before a claim closed it; ``owed`` is whether another may come in its place. A claim that rested on the
    card counts again with one that makes it good."""
    claim = hand.ended if hand.closed else hand.lapsed
    if (hand.closed and ended == claim) or (claim and _has_ground(claim, cards)):
        over, lapsed = claim, hand.lapsed
    else:
        before = unclaimed if hand.closed else ended if hand.ended == BUSTED else hand.ended
        over, lapsed = _over("" if before in CLOSED else before, cards), claim
    return hand._replace(
        cards=cards, called=called, drawn=drawn, down=down, ended=over, owed=hand.owed + owed, lapsed=lapsed
    )


def _has_ground(claim: str, cards: Cards) -> bool:
    """Whether cards may be such as a claim needs: Black Jack (art. 10(3)), five not over 21 (art. 19(1)); any are given up."""
    if claim == Action.EVEN_MONEY:
        return cards.may_be_natural
    return claim == Action.SURRENDER or cards.five


def _over(ended: str, cards: Cards) -> str:
    """Art. 7(2): what ended a hand. One that was closed stays so, whatever cards it is given (arts. 10(3), 18(2), 19)."""
    return BUSTED if cards.bust and ended not in CLOSED else ended


def announce(hand: Hand, total: int, rules: Rules) -> Step:
    """A total is called: of the cards dealt, or of those that came when they were asked for."""
    law = rules.regulation.scoring if hand.drawn else rules.regulation.drawing
    return hand._replace(called=hand.cards.called(total)), law.total_wrong(hand, total, rules)


# Stakes


def stake(hand: Hand, kind: str, rules: Rules) -> Step:
    """A stake is placed for doubling or for the hand that a split made."""
    if kind == SPLIT:
        return hand._replace(split_staked=True), ()
    if kind != DOUBLE:
        return hand, ()
    decided = rules.records("decisions")
    early = late = None
    if decided and rules.records("deal_order", "times"):
        early = rules.regulation.doubling.staked_early(hand, rules)
        late = rules.regulation.doubling.staked_late(hand, rules)
    after = hand._replace(double_staked=True, staked_late=hand.staked_late or late is not None)
    if not hand.doubled:
        mode = rules.regulation.doubling.mode_taken(hand, rules)
        after = after._replace(staked_as=mode) if decided else after._replace(doubled=mode)
    return after, tuple(filter(None, (early, late)))


# Decisions


def open_to(hand: Hand, seat: Seat, rules: Rules) -> frozenset[Action]:
    """The decisions open to a hand; none where it is over or waits for a card. Whether a surrender comes in time for the table
    (art. 18(2)) does not show at one seat."""
    if hand.ended not in ("", STOOD) or hand.asked or not hand.cards.size or not hand.known:
        return frozenset()
    law = rules.regulation
    refusals = {
        Action.HIT: law.drawing.refusal(hand, rules),
        Action.DOUBLE: law.doubling.refusal(hand, rules),
        Action.SPLIT: law.splitting.refusal(seat, hand, rules),
        Action.SURRENDER: law.surrender.refusal(seat, hand, 0, rules),
        Action.EVEN_MONEY: law.natural.even_money_refusal(seat, hand, rules),
        Action.FIVE_CARD_HALF: law.five_cards.refusal(seat, hand, rules),
    }
    open_ = {action for action, refusal in refusals.items() if refusal is None}
    if hand.ended == STOOD:
        return frozenset(open_ & {*_STILL_OPEN[STOOD]})
    if hand.cards.size < 2:
        return frozenset(open_ & {Action.DOUBLE})
    if seat.upcard == "A" and not seat.insured and seat.size == 1 and not hand.acted:
        open_.add(Action.INSURANCE)
    prize = law.special_prize
    if prize.holds(hand, rules) and not prize.is_taken(hand, rules):
        open_.add(Action.TAKE_PRIZE)
    if open_ - {Action.INSURANCE}:
        open_.add(Action.STAND)
    return frozenset(open_)


def owed_as_asked(hand: Hand, rules: Rules) -> bool:
    """Whether the card that was asked for is owed: none is that could not be asked for (arts. 6(3), 6(4), 17(1))."""
    if hand.ended not in ("", DOUBLED):
        return False
    if hand.doubled:
        return rules.regulation.doubling.refusal(hand._replace(doubled="", acted=False), rules) is None
    return rules.regulation.drawing.refusal(hand, rules) is None


def passes_over(hand: Hand, action: Action, seat: Seat, rules: Rules) -> bool:
    """Whether a decision changes nothing in a hand that is over."""
    return _is_of_another(hand, action, seat, rules) or (_is_over(hand, action) and action not in _FOR_CARDS)


def decide(hand: Hand, action: Action, moment: int, seat: Seat, rules: Rules, *, all_open: bool) -> Step:
    """A decision is taken; ``all_open`` is whether none of the hand's cards lies face down.

    A card that was asked for is not given where a play comes first, or a claim that ends the hand; any other decision leaves it
    asked for. What a split makes of the hand is :meth:`Hand.separated`.
    """
    violations: list[Violation] = []
    if hand.asked:
        after, found = decide(hand._replace(asked=False), action, moment, seat, rules, all_open=all_open)
        if action not in PLAYS and after.ended == hand.ended:
            return after._replace(asked=True), found
        return after, (*_not_given(hand, rules), *found)
    asked_with_stake = action is Action.SPLIT and seat.staked  # of a hand that the stake has split
    if not seat.played and action in PLAYS and not asked_with_stake:
        violations += rules.regulation.drawing.total_not_called(hand, rules, all_open=all_open)
    if _is_of_another(hand, action, seat, rules):
        return hand, tuple(violations)
    if _is_over(hand, action):
        message = f"{spoken(action)} on a hand that was over: {spoken(hand.ended)}"
        violations.append(Violation(DECISION_AFTER_FINAL, rules.regulation.closed_by(hand.ended), message))
        if action not in _FOR_CARDS:
            return hand, tuple(violations)
    if (hand.half_agreed or hand.lapsed) and action in PLAYS:
        hand = hand._replace(half_agreed=False, lapsed="")  # who plays on was not paid
    hand, found = _acted(hand, action, moment, seat, rules)
    return hand, (*violations, *found)


def _acted(hand: Hand, action: Action, moment: int, seat: Seat, rules: Rules) -> Step:
    law = rules.regulation
    refusal: Violation | None = None
    match action:
        case Action.HIT:
            if hand.ended in ("", DOUBLED):
                refusal = law.drawing.refusal(hand, rules)
            hand = hand._replace(acted=True, asked=True)
        case Action.STAND:
            hand = hand._replace(acted=True, ended=STOOD)
        case Action.DOUBLE:
            if not hand.ended:
                refusal = law.doubling.refusal(hand, rules)
            ended = hand.ended if hand.closed else DOUBLED
            mode = law.doubling.mode_taken(hand, rules)
            hand = hand._replace(doubled=mode, staked_as="", acted=True, asked=True, ended=ended)
        case Action.SPLIT:
            if not seat.staked and not hand.ended:
                refusal = law.splitting.refusal(seat, hand, rules)
        case Action.SURRENDER:
            return _surrendered(hand, moment, seat, rules)
        case Action.EVEN_MONEY:
            natural = law.natural
            refusal = natural.even_money_refusal(seat, hand, rules) or natural.even_money_lapsed(moment, rules)
            hand = hand if refusal else hand._replace(ended=action.value)
        case Action.FIVE_CARD_HALF:
            refusal = law.five_cards.refusal(seat, hand, rules) or law.five_cards.lateness(moment, rules)
            hand = hand if refusal else hand._replace(ended=action.value)
        case Action.TAKE_PRIZE | Action.LEAVE_PRIZE:
            hand = hand._replace(prize=action is Action.TAKE_PRIZE)
        case _:
            refusal = Violation(DECISION_UNKNOWN, "", "there is no decision {action!r}")
    return hand, () if refusal is None else (refusal,)


def _surrendered(hand: Hand, moment: int, seat: Seat, rules: Rules) -> Step:
    """Art. 18: a surrender counts only with the right to it; what it is worth without is X-6."""
    law = rules.regulation.surrender
    refusal = law.refusal(seat, hand, moment, rules)
    if refusal is not None:
        return hand._replace(half_agreed=True), (refusal,)
    untimely = law.untimely(seat, moment, rules)
    early = law.before_check(seat, moment, rules)
    return hand._replace(acted=True, ended=Action.SURRENDER.value, early=early), () if untimely is None else (untimely,)


def _is_of_another(hand: Hand, action: Action, seat: Seat, rules: Rules) -> bool:
    """BJ-71, BJ-70b: whether one bettor on a shared seat closed the hand for himself, so that this decision is another's."""
    if seat.bettors < 2 or action not in (hand.ended, Action.STAND):
        return False
    claimed = hand.ended in (Action.EVEN_MONEY, Action.FIVE_CARD_HALF)
    return claimed and rules.regulation.shared_seat.for_himself(hand.ended, rules)


def _is_over(hand: Hand, action: Action) -> bool:
    return bool(hand.ended) and action not in (*_STILL_OPEN.get(hand.ended, ()), hand.lapsed)  # who claims again may


# The end


def _not_given(hand: Hand, rules: Rules) -> Violations:
    """Art. 7(1): a card was asked for and not dealt, though it was owed."""
    return (rules.regulation.scoring.not_given(),) if owed_as_asked(hand, rules) else ()


def finish(
    hand: Hand, seat: Seat, rules: Rules, *, first: bool, all_open: bool
) -> tuple[Hand, Violations, Violation | None]:
    """The hand at the end, what is missing, and what is missing only if the bank played on; ``first`` is whether it is the
    seat's first hand."""
    law = rules.regulation
    violations: list[Violation] = []
    if_bank_played = law.drawing.undecided(hand, rules) if seat.bettors else None
    if rules.records("decisions"):
        if hand.asked:
            violations += _not_given(hand, rules)
            hand = hand._replace(asked=False)
        if hand.drawn and hand.cards.size >= 2:
            violations += law.scoring.total_not_called(hand, rules, all_open=all_open)
        if bool(hand.doubled) != hand.double_staked:
            violations.append(law.doubling.unmatched(hand, rules))
            hand = hand._replace(doubled=hand.doubled or hand.staked_as)
        if not first:
            violations += law.splitting.unmatched(hand)
    down = law.doubling.card_down(hand) if hand.down and rules.records("faces") else None
    if down is not None:
        violations.append(down)
    return hand, tuple(violations), if_bank_played


def outcome(hand: Hand, seat: Seat, rules: Rules, *, first: bool, prize: bool) -> HandOutcome:
    """The outcome of a finished hand, which earns the special ``prize`` or not."""
    told = hand.known or hand.ended == BUSTED
    points = rules.regulation.values.of_player(hand, rules) if told else 0
    return HandOutcome(
        points=MOST if hand.natural else min(points, OVER),
        natural=hand.natural,
        ending=hand.ended if hand.closed else "",
        doubled=hand.doubled,
        split=hand.split,
        resplit=hand.resplit,
        split_21=points == MOST and hand.split and hand.cards.size == 2,
        prize=prize,
        early=hand.closed and hand.early,
        half_agreed=hand.half_agreed,
        staked_late=hand.staked_late,
        shared=hand.ended == Action.FIVE_CARD_HALF and seat.bettors > 1,
        bare=hand.split and not hand.split_staked and not first,
    )
