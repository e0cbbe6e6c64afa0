"""The result of reconciling a gaming day: a row for each table, for the house in each currency, for each cause, lead, stretch and
change; the findings, and what is open."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from analytics.lake import Change, DayNote
from analytics.lake.losses import Loss
from analytics.lake.statuses import Status, TableStatus
from analytics.texts import NOTHING, Grid, amount, count, percent
from replayer.sources.safe_texts import json_object
from schemas.finding import Finding, Severity
from schemas.plural import plural


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a table-day, or of the tables of one currency; None where not counted."""

    gaming_day: dt.date
    currency: str | None
    rounds: int
    wagers: int
    handle_minor: int
    win_due_minor: int
    win_recorded_minor: int
    win_booked_minor: int | None
    win_accounted_minor: int | None
    settlement_gap_minor: int
    custody_gap_minor: int | None
    inventory_variance_minor: int | None
    drop_variance_minor: int | None
    drop_minor: int | None
    hold: float | None
    theoretical_win_minor: int | None
    theoretical_stake_minor: int
    theoretical_share: float | None
    luck_minor: int | None
    luck_deviation_minor: float | None
    overpaid_count: int
    overpaid_minor: int
    underpaid_count: int
    underpaid_minor: int
    unsettled_count: int
    unsettled_due_minor: int
    unjudged_count: int


@dataclass(frozen=True, slots=True)
class TableRow(Figures):
    """A table-day of the reconciliation; fields as in ``marts/table_reconciliation.sql``."""

    table_id: str
    game: str | None
    opening_minor: int | None
    fills_minor: int | None
    credits_minor: int | None
    buyins_minor: int | None
    closing_minor: int | None
    expected_closing_minor: int | None
    unjudged_stake_minor: int
    unjudged_paid_minor: int
    complete: bool
    not_counted: str


@dataclass(frozen=True, slots=True)
class HouseRow(Figures):
    """The house's sums over the tables of one currency; fields as in ``marts/house_reconciliation.sql``."""

    tables: int
    incomplete: int


@dataclass(frozen=True, slots=True)
class SettlementCause:
    """A payment, or a wager without one, that is part of a settlement gap; fields as in ``marts/settlement_causes.sql``."""

    table_id: str
    round: int | None
    seat: int | None
    hand: int | None
    wager: str | None
    player: str | None
    dealer: str | None
    seq: int | None
    at_micros: int | None
    stake_minor: int | None
    paid_minor: int | None
    due_minor: int | None
    due_exact: str | None
    delta_minor: int | None
    effect_minor: int
    cause: str
    article: str | None
    rulings: str | None
    remark: str | None
    corrected_by: int | None


@dataclass(frozen=True, slots=True)
class CustodyLead:
    """A possible cause of a custody gap, to be checked first; see ``marts/custody_leads.sql``."""

    table_id: str
    stretch: int
    seq: int | None
    slip: str | None
    amount_minor: int | None
    lead: str


@dataclass(frozen=True, slots=True)
class Books:
    """The books of a table: its first ones (stretch 1), or those of a time when it was opened again; fields as in
    ``marts/books.sql``, None where not counted."""

    table_id: str
    gaming_day: dt.date
    stretch: int
    currency: str | None
    opened_seq: int | None
    closed_seq: int | None
    opening_minor: int | None
    fills_minor: int | None
    credits_minor: int | None
    buyins_minor: int | None
    win_booked_minor: int
    expected_closing_minor: int | None
    closing_minor: int | None
    inventory_variance_minor: int | None
    drop_minor: int | None
    drop_variance_minor: int | None
    win_accounted_minor: int | None
    custody_gap_minor: int | None
    complete: bool
    not_counted: str

    @property
    def last_seq(self) -> int | None:
        """The event that closed books of a table opened again, or opened them where none did; None for the first books, whose
        findings are on the table-day."""
        return None if self.opened_seq is None else self.closed_seq or self.opened_seq


@dataclass(frozen=True, slots=True)
class BookChange:
    """A correction, or an entry after the closing; fields as in ``marts/book_changes.sql``."""

    table_id: str
    seq: int | None
    round: int | None
    code: str
    what: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Wagers of a table that could not be judged for one reason, and the sum paid on them."""

    table_id: str
    reason: str | None
    currency: str | None
    wagers: int
    stake_minor: int
    paid_minor: int


@dataclass(frozen=True, slots=True)
class FindingCount:
    """The number of findings of a code, with one count per currency where they have amounts.

    Attributes:
        delta_minor: the sum of the findings' amounts, None where they have none.
        times: the number of occurrences: all advisories of a code in a table-day are one finding.
        stake_minor: the sum of the advisories' stakes, None where they concern none.
        currency: that of the amounts, None where there are none.
    """

    code: str
    severity: str
    title: str
    count: int
    delta_minor: int | None
    times: int
    stake_minor: int | None = None
    currency: str | None = None


def merged(counts: Iterable[FindingCount]) -> tuple[FindingCount, ...]:
    """The counts summed by code and currency, the gravest severity first."""
    groups: dict[tuple[str, str | None], list[FindingCount]] = {}
    for each in counts:
        groups.setdefault((each.code, each.currency), []).append(each)
    summed = [
        replace(
            own[0],
            count=sum(each.count for each in own),
            delta_minor=_sum_known(each.delta_minor for each in own),
            times=sum(each.times for each in own),
            stake_minor=_sum_known(each.stake_minor for each in own),
        )
        for own in groups.values()
    ]
    weight = [str(severity) for severity in reversed(Severity)]
    return tuple(sorted(summed, key=lambda each: (weight.index(each.severity), each.code, each.currency or "")))


def _sum_known(amounts: Iterable[int | None]) -> int | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """The result of reconciling a gaming day.

    Attributes:
        note: the note of the day, as the last run wrote it; ``quarantined`` is None in it where there is none.
        damaged: the tables without verdicts, with the reason.
        log_changes: logs that differ from those judged before, including acknowledged ones.
        statuses: the status of each table that the day had or should have had; None where no run recorded it.
        lost: messages that a topic lost before the archive had them, and that may concern the day, including acknowledged ones.
        findings_digest: the SHA-256 of the single findings that ``findings`` counts.
    """

    gaming_day: dt.date
    tables: tuple[TableRow, ...]
    house: tuple[HouseRow, ...]
    settlement_causes: tuple[SettlementCause, ...]
    custody_leads: tuple[CustodyLead, ...]
    custody_findings: tuple[Finding, ...]
    books: tuple[Books, ...]
    book_changes: tuple[BookChange, ...]
    findings: tuple[FindingCount, ...]
    unjudged: tuple[Unjudged, ...]
    not_checked: dict[str, int]
    note: DayNote
    damaged: dict[str, str]
    log_changes: tuple[Change, ...] = ()
    statuses: tuple[TableStatus, ...] | None = None
    lost: tuple[Loss, ...] = ()
    findings_digest: str = ""

    @property
    def unfinished(self) -> bool:
        """Whether a run recorded the tables of the day, and a later one did not finish."""
        return self.statuses is not None and not self.note.accounted

    @property
    def open_quarantined(self) -> int:
        """The number of messages in quarantine that are not acknowledged."""
        return max(0, (self.note.quarantined or 0) - sum(each.messages for each in self.note.answered))

    @property
    def open_losses(self) -> tuple[Loss, ...]:
        """The losses that are not acknowledged."""
        return tuple(each for each in self.lost if each.open)

    @property
    def open_log_changes(self) -> tuple[Change, ...]:
        """The changes of logs that are not acknowledged; they are findings."""
        return tuple(change for change in self.log_changes if change.open)

    @property
    def open_statuses(self) -> tuple[TableStatus, ...]:
        """The tables that keep the day from being clean: not judged, or not expected, and not acknowledged."""
        return tuple(each for each in self.statuses or () if each.open)

    @property
    def noted_statuses(self) -> tuple[TableStatus, ...]:
        """The open statuses and the acknowledged ones."""
        return tuple(each for each in self.statuses or () if each.open or each.acknowledged)

    @property
    def stretches(self) -> tuple[Books, ...]:
        """The books of tables that were opened again, but for their first ones."""
        return tuple(books for books in self.books if books.stretch > 1)

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Tables with books that cannot be reconciled because something was not counted."""
        return tuple(sorted({each.table_id for each in self.books if not each.complete}))

    @property
    def in_no_sum(self) -> tuple[Unjudged, ...]:
        """The unjudged wagers in another currency than their table's sums: they are counted, but in no amount."""
        currencies = {row.table_id: row.currency for row in self.tables}
        return tuple(
            row for row in self.unjudged if row.currency and currencies.get(row.table_id) not in (None, row.currency)
        )

    @property
    def disagreeing(self) -> frozenset[str]:
        """Tables with a variance in their books, with a settlement gap, or with causes of one that make up for each other."""
        return frozenset(row.table_id for row in self.tables if row.settlement_gap_minor) | {
            *(each.table_id for each in self.books if each.inventory_variance_minor or each.drop_variance_minor),
            *(cause.table_id for cause in self.settlement_causes if cause.cause != "rounding"),
        }

    @property
    def clean(self) -> bool:
        """Whether everything was judged and agrees: no finding above an advisory, no gap, nothing damaged or uncounted."""
        found = any(each.severity != Severity.ADVISORY for each in self.findings)
        unknown = self.damaged or self.open_quarantined or self.open_losses or self.open_statuses
        unreached = self.note.misplaced or self.note.ahead or self.note.left_behind
        left = found or self.disagreeing or unknown or unreached or self.incomplete or self.unjudged
        return self.note.accounted and not left

    def to_dict(self) -> dict[str, Any]:
        """A JSON object of everything; amounts are minor units."""
        return {
            "gaming_day": self.gaming_day.isoformat(),
            "clean": self.clean,
            "accounted": self.note.accounted,
            "basis": self.note.basis,
            "tables": self._tables(),
            "house": [json_object(row) for row in self.house],
            "settlement_causes": [json_object(cause) for cause in self.settlement_causes],
            "custody_leads": [json_object(lead) for lead in self.custody_leads],
            "custody_findings": [json_object(finding) for finding in self.custody_findings],
            "stretches": [json_object(stretch) for stretch in self.stretches],
            "book_changes": [json_object(change) for change in self.book_changes],
            "findings": [json_object(found) for found in self.findings],
            "unjudged": [json_object(row) for row in self.unjudged],
            "not_checked": self.not_checked,
            "quarantined": self.note.quarantined,
            "answered": [json_object(each) for each in self.note.answered],
            "lost": [lost.to_dict() for lost in self.lost],
            "damaged": self.damaged,
            "misplaced": self.note.misplaced,
            "ahead": [json_object(each) for each in self.note.ahead],
            "left_behind": [day.isoformat() for day in self.note.left_behind],
            "log_changes": [change.to_dict() for change in self.log_changes],
        }

    def _tables(self) -> list[dict[str, Any]]:
        """Every table with its status and its figures, which are null where it has no verdicts."""
        figures = {row.table_id: json_object(row) for row in self.tables}
        nothing = dict.fromkeys(("table_id", *(field.name for field in fields(TableRow))), None)  # named first
        day = {"gaming_day": self.gaming_day.isoformat()}
        known = {each.table_id: json_object(each) for each in self.statuses or ()}
        played = {row.table_id: {"game": row.game} for row in self.tables if row.game}  # rather than the register's
        plain = {"status": Status.JUDGED.value} if self.statuses is None else {}
        return [
            nothing | day | figures.get(table_id, {}) | plain | known.get(table_id, {}) | played.get(table_id, {})
            for table_id in sorted({*figures, *known})
        ]

    def grid(self) -> Grid:
        """The reconciliation table: a row for each table, and for each of its books when it was opened again, then one for the
        house in each currency."""
        columns = (
            "table", "game", "#rounds of all currencies" if self.in_no_sum else "#rounds", "#handle",
            "#win due", "#settlement gap", "#win recorded", "#custody gap", "#win accounted",
            "#drop", "#hold", "#luck", "#on part of handle", "not counted",
        )  # fmt: skip
        rows = []
        for row in self.tables:
            rows.append((row.table_id, row.game or "", *_figures(row), row.not_counted))
            rows += [_of_books(books) for books in self.stretches if books.table_id == row.table_id]
        for house in self.house:
            left_out = f"{house.incomplete} of {plural(house.tables, 'table')}" if house.incomplete else ""
            rows.append(("house", house.currency or "", *_figures(house), left_out))
        return Grid(f"Tables of {self.gaming_day}", columns, tuple(rows))


def _of_books(books: Books) -> tuple[str, ...]:
    """The row of the books of a table that was opened again: their chips and cash."""
    name, currency = f"{books.table_id} (books {books.stretch})", books.currency or ""
    custody = amount(books.custody_gap_minor, sign=True), amount(books.win_accounted_minor), amount(books.drop_minor)
    return name, currency, "", "", "", "", amount(books.win_booked_minor), *custody, "", "", "", books.not_counted


def _figures(row: Figures) -> tuple[str, ...]:
    return (
        count(row.rounds),
        amount(row.handle_minor),
        amount(row.win_due_minor),
        amount(row.settlement_gap_minor, sign=True),
        amount(row.win_recorded_minor),
        amount(row.custody_gap_minor, sign=True),
        amount(row.win_accounted_minor),
        amount(row.drop_minor),
        percent(row.hold),
        amount(row.luck_minor, sign=True),
        NOTHING if row.luck_minor is None else percent(row.theoretical_share),
    )
