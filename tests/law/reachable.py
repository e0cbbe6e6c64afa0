"""Every state that a machine can come to, as chess programs count moves: all states, all steps, every code on the way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple, TypeVar

from replayer import game
from replayer.law.black_jack import GAME
from replayer.law.black_jack.despacho_42_2007 import DSEF_42_2007
from replayer.law.black_jack.despacho_56_2004 import DSEF_56_2004
from replayer.law.black_jack.despacho_57_2009 import DSEF_57_2009
from replayer.law.black_jack.despacho_141_2000 import DCE_141_2000
from replayer.law.black_jack.regulation import Regulation
from replayer.law.black_jack.rules import Rules
from replayer.law.rulings import Readings
from replayer.machine import Violation

VERSIONS = {"141/2000": DCE_141_2000, "56/2004": DSEF_56_2004, "42/2007": DSEF_42_2007, "57/2009": DSEF_57_2009}
"""The versions of Black Jack's regulation."""
State = TypeVar("State", bound=Hashable)
Violations = tuple[Violation, ...]


class Reached(NamedTuple):
    """How many states any events lead to, how many distinct steps lie between them, and every code on the way or at the end."""

    states: int
    steps: int
    codes: set[str]


def reached(
    starts: Iterable[State],
    after: Callable[[State], Iterable[tuple[State, Violations]]],
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


def rules(regulation: Regulation = DSEF_57_2009, readings: dict[str, str] | None = None, **elected: str) -> Rules:
    """A version's default rules, but for what is elected or read otherwise."""
    options, faults = GAME.options(elected, regulation)
    assert not faults
    return game.Rules(regulation, options, Readings(readings))
