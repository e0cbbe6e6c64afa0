"""The contract of a machine: what can happen to one thing (a hand, the bank) in a round, step by step; and of its fold.

A machine is a frozen, hashable state with pure steps, each of which gives the next state and the violations, and a ``finish``
that gives what is missing at the end. A state is canonical: it holds what a rule can still need, and as little else as keeps the
rules simple (a hand that is over keeps its cards). It holds no positions: a violation names a mark, and the fold over the events
knows which event set it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from replayer.outcomes import Breach

HERE: Final = ""
"""The mark of the event under way."""
SEVERAL: Final = 2
"""Where a state stops counting what no rule counts beyond two."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A breach of a rule.

    Attributes:
        code, article: of the finding.
        message: what happened; ``{cards}`` stands for the cards in question or their number, ``{action}`` for the name of a
            decision unknown to the game: no state holds these.
        mark: the event that it points at, :data:`HERE` or one that the machine names.
    """

    code: str
    article: str
    message: str
    mark: str = HERE

    def at(self, position: int, named: Mapping[str, object] | None = None) -> Breach:
        """The breach at a position in a history; ``named`` has what the names in the message stand for."""
        message = self.message if named is None else self.message.format_map(named)
        return Breach(self.code, self.article, message, position)


Violations: TypeAlias = tuple[Violation, ...]


@dataclass(slots=True)
class Fold:
    """What a fold of a history knows and its machines do not.

    Attributes:
        here: the position of the event under way.
        marks: the position of each mark that was set.
        breaches: those so far.
    """

    here: int = field(default=0, init=False)
    marks: dict[str, int] = field(default_factory=dict, init=False)
    breaches: list[Breach] = field(default_factory=list, init=False)

    def first(self, mark: str) -> None:
        """Set a mark at the event under way, unless it is set already."""
        self.marks.setdefault(mark, self.here)

    def where(self, mark: str) -> Sequence[int]:
        """The positions that a violation with a mark points at; one, as a rule."""
        return (self.here if mark == HERE else self.marks[mark],)

    def named(self, mark: str) -> Mapping[str, object] | None:
        """What the names in the message of a violation with a mark stand for; None where messages have none."""
        return None

    def note(self, violations: Iterable[Violation]) -> None:
        """Note violations as breaches at the positions of their marks."""
        for found in violations:  # mostly none
            named = self.named(found.mark) if "{" in found.message else None
            for position in self.where(found.mark):
                self.breaches.append(found.at(position, named))
