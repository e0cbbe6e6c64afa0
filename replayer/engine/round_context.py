"""What judges each round of stacked table-days, whether the round is void, and how all in it was judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from replayer.contract.game import Game
from replayer.engine.distinct_values import ColumnOf
from replayer.engine.evaluator import Evaluator
from replayer.engine.histories import Histories, Subject
from replayer.engine.judgements import Judgements
from replayer.engine.rules_in_force import ANOTHER_TABLE, RulesPeriod
from replayer.engine.stacked_days import SPAN
from replayer.integrity.inspection import Log
from replayer.law.calendar import NONE_AT_HAND
from replayer.log.columns import of_kind


@dataclass(frozen=True)
class RoundContext:
    """The evaluators of stacked table-days, and what concerns whole rounds.

    Attributes:
        periods: the rules of each round, by index.
        evaluator_numbers: by round index the number of its evaluator, null where there is none.
        unjudged_reasons: by round index why the round cannot be judged, empty where it can.
        voids: the void rounds, with the article that makes them invalid, empty where none does; ``declared_void`` are those that
            the log declares void, with the ``seq`` at which it first does so; all others can be judged.
        unfinished: the rounds in the middle of which the logs end: what they lack may still come.
        stretches: the number of each round's stretch of play; ``closing`` are the stretches that end with the table's closing,
            which ends every carried wager.
        round_rulings: the rulings on which every due of a round depends: those of its version, and those that decide whether the
            round is invalid.
        made_ready_over_a_gap: the rounds whose cards were begun to be made ready before events that are missing.
    """

    periods: ColumnOf[RulesPeriod]
    evaluators: Sequence[Evaluator]
    evaluator_numbers: pl.Series
    unjudged_reasons: Sequence[str]
    voids: dict[int, str]
    declared_void: Mapping[int, int]
    unfinished: frozenset[int]
    stretches: Sequence[int]
    closing: frozenset[int]
    round_rulings: dict[int, tuple[str, ...]]
    made_ready_over_a_gap: frozenset[int]

    @cached_property
    def evaluator_of(self) -> Sequence[Evaluator | None]:
        """The evaluators by round index, None where the round cannot be judged."""
        numbers = zip(self.evaluator_numbers.to_list(), self.unjudged_reasons, strict=True)
        return [None if number is None or why else self.evaluators[number] for number, why in numbers]


@dataclass(frozen=True, slots=True)
class JudgedDays:
    """The situations of stacked table-days, and their judgements by the rules of their game."""

    game: Game
    histories: Histories
    context: RoundContext
    judgements: Judgements


def context_of(
    logs: Sequence[Log],
    events: pl.DataFrame,
    histories: Histories,
    judgements: Judgements,
    periods: ColumnOf[RulesPeriod],
    evaluators: Sequence[Evaluator],
    of_round: pl.Series,
) -> RoundContext:
    """The context of stacked table-days; ``of_round`` has the number of each round's evaluator, by index."""
    index = {number: ri for ri, number in enumerate(histories.rounds["round"].to_list())}
    missing = sorted(gap + day * SPAN for day, log in enumerate(logs) for gap in log.gaps)
    gaps = pl.Series(missing, dtype=pl.Int64)  # right before each of these stacked numbers events are missing
    over_a_gap = _made_ready_over_a_gap(histories, gaps)
    declarations = of_kind(events, ("RoundVoided",), "round", "seq").group_by("round").agg(pl.col("seq").min())
    declared = {index[number]: seq for number, seq in declarations.iter_rows()}
    voids = dict.fromkeys(declared, "")
    of_period = [_unjudged_reason(period) for period in periods.values]
    unjudged = [of_period[number] for number in periods.numbers.tolist()]
    for day, log in enumerate(logs):
        for number, why in log.lacking.items():
            if (ri := index.get(number + day * SPAN)) is not None:
                unjudged[ri] = why
    ends_in = (index.get(log.unfinished + day * SPAN) for day, log in enumerate(logs) if log.unfinished is not None)
    unfinished = frozenset(ri for ri in ends_in if ri is not None)
    voids |= {ri: article for ri, article in judgements.invalid_rounds() if not unjudged[ri]}
    stretches, closing = _stretches(logs, histories.rounds["first_seq"], events, gaps)
    rests_on = {ri: period.rulings for ri, period in periods.rows(lambda period: bool(period.rulings))}
    for ri, rulings in judgements.rulings_of_rounds():
        if ri not in declared:
            rests_on[ri] = (*rests_on.get(ri, ()), *rulings)
    return RoundContext(
        periods, evaluators, of_round, unjudged, voids, declared, unfinished, stretches, closing, rests_on, over_a_gap
    )


def _made_ready_over_a_gap(histories: Histories, gaps: pl.Series) -> frozenset[int]:
    """The rounds whose cards were begun to be made ready before events that are missing in an earlier round, which may have made
    them so."""
    if gaps.is_empty():
        return frozenset()
    rows = histories.rows[Subject.ROUND].group_by("key", maintain_order=True).first()
    begun = histories.rounds["first_seq"].gather(rows["key"])
    over = gaps.search_sorted(rows["seq"], side="right") < gaps.search_sorted(begun, side="right")
    return frozenset(rows["key"].filter(over))


def _stretches(
    logs: Sequence[Log], first_seqs: pl.Series, events: pl.DataFrame, gaps: pl.Series
) -> tuple[list[int], frozenset[int]]:
    """The stretch of play of each round, and the stretches that end with the table's closing, so far as no events are missing
    after their last round, which may be further rounds. A stretch ends where the books were closed, where the table was closed
    again, and with the table-day."""
    closings = set(of_kind(events, ("TableClosed",), "seq")["seq"].to_list())
    ends = closings | {log.closed + day * SPAN for day, log in enumerate(logs) if log.closed is not None}
    ends = ends | {(day + 1) * SPAN - 1 for day in range(len(logs))}
    ordered = pl.Series(sorted(ends), dtype=pl.Int64)
    of_round: list[int] = ordered.search_sorted(first_seqs, side="left").to_list()
    if not gaps.is_empty():
        last_begun = pl.DataFrame({"end": ordered.gather(of_round), "begun": first_seqs}).group_by("end").max()
        last_gap = gaps.search_sorted(last_begun["end"], side="right")
        closings.difference_update(
            last_begun["end"].filter(gaps.search_sorted(last_begun["begun"], side="right") < last_gap)
        )
    return of_round, frozenset(number for number, end in enumerate(ordered) if end in closings)


def _unjudged_reason(period: RulesPeriod) -> str:
    if period is ANOTHER_TABLE:
        return "the table was opened again for another game or in another currency"
    if period.version is None:
        return NONE_AT_HAND
    if period.rules is None:
        return f"the text of {period.version.id} is not at hand"
    return ""
