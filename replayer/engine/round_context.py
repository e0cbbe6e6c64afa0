"""The rules that judge each round of stacked table-days, and whether the round is void."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from replayer.engine.evaluator import Evaluator
from replayer.wagers import Void


@dataclass(frozen=True)
class RoundContext:
    """The evaluators of stacked table-days, and what concerns whole rounds.

    Attributes:
        evaluator_numbers: by round index the number of its evaluator, null where there is none.
        unjudged_reasons: by round index why the round cannot be judged, empty where it can.
        voids: the void rounds, and why; ``declared_void`` are those that the log declares void.
        stretches: the number of each round's stretch of play; ``closing`` are the stretches that end with the table's closing,
            which ends every carried wager.
        round_rulings: the rulings on which every due of a round depends: those of its version, and those that decide whether the
            round is invalid.
        made_ready_over_a_gap: the rounds whose cards were begun to be made ready before events that are missing.
    """

    evaluators: Sequence[Evaluator]
    evaluator_numbers: pl.Series
    unjudged_reasons: Sequence[str]
    voids: dict[int, Void]
    declared_void: frozenset[int]
    stretches: Sequence[int]
    closing: frozenset[int]
    round_rulings: dict[int, tuple[str, ...]]
    made_ready_over_a_gap: frozenset[int]

    @cached_property
    def evaluator_of(self) -> Sequence[Evaluator | None]:
        """The evaluators by round index, None where the round cannot be judged."""
        numbers = zip(self.evaluator_numbers.to_list(), self.unjudged_reasons, strict=True)
        return [None if number is None or why else self.evaluators[number] for number, why in numbers]
