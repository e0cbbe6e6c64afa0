"""Machines compiled into a table of transitions, which fills lazily, by the machines' own steps, as the rounds of an archive ask
for them: as RE2 makes its automaton (R. Cox, Regular Expression Matching in the Wild, 2010).

A few thousand transitions serve millions of rounds: thousands of histories are followed at once, one symbol of each at a time. No
judgement is given of a round in which a rule was not kept or whose outcome a state alone does not tell: such a round is judged by
itself, from its events.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from itertools import count
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from replayer.engine.numbered import Numbered
from replayer.engine.ruled import Ruled
from replayer.engine.traced_rules import Fact, Facts, TracedRules
from replayer.engine.transitions import NOWHERE, Numbers, Symbols, Transitions, distinct
from replayer.outcomes import Judgement
from replayer.rules import AnyRules
from replayer.states import AnyMachine
from replayer.symbols import Symbol

Verdict: TypeAlias = "Ruled[Judgement[object]] | None"
"""What became of a history; None where it has to be judged by itself."""

TRANSITIONS: Final = 120_000
"""How many transitions and verdicts an automaton holds before it starts anew; those of a year's hands are some 60,000."""
SYMBOLS: Final = 1_000
"""How many symbols an alphabet holds before it starts anew; a history with a further one is judged by itself."""

_TIMES: Final = count(1)


class Begins(NamedTuple):
    """How histories begin: the distinct beginnings, and the number of the one of each history."""

    all: Sequence[Hashable]
    numbers: Numbers

    def of(self, rows: Numbers) -> Begins:
        """Those of some of the histories."""
        return self._replace(numbers=self.numbers[rows])


class Reached(NamedTuple):
    """A machine's state and the rulings that were consulted on the way to it."""

    kind: type  # tuples of different machines may be equal
    state: AnyMachine
    rulings: frozenset[str]


class _Start(NamedTuple):
    """Where histories with one beginning start under the rules of a member: the numbers of their machines' states."""

    number: int
    member: int
    begin: Hashable
    states: tuple[int, ...]


class Automaton:
    """The transitions of the machines of one thing, a seat, the bank or the round, under all rules of one regulation and of the
    same readings. A step that read no fact of a table is the same under all of them, and is held once.

    Args:
        begins: the states in which its machines begin, by the beginning of a history: the bank's open card for a seat, what waits
            for it for the bank, the seats with wagers and the shoe for a round.
        judged: what became of their states in the end, by that beginning; None where the states alone do not tell.
    """

    def __init__(
        self,
        begins: Callable[[Any, AnyRules], tuple[AnyMachine, ...]],
        judged: Callable[[tuple[Any, ...], Any, AnyRules], Judgement[object] | None],
    ) -> None:
        self._begins = begins
        self._judged = judged
        self._members: list[TracedRules] = []
        self._facts: dict[Fact, object] = {}
        """The facts that anything turns on, as they are for the first member."""
        self._differing: set[Fact] = set()
        """Those that are not the same for all members."""
        self.last_read = 0
        """When histories were last read by it: the number of that time, of all automata."""
        self.alphabet: Numbered[Symbol] = Numbered()
        self.forget()

    def forget(self) -> None:
        """Start anew."""
        self._transitions: Transitions[Reached] = Transitions()
        self._turning: dict[tuple[int, int], list[tuple[Facts, int]]] = {}
        """By state and symbol where the one leads from the other, where it turns on any fact, by these facts."""
        self._own: dict[tuple[int, int, int], int] = {}
        """The same by member, state and symbol, where the facts are not the same for all members."""
        self._verdicts: dict[tuple[Hashable, tuple[int, ...]], list[tuple[Facts, Verdict]]] = {}
        """By the beginnings of histories and where their machines ended what became of them, by the facts that it turns on."""
        self._own_verdicts: dict[tuple[int, ...], Verdict] = {}
        self._distinct: dict[Ruled[Judgement[object]], Ruled[Judgement[object]]] = {}
        self._starts: dict[tuple[int, Hashable], _Start] = {}

    @property
    def size(self) -> int:
        """How many transitions and verdicts it holds."""
        return self._transitions.size + len(self._own) + len(self._own_verdicts)

    def join(self, rules: AnyRules) -> int:
        """A further member, by its rules; gives its number."""
        member = TracedRules(rules)
        self._members.append(member)
        self._part({fact for fact, value in self._facts.items() if member[fact] != value} - self._differing)
        return len(self._members) - 1

    def _part(self, facts: set[Fact]) -> None:
        """Some facts are no longer the same for all members: nor is what turns on them."""
        if not facts:
            return
        self._differing |= facts
        for (state, symbol), known in self._turning.items():
            if any(fact in facts for fact, _ in known[0][0]) and self._transitions.known(state, symbol) >= 0:
                self._transitions.drop(state, symbol)

    def reads(self, alphabet: Numbered[Symbol]) -> None:
        """Make ready for histories whose symbols have their numbers from an alphabet. What was filled with those of another one
        is forgotten, and all of it where the automaton is full: not in the middle of histories, whose states belong together."""
        if alphabet is not self.alphabet or self.size >= TRANSITIONS:
            self.alphabet = alphabet
            self.forget()
        symbols = min(len(alphabet.all), SYMBOLS + 1)
        if self._transitions.is_full or not self._transitions.has_room(symbols):
            self.forget()
            self._transitions.has_room(symbols)
        self.last_read = next(_TIMES)

    def judge_one(self, member: int, begin: Hashable, symbols: Iterable[int]) -> Verdict:
        """What became of a history by the rules of a member."""
        missing = partial(self._after, member)
        symbols = [min(symbol, SYMBOLS) for symbol in symbols]
        start = self._start(member, begin)
        return self._verdict(start, *(self._transitions.end(state, symbols, missing) for state in start.states))

    def judge(self, members: Numbers, begins: Begins, histories: Symbols) -> RuledNumbers:
        """What became of histories, each by the rules of its member and by its beginning."""
        if not len(members):
            return RuledNumbers([], members)
        many = len(begins.all)
        first, of_start = distinct(members * many + begins.numbers, len(self._members) * many)
        starts = [
            self._start(member, begins.all[number])
            for member, number in zip(members[first].tolist(), begins.numbers[first].tolist(), strict=True)
        ]
        begun = np.array([start.states for start in starts], np.int64).T
        histories = histories._replace(numbers=np.minimum(histories.numbers, SYMBOLS))
        ends = [self._transitions.ends(states[of_start], members, histories, self._after) for states in begun]
        same, size = of_start, len(starts)
        for ended in ends:
            first, same = distinct(same * len(self._transitions.states) + ended, size * len(self._transitions.states))
            size = len(first)
        verdicts = Numbered[Verdict](id)
        numbers = []
        for start, *machines in np.column_stack([of_start[first], *(ended[first] for ended in ends)]).tolist():
            numbers.append(verdicts.number(self._verdict(starts[start], *machines)))
        return RuledNumbers(verdicts.all, np.array(numbers, np.int64)[same])

    def _start(self, member: int, begin: Hashable) -> _Start:
        start = self._starts.get((member, begin))
        if start is None:
            states = self._begins(begin, self._members[member].rules)
            self._members[member].turned_on()  # it is held by member
            numbers = tuple(self._transitions.number(Reached(type(state), state, frozenset())) for state in states)
            start = self._starts[member, begin] = _Start(len(self._starts), member, begin, numbers)
        return start

    def _after(self, member: int, state: int, symbol: int) -> int:
        """Where a symbol leads from a state by the rules of a member."""
        if symbol >= SYMBOLS:
            return NOWHERE
        known = self._transitions.known(state, symbol)
        if known < 0:
            known = self._own.get((member, state, symbol), known)
        return self._turned(member, state, symbol) if known < 0 else known

    def _turned(self, member: int, state: int, symbol: int) -> int:
        """The same, by what is known of members that elected the same, or else by the machine's step."""
        traced = self._members[member]
        for facts, after in self._turning.get((state, symbol), ()):
            if traced.has(facts):
                self._own[member, state, symbol] = after
                return after
        after = self._stepped(state, symbol, traced.rules)
        facts = traced.turned_on()
        if facts:
            self._turning.setdefault((state, symbol), []).append((facts, after))
            self._notice(facts)
            if any(fact in self._differing for fact, _ in facts):
                self._own[member, state, symbol] = after
                return after
        self._transitions.hold(state, symbol, after)
        return after

    def _notice(self, facts: Facts) -> None:
        """Something turns on these."""
        for fact, _ in facts:
            if fact not in self._facts:
                values = [member[fact] for member in self._members]
                self._facts[fact] = values[0]
                if any(value != values[0] for value in values):
                    self._differing.add(fact)

    def _stepped(self, number: int, symbol: int, rules: AnyRules) -> int:
        reached = self._transitions.states[number]
        if reached is None:
            return NOWHERE
        with rules.readings.consulted() as rulings:
            after = reached.state.after(self.alphabet.all[symbol], rules)
        if after is None:
            return NOWHERE
        if after is reached.state and rulings <= reached.rulings:
            return number
        return self._transitions.number(
            Reached(reached.kind, after, reached.rulings | rulings if rulings else reached.rulings)
        )

    def _verdict(self, start: _Start, *ends: int) -> Verdict:
        """What became of a history, by where its machines started and ended."""
        if NOWHERE in ends:
            return None
        key = (start.number, *ends)
        if key in self._own_verdicts:
            return self._own_verdicts[key]
        known, traced = self._verdicts.setdefault((start.begin, ends), []), self._members[start.member]
        for facts, verdict in known:  # noqa: B007
            if traced.has(facts):
                break
        else:
            verdict = self._ended(start.begin, ends, traced.rules)
            known.append((traced.turned_on(), verdict))
        self._own_verdicts[key] = verdict
        return verdict

    def _ended(self, begin: Hashable, ends: Sequence[int], rules: AnyRules) -> Verdict:
        reached = [each for end in ends if (each := self._transitions.states[end]) is not None]
        with rules.readings.consulted() as rulings:
            judgement = self._judged(tuple(each.state for each in reached), begin, rules)
        if judgement is None:
            return None
        ruled = Ruled(judgement, tuple(sorted(rulings.union(*(each.rulings for each in reached)))))
        return self._distinct.setdefault(ruled, ruled)  # equal verdicts are one


class RuledNumbers(NamedTuple):
    """What became of histories: the distinct verdicts, and the number of the one of each history."""

    verdicts: Sequence[Verdict]
    numbers: Numbers

    def but(self, rows: Numbers, others: RuledNumbers) -> RuledNumbers:
        """The same, but for what became of the histories of some rows."""
        numbers = self.numbers.copy()
        numbers[rows] = others.numbers + len(self.verdicts)
        return RuledNumbers([*self.verdicts, *others.verdicts], numbers)


class Table(NamedTuple):
    """An automaton, and the number of the rules by which it is asked."""

    automaton: Automaton
    member: int

    @property
    def own(self) -> Table:
        """Itself: it stands behind no other one."""
        return self
