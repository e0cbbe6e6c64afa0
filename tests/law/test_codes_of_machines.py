"""Every code that a machine's code can give is reached where all that the machine can come to is enumerated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from replayer.law.black_jack import play
from replayer.law.black_jack.bank import BankState
from replayer.law.black_jack.deal_and_play import OrderOfPlay, Passes
from replayer.law.black_jack.hand import Showing
from replayer.law.black_jack.round_state import RoundState
from replayer.law.black_jack.seat_state import SeatState
from replayer.law.black_jack.shoe import BurnedCards, Shoe
from replayer.law.black_jack.streak import Streak
from replayer.law.fortune_3_card_poker.bets import Bets
from replayer.law.fortune_3_card_poker.croupier import Croupier
from replayer.law.fortune_3_card_poker.deal import Deal
from replayer.law.fortune_3_card_poker.deal import Shoe as FortuneShoe
from replayer.law.fortune_3_card_poker.despacho_78_2008 import DSEF_78_2008
from replayer.law.fortune_3_card_poker.despacho_97_2008 import DSEF_97_2008
from replayer.law.fortune_3_card_poker.round_state import RoundState as FortuneRound
from tests.law import test_f3_machines as fortune
from tests.law.codes_given import Function, codes_given, violations
from tests.law.rules import VERSIONS, rules
from tests.law.test_bj_bank_machines import of_the_bank, of_the_hole_card
from tests.law.test_bj_deal_machine import of_the_bounds, of_the_deal, of_the_play
from tests.law.test_bj_hand_machine import of_the_showing, played_as_may_be
from tests.law.test_bj_seat_machine import with_one_hand_of_tens
from tests.law.test_bj_shoe_machine import of_the_burned_cards, of_the_shoe
from tests.law.test_bj_streak_machine import of_the_streak

RECORDED = ("totals", "stands")
HIDDEN = rules(recorded=RECORDED, deal_procedure="3")
"""The bank's second card lies face down."""
BOX = rules(device="box", decks="1", deal_procedure="1")
"""Cards come from the metal box."""
BOX_OPEN = rules(device="box", decks="1")
"""They come from it, and lie open, as no text says."""
SHALLOW = rules(readings={"BJ-25": "within_last_30"})
OLDEST, NEWEST = (rules(VERSIONS[version], recorded=RECORDED) for version in ("141/2000", "57/2009"))
FORTUNE = [rules(regulation) for regulation in (DSEF_78_2008, DSEF_97_2008)]


def _hands(law: Any) -> set[str]:
    return {*played_as_may_be(law, "AT").codes, *with_one_hand_of_tens(law, "T").codes}


MACHINES: dict[str, tuple[list[type | Function], Callable[[Any], set[str]], list[Any]]] = {
    "a seat and its hands": (
        [
            *(play.deal, play.announce, play.stake, play.decide, play.finish),
            *(SeatState.step, SeatState.grown, SeatState.unmade, SeatState.ended),
        ],
        _hands,
        [OLDEST, NEWEST, HIDDEN],
    ),
    "what lies face down": ([Showing], lambda law: {*of_the_showing(law).codes}, [NEWEST]),
    "the bank": ([BankState], lambda law: of_the_bank(law).codes | of_the_hole_card(law).codes, [NEWEST, HIDDEN]),
    "a round": (
        [RoundState, Passes, OrderOfPlay, Shoe, BurnedCards],
        lambda law: {
            code
            for of_part in (of_the_deal, of_the_play, of_the_bounds, of_the_shoe, of_the_burned_cards)
            for code in of_part(law).codes
        },
        [OLDEST, NEWEST, HIDDEN, BOX_OPEN, SHALLOW, BOX],
    ),
    "a streak": ([Streak], lambda law: of_the_streak(2, law).codes, [NEWEST]),
    "Fortune: bets": ([Bets], lambda law: fortune.of_the_bets(law).codes, FORTUNE),
    "Fortune: the croupier": ([Croupier], lambda law: fortune.of_the_croupier(law).codes, FORTUNE),
    "Fortune: a round": (
        [Deal, FortuneShoe, FortuneRound.step, FortuneRound.finish],
        lambda law: fortune.of_the_deal(law, ()).codes | fortune.of_the_shoe(law).codes,
        FORTUNE[:1],
    ),
}
"""Each machine: its steps and its end; the enumeration, and rules under which together it reaches all that they can find."""
REGULATIONS = {"black_jack": [*VERSIONS.values()], "fortune_3_card_poker": [law.regulation for law in FORTUNE]}


def _given(machine: str) -> set[str]:
    roots = MACHINES[machine][0]
    (game,) = {root.__module__.split(".")[2] for root in roots}
    return codes_given(REGULATIONS[game], *roots)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_enumeration_of_a_machine_reaches_every_code_that_it_can_give(machine: str) -> None:
    _, enumerated, laws = MACHINES[machine]
    assert set().union(*map(enumerated, laws)) == _given(machine)


BY_THE_FOLDS = {
    "BANK_CARD_ABSENT": "which cards lie there",
    "CARD_ABSENT": "which cards lie there",
    "CARD_TAKEN_AWAY": "what came between a card and its removal; in Fortune a place's bets tell it",
    "CARD_TAKEN_BACK": "what came between a card and its removal",
    "F3_PLACE": "the places of the layout",
    "F3_SECOND_HAND": "which cards lie there",
    "VOID_UNFOUNDED": "what a declaration excuses",
}
"""Violations that need what no machine holds, which the folds over whole histories give."""


def test_every_violation_of_the_law_is_of_a_machine_or_of_a_fold() -> None:
    of_machines = set().union(*map(_given, MACHINES))
    assert violations() == of_machines | BY_THE_FOLDS.keys()
