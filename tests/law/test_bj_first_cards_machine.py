"""The machine of a seat's first cards: all that they can come to is enumerated and counted; what forgets cards tells the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from replayer.contract.cards import Card
from replayer.contract.machine import Violation
from replayer.contract.symbols import Decided
from replayer.contract.wagers import WagerSituation
from replayer.law.black_jack import GAME
from replayer.law.black_jack.first_cards import FIRST_CARDS, FirstCards
from replayer.law.black_jack.outcome import FirstCardsOutcome
from replayer.law.black_jack.side_wagers import FIRST_CARD_WAGERS
from schemas.cards import DECK
from tests.law.notation import cards
from tests.law.reachable import Reached, reached
from tests.law.rules import rules
from tests.law.states import first_cards_after, first_cards_of


def dealt_to(dealt: Sequence[Card], most: int) -> Reached:
    """All that a seat's first cards come to, of ``most`` hands at the most, where none of its cards is taken back."""

    def after(state: FirstCards) -> Iterator[tuple[FirstCards, tuple[Violation, ...]]]:
        for hand in range(len(state.hands)):
            for card in dealt:
                yield state.dealt(card, hand), ()
            if len(state.hands) < most:
                yield state.after(Decided("split", None, hand)), ()

    return reached([FIRST_CARDS], after)


def test_all_that_the_first_cards_of_a_seat_come_to_that_is_not_split() -> None:
    """None, one card of two suits, two in their order, a third: which it is matters behind two sevens, if it is one."""
    two_suits = cards(" ".join(DECK[:26]))
    pairs, sevens = len(two_suits) ** 2, 2 * 2
    third = (pairs - sevens) + sevens * (2 + 1)
    found = dealt_to(two_suits, 1)
    assert found.states == 1 + len(two_suits) + pairs + third == 1387
    assert (
        found.steps == len(two_suits) + pairs + 2 * third == 2070
    )  # what comes after the third one leads nowhere else


def test_all_that_the_first_cards_of_a_seat_come_to_that_is_split() -> None:
    """Of other cards than sevens only the pairs matter: a hand of a split one has its one card, a second one, or more. Of sevens
    it matters besides which hand got its next card first, and which third one lies on an unsplit pair."""
    whole, hand = 1 + 2 + 4 + 4, 1 + 2 * 2
    assert dealt_to(cards("9c 8d"), 2)[:2] == (whole + 4 * hand**2, 245) == (111, 245)
    whole, split = 1 + 2 + 4 + 4 * 2, 1 + 2 * (2 * 2) + 2 * (2 * 2) ** 2
    assert dealt_to(cards("7h 7d"), 2)[:2] == (whole + 4 * split, 365) == (179, 365)
    assert [dealt_to(cards("9c"), most)[:2] for most in (2, 3, 4)] == [(4 + 3**2, 24), (67, 179), (472, 1652)]


WORDS = ("+7h", "+7d", "+9c", "+??", "b+7h", "b+9c", ".split", "b.split", "b$split", "c$split", ".surrender/6", ".hit")
BEGINNINGS = ("", "+7h +7h", "+9c +9c", "c+7h c+7d c.split")


def test_what_forgets_the_cards_that_no_wager_turns_on_gives_the_same_dues() -> None:
    """57/2009 arts. 13 and 14, of every history of three words more, unlawful ones too."""
    law = rules(**{f"side_{name}": "on" for name in ("any_pair", "sevens", "over_under", "perfect_pair")})
    dues: dict[tuple[str, int, FirstCardsOutcome], object] = {}

    def due(kind: str, hand: int, of: FirstCardsOutcome) -> object:
        key = (kind, hand, of)
        if key not in dues:
            wager = WagerSituation(kind, hand, first_cards=of, splits=of.splits(hand) and 1)
            with law.readings.consulted() as rulings:
                settled = GAME.settlement.due(wager, law)
            dues[key] = (settled, frozenset(rulings))
        return dues[key]

    for beginning, more in product(BEGINNINGS, product(WORDS, repeat=3)):
        words = " ".join((beginning, *more))
        kept, forgot = first_cards_of(GAME, words), first_cards_after(FIRST_CARDS, words).outcome()
        for kind, hand in product(sorted(FIRST_CARD_WAGERS), (0, 1)):
            assert due(kind, hand, forgot) == due(kind, hand, kept), words


def test_art13_a_card_taken_back_leaves_no_pair_of_it_and_the_next_one_is_the_second() -> None:
    kept = first_cards_of(GAME, "+7h +7d ~7d +9c")
    assert [pairing.cards for pairing in kept.pairings] == [cards("7h 9c")]
    assert first_cards_of(GAME, "+7h +7h +2c ~7h").pairings == ()
    assert first_cards_of(GAME, "+7h +7d +2c +7s ~2c").third == Card("7", "s")


def test_art13_n2_a_third_card_that_is_not_named_may_be_a_seven() -> None:
    """BJ-39: where any third seven counts, what is paid is not known."""
    law = rules(side_sevens="on", readings={"BJ-39": "any_third"})
    for first_cards in (first_cards_of(GAME, "+7h +7d +??"), first_cards_after(FIRST_CARDS, "+7h +7d +??").outcome()):
        due = GAME.settlement.due(WagerSituation("sevens", 0, first_cards=first_cards), law)
        assert due.unjudged == "the third card is not on the log"


def test_art13_a_card_turned_up_is_named_wherever_it_counts() -> None:
    turned = first_cards_of(GAME, "-?? +7d .split +9c ^7h")
    assert [pairing.cards for pairing in turned.pairings] == [cards("7h 7d"), cards("7h 9c")]
