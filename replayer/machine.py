"""The contract of a machine: what can happen to one thing (a hand, the bank) in a round, step by step.

A machine is a frozen, hashable state with pure steps, each of which gives the next state and the violations, and a ``finish``
that gives what is missing at the end. A state is canonical: it holds what a rule can still need, and as little else as keeps the
rules simple (a hand that is over keeps its cards). It holds no positions: a violation names a mark, and the fold over the events
knows which event set it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

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


Violations: TypeAlias = tuple[Violation, ...]
