"""Puts the result of gaming days into one sentence, for readers who do not know the finding codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Final

from analytics.lake.statuses import TABLE_ABSENT, TABLE_NOT_SEALED, TABLE_UNEXPECTED, Status
from analytics.reconciliation.result import Reconciliation
from analytics.texts import amount, count, label
from schemas.finding import Severity
from schemas.plural import first_few, plural

UNREAD: Final = "could not be read"
"""The problem of a gaming day whose folder cannot be read; it is listed like a table, under the day's name."""
NO_REASON: Final = "no reason is on record"
_NAMED: Final = 5
"""Tables named in a sentence at most; the others are counted."""
_LETTERS: Final = 80
_WORDED_SPECIALLY: Final = frozenset(
    {"OVERPAID", "UNDERPAID", "INVENTORY_VARIANCE", "DROP_VARIANCE", "CONTAINER_DAMAGED", "LAKE_DAMAGED"}
    | {"TABLE_DAY_UNJUDGED", "CONTAINER_REPLACED", "MEMORY_LOST"}
    | {TABLE_ABSENT, TABLE_NOT_SEALED, TABLE_UNEXPECTED}
)
"""Codes that the sentence words specially, so that they are not counted by severity."""

Money = Counter[tuple[str, str]]
"""Minor units, or numbers of payments and table-days, by kind and currency."""


def listed(names: Sequence[str], most: int = _NAMED) -> str:
    """Names in a sentence: the first ``most`` and the number of the others.

    >>> listed(["BJ-07"]), listed(["1", "2", "3"], 2)
    ('BJ-07', '1, 2 and 1 more')
    """
    return first_few([label(name, _LETTERS) for name in names], most)


def joined(parts: Sequence[str]) -> str:
    """Parts of a sentence, joined by commas and "and".

    >>> joined(["a"]), joined(["a", "b"]), joined(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


@dataclass(slots=True)
class Totals:
    """The totals of one gaming day or several.

    Attributes:
        missing: the tables without verdicts by problem, and under ``UNREAD`` gaming days.
        numbers, amounts: payments and table-days by kind and currency, and their sums in minor units.
        findings: findings by severity, without those that are worded specially; ``unjudged``: wagers by reason.
        made_anew: table-days that were judged again because their verdicts in the lake were damaged.
        gaps: tables with a settlement gap that no wrong payment explains.
        quarantined, misplaced, ahead, left_behind: as in the day's note.
    """

    days: int = 0
    tables: int = 0
    missing: dict[str, list[str]] = field(default_factory=dict)
    numbers: Money = field(default_factory=Counter)
    amounts: Money = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    unjudged: Counter[str] = field(default_factory=Counter)
    not_counted: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    made_anew: int = 0
    gaps: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    unaccounted: int = 0
    unfinished: int = 0
    quarantined: int = 0
    lost: list[str] = field(default_factory=list)
    misplaced: int = 0
    ahead: list[str] = field(default_factory=list)
    left_behind: list[str] = field(default_factory=list)

    @property
    def not_judged(self) -> int:
        """The number of tables without verdicts."""
        return sum(len(tables) for what, tables in self.missing.items() if what != UNREAD)

    @property
    def noun(self) -> str:
        """The word for its tables: over several gaming days, a table is counted once a day."""
        return "table-day" if self.days > 1 else "table"

    def noun_of(self, what: str) -> str:
        """The word for those listed in ``missing`` under a problem."""
        return "gaming day" if what == UNREAD else self.noun

    def count_amounts(self, what: str, number: int, minor: int, currency: str | None) -> None:
        """Add payments or tables of a currency, and their amounts."""
        if minor:
            self.numbers[what, currency or ""] += number
            self.amounts[what, currency or ""] += minor

    def count_findings(self, code: str, severity: str, number: int) -> None:
        """Add findings, except those that are worded specially."""
        if code not in _WORDED_SPECIALLY:
            self.findings[severity] += number

    def add(self, other: Totals) -> None:
        """Add another day's totals; what may be named of several days, as a loss, counts once."""
        for each in fields(self):
            own, further = getattr(self, each.name), getattr(other, each.name)
            if isinstance(own, Counter):
                own.update(further)
            elif isinstance(own, dict):
                for what, tables in further.items():
                    own.setdefault(what, []).extend(tables)
            elif isinstance(own, list):
                before = set(own) if each.name in ("lost", "ahead", "left_behind") else ()
                own += [one for one in further if one not in before]
            else:  # of the whole archive a number is the same on each day
                of_archive = each.name in ("quarantined", "misplaced")
                setattr(self, each.name, max(own, further) if of_archive else own + further)

    def counts_above_advisory(self) -> list[str]:
        """The numbers of findings above an advisory that are not worded specially, by severity, as parts of a sentence."""
        return [
            plural(self.findings[severity], f"{other}finding of {severity}", f"{other}findings of {severity}")
            for severity, other in ((Severity.MONEY, "other "), (Severity.INTEGRITY, ""), (Severity.PROCEDURE, ""))
            if self.findings[severity]
        ]

    def problems(self) -> list[str]:
        """Everything that keeps it from being clean, as parts of a sentence."""
        return [*self._payments(), *self._custody(), *self._other(), *self._without_verdicts()]

    def _payments(self) -> list[str]:
        parts = [f"{what} {sums}" for what, place in _PAYMENTS.items() if (sums := self._sums(what, *place))]
        return [f"the house {joined(parts)}"] if parts else []

    def _custody(self) -> list[str]:
        return [
            f"{reconciliation} {sums}"
            for what, reconciliation in _CUSTODY.items()
            if (sums := self._sums(what, "at", self.noun))
        ]

    def _sums(self, what: str, preposition: str, noun: str) -> str:
        """The sums of one kind by currency, as a part of a sentence; empty where there are none."""
        return joined(
            [
                f"{_money(self.amounts[what, currency], currency)} {preposition} {plural(number, noun)}"
                for (kind, currency), number in sorted(self.numbers.items())
                if kind == what
            ]
        )

    def _other(self) -> list[str]:
        parts = self.counts_above_advisory()
        if self.unjudged:
            whys = listed([reason for reason, _ in self.unjudged.most_common()], 3)
            parts.append(f"{plural(self.unjudged.total(), 'wager')} that nobody could judge, because: {whys}")
        if self.not_counted:
            parts.append(f"{plural(len(self.not_counted), self.noun)} not counted in full: {listed(self.not_counted)}")
        if self.replaced:
            many = plural(len(self.replaced), "log changed after it was", "logs changed after they were")
            parts.append(f"{many} judged: {listed(self.replaced)}")
        if self.gaps:
            where = f"{plural(len(self.gaps), self.noun)}: {listed(self.gaps)}"
            parts.append(f"what was paid is not what was due, and no payment is known to be wrong, at {where}")
        if self.quarantined:
            parts.append(plural(self.quarantined, "message in quarantine", "messages in quarantine"))
        if self.lost:
            ranges = plural(len(self.lost), "range", "ranges")
            parts.append(f"a topic lost messages before the archive had them, in {ranges}")
        if self.misplaced:
            parts.append(f"{plural(self.misplaced, 'log lies', 'logs lie')} where none is kept: not read")
        if self.ahead:
            dated = plural(len(self.ahead), "table-day is", "table-days are")
            parts.append(f"{dated} dated beyond today (a table's clock or an import is wrong): {listed(self.ahead)}")
        if self.left_behind:
            days = plural(len(self.left_behind), "earlier gaming day has", "earlier gaming days have")
            backfill = f"pitaudit backfill --from {self.left_behind[0]} --to {self.left_behind[-1]}"
            parts.append(f"{days} logs and no verdicts, and no night reaches so far back (catch_up_days): {backfill}")
        return parts

    def _without_verdicts(self) -> list[str]:
        parts = [
            f"{plural(len(tables), self.noun_of(what))} {what}: {listed(tables)}"
            for what, tables in self.missing.items()
            if tables
        ]
        if self.unexpected:
            parts.append(f"{plural(len(self.unexpected), self.noun)} played unexpectedly: {listed(self.unexpected)}")
        if self.unaccounted:
            parts.append("nobody held the tables against those that there should be")
        if self.unfinished:
            parts.append("the last run did not finish")
        return parts


_PAYMENTS: Final = {
    "overpaid": ("in", "payment"),
    "underpaid": ("in", "payment"),
    "paid for nothing": ("in", "payment"),
    "took for nothing": ("in", "payment"),
    "never paid": ("on", "wager"),
    "never collected": ("on", "wager"),
}
_CAUSES: Final = {
    "nothing": ("SETTLED_NOTHING", "paid for nothing", "took for nothing"),
    "unsettled": ("WAGER_UNSETTLED", "never paid", "never collected"),
}
"""By settlement cause its finding, and the words for an amount in favour of a player and of the house."""
_CUSTODY: Final = {
    "chips missing": "chips are missing:",
    "chips too many": "there are too many chips:",
    "cash missing": "cash is missing in the box:",
    "cash too much": "there is too much cash in the box:",
}


def totals_of(reconciliation: Reconciliation, made_anew: int = 0) -> Totals:
    """The totals of a reconciled gaming day."""
    totals = Totals(
        1,
        unaccounted=int(reconciliation.statuses is None),
        unfinished=int(reconciliation.unfinished),
        made_anew=made_anew,
    )
    for each in reconciliation.open_statuses:
        if each.status is Status.JUDGED:
            totals.unexpected.append(each.table_id)
        else:
            what = UNREAD if each.table_id == str(reconciliation.gaming_day) else each.status.in_words
            totals.missing.setdefault(what, []).append(each.table_id)
    named = {table for tables in totals.missing.values() for table in tables}
    if damaged := [table for table in reconciliation.damaged if table not in named]:
        totals.missing.setdefault(Status.DAMAGED.in_words, []).extend(damaged)
        named.update(damaged)
    totals.tables = sum(row.table_id not in named for row in reconciliation.tables)
    for house in reconciliation.house:
        totals.count_amounts("overpaid", house.overpaid_count, house.overpaid_minor, house.currency)
        totals.count_amounts("underpaid", house.underpaid_count, house.underpaid_minor, house.currency)
    currencies, worded = {row.table_id: row.currency for row in reconciliation.tables}, Counter[str]()
    for cause in reconciliation.settlement_causes:
        if cause.cause in _CAUSES:
            code, to_player, to_house = _CAUSES[cause.cause]
            worded[code] += 1
            minor = (cause.due_minor if cause.paid_minor is None else cause.paid_minor) or 0
            what = to_player if minor > 0 else to_house
            totals.count_amounts(what, 1, abs(minor), currencies.get(cause.table_id))
    at: set[tuple[str, str, str | None]] = set()
    for books in reconciliation.books:
        chips, cash = books.inventory_variance_minor or 0, books.drop_variance_minor or 0
        for what, variance in (
            ("chips missing" if chips < 0 else "chips too many", chips),
            ("cash missing" if cash < 0 else "cash too much", cash),
        ):
            place = (books.table_id, what, books.currency)  # a table counts once, however many books it has
            totals.count_amounts(what, int(place not in at), abs(variance), books.currency)
            if variance:
                at.add(place)
    for found in reconciliation.findings:
        with_amounts = min(found.count, worded[found.code])
        worded[found.code] -= with_amounts
        totals.count_findings(found.code, found.severity, found.count - with_amounts)
    for left in reconciliation.unjudged:
        totals.unjudged[left.reason or NO_REASON] += left.wagers
    totals.not_counted += reconciliation.incomplete
    totals.replaced += dict.fromkeys(change.table_id for change in reconciliation.open_log_changes)  # not each part
    totals.quarantined = reconciliation.open_quarantined
    totals.lost += map(str, reconciliation.open_losses)
    totals.misplaced = reconciliation.note.misplaced
    totals.ahead += map(str, reconciliation.note.ahead)
    totals.left_behind += map(str, reconciliation.note.left_behind)
    # A payment on an unidentified wager, or of a fraction of a unit.
    if not reconciliation.clean and not totals.problems():
        totals.gaps += [row.table_id for row in reconciliation.tables if row.settlement_gap_minor]
    return totals


def sentence(of: str, totals: Totals, nothing: str = "nothing found") -> str:
    """One sentence: the subject (a gaming day, say), the number of tables, and all problems, or ``nothing``.

    >>> sentence("2009-06-01", Totals(days=1, tables=2))
    '2009-06-01: 2 tables, all judged; nothing found.'
    """
    tables = totals.tables + totals.not_judged
    judged = "judged" if tables == 1 else "all judged" if tables or not totals.missing else "none judged"
    if totals.not_judged:
        judged = f"{count(totals.not_judged)} not judged"
    elif totals.unjudged:
        judged = f"judged but for {plural(totals.unjudged.total(), 'wager')}"
    found = totals.problems() or [nothing]
    if (advised := totals.findings[Severity.ADVISORY]) and not totals.problems():
        found = [f"{nothing} but {plural(advised, 'advisory', 'advisories')}"]
    days = f"{plural(totals.days, 'gaming day')}, " if totals.days > 1 else ""
    anew = [f"verdicts of {plural(totals.made_anew, totals.noun)} made anew"] if totals.made_anew else []
    return f"{of}: {days}{plural(tables, totals.noun)}, {'; '.join([judged, *found, *anew])}."


def short_summary(totals: Totals) -> str:
    """A short summary for a table column: ``7 overpaid 2,100.00 MOP, 1 table absent``."""
    parts, noun = [], totals.noun
    for (what, currency), number in totals.numbers.items():
        money = _money(totals.amounts[what, currency], currency)
        at = f"{what} {money} at {plural(number, noun)}"
        parts.append(at if what in _CUSTODY else f"{count(number)} {what} {money}")
    parts += totals.counts_above_advisory()
    for number, one, many in (
        (totals.unjudged.total(), "wager not judged", "wagers not judged"),
        (len(totals.gaps), f"{noun} with a gap", f"{noun}s with a gap"),
        (len(totals.not_counted), f"{noun} not counted", f"{noun}s not counted"),
        (len(totals.replaced), "log changed", "logs changed"),
        (len(totals.unexpected), f"{noun} not expected", f"{noun}s not expected"),
        (totals.quarantined, "message in quarantine", "messages in quarantine"),
        (len(totals.lost), "range of messages lost", "ranges of messages lost"),
        (totals.misplaced, "log misplaced", "logs misplaced"),
        (len(totals.ahead), "table-day dated beyond today", "table-days dated beyond today"),
        (len(totals.left_behind), "gaming day left behind", "gaming days left behind"),
    ):
        parts += [plural(number, one, many)] if number else []
    parts += [
        f"{plural(len(tables), totals.noun_of(what))} {what}" for what, tables in totals.missing.items() if tables
    ]
    return ", ".join(parts) or f"clean: {plural(totals.tables, noun)}"


def findings_summary(totals: Totals) -> str:
    """A short summary of the findings at judged tables; empty where there are none.

    All other problems remain visible in archive and lake until they are repaired or acknowledged.
    """
    found = Totals(
        numbers=totals.numbers,
        amounts=totals.amounts,
        findings=totals.findings,
        not_counted=totals.not_counted,
        gaps=totals.gaps,
    )
    return short_summary(found) if found.problems() else ""


def _money(minor: int, currency: str) -> str:
    return f"{amount(minor)} {label(currency, _LETTERS)}".rstrip()
