"""The rows of a gaming day: each table, the house in each currency, each cause, lead, stretch and change; findings by code."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, replace

from schemas.finding import Severity


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table-day of the reconciliation; fields as in ``marts/table_reconciliation.sql``, None where not counted."""

    table_id: str
    gaming_day: dt.date
    game: str | None
    currency: str | None
    rounds: int
    wagers: int
    handle_minor: int
    win_due_minor: int
    win_recorded_minor: int
    win_booked_minor: int
    win_accounted_minor: int | None
    settlement_gap_minor: int
    custody_gap_minor: int | None
    inventory_variance_minor: int | None
    drop_variance_minor: int | None
    opening_minor: int | None
    fills_minor: int | None
    credits_minor: int | None
    buyins_minor: int | None
    drop_minor: int | None
    closing_minor: int | None
    expected_closing_minor: int | None
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
    unjudged_stake_minor: int
    unjudged_paid_minor: int
    complete: bool
    not_counted: str


@dataclass(frozen=True, slots=True)
class HouseRow:
    """The house's sums over the tables of one currency; fields as in ``marts/house_reconciliation.sql``."""

    gaming_day: dt.date
    currency: str | None
    tables: int
    incomplete: int
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
