"""Machines compiled into tables of transitions, which fill lazily, by the machines' own steps, as the rounds of an archive ask
for them: as RE2 makes its automaton (R. Cox, Regular Expression Matching in the Wild, 2010).

A few thousand transitions serve millions of rounds. A table gives no judgement of a round in which a rule was not kept or whose
outcome a state alone does not tell: such a round is judged by itself, from its events.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import reduce
from itertools import count
from operator import getitem
from typing import Any, Final, Generic, NamedTuple, TypeVar

from replayer.engine.numbered import Numbered, from_bytes
from replayer.engine.ruled import Ruled
from replayer.outcomes import Judgement
from replayer.rules import AnyRules
from replayer.states import Machine

TRANSITIONS: Final = 60_000
"""How many transitions and answers a table holds before it starts anew; those of a year's hands are some 30,000."""
HISTORIES: Final = 30_000
"""How many whole histories it knows again before it forgets these: some 4 MB."""
SYMBOLS: Final = 50_000
"""How many an alphabet holds before it starts anew."""

_TIMES: Final = count(1)

State = TypeVar("State", bound=Hashable)


class Node(dict[int, "Node[Any]"], Generic[State]):
    """A state, with its transitions so far by the numbers of their symbols."""

    __slots__ = ("_transitions", "state")
    __eq__ = object.__eq__
    __hash__ = object.__hash__  # type: ignore[assignment]  # there is one of each state

    def __init__(self, transitions: Transitions[State], state: State) -> None:
        self.state = state
        self._transitions = transitions

    def __missing__(self, symbol: int) -> Node[State]:
        after = self[symbol] = self._transitions.filled(self, symbol)
        return after

    def after(self, symbols: Sequence[int]) -> Node[State]:
        """Where symbols lead to, one after the other."""
        return reduce(getitem, symbols, self)


class Transitions(Generic[State]):
    """States of machines, each one once.

    Args:
        step: the state after a state and a symbol of the alphabet.
        alphabet: the symbols as small integers.
    """

    def __init__(self, step: Callable[[State, Any], State], alphabet: Numbered[Any]) -> None:
        self.alphabet = alphabet
        self.size = 0
        """How many transitions it holds."""
        self._step = step
        self._nodes: dict[State, Node[State]] = {}

    def node(self, state: State) -> Node[State]:
        """That of a state."""
        node = self._nodes.get(state)
        if node is None:
            node = self._nodes[state] = Node(self, state)
        return node

    def filled(self, node: Node[State], symbol: int) -> Node[State]:
        """The node that the symbol of a number leads to from another one, by the step."""
        self.size += 1
        after = self._step(node.state, self.alphabet.all[symbol])
        return node if after is node.state else self.node(after)

    def forget(self) -> None:
        """Let go of all states."""
        for node in self._nodes.values():  # they lead to each other in circles
            node.clear()
        self._nodes.clear()
        self.size = 0


class _Reached(NamedTuple):
    """A machine's state and the rulings that were asked on the way to it; no state where a table cannot follow it further."""

    kind: type  # tuples of different machines may be equal
    state: Machine | None
    rulings: frozenset[str]

    @classmethod
    def by(cls, state: Machine | None, rulings: frozenset[str]) -> _Reached:
        return _NOWHERE if state is None else cls(type(state), state, rulings)


_NOWHERE: Final = _Reached(type(None), None, frozenset())


class Start:
    """The states in which histories with one beginning start, and the judgements of those that were followed so far.

    Most histories are ones that were followed before, and are known again as they are.
    """

    __slots__ = ("_begin", "_histories", "_judgements", "_nodes", "_table")

    def __init__(self, table: Table, begin: Hashable, nodes: tuple[Node[_Reached], ...]) -> None:
        self._table = table
        self._begin = begin
        self._nodes = nodes
        self._judgements: dict[tuple[Node[_Reached], ...], Ruled[Judgement[Any]] | None] = {}
        """By the nodes in which the machines ended what became of the history."""
        self._histories: dict[bytes, Ruled[Judgement[Any]] | None] = {}

    def judge(self, history: bytes) -> Ruled[Judgement[Any]] | None:
        """What became of a history, by the numbers of its symbols (``as_bytes``); None where it has to be judged by itself."""
        if history not in self._histories:
            self._histories[history] = self._followed(from_bytes(history))
            self._table.followed += 1
        return self._histories[history]

    def _followed(self, symbols: Sequence[int]) -> Ruled[Judgement[Any]] | None:
        ends = tuple([node.after(symbols) for node in self._nodes])
        if ends not in self._judgements:
            self._judgements[ends] = self._table.judgement(self._begin, [end.state for end in ends])
        return self._judgements[ends]

    def forget_histories(self) -> None:
        """Know none again."""
        self._histories.clear()


class Table:
    """The transitions of the machines of one thing, a seat, the bank or a round, under one set of rules.

    Args:
        rules: those that the machines' steps ask.
        begins: the states in which its machines begin, by the beginning of a history: the bank's open card for a seat, what waits
            for it for the bank, the seats with wagers and the shoe for a round.
        judged: what became of their states in the end, by that beginning; None where the states alone do not tell.
    """

    def __init__(
        self,
        rules: AnyRules,
        begins: Callable[[Any], tuple[Machine, ...]],
        judged: Callable[[Sequence[Any], Any], Judgement[Any] | None],
    ) -> None:
        self._rules = rules
        self._begins = begins
        self._judged = judged
        self._transitions: Transitions[_Reached] = Transitions(self._after, Numbered())
        self._starts: dict[Hashable, Start] = {}
        self.followed = 0
        """How many histories its starts know again."""
        self._judged_count = 0
        self._judgements: dict[Ruled[Judgement[Any]], Ruled[Judgement[Any]]] = {}
        self.last_read = 0
        """When histories were last read by it: the number of that time, of all tables."""

    @property
    def size(self) -> int:
        """How many transitions and answers it holds."""
        return self._transitions.size + self._judged_count

    def reads(self, alphabet: Numbered[Any]) -> None:
        """Make ready for histories whose symbols have their numbers from an alphabet. What was filled with those of another one
        is forgotten, and all of it where the table is full: not in the middle of histories, whose nodes belong together."""
        if alphabet is not self._transitions.alphabet or self.size >= TRANSITIONS:
            self.forget()
            self._transitions.alphabet = alphabet
        if self.followed >= HISTORIES:
            for start in self._starts.values():
                start.forget_histories()
            self.followed = 0
        self.last_read = next(_TIMES)

    def start(self, begin: Hashable) -> Start:
        """Where the machines of a history begin, by its beginning."""
        start = self._starts.get(begin)
        if start is None:
            reached = (_Reached.by(state, frozenset()) for state in self._begins(begin))
            start = self._starts[begin] = Start(self, begin, tuple(map(self._transitions.node, reached)))
        return start

    def _after(self, reached: _Reached, symbol: Any) -> _Reached:
        if reached.state is None:
            return reached
        with self._rules.readings.consulted() as rulings:
            after = reached.state.after(symbol, self._rules)
        if after is reached.state and rulings <= reached.rulings:
            return reached
        return _Reached.by(after, reached.rulings | rulings if rulings else reached.rulings)

    def judgement(self, begin: Hashable, ends: Sequence[_Reached]) -> Ruled[Judgement[Any]] | None:
        """What became of a history, by its beginning and where its machines ended; None where it has to be judged by itself. A
        :class:`Start` asks it once of the same ends."""
        self._judged_count += 1
        if any(end.state is None for end in ends):
            return None
        with self._rules.readings.consulted() as rulings:
            judgement = self._judged([end.state for end in ends], begin)
        if judgement is None:
            return None
        ruled = Ruled(judgement, tuple(sorted(rulings.union(*(end.rulings for end in ends)))))
        return self._judgements.setdefault(ruled, ruled)  # equal answers are one

    def forget(self) -> None:
        """Start anew."""
        self._transitions.forget()
        self._starts.clear()
        self.followed = self._judged_count = 0
        self._judgements.clear()
