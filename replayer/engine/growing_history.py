"""Judges a history again as it grows: what was added is followed from the states reached before."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, NamedTuple

from replayer.contract.outcomes import Judgement, Outcome
from replayer.contract.symbols import Begin, History, Of
from replayer.engine.automaton import Followed
from replayer.engine.compiled_runner import make_ready
from replayer.engine.distinct_values import Numbered
from replayer.engine.evaluator import HistoryJudge
from replayer.engine.ruled import Ruled


class Extent(NamedTuple, Generic[Begin]):
    """What a history is made of: its beginning, how many ``events``, and whatever else the symbols of these depend on."""

    begin: Begin
    events: int
    moments: Hashable = None


class LastJudged(NamedTuple, Generic[Begin, Outcome]):
    """The last judgement of a history, and how far it was followed for it; ``followed`` is None where its further events may
    change earlier symbols."""

    extent: Extent[Begin]
    followed: Followed[Begin] | None
    judgement: Ruled[Judgement[Outcome]]


class Growing(NamedTuple, Generic[Begin, Of, Outcome]):
    """A history that may grow, and how to judge it: by a table, in which it is followed from the states reached before, or, where
    this gives no judgement, singly.

    Attributes:
        alphabet: by which its symbols are numbered.
        symbols: those from an event on, counted from 0.
        whole: the history itself, which has suits.
        only_grows: whether further events leave its earlier symbols as they are.
    """

    judge: HistoryJudge[Begin, Of, Outcome]
    alphabet: Numbered[Of]
    symbols: Callable[[int], Iterable[Of]]
    whole: Callable[[], History[Begin, Of]]
    only_grows: bool = True

    def judged(self, extent: Extent[Begin], last: LastJudged[Begin, Outcome] | None) -> LastJudged[Begin, Outcome]:
        """Its judgement now; the ``last`` one was under the same rules."""
        table = self.judge.table
        leading, before, known = table.leading, None, 0
        if last is not None and (last.extent.begin, last.extent.moments) == (extent.begin, extent.moments):
            before, known = last.followed, last.extent.events
        added = self._numbers(known if before else 0)
        if before is not None and before.edition == leading.automaton.edition:
            followed = leading.automaton.follow_on(before, added)
        else:
            whole = self._numbers(0) if before else added
            followed = leading.automaton.follow(leading.member, extent.begin, whole)
        verdict = leading.automaton.judge_one(followed)
        if table.must_judge(verdict):
            verdict = table.automaton.judge_one(table.automaton.follow(table.member, extent.begin, self._numbers(0)))
        return LastJudged(extent, followed if self.only_grows else None, verdict or self.judge(self.whole()))

    def _numbers(self, since: int) -> list[int]:
        numbers = [self.alphabet.number(symbol) for symbol in self.symbols(since)]
        make_ready([self.judge.table], self.alphabet)
        return numbers
