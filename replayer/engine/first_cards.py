"""Follows the first cards of seats with wagers on them: through a table of transitions that the game's own steps fill, or event
by event where a card is taken back or told late and in very long rounds."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import reduce
from operator import getitem
from typing import Final, TypeAlias

import polars as pl

from replayer.engine.histories import Histories, seat_key
from replayer.engine.numbered import Numbered
from replayer.game import Game
from replayer.outcomes import FirstCardsOutcome
from replayer.states import FirstCardsFold, FirstCardsState
from replayer.symbols import Dealt, Removed, SeatSymbol, Turned
from schemas.cards import SUITS

TRANSITIONS: Final = 60_000
"""How many transitions are held before they start anew."""
_TABULATED: Final = 200
"""Events at a seat from which on it is followed by itself: the states of one that is split again and again grow with it."""


class _Node(dict[int, "_Node"]):
    """A state, with the nodes that symbols lead to so far, by their numbers."""

    __slots__ = ("_transitions", "became", "state")

    def __init__(self, transitions: _Transitions, state: FirstCardsState) -> None:
        self.state = state
        self.became = state.became()
        self._transitions = transitions

    def __missing__(self, symbol: int) -> _Node:
        after = self[symbol] = self._transitions.step(self.state, symbol)
        return after

    def after(self, symbols: Sequence[int]) -> _Node:
        """Where symbols lead to, one after the other."""
        return reduce(getitem, symbols, self)


class _Transitions:
    """States of first cards, each one once, and the numbers of the symbols that lead from one to another. No rule is asked: one
    does for all tables of a game."""

    def __init__(self) -> None:
        self.alphabet: Numbered[SeatSymbol] = Numbered()
        self.size = 0
        self._nodes: dict[FirstCardsState, _Node] = {}

    def node(self, state: FirstCardsState) -> _Node:
        """That of a state."""
        node = self._nodes.get(state)
        if node is None:
            node = self._nodes[state] = _Node(self, state)
        return node

    def step(self, state: FirstCardsState, symbol: int) -> _Node:
        """The node that a symbol leads to."""
        self.size += 1
        return self.node(state.after(self.alphabet.all[symbol]))

    def forget(self) -> None:
        """Let go of all states: they lead to each other in circles."""
        for node in self._nodes.values():
            node.clear()


_TRANSITIONS: Final[dict[str, _Transitions]] = {}
"""By game."""


def _transitions_of(game: Game) -> _Transitions:
    known = _TRANSITIONS.get(game.name)
    if known is not None and known.size <= TRANSITIONS and len(known.alphabet.all) <= TRANSITIONS:
        return known
    if known is not None:
        known.forget()
    made = _TRANSITIONS[game.name] = _Transitions()
    return made


class FirstCards:
    """What becomes of the first cards of seats, given by their keys (:func:`replayer.engine.histories.seat_key`)."""

    def __init__(self, histories: Histories, keys: pl.Series, game: Game) -> None:
        self._game = game
        self._transitions = _transitions_of(game)
        known = not keys.is_empty()
        self._numbered = histories.seat_numbers(keys.unique(), self._transitions.alphabet, game) if known else {}
        self._followed: dict[int, _Followed] = {}
        symbols = list(enumerate(self._transitions.alphabet.all))
        self._removals = {number for number, symbol in symbols if isinstance(symbol, Removed)}
        self._turns = {number for number, symbol in symbols if isinstance(symbol, Turned)}
        self._untold = {
            number for number, symbol in symbols if isinstance(symbol, Dealt | Turned) and symbol.card.suit not in SUITS
        }

    def of(self, ri: int, seat: int, until: int | None = None) -> FirstCardsOutcome:
        """What became of a seat's first cards; of those before the sequence number ``until``, where it is given. Who asks of one
        seat again and again asks in the order of the log: each event is then followed once.

        Raises:
            ValueError: the game has no wagers on first cards.
        """
        key = seat_key(ri, seat)
        seqs, symbols = self._numbered.get(key, ((), ()))
        count = len(seqs) if until is None else bisect_left(seqs, until)
        followed = self._followed.get(key)
        if followed is None or followed.count > count:
            followed = self._followed[key] = _Followed(self._begins(symbols))
        return followed.after(symbols, count)

    def _begins(self, symbols: Sequence[int]) -> _FirstCards:
        law = self._game.first_cards
        if law is None:
            raise ValueError("the game has no wagers on first cards")
        if len(symbols) <= _TABULATED and self._is_certain(symbols):
            return _ByTable(self._transitions.node(law.new))
        return _BySteps(law.fold(), self._transitions.alphabet)

    def _is_certain(self, symbols: Sequence[int]) -> bool:
        if not self._removals.isdisjoint(symbols):
            return False
        return self._turns.isdisjoint(symbols) or self._untold.isdisjoint(symbols)


class _ByTable:
    """Through a table of transitions."""

    def __init__(self, node: _Node) -> None:
        self._node = node

    def follow(self, symbols: Sequence[int]) -> None:
        self._node = self._node.after(symbols)

    def became(self) -> FirstCardsOutcome:
        return self._node.became


class _BySteps:
    """By what the game makes of each event; nothing is kept for other seats."""

    def __init__(self, fold: FirstCardsFold, alphabet: Numbered[SeatSymbol]) -> None:
        self._fold = fold
        self._alphabet = alphabet

    def follow(self, symbols: Sequence[int]) -> None:
        for symbol in symbols:
            self._fold.follow(self._alphabet.all[symbol])

    def became(self) -> FirstCardsOutcome:
        return self._fold.became()


_FirstCards: TypeAlias = _ByTable | _BySteps


class _Followed:
    """A seat's first cards after ``count`` of its symbols."""

    def __init__(self, cards: _FirstCards) -> None:
        self.count = 0
        self._cards = cards
        self._became: FirstCardsOutcome | None = None

    def after(self, symbols: Sequence[int], count: int) -> FirstCardsOutcome:
        """What became of them after so many, not fewer than before."""
        if self._became is None or count > self.count:
            self._cards.follow(symbols[self.count : count])
            self._became = self._cards.became()
            self.count = count
        return self._became
