"""A table of transitions as an array: thousands of histories are followed through it at once, symbol by symbol."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Final, Generic, NamedTuple, TypeVar

import numpy as np

from replayer.engine.distinct_values import Numbers

CELLS: Final = 1 << 23
"""The most cells of the table, 32 MB: where no room is left for a state, transitions to it lead to :data:`NOWHERE`."""
NOWHERE: Final = 0
"""The number of the dead state: no symbol leads out of it, and it has no verdict."""
_UNKNOWN: Final = -1
_COLUMNS: Final = 32
"""Columns added at a time."""
_FEW: Final = 8
"""Up to so many histories it is faster to follow each singly."""

State = TypeVar("State", bound=Hashable)


class Symbols(NamedTuple):
    """The symbols of histories, concatenated, by their numbers in an alphabet, and where each history begins."""

    numbers: Numbers
    begins: Numbers
    lengths: Numbers

    def of(self, rows: Numbers) -> Symbols:
        """The symbols of some of the histories."""
        return self._replace(begins=self.begins[rows], lengths=self.lengths[rows])


class Transitions(Generic[State]):
    """Distinct states by number, and their transitions: a row per state, a column per symbol."""

    def __init__(self) -> None:
        self.states: list[State | None] = [None]
        self.size = 0
        """The number of transitions held."""
        self._numbers: dict[State, int] = {}
        self._next = np.full((64, _COLUMNS), _UNKNOWN, np.int32)
        self._next[NOWHERE] = NOWHERE

    def number(self, state: State) -> int:
        """The number of a state; :data:`NOWHERE` where there is no room for a new one."""
        number = self._numbers.get(state)
        if number is None:
            if len(self.states) == len(self._next):
                if self.is_full:
                    return NOWHERE
                self._widen(rows=len(self._next))
            number = self._numbers[state] = len(self.states)
            self.states.append(state)
        return number

    @property
    def is_full(self) -> bool:
        """Whether there is no room for a further state."""
        rows, columns = self._next.shape
        return len(self.states) == rows and 2 * rows * columns > CELLS

    def has_room(self, symbols: int) -> bool:
        """Whether so many symbols fit, after widening the table if needed."""
        rows, columns = self._next.shape
        missing = -(-max(0, symbols - columns) // _COLUMNS) * _COLUMNS
        if rows * (columns + missing) > CELLS:
            return False
        if missing:
            self._widen(columns=missing)
        return True

    def keep(self, count: int) -> None:
        """Keep only the first states, ``count`` with the dead one, and the transitions between them. Those to the dead one go as
        well: some of them only had no room for their state."""
        self._numbers = {state: number for state, number in self._numbers.items() if number < count}
        del self.states[count:]
        self._next[count:] = _UNKNOWN
        self._next[(self._next >= count) | (self._next == NOWHERE)] = _UNKNOWN
        self._next[NOWHERE] = NOWHERE
        self.size = int(np.count_nonzero(self._next[NOWHERE + 1 :] >= 0))

    def _widen(self, rows: int = 0, columns: int = 0) -> None:
        before = self._next
        self._next = np.full((len(before) + rows, before.shape[1] + columns), _UNKNOWN, np.int32)
        self._next[: len(before), : before.shape[1]] = before
        self._next[NOWHERE] = NOWHERE

    def known(self, state: int, symbol: int) -> int:
        """The next state; negative where the transition is not held."""
        return self._next.item(state, symbol)

    def hold(self, state: int, symbol: int, after: int) -> None:
        """Hold a transition."""
        self._next[state, symbol] = after
        self.size += 1

    def drop(self, state: int, symbol: int) -> None:
        """Drop a transition."""
        self._next[state, symbol] = _UNKNOWN
        self.size -= 1

    def end(self, state: int, symbols: Iterable[int], missing: Callable[[int, int], int]) -> int:
        """The final state of a history; ``missing`` gives the transitions that are not held, by state and symbol."""
        for symbol in symbols:
            after = self._next.item(state, symbol)
            state = missing(state, symbol) if after < 0 else after
        return state

    def ends(
        self, starts: Numbers, members: Numbers, histories: Symbols, missing: Callable[[int, int, int], int]
    ) -> Numbers:
        """The final states of histories; ``missing`` gives the transitions that are not held, by the numbers of the history's
        member, of the state and of the symbol.

        Follows all histories in step, dropping those that are over, and the few longest ones singly at the end.
        """
        order = np.argsort(-histories.lengths, kind="stable")
        lengths, at, states = histories.lengths[order], histories.begins[order], starts[order]
        members = members[order]
        longest = int(lengths[0]) if len(lengths) else 0
        under_way = len(lengths) - np.searchsorted(lengths[::-1], np.arange(longest), side="right")
        in_step = int(np.count_nonzero(under_way > _FEW))
        for done, many in enumerate(under_way[:in_step].tolist()):
            states[:many] = self._after(states[:many], members[:many], histories.numbers[at[:many] + done], missing)
        for row in range(int(under_way[in_step]) if in_step < longest else 0):
            symbols = histories.numbers[at[row] + in_step : at[row] + lengths[row]].tolist()
            states[row] = self.end(int(states[row]), symbols, partial(missing, int(members[row])))
        ended = np.empty_like(states)
        ended[order] = states
        return ended

    def _after(
        self, states: Numbers, members: Numbers, symbols: Numbers, missing: Callable[[int, int, int], int]
    ) -> Numbers:
        cells = states * self._next.shape[1] + symbols
        after = self._next.ravel().take(cells)
        unknown = np.flatnonzero(after < 0)
        if len(unknown):
            missed = cells[unknown] * (int(np.max(members)) + 1) + members[unknown]
            _, first, same = np.unique(missed, return_index=True, return_inverse=True)
            rows = unknown[first]
            parts = zip(*(column[rows].tolist() for column in (members, states, symbols)), strict=True)
            after[unknown] = np.array([missing(*each) for each in parts], after.dtype)[same]
        return after
