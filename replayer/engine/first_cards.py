"""Follows the first cards of seats with wagers on them: all in step, through a table of transitions that the game's own steps
fill; or event by event, where a card was removed or named late, in very long rounds, and up to a given event.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from replayer.contract.game import Game
from replayer.contract.machine import FirstCardsFold, FirstCardsState
from replayer.contract.outcomes import FirstCardsOutcome
from replayer.contract.symbols import Dealt, Removed, SeatSymbol, Turned
from replayer.engine.automaton import TRANSITIONS
from replayer.engine.distinct_values import Numbered, Numbers
from replayer.engine.histories import Histories, seat_key
from replayer.engine.transitions import Symbols, Transitions
from schemas.cards import SUITS

_TABULATED: Final = 200
"""Seats with more events are followed singly: where hands are separated the states grow with each."""


class _Table:
    """States of first cards, their transitions and outcomes. These depend on no rules: one table serves all tables of a game."""

    def __init__(self) -> None:
        self.alphabet: Numbered[SeatSymbol] = Numbered()
        self.transitions: Transitions[FirstCardsState] = Transitions()
        self._outcomes: dict[int, FirstCardsOutcome] = {}

    def ends(self, new: FirstCardsState, histories: Symbols) -> Numbers:
        """The numbers of the final states of histories; zero where there is no room for a state."""
        starts = np.full(len(histories.begins), self.transitions.number(new), np.int64)
        return self.transitions.ends(starts, np.zeros_like(starts), histories, self._after)

    def _after(self, _: int, number: int, symbol: int) -> int:
        state = self.transitions.states[number]
        after = 0 if state is None else self.transitions.number(state.after(self.alphabet.all[symbol]))
        self.transitions.hold(number, symbol, after)
        return after

    def outcome(self, number: int) -> FirstCardsOutcome:
        """The outcome of a numbered state."""
        known = self._outcomes.get(number)
        if known is None:
            state = self.transitions.states[number]
            assert state is not None  # noqa: S101 - zero is no number of a state
            known = self._outcomes[number] = state.outcome()
        return known


_TABLES: Final[dict[str, _Table]] = {}
"""By game."""


class FirstCards:
    """The outcomes of the first cards of seats, given by their keys (:func:`replayer.engine.histories.seat_key`)."""

    def __init__(self, histories: Histories, keys: pl.Series, game: Game) -> None:
        self._law = game.first_cards
        self._histories = histories
        self._game = game
        self._keys = keys.unique().sort()
        self._followed: dict[int, _Followed] = {}

    @cached_property
    def _table(self) -> _Table:
        known = _TABLES.get(self._game.name)
        if known is None or known.transitions.is_full or known.transitions.size > TRANSITIONS:
            known = _TABLES[self._game.name] = _Table()
        return known

    @cached_property
    def _symbols(self) -> tuple[Symbols, Numbers]:
        """The symbols of the seats, with suits, and their sequence numbers."""
        return self._histories.with_suits(self._keys, self._table.alphabet, self._game)

    @cached_property
    def _ends(self) -> dict[int, int]:
        """By key the number of the final state, for seats that the table covers."""
        if self._law is None or self._keys.is_empty():
            return {}
        symbols, _ = self._symbols
        regular = np.flatnonzero(self._are_regular(symbols))
        if not self._table.transitions.has_room(len(self._table.alphabet.all)):
            return {}
        ends = self._table.ends(self._law.new, symbols.of(regular))
        reached = zip(self._keys.to_numpy()[regular].tolist(), ends.tolist(), strict=True)
        return {key: end for key, end in reached if end}

    def _are_regular(self, symbols: Symbols) -> NDArray[np.bool]:
        """For each seat whether the table covers it: no card was removed, and none turned that was unnamed when dealt."""
        known = list(enumerate(self._table.alphabet.all))
        removals = [number for number, symbol in known if isinstance(symbol, Removed)]
        turns = [number for number, symbol in known if isinstance(symbol, Turned)]
        unnamed = [
            number for number, symbol in known if isinstance(symbol, Dealt | Turned) and symbol.card.suit not in SUITS
        ]
        of_seat = np.repeat(np.arange(len(symbols.lengths)), symbols.lengths)

        def has(some: list[int]) -> NDArray[np.bool]:
            return np.bincount(of_seat[np.isin(symbols.numbers, some)], minlength=len(symbols.lengths)) > 0

        return ~(has(removals) | (has(turns) & has(unnamed))) & (symbols.lengths <= _TABULATED)

    def of(self, ri: int, seat: int, until: int | None = None) -> FirstCardsOutcome:
        """The outcome of a seat's first cards; before the sequence number ``until``, where that is given. Repeated calls for one
        seat should come in the order of the log: each event is then followed once.

        Raises:
            ValueError: the game has no wagers on first cards.
        """
        if self._law is None:
            raise ValueError("the game has no wagers on first cards")
        key = seat_key(ri, seat)
        end = self._ends.get(key) if until is None else None
        if end is not None:
            return self._table.outcome(end)
        row = int(self._keys.search_sorted(key))
        symbols, seqs = self._symbols
        begin, length = int(symbols.begins[row]), int(symbols.lengths[row])
        count = length if until is None else bisect_left(seqs, until, begin, begin + length) - begin
        followed = self._followed.get(key)
        if followed is None or followed.count > count:
            fold = self._law.fold()
            followed = self._followed[key] = _Followed(fold, fold.outcome())
        if followed.count < count:
            numbers = symbols.numbers[begin + followed.count : begin + count].tolist()
            followed.fold.follow_all([self._table.alphabet.all[number] for number in numbers])
            followed.count, followed.outcome = count, followed.fold.outcome()
        return followed.outcome


@dataclass(slots=True)
class _Followed:
    """A seat's first cards after ``count`` of its symbols, followed singly."""

    fold: FirstCardsFold
    outcome: FirstCardsOutcome
    count: int = 0
