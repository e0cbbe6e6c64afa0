"""A gaming day after its run, and the same in words: its account, its sentence, its findings by code."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from analytics.lake.losses import Loss
from analytics.lake.statuses import Status, TableStatus
from analytics.reconciliation.result import Reconciliation, merged
from analytics.sentence import NO_REASON, UNREAD, Totals, listed, sentence, short_summary, totals_of
from analytics.texts import Grid, amount, count, label
from flows.unsealed import Unsealed
from replayer.sources.table_days import TableDayRef
from replayer.verdicts.replay_totals import TABLE_DAY_UNJUDGED, Summary
from schemas.finding import CODES, Severity
from schemas.plural import plural

_MOST: Final = 20
_LETTERS: Final = 200


@dataclass(frozen=True, slots=True)
class Night:
    """A gaming day after its run.

    ``made_anew`` names table-days whose verdicts were damaged in the lake, and how; they were judged again. The empty name
    stands for the note of the day. ``restored`` names those that were judged although the run before could not read their logs,
    and why it could not. ``report_not_kept`` says why a flow could not write the day's report, where it could not.
    """

    reconciliation: Reconciliation
    replayed: tuple[str, ...]
    unchanged: tuple[str, ...]
    unsealed: tuple[str, ...]
    seconds: float
    made_anew: Mapping[str, str] = field(default_factory=dict)
    restored: Mapping[str, str] = field(default_factory=dict)
    report_not_kept: str = ""

    @property
    def failed(self) -> dict[str, str]:
        """The table-days on which the program itself failed, and why."""
        return {each.table_id: each.why for each in self.reconciliation.open_statuses if each.status is Status.FAILED}

    @property
    def clean(self) -> bool:
        """Whether everything ran and agrees."""
        return self.reconciliation.clean

    @property
    def undone(self) -> dict[str, str]:
        """Tables that were not judged, or not all of them, and why: damaged, failed, not sealed or absent."""
        missing = {
            each.table_id: f"{each.status.in_words}: {each.why}"
            for each in self.reconciliation.open_statuses
            if each.status in (Status.ABSENT, Status.NOT_SEALED)
        }
        return {**missing, **self.reconciliation.damaged, **self.failed}

    def to_dict(self) -> dict[str, Any]:
        """A JSON object: the run, then the reconciliation."""
        return {
            "replayed": list(self.replayed),
            "unchanged": list(self.unchanged),
            "unsealed": list(self.unsealed),
            "failed": self.failed,
            "made_anew": dict(self.made_anew),
            "restored": dict(self.restored),
            "seconds": round(self.seconds, 3),
            **self.reconciliation.to_dict(),
        }


def totals(night: Night) -> Totals:
    """What a gaming day came to."""
    return totals_of(night.reconciliation, sum(map(bool, night.made_anew)))  # the day's note has no name


def in_all(nights: Iterable[Night]) -> Totals:
    """What several gaming days came to; tables without verdicts are named after their day."""
    total = Totals()
    for night in nights:
        own, day = totals(night), night.reconciliation.gaming_day
        tables = (names for what, names in own.missing.items() if what != UNREAD)
        for names in (*tables, own.not_counted, own.replaced, own.gaps, own.unexpected):
            names[:] = [f"{table} of {day}" for table in names]
        total.add(own)
    return total


class NotJudged(NamedTuple):
    """A table that was not completely judged on a gaming day: its status, and why; a row of a grid."""

    table_id: str
    gaming_day: str
    what: str
    why: str


def left_by_replay(
    summary: Summary, unsealed: Mapping[TableDayRef, Unsealed], open_: Iterable[tuple[dt.date, TableStatus]]
) -> list[NotJudged]:
    """The tables that a replay did not judge: what could not be read, what is not sealed, and what else the lake misses (of
    ``open_``): what is absent, and logs that were judged and are no longer in the archive."""
    found: dict[tuple[str, dt.date], NotJudged] = {}

    def add(table_id: str, day: dt.date, became: Status, why: str) -> None:
        found.setdefault((table_id, day), NotJudged(table_id, str(day), became.in_words, why))

    for each in summary.damaged:
        became = Status.FAILED if TABLE_DAY_UNJUDGED in each.findings else Status.DAMAGED
        add(each.table_id, each.gaming_day, became, each.damage)
    sealed = {(each.table_id, each.gaming_day) for each in summary.outcomes}
    for ref, left in unsealed.items():
        unread = left.damage and (ref.table_id, ref.gaming_day) not in sealed
        add(ref.table_id, ref.gaming_day, Status.DAMAGED if unread else Status.NOT_SEALED, str(left))
    for day, status in open_:
        if status.status is not Status.JUDGED:
            add(status.table_id, day, status.status, status.why)
    return sorted(found.values(), key=lambda each: (each.gaming_day, each.table_id))


def replayed(
    summary: Summary,
    left: Sequence[NotJudged],
    open_: Iterable[tuple[dt.date, TableStatus]],
    quarantined: int,
    lost: Iterable[Loss],
    replaced: int,
    misplaced: int,
) -> str:
    """The result of a replay in one sentence: as :func:`one_sentence`, without chips and cash, which a replay does not count.

    ``open_`` are tables that keep their gaming days from being clean, by the lake; ``misplaced`` counts logs whose place names no
    gaming day.
    """
    days = sorted({str(each.gaming_day) for each in summary.outcomes} | {each.gaming_day for each in left})
    many = len(days) > 1

    def name(table_id: str, day: object) -> str:
        return f"{table_id} of {day}" if many else table_id

    not_judged_at = {(each.table_id, each.gaming_day) for each in left}
    judged = sum((each.table_id, str(each.gaming_day)) not in not_judged_at for each in summary.outcomes)
    total = Totals(len(days), judged, quarantined=quarantined, misplaced=misplaced)
    total.lost += [str(each) for each in lost if each.open]
    for each in left:
        unread = each.table_id == each.gaming_day
        what, named = (UNREAD, each.table_id) if unread else (each.what, name(each.table_id, each.gaming_day))
        total.missing.setdefault(what, []).append(named)
    total.unexpected += [name(each.table_id, day) for day, each in open_ if each.status is Status.JUDGED]
    for outcome in summary.outcomes:
        total.count_amounts("overpaid", *outcome.overpaid, outcome.currency)
        total.count_amounts("underpaid", *outcome.underpaid, outcome.currency)
    for code, number in summary.findings.items():
        total.count_findings(code, CODES[code].severity, number)
    total.unjudged.update(summary.unjudged)
    if replaced:
        total.findings[Severity.INTEGRITY] += replaced
    return sentence(f"{days[0]} to {days[-1]}" if many else days[0], total, "nothing found at play")


def one_sentence(night: Night) -> str:
    """The gaming day in one sentence."""
    return sentence(str(night.reconciliation.gaming_day), totals(night))


def with_earlier(said: str, earlier: Iterable[Night]) -> str:
    """The sentence of a gaming day, and which of the ``earlier`` ones that were run before it are not clean."""
    days = [str(night.reconciliation.gaming_day) for night in earlier if not night.clean]
    if not days:
        return said
    are = plural(len(days), "earlier gaming day is", "earlier gaming days are")
    return f"{said.removesuffix('.')}; and {are} not clean: {listed(days)}."


def short(nights: Iterable[Night]) -> str:
    """One gaming day or several in a few words."""
    return short_summary(in_all(nights))


def made_anew(night: Night) -> list[str]:
    """What of the day was damaged in the lake and made anew, in words."""
    return [
        f"what the lake held of {table or 'the day as a whole'} was damaged and was made anew: {what}"
        for table, what in night.made_anew.items()
    ]


def restored(night: Night) -> list[str]:
    """Which logs of the day could be read again, in words."""
    return [
        f"{table} can be read again and was judged; it could not be before: {why}"
        for table, why in night.restored.items()
    ]


def not_judged(nights: Iterable[Night]) -> Grid:
    """The tables of some nights that were not completely judged, with their status and why."""
    found = []
    for night in nights:
        said = night.reconciliation
        whys = {each.table_id: each.why for each in said.open_statuses} | said.damaged | night.failed
        found += [
            NotJudged(table, str(said.gaming_day), what, whys.get(table, ""))
            for what, tables in totals(night).missing.items()
            for table in tables
        ]
    return not_judged_grid(found)


def not_judged_grid(left: Iterable[NotJudged]) -> Grid:
    """The grid of the tables that were left."""
    return Grid("Tables that were not judged", ("table", "gaming day", "what became of it", "why"), tuple(left))


def not_as_expected(nights: Iterable[Night]) -> Grid:
    """The tables that the register does not name, and those whose status somebody acknowledged."""
    rows = [
        (each.table_id, str(night.reconciliation.gaming_day), each.in_words, each.why, str(each.acknowledged or "no"))
        for night in nights
        for each in night.reconciliation.noted_statuses
        if each.acknowledged or each.status is Status.JUDGED
    ]
    return Grid("Tables not as expected", ("table", "gaming day", "what", "why", "acknowledged"), tuple(rows))


def unjudged(nights: Iterable[Night]) -> Grid:
    """The unjudged wagers by reason, the most frequent first."""
    columns = ("reason", "currency", "#wagers", "#stakes", "#paid to players")
    sums: dict[tuple[str, str], tuple[int, int, int]] = {}
    for night in nights:
        for row in night.reconciliation.unjudged:
            key = row.reason or NO_REASON, row.currency or ""
            wagers, stakes, paid = sums.get(key, (0, 0, 0))
            sums[key] = (wagers + row.wagers, stakes + row.stake_minor, paid + row.paid_minor)
    most = sorted(sums.items(), key=lambda item: (-item[1][0], item[0]))
    rows = [
        (label(reason, _LETTERS), label(currency, _LETTERS), count(wagers), amount(stakes), amount(paid, sign=True))
        for (reason, currency), (wagers, stakes, paid) in most[:_MOST]
    ]
    if left := most[_MOST:]:
        rows.append((f"{count(len(left))} more reasons", "", count(sum(wagers for _, (wagers, _, _) in left)), "", ""))
    return Grid("Wagers that nobody could judge", columns, tuple(rows))


def findings_of(nights: Iterable[Night]) -> Grid:
    """Findings by code, the gravest first: how many, the money, and of advisories how often and on which stakes."""
    columns = ("code", "severity", "#count", "#amount", "#times", "#on stakes", "currency", "what")
    counts = merged(each for night in nights for each in night.reconciliation.findings)
    several = len({each.currency for each in counts if each.currency}) > 1
    rows = [
        (
            each.code,
            each.severity,
            count(each.count),
            "" if each.delta_minor is None else amount(each.delta_minor, sign=True),
            "" if each.times == each.count else count(each.times),
            "" if each.stake_minor is None else amount(each.stake_minor),
            label(each.currency or "", _LETTERS) if several else "",
            each.title,
        )
        for each in counts
    ]
    return Grid("Findings", columns, tuple(rows))
