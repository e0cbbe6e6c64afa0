"""The machines of the shoe and of its burned cards: all that they can come to is counted, and reaches every code they give."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from replayer.contract.machine import Violation
from replayer.contract.symbols import FoundShoe
from replayer.law.black_jack.rules import Rules
from replayer.law.black_jack.shoe import BurnedCards, Second, Shoe
from tests.law.reachable import Reached, reached
from tests.law.rules import VERSIONS, rules


def of_the_shoe(law: Rules) -> Reached:
    def after(shoe: Shoe) -> Iterator[tuple[Shoe, tuple[Violation, ...]]]:
        for method in ("hand", "riffle"):
            for decks in (6, 1):
                yield shoe.is_shuffled(method, decks, law)
        for behind in (29, 30, 31):
            yield shoe.takes_white_card(behind), ()
        for following in (shoe.is_cut(), shoe.gives_white_card(), shoe.goes_on()):
            yield following, ()
        yield shoe.deals(law)

    def at_end(shoe: Shoe) -> Iterator[Violation]:
        after_the_round = law.regulation.shuffling.after_the_round
        yield from after_the_round(shoe, law, interrupted=False)
        assert "SHUFFLE_DURING_ROUND" not in {found.code for found in after_the_round(shoe, law, interrupted=True)}

    return reached([Shoe(found) for found in FoundShoe], after, at_end)


def of_the_burned_cards(law: Rules) -> Reached:
    def after(burned: BurnedCards) -> Iterator[tuple[BurnedCards, tuple[Violation, ...]]]:
        for decks in (6, 1):
            yield burned.is_shuffled(decks), ()
        for seen in (True, False):
            yield burned.burns(law, seen=seen), ()
        yield burned.deals(law)
        if burned.dealt and burned.second is Second.NOT_DEALT:
            yield burned.deals_second(), ()

    def at_end(burned: BurnedCards) -> Iterator[Violation]:
        yield from law.regulation.burns.before_the_second_card(burned, law) if burned.dealt else ()

    return reached([BurnedCards(), BurnedCards(unshuffled=True)], after, at_end)


SHUFFLED = {"SHUFFLE_NOT_SEEN", "SHUFFLE_OTHERWISE", "SHUFFLE_DURING_ROUND", "DECKS_NOT_ELECTED"}
CUT = {"CUT_MISSING", "WHITE_CARD_MISSING", "WHITE_CARD_SURPLUS", "ROUND_AFTER_WHITE_CARD"}
DEEP, SHALLOW = "WHITE_CARD_TOO_DEEP", "WHITE_CARD_TOO_SHALLOW"


@pytest.mark.parametrize("version", VERSIONS)
def test_all_that_a_shoe_can_come_to_under_each_version(version: str) -> None:
    """It is found in one of 4 ways, and was not shuffled by hand, or was, cut or not: six decks (no second white card, one at one
    of 3 depths, or more) or one (none, or some): 1 + 2 * (5 + 2). Before the first card the white card is out or not, unless the
    shoe was found so. In the round, where that it was found so matters no more, the shoe is the one that it began with, or one
    that was shuffled: still to be dealt from, and the round went on or not, or being dealt: (3 * 2 + 1) * 15 + 3 * (15 + 15 * 3).

    The steps from a shoe that is ready for its first card: to itself, to that card, to 3 shuffles (which 3 of the states are
    themselves), 14 with white cards (of six decks from none to 3 depths and from each of these to more, of one from none to some;
    cut or not), 7 with a cut: 93; and 15 to the white card's coming out. Where it is out, a shuffle leads to none of these
    states: 96. Of one that is dealt from: to itself, to 3 shuffles, 6 to more white cards: 66 + 66. Of one to be dealt from in
    the round: as before the first card, and to a decision where there was none: 108 + 93."""
    steps = 3 * (93 + 15 + 96) + 93 + 3 * (66 + 66 + 108 + 93)
    assert of_the_shoe(rules(VERSIONS[version])) == (7 * 15 + 3 * (15 + 15 * 3), steps, SHUFFLED | CUT | {DEEP})


def test_all_that_readings_and_another_device_bring() -> None:
    shallow = rules(readings={"BJ-25": "within_last_30"})
    assert of_the_shoe(shallow).codes == SHUFFLED | CUT | {SHALLOW}
    assert of_the_shoe(rules(device="auto")).codes == SHUFFLED | CUT - {"ROUND_AFTER_WHITE_CARD"} | {DEEP}
    box = of_the_shoe(rules(device="box", decks="1", deal_procedure="1"))
    assert box.codes == {"SHUFFLE_MISSING"} | SHUFFLED - {"SHUFFLE_NOT_SEEN"} | CUT - {"ROUND_AFTER_WHITE_CARD"} | {
        DEEP
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_all_that_the_burned_cards_can_come_to_under_each_version(version: str) -> None:
    """Before the first card as many as decks and one more count: 8, 8 and 3 for none shuffled, six decks and one; none shuffled
    have no shuffle on the log, or one: 2 * 8 + 8 + 3. After it the bank has no second card and none was burned, or one was burned
    before it, or it came without one; in the last two none, one or two were unseen: 7. The log has a shuffle of an earlier round,
    or one of this, or none, asked in 4 ways: none burned yet, or the second card without one. And no shoe is to be dealt from,
    or one of six decks or of one, with none to all of the cards burned that it calls for: 1 + 7 + 2. So (2 * 7 + 4) * 10.

    The steps before the first card: two shuffles, a burn, a deal. After it, no shoe to be dealt from: two shuffles and no change
    from each of 7, 6 by a burn, one by the second card: 28. One that calls for more cards, 7 ways: two shuffles, a burn, a deal
    from each of 7, and one: 29. One that calls for none, 2 ways: two shuffles and a deal from each of 7, no change from 6 by a
    card seen, 6 and one as before: 34. From 4 ways instead of 7, 4 lead on by a burn, one by the second card, a card seen does
    not change 3: 17, 17 and 20."""
    steps = (2 * 8 + 8 + 3) * 4 + 2 * (28 + 7 * 29 + 2 * 34) + 17 + 7 * 17 + 2 * 20
    states = 2 * 8 + 8 + 3 + (2 * 7 + 4) * 10
    assert of_the_burned_cards(rules(VERSIONS[version])) == (states, steps, {"BURN_MISSING", "BURN_SURPLUS"})
