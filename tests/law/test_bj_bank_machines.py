"""The bank's two machines: all that they can come to is enumerated and counted, and reaches every code that they can give."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

import pytest

from replayer.contract.cards import Card
from replayer.contract.machine import Violations
from replayer.contract.outcomes import Awaited
from replayer.contract.symbols import (
    DOWN,
    UP,
    BankHistory,
    BankSymbol,
    Burned,
    Called,
    Dealt,
    Looked,
    PlayBegan,
    Turned,
)
from replayer.law.black_jack.bank import NEW_BANK, BankState, HoleCard, judge_bank
from replayer.law.black_jack.despacho_42_2007 import DSEF_42_2007
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.law.black_jack.outcome import NO_NATURAL
from replayer.law.black_jack.points import best_points, hard_points
from replayer.law.black_jack.regulation import BlackJackRegulation
from replayer.law.black_jack.rules import Rules
from tests.law.reachable import Reached, reached
from tests.law.rules import VERSIONS, rules

RANKS = "A23456789T?"


def of_the_bank(law: Rules) -> Reached:
    """Whatever its first two cards and its look at them, which have a machine of their own."""

    def after(bank: BankState) -> Iterator[tuple[BankState, Violations]]:
        for rank in RANKS:
            for seen, removed in ((True, False), (False, False), (True, True)):
                following, violations = bank.dealt(rank, law, seen=seen, removed=removed)
                yield following._replace(hole=HoleCard()), violations
        for total in (bank.hand.hard, bank.hand.best, 99):
            yield bank.announced(total, law)

    return reached([NEW_BANK], after, lambda bank: (v for awaited in Awaited for v in bank.finish(awaited, law)))


def of_the_hole_card(law: Rules) -> Reached:
    def after(hole: HoleCard) -> Iterator[tuple[HoleCard, Violations]]:
        for state in (*map(hole.dealt, RANKS), hole.played()):
            yield state, ()
        yield hole.looked_at(natural=True), ()
        yield hole.looked_at(natural=False), ()

    return reached([HoleCard()], after, lambda hole: law.regulation.deal.of_the_look(hole, law))


TOTALS = {"BANK_TOTAL_WRONG", "BANK_TOTAL_NOT_CALLED"}


@pytest.mark.parametrize(
    ("regulation", "states", "steps", "found"),
    [
        (DCE_141_2000, 282, 2504, set()),
        (DSEF_56_2004, 282, 2504, TOTALS),
        (DSEF_42_2007, 306, 2640, TOTALS),
        (DSEF_57_2009, 306, 2640, TOTALS),
    ],
    ids=["141/2000", "56/2004", "42/2007", "57/2009"],
)
def test_all_that_the_bank_can_come_to_under_each_version(
    regulation: BlackJackRegulation, states: int, steps: int, found: set[str]
) -> None:
    assert of_the_bank(rules(regulation, recorded=["totals"])) == (
        states,
        steps,
        {"BANK_SURPLUS_CARD", "BANK_DID_NOT_DRAW", "HOLE_CARD_NOT_OPENED"} | found,
    )


def test_all_that_the_hidden_card_can_come_to() -> None:
    """Until the bank looks, whether play began matters where it may have to: with no card, an ace or a ten, and of two with
    Black Jack, perhaps that, or any others; not behind another card, which makes none whatever comes, or one not named: alone,
    and of two perhaps Black Jack. 2 * 6 + 3. Of 3 ends of a look each has no card, an ace, a ten, one not named, and of two Black
    Jack, perhaps that, or any others."""
    law = rules(recorded=["totals"], deal_procedure="3")
    assert of_the_hole_card(law) == (2 * 6 + 3 + 3 * 7, 162, {"HOLE_NOT_CHECKED", "HOLE_CHECK_WRONG"})


@pytest.mark.parametrize("face", [UP, DOWN])
def test_art10_n1_a_look_is_not_believed_beside_a_card_that_makes_no_black_jack(face: str) -> None:
    """Whether or not the log names the bank's open card, and before its hidden one is shown as well."""
    law = rules(deal_procedure="3")
    symbols = (Dealt(Card("?"), UP), Dealt(Card("5"), face), Looked("natural"))
    state = reduce(lambda state, symbol: state.step(symbol, law)[0], symbols, NEW_BANK)
    (found,) = judge_bank(BankHistory(Awaited.HAND, symbols), law).breaches
    assert found.code == "HOLE_CHECK_WRONG"
    assert state.judgement(Awaited.HAND, law) is None
    assert state.so_far(Awaited.HAND, law).outcome == NO_NATURAL


@pytest.mark.parametrize("version", VERSIONS)
def test_where_no_look_is_due_one_may_still_be_wrong(version: str) -> None:
    """By default the bank's second card is not hidden, whatever the version."""
    assert of_the_hole_card(rules(VERSIONS[version])) == (2 * 6 + 3 + 3 * 7, 162, {"HOLE_CHECK_WRONG"})


@pytest.mark.parametrize(
    ("version", "states", "steps"),
    [
        ("141/2000", 742, 47141),
        pytest.param("56/2004", 742, 47141, marks=pytest.mark.prove),
        pytest.param("42/2007", 814, 51179, marks=pytest.mark.prove),
        ("57/2009", 814, 51179),
    ],
)
def test_all_that_the_bank_comes_to_without_a_violation(version: str, states: int, steps: int) -> None:
    """Besides so many states, each with one of the cards lying face down that may still be turned: of ten ranks, or not named;
    but none of the three ends of a look behind no card, and behind one alone that was never named."""
    law = rules(VERSIONS[version], recorded=["totals"])
    symbols: list[BankSymbol] = [Dealt(Card(rank), face) for rank in RANKS for face in (UP, DOWN)]
    symbols += [Turned(Card(rank)) for rank in RANKS[:-1]]
    symbols += [Looked("natural"), Looked("none"), PlayBegan(), Burned(DOWN)]

    def after(bank: BankState) -> Iterator[tuple[BankState, Violations]]:
        hand = bank.hand
        for symbol in (*symbols, Called(hand.hard), Called(hand.best), Called(99)):
            following = bank.after(symbol, law)
            if following is not None:
                yield following, ()

    assert reached([NEW_BANK], after)[:2] == (states * (1 + len(RANKS)) - 2 * 3, steps)


def test_a_state_keeps_of_the_cards_what_their_points_are() -> None:
    """Whatever the cards and their order, against points counted from the cards themselves."""
    law = rules(recorded=["totals"])
    for first in RANKS[:-1]:
        for second in RANKS[:-1]:
            for third in RANKS[:-1]:
                ranks = first + second + third
                hand = NEW_BANK.hand.dealt(first).dealt(second).dealt(third)
                assert (hand.hard, hand.best) == (hard_points(ranks), best_points(ranks))
    assert law.regulation.drawing.bank_points(NEW_BANK.hand.dealt("A").dealt("6"), law) == 17


def test_art6_two_cards_count_as_any_others_of_their_points_but_black_jack_and_an_ace_and_a_six() -> None:
    """What a rule asks of the number of cards is whether they are Black Jack (art. 10(1)) or the soft 17 of 6(6)."""
    new = NEW_BANK.hand
    for first in RANKS[:-1]:
        for second in RANKS[:-1]:
            hand = new.dealt(first).dealt(second)
            assert (hand.cards == 2) == ({first, second} in ({"A", "T"}, {"A", "6"}))
            assert (hand.natural, hand.ace_and_six) == ({first, second} == {"A", "T"}, {first, second} == {"A", "6"})
    assert new.dealt("A").dealt("2") == new.dealt("A").dealt("A").dealt("A")
    assert new.dealt("A").dealt("T").dealt("9") == new.dealt("T").dealt("T")  # above 11 an ace is one
    assert new.dealt("A").dealt("6").dealt("T") != new.dealt("7").dealt("T")  # BJ-3: a 17 that has an ace and a six
