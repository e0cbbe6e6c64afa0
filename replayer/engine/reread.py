"""Reuses verdicts under other readings: a verdict that rests on no ruling read differently stays the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeAlias

import numpy as np

from replayer.engine.automaton import Begins, RuledNumbers, Table, Verdict
from replayer.engine.numbered import Numbered
from replayer.engine.transitions import Numbers, Symbols
from replayer.law.rulings import Readings
from replayer.outcomes import Outcome
from replayer.symbols import Begin, Of


class Reread(NamedTuple, Generic[Begin, Of, Outcome]):
    """A table under some readings (``own``) that reuses the verdicts of the ``first`` one, of the same rules under other
    readings; ``differing`` are the rulings that the two read differently. Where the first gives no verdict, a history is judged
    singly under any readings."""

    own: Table[Begin, Of, Outcome]
    first: Table[Begin, Of, Outcome]
    differing: frozenset[str]

    def must_judge(self, verdict: Verdict[Outcome]) -> bool:
        """Whether the first table's verdict may differ under these readings."""
        return verdict is not None and Readings.may_differ(self.differing, verdict.rulings)


AnyTable: TypeAlias = Table[Begin, Of, Outcome] | Reread[Begin, Of, Outcome]


def make_ready(tables: Sequence[AnyTable[Begin, Of, Outcome]], alphabet: Numbered[Of]) -> None:
    """Prepare their automata for histories whose symbols are numbered by ``alphabet``."""
    for table in tables:
        for each in (table.first, table.own) if isinstance(table, Reread) else (table,):
            each.automaton.prepare(alphabet)


def judge_one(table: AnyTable[Begin, Of, Outcome], begin: Begin, symbols: Sequence[int]) -> Verdict[Outcome]:
    """The verdict on a history, by its beginning and the numbers of its symbols."""
    if isinstance(table, Table):
        return table.automaton.judge_one(table.member, begin, symbols)
    verdict = judge_one(table.first, begin, symbols)
    return judge_one(table.own, begin, symbols) if table.must_judge(verdict) else verdict


def judge(
    tables: Sequence[AnyTable[Begin, Of, Outcome]], of_history: Numbers, begins: Begins[Begin], histories: Symbols
) -> RuledNumbers[Outcome]:
    """The verdicts on histories; ``of_history`` has the number of each one's table."""
    found = _judge(
        [table.first if isinstance(table, Reread) else table for table in tables], of_history, begins, histories
    )
    must_judge = np.array(
        [[isinstance(table, Reread) and table.must_judge(verdict) for verdict in found.verdicts] for table in tables],
        bool,
    )
    if not must_judge.any():
        return found
    again = np.flatnonzero(must_judge[of_history, found.numbers])
    own = [table.own if isinstance(table, Reread) else table for table in tables]
    return found.but(again, _judge(own, of_history[again], begins.of(again), histories.of(again)))


def _judge(
    tables: Sequence[Table[Begin, Of, Outcome]], of_history: Numbers, begins: Begins[Begin], histories: Symbols
) -> RuledNumbers[Outcome]:
    members = np.array([table.member for table in tables], np.int64)[of_history]
    automata = [table.automaton for table in tables]
    found = RuledNumbers[Outcome]([], np.zeros(len(of_history), np.int64))
    for automaton in dict.fromkeys(automata):
        own = np.array([each is automaton for each in automata], bool)[of_history]
        rows = np.flatnonzero(own)
        found = found.but(rows, automaton.judge(members[rows], begins.of(rows), histories.of(rows)))
    return found
