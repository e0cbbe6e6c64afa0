"""Lists the findings of a gaming day, the most expensive first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from analytics.lake import contents_of, views
from analytics.reconciliation.measures import currencies_of
from analytics.reconciliation.result import Reconciliation
from schemas.finding import Severity


@dataclass(frozen=True, slots=True)
class ListedFinding:
    """A finding above an advisory, with its place; ``delta_minor`` is paid less due, or counted less expected."""

    table_id: str
    round: int | None
    seat: int | None
    code: str
    delta_minor: int | None
    currency: str | None
    article: str
    message: str


def gravest(lake: Path, reconciliation: Reconciliation, most: int) -> tuple[list[ListedFinding], int]:
    """The first ``most`` findings of a reconciled gaming day, by absolute amount, and their total number. Raises LakeUnusable
    where the lake cannot be read."""
    contents = contents_of(
        lake, reconciliation.gaming_day, reconciliation.gaming_day, tables=("findings", "rounds", "table_days")
    )
    with views(lake, contents) as connection:
        rows = connection.execute(
            """
            SELECT table_id, round, seat, code, delta_minor, coalesce(rounds.currency, table_days.currency), article, message,
                count(*) OVER ()
            FROM findings JOIN table_days USING (table_id, gaming_day)
            LEFT JOIN rounds USING (table_id, gaming_day, round) WHERE severity <> ?
            ORDER BY abs(delta_minor) DESC NULLS LAST, severity <> ?, code, table_id, seq LIMIT ?
            """,
            [str(Severity.ADVISORY), str(Severity.INTEGRITY), most],
        ).fetchall()
    currencies = currencies_of(reconciliation.books)
    custody = [
        ListedFinding(
            f.table_id, None, None, f.code, f.delta_minor, currencies.get((f.table_id, f.seq)), f.article, f.message
        )
        for f in reconciliation.custody_findings
    ]
    found = [*custody, *(ListedFinding(*row[:-1]) for row in rows)]
    found.sort(key=lambda each: -abs(each.delta_minor or 0))
    return found[:most], len(custody) + (rows[0][-1] if rows else 0)
