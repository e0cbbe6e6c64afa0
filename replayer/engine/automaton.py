"""Machines compiled into tables of transitions, which fill lazily, by the machines' own steps, as the rounds of an archive ask
for them: as RE2 makes its automaton (R. Cox, Regular Expression Matching in the Wild, 2010).

Millions of rounds take a few thousand transitions. A round in which a rule was not kept, or of which a state alone does not
tell what became, ends in no answer: it is judged by itself, from its events.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import reduce
from operator import getitem
from typing import Any, Final, Generic, TypeVar

from replayer.engine.ruled import Ruled
from replayer.game import AnyRules, Judgement, Machine
from replayer.symbols import Symbol

TRANSITIONS: Final = 60_000
"""How many transitions and answers a table holds before it starts anew; those of a year's hands are some 30,000."""
SYMBOLS: Final = 50_000
"""How many an alphabet holds before it starts anew."""


Of = TypeVar("Of", bound=Symbol)


class Alphabet(Generic[Of]):
    """The symbols of a game's machines as small integers."""

    def __init__(self) -> None:
        self.symbols: list[Of] = []
        self._numbers: dict[Of, int] = {}

    def number(self, symbol: Of) -> int:
        """The number of a symbol."""
        number = self._numbers.setdefault(symbol, len(self.symbols))
        if number == len(self.symbols):
            self.symbols.append(symbol)
        return number


class Node(dict[int, "Node"]):
    """A state in a table, with its transitions by the numbers of their symbols."""

    __slots__ = ("_table", "rulings", "state")

    def __init__(self, table: Table, state: Any, rulings: frozenset[str]) -> None:
        self.state = state
        self.rulings = rulings
        self._table = table

    def __missing__(self, number: int) -> Node:
        return self._table.fill(self, number)


class Table:
    """The transitions of the machines of one thing, a seat, the bank or a round, under one set of rules.

    Args:
        rules: those that the machines' steps ask.
        begins: the states in which its machines begin, by the beginning of a story: the bank's open card for a seat, what waits
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
        self._alphabet: Alphabet[Any] = Alphabet()
        self._nodes: dict[tuple[type, Machine, frozenset[str]], Node] = {}
        self._starts: dict[Hashable, tuple[Node, ...]] = {}
        self._ends: dict[tuple[Hashable, ...], Ruled[Judgement[Any]] | None] = {}
        self._answers: dict[Ruled[Judgement[Any]], Ruled[Judgement[Any]]] = {}
        self.size = 0
        """How many transitions and answers it holds."""
        self._nowhere = Node(self, None, frozenset())

    def reads(self, alphabet: Alphabet[Any]) -> None:
        """Take the numbers of symbols from an alphabet: what was filled with those of another one is forgotten."""
        if alphabet is not self._alphabet:
            self._alphabet = alphabet
            self.forget()

    def judge(self, begin: Hashable, numbers: Sequence[int]) -> Ruled[Judgement[Any]] | None:
        """What became of a story, by its beginning and the numbers of its symbols; None where it has to be judged by itself."""
        if self.size >= TRANSITIONS:  # not in the middle of a story: its nodes belong together
            self.forget()
        starts = self._starts.get(begin)
        if starts is None:
            starts = self._starts[begin] = tuple(self._node(state, frozenset()) for state in self._begins(begin))
        ends = [reduce(getitem, numbers, start) for start in starts]
        key = (begin, *map(id, ends))
        if key not in self._ends:
            self.size += 1
            self._ends[key] = self._answer(ends, begin)
        return self._ends[key]

    def _node(self, state: Machine, rulings: frozenset[str]) -> Node:
        key = (type(state), state, rulings)  # tuples of different machines may be equal
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Node(self, state, rulings)
        return node

    def fill(self, node: Node, number: int) -> Node:
        """The node that a symbol leads to, by the machine's step."""
        if node.state is None:
            return node
        with self._rules.readings.asked() as rulings:
            state = node.state.after(self._alphabet.symbols[number], self._rules)
        after = self._nowhere if state is None else self._node(state, node.rulings | rulings)
        self.size += 1
        node[number] = after
        return after

    def _answer(self, ends: Sequence[Node], begin: Hashable) -> Ruled[Judgement[Any]] | None:
        if any(end.state is None for end in ends):
            return None
        with self._rules.readings.asked() as rulings:
            told = self._judged([end.state for end in ends], begin)
        if told is None:
            return None
        answer = Ruled(told, tuple(sorted(rulings.union(*(end.rulings for end in ends)))))
        return self._answers.setdefault(answer, answer)  # equal answers are one

    def forget(self) -> None:
        """Start anew."""
        for node in self._nodes.values():  # nodes lead to each other in circles
            node.clear()
        self._nodes.clear()
        self._starts.clear()
        self._ends.clear()
        self._answers.clear()
        self.size = 0
