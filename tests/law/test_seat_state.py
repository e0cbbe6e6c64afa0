"""The state of a seat in the middle of its round, as one who deals asks it (``replayer.contract.machine.SeatState``)."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from replayer.contract.cards import Card
from replayer.contract.outcomes import Judgement
from replayer.contract.symbols import Dealt, Decided, Removed, SeatSymbol, Staked, Turned
from replayer.law.black_jack import GAME as BLACK_JACK
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.law.black_jack.house_rules import HOUSE_RULES
from replayer.law.black_jack.seat_fold import any_declined, follow, hands
from replayer.law.fortune_3_card_poker import GAME as FORTUNE
from replayer.law.fortune_3_card_poker.despacho_78_2008 import DSEF_78_2008
from schemas.cards import RANKS, SUITS
from tests.law.notation import judge_seat, seat_history
from tests.law.outcomes import hand
from tests.law.rules import rules
from tests.law.states import state_after

WAGERS_AND_CARDS = "$main $insurance $double +A +T +8 +8 +7 +6 +5 +3 -2 -8 =8 =18 =21"
DECISIONS = (
    ".hit .hit .stand .double .split .split .surrender/3 .surrender/7 .even_money/3 .five_card_half/7 .special_prize"
)

EVENTS = f"{WAGERS_AND_CARDS} {DECISIONS}".split()


def _outcome(recorded: Judgement[Any]) -> tuple[object, ...]:
    return recorded.outcome, recorded.awaited, recorded.unjudged


def history_of(random: Random) -> str:
    """Anything that can happen at a seat, lawful or not; a hand is dealt to and decided on once a stake or a split made it."""
    words, hands = [random.choice("AT6"), "$main", f"+{random.choice('A8')}", f"+{random.choice('AT8')}"], 1
    for _ in range(random.randrange(12)):
        number = random.randrange(hands)
        event = random.choice(EVENTS)
        stake = f"{chr(ord('a') + hands)}$split"
        before, after = ([stake] * (event == ".split" and random.random() < 0.5) for _ in range(2))
        words += [*before, event if number == 0 else chr(ord("a") + number) + event, *(after if not before else [])]
        hands = len(follow(seat_history(" ".join(words)), rules(DSEF_57_2009)).laid)
    return " ".join(words)


@pytest.mark.parametrize("regulation", [DCE_141_2000, DSEF_57_2009, HOUSE_RULES])
def test_a_seat_asked_event_by_event_is_the_seat_that_its_whole_history_makes(regulation: object) -> None:
    law, random = rules(regulation), Random(11)
    split = 0
    for _ in range(800):
        history = history_of(random)
        if any_declined(seat_history(history).symbols):  # which only what follows tells
            continue
        state = state_after(BLACK_JACK, history, law)
        assert state == follow(seat_history(history), law).state, history
        whole = judge_seat(BLACK_JACK, history, law)
        assert _outcome(state.so_far(law)) == _outcome(whole), history
        split += len(state.hands) > 1
    assert split > 30


@pytest.mark.parametrize("regulation", [DCE_141_2000, DSEF_57_2009, HOUSE_RULES])
def test_a_seats_cards_lie_where_following_its_whole_history_lays_them(regulation: object) -> None:
    law, random = rules(regulation), Random(12)
    separated = 0
    for _ in range(400):
        history = seat_history(history_of(random))
        suits = ("", *SUITS) if random.random() < 0.2 else SUITS  # a card that is not fully named as well
        suited = tuple(
            replace(symbol, card=Card(symbol.card.rank, random.choice(suits))) if isinstance(symbol, Dealt) else symbol
            for symbol in history.symbols
        )
        dealt = [symbol.card for symbol in suited if isinstance(symbol, Dealt)]
        if random.random() < 0.2:
            done = random.choice((Removed, Turned))(random.choice(dealt), 0)
            at = random.randrange(3, len(suited) + 1)
            suited = (*suited[:at], done, *suited[at:])
        history = history._replace(symbols=suited)
        laid = follow(history, law).laid
        assert hands(history, law) == [[lies.card for lies in hand.cards.values()] for hand in laid]
        separated += len(laid) > 1
    assert separated > 60


def test_what_the_bank_shows_opens_insurance_to_a_seat_that_has_its_cards() -> None:
    law = rules(DSEF_57_2009)
    before = state_after(BLACK_JACK, "? $main +9 +8", law)
    assert "insurance" not in before.open(0, law)
    assert "insurance" in before.faces("A").open(0, law)
    assert "insurance" not in before.faces("T").open(0, law)
    assert before.open(1, law) == frozenset()


def test_art9_of_fortune_an_ante_is_left_without_a_decision() -> None:
    law = rules(DSEF_78_2008)
    dealt = state_after(FORTUNE, "? $ante -9c -Td -2h", law)
    assert dealt.so_far(law).outcome == hand("folded T92")
    assert dealt.open(1, law) == frozenset()


@pytest.mark.parametrize("regulation", [DCE_141_2000, DSEF_57_2009])
def test_a_suit_makes_a_difference_to_a_seat_only_in_cards_that_may_win_a_special_prize_by_it(
    regulation: object,
) -> None:
    law, random, suited = rules(regulation), Random(3), BLACK_JACK.seat.suited
    assert suited == {*"678"}
    for _ in range(30):
        state = state_after(BLACK_JACK, history_of(random), law)
        for rank in set(RANKS) - suited:
            assert len({state.step(Dealt(Card(rank, suit)), law)[0] for suit in ("", *SUITS)}) == 1
    assert all(
        len({BLACK_JACK.seat.new.step(Dealt(Card(rank, suit)), law)[0] for suit in SUITS}) == 4 for rank in suited
    )


@pytest.mark.parametrize("regulation", [DCE_141_2000, DSEF_57_2009])
def test_what_a_seat_forgets_of_its_cards_nobody_asks_who_plays_by_the_rules(regulation: object) -> None:
    law, random = rules(regulation), Random(5)
    forgot = split = 0
    for _ in range(150):
        whole = state_after(BLACK_JACK, f"{random.choice('ATx')} $main", law)
        least = whole
        symbols: list[SeatSymbol] = [Dealt(Card(random.choice("A2678T"), random.choice(SUITS))) for _ in range(2)]
        while symbols:
            for symbol in symbols:
                whole, least = whole.step(symbol, law)[0], least.step(symbol, law)[0].lawful()
                forgot += least != whole
                assert least.so_far(law) == whole.so_far(law)
                assert [least.open(hand, law) for hand in (0, 1)] == [whole.open(hand, law) for hand in (0, 1)]
            card = Dealt(Card(random.choice("A2678T"), random.choice(SUITS)))
            match random.choice(sorted(whole.open(0, law) & {"hit", "double", "split", "stand"}) or ["stand"]):
                case "stand":
                    symbols = []
                case "split":
                    split += 1
                    other = Dealt(Card(random.choice(RANKS), "c"), hand=1)
                    symbols = [Decided("split"), Staked("split", 1), card, other]
                case "double":
                    symbols = [Decided("double"), Staked("double"), card]
                case action:
                    symbols = [Decided(action), card]
    assert forgot
    assert split
