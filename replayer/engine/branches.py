"""Follows histories that differ in a few events only, such as those of the bettors on one seat: a step that several take from the
same state is taken once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

State = TypeVar("State", bound=Hashable)
Event = TypeVar("Event")


@dataclass(slots=True)
class _Group(Generic[State]):
    """The branches that have reached one state."""

    state: State
    branches: set[int]


def final_states(
    begin: State,
    common: Sequence[Event],
    own: Sequence[Sequence[tuple[int, Event]]],
    step: Callable[[State, Event], State],
) -> list[State]:
    """The final states of histories that share an initial state and the events in ``common``; ``own`` has the further events of
    each history, in order, each with the number of common events before it.

    Takes one step per own event, and per common event one for each distinct state reached by then.
    """
    coming: defaultdict[int, list[tuple[int, Event]]] = defaultdict(list)
    for branch, events in enumerate(own):
        for before, event in events:
            coming[before].append((branch, event))
    first = _Group(begin, set(range(len(own))))
    of_branch = [first for _ in own]
    standing = {begin: first}

    def join(group: _Group[State], into: dict[State, _Group[State]]) -> None:
        there = into.setdefault(group.state, group)
        if there is group:
            return
        if len(there.branches) < len(group.branches):  # the larger one stays: branches seldom move
            there, group = group, there
            into[there.state] = there
        there.branches |= group.branches
        for branch in group.branches:
            of_branch[branch] = there

    for number in range(len(common) + 1):
        for branch, event in coming[number]:
            left = of_branch[branch]
            left.branches.remove(branch)
            if not left.branches:
                del standing[left.state]
            of_branch[branch] = _Group(step(left.state, event), {branch})
            join(of_branch[branch], standing)
        if number < len(common):
            moved: dict[State, _Group[State]] = {}
            for group in standing.values():
                group.state = step(group.state, common[number])
                join(group, moved)
            standing = moved
    return [group.state for group in of_branch]
