"""A seat of Black Jack as the compiled runner steps it: all that any events make of it while no rule is broken, counted whole,
and every code that the next event, or the end, can give there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pytest

from replayer.contract.cards import Card
from replayer.contract.machine import Violation, Violations
from replayer.contract.symbols import (
    ADDITIONAL_CARD,
    ANOTHERS,
    BANK_OPEN,
    DOWN,
    HOLE_CHECKED,
    UP,
    Called,
    Dealt,
    Decided,
    Removed,
    SeatSymbol,
    Staked,
    Turned,
)
from replayer.law.black_jack import GAME
from replayer.law.black_jack.hand import Action
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.seat_state import NEW_SEAT, SeatState
from tests.law.reachable import Reached, reached
from tests.law.rules import VERSIONS, rules

TENS = (Card("T"),)
MOMENTS = (0, ADDITIONAL_CARD, HOLE_CHECKED, BANK_OPEN)
OF_SEATS = ("main", "insurance")
OF_HANDS = ("double", "split", "", ANOTHERS)
"""Stakes that change the seat, or its hands."""


def symbols(cards: Sequence[Card], stakes: Sequence[str], hand: int) -> Iterator[SeatSymbol]:
    """What can happen to a hand of a seat, but for its total."""
    for card in cards:
        yield from (Dealt(card, UP, hand), Dealt(card, DOWN, hand), Dealt(card, "", hand), Turned(card, hand))
        yield Removed(card, hand)
    yield from (Staked(kind, hand) for kind in stakes)
    for action in (*Action, "dance"):
        moments = MOMENTS if action in GAME.actions.timed else (None,)
        yield from (Decided(str(action), moment, hand) for moment in moments)


def of_the_seat(
    law: Rules, starts: Iterable[SeatState], cards: Sequence[Card], stakes: Sequence[str], hands: int = 1
) -> Reached:
    """What becomes of seats of so many hands at most to which anything happens, up to a violation."""
    every = [symbol for hand in range(hands) for symbol in symbols(cards, stakes, hand)]
    every += [Dealt(Card("T"), hand=hands)]

    def after(seat: SeatState) -> Iterator[tuple[SeatState, Violations]]:
        totals = ((number, {hand.cards.hard, hand.cards.best, 99}) for number, hand in enumerate(seat.hands))
        for symbol in (*every, *(Called(points, number) for number, called in totals for points in called)):
            following = seat.after(symbol, law)
            if following is None:
                yield seat, seat.step(symbol, law)[1]
            elif following.size <= hands:
                yield following, ()

    def at_end(seat: SeatState) -> Iterator[Violation]:
        for number in range(len(seat.hands)):
            hand = seat.ended(number, law)
            yield from hand.violations
            yield from () if hand.if_bank_played is None else (hand.if_bank_played,)

    return reached(starts, after, at_end)


EVERY_UPCARD = "ATx?"
BET_ON = NEW_SEAT.faces("T")._replace(bettors=1)


def with_one_hand_of_tens(law: Rules, upcards: str) -> Reached:
    """What becomes of a seat with one hand of tens, whoever bets on it and insures it."""
    return of_the_seat(law, [NEW_SEAT.faces(upcard) for upcard in upcards], TENS, (*OF_SEATS, *OF_HANDS))


@pytest.mark.parametrize(
    ("version", "upcards", "states", "steps"),
    [
        ("57/2009", "T", 2556, 13104),
        *(
            pytest.param(version, EVERY_UPCARD, states, steps, marks=pytest.mark.prove)
            for version, states, steps in [
                ("141/2000", 13536, 77280),
                ("56/2004", 15048, 82392),
                ("42/2007", 15048, 82392),
                ("57/2009", 15048, 82392),
            ]
        ),
    ],
)
def test_all_that_a_seat_with_one_hand_of_tens_can_come_to(version: str, upcards: str, states: int, steps: int) -> None:
    assert with_one_hand_of_tens(rules(VERSIONS[version]), upcards)[:2] == (states, steps)


@pytest.mark.prove
@pytest.mark.parametrize(("version", "states", "steps"), [("57/2009", 49104, 445010)])
def test_all_that_a_seat_with_one_hand_of_cards_of_every_rank_can_come_to(
    version: str, states: int, steps: int
) -> None:
    """Of one bettor, against a ten of the bank."""
    found = of_the_seat(rules(VERSIONS[version]), [BET_ON], [*map(Card, "A23456789T")], OF_HANDS)
    assert found[:2] == (states, steps)


def played_lawfully(law: Rules, ranks: str) -> Reached:
    """A seat on which one player bets before he gets cards of these ranks, and decides what is open to him."""

    def after(seat: SeatState) -> Iterator[tuple[SeatState, Violations]]:
        if not seat.bettors:
            yield seat.step(Staked("main"), law)
        for number, hand in enumerate(seat.hands if seat.bettors else ()):
            for rank in ranks if hand.asked or hand.cards.size < 2 else ():
                yield seat.step(Dealt(Card(rank), hand=number), law)
            for action in seat.open(number, law):
                yield seat.step(Decided(action, 0, number), law)

    return reached([NEW_SEAT.faces("T")], after)


@pytest.mark.parametrize(
    ("version", "states"),
    [
        ("141/2000", 8 + 5**2),
        ("56/2004", 10 + 7**2 + 7**3 + 7**4),
        ("42/2007", 10 + 7**2 + 7**3 + 7**4),
        ("57/2009", 10 + 7**2 + 7**3 + 7**4),
    ],
)
def test_a_split_seat_comes_to_what_each_of_its_hands_comes_to(version: str, states: int) -> None:
    """By default tens are separated once under 141/2000, and doubling is for eleven; later they become up to four hands, each of
    which may be doubled. What is not separated comes to: no bet, no card, one, two, and these stood on, surrendered, with a
    card asked for, over 21, 8; doubled with a card asked for, doubled and over 21, 10. A hand of a separated pair comes to five
    of these, or to seven: neither to no bet nor to no card, and it is not surrendered."""
    assert played_lawfully(rules(VERSIONS[version]), "T")[0] == states
