"""Cuts table-days into rounds and judges every situation in them; verdicts and explanations are made from the result.

Table-days of one game are stacked and judged together, to share the fixed costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, cast

import numpy as np
import polars as pl

from replayer.columns import WAGER, of_kind
from replayer.engine.carried_wagers import CarriedResults, note_markers
from replayer.engine.distinct_values import ColumnOf, Numbered
from replayer.engine.division import divide
from replayer.engine.evaluator import Evaluator, evaluator_of
from replayer.engine.event_symbols import blames_equipment
from replayer.engine.histories import Histories
from replayer.engine.history_rows import EVERY_ROUND, histories_of
from replayer.engine.impossible_cards import (
    CARD_IMPOSSIBLE,
    SHOE_EMPTIED,
    ShoeInUse,
    cards_of_other_suits,
    emptied_shoes,
    too_many_cards,
)
from replayer.engine.judgements import Judgements, judge_all
from replayer.engine.placing import beyond_limits
from replayer.engine.round_context import RoundContext
from replayer.engine.rounds import by_round
from replayer.engine.ruled import Ruled
from replayer.engine.rules_in_force import ANOTHER_TABLE, ReplaySettings, RulesPeriod, periods
from replayer.engine.settle import wagers_due
from replayer.engine.shared_seats import judge_bettors, judge_deciders
from replayer.engine.stack import SPAN, stack
from replayer.game import Game, WagerKinds
from replayer.integrity.log import Log
from replayer.law.calendar import games
from replayer.wagers import Due, Void
from schemas.finding import Finding, Severity, declare

GAME_UNKNOWN: Final = declare("GAME_UNKNOWN", Severity.INTEGRITY, "A game that this program does not know")
FindingOfDay = tuple[int, Finding]
"""A finding with the number of its table-day among the stacked ones, of which several may be the same sealed table-day."""
EVENTS_LACKING: Final = (
    "events of this round are missing",
    "events that this round hangs on break the contract",
    "two different events that this round hangs on have one number",
)
"""The reasons why a round without all of its events is not judged; the last one that holds is given."""


@dataclass(frozen=True, slots=True)
class JudgedDays:
    """The situations of stacked table-days, and their judgements by the rules of their game."""

    game: Game
    histories: Histories
    context: RoundContext
    judgements: Judgements


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """Stacked table-days of one game, cut and judged, before payments are compared.

    ``rounds`` has the stacked number of each round by index, ``period_of`` its period, ``dues`` the due of each row of
    ``wagers``. ``judged`` is None where the game is unknown. ``scope`` gives the numbers of the first and the last round
    wanted.
    """

    logs: Sequence[Log]
    events: pl.DataFrame
    judged: JudgedDays | None
    periods: Sequence[RulesPeriod]
    period_of: Sequence[int]
    rounds: pl.Series
    wagers: pl.DataFrame
    dues: ColumnOf[Ruled[Due]]
    findings: Sequence[FindingOfDay]
    scope: tuple[int, int] = EVERY_ROUND

    def incomplete(self, ri: int) -> bool:
        """Whether events of a round are missing, or set aside as unsound."""
        return self.judged is not None and self.judged.context.unjudged_reasons[ri] in EVENTS_LACKING

    @property
    def game(self) -> Game | None:
        """The game; None where it is unknown."""
        return self.judged.game if self.judged else None

    @property
    def kinds(self) -> WagerKinds:
        """The kinds of wagers; none where the game is unknown."""
        return self.judged.game.wagers if self.judged else WagerKinds()

    @property
    def voids(self) -> Mapping[int, Void]:
        """The void rounds, by index."""
        return self.judged.context.voids if self.judged else {}

    def finding(self, code: str, seq: int, **more: object) -> FindingOfDay:
        """A finding at a stacked ``seq``; ``round``, if given, is stacked too."""
        return _finding(self.logs, code, seq, **more)


def _finding(logs: Sequence[Log], code: str, seq: int, **more: object) -> FindingOfDay:
    day, round_ = seq // SPAN, more.pop("round", None)
    number = round_ % SPAN if isinstance(round_, int) else None
    log = logs[day]
    return day, Finding(code, log.table_id, log.gaming_day, seq=seq % SPAN, round=number, **more)  # type: ignore[arg-type]


def by_game_and_readings(logs: Sequence[Log], settings: ReplaySettings) -> Iterator[tuple[str | None, list[int]]]:
    """The numbers of the table-days grouped by game and by their tables' own readings."""
    groups: dict[tuple[str | None, frozenset[tuple[str, str]]], list[int]] = {}
    for number, log in enumerate(logs):
        own = settings.table_readings.get(log.table_id, {})
        groups.setdefault((log.opened.game, frozenset(own.items())), []).append(number)
    return ((name, numbers) for (name, _), numbers in groups.items())


def reconstruct(
    logs: Sequence[Log],
    name: str | None,
    settings: ReplaySettings | Sequence[ReplaySettings],
    shown: int | None = None,
    *,
    dues_only: bool = False,
) -> Reconstruction:
    """Cut table-days of the game ``name`` into rounds and judge every situation in them; ``settings`` are those of all, or of
    each.

    Where only the round ``shown`` of a single table-day is wanted, only this round and those that it depends on are judged, with
    the same result for it, and its judgements have their explanatory steps. ``dues_only`` leaves out the checks of shoes, of
    seats and of markers, on which no due depends.
    """
    events = stack([log.events for log in logs])
    findings = [(day, finding) for day, log in enumerate(logs) for finding in log.findings]
    game = games().get(name) if name else None
    if game is None:
        if name is not None:
            said = f"{name!r} is no game known; there are {', '.join(games())}"
            opened = [log.opened.seq + day * SPAN for day, log in enumerate(logs)]
            findings += [_finding(logs, GAME_UNKNOWN.code, seq, message=said) for seq in opened]
        return _unjudged(logs, events, findings)
    scope = EVERY_ROUND if shown is None else rounds_behind(shown, events, game)
    histories = histories_of(events, game, scope)
    made, period_of, faults = _periods(logs, histories, game, settings)
    evaluators, evaluator_of_period = _evaluators(game, made)
    of_round = pl.Series(evaluator_of_period, dtype=pl.Int64).gather(pl.Series(period_of, dtype=pl.Int64))
    rounds = histories.rounds["round"]
    of_round = of_round.zip_with(rounds.is_between(*scope), pl.Series([None], dtype=pl.Int64))
    findings += faults
    if not dues_only:
        findings += _shoe_findings(logs, events, histories.rounds["first_seq"], made, period_of)
    index = {number: ri for ri, number in enumerate(rounds.to_list())}
    explained = None if shown is None else index.get(shown)
    judgements = judge_all(histories, evaluators, of_round, game, explained)
    gaps = _gaps_of(logs)
    over_a_gap = _made_ready_over_a_gap(histories, gaps)
    histories = histories.of_seats()
    voided = of_kind(events, ("RoundVoided",), "round", "remark_cause").rows()
    voids = {index[number]: Void(equipment=blames_equipment(cause or "")) for number, cause in voided}
    voids |= {ri: Void(article) for ri, article in judgements.invalid_rounds()}
    of_period = [_unjudged_reason(period) for period in made]
    unjudged_reasons = [of_period[number] for number in period_of]
    for day, log in enumerate(logs):
        for lacking, why in zip((log.incomplete_rounds, log.unsound, log.disputed), EVENTS_LACKING, strict=True):
            for number in lacking:
                if (ri := index.get(number + day * SPAN)) is not None:
                    unjudged_reasons[ri] = why
    stretches, closing = _stretches(logs, histories.rounds["first_seq"], events, gaps)
    rests_on = {ri: made[number].rulings for ri, number in enumerate(period_of) if made[number].rulings}
    declared = frozenset(index[number] for number, _ in voided)
    for ri, rulings in judgements.rulings_of_rounds():
        if ri not in declared:
            rests_on[ri] = (*rests_on.get(ri, ()), *rulings)
    context = RoundContext(
        evaluators, of_round, unjudged_reasons, voids, declared, stretches, closing, rests_on, over_a_gap
    )
    judgements.of_bettors = judge_bettors(events, histories, context, game)
    carried_results = CarriedResults(histories, context, judgements, game)
    wagers, dues = wagers_due(histories, context, judgements, carried_results, game)
    if not dues_only:
        judgements.noted += judge_deciders(events, rounds, wagers, context, game)
        judgements.noted += beyond_limits(wagers, context, game)
        if not game.suited:
            judgements.noted += cards_of_other_suits(events, rounds)
        note_markers(events, histories, wagers, context, judgements, carried_results, game)
    judged = JudgedDays(game, histories, context, judgements)
    return Reconstruction(logs, events, judged, made, period_of, rounds, wagers, dues, findings, scope)


def rounds_behind(shown: int, events: pl.DataFrame, game: Game) -> tuple[int, int]:
    """The numbers of the first and the last round on which the result of the round ``shown`` depends.

    A round depends on no other, unless wagers may be carried into it: finding where each of these ends, and which settlement is
    its own, takes all rounds.
    """
    carried = (pl.col("kind") == "WagerPlaced") & pl.col("wager_kind").is_in(sorted(game.wagers.carried))
    first = events.filter(carried & (pl.col("round") <= shown))["round"].min()
    return (shown, shown) if first is None else (cast("int", first), EVERY_ROUND[1])


def _gaps_of(logs: Sequence[Log]) -> pl.Series:
    """The stacked sequence numbers of the events right before which others are missing, in order."""
    return pl.Series(sorted(gap + day * SPAN for day, log in enumerate(logs) for gap in log.gaps), dtype=pl.Int64)


def _made_ready_over_a_gap(histories: Histories, gaps: pl.Series) -> frozenset[int]:
    """The rounds whose cards were begun to be made ready before events that are missing in an earlier round, which may have made
    them so."""
    if gaps.is_empty():
        return frozenset()
    rows = histories.rows["round"].group_by("key", maintain_order=True).first()
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


def _evaluators(game: Game, made: Sequence[RulesPeriod]) -> tuple[list[Evaluator], list[int | None]]:
    """The distinct evaluators, and the number of each period's evaluator."""
    numbered = Numbered[Evaluator](id)
    of_period = [numbered.number(evaluator_of(game, period.rules)) if period.rules else None for period in made]
    return numbered.all, of_period


def _periods(
    logs: Sequence[Log], histories: Histories, game: Game, settings: ReplaySettings | Sequence[ReplaySettings]
) -> tuple[list[RulesPeriod], list[int], list[FindingOfDay]]:
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
    return made, period_of, findings


def _unjudged_reason(period: RulesPeriod) -> str:
    if period is ANOTHER_TABLE:
        return "the table was opened again for another game or in another currency"
    if period.version is None:
        return "no version of the regulation was in force"
    if period.rules is None:
        return f"the text of {period.version.id} is not at hand"
    return ""


def _shoe_findings(
    logs: Sequence[Log],
    events: pl.DataFrame,
    first_seqs: pl.Series,
    periods: Sequence[RulesPeriod],
    period_of: Sequence[int],
) -> Iterator[FindingOfDay]:
    """The findings on the shoes, by the options elected at each table."""
    shoes = _shoes_in_use(len(logs), first_seqs, periods, period_of)
    if all(shoe.decks is None for shoe in shoes):
        return
    for seq, round_, message in too_many_cards(events, shoes):
        yield _finding(logs, CARD_IMPOSSIBLE.code, seq, round=round_, message=message)
    for begin, decks, refilled in shoes:
        day, within = divmod(begin, SPAN)
        if within or refilled or decks is None:
            continue
        for seq, round_, message in emptied_shoes(_before_any_shuffle(logs[day].events), decks):
            at = None if round_ is None else round_ + day * SPAN
            yield _finding(logs, SHOE_EMPTIED.code, seq + day * SPAN, round=at, message=message)


def _shoes_in_use(
    days: int, first_seqs: pl.Series, periods: Sequence[RulesPeriod], period_of: Sequence[int]
) -> list[ShoeInUse]:
    """The shoes that rounds were dealt from, each with its options; a shuffle after a round has begun serves the next round. Each
    table-day has periods of its own."""
    shoes = {day * SPAN: ShoeInUse(day * SPAN, None) for day in range(days)}
    judged = [number for number, period in enumerate(periods) if period.rules is not None]
    rounds = pl.DataFrame({"seq": first_seqs, "period": pl.Series(period_of, dtype=pl.Int64)}).sort("seq")
    rounds = rounds.filter(pl.col("period").is_in(judged)).with_columns(begun=pl.col("seq").shift())
    options = None
    for seq, period, begun in rounds.filter(pl.col("period").diff().fill_null(1) != 0).iter_rows():
        begin = max(seq // SPAN * SPAN, 0 if begun is None else begun + 1)
        own = periods[period].rules
        if own is not None and (begin in shoes or own.options is not options):
            options = own.options
            shoes[begin] = ShoeInUse(begin, options.decks, options.refilled)
    return sorted(shoes.values())


def _before_any_shuffle(events: pl.DataFrame) -> pl.DataFrame:
    shuffles = (events["kind"] == "ShoeShuffled").arg_true()
    return events if shuffles.is_empty() else events.head(shuffles[0])


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
        num=pl.lit(None, dtype=pl.Int64),
        den=pl.lit(None, dtype=pl.Int64),
        article=pl.lit(""),
        rulings=pl.lit(""),
        reason=pl.lit("the game is not known"),
        ended_ri=pl.col("ri"),
        due=pl.lit(None, dtype=pl.Int64),
    )
    return Reconstruction(
        logs, events, None, (), (), index["round"], wagers, ColumnOf((), np.zeros(0, np.int64)), findings
    )
