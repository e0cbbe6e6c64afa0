"""The findings of a gaming day one by one, those first that cost most."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from analytics.lake import contents_of, views
from analytics.reconciliation import Reconciliation, currencies_of
from schemas.finding import Severity


@dataclass(frozen=True, slots=True)
class Found:
    """A finding above an advisory with its place; ``delta_minor`` is paid less due, or counted less expected."""

    table_id: str
    round: int | None
    seat: int | None
    code: str
    delta_minor: int | None
    currency: str | None
    article: str
    message: str


def gravest(lake: Path, said: Reconciliation, most: int) -> tuple[list[Found], int]:
    """The ``most`` gravest findings of a reconciled gaming day, and how many there are: payments and chips by amount first.

    Raises:
        LakeUnusable: the lake cannot be read.
    """
    contents = contents_of(lake, said.gaming_day, said.gaming_day, tables=("findings", "rounds", "table_days"))
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
    currencies = currencies_of(said.books)
    custody = [
        Found(f.table_id, None, None, f.code, f.delta_minor, currencies.get((f.table_id, f.seq)), f.article, f.message)
        for f in said.custody_findings
    ]
    found = [*custody, *(Found(*row[:-1]) for row in rows)]
    found.sort(key=lambda each: -abs(each.delta_minor or 0))
    return found[:most], len(custody) + (rows[0][-1] if rows else 0)
