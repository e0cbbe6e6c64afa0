"""Histories that are one and the same but for a few events of each, as those of the bettors on one seat: a step that many of them
take from one state is taken once, whatever their number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

State = TypeVar("State", bound=Hashable)
Of = TypeVar("Of")


@dataclass(slots=True)
class _Group(Generic[State]):
    """The branches that stand in one state."""

    state: State
    branches: set[int]


def ends_of(
    begin: State, common: Sequence[Of], own: Sequence[Sequence[tuple[int, Of]]], step: Callable[[State, Of], State]
) -> list[State]:
    """The states in which histories end that begin in one state and have all of ``common``; ``own`` has what each of them has
    besides, in order, with the number of common events before it.

    It takes a step for each event of its own, and for each common one as many as there are different states by then.
    """
    coming: defaultdict[int, list[tuple[int, Of]]] = defaultdict(list)
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
        if len(there.branches) < len(group.branches):  # the fewer go to the more, so that each one seldom moves
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
