"""Follows the first cards of seats with wagers on them: all in step, through a table of transitions that the game's own steps
fill; or event by event, where a card is taken back or told late, in very long rounds, and where those up to an event are wanted.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from replayer.engine.automaton import TRANSITIONS
from replayer.engine.histories import Histories, seat_key
from replayer.engine.numbered import Numbered
from replayer.engine.transitions import Numbers, Symbols, Transitions
from replayer.game import FirstCardsLaw, Game
from replayer.outcomes import FirstCardsOutcome
from replayer.states import FirstCardsState
from replayer.symbols import Dealt, Removed, SeatSymbol, Turned
from schemas.cards import SUITS

_TABULATED: Final = 200
"""Events at a seat from which on it is followed by itself: the states of one that is split again and again grow with it."""


class _Table:
    """States of first cards, where symbols lead from each, and what became of them. No rule is asked: one does for all tables of
    a game."""

    def __init__(self) -> None:
        self.alphabet: Numbered[SeatSymbol] = Numbered()
        self.transitions: Transitions[FirstCardsState] = Transitions()
        self._became: dict[int, FirstCardsOutcome] = {}

    def ends(self, new: FirstCardsState, histories: Symbols) -> Numbers:
        """The numbers of the states in which histories end; zero where there is no room for one."""
        starts = np.full(len(histories.begins), self.transitions.number(new), np.int64)
        return self.transitions.ends(starts, np.zeros_like(starts), histories, self._after)

    def _after(self, _: int, number: int, symbol: int) -> int:
        state = self.transitions.states[number]
        after = 0 if state is None else self.transitions.number(state.after(self.alphabet.all[symbol]))
        self.transitions.hold(number, symbol, after)
        return after

    def became(self, number: int) -> FirstCardsOutcome:
        """What became of the first cards in a state that has a number."""
        known = self._became.get(number)
        if known is None:
            state = self.transitions.states[number]
            assert state is not None  # noqa: S101 - zero is no number of a state
            known = self._became[number] = state.became()
        return known


_TABLES: Final[dict[str, _Table]] = {}
"""By game."""


class FirstCards:
    """What becomes of the first cards of seats, given by their keys (:func:`replayer.engine.histories.seat_key`)."""

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
        """What happened at the seats, with suits, and at which sequence numbers."""
        return self._histories.with_suits(self._keys, self._table.alphabet, self._game)

    @cached_property
    def _ends(self) -> dict[int, int]:
        """By key the number of the state in which the first cards end, of seats that a table tells."""
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
        """For each seat whether its states tell: no card was taken away, or turned that was not told as it was dealt."""
        known = list(enumerate(self._table.alphabet.all))
        removals = [number for number, symbol in known if isinstance(symbol, Removed)]
        turns = [number for number, symbol in known if isinstance(symbol, Turned)]
        untold = [
            number for number, symbol in known if isinstance(symbol, Dealt | Turned) and symbol.card.suit not in SUITS
        ]
        of_seat = np.repeat(np.arange(len(symbols.lengths)), symbols.lengths)

        def has(some: list[int]) -> NDArray[np.bool]:
            return np.bincount(of_seat[np.isin(symbols.numbers, some)], minlength=len(symbols.lengths)) > 0

        return ~(has(removals) | (has(turns) & has(untold))) & (symbols.lengths <= _TABULATED)

    def of(self, ri: int, seat: int, until: int | None = None) -> FirstCardsOutcome:
        """What became of a seat's first cards; of those before the sequence number ``until``, where it is given. Who asks of one
        seat again and again asks in the order of the log: each event is then followed once.

        Raises:
            ValueError: the game has no wagers on first cards.
        """
        if self._law is None:
            raise ValueError("the game has no wagers on first cards")
        key = seat_key(ri, seat)
        end = self._ends.get(key) if until is None else None
        if end is not None:
            return self._table.became(end)
        row = int(self._keys.search_sorted(key))
        symbols, seqs = self._symbols
        begin, length = int(symbols.begins[row]), int(symbols.lengths[row])
        count = length if until is None else bisect_left(seqs, until, begin, begin + length) - begin
        followed = self._followed.get(key)
        if followed is None or followed.count > count:
            followed = self._followed[key] = _Followed(self._law)
        numbers = symbols.numbers[begin + followed.count : begin + count].tolist()
        return followed.after([self._table.alphabet.all[number] for number in numbers])


class _Followed:
    """A seat's first cards after ``count`` of its symbols, by what the game makes of each."""

    def __init__(self, law: FirstCardsLaw) -> None:
        self.count = 0
        self._fold = law.fold()
        self._became = self._fold.became()

    def after(self, symbols: list[SeatSymbol]) -> FirstCardsOutcome:
        """What became of them after some more."""
        for symbol in symbols:
            self._fold.follow(symbol)
        if symbols:
            self.count += len(symbols)
            self._became = self._fold.became()
        return self._became
