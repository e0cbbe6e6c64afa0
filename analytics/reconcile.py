"""The morning's reconciliation of a gaming day: do chips, payments and regulation agree at each table, and if not, why?

Two identities are held in whole minor units before anything is given out; a table for which one fails is damaged::

    win_accounted - win_booked   = inventory_variance + drop_variance        (custody gap)
    win_recorded  - win_due      = sum of the effects of settlement causes   (settlement gap)

Chips and cash are those of the books as they stood when the table first closed (``replayer.integrity.books``), and
win_booked is what had been won by then. What was entered later is listed and lessens nothing; a table that was opened again
has books of its own for each further stretch.

A third line, ``win_due - theoretical_win = luck``, is drawn for the wagers alone whose edge is exact
(``marts/house_edges.toml``); ``theoretical_share`` says how much of the handle they are.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import duckdb

from analytics import marts
from analytics.amounts import NOTHING, amount, count, percent
from analytics.isolation import WorkFailed, without, without_failing
from analytics.lake import Change, DayNote, Holding, hold_days, read_note
from analytics.lake.losses import Loss, losses
from analytics.lake.refused import Answered
from analytics.lake.statuses import TABLE_ABSENT, TABLE_NOT_SEALED, Status, TableStatus, with_acknowledgement
from schemas.finding import CODES, Finding, Severity, declare

INVENTORY_VARIANCE: Final = declare(
    "INVENTORY_VARIANCE", Severity.MONEY, "The chips counted at closing are not those that the log leads to"
)
DROP_VARIANCE: Final = declare("DROP_VARIANCE", Severity.MONEY, "The box does not hold the cash that the log leads to")

_LISTED: Final = ("error", "nothing", "unmatched", "rounding")
"""Settlement causes that are listed payment by payment; unjudged ones are summed by reason."""

_MEASURES: Final = "table_reconciliation house_reconciliation settlement_causes custody_leads stretches book_changes"
"""The measures that the reconciliation gives out."""
_APART: Final = {TABLE_ABSENT.code, TABLE_NOT_SEALED.code}
"""Why tables have no verdicts although nothing of them is damaged."""

Row = TypeVar("Row")


class ReconciliationBroken(RuntimeError):
    """No measure of the day can be made, whatever its table-days hold: the program is at fault."""


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
    """The house's sums in one currency; fields as in ``marts/house_reconciliation.sql``."""

    gaming_day: dt.date
    currency: str | None
    tables: int
    incomplete: int
    rounds: int
    wagers: int
    handle_minor: int
    win_due_minor: int
    win_recorded_minor: int
    win_recorded_complete_minor: int | None
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
    unjudged_count: int


@dataclass(frozen=True, slots=True)
class SettlementCause:
    """A payment that is part of a settlement gap; fields as in ``marts/settlement_causes.sql``."""

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
    paid_minor: int
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
    """Where to look first for a custody gap; see ``marts/custody_leads.sql``."""

    table_id: str
    seq: int | None
    slip: str | None
    amount_minor: int | None
    lead: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """A table's books after it was opened again; fields as in ``marts/stretches.sql``, None where not counted."""

    table_id: str
    stretch: int
    opened_seq: int
    closed_seq: int | None
    opening_minor: int | None
    fills_minor: int
    credits_minor: int
    buyins_minor: int
    win_recorded_minor: int
    closing_minor: int | None
    inventory_variance_minor: int | None
    drop_minor: int | None
    drop_variance_minor: int | None


@dataclass(frozen=True, slots=True)
class BookChange:
    """A correction, or what was entered when the books were closed; fields as in ``marts/book_changes.sql``."""

    table_id: str
    seq: int | None
    round: int | None
    code: str
    what: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Wagers of a table that could not be judged for one reason, and what was paid on them."""

    table_id: str
    reason: str | None
    wagers: int
    stake_minor: int
    paid_minor: int


@dataclass(frozen=True, slots=True)
class FindingCount:
    """How many findings a code has. ``delta_minor`` is the sum of the findings' amounts, None where they have none.

    Amounts of several currencies do not add up: a code with amounts has one count a ``currency``, which is None where it has
    none. The advisories of a table-day are one finding: ``times`` says how many they are, ``stake_minor`` is the sum of the
    stakes that they are about, None where they are about none.
    """

    code: str
    severity: str
    title: str
    count: int
    delta_minor: int | None
    times: int
    stake_minor: int | None = None
    currency: str | None = None

    def added(self, other: FindingCount) -> FindingCount:
        """This and another day's count of the same code."""
        return dataclasses.replace(
            self,
            count=self.count + other.count,
            delta_minor=_sum_known(self.delta_minor, other.delta_minor),
            times=self.times + other.times,
            stake_minor=_sum_known(self.stake_minor, other.stake_minor),
        )


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a grid. ``figure`` columns are aligned to the right."""

    title: str
    figure: bool = True


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts, ready to be printed by whoever has a screen; the last ``totals`` rows are sums."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    totals: int = 0

    def telling(self) -> Grid:
        """The grid without the columns in which no row says anything, but for the first."""
        shown = [index for index in range(len(self.columns)) if not index or any(row[index] for row in self.rows)]
        if not self.rows:
            return self
        rows = tuple(tuple(row[index] for index in shown) for row in self.rows)
        return dataclasses.replace(self, columns=tuple(self.columns[index] for index in shown), rows=rows)


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """A gaming day reconciled. ``quarantined`` is None where nobody noted the day's quarantine in the lake.

    ``damaged`` maps tables without verdicts to why; ``log_changes`` are logs that are not the ones that were judged before,
    those that somebody acknowledged as well. ``statuses`` says what became of each table that the day should have had or had,
    None where no run accounted for them; ``basis`` from what it was known which it should have: ``register``, ``days before``
    or ``nothing``. ``lost`` are messages that a topic no longer has and the archive never took, and that may concern the day,
    those that somebody acknowledged as well; ``answered`` are messages in quarantine that somebody answered for.
    """

    gaming_day: dt.date
    tables: tuple[TableRow, ...]
    house: tuple[HouseRow, ...]
    settlement_causes: tuple[SettlementCause, ...]
    custody_leads: tuple[CustodyLead, ...]
    custody_findings: tuple[Finding, ...]
    stretches: tuple[Stretch, ...]
    book_changes: tuple[BookChange, ...]
    findings: tuple[FindingCount, ...]
    unjudged: tuple[Unjudged, ...]
    not_checked: dict[str, int]
    quarantined: int | None
    damaged: dict[str, str]
    log_changes: tuple[Change, ...] = ()
    statuses: tuple[TableStatus, ...] | None = None
    basis: str = ""
    lost: tuple[Loss, ...] = ()
    answered: tuple[Answered, ...] = ()

    @property
    def open_quarantined(self) -> int:
        """The messages in quarantine that nobody answered for."""
        return max(0, (self.quarantined or 0) - sum(each.messages for each in self.answered))

    @property
    def open_losses(self) -> tuple[Loss, ...]:
        """The losses that nobody acknowledged."""
        return tuple(each for each in self.lost if each.open)

    @property
    def open_log_changes(self) -> tuple[Change, ...]:
        """The changes of logs that nobody acknowledged; they are findings."""
        return tuple(change for change in self.log_changes if change.acknowledged is None)

    @property
    def open_statuses(self) -> tuple[TableStatus, ...]:
        """The tables that keep the day from being clean, for they were not judged or nobody knows why they played."""
        return tuple(each for each in self.statuses or () if each.open)

    @property
    def telling_statuses(self) -> tuple[TableStatus, ...]:
        """The tables of which there is more to tell than that they were judged, those that somebody acknowledged as well."""
        return tuple(each for each in self.statuses or () if each.open or each.acknowledged)

    @property
    def incomplete(self) -> tuple[TableRow, ...]:
        """Table-days whose custody cannot be reconciled because something was not counted."""
        return tuple(row for row in self.tables if not row.complete)

    @property
    def clean(self) -> bool:
        """Whether all was judged and agrees: no finding above an advisory, no gap, nothing damaged or uncounted."""
        found = any(each.severity != Severity.ADVISORY for each in self.findings)
        gaps = any(row.settlement_gap_minor or row.custody_gap_minor for row in self.tables)
        untold = (
            self.damaged or self.open_quarantined or self.open_losses or self.statuses is None or self.open_statuses
        )
        return not (found or gaps or untold or self.incomplete or self.unjudged)

    def to_dict(self) -> dict[str, Any]:
        """A JSON object of everything; amounts are minor units."""
        return {
            "gaming_day": self.gaming_day.isoformat(),
            "clean": self.clean,
            "accounted": self.statuses is not None,
            "basis": self.basis,
            "tables": self._tables(),
            "house": [_plain(row) for row in self.house],
            "settlement_causes": [_plain(cause) for cause in self.settlement_causes],
            "custody_leads": [_plain(lead) for lead in self.custody_leads],
            "custody_findings": [_plain(finding) for finding in self.custody_findings],
            "stretches": [_plain(stretch) for stretch in self.stretches],
            "book_changes": [_plain(change) for change in self.book_changes],
            "findings": [_plain(found) for found in self.findings],
            "unjudged": [_plain(row) for row in self.unjudged],
            "not_checked": self.not_checked,
            "quarantined": self.quarantined,
            "answered": [each.to_dict() for each in self.answered],
            "lost": [lost.to_dict() for lost in self.lost],
            "damaged": self.damaged,
            "log_changes": [change.to_dict() for change in self.log_changes],
        }

    def _tables(self) -> list[dict[str, Any]]:
        """Every table with what became of it and its figures, which are null where it has no verdicts."""
        figures = {row.table_id: _plain(row) for row in self.tables}
        nothing = dict.fromkeys((field.name for field in dataclasses.fields(TableRow)), None)
        day = {"gaming_day": self.gaming_day.isoformat()}
        known = {each.table_id: each.to_dict() for each in self.statuses or ()}
        plain = {"status": Status.JUDGED.value} if self.statuses is None else {}
        return [
            nothing | day | figures.get(table_id, {}) | plain | known.get(table_id, {})
            for table_id in sorted({*figures, *known})
        ]

    def grid(self) -> Grid:
        """The reconciliation table: a row for each table, then one for the house in each currency."""
        columns = (
            Column("table", figure=False),
            Column("game", figure=False),
            *(
                Column(title)
                for title in ("rounds", "handle", "win due", "settlement gap", "win recorded", "custody gap")
            ),
            *(Column(title) for title in ("win accounted", "drop", "hold", "luck", "on part of handle")),
            Column("not counted", figure=False),
        )
        rows = [(row.table_id, row.game or "", *_figures(row), row.not_counted) for row in self.tables]
        for house in self.house:
            left_out = f"{house.incomplete} of {house.tables} tables" if house.incomplete else ""
            rows.append(("house", house.currency or "", *_figures(house), left_out))
        return Grid(f"Tables of {self.gaming_day}", columns, tuple(rows), len(self.house))


def _figures(row: TableRow | HouseRow) -> tuple[str, ...]:
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


def reconcile(lake: Path, day: dt.date) -> Reconciliation:
    """Reconcile all table-days of a gaming day that are in the lake.

    One whose measures cannot be made, or contradict each other, is among the damaged ones; the others are reconciled.

    Raises:
        ReconciliationBroken: no measure can be made at all.
        LakeUnusable: the lake cannot be read.
    """
    note = read_note(lake, day)
    held = hold_days(lake, day, day)
    try:
        measures, sound = without_failing(lake, held, _measures)
        while broken := disagreeing(measures.tables, measures.causes):
            rest = without(sound, {(table, day): why for table, why in broken.items()})
            measures, sound = without_failing(lake, rest, _measures)
        # What was found at a table whose measures cannot be made was found all the same.
        found = measures.found if sound is held else without_failing(lake, held, _found)[0]
    except WorkFailed as error:
        raise ReconciliationBroken(f"{day} cannot be reconciled, the program is at fault: {error}") from error
    statuses = _held_to_register(lake, day, held.statuses.get(day), measures.tables)
    custody = (*_custody_findings(measures.tables), *_stretch_findings(measures.stretches, day))
    currencies = {row.table_id: row.currency for row in measures.tables}
    return Reconciliation(
        gaming_day=day,
        tables=measures.tables,
        house=measures.house,
        settlement_causes=tuple(cause for cause in measures.causes if cause.cause in _LISTED),
        custody_leads=measures.leads,
        custody_findings=custody,
        stretches=measures.stretches,
        book_changes=found.book_changes,
        findings=_finding_counts(found.counted, custody, note or DayNote(), sound, statuses or (), currencies),
        unjudged=found.unjudged,
        not_checked=found.not_checked,
        quarantined=None if note is None else note.quarantined,
        damaged={left.table_id: left.why for left in sound.left_out if left.code not in _APART},
        log_changes=tuple(held.changes),
        statuses=statuses,
        basis=note.basis if note else "",
        lost=() if note is None else losses(lake, note.lost),
        answered=() if note is None else note.answered,
    )


def _held_to_register(
    lake: Path, day: dt.date, statuses: Sequence[TableStatus] | None, tables: Iterable[TableRow]
) -> tuple[TableStatus, ...] | None:
    """The statuses, those of tables that played another game than the register says as not expected."""
    if statuses is None:
        return None
    games = {row.table_id: row.game for row in tables}
    return tuple(
        with_acknowledgement(lake, day, each.playing(games[each.table_id])) if each.table_id in games else each
        for each in statuses
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """What verdicts say without any measure; ``counted`` are codes by currency: severity, number, sum of the amounts, how many
    advisories they stand for and on which stakes."""

    book_changes: tuple[BookChange, ...]
    unjudged: tuple[Unjudged, ...]
    counted: tuple[tuple[str, str, str | None, int, int | None, int, int | None], ...]
    not_checked: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Measures:
    """The measures of some table-days of one gaming day, and what was found at them."""

    tables: tuple[TableRow, ...]
    house: tuple[HouseRow, ...]
    causes: tuple[SettlementCause, ...]
    leads: tuple[CustodyLead, ...]
    stretches: tuple[Stretch, ...]
    found: _Found


def _measures(connection: duckdb.DuckDBPyConnection, held: Holding) -> _Measures:
    marts.load(connection, held.runs, only=marts.needed_by(_MEASURES), compute=True)
    causes = "FROM settlement_causes ORDER BY table_id, seq NULLS LAST, round, seat, hand, wager"
    return _Measures(
        tables=_rows(connection, TableRow, "FROM table_reconciliation ORDER BY table_id"),
        house=_rows(connection, HouseRow, "FROM house_reconciliation ORDER BY currency NULLS LAST"),
        causes=_rows(connection, SettlementCause, causes),
        leads=_rows(connection, CustodyLead, "FROM custody_leads ORDER BY table_id, seq NULLS LAST, slip, lead"),
        stretches=_rows(connection, Stretch, "FROM stretches ORDER BY table_id, stretch"),
        found=_listed(connection),
    )


def _found(connection: duckdb.DuckDBPyConnection, _: Holding) -> _Found:
    marts.load(connection, only=("book_changes",))
    return _listed(connection)


def _listed(connection: duckdb.DuckDBPyConnection) -> _Found:
    unjudged = """
        FROM (
            SELECT
                table_id, reason, count(*) AS wagers, sum(stake_minor) AS stake_minor,
                coalesce(sum(paid_minor), 0) AS paid_minor
            FROM wagers WHERE due_minor IS NULL GROUP BY table_id, reason
        ) ORDER BY table_id, reason
        """
    counted = """
        WITH single AS (
            SELECT code, currency, count(*) AS times, sum(delta_minor) AS delta_minor, sum(stake_minor) AS stake_minor
            FROM advisories JOIN table_days USING (table_id, gaming_day) GROUP BY code, currency
        )
        SELECT
            found.code, severity, table_days.currency, count(*),
            coalesce(any_value(single.delta_minor), sum(found.delta_minor)),
            coalesce(any_value(single.times), count(*)), any_value(single.stake_minor)
        FROM findings AS found JOIN table_days USING (table_id, gaming_day)
        LEFT JOIN single ON single.code = found.code AND single.currency IS NOT DISTINCT FROM table_days.currency
        GROUP BY found.code, severity, table_days.currency
    """
    not_checked = connection.execute("SELECT not_checked FROM table_days").fetchall()
    return _Found(
        book_changes=_rows(connection, BookChange, "FROM book_changes ORDER BY table_id, seq, code, what"),
        unjudged=_rows(connection, Unjudged, unjudged),
        counted=tuple(connection.execute(counted).fetchall()),
        not_checked=_sum_objects(row[0] for row in not_checked),
    )


def _rows(connection: duckdb.DuckDBPyConnection, kind: type[Row], tail: str) -> tuple[Row, ...]:
    columns = ", ".join(f'"{field.name}"' for field in dataclasses.fields(kind))  # type: ignore[arg-type]
    return tuple(kind(*row) for row in connection.execute(f"SELECT {columns} {tail}").fetchall())


def _sum_objects(texts: Iterable[str | None]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for text in texts:
        total.update(json.loads(text or "{}"))
    return dict(sorted(total.items()))


def disagreeing(tables: Sequence[TableRow], causes: Sequence[SettlementCause]) -> dict[str, str]:
    """The tables for which one of the two identities does not hold, and how; the custody one is held where all was counted.

    Both hold by arithmetic: where one does not, the program is at fault.
    """
    effects: Counter[str] = Counter()
    for cause in causes:
        effects[cause.table_id] += cause.effect_minor
    found: dict[str, str] = {}
    for row in tables:
        variances = (row.inventory_variance_minor, row.drop_variance_minor)
        known = [variance for variance in variances if variance is not None]
        if effects[row.table_id] != row.settlement_gap_minor:
            found[row.table_id] = (
                f"the settlement gap is {row.settlement_gap_minor}, its causes come to {effects[row.table_id]} minor units"
            )
        elif row.complete and (len(known) != len(variances) or sum(known) != row.custody_gap_minor):
            found[row.table_id] = (
                f"the custody gap is {row.custody_gap_minor}, inventory and drop variance are {variances} minor units"
            )
    return found


def _custody_findings(tables: Iterable[TableRow]) -> Iterable[Finding]:
    for row in tables:
        if row.inventory_variance_minor:
            message = f"closed with {amount(row.closing_minor)}, the log leads to {amount(row.expected_closing_minor)}"
            yield Finding(
                INVENTORY_VARIANCE.code, row.table_id, row.gaming_day,
                message=message, delta_minor=row.inventory_variance_minor,
            )  # fmt: skip
        if row.drop_variance_minor:
            message = f"box counted {amount(row.drop_minor)}, bought in on the log {amount(row.buyins_minor)}"
            yield Finding(
                DROP_VARIANCE.code, row.table_id, row.gaming_day, message=message, delta_minor=row.drop_variance_minor
            )


def _stretch_findings(stretches: Iterable[Stretch], day: dt.date) -> Iterable[Finding]:
    for row in stretches:
        opened = f"opened again at seq {row.opened_seq}"
        if row.inventory_variance_minor:
            expected = (row.closing_minor or 0) - row.inventory_variance_minor
            message = f"{opened}, closed with {amount(row.closing_minor)}, the log leads to {amount(expected)}"
            yield Finding(
                INVENTORY_VARIANCE.code, row.table_id, day, row.closed_seq,
                message=message, delta_minor=row.inventory_variance_minor,
            )  # fmt: skip
        if row.drop_variance_minor:
            message = f"{opened}, box counted {amount(row.drop_minor)}, bought in {amount(row.buyins_minor)}"
            yield Finding(
                DROP_VARIANCE.code, row.table_id, day, row.closed_seq,
                message=message, delta_minor=row.drop_variance_minor,
            )  # fmt: skip


def _finding_counts(
    counted: Iterable[tuple[str, str, str | None, int, int | None, int, int | None]],
    custody: Iterable[Finding],
    note: DayNote,
    held: Holding,
    statuses: Iterable[TableStatus],
    currencies: Mapping[str, str | None],
) -> tuple[FindingCount, ...]:
    codes = [left.code for left in held.left_out]
    codes += [change.code for change in held.open_changes]
    without = {left.table_id for left in held.left_out}
    codes += [each.code for each in statuses if each.open and each.code and each.table_id not in without]
    ours = [
        (f.code, str(f.severity), currencies.get(f.table_id), 1, f.delta_minor, 1, None)
        for f in (*custody, *note.between)
    ]
    ours += [(code, str(CODES[code].severity), None, 1, None, 1, None) for code in codes]
    each = []
    for code, severity, currency, number, delta, times, stake in (*counted, *ours):
        of = None if delta is None and stake is None else currency
        title = CODES[code].title if code in CODES else code
        each.append(FindingCount(code, severity, title, number, delta, times, stake, of))
    return merged(each)


def merged(counts: Iterable[FindingCount]) -> tuple[FindingCount, ...]:
    """Counts of several tables or days, one a code and currency, the gravest first."""
    found: dict[tuple[str, str | None], FindingCount] = {}
    for each in counts:
        key = each.code, each.currency
        found[key] = each.added(found[key]) if key in found else each
    weight = [str(severity) for severity in reversed(Severity)]
    return tuple(sorted(found.values(), key=lambda each: (weight.index(each.severity), each.code, each.currency or "")))


def _sum_known(*amounts: int | None) -> int | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None


def _plain(row: Any) -> dict[str, Any]:
    values = dataclasses.asdict(row)
    return {key: value.isoformat() if isinstance(value, dt.date) else value for key, value in values.items()}
