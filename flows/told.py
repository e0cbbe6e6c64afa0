"""What a run of a gaming day came to, in words: its account, its sentence, its findings by code."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Final

from analytics.amounts import amount, count
from analytics.lake.memory import Acknowledgement
from analytics.lake.statuses import Status
from analytics.reconcile import Column, FindingCount, Grid, together
from analytics.texts import label
from analytics.words import DAMAGED, NO_REASON, Account, account_of, in_short, sentence
from flows.runs import Night
from replayer.run import TABLE_DAY_UNJUDGED, Summary
from replayer.sources.archive import TableDayRef
from replayer.sources.lost import Lost
from schemas.finding import CODES, Severity

FAILED: Final = "failed"
NOT_SEALED: Final = "not sealed"
_MOST: Final = 20
_LETTERS: Final = 200


def account(night: Night) -> Account:
    """What a gaming day came to."""
    return account_of(night.reconciliation, len(night.made_anew))


def in_all(nights: Iterable[Night]) -> Account:
    """What several gaming days came to; tables without verdicts are named after their day."""
    total = Account()
    for night in nights:
        own, day = account(night), night.reconciliation.gaming_day
        for names in (*own.missing.values(), own.not_counted, own.replaced, own.gaps, own.unexpected):
            names[:] = [f"{table} of {day}" for table in names]
        total.add(own)
    return total


def replayed(
    summary: Summary, unsealed: Iterable[TableDayRef], quarantined: int, lost: Iterable[Lost], replaced: int
) -> str:
    """What a replay came to, in one sentence."""
    days = sorted({outcome.gaming_day for outcome in summary.outcomes})
    many = len(days) > 1

    def name(table_id: str, day: dt.date) -> str:
        return f"{table_id} of {day}" if many else table_id

    total = Account(len(days), len(summary.outcomes) - len(summary.damaged), quarantined=quarantined)
    total.lost += map(str, lost)
    for what, left in (
        (DAMAGED, [o for o in summary.damaged if TABLE_DAY_UNJUDGED.code not in o.findings]),
        (FAILED, [o for o in summary.damaged if TABLE_DAY_UNJUDGED.code in o.findings]),
        (NOT_SEALED, list(unsealed)),
    ):
        total.missing[what] = [name(each.table_id, each.gaming_day) for each in left]
    for outcome in summary.outcomes:
        total.sum("overpaid", *outcome.overpaid, outcome.currency)
        total.sum("underpaid", *outcome.underpaid, outcome.currency)
    for code, number in summary.findings.items():
        total.find(code, CODES[code].severity, number)
    total.unjudged.update(summary.unjudged)
    if replaced:
        total.findings[Severity.INTEGRITY] += replaced
    return sentence(f"{days[0]} to {days[-1]}" if many else str(days[0]), total, "nothing found at play")


def one_sentence(night: Night) -> str:
    """The gaming day in one sentence."""
    return sentence(str(night.reconciliation.gaming_day), account(night))


def short(nights: Iterable[Night]) -> str:
    """One gaming day or several in a few words."""
    return in_short(in_all(nights))


def without_verdicts(nights: Iterable[Night]) -> Grid:
    """The tables without verdicts, what is wrong with them, and why."""
    columns = tuple(Column(title, figure=False) for title in ("table", "gaming day", "what", "why"))
    rows = [
        (table, str(night.reconciliation.gaming_day), what, night.undone.get(table, ""))
        for night in nights
        for what, tables in account(night).missing.items()
        for table in tables
    ]
    return Grid("Tables without verdicts", columns, tuple(rows))


def not_as_expected(nights: Iterable[Night]) -> Grid:
    """The tables that the register does not name, and those of which somebody acknowledged that they may be as they are."""
    titles = ("table", "gaming day", "what", "why", "acknowledged")
    rows = [
        (
            each.table_id,
            str(night.reconciliation.gaming_day),
            "not expected" if each.status is Status.JUDGED else each.status.replace("_", " "),
            each.why,
            acknowledged(each.acknowledged),
        )
        for night in nights
        for each in night.reconciliation.telling_statuses
        if each.acknowledged or each.status is Status.JUDGED
    ]
    return Grid("Tables not as expected", tuple(Column(title, figure=False) for title in titles), tuple(rows))


def acknowledged(who: Acknowledgement | None) -> str:
    """Who acknowledged a finding, when and why."""
    return f"by {who.by} at {who.at}: {who.reason}" if who else "no"


def unjudged(nights: Iterable[Night]) -> Grid:
    """The wagers that nobody could judge by reason, the most first."""
    titles = ("reason", "currency")
    columns = (
        *(Column(title, figure=False) for title in titles),
        *map(Column, ("wagers", "stakes", "paid to players")),
    )
    sums: dict[tuple[str, str], tuple[int, int, int]] = {}
    for night in nights:
        currencies = {row.table_id: row.currency for row in night.reconciliation.tables}
        for row in night.reconciliation.unjudged:
            key = row.reason or NO_REASON, currencies.get(row.table_id) or ""
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


def findings_of(nights: Iterable[Night]) -> Sequence[FindingCount]:
    """The findings by code of several gaming days together."""
    return together(each for night in nights for each in night.reconciliation.findings)


def findings_grid(found: Iterable[FindingCount], title: str = "Findings") -> Grid:
    """Findings by code, the gravest first: how many, the money, and of advisories how often and on which stakes."""
    columns = (
        Column("code", figure=False),
        Column("severity", figure=False),
        Column("count"),
        Column("amount"),
        Column("times"),
        Column("on stakes"),
        Column("currency", figure=False),
        Column("what", figure=False),
    )
    counts = list(found)
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
    return Grid(title, columns, tuple(rows))
