"""The machines of the deal, the play and the round's bounds: all that they can come to is counted, with every code they give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

import pytest

from replayer.contract.machine import Violation
from replayer.contract.symbols import (
    BANK,
    DOWN,
    UP,
    BankLooked,
    Burned,
    CardTo,
    FoundShoe,
    PlayAt,
    RoundEvent,
    RoundStart,
    RoundSymbol,
    TurnedAt,
)
from replayer.law.black_jack.deal_and_play import BankPass, OrderOfPlay, OutOfTurn, Passes
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.law.black_jack.round_state import RoundState
from replayer.law.black_jack.rules import Rules
from tests.law.reachable import Reached, reached
from tests.law.rules import VERSIONS, rules

Step = tuple[Passes, tuple[Violation, ...]]


def of_the_deal(law: Rules, bets: frozenset[int] = frozenset({1, 2})) -> Reached:
    """With cards also at a seat without a wager, on the left of all others or not."""
    stray = max(bets) + 1

    def after(passes: Passes) -> Iterator[Step]:
        yield passes.begins(), ()
        yield passes.pays(), ()
        yield passes.is_decided(law), ()
        number = 1 if passes.bank_pass is BankPass.NOT_DEALT else 2
        for face in "+-":
            yield passes.deals_bank(number, face, law, fresh=False)
            if not passes.over:
                for seat in (*bets, stray):
                    yield passes.deals(seat, face, law, fresh=False)
        if passes.over:
            for seat in (*bets, stray):
                yield passes.plays(seat, law)

    def at_end(passes: Passes) -> Iterator[Violation]:
        yield from law.regulation.deal.after_the_round(passes.is_decided(law), law)

    return reached([Passes(bets)], after, at_end)


DEAL = {"CARD_WITHOUT_BET", "SEAT_NOT_DEALT", "DEAL_ORDER", "CARD_FACE", "PAID_DURING_DEAL"}


@pytest.mark.parametrize(
    ("version", "seats", "states", "steps"),
    [
        ("141/2000", 1, 114, 379),
        ("141/2000", 2, 468, 1849),
        ("141/2000", 3, 2119, 9586),
        pytest.param("141/2000", 4, 10546, 52673, marks=pytest.mark.prove),
        *(
            pytest.param(version, *counts, marks=[pytest.mark.prove] if counts[0] > 3 else ())
            for version in ("56/2004", "42/2007", "57/2009")
            for counts in ((1, 114, 379), (2, 428, 1671), (3, 1618, 7184), (4, 6334, 31467))
        ),
    ],
)
def test_all_that_a_deal_can_come_to(version: str, seats: int, states: int, steps: int) -> None:
    """To one seat it is the same whether or not the text says from which side (141/2000 does not)."""
    bets = frozenset(range(1, seats + 1))
    codes = DEAL | {"EXPOSED_CARD_KEPT"} if version == "141/2000" else DEAL
    assert of_the_deal(rules(VERSIONS[version]), bets) == (states, steps, codes)


def of_the_play(law: Rules) -> Reached:
    def after(play: OrderOfPlay) -> Iterator[tuple[OrderOfPlay, tuple[Violation, ...]]]:
        looked = [play.looks(law, natural=natural) for natural in (False, True)]
        for following in (play.deals_second(), play.is_decided(law), play.opens(law), *looked):
            yield following, ()
        for seat in (1, 2, 3):
            yield play.is_decided(law).plays(seat, law)

    def at_end(play: OrderOfPlay) -> Iterator[Violation]:
        yield from law.regulation.deal.after_the_play(play, law)

    return reached([OrderOfPlay()], after, at_end)


OPEN = {"DECISION_ORDER", "BANK_SECOND_CARD_EARLY"}
HIDDEN = {"DECISION_ORDER", "BANK_SECOND_CARD_LATE", "HOLE_CARD_OPENED_EARLY", "HOLE_NOT_CHECKED"}


@pytest.mark.parametrize("version", VERSIONS)
def test_all_that_play_at_three_seats_can_come_to(version: str) -> None:
    """The bank's second card comes open: it is not dealt, or dealt, and nobody played last or one of three seats; or play went on
    after it, and one of them did."""
    assert of_the_play(rules(VERSIONS[version])) == (2 * 4 + 3, 42, OPEN)


def test_all_that_play_can_come_to_where_the_second_card_is_hidden() -> None:
    """Before play it is not dealt, dealt or late; opened or not; looked at or not: 12. In play it is dealt or late; opened, not
    opened, or opened and played on; looked at before, since, or not: 18 for each of three seats. And where a look found Black
    Jack before it was opened: 3 before play; in play 2 times 2, as it was looked at before or since."""
    assert of_the_play(rules(deal_procedure="3")) == (12 + 3 + (18 + 4) * 3, 357, HIDDEN)


BOUNDS = {"CLOSE_LATE", "CLOSE_MISSING", "CARD_AFTER_END"}


def of_the_bounds(law: Rules) -> Reached:
    """The beginning and the end of a round, whatever came of its shoe, its deal and its play."""
    start = RoundState.new(RoundStart(()), law)

    def of_bounds(found: Iterable[Violation]) -> list[Violation]:
        return [each for each in found if each.code in {*BOUNDS, "DEAL_PROCEDURE_CLOSED"}]

    def after(state: RoundState) -> Iterator[tuple[RoundState, list[Violation]]]:
        for symbol in (RoundEvent.BETS_CLOSED, CardTo(BANK, UP), PlayAt(1), RoundEvent.ENDED):
            following, violations = state.step(symbol, law)
            passes = start.passes._replace(begun=following.passes.begun)
            bounds = {"closed": following.closed, "over": following.over, "added": following.added}
            yield start._replace(passes=passes, **bounds), of_bounds(violations)

    return reached([start], after, lambda state: of_bounds(state.finish(law, interrupted=False)))


@pytest.mark.parametrize("version", VERSIONS)
def test_an_interrupted_round_need_not_be_complete(version: str) -> None:
    """Of a round that was declared void, or stopped by failed equipment, only its cards and its closed bets are asked."""
    law = rules(VERSIONS[version], burn_later="round_start_and_bank_second")
    state = RoundState.new(RoundStart((1, 2)), law)
    for symbol in (RoundEvent.BETS_CLOSED, CardTo(1, DOWN), CardTo(BANK, UP), CardTo(BANK, UP), PlayAt(1)):
        state, _ = state.step(symbol, law)
    missing = {found.code for found in state.finish(law, interrupted=False)}
    assert {"SEAT_NOT_DEALT", "DEAL_ORDER", "BANK_SECOND_CARD_EARLY", "BURN_MISSING"} <= missing
    assert not state.finish(law, interrupted=True)


@pytest.mark.parametrize("version", VERSIONS)
def test_all_that_the_bounds_of_a_round_can_come_to(version: str) -> None:
    """Bets closed or not, cards dealt or not, and the round under way, over, or added to: 2 * 2 * 3."""
    assert of_the_bounds(rules(VERSIONS[version])) == (12, 32, BOUNDS)


def test_the_second_procedure_is_closed_to_the_box() -> None:
    assert "DEAL_PROCEDURE_CLOSED" in of_the_bounds(rules(device="box", decks="1")).codes


def of_the_round(law: Rules, bets: tuple[int, ...]) -> Reached:
    """A round whose cards were shuffled and cut before, as long as nothing that happens is a violation by itself."""
    symbols: list[RoundSymbol] = [CardTo(place, face) for place in (BANK, *bets) for face in (UP, DOWN)]
    symbols += [PlayAt(place, aside) for place in bets for aside in (False, True)]
    symbols += [TurnedAt(BANK), BankLooked(), Burned(DOWN), RoundEvent.BETS_CLOSED, RoundEvent.PAID, RoundEvent.ENDED]

    def after(state: RoundState) -> Iterator[tuple[RoundState, tuple[Violation, ...]]]:
        for symbol in symbols:
            following = state.after(symbol, law)
            if following is not None:
                yield following, ()

    return reached([RoundState.new(RoundStart(bets, FoundShoe.FRESH), law)], after)


@pytest.mark.parametrize("version", VERSIONS)
def test_all_that_the_machines_of_a_round_together_come_to(version: str) -> None:
    assert of_the_round(rules(VERSIONS[version]), ())[:2] == (220, 650)
    assert of_the_round(rules(VERSIONS[version]), (1,))[:2] == (3404, 10812)


@pytest.mark.prove
@pytest.mark.parametrize("version", VERSIONS)
def test_all_that_the_machines_of_a_round_of_two_seats_together_come_to(version: str) -> None:
    """141/2000 does not say from which side the deal begins."""
    counts = (16476, 59296) if version == "141/2000" else (15972, 57062)
    assert of_the_round(rules(VERSIONS[version]), (1, 2))[:2] == counts


def _by_the_whole_deal(seats: str) -> OutOfTurn | None:
    """The first card out of turn, from the whole order of the seats: from the left, twice."""
    due = sorted(set(seats)) * 2
    for number, seat in enumerate(seats):
        if number >= len(due) or seat != due[number]:
            wanted = int(due[number]) if number < len(due) else 0
            return OutOfTurn(int(seat), seats[: number + 1].count(seat), wanted)
    return OutOfTurn(0, 0, int(due[len(seats)])) if len(seats) < len(due) else None


def test_a_card_at_a_time_finds_what_the_whole_deal_shows() -> None:
    """Every order of up to seven cards at three seats, and every place of the bank's card among them where they are in order."""
    law, bets, in_order = rules(), frozenset({1, 2, 3}), 0
    for length in range(8):
        for seats in map("".join, product("123", repeat=length)):
            passes = Passes(bets)
            for seat in seats:
                passes, _ = passes.deals(int(seat), "+", law, fresh=False)
            wrong = _by_the_whole_deal(seats)
            assert passes.is_decided(law).out_of_turn == wrong, seats
            in_order += wrong is None
    assert in_order == 1 + 3 + 3 + 1  # to none, to one seat, to two, to three


@pytest.mark.parametrize(
    ("deal", "came"),
    [("12B12", BankPass.FIRST), ("1212B", BankPass.SECOND), ("B1212", BankPass.BETWEEN), ("121B2", BankPass.BETWEEN)],
)
def test_the_pass_of_the_banks_card(deal: str, came: BankPass) -> None:
    law, passes = rules(), Passes(frozenset({1, 2}))
    for place in deal:
        if place == "B":
            passes, _ = passes.deals_bank(1, "+", law, fresh=False)
        else:
            passes, _ = passes.deals(int(place), "+", law, fresh=False)
    assert passes.is_decided(law).bank_pass is came


def test_a_deal_in_order_leaves_one_state() -> None:
    """Whoever was dealt first: what was dealt, and how many passes after which the bank came, is all that a rule still asks."""
    law = rules(DCE_141_2000)
    ends = set()
    for first, second in product(("12", "21"), repeat=2):
        passes = Passes(frozenset({1, 2}))
        for seat in first + second:
            passes, _ = passes.deals(int(seat), "-", law, fresh=False)
        ends.add(passes.deals_bank(1, "+", law, fresh=False)[0].is_decided(law))
    assert len(ends) == 1
