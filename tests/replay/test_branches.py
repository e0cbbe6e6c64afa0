"""Histories that differ in a few events are followed together: each ends where it ends by itself, in far fewer steps."""

from __future__ import annotations

import random
from functools import reduce

from replayer.engine.shared_seats import final_states


def merged(common: list[int], own: list[tuple[int, int]]) -> list[int]:
    """A history by itself: an event of its own stands right before the common one whose number it has."""
    at = [(number, 1, 0, event) for number, event in enumerate(common)]
    at += [(before, 0, place, event) for place, (before, event) in enumerate(own)]
    return [event for *_, event in sorted(at, key=lambda each: each[:3])]


def test_each_history_ends_where_it_ends_by_itself() -> None:
    dice = random.Random(20)
    for _ in range(200):
        states = dice.randint(1, 12)

        def step(state: int, event: int, states: int = states) -> int:
            return (state * 5 + event * event + 1) % states

        common = [dice.randrange(9) for _ in range(dice.randint(0, 8))]
        places = [sorted(dice.choices(range(len(common) + 1), k=dice.randint(0, 5))) for _ in range(dice.randint(1, 9))]
        own = [[(place, dice.randrange(9)) for place in of_one] for of_one in places]
        alone = [reduce(step, merged(common, events), 0) for events in own]
        assert final_states(0, common, own, step) == alone


def test_a_step_that_many_histories_take_from_one_state_is_taken_once() -> None:
    taken = 0

    def step(state: int, event: int) -> int:
        nonlocal taken
        taken += 1
        return (state + event) % 5

    own = [[(number, number % 3)] for number in range(1_000)]
    final_states(0, [1] * 1_000, own, step)
    assert taken <= 1_000 * (1 + 5)
