"""Every state that a machine can come to, as chess programs count moves: all states, all steps, every code on the way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple, TypeVar

from replayer.contract.machine import Violation

State = TypeVar("State", bound=Hashable)


class Reached(NamedTuple):
    """How many states any events lead to, how many distinct steps lie between them, and every code on the way or at the end."""

    states: int
    steps: int
    codes: set[str]


def reached(
    starts: Iterable[State],
    after: Callable[[State], Iterable[tuple[State, Iterable[Violation]]]],
    at_end: Callable[[State], Iterable[Violation]] = lambda _: (),
) -> Reached:
    """What any events lead to from ``starts``; ``after`` gives all steps from a state, ``at_end`` what is found where it ends."""
    states = set(starts)
    waiting, steps, codes = deque(states), set[tuple[State, State]](), set[str]()
    while waiting:
        state = waiting.popleft()
        codes |= {found.code for found in at_end(state)}
        for following, violations in after(state):
            codes |= {found.code for found in violations}
            steps.add((state, following))
            if following not in states:
                states.add(following)
                waiting.append(following)
    return Reached(len(states), len(steps), codes)
