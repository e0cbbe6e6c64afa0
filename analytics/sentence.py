"""The result of a gaming day in one sentence, for readers who do not know the finding codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from analytics.amounts import amount, count
from analytics.lake.statuses import TABLE_ABSENT, TABLE_NOT_SEALED, TABLE_UNEXPECTED, Status
from analytics.reconciliation import Reconciliation
from analytics.texts import label
from replayer.wording import plural
from schemas.finding import Severity

UNREAD: Final = "could not be read"
"""What is wrong with a gaming day whose folder cannot be read; it stands in the place of a table, under the day's name."""
NO_REASON: Final = "no reason is on record"
_NAMED: Final = 5
"""So many tables are named in a sentence; the others are counted."""
_LETTERS: Final = 80
_WORDED: Final = frozenset(
    {"OVERPAID", "UNDERPAID", "INVENTORY_VARIANCE", "DROP_VARIANCE", "CONTAINER_DAMAGED", "LAKE_DAMAGED"}
    | {"TABLE_DAY_UNJUDGED", "CONTAINER_REPLACED", "MEMORY_LOST"}
    | {TABLE_ABSENT.code, TABLE_NOT_SEALED.code, TABLE_UNEXPECTED.code}
)
"""Codes for which the sentence has words of their own."""

Money = Counter[tuple[str, str]]
"""Minor units, or numbers of payments, by what they are and currency."""


def listed(names: Sequence[str], most: int = _NAMED) -> str:
    """Names in a sentence, the first of them where they are many.

    >>> listed(["BJ-07"]), listed(["1", "2", "3"], 2)
    ('BJ-07', '1, 2 and 1 more')
    """
    shown = ", ".join(label(name, _LETTERS) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {count(len(names) - most)} more"


def joined(parts: Sequence[str]) -> str:
    """Parts of a sentence with an "and" before the last.

    >>> joined(["a"]), joined(["a", "b"]), joined(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


@dataclass(slots=True)
class Account:
    """The totals of one gaming day or several.

    ``missing`` has the tables without verdicts by what is wrong with them, and under ``UNREAD`` gaming days; ``numbers`` and
    ``amounts`` (minor units) have payments and table-days by what they are and currency; ``findings`` counts by severity those
    without words of their own; ``misplaced`` counts logs of the archive in places that tell no gaming day, ``ahead`` are
    table-days dated beyond today.
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
    quarantined: int = 0
    lost: list[str] = field(default_factory=list)
    misplaced: int = 0
    ahead: list[str] = field(default_factory=list)

    @property
    def not_judged(self) -> int:
        """How many tables have no verdicts."""
        return sum(len(tables) for what, tables in self.missing.items() if what != UNREAD)

    @property
    def noun(self) -> str:
        """What its tables are called: a table is counted once for each of several gaming days."""
        return "table-day" if self.days > 1 else "table"

    def noun_of(self, what: str) -> str:
        """What those are called with which something is wrong."""
        return "gaming day" if what == UNREAD else self.noun

    def sum(self, what: str, number: int, minor: int, currency: str | None) -> None:
        """Count payments or tables of a currency, and their amounts."""
        if minor:
            self.numbers[what, currency or ""] += number
            self.amounts[what, currency or ""] += minor

    def find(self, code: str, severity: str, number: int) -> None:
        """Count findings, but for those that have words of their own."""
        if code not in _WORDED:
            self.findings[severity] += number

    def add(self, other: Account) -> None:
        """Take another day's account into this one."""
        self.days += other.days
        self.tables += other.tables
        for what, tables in other.missing.items():
            self.missing.setdefault(what, []).extend(tables)
        self.numbers.update(other.numbers)
        self.amounts.update(other.amounts)
        self.findings.update(other.findings)
        self.unjudged.update(other.unjudged)
        self.not_counted += other.not_counted
        self.replaced += other.replaced
        self.made_anew += other.made_anew
        self.gaps += other.gaps
        self.unexpected += other.unexpected
        self.unaccounted += other.unaccounted
        self.lost += [each for each in other.lost if each not in self.lost]  # one loss may concern several days
        self.ahead += [each for each in other.ahead if each not in self.ahead]
        self.quarantined = max(self.quarantined, other.quarantined)  # it is the archive's, and the same on each day
        self.misplaced = max(self.misplaced, other.misplaced)  # likewise

    def graver(self) -> list[str]:
        """How many findings above an advisory there are that have no words of their own, by severity."""
        return [
            plural(self.findings[severity], f"{other}finding of {severity}", f"{other}findings of {severity}")
            for severity, other in ((Severity.MONEY, "other "), (Severity.INTEGRITY, ""), (Severity.PROCEDURE, ""))
            if self.findings[severity]
        ]

    def troubles(self) -> list[str]:
        """All that keeps it from being clean, in parts of a sentence; empty where nothing does."""
        return [*self._payments(), *self._custody(), *self._other(), *self._without_verdicts()]

    def _payments(self) -> list[str]:
        parts = [f"{what} {sums}" for what in ("overpaid", "underpaid") if (sums := self._sums(what, "in", "payment"))]
        return [f"the house {joined(parts)}"] if parts else []

    def _custody(self) -> list[str]:
        return [f"{said} {sums}" for what, said in _CUSTODY.items() if (sums := self._sums(what, "at", self.noun))]

    def _sums(self, what: str, preposition: str, noun: str) -> str:
        """What was counted of one kind, by currency; empty where nothing was."""
        return joined(
            [
                f"{_money(self.amounts[what, currency], currency)} {preposition} {plural(number, noun)}"
                for (kind, currency), number in sorted(self.numbers.items())
                if kind == what
            ]
        )

    def _other(self) -> list[str]:
        parts = self.graver()
        if self.unjudged:
            whys = listed([reason for reason, _ in self.unjudged.most_common()], _REASONS)
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
        return parts


_CUSTODY: Final = {
    "chips missing": "chips are missing:",
    "chips too many": "there are too many chips:",
    "cash missing": "cash is missing in the box:",
    "cash too much": "there is too much cash in the box:",
}
_REASONS: Final = 3


def account_of(said: Reconciliation, made_anew: int = 0) -> Account:
    """A gaming day's account."""
    account = Account(1, unaccounted=int(said.statuses is None), made_anew=made_anew)
    for each in said.open_statuses:
        if each.status is Status.JUDGED:
            account.unexpected.append(each.table_id)
        else:
            what = UNREAD if each.table_id == str(said.gaming_day) else each.status.in_words
            account.missing.setdefault(what, []).append(each.table_id)
    named = {table for tables in account.missing.values() for table in tables}
    if damaged := [table for table in said.damaged if table not in named]:
        account.missing.setdefault(Status.DAMAGED.in_words, []).extend(damaged)
        named.update(damaged)
    account.tables = sum(row.table_id not in named for row in said.tables)
    for house in said.house:
        account.sum("overpaid", house.overpaid_count, house.overpaid_minor, house.currency)
        account.sum("underpaid", house.underpaid_count, house.underpaid_minor, house.currency)
    at: set[tuple[str, str, str | None]] = set()
    for books in said.books:
        chips, cash = books.inventory_variance_minor or 0, books.drop_variance_minor or 0
        for what, variance in (
            ("chips missing" if chips < 0 else "chips too many", chips),
            ("cash missing" if cash < 0 else "cash too much", cash),
        ):
            place = (books.table_id, what, books.currency)  # a table is counted once, however many books it has
            account.sum(what, int(place not in at), abs(variance), books.currency)
            if variance:
                at.add(place)
    for found in said.findings:
        account.find(found.code, found.severity, found.count)
    for left in said.unjudged:
        account.unjudged[left.reason or NO_REASON] += left.wagers
    account.not_counted += said.incomplete
    account.replaced += [change.table_id for change in said.open_log_changes]
    account.quarantined = said.open_quarantined
    account.lost += map(str, said.open_losses)
    account.misplaced = said.misplaced
    account.ahead += map(str, said.ahead)
    # A payment on a wager that cannot be identified, or of a part of a unit.
    if not said.clean and not account.troubles():
        account.gaps += [row.table_id for row in said.tables if row.settlement_gap_minor]
    return account


def sentence(of: str, account: Account, nothing: str = "nothing found") -> str:
    """One sentence: of what (a gaming day, say), how many tables, and all that is not as it should be, or that ``nothing`` is.

    >>> sentence("2009-06-01", Account(days=1, tables=2))
    '2009-06-01: 2 tables, all judged; nothing found.'
    """
    tables = account.tables + account.not_judged
    judged = "judged" if tables == 1 else "all judged" if tables or not account.missing else "none judged"
    if account.not_judged:
        judged = f"{count(account.not_judged)} not judged"
    elif account.unjudged:
        judged = f"judged but for {plural(account.unjudged.total(), 'wager')}"
    found = account.troubles() or [nothing]
    if (advised := account.findings[Severity.ADVISORY]) and not account.troubles():
        found = [f"{nothing} but {plural(advised, 'advisory', 'advisories')}"]
    days = f"{plural(account.days, 'gaming day')}, " if account.days > 1 else ""
    anew = [f"verdicts of {plural(account.made_anew, account.noun)} made anew"] if account.made_anew else []
    return f"{of}: {days}{plural(tables, account.noun)}, {'; '.join([judged, *found, *anew])}."


def in_short(account: Account) -> str:
    """The same in a few words, for a column of states: ``7 overpaid 2,100.00 MOP, 1 table absent``."""
    parts, noun = [], account.noun
    for (what, currency), number in account.numbers.items():
        money = _money(account.amounts[what, currency], currency)
        at = f"{what} {money} at {plural(number, noun)}"
        parts.append(at if what in _CUSTODY else f"{count(number)} {what} {money}")
    parts += account.graver()
    for number, one, many in (
        (account.unjudged.total(), "wager not judged", "wagers not judged"),
        (len(account.gaps), f"{noun} with a gap", f"{noun}s with a gap"),
        (len(account.not_counted), f"{noun} not counted", f"{noun}s not counted"),
        (len(account.replaced), "log changed", "logs changed"),
        (len(account.unexpected), f"{noun} not expected", f"{noun}s not expected"),
        (account.quarantined, "message in quarantine", "messages in quarantine"),
        (len(account.lost), "range of messages lost", "ranges of messages lost"),
        (account.misplaced, "log misplaced", "logs misplaced"),
        (len(account.ahead), "table-day dated beyond today", "table-days dated beyond today"),
    ):
        parts += [plural(number, one, many)] if number else []
    parts += [
        f"{plural(len(tables), account.noun_of(what))} {what}" for what, tables in account.missing.items() if tables
    ]
    return ", ".join(parts) or f"clean: {plural(account.tables, noun)}"


def findings_in_short(account: Account) -> str:
    """What was found at tables that were judged, in the words of :func:`in_short`; empty where nothing was.

    What else keeps a day from being clean is in archive and lake for anybody to see, until it is mended or acknowledged.
    """
    found = Account(
        numbers=account.numbers,
        amounts=account.amounts,
        findings=account.findings,
        not_counted=account.not_counted,
        gaps=account.gaps,
    )
    return in_short(found) if found.troubles() else ""


def _money(minor: int, currency: str) -> str:
    return f"{amount(minor)} {label(currency, _LETTERS)}".rstrip()
