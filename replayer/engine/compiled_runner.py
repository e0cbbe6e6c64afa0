"""The compiled runner: judges many histories at once by the automata of their judges.

Whatever these give no verdict on is left to the plain runner, which judges a history singly, from its events
(:class:`replayer.engine.evaluator.HistoryJudge`). So are all histories of an automaton that gave few a verdict of late.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from replayer.contract.outcomes import Outcome
from replayer.contract.symbols import Begin, Of
from replayer.engine.automaton import Automaton, Verdict
from replayer.engine.distinct_values import ColumnOf, Numbers
from replayer.engine.evaluator import HistoryJudge
from replayer.engine.transitions import Symbols


def worth_following(judges: Sequence[HistoryJudge[Begin, Of, Outcome]], of_history: Numbers) -> NDArray[np.bool_]:
    """Which histories to follow through automata (:attr:`replayer.engine.automaton.Automaton.pays`); ``of_history`` has the
    number of each one's judge. The others are judged singly at once."""
    follows = np.ones(len(of_history), bool)
    for automaton, own in _by_automaton(judges, of_history):
        if not automaton.pays:
            follows[own] = False
            automaton.leave(len(own))
    return follows


def judge_many(
    judges: Sequence[HistoryJudge[Begin, Of, Outcome]],
    of_history: Numbers,
    begins: ColumnOf[Begin],
    histories: Symbols,
) -> ColumnOf[Verdict[Outcome]]:
    """The verdicts on histories; ``of_history`` has the number of each one's judge."""
    found = _judge([judge.leading for judge in judges], of_history, begins, histories)
    if any(judge.other for judge in judges):
        must_judge = np.array([[judge.must_judge(verdict) for verdict in found.values] for judge in judges], bool)
        again = np.flatnonzero(must_judge[of_history, found.numbers])
        found = found.with_others(again, _judge(judges, of_history[again], begins.of(again), histories.of(again)))
    unanswered = found.where(lambda verdict: verdict is None)
    for automaton, own in _by_automaton(judges, of_history):
        automaton.note(len(own), int(np.count_nonzero(unanswered[own])))
    return found


def _judge(
    judges: Sequence[HistoryJudge[Begin, Of, Outcome]],
    of_history: Numbers,
    begins: ColumnOf[Begin],
    histories: Symbols,
) -> ColumnOf[Verdict[Outcome]]:
    members = np.array([judge.member for judge in judges], np.int64)[of_history]
    found: ColumnOf[Verdict[Outcome]] = ColumnOf([], np.zeros(len(of_history), np.int64))
    for automaton, rows in _by_automaton(judges, of_history):
        found = found.with_others(rows, automaton.judge(members[rows], begins.of(rows), histories.of(rows)))
    return found


def _by_automaton(
    judges: Sequence[HistoryJudge[Begin, Of, Outcome]], of_history: Numbers
) -> Iterator[tuple[Automaton[Begin, Of, object, Outcome], Numbers]]:
    """The automata of judges that have histories, each with the rows of these."""
    automata = [judge.automaton for judge in judges]
    for automaton in dict.fromkeys(automata):
        rows = np.flatnonzero(np.array([each is automaton for each in automata], bool)[of_history])
        if len(rows):
            yield automaton, rows
