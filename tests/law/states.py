"""A seat's state after what law tests tell of it, in the words of :mod:`replayer.contract.game`."""

from __future__ import annotations

from functools import reduce
from typing import Any, TypeVar

from replayer.contract.game import Game
from replayer.contract.machine import FirstCardsState, SeatState
from replayer.contract.rules import AnyRules
from tests.law.notation import read_seat

State = TypeVar("State", bound=FirstCardsState)


def state_after(game: Game, history: str, rules: AnyRules) -> SeatState:
    """The state of a seat after its history."""
    upcard, *words = history.split()
    state: SeatState = game.seat.new.faces(upcard)
    for symbol in map(read_seat, words):
        state, _ = state.step(symbol, rules)
    return state


def open_to(game: Game, history: str, hand: int, rules: AnyRules) -> frozenset[str]:
    """The decisions open to a hand after its seat's history."""
    return state_after(game, history, rules).open(hand, rules)


def first_cards_after(cards: State, words: str) -> State:
    """First cards after the words of a seat's history, but for the first one."""
    return reduce(type(cards).after, map(read_seat, words.split()), cards)


def first_cards_of(game: Game, words: str) -> Any:
    """What became of a seat's first cards, whatever became of them, by the words of its history but for the first one."""
    assert game.first_cards.fold is not None
    cards = game.first_cards.fold()
    cards.follow_all(map(read_seat, words.split()))
    return cards.outcome()
