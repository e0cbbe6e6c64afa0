"""The contract of a machine: what can happen to one thing (a hand, the bank) in a round, step by step.

A machine is a frozen, hashable state; a pure ``step(state, symbol)`` that gives the next state and what was violated; and a
``finish`` that gives what became of it and what is still missing. A state is canonical: it holds what a rule can still ask,
and nothing else. Positions are none of its business: a violation names a mark, and who folds the events knows which event set it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

HERE: Final = ""
"""The mark of the event under way."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that was not kept.

    Attributes:
        code, article: of the finding.
        message: what happened; ``{cards}`` in it stands for the cards in question or their number, ``{action}`` for the name of
            a decision that the game does not have: none of it is kept in a state.
        mark: the event that it points at, :data:`HERE` or one that the machine names.
    """

    code: str
    article: str
    message: str
    mark: str = HERE


Violations: TypeAlias = tuple[Violation, ...]
