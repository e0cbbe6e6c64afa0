"""The first cards of seats with wagers on them, followed through a table of transitions that the game's own steps fill."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, reduce
from operator import getitem
from typing import Any, Final

import polars as pl

from replayer.engine.automaton import SYMBOLS, Alphabet
from replayer.engine.stories import Stories, seat_key
from replayer.game import FirstCardsOutcome, FirstCardsState, Game
from replayer.symbols import Dealt, Removed, SeatSymbol, Turned
from schemas.cards import UNKNOWN

STATES: Final = 30_000
"""How many a table holds before it starts anew."""


class _State(dict[int, "_State"]):
    """A state of a seat's first cards and, by the number of a symbol, the one that follows."""

    def __init__(self, table: _Table, cards: FirstCardsState) -> None:
        super().__init__()
        self._table = table
        self._cards = cards

    def __missing__(self, symbol: int) -> _State:
        after = self[symbol] = self._table.state(self._cards.after(self._table.alphabet.symbols[symbol]))
        return after

    @cached_property
    def outcome(self) -> FirstCardsOutcome:
        """What became of the cards if nothing more happens at the seat."""
        return self._cards.became()


class _Table:
    """The states of one game's first cards, and the symbols on which they step. No rule is asked: one table does for all."""

    def __init__(self) -> None:
        self.alphabet: Alphabet[SeatSymbol] = Alphabet()
        self._states: dict[FirstCardsState, _State] = {}

    def state(self, cards: FirstCardsState) -> _State:
        """A state, each one once."""
        known = self._states.get(cards)
        if known is None:
            known = self._states[cards] = _State(self, cards)
        return known

    @property
    def full(self) -> bool:
        """Whether it has more states than are to be remembered."""
        return len(self._states) > STATES or len(self.alphabet.symbols) > SYMBOLS

    def forget(self) -> None:
        """Let go of the states, which lead to each other in circles."""
        for state in self._states.values():
            state.clear()


_TABLES: Final[dict[str, _Table]] = {}


class FirstCards:
    """What becomes of the first cards of seats, given by their keys (:func:`replayer.engine.stories.seat_key`)."""

    def __init__(self, stories: Stories, keys: pl.Series, game: Game) -> None:
        self._new: Any = game.new_first_cards
        table = _TABLES.get(game.name)
        if table is None or table.full:
            if table is not None:
                table.forget()
            table = _TABLES[game.name] = _Table()
        self._table = table
        self._told = stories.seat_numbers(keys.unique(), table.alphabet, game)
        symbols = list(enumerate(table.alphabet.symbols))
        self._removals = {number for number, symbol in symbols if isinstance(symbol, Removed)}
        self._turns = {number for number, symbol in symbols if isinstance(symbol, Turned)}
        self._unnamed = {
            number for number, symbol in symbols if isinstance(symbol, Dealt | Turned) and symbol.card == UNKNOWN
        }

    def of(self, ri: int, seat: int, until: int | None = None) -> FirstCardsOutcome:
        """What became of a seat's first cards; of those before the sequence number ``until``, where it is given."""
        seqs, symbols = self._told.get(seat_key(ri, seat), ([], []))
        begin = self._new.certain() if self._is_certain(symbols) else self._new
        if until is not None:
            symbols = [symbol for seq, symbol in zip(seqs, symbols, strict=True) if seq < until]
        return reduce(getitem, symbols, self._table.state(begin)).outcome

    def _is_certain(self, symbols: Sequence[int]) -> bool:
        if not self._removals.isdisjoint(symbols):
            return False
        return self._turns.isdisjoint(symbols) or self._unnamed.isdisjoint(symbols)
