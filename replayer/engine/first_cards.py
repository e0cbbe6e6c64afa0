"""The first cards of seats with wagers on them, followed through a table of transitions that the game's own steps fill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from replayer.engine.automaton import SYMBOLS, TRANSITIONS, Transitions
from replayer.engine.numbered import Numbered
from replayer.engine.stories import Stories, seat_key
from replayer.game import FirstCardsOutcome, FirstCardsState, Game
from replayer.symbols import Dealt, Removed, SeatSymbol, Turned
from schemas.cards import UNKNOWN

_TRANSITIONS: Final[dict[str, Transitions[FirstCardsState]]] = {}
"""By game. No rule is asked: one table does for all."""


def _after(cards: FirstCardsState, symbol: SeatSymbol) -> FirstCardsState:
    return cards.after(symbol)


def _transitions_of(game: Game) -> Transitions[FirstCardsState]:
    known = _TRANSITIONS.get(game.name)
    if known is not None and known.size <= TRANSITIONS and len(known.alphabet.all) <= SYMBOLS:
        return known
    if known is not None:
        known.forget()
    made = _TRANSITIONS[game.name] = Transitions(_after, Numbered())
    return made


class FirstCards:
    """What becomes of the first cards of seats, given by their keys (:func:`replayer.engine.stories.seat_key`)."""

    def __init__(self, stories: Stories, keys: pl.Series, game: Game) -> None:
        self._new: FirstCardsState | None = game.new_first_cards
        self._transitions = _transitions_of(game)
        self._told = stories.seat_numbers(keys.unique(), self._transitions.alphabet, game)
        symbols = list(enumerate(self._transitions.alphabet.all))
        self._removals = {number for number, symbol in symbols if isinstance(symbol, Removed)}
        self._turns = {number for number, symbol in symbols if isinstance(symbol, Turned)}
        self._unnamed = {
            number for number, symbol in symbols if isinstance(symbol, Dealt | Turned) and symbol.card == UNKNOWN
        }

    def of(self, ri: int, seat: int, until: int | None = None) -> FirstCardsOutcome:
        """What became of a seat's first cards; of those before the sequence number ``until``, where it is given.

        Raises:
            ValueError: the game has no wagers on first cards.
        """
        if self._new is None:
            raise ValueError("the game has no wagers on first cards")
        seqs, symbols = self._told.get(seat_key(ri, seat), ([], []))
        begin = self._new.certain() if self._is_certain(symbols) else self._new
        if until is not None:
            symbols = [symbol for seq, symbol in zip(seqs, symbols, strict=True) if seq < until]
        return self._transitions.node(begin).after(symbols).state.became()

    def _is_certain(self, symbols: Sequence[int]) -> bool:
        if not self._removals.isdisjoint(symbols):
            return False
        return self._turns.isdisjoint(symbols) or self._unnamed.isdisjoint(symbols)
