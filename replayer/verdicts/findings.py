"""The findings of judged table-days: payments other than what was due, wagers without settlement, settlements without wager, and
breaches."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import Final

import polars as pl

from replayer.engine.carried_wagers import RUN_UNJUDGED, STILL_RUNNING
from replayer.engine.histories import Subject
from replayer.engine.judgements import NotedBreach
from replayer.engine.reconstruct import Reconstruction
from replayer.engine.round_context import JudgedDays
from replayer.engine.stacked_days import SPAN, FindingOfDay, finding_at
from replayer.integrity.inspection import EventsLacking, Log
from replayer.log.columns import is_wager, of_kind
from replayer.verdicts import payment
from replayer.verdicts.deadlines import missed_deadlines
from replayer.verdicts.frames import returned_by_a_void
from schemas.finding import Code, Finding, Severity
from schemas.money import format_amount, format_due
from schemas.plural import spoken

_PLACE: Final = ("ended_ri", "seat", "hand", "kind")


def findings_of(
    rebuilt: Reconstruction, wagers: pl.DataFrame, matched: pl.DataFrame, nothing: pl.DataFrame
) -> list[list[Finding]]:
    """The findings of each stacked table-day."""
    found: list[list[Finding]] = [[] for _ in rebuilt.logs]
    money = (*_discrepancies(rebuilt, wagers), *_unmatched(rebuilt, wagers, matched, nothing))
    for day, finding in (*rebuilt.findings, *_breaches(rebuilt, matched), *money):
        found[day].append(finding)
    return [_with_late_corrections(own, log) for own, log in zip(found, rebuilt.logs, strict=True)]


def _with_late_corrections(found: list[Finding], log: Log) -> list[Finding]:
    """Name a late correction in the findings on the fact that it corrects, and in those of the fact's round."""
    if not log.corrected:
        return found
    last_first = log.corrected[::-1]
    of_event: dict[int | None, int] = {correction.corrects: correction.seq for correction in last_first}
    of_round: dict[int | None, int] = {
        correction.round: correction.seq for correction in last_first if correction.round is not None
    }
    late = {correction.seq for correction in log.corrected}
    return [
        finding
        if finding.seq in late
        else replace(finding, corrected_by=of_event.get(finding.seq) or of_round.get(finding.round))
        for finding in found
    ]


def _discrepancies(rebuilt: Reconstruction, wagers: pl.DataFrame) -> Iterator[FindingOfDay]:
    for row in wagers.filter(pl.col("delta_minor") != 0).iter_rows(named=True):
        due, paid = format_due(row["due_minor"], row["due_exact"]), format_amount(row["paid_minor"], sign=True)
        yield finding_at(
            rebuilt.logs,
            payment.OVERPAID if row["delta_minor"] > 0 else payment.UNDERPAID,
            row["settled_seq"] + row["day"] * SPAN,
            round_=row["round"],
            seat=row["seat"],
            article=row["article"],
            message=f"{spoken(row['wager'])}: paid {paid}, due {due}",
            delta_minor=row["delta_minor"],
        )


def _unmatched(
    rebuilt: Reconstruction, wagers: pl.DataFrame, matched: pl.DataFrame, nothing: pl.DataFrame
) -> Iterator[FindingOfDay]:
    """Findings on wagers without settlement, settlements without or before their wager, and changed stakes."""
    reasons = (*map(str, EventsLacking), STILL_RUNNING, RUN_UNJUDGED, payment.BEYOND_AMOUNTS)
    excused = pl.col("reason").is_in(reasons).fill_null(value=False)
    void = matched.select(void=returned_by_a_void(rebuilt)).to_series()
    open_ = pl.col("paid_minor").is_null() & ~void & ~excused
    in_books = ([gap for gap in log.gaps if log.closed is None or gap <= log.closed] for log in rebuilt.logs)
    last_gaps = [max(gaps, default=0) for gaps in in_books]
    for row in wagers.filter(open_).iter_rows(named=True):
        if row["wager"] in rebuilt.kinds.carried and row["placed_seq"] < last_gaps[row["day"]]:
            continue  # it may have been settled in any round since, until the books were closed
        yield finding_at(
            rebuilt.logs,
            payment.WAGER_UNSETTLED,
            row["placed_seq"] + row["day"] * SPAN,
            round_=row["round"],
            seat=row["seat"],
            article=row["article"],
            message=f"{spoken(row['wager'])} of {format_amount(row['stake_minor'])} placed, never settled",
        )
    lost, incomplete = ({}, {}) if nothing.is_empty() else (_lost_track(rebuilt), _first_incomplete(rebuilt))
    placed_there = matched.select(*_PLACE, bettor="player", placed="seq", due="due_minor", paid="net_minor")
    there = nothing.join(placed_there, on=_PLACE, nulls_equal=True)
    his = pl.col("player").is_null() | pl.col("player").eq_missing(pl.col("bettor"))
    settled_again = there.filter(pl.col("paid").is_not_null(), his)
    in_all = pl.col("paid") + pl.col("net_minor").fill_null(0).cum_sum().over("placed")
    completed = frozenset(settled_again.filter(in_all == pl.col("due"))["settled_seq"])
    again, of_others = frozenset(settled_again["settled_seq"]), frozenset(there["settled_seq"])
    of_chips = (pl.col("net_minor") != 0) | (pl.col("settled_stake") != 0)
    for row in nothing.filter(of_chips.fill_null(value=True)).iter_rows(named=True):
        ri = row["ended_ri"]
        placed = lost.get((row["settled_seq"] // SPAN, row["seat"], row["kind"]))
        followed = placed is None or placed > row["settled_seq"]
        whole = followed and (ri is None or not rebuilt.incomplete(ri))
        if ri is not None and row["kind"] in rebuilt.kinds.carried:  # it may have been placed in any round before
            whole = whole and incomplete.get(rebuilt.rounds[ri] // SPAN, ri) >= ri
        net = format_amount(row["net_minor"] or 0, sign=True)
        if row["settled_seq"] in again:
            why = "such a wager was settled already"
            why += ": together what was due" if row["settled_seq"] in completed else ""
        elif row["kind"] in rebuilt.kinds.carried:  # it may run on, or be over
            why = "no such wager was to be settled then"
        elif row["settled_seq"] in of_others:
            why = "whose wager is meant is not told" if row["player"] is None else "the wager there is another player's"
        else:
            why = "no such wager was placed"
        yield finding_at(
            rebuilt.logs,
            payment.SETTLED_NOTHING if whole else payment.SETTLEMENT_UNMATCHED,
            row["settled_seq"],
            round_=None if ri is None else rebuilt.rounds[ri],
            seat=row["seat"],
            message=f"{spoken(row['kind'])} settled at {net}, {why if whole else 'its wager cannot be told'}",
            delta_minor=row["net_minor"],
        )

    def of_settlement(seq: int, ri: int, seat: int, code: Code, message: str) -> FindingOfDay:
        return finding_at(rebuilt.logs, code, seq, message, round_=rebuilt.rounds[ri], seat=seat)

    alone = pl.col("reason").ne_missing(payment.BEYOND_AMOUNTS)
    for row in matched.filter(alone & (pl.col("settled_stake") != pl.col("stake_minor"))).iter_rows(named=True):
        laid, settled = format_amount(row["stake_minor"]), format_amount(row["settled_stake"])
        message = f"{spoken(row['kind'])} placed at {laid}, settled at {settled}"
        yield of_settlement(row["settled_seq"], row["ri"], row["seat"], payment.STAKE_CHANGED, message)
    for row in matched.filter(pl.col("settled_seq") < pl.col("seq")).iter_rows(named=True):
        message = f"{spoken(row['kind'])} settled before it was placed, at seq {row['seq'] % SPAN}"
        yield of_settlement(row["settled_seq"], row["ri"], row["seat"], payment.SETTLED_EARLY, message)


def _lost_track(rebuilt: Reconstruction) -> dict[tuple[int, int, str], int]:
    """Day, seat and kind of carried wagers that were lost track of as events are missing, with the ``seq`` of the first one."""
    wagers = rebuilt.wagers.filter(is_wager(rebuilt.kinds.carried) & pl.col("num").is_null())
    places = wagers.select(pl.col("seq") // SPAN, "seat", "kind", first="seq").sort("first", descending=True)
    return {(day, seat, kind): first for day, seat, kind, first in places.rows()}


def _first_incomplete(rebuilt: Reconstruction) -> dict[int, int]:
    """The first incomplete round of each table-day."""
    lacking = (ri for ri in reversed(range(len(rebuilt.rounds))) if rebuilt.incomplete(ri))
    return {rebuilt.rounds[ri] // SPAN: ri for ri in lacking}


def counts(note: NotedBreach, judged: JudgedDays, going_on: Container[int] = ()) -> bool:
    """Whether a breach is found. Rounds that are not judged are left out, and what may have been done in a gap or, in a round in
    which the log ends, may still be done; of void rounds only procedure counts, the markers, and wagers of rounds that the log
    does not declare void or that go on in later rounds (``going_on``, by where they were placed or settled)."""
    context = judged.context
    return (
        not context.unjudged_reasons[note.ri]
        and not (note.breach.at_end and note.ri in context.unfinished)
        and not (note.breach.code in judged.game.round.unprepared and note.ri in context.made_ready_over_a_gap)
        and (
            note.subject in (Subject.ROUND, Subject.MARKER)
            or note.ri not in context.voids  # broken off: its hands breach nothing
            or (note.subject is Subject.WAGER and (note.ri not in context.declared_void or note.seq in going_on))
        )
    )


def _breaches(rebuilt: Reconstruction, matched: pl.DataFrame) -> Iterator[FindingOfDay]:
    judged = rebuilt.judged
    if judged is None:
        return
    carried_on = matched.filter(pl.col("ended_ri") > pl.col("ri"))
    going_on = {*carried_on["seq"], *carried_on["settled_seq"]}
    # Whose wager was settled while it ran need not have known that it ran.
    taken = carried_on.filter(payment.SETTLED_AS_IT_RAN).select("seq", "due").rows()
    excused = {(seq, breach) for seq, due in taken for breach in rebuilt.dues.values[due].value.breaches}
    noted = [
        note
        for note in (*judged.judgements.noted, *missed_deadlines(rebuilt, judged, matched))
        if (note.seq, note.breach) not in excused and counts(note, judged, going_on)
    ]
    stakes, causes = _stakes_of_advisories(rebuilt, noted), _causes_of_removals(rebuilt, noted)
    for note in noted:
        breach = note.breach
        yield finding_at(
            rebuilt.logs,
            breach.code,
            note.seq,
            round_=rebuilt.rounds[note.ri],
            seat=note.seat,
            article=breach.article,
            message=breach.message + causes.get(note.seq, ""),
            stake_minor=stakes.get(note.seq) if _is_advisory(note) else None,
        )


def _is_advisory(note: NotedBreach) -> bool:
    return note.subject is Subject.WAGER and note.breach.code.severity is Severity.ADVISORY


def _stakes_of_advisories(rebuilt: Reconstruction, noted: Iterable[NotedBreach]) -> dict[int, int]:
    """The stakes of the wagers with advisories, by the stacked ``seq`` of their placement."""
    seqs = [note.seq for note in noted if _is_advisory(note)]
    advised = rebuilt.wagers.filter(pl.col("seq").is_in(seqs)) if seqs else rebuilt.wagers.clear()
    return dict(advised.select("seq", "stake_minor").iter_rows())


def _causes_of_removals(rebuilt: Reconstruction, noted: Iterable[NotedBreach]) -> dict[int, str]:
    """The causes given for taking cards away where something was found, in words, by the stacked ``seq``."""
    removed = of_kind(rebuilt.events, ("CardRemoved",), "seq", "remark_cause")
    found = removed.filter(pl.col("seq").is_in([note.seq for note in noted]))
    return {seq: f" ({cause or 'no cause given'})" for seq, cause in found.iter_rows()}
