"""Cuts table-days into rounds, judges every situation in them, and settles the wagers again: what each is due, by which article,
and on which rulings that depends. Verdicts and explanations are made from the result.

Table-days of one game are stacked and judged together, to share the fixed costs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, cast

import numpy as np
import polars as pl

from replayer.contract.game import Game, WagerKinds
from replayer.contract.wagers import Due
from replayer.engine.called_totals import called_out_of_order
from replayer.engine.carried_wagers import CarriedResults
from replayer.engine.distinct_values import ColumnOf, Numbered
from replayer.engine.division import divide
from replayer.engine.due_lookup import due_numbers, numbered_dues
from replayer.engine.evaluator import Evaluator, evaluator_of
from replayer.engine.first_cards import FirstCards
from replayer.engine.histories import SEAT_KEY, Histories, Subject
from replayer.engine.history_rows import EVERY_ROUND, histories_of
from replayer.engine.impossible_cards import cards_of_other_suits, findings_on_shoes
from replayer.engine.judgements import NotedBreach, judge_all
from replayer.engine.placing import (
    beyond_limits,
    judge_stakes,
    rows_of_kinds,
    with_base,
    with_lateness,
    with_other_side_wagers,
    without_occupants,
)
from replayer.engine.removed_in_columns import ignoring_collected
from replayer.engine.replay_settings import ReplaySettings
from replayer.engine.round_context import JudgedDays, RoundContext, context_of
from replayer.engine.rounds import by_round, some_at_a_time
from replayer.engine.ruled import NO_RULINGS, Ruled, Rulings, numbered_rulings
from replayer.engine.rules_in_force import RulesPeriod, periods
from replayer.engine.shared_seats import judge_bettors, judge_deciders
from replayer.engine.stacked_days import SPAN, FindingOfDay, finding_at, stack
from replayer.integrity.inspection import Log
from replayer.law.calendar import games
from replayer.log.columns import TEXT, WAGER
from schemas.finding import of_integrity

GAME_UNKNOWN: Final = of_integrity("GAME_UNKNOWN", "A game that this program does not know")
_WAGERS_AT_A_TIME: Final = 1 << 16
"""More wagers than most batches of table-days have."""


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """Stacked table-days of one game, cut and judged, before payments are compared.

    ``rounds`` has the stacked number of each round by index, ``dues`` the due of each row of ``wagers``, ``rulings`` the rulings
    by the numbers there. ``judged`` is None where the game is unknown. ``scope`` gives the numbers of the first and the last
    round wanted.
    """

    logs: Sequence[Log]
    events: pl.DataFrame
    judged: JudgedDays | None
    rounds: pl.Series
    wagers: pl.DataFrame
    dues: ColumnOf[Ruled[Due]]
    rulings: Numbered[Rulings]
    findings: Sequence[FindingOfDay]
    scope: tuple[int, int] = EVERY_ROUND

    def incomplete(self, ri: int) -> bool:
        """Whether events of a round are missing, or set aside as unsound."""
        day, number = divmod(self.rounds[ri], SPAN)
        return number in self.logs[day].lacking

    @property
    def game(self) -> Game | None:
        """The game; None where it is unknown."""
        return self.judged.game if self.judged else None

    @property
    def kinds(self) -> WagerKinds:
        """The kinds of wagers; none where the game is unknown."""
        return self.judged.game.wagers if self.judged else WagerKinds()

    @property
    def voids(self) -> Mapping[int, str]:
        """The void rounds, by index, with the articles that make them invalid."""
        return self.judged.context.voids if self.judged else {}


def by_game_and_rounding(
    logs: Sequence[Log], settings: Sequence[ReplaySettings]
) -> Mapping[tuple[str | None, str], list[int]]:
    """The numbers of the table-days, each with its settings, by game and by the reading of ruling X-2 on rounding."""
    groups: dict[tuple[str | None, str], list[int]] = {}
    for number, (log, own) in enumerate(zip(logs, settings, strict=True)):
        groups.setdefault((log.opened.game, own.readings_for(log.table_id)("X-2")), []).append(number)
    return groups


def reconstruct(
    logs: Sequence[Log],
    name: str | None,
    settings: ReplaySettings | Sequence[ReplaySettings],
    shown: int | None = None,
    *,
    dues_only: bool = False,
    own_undrawn: Sequence[Collection[int]] | None = None,
) -> Reconstruction:
    """Cut table-days of the game ``name`` into rounds and judge every situation in them; ``settings`` are those of all, or of
    each.

    Where only the round ``shown`` of a single table-day is wanted, only this round and those that it depends on are judged, with
    the same result for it, and its judgements have their explanatory steps. ``dues_only`` leaves out the checks of shoes, of
    seats and of markers, on which no due depends. ``own_undrawn`` is given where table-days are settled by other rules than they
    were played by: the rounds of each in which the bank took too few cards by its own rules. Where it did so by the others only,
    the log does not have its hand.
    """
    events = stack([log.events for log in logs])
    findings = [(day, finding) for day, log in enumerate(logs) for finding in log.findings]
    game = games().get(name) if name else None
    if game is None:
        if name is not None:
            said = f"{name!r} is no game known; there are {', '.join(games())}"
            opened = [log.opened.seq + day * SPAN for day, log in enumerate(logs)]
            findings += [finding_at(logs, GAME_UNKNOWN, seq, said) for seq in opened]
        return _unjudged(logs, events, findings)
    events = ignoring_collected(events, game)
    scope = EVERY_ROUND if shown is None else rounds_behind(shown, events, game)
    histories = histories_of(events, game, scope)
    in_force, faults = _periods(logs, histories, game, settings)
    evaluators = Numbered[Evaluator](id)
    of_period = [evaluators.number(evaluator_of(game, each.rules)) if each.rules else None for each in in_force.values]
    of_round = pl.Series(of_period, dtype=pl.Int64).gather(in_force.of_row)
    rounds = histories.rounds["round"]
    of_round = of_round.zip_with(rounds.is_between(*scope), pl.Series([None], dtype=pl.Int64))
    findings += faults
    judgements = judge_all(histories, evaluators.all, of_round, game, shown)
    if own_undrawn is not None:
        own = {number + day * SPAN for day, numbers in enumerate(own_undrawn) for number in numbers}
        judgements.leave_open({ri: known for ri, known in judgements.undrawn(game).items() if rounds[ri] not in own})
    context = context_of(logs, events, histories, judgements, in_force, evaluators.all, of_round)
    histories = histories.of_seats()
    judged = JudgedDays(game, histories, context, judgements)
    judgements.of_bettors = judge_bettors(events, judged)
    carried_results, rulings = CarriedResults(judged), numbered_rulings()
    wagers, dues = _wagers_due(judged, carried_results, rulings)
    if not dues_only:
        findings += findings_on_shoes(logs, events, judged)
        judgements.noted += judge_deciders(events, wagers, judged)
        judgements.noted += beyond_limits(wagers, judged)
        judgements.noted += without_occupants(wagers, judged)
        judgements.noted += called_out_of_order(events, judged)
        if not game.bank.suited:
            judgements.noted += cards_of_other_suits(events, rounds)
        carried_results.note_markers(events)
    return Reconstruction(logs, events, judged, rounds, wagers, dues, rulings, findings, scope)


def _wagers_due(
    judged: JudgedDays, carried_results: CarriedResults, rulings: Numbered[Rulings]
) -> tuple[pl.DataFrame, ColumnOf[Ruled[Due]]]:
    """The placed wagers with their dues: ``num`` / ``den`` of the stake, article, reason, the number in ``rulings`` of those
    that it rests on, ``ended_ri``.

    The second part has the complete dues; ``due`` is a due's number in it.
    """
    game, histories, noted = judged.game, judged.histories, judged.judgements.noted
    placed = histories.wagers
    on_first_cards = rows_of_kinds(placed, game.wagers.first_cards)
    first_cards = FirstCards(histories, placed.select(SEAT_KEY)["key"].gather(on_first_cards), game)
    based = [with_base(some, game) for some in _some_wagers(placed, histories)]
    wagers = with_lateness(pl.concat(based), first_cards, judged, rulings)
    dues = numbered_dues()
    of_wager = due_numbers(wagers, judged, first_cards, rulings, dues)
    of_wager, ended = carried_results.follow(wagers, of_wager, dues)
    due_column = ColumnOf(dues.all, of_wager.to_numpy())
    for some in _some_wagers(with_other_side_wagers(wagers, ended, game), histories):
        judge_stakes(some, judged)
    places = wagers.select("ri", "seat", "seq")
    for row, due in due_column.rows(lambda due: bool(due.value.breaches)):
        ri, seat, seq = places.row(row)
        noted += [NotedBreach(breach, ri, seat, Subject.WAGER, seq=seq) for breach in due.value.breaches]
    rests_on = _rulings_of(placed["ri"], due_column, judged.context, rulings)
    columns = _columns(due_column)
    settled = placed.with_columns(wagers["begun"], **columns, rulings=rests_on, ended_ri=ended, due=of_wager)
    return settled, due_column


def _rulings_of(
    ris: pl.Series, dues: ColumnOf[Ruled[Due]], context: RoundContext, rulings: Numbered[Rulings]
) -> pl.Series:
    """The number of the rulings of each wager and of its round, each once."""
    own = pl.Series([rulings.number(due.rulings) for due in dues.values], dtype=pl.Int64).gather(dues.of_row)
    if not context.round_rulings:
        return own
    numbers = [rulings.number(context.round_rulings.get(ri, ())) for ri in range(len(context.stretches))]
    pairs = pl.DataFrame({"own": own, "of_round": pl.Series(numbers, dtype=pl.Int64).gather(ris)})
    distinct = pairs.unique()
    both = [tuple(dict.fromkeys((*rulings.all[one], *rulings.all[other]))) for one, other in distinct.iter_rows()]
    known = distinct.with_columns(both=pl.Series(map(rulings.number, both), dtype=pl.Int64))
    return pairs.join(known, on=pairs.columns, how="left", maintain_order="left")["both"]


def _some_wagers(wagers: pl.DataFrame, histories: Histories) -> Iterator[pl.DataFrame]:
    """The wagers of some rounds at a time: grouping them takes several times their memory."""
    return (some for some, _, _ in some_at_a_time(wagers, histories.rounds.height, _WAGERS_AT_A_TIME))


def _columns(dues: ColumnOf[Ruled[Due]]) -> dict[str, pl.Series]:
    odds = [due.value.odds for due in dues.values]
    reasons = [due.value.unjudged if due.value.odds is None else None for due in dues.values]
    distinct = {
        "num": pl.Series([None if o is None else o.numerator for o in odds], dtype=pl.Int64),
        "den": pl.Series([None if o is None else o.denominator for o in odds], dtype=pl.Int64),
        "article": pl.Series([due.value.article for due in dues.values], dtype=TEXT),
        "reason": pl.Series(reasons, dtype=TEXT),
    }
    return {name: values.gather(dues.of_row) for name, values in distinct.items()}


def rounds_behind(shown: int, events: pl.DataFrame, game: Game) -> tuple[int, int]:
    """The numbers of the first and the last round on which the result of the round ``shown`` depends.

    A round depends on no other, unless wagers may be carried into it: finding where each of these ends, and which settlement is
    its own, takes all rounds.
    """
    carried = (pl.col("kind") == "WagerPlaced") & pl.col("wager_kind").is_in(sorted(game.wagers.carried))
    first = events.filter(carried & (pl.col("round") <= shown))["round"].min()
    return (shown, shown) if first is None else (cast("int", first), EVERY_ROUND[1])


def _periods(
    logs: Sequence[Log], histories: Histories, game: Game, settings: ReplaySettings | Sequence[ReplaySettings]
) -> tuple[ColumnOf[RulesPeriod], list[FindingOfDay]]:
    """The rules of each round, and the findings on the options."""
    made: list[RulesPeriod] = []
    period_of: list[int] = []
    findings: list[FindingOfDay] = []
    of_log = [settings] * len(logs) if isinstance(settings, ReplaySettings) else settings
    bet_at = by_round(histories.rounds.height, histories.wagers["ri"], histories.wagers["at"])
    began = bet_at.fill_null(histories.rounds["started_at"]).alias("began")
    begun = histories.rounds.select(pl.col("first_seq") % SPAN, began, ended="ended_at")
    begins = histories.rounds["round"].search_sorted(pl.Series(range(len(logs) + 1)) * SPAN).to_list()
    for number, (begin, end) in enumerate(pairwise(begins)):
        if begin == end:
            continue
        own, of_round, faults = periods(logs[number], begun.slice(begin, end - begin), game, of_log[number])
        period_of += [len(made) + period for period in of_round]
        made += own
        findings += [(number, fault) for fault in faults]
    return ColumnOf(made, np.array(period_of, np.int64)), findings


def _unjudged(logs: Sequence[Log], events: pl.DataFrame, findings: Sequence[FindingOfDay]) -> Reconstruction:
    """Table-days of an unknown game: every wager is listed, none has a due."""
    index = divide(events)[0].select("round", "ri")
    placed = events.filter(pl.col("kind") == "WagerPlaced").join(index, on="round", how="left", maintain_order="left")
    wagers = placed.select(
        "ri",
        "seq",
        "at",
        **WAGER,
        position=pl.col("wager_position"),
        moment=pl.lit(0, dtype=pl.Int32),
        **{name: pl.lit(None, dtype=pl.Int64) for name in ("num", "den", "due")},
        article=pl.lit(""),
        rulings=pl.lit(NO_RULINGS, dtype=pl.Int64),
        reason=pl.lit("the game is not known"),
        ended_ri=pl.col("ri"),
    )
    dues: ColumnOf[Ruled[Due]] = ColumnOf((), np.zeros(0, np.int64))
    return Reconstruction(logs, events, None, index["round"], wagers, dues, numbered_rulings(), findings)
