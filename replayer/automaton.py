"""Machines compiled into tables of transitions, which fill lazily, by the machines' own steps, as the rounds of an archive ask
for them: as RE2 makes its automaton (R. Cox, Regular Expression Matching in the Wild, 2010).

Millions of rounds take a few thousand transitions. A round in which a rule was not kept, or of which a state alone does not
tell what became, ends in no answer: it is judged by itself, from its events.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import reduce
from operator import getitem
from typing import Any, Final, Protocol, Self

from replayer.game import AnyRules, Judgement
from replayer.ruled import Ruled
from replayer.symbols import Symbol

TRANSITIONS: Final = 200_000
"""How many a table holds before it starts anew: some 100 MB."""
SYMBOLS: Final = 50_000
"""How many an alphabet holds before it starts anew."""


class Machine(Hashable, Protocol):
    """A state that a game's machines are in (``replayer.game``)."""

    def after(self, symbol: Any, rules: Any) -> Self | None:
        """The next state; None where the events have to be judged by themselves."""


class Alphabet:
    """The symbols of a game's machines as small integers."""

    def __init__(self) -> None:
        self.symbols: list[Symbol] = []
        self._numbers: dict[Symbol, int] = {}

    def number(self, symbol: Symbol) -> int:
        """The number of a symbol."""
        number = self._numbers.setdefault(symbol, len(self.symbols))
        if number == len(self.symbols):
            self.symbols.append(symbol)
        return number


class Node(dict[int, "Node"]):
    """A state in a table: its transitions by the numbers of their symbols, and what becomes of it in the end."""

    __slots__ = ("_answers", "_table", "rulings", "state")

    def __init__(self, table: Table, state: Any, rulings: frozenset[str]) -> None:
        self.state = state
        self.rulings = rulings
        self._table = table
        self._answers: dict[str, Ruled[Judgement[Any]] | None] = {}

    def __missing__(self, number: int) -> Node:
        return self._table.fill(self, number)

    def answer(self, begin: str) -> Ruled[Judgement[Any]] | None:
        """What became of it if nothing more happens, in a story with this beginning; None where the state does not tell."""
        if begin not in self._answers:
            self._answers[begin] = self._table.answer(self, begin)
        return self._answers[begin]


class Table:
    """The transitions of one machine under one set of rules.

    Args:
        rules: those that its steps ask.
        begins: the state in which a story begins, by its beginning: the bank's open card for a seat, what waits for it for the
            bank, the seats with wagers and the shoe for a round.
        judged: what became of a state in the end, by that beginning; None where the state alone does not tell.
    """

    def __init__(
        self,
        rules: AnyRules,
        begins: Callable[[str], Machine],
        judged: Callable[[Any, str], Judgement[Any] | None],
    ) -> None:
        self._rules = rules
        self._begins = begins
        self._judged = judged
        self._alphabet = Alphabet()
        self._nodes: dict[tuple[Any, frozenset[str]], Node] = {}
        self._starts: dict[str, Node] = {}
        self._answers: dict[Ruled[Judgement[Any]], Ruled[Judgement[Any]]] = {}
        self._size = 0
        self._nowhere = Node(self, None, frozenset())

    def reads(self, alphabet: Alphabet) -> None:
        """Take the numbers of symbols from an alphabet: what was filled with those of another one is forgotten."""
        if alphabet is not self._alphabet:
            self._alphabet = alphabet
            self._forget()

    def judge(self, begin: str, numbers: Iterable[int]) -> Ruled[Judgement[Any]] | None:
        """What became of a story, by its beginning and the numbers of its symbols; None where it has to be judged by itself."""
        start = self._starts.get(begin)
        if start is None:
            start = self._starts[begin] = self._node(self._begins(begin), frozenset())
        return reduce(getitem, numbers, start).answer(begin)

    def _node(self, state: Machine, rulings: frozenset[str]) -> Node:
        node = self._nodes.get((state, rulings))
        if node is None:
            node = self._nodes[state, rulings] = Node(self, state, rulings)
        return node

    def fill(self, node: Node, number: int) -> Node:
        """The node that a symbol leads to, by the machine's step."""
        if node.state is None:
            return node
        if self._size >= TRANSITIONS:
            self._forget()
        with self._rules.readings.asked() as rulings:
            state = node.state.after(self._alphabet.symbols[number], self._rules)
        after = self._nowhere if state is None else self._node(state, node.rulings | rulings)
        self._size += 1
        node[number] = after
        return after

    def answer(self, node: Node, begin: str) -> Ruled[Judgement[Any]] | None:
        """What became of a node's state; equal answers are one."""
        if node.state is None:
            return None
        with self._rules.readings.asked() as rulings:
            told = self._judged(node.state, begin)
        if told is None:
            return None
        answer = Ruled(told, tuple(sorted(node.rulings | rulings)))
        return self._answers.setdefault(answer, answer)

    def _forget(self) -> None:
        for node in self._nodes.values():  # nodes lead to each other in circles
            node.clear()
        self._nodes.clear()
        self._starts.clear()
        self._answers.clear()
        self._size = 0
