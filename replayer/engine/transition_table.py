"""A table of transitions for one set of rules. It may reuse the verdicts under other readings: a verdict that rests on no ruling
read differently stays the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple

import numpy as np

from replayer.engine.automaton import Automaton, Verdict
from replayer.engine.distinct_values import ColumnOf, Numbered, Numbers
from replayer.engine.transitions import Symbols
from replayer.law.rulings import Readings
from replayer.outcomes import Outcome
from replayer.symbols import Begin, Of


class TransitionTable(NamedTuple, Generic[Begin, Of, Outcome]):
    """An automaton, and the member under whose rules it is used.

    ``first`` is a table of the same rules under other readings, whose verdicts are taken where they rest on none of the
    ``differing`` rulings, which the two read differently. Where it gives none, a history is judged singly under any readings.
    """

    automaton: Automaton[Begin, Of, object, Outcome]
    member: int
    first: TransitionTable[Begin, Of, Outcome] | None = None
    differing: frozenset[str] = frozenset()

    @property
    def leading(self) -> TransitionTable[Begin, Of, Outcome]:
        """The table whose verdict is looked up first."""
        return self.first or self

    def must_judge(self, verdict: Verdict[Outcome]) -> bool:
        """Whether the verdict of the leading one may differ under these readings."""
        return verdict is not None and Readings.may_differ(self.differing, verdict.rulings)

    def judge_one(self, begin: Begin, symbols: Sequence[int]) -> Verdict[Outcome]:
        """The verdict on a history, by its beginning and the numbers of its symbols."""
        leading = self.leading
        verdict = leading.automaton.judge_one(leading.member, begin, symbols)
        return self.automaton.judge_one(self.member, begin, symbols) if self.must_judge(verdict) else verdict


def make_ready(tables: Sequence[TransitionTable[Begin, Of, Outcome]], alphabet: Numbered[Of]) -> None:
    """Prepare their automata for histories whose symbols are numbered by ``alphabet``."""
    for table in tables:
        table.automaton.prepare(alphabet)
        if table.first is not None:
            table.first.automaton.prepare(alphabet)


def judge(
    tables: Sequence[TransitionTable[Begin, Of, Outcome]],
    of_history: Numbers,
    begins: ColumnOf[Begin],
    histories: Symbols,
) -> ColumnOf[Verdict[Outcome]]:
    """The verdicts on histories; ``of_history`` has the number of each one's table."""
    found = _judge([table.leading for table in tables], of_history, begins, histories)
    if all(table.first is None for table in tables):
        return found
    must_judge = np.array([[table.must_judge(verdict) for verdict in found.values] for table in tables], bool)
    if not must_judge.any():
        return found
    again = np.flatnonzero(must_judge[of_history, found.numbers])
    return found.but(again, _judge(tables, of_history[again], begins.of(again), histories.of(again)))


def _judge(
    tables: Sequence[TransitionTable[Begin, Of, Outcome]],
    of_history: Numbers,
    begins: ColumnOf[Begin],
    histories: Symbols,
) -> ColumnOf[Verdict[Outcome]]:
    members = np.array([table.member for table in tables], np.int64)[of_history]
    automata = [table.automaton for table in tables]
    found: ColumnOf[Verdict[Outcome]] = ColumnOf([], np.zeros(len(of_history), np.int64))
    for automaton in dict.fromkeys(automata):
        own = np.array([each is automaton for each in automata], bool)[of_history]
        rows = np.flatnonzero(own)
        found = found.but(rows, automaton.judge(members[rows], begins.of(rows), histories.of(rows)))
    return found
