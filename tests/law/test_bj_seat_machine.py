"""A seat of Black Jack as a machine: what its hands, bettors and wagers come to together is counted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from replayer.contract.cards import Card
from replayer.contract.machine import Violations
from replayer.contract.symbols import BANK_OPEN, Called, Dealt, Decided, SeatSymbol, Staked
from replayer.law.black_jack.hand import Action
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.seat_state import NEW_SEAT, SeatState
from tests.law.reachable import Reached, reached
from tests.law.rules import VERSIONS, rules

CLAIMS = (Action.SURRENDER, Action.EVEN_MONEY, Action.FIVE_CARD_HALF)
"""Decisions of which it matters when they are taken."""
OF_THE_SEAT = {"HAND_WITHOUT_SPLIT", "INSURANCE_REFUSED"}


def of_the_seat(law: Rules, upcards: str, ranks: str) -> Reached:
    """A seat whose hand is not split, as long as no rule is broken, with all that would break one."""
    symbols: list[SeatSymbol] = [Dealt(Card(rank)) for rank in ranks]
    symbols += [Staked(kind) for kind in ("main", "insurance", "double")]
    symbols += [
        Decided(action.value, moment)
        for action in Action
        for moment in ((0, BANK_OPEN) if action in CLAIMS else (0,))
        if action is not Action.SPLIT
    ]

    def after(seat: SeatState) -> Iterator[tuple[SeatState, Violations]]:
        cards = seat.hand(0).cards
        for symbol in (*symbols, Called(cards.hard), Called(cards.best)):
            following, violations = seat.step(symbol, law)
            yield seat if violations else following.lawful(), violations
        yield seat, seat.unmade(Dealt(Card("T"), hand=1), law)

    return reached([NEW_SEAT.faces(upcard) for upcard in upcards], after)


@pytest.mark.parametrize(
    ("version", "states", "steps"),
    [("141/2000", 3384, 16764), ("56/2004", 2412, 10662), ("42/2007", 2412, 10662), ("57/2009", 2412, 10662)],
)
def test_all_that_a_seat_with_one_hand_of_tens_can_come_to(version: str, states: int, steps: int) -> None:
    """Against any card of the bank; under 141/2000 cards may be asked for at 21 and with doubled hands too."""
    found = of_the_seat(rules(VERSIONS[version], recorded=["totals", "stands"]), "ATx?", "T")
    assert found[:2] == (states, steps)
    assert found.codes >= OF_THE_SEAT


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
