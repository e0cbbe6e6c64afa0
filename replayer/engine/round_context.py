"""Which rules each round of stacked table-days is judged by, and whether it is void."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from replayer.engine.evaluator import Evaluator
from replayer.wagers import Void


@dataclass(frozen=True)
class RoundContext:
    """The evaluators of stacked table-days: which one each round has, why a round has none, which rounds are void.

    ``of_round`` has the evaluator's number by round index, null where nothing can be judged; ``why_not`` says why, empty where
    it can; ``voids`` are the void rounds, and why, ``declared`` are those that the log declares so; ``stretches`` numbers the
    stretch of play of each round and ``closing`` holds those that end with the table's closing, which ends every carried wager;
    ``round_rulings`` the rulings on which every due of a round hangs: those of its version, and those by which the round stands
    or is invalid.
    """

    evaluators: Sequence[Evaluator]
    of_round: pl.Series
    why_not: Sequence[str]
    voids: dict[int, Void]
    declared: frozenset[int]
    stretches: Sequence[int]
    closing: frozenset[int]
    round_rulings: dict[int, tuple[str, ...]]

    @cached_property
    def of(self) -> Sequence[Evaluator | None]:
        """The evaluators of the rounds, None where there is none or where the round cannot be judged."""
        numbers = zip(self.of_round.to_list(), self.why_not, strict=True)
        return [None if number is None or why else self.evaluators[number] for number, why in numbers]
