"""Fortune's machines: all that they can come to is enumerated and counted, and reaches every code that they can give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement
from typing import Final

import pytest

from replayer.contract.cards import UNNAMED
from replayer.contract.machine import Violation
from replayer.contract.symbols import (
    BANK,
    DOWN,
    UP,
    Burned,
    CardTo,
    Dealt,
    Decided,
    FoundShoe,
    PlayAt,
    Removed,
    RoundEvent,
    RoundStart,
    RoundSymbol,
    Staked,
    TurnedAt,
)
from replayer.law.fortune_3_card_poker.bets import NO_BETS, Bets
from replayer.law.fortune_3_card_poker.cards import NO_CARDS, ORDER, Ranks, Suits
from replayer.law.fortune_3_card_poker.croupier import Croupier
from replayer.law.fortune_3_card_poker.deal import Deal, Order, Shoe
from replayer.law.fortune_3_card_poker.despacho_78_2008 import DSEF_78_2008, FortuneRegulation
from replayer.law.fortune_3_card_poker.despacho_97_2008 import DSEF_97_2008
from replayer.law.fortune_3_card_poker.round_state import RoundState
from replayer.law.fortune_3_card_poker.rules import Rules
from replayer.law.fortune_3_card_poker.seat_state import NEW_SEAT, SeatState
from schemas.cards import SUITS
from tests.law.notation import cards
from tests.law.reachable import Reached, reached
from tests.law.rules import rules

VERSIONS: Final = pytest.mark.parametrize("regulation", [DSEF_78_2008, DSEF_97_2008], ids=["78/2008", "97/2008"])


# Cards


def test_all_that_the_ranks_of_a_hand_can_come_to() -> None:
    """Every choice of up to three ranks, some of them not named, and one state for more: 680 and 1."""

    def after(ranks: Ranks) -> Iterator[tuple[Ranks, Iterable[Violation]]]:
        for rank in (*ORDER, "?"):
            yield ranks.dealt(rank), ()
        for rank in ORDER if ranks.unnamed else ():
            yield ranks.turned(rank), ()

    named = [sum(1 for _ in combinations_with_replacement(ORDER, number)) for number in range(4)]
    assert reached([Ranks()], after).states == sum(most * (4 - number) for number, most in enumerate(named)) + 1 == 681


def test_all_that_the_suits_of_a_hand_can_come_to() -> None:
    """Up to two cards: which of four suits they have. Three: how many, or which where one is not known. One state for more."""

    def after(suits: Suits) -> Iterator[tuple[Suits, Iterable[Violation]]]:
        for suit in (*SUITS, "x"):
            yield suits.dealt(suit), ()
        for suit in SUITS if suits.unknown else ():
            yield suits.turned(suit), ()

    up_to_two = 1 + (4 + 1) + ((4 + 6) + 4 + 1)
    of_three = 2 + (4 + 6) + 4 + 1
    assert reached([Suits()], after).states == up_to_two + of_three + 1


def test_a_card_turned_is_the_card_that_it_would_have_been_if_it_had_been_dealt_named() -> None:
    for first, second, third in map(cards, ("9h Kd 9c", "Ah 2h 3c", "2s Ks 7s", "Qc Qd Qh")):
        named = NO_CARDS.dealt(first).dealt(second).dealt(third)
        for was in (UNNAMED, second.of_no_suit):
            assert NO_CARDS.dealt(first).dealt(was).dealt(third).turned(was, second) == named
            assert NO_CARDS.dealt(first).dealt(was).turned(was, second).dealt(third) == named


# The croupier: ranks and suits have their own tests, so a few cards stand for all here


def of_the_croupier(law: Rules) -> Reached:
    def after(croupier: Croupier) -> Iterator[tuple[Croupier, Iterable[Violation]]]:
        for card in cards("Qc 2d ??"):
            for face in (UP, "", DOWN):
                yield croupier.dealt(card, face, law), ()
        if croupier.cards.ranks.unnamed and not croupier.exposed:
            yield croupier._replace(cards=croupier.cards.turned(*cards("?? Qc"))), ()

    return reached([Croupier()], after, lambda croupier: croupier.finish(law, plays=True)[1])


@VERSIONS
def test_all_that_the_croupiers_hand_can_come_to(regulation: FortuneRegulation) -> None:
    for reading, states, steps in (("keep", 40, 128), ("replace", 40, 167), ("void", 41, 169)):
        law = rules(regulation, {"F3-11": reading}, recorded=["turns"])
        assert of_the_croupier(law) == (states, steps, {"F3_HAND_NOT_OPENED"})


# Bets


def of_the_bets(law: Rules) -> Reached:
    def after(bets: Bets) -> Iterator[tuple[Bets, Iterable[Violation]]]:
        for kind in ("ante", "pair_plus", "raise"):
            yield bets.step(Staked(kind), law)
        yield bets.dealt(), ()
        for action in ("raise", "fold", "hit"):
            yield bets.decides(action, law)
        yield bets.step(Removed(*cards("Qc")), law)

    return reached([NO_BETS], after, lambda bets: bets.finish(law)[1])


@VERSIONS
def test_all_that_the_bets_of_a_place_can_come_to(regulation: FortuneRegulation) -> None:
    found = {
        "F3_DECISION_FORBIDDEN",
        "F3_DECISION_MISSING",
        "F3_RAISE_EARLY",
        "F3_RAISE_MISSING",
        "F3_RAISE_UNDECIDED",
        "CARD_TAKEN_AWAY",
    }
    if regulation is DSEF_97_2008:  # 9(3): a player with both bets must raise
        found |= {"F3_FOLD_FORBIDDEN"}
    assert of_the_bets(rules(regulation)) == (271, 1038, found)


@VERSIONS
def test_all_that_a_place_can_come_to(regulation: FortuneRegulation) -> None:
    """Its bets and its cards together: no card, one to three, or more. Bets come to so many states with each number; three kinds
    of card stand for all, of which there are so many choices; more than three cards are one state."""
    law = rules(regulation)

    def after(place: SeatState) -> Iterator[tuple[SeatState, Iterable[Violation]]]:
        for card in cards("Qc 2d ??"):
            yield place.step(Dealt(card), law)
        for kind in ("ante", "pair_plus", "raise"):
            yield place.step(Staked(kind), law)
        for action in ("raise", "fold", "hit"):
            yield place.step(Decided(action), law)

    assert reached([NEW_SEAT], after)[:2] == (28 * 1 + 63 * 3 + 63 * 6 + 108 * 10 + 9 * 1, 7616)


@VERSIONS
def test_what_is_open_is_no_breach_and_what_is_not_is_one(regulation: FortuneRegulation) -> None:
    """Wherever the bets and the cards are, before anything was decided."""
    law = rules(regulation)

    def open_to(place: Bets) -> frozenset[str]:
        return regulation.play.open_to(place, law.readings)

    for bets in (("ante",), ("pair_plus",), ("ante", "pair_plus"), ()):
        for count in range(5):
            place = NO_BETS
            for kind in bets:
                place = place.placed(kind)
            for _ in range(count):
                place = place.dealt()
            for action in ("raise", "fold") if bets and count in (0, 3) else ():
                after, violations = place.decides(action, law)
                after = after.placed("raise") if action == "raise" else after
                _, more = after.finish(law)
                forbidden = {found.code for found in (*violations, *more)}
                assert (action in open_to(place)) == (not forbidden), (bets, count, action)
            if count not in (0, 3):
                assert not open_to(place)


# Order, deal, shoe


@VERSIONS
@pytest.mark.parametrize(
    ("places", "ways", "states", "steps"),
    [
        ((1,), [True], 7 + 3 + 24 + 20 + 15, 146),
        ((1,), [False], 7 + 3 + 24 + 20 + 5, 126),
        ((1,), [True, False], 2 + 2 * (5 + 3) + 24 + 20 + 9, 157),
        ((1, 2), [True], 616, 1784),
        ((1, 2), [False], 426, 1226),
        ((1, 2, 3), [True], 4967, 18592),
        ((1, 2, 3), [False], 2917, 10776),
    ],
)
def test_all_that_the_order_of_a_deal_can_come_to(
    regulation: FortuneRegulation, places: tuple[int, ...], ways: list[bool], states: int, steps: int
) -> None:
    """To one place: none to six cards in order, and three states with more. Once a card came out of order, only how many each
    hand got is asked, none to four: any number of cards, but one at least, where it came after a decision, whoever got it; at
    least one of the croupier where it was his; two of the place where it was its own, or four where three come at once, or, where
    either way is open, four, or three and one of the croupier; in order, the first two states are then those of both ways."""
    law = rules(regulation)
    turns = [law.regulation.distribution.order(places, in_turn=in_turn) for in_turn in ways]

    def after(order: Order) -> Iterator[tuple[Order, Iterable[Violation]]]:
        for place in (*places, 0):
            for late in (True, False):
                yield order.dealt(place, late=late), ()

    def at_end(order: Order) -> Iterator[Violation]:
        yield from law.regulation.irregularities.miscounted(order, law)
        yield from law.regulation.irregularities.misordered(order, law)

    found = {"F3_CARD_NUMBER", "F3_DEAL_ORDER"}
    assert reached([Order.of(*turns)], after, at_end) == (states, steps, found)


def of_the_deal(law: Rules, places: tuple[int, ...]) -> Reached:
    """A deal in which everything may happen at any time."""

    def after(deal: Deal) -> Iterator[tuple[Deal, Iterable[Violation]]]:
        for place in (*places, 0, 9):
            for seen in (True, False):
                yield deal.dealt(place, law, seen=seen)
        for place in (*places, 0):
            yield deal.turned(place, law)
        for following in (deal.failed(), deal.paid(law), deal._replace(burned=True), deal.declared_void()):
            yield following, ()
        yield deal.decides(law)

    new = Shoe(FoundShoe.FRESH)
    return reached([Deal.of(places, law)], after, lambda deal: RoundState(new, deal).finish(law)[1])


DEAL_CODES: Final = {
    "F3_BURNED",
    "F3_CARD_EXPOSED",
    "F3_CARD_NUMBER",
    "F3_DEAL_ORDER",
    "F3_HAND_NULL",
    "F3_OPENED_EARLY",
    "F3_SHUFFLER_FAILED",
    "F3_VOID_UNFOUNDED",
}


@VERSIONS
def test_all_that_a_deal_to_the_croupier_alone_can_come_to(regulation: FortuneRegulation) -> None:
    """Most where an exposed card of the croupier is replaced (F3-11): which cards then count is asked as well. It is not asked
    whether a card lay open or went to a place without a wager, nor, in a void round, whether the deal went on after a failure."""
    for reading in ("keep", "void"):
        assert of_the_deal(rules(regulation, {"F3-11": reading}), ()) == (2204, 12608, DEAL_CODES)
    assert of_the_deal(rules(regulation, {"F3-11": "replace"}), ()) == (5500, 33070, DEAL_CODES)


@pytest.mark.prove
@VERSIONS
def test_all_that_a_deal_to_one_place_can_come_to(regulation: FortuneRegulation) -> None:
    assert of_the_deal(rules(regulation), (1,)) == (28172, 200074, DEAL_CODES)


@VERSIONS
def test_all_that_a_round_with_a_wager_on_one_place_can_come_to(regulation: FortuneRegulation) -> None:
    """Of cards shuffled before, as long as nothing that happens is a violation by itself."""
    law, places = rules(regulation), (1,)
    symbols: list[RoundSymbol] = [CardTo(place, face) for place in (BANK, *places) for face in (UP, DOWN)]
    symbols += [
        TurnedAt(BANK),
        TurnedAt(1),
        PlayAt(1),
        Burned(DOWN),
        RoundEvent.PAID,
        RoundEvent.ENDED,
        RoundEvent.FAILED,
        RoundEvent.VOIDED,
    ]

    def after(state: RoundState) -> Iterator[tuple[RoundState, Iterable[Violation]]]:
        for symbol in symbols:
            following = state.after(symbol, law)
            if following is not None:
                yield following, ()

    assert reached([RoundState.new(RoundStart(places, FoundShoe.FRESH), law)], after)[:2] == (4356, 23120)


def of_the_shoe(law: Rules) -> Reached:
    def after(shoe: Shoe) -> Iterator[tuple[Shoe, Iterable[Violation]]]:
        for method in ("hand", "machine", "riffle"):
            for decks in (0, 1, 2):
                yield shoe.shuffled(method, decks, law)
        yield shoe._replace(cut=True), ()
        yield shoe.deals(law)
        for behind in (0, 20):
            yield shoe, law.regulation.shuffle.cut_card(behind)

    return reached(
        [Shoe(how) for how in (FoundShoe.USED, FoundShoe.FRESH, FoundShoe.UNSHUFFLED)],
        after,
        lambda shoe: RoundState(shoe, Deal.of((), law)).finish(law)[1],
    )


@VERSIONS
def test_all_that_the_shoe_can_come_to(regulation: FortuneRegulation) -> None:
    """Of each of 14: no card yet 4, dealt 2, shuffled again 4, dealt again 4."""
    shuffled = {"SHUFFLE_OTHERWISE", "SHUFFLE_DURING_ROUND"}
    found = {"F3_NOT_SHUFFLED", "F3_DECKS", "F3_CUT_MISSING", "F3_CUT_CARD"} | shuffled
    assert of_the_shoe(rules(regulation)) == (42, 144, found)
