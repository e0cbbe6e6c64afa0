"""What rests on no ruling that is read otherwise is the same under other readings: it is not asked again."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from replayer.engine.automaton import Start, Table
from replayer.engine.numbered import Numbered
from replayer.engine.ruled import Ruled
from replayer.law.rulings import Readings
from replayer.outcomes import Judgement


@dataclass(frozen=True, slots=True)
class Reread:
    """A table under some readings, behind the ``first`` one of the same rules under others; ``differing`` are the rulings that
    the two read otherwise. What the first one cannot tell has to be judged by itself under any readings."""

    own: Table
    first: Table | Reread
    differing: frozenset[str]

    @property
    def size(self) -> int:
        """How many transitions and answers it holds of its own."""
        return self.own.size

    @property
    def followed(self) -> int:
        """How many histories it knows again of its own."""
        return self.own.followed

    @property
    def last_read(self) -> int:
        """As that of a table."""
        return self.own.last_read

    def reads(self, alphabet: Numbered[Any]) -> None:
        """As :meth:`Table.reads`, of both."""
        self.own.reads(alphabet)
        self.first.reads(alphabet)

    def start(self, begin: Hashable) -> RereadStart:
        """Where the machines of a history begin, by its beginning."""
        return RereadStart(self, begin, self.first.start(begin))

    def forget(self) -> None:
        """Start anew."""
        self.own.forget()


@dataclass(frozen=True, slots=True)
class RereadStart:
    """What :class:`Start` is to a table, under other readings."""

    table: Reread
    begin: Hashable
    first: Start | RereadStart

    def judge(self, history: bytes) -> Ruled[Judgement[Any]] | None:
        """What became of a history, by the numbers of its symbols; None where it has to be judged by itself."""
        answer = self.first.judge(history)
        if answer is None or not Readings.may_differ(self.table.differing, answer.rulings):
            return answer
        return self.table.own.start(self.begin).judge(history)
