"""Reconciles a gaming day: do chips, payments and regulation agree at each table, and if not, why?

Two identities must hold in whole minor units; a table for which one does not is reported as damaged::

    win_accounted - win_booked   = inventory_variance + drop_variance        (custody gap)
    win_recorded  - win_due      = sum of the effects of settlement causes   (settlement gap)

Chips and cash are those of the books at the table's first closing (``replayer.integrity.books``), and win_booked is the win up to
then. Later entries are listed and change no variance; a table that was opened again has further books, one for each stretch.

A third figure, ``win_due - theoretical_win = luck``, covers only the wagers with an exact house edge
(``marts/house_edges.toml``); ``theoretical_share`` is their share of the handle.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import duckdb

from analytics import marts
from analytics.isolation import WorkFailed, without_failing
from analytics.lake import DayNote, LakeContents, contents_of, note_day, read_note, views
from analytics.lake.files import sha256_of
from analytics.lake.losses import losses
from analytics.lake.statuses import TABLE_ABSENT, TABLE_NOT_SEALED, TableStatus, checked_against_register
from analytics.reconciliation import result
from analytics.sentence import findings_summary, totals_of
from analytics.texts import amount
from schemas.finding import CODES, Finding, Severity, of_money

INVENTORY_VARIANCE: Final = of_money(
    "INVENTORY_VARIANCE", "The chips counted at closing are not those that the log leads to"
)
DROP_VARIANCE: Final = of_money("DROP_VARIANCE", "The box does not hold the cash that the log leads to")

_LISTED_CAUSES: Final = ("error", "nothing", "unmatched", "unsettled", "untold", "rounding")
"""Settlement causes listed one by one; unjudged ones are summed by reason."""

_NOT_RECORDED: Final = {TABLE_ABSENT, TABLE_NOT_SEALED}
"""Codes of tables that have no verdicts but are not damaged."""

Row = TypeVar("Row")


def note_and_reconcile(lake: Path, day: dt.date, note: DayNote) -> result.Reconciliation:
    """Reconcile a gaming day whose tables are judged, and write its note with the findings, without which its run is not over."""
    note_day(lake, day, dataclasses.replace(note, quarantined=None))
    reconciliation = dataclasses.replace(reconcile(lake, day), note=note)
    if found := findings_summary(totals_of(reconciliation)):
        note = dataclasses.replace(note, found=found, findings_digest=reconciliation.findings_digest)
    note_day(lake, day, note)
    return dataclasses.replace(reconciliation, note=note)


def reconcile(lake: Path, day: dt.date) -> result.Reconciliation:
    """Reconcile all table-days of a gaming day in the lake.

    A table-day whose measures cannot be computed, or contradict each other, is reported as damaged; the others are reconciled.

    Raises:
        WorkFailed: no measure can be computed at all.
        LakeUnusable: the lake cannot be read.
    """
    note = read_note(lake, day) or DayNote(quarantined=None)
    contents = contents_of(lake, day, day)
    try:
        measures, reconciled = without_failing(lake, contents, _measures)
        # Findings are also those of tables whose measures cannot be computed.
        found = measures.found if reconciled is contents else without_failing(lake, contents, _findings_only)[0]
    except WorkFailed as error:
        raise WorkFailed(f"{day} cannot be reconciled, the program is at fault: {error}") from error
    statuses = contents.statuses.get(day)
    if statuses is not None:
        games = {row.table_id: row.game for row in measures.tables}
        statuses = tuple(checked_against_register(lake, day, statuses, games))
    custody_findings = list(_custody_findings(measures.books))
    custody = tuple(finding for finding, _ in custody_findings)
    return result.Reconciliation(
        gaming_day=day,
        tables=measures.tables,
        house=measures.house,
        settlement_causes=tuple(cause for cause in measures.causes if cause.cause in _LISTED_CAUSES),
        custody_leads=measures.leads,
        custody_findings=custody,
        books=measures.books,
        book_changes=found.book_changes,
        findings=_finding_counts(found.counted, custody_findings, note, reconciled, statuses or ()),
        unjudged=found.unjudged,
        not_checked=found.not_checked,
        note=note,
        damaged={left.table_id: left.why for left in reconciled.left_out if left.code not in _NOT_RECORDED},
        log_changes=tuple(contents.changes),
        statuses=statuses,
        lost=losses(lake, note.lost),
        findings_digest=_digest([found.digest, *map(dataclasses.astuple, (*custody, *note.between))]),
    )


@dataclass(frozen=True, slots=True)
class _Findings:
    """The facts that need no measure; ``digest`` is that of all findings."""

    book_changes: tuple[result.BookChange, ...]
    unjudged: tuple[result.Unjudged, ...]
    counted: tuple[result.FindingCount, ...]
    not_checked: dict[str, int]
    digest: str


@dataclass(frozen=True, slots=True)
class _Measures:
    tables: tuple[result.TableRow, ...]
    house: tuple[result.HouseRow, ...]
    causes: tuple[result.SettlementCause, ...]
    leads: tuple[result.CustodyLead, ...]
    books: tuple[result.Books, ...]
    found: _Findings


def _measures(connection: duckdb.DuckDBPyConnection, contents: LakeContents) -> _Measures:
    read = "table_reconciliation house_reconciliation settlement_causes custody_leads books book_changes"
    marts.load(connection, contents.runs, only=marts.needed_by(read), compute=True)
    causes = "FROM settlement_causes ORDER BY table_id, seq NULLS LAST, round, seat, hand, wager"
    measures = _Measures(
        tables=_rows(connection, result.TableRow, "FROM table_reconciliation ORDER BY table_id"),
        house=_rows(connection, result.HouseRow, "FROM house_reconciliation ORDER BY currency NULLS LAST"),
        causes=_rows(connection, result.SettlementCause, causes),
        leads=_rows(
            connection, result.CustodyLead, "FROM custody_leads ORDER BY table_id, stretch, seq NULLS LAST, slip, lead"
        ),
        books=_rows(connection, result.Books, "FROM books ORDER BY stretch > 1, table_id, stretch"),
        found=_findings(connection),
    )
    if broken := broken_identities(measures.tables, measures.books, measures.causes):
        raise ArithmeticError("; ".join(broken.values()))
    return measures


def _findings_only(connection: duckdb.DuckDBPyConnection, _: LakeContents) -> _Findings:
    marts.load(connection, only=("book_changes",))
    return _findings(connection)


def _findings(connection: duckdb.DuckDBPyConnection) -> _Findings:
    unjudged = """
        FROM (
            SELECT
                table_id, reason, currency, count(*) AS wagers, sum(stake_minor) AS stake_minor,
                coalesce(sum(paid_minor), 0) AS paid_minor
            FROM wagers WHERE due_minor IS NULL GROUP BY table_id, reason, currency
        ) ORDER BY table_id, reason, currency
        """
    counted = """
        WITH each AS (
            SELECT table_id, gaming_day, round, code, severity, delta_minor, NULL AS stake_minor, 1 AS times
            FROM findings WHERE severity <> $advisory
            UNION ALL
            -- All advisories of a code in a table-day are one finding.
            SELECT table_id, gaming_day, round, code, severity, delta_minor, stake_minor, NULL FROM advisories
        )
        SELECT
            code, severity, coalesce(rounds.currency, table_days.currency) AS currency,
            coalesce(sum(times)::BIGINT, count(DISTINCT (table_id, gaming_day))), sum(delta_minor), count(*), sum(stake_minor)
        FROM each JOIN table_days USING (table_id, gaming_day) LEFT JOIN rounds USING (table_id, gaming_day, round)
        GROUP BY code, severity, coalesce(rounds.currency, table_days.currency)
    """
    not_checked = connection.execute("SELECT not_checked FROM table_days").fetchall()
    # Without the time, which the number implies, and without pseudonyms, which depend on the key.
    findings = connection.execute('SELECT * EXCLUDE ("at", player) FROM findings ORDER BY ALL').fetchall()
    return _Findings(
        book_changes=_rows(connection, result.BookChange, "FROM book_changes ORDER BY table_id, seq, code, what"),
        unjudged=_rows(connection, result.Unjudged, unjudged),
        counted=tuple(
            _count(*row) for row in connection.execute(counted, {"advisory": str(Severity.ADVISORY)}).fetchall()
        ),
        not_checked=_sum_objects(row[0] for row in not_checked),
        digest=_digest(findings),
    )


def _digest(facts: Sequence[object]) -> str:
    return sha256_of(json.dumps(facts, default=str).encode())


def _rows(connection: duckdb.DuckDBPyConnection, kind: type[Row], tail: str) -> tuple[Row, ...]:
    columns = ", ".join(f'"{field.name}"' for field in dataclasses.fields(kind))  # type: ignore[arg-type]
    return tuple(kind(*row) for row in connection.execute(f"SELECT {columns} {tail}").fetchall())


def _sum_objects(texts: Iterable[str | None]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for text in texts:
        total.update(json.loads(text or "{}"))
    return dict(sorted(total.items()))


def broken_identities(
    tables: Iterable[result.TableRow], books: Iterable[result.Books], causes: Iterable[result.SettlementCause]
) -> dict[str, str]:
    """The tables for which one of the two identities does not hold, and how; the custody one applies where all was counted.

    Both hold by arithmetic: a difference is an error of the program.
    """
    effects: Counter[str] = Counter()
    for cause in causes:
        effects[cause.table_id] += cause.effect_minor
    found = {
        row.table_id: f"the settlement gap is {row.settlement_gap_minor}, its causes come to {effects[row.table_id]} minor units"
        for row in tables
        if effects[row.table_id] != row.settlement_gap_minor
    }
    for each in books:
        variances = (each.inventory_variance_minor, each.drop_variance_minor)
        known = [variance for variance in variances if variance is not None]
        if each.complete and (len(known) != len(variances) or sum(known) != each.custody_gap_minor):
            found[each.table_id] = (
                f"the custody gap is {each.custody_gap_minor}, inventory and drop variance are {variances} minor units"
            )
    return found


def _custody_findings(books: Iterable[result.Books]) -> Iterator[tuple[Finding, str | None]]:
    """The finding on each variance, with the currency of its books."""
    for each in books:
        opened = f"opened again at seq {each.opened_seq}, " if each.opened_seq else ""
        chips = f"closed with {amount(each.closing_minor)}, the log leads to {amount(each.expected_closing_minor)}"
        cash = f"box counted {amount(each.drop_minor)}, bought in on the log {amount(each.buyins_minor)}"
        for code, message, variance in (
            (INVENTORY_VARIANCE, chips, each.inventory_variance_minor),
            (DROP_VARIANCE, cash, each.drop_variance_minor),
        ):
            if variance:
                place = (code, each.table_id, each.gaming_day, each.last_seq)
                yield Finding(*place, message=opened + message, delta_minor=variance), each.currency


def _finding_counts(
    counted: Iterable[result.FindingCount],
    custody: Iterable[tuple[Finding, str | None]],
    note: DayNote,
    contents: LakeContents,
    statuses: Iterable[TableStatus],
) -> tuple[result.FindingCount, ...]:
    codes = [left.code for left in contents.left_out]
    codes += [change.code for change in contents.open_changes]
    tables_left_out = {left.table_id for left in contents.left_out}
    codes += [each.code for each in statuses if each.open and each.code and each.table_id not in tables_left_out]
    codes += [found.code for found in note.between]
    of_books = (_count(f.code, str(f.severity), currency, delta=f.delta_minor) for f, currency in custody)
    of_lake = (_count(code, str(CODES[code].severity), None) for code in codes)
    return result.merged([*counted, *of_books, *of_lake])


def _count(
    code: str,
    severity: str,
    currency: str | None,
    number: int = 1,
    delta: int | None = None,
    times: int = 1,
    stake: int | None = None,
) -> result.FindingCount:
    """The count of a code, under its currency where it has amounts."""
    title = CODES[code].meaning if code in CODES else code
    unit = None if delta is None and stake is None else currency
    return result.FindingCount(code, severity, title, number, delta, times, stake, unit)


def gravest(
    lake: Path, reconciliation: result.Reconciliation, most: int
) -> tuple[list[tuple[Finding, str | None]], int]:
    """The first ``most`` findings above an advisory of a reconciled gaming day, by absolute amount, each with its currency; and
    their total number. Raises LakeUnusable where the lake cannot be read."""
    contents = contents_of(
        lake, reconciliation.gaming_day, reconciliation.gaming_day, tables=("findings", "rounds", "table_days")
    )
    with views(lake, contents) as connection:
        rows = connection.execute(
            """
            SELECT code, table_id, gaming_day, seq, round, seat, article, message, delta_minor,
                coalesce(rounds.currency, table_days.currency), count(*) OVER ()
            FROM findings JOIN table_days USING (table_id, gaming_day)
            LEFT JOIN rounds USING (table_id, gaming_day, round) WHERE severity <> ?
            ORDER BY abs(delta_minor) DESC NULLS LAST, severity <> ?, code, table_id, seq LIMIT ?
            """,
            [str(Severity.ADVISORY), str(Severity.INTEGRITY), most],
        ).fetchall()
    custody = list(_custody_findings(reconciliation.books))
    listed = [*custody, *((Finding(*row[:-2]), row[-2]) for row in rows)]
    listed.sort(key=lambda each: -abs(each[0].delta_minor or 0))
    return listed[:most], len(custody) + (rows[0][-1] if rows else 0)
