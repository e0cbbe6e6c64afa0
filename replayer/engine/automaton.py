"""Machines compiled into a table of transitions, which the machines' own steps fill lazily, as RE2 builds its automaton (R. Cox,
Regular Expression Matching in the Wild, 2010).

A few thousand transitions serve millions of rounds: thousands of histories are followed at once, one symbol of each at a time.
The automaton gives no verdict on a history that breaks a rule or whose outcome its final state does not determine: the engine
judges such a history singly, from its events.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np

from replayer.contract.outcomes import Judgement, Outcome
from replayer.contract.rules import AnyRules, ElectedOptions
from replayer.contract.symbols import Begin, Of
from replayer.engine.distinct_values import ColumnOf, Numbered, Numbers
from replayer.engine.ruled import Ruled
from replayer.engine.transitions import NOWHERE, Symbols, Transitions
from replayer.law.authorisation import Contested

State_co = TypeVar("State_co", bound=Hashable, covariant=True)
Verdict: TypeAlias = Ruled[Judgement[Outcome]] | None
"""The judgement of a history; None where the history must be judged singly."""

Fact: TypeAlias = tuple[str, str]
"""A fact of a table: a field of :class:`replayer.contract.rules.Rules` and a name in it."""
Facts: TypeAlias = tuple[tuple[Fact, object], ...]
"""Facts that were read, with their values."""

TRANSITIONS: Final = 120_000
"""Transitions and verdicts that an automaton holds before it forgets the later half of its states."""
SYMBOLS: Final = 1_000
"""Symbols that an alphabet holds before it starts anew; a history with a further symbol is judged singly."""

MANY: Final = 1 << 12
"""Histories that must be followed to tell whether that pays."""
UNANSWERED: Final = 0.9
"""The share without a verdict above which following histories costs more than it saves, as those are judged singly as well."""
AGAIN: Final = 8
"""How many times as many histories are judged singly only before some are followed again."""

_TIMES: Final = count(1)


class Reached(NamedTuple, Generic[State_co]):
    """A machine's state and the rulings consulted on the way to it."""

    kind: type  # tuples of different machines may be equal
    state: State_co
    rulings: frozenset[str]


class _Start(NamedTuple, Generic[Begin]):
    """The initial states, by number, of the machines for one beginning under one member's rules."""

    number: int
    member: int
    begin: Begin
    states: tuple[int, ...]


class Automaton(Generic[Begin, Of, State_co, Outcome]):
    """The transitions of the machines of a seat, of the bank or of the round, for all tables under one regulation and the same
    readings: each table's rules are a *member*. A step that reads no option of a table holds for all members and is kept once.

    Args:
        begins: gives the initial states by the beginning of a history.
        step: gives the state after a symbol; None where a rule was broken or the states do not determine the outcome.
        judged: gives the judgement by final states and beginning; None where these do not determine it.
    """

    def __init__(
        self,
        begins: Callable[[Begin, AnyRules], tuple[State_co, ...]],
        step: Callable[[State_co, Of, AnyRules], State_co | None],
        judged: Callable[[tuple[State_co, ...], Begin, AnyRules], Judgement[Outcome] | None],
    ) -> None:
        self.begins = begins
        self.step = step
        self.judged = judged
        self._members: list[_TracedRules] = []
        self.uncounted: set[str] = set()
        """The rulings consulted in some step or verdict and not counted."""
        self._facts: dict[Fact, object] = {}
        """The facts that some step or verdict read, with the first member's values."""
        self._differing: set[Fact] = set()
        """The facts that are not the same for all members."""
        self.last_read = 0
        """When it last followed histories, as a count over all automata."""
        self.alphabet: Numbered[Of] = Numbered()
        self._followed = self._unanswered = self._left = 0
        """How many histories were followed last, how many of these got no verdict, and how many were judged singly since."""
        self.forget()

    def forget(self) -> None:
        """Start anew."""
        self._transitions: Transitions[Reached[State_co]] = Transitions()
        self._by_facts: dict[tuple[int, int], list[tuple[Facts, int]]] = {}
        """The transitions that read facts, by state and symbol: each set of facts read, with the next state."""
        self._by_member: dict[tuple[int, int, int], int] = {}
        """The next state by member, state and symbol, where the facts read are not the same for all members."""
        self._verdicts: dict[tuple[Begin, tuple[int, ...]], list[tuple[Facts, Verdict[Outcome]]]] = {}
        """The verdicts by beginning and final states: each set of facts read, with the verdict."""
        self._member_verdicts: dict[tuple[int, ...], Verdict[Outcome]] = {}
        self._distinct: dict[Ruled[Judgement[Outcome]], Ruled[Judgement[Outcome]]] = {}
        self._starts: dict[tuple[int, Begin], _Start[Begin]] = {}

    def _keep_half(self) -> None:
        """Forget the half of the states that came last, and all that leads to them: most histories pass those that came first."""
        count = len(self._transitions.states) // 2
        self._transitions.keep(count)
        self._by_facts = {
            (state, symbol): kept
            for (state, symbol), known in self._by_facts.items()
            if state < count and (kept := [(facts, after) for facts, after in known if NOWHERE < after < count])
        }
        self._by_member = {
            at: after for at, after in self._by_member.items() if at[1] < count and NOWHERE < after < count
        }
        self._verdicts = {key: known for key, known in self._verdicts.items() if max(key[1]) < count}
        verdicts = (verdict for known in self._verdicts.values() for _, verdict in known if verdict is not None)
        self._distinct = {verdict: verdict for verdict in verdicts}
        self._starts.clear()
        self._member_verdicts.clear()

    @property
    def size(self) -> int:
        """The number of transitions and verdicts held."""
        return self._transitions.size + len(self._by_member) + len(self._member_verdicts)

    def join(self, rules: AnyRules) -> int:
        """Add a member by its rules; gives its number."""
        member = _TracedRules(rules)
        self._members.append(member)
        self._separate({fact for fact, value in self._facts.items() if member[fact] != value} - self._differing)
        return len(self._members) - 1

    def _separate(self, facts: set[Fact]) -> None:
        """Drop the shared transitions that read ``facts``, which are no longer the same for all members."""
        if not facts:
            return
        self._differing |= facts
        for (state, symbol), known in self._by_facts.items():
            if any(fact in facts for fact, _ in known[0][0]) and self._transitions.known(state, symbol) >= 0:
                self._transitions.drop(state, symbol)

    @property
    def pays(self) -> bool:
        """Whether to follow histories: not where most of the last ones got no verdict, until many more have been left."""
        irregular = self._followed >= MANY and self._unanswered > UNANSWERED * self._followed
        return not irregular or self._left >= AGAIN * self._followed

    def note(self, followed: int, unanswered: int) -> None:
        """Note how many histories were followed, and on how many of them it gave no verdict."""
        if self._followed >= MANY:
            self._followed = self._unanswered = self._left = 0
        self._followed += followed
        self._unanswered += unanswered

    def leave(self, histories: int) -> None:
        """Note how many histories were left to be judged singly."""
        self._left += histories

    def prepare(self, alphabet: Numbered[Of]) -> None:
        """Prepare to follow histories whose symbols are numbered by ``alphabet``. Starts anew if the alphabet changed, and with
        half its states if it is full: only here, because the states of histories under way must stay."""
        if alphabet is not self.alphabet:
            self.alphabet = alphabet
            self.forget()
        if self.size >= TRANSITIONS or self._transitions.is_full:
            self._keep_half()
        symbols = min(len(alphabet.all), SYMBOLS + 1)
        if self.size >= TRANSITIONS or not self._transitions.has_room(symbols):
            self.forget()
            self._transitions.has_room(symbols)
        self.last_read = next(_TIMES)

    def judge_one(self, member: int, begin: Begin, symbols: Iterable[int]) -> Verdict[Outcome]:
        """The verdict on a history under a member's rules."""
        start, missing = self._start(member, begin), partial(self._after, member)
        symbols = [min(symbol, SYMBOLS) for symbol in symbols]
        return self._verdict(start, *(self._transitions.end(state, symbols, missing) for state in start.states))

    def judge(self, members: Numbers, begins: ColumnOf[Begin], histories: Symbols) -> ColumnOf[Verdict[Outcome]]:
        """The verdicts on histories, each under its member's rules and from its beginning."""
        if not len(members):
            return ColumnOf([], members)
        many = len(begins.values)
        _, first, of_start = np.unique(members * many + begins.numbers, return_index=True, return_inverse=True)
        starts = [
            self._start(member, begins.values[number])
            for member, number in zip(members[first].tolist(), begins.numbers[first].tolist(), strict=True)
        ]
        begun = np.array([start.states for start in starts], np.int64).T
        histories = histories._replace(numbers=np.minimum(histories.numbers, SYMBOLS))
        ends = [self._transitions.ends(states[of_start], members, histories, self._after) for states in begun]
        same, size = of_start, len(self._transitions.states)
        for ended in ends:
            _, first, same = np.unique(same * size + ended, return_index=True, return_inverse=True)
        verdicts = Numbered[Verdict[Outcome]](id)
        numbers = []
        for start, *machines in np.column_stack([of_start[first], *(ended[first] for ended in ends)]).tolist():
            numbers.append(verdicts.number(self._verdict(starts[start], *machines)))
        return ColumnOf(verdicts.all, np.array(numbers, np.int64)[same])

    def _start(self, member: int, begin: Begin) -> _Start[Begin]:
        start = self._starts.get((member, begin))
        if start is None:
            states = self.begins(begin, self._members[member].rules)
            self._members[member].take_read()  # discarded: initial states are kept by member
            numbers = tuple(self._transitions.number(Reached(type(state), state, frozenset())) for state in states)
            start = self._starts[member, begin] = _Start(len(self._starts), member, begin, numbers)
        return start

    def _after(self, member: int, state: int, symbol: int) -> int:
        """The next state under a member's rules: as known from it or from members with the same facts, or else by a step."""
        if symbol >= SYMBOLS:
            return NOWHERE
        known = self._transitions.known(state, symbol)
        if known >= 0 or (known := self._by_member.get((member, state, symbol), known)) >= 0:
            return known
        traced = self._members[member]
        for facts, after in self._by_facts.get((state, symbol), ()):
            if traced.agrees(facts):
                self._by_member[member, state, symbol] = after
                return after
        after = self._stepped(state, symbol, traced.rules)
        facts = traced.take_read()
        if facts:
            self._by_facts.setdefault((state, symbol), []).append((facts, after))
            self._notice(facts)
            if any(fact in self._differing for fact, _ in facts):
                self._by_member[member, state, symbol] = after
                return after
        self._transitions.hold(state, symbol, after)
        return after

    def _notice(self, facts: Facts) -> None:
        """Record facts that a step read, and whether the members differ in them."""
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
        with rules.readings.consulted(self.uncounted) as rulings:
            after = self.step(reached.state, self.alphabet.all[symbol], rules)
        if after is None:
            return NOWHERE
        if after is reached.state and rulings <= reached.rulings:
            return number
        return self._transitions.number(
            Reached(reached.kind, after, reached.rulings | rulings if rulings else reached.rulings)
        )

    def _verdict(self, start: _Start[Begin], *ends: int) -> Verdict[Outcome]:
        if NOWHERE in ends:
            return None
        key = (start.number, *ends)
        if key in self._member_verdicts:
            return self._member_verdicts[key]
        known, traced = self._verdicts.setdefault((start.begin, ends), []), self._members[start.member]
        for facts, verdict in known:  # noqa: B007
            if traced.agrees(facts):
                break
        else:
            verdict = self._judgement(start.begin, ends, traced.rules)
            known.append((traced.take_read(), verdict))
        self._member_verdicts[key] = verdict
        return verdict

    def _judgement(self, begin: Begin, ends: Sequence[int], rules: AnyRules) -> Verdict[Outcome]:
        reached = [each for end in ends if (each := self._transitions.states[end]) is not None]
        with rules.readings.consulted(self.uncounted) as rulings:
            judgement = self.judged(tuple(each.state for each in reached), begin, rules)
        if judgement is None:
            return None
        ruled = Ruled(judgement, tuple(sorted(rulings.union(*(each.rulings for each in reached)))))
        return self._distinct.setdefault(ruled, ruled)  # equal verdicts are one


class _Traced:
    """A field of rules, options or a set of names, for which it stands; it records which names in it are read or looked up."""

    def __init__(self, field: str, rules: AnyRules, read: set[Fact]) -> None:
        self._field = field
        self._value = getattr(rules, field)
        self._read = read

    def __getattr__(self, name: str) -> object:
        self._read.add((self._field, name))
        return getattr(self._value, name)

    def __contains__(self, name: object) -> bool:
        self._read.add((self._field, str(name)))
        return name in self._value


class _TracedRules:
    """A table's rules that record which facts are read: a result holds for every table with the same values of these. ``rules``
    are the same ones for its machines."""

    def __init__(self, rules: AnyRules) -> None:
        self.rules = self._plain = rules
        self._read: set[Fact] = set()
        # What contested options say rests on rulings, which are recorded as such; tables with them share no automaton.
        if not isinstance(rules.options, Contested):
            self.rules = replace(
                rules,
                options=cast("ElectedOptions", _Traced("options", rules, self._read)),
                unauthorised=cast("frozenset[str]", _Traced("unauthorised", rules, self._read)),
                recorded=cast("frozenset[str]", _Traced("recorded", rules, self._read)),
            )

    def __getitem__(self, fact: Fact) -> object:
        field, name = fact
        return getattr(self._plain.options, name) if field == "options" else name in getattr(self._plain, field)

    def take_read(self) -> Facts:
        """The facts read since the last call."""
        if not self._read:
            return ()
        facts = tuple((fact, self[fact]) for fact in sorted(self._read))
        self._read.clear()
        return facts

    def agrees(self, facts: Facts) -> bool:
        """Whether the facts have the same values here."""
        return all(self[fact] == value for fact, value in facts)
