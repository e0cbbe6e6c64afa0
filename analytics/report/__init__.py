"""The report of a gaming day: one HTML file that loads nothing, for the screen and for paper."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import jinja2
from markupsafe import Markup

from analytics.amounts import NOTHING, amount, count, percent
from analytics.lake import Run, runs
from analytics.reconcile import CustodyLead, Reconciliation, SettlementCause, TableRow, reconcile
from analytics.report import plots

MOST_CHANGES: Final = 2000
"""Corrections and late entries listed at most, those of each table in the order of its log."""
MOST_PAYMENTS: Final = 2000
"""Payments listed at most, the largest effects first; the report says how many are left out."""


@dataclass(frozen=True, slots=True)
class _TableCauses:
    """A table whose numbers do not agree, with the payments and leads listed for it."""

    row: TableRow
    payments: tuple[SettlementCause, ...]
    leads: tuple[CustodyLead, ...]


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("analytics.report", ""),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"amount": amount, "signed": lambda minor: amount(minor, sign=True)}
    environment.filters |= {"count": count, "percent": percent, "number": _number}
    return environment.get_template("report.html.j2")


def render(lake: Path, day: dt.date, zone: dt.tzinfo = dt.UTC) -> str:
    """The report of a gaming day as HTML; times are told in ``zone``.

    Raises:
        LakeUnusable, ReconciliationBroken: as :func:`analytics.reconcile.reconcile`.
    """
    return render_reconciliation(reconcile(lake, day), runs(lake, day, day), zone)


def render_reconciliation(day: Reconciliation, made_by: list[Run], zone: dt.tzinfo = dt.UTC) -> str:
    """The report of a reconciliation that was made by ``made_by``."""
    largest = sorted(day.settlement_causes, key=lambda cause: -abs(cause.effect_minor))
    listed = {id(cause) for cause in largest[:MOST_PAYMENTS]}
    disagreeing = [row for row in day.tables if row.settlement_gap_minor or _custody_differs(row)]
    causes = [
        _TableCauses(
            row,
            tuple(c for c in day.settlement_causes if c.table_id == row.table_id and id(c) in listed),
            tuple(lead for lead in day.custody_leads if lead.table_id == row.table_id),
        )
        for row in day.tables
        if row in disagreeing or any(cause.table_id == row.table_id for cause in day.settlement_causes)
    ]
    drawings = {
        "wins": plots.wins_by_table(day),
        "luck": plots.luck_by_table(day),
        "deltas": plots.deltas_by_dealer(day, zone),
    }
    return _template().render(
        day=day,
        causes=causes,
        disagreeing=disagreeing,
        left_out=max(0, len(largest) - MOST_PAYMENTS),
        changes=day.book_changes[:MOST_CHANGES],
        changes_left_out=max(0, len(day.book_changes) - MOST_CHANGES),
        undrawn=len(day.tables) - len(plots.drawn(day.tables)),
        # The only markup that is not escaped here: the renderer of the drawings escapes what it writes.
        plots={name: Markup(svg) for name, svg in drawings.items() if svg},  # noqa: S704
        runs=made_by,
        pins=_distinct_pins(made_by),
        zone=_zone_name(zone, day.gaming_day),
    )


def write_report(lake: Path, day: dt.date, path: Path, zone: dt.tzinfo = dt.UTC) -> None:
    """Write :func:`render` to a file, whole or not at all."""
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(render(lake, day, zone), encoding="utf-8")
    draft.replace(path)


def _number(name: int | None) -> str:
    """A number that names something (a round, a seat, an event) and counts nothing."""
    return NOTHING if name is None else str(name)


def _custody_differs(row: TableRow) -> bool:
    return bool(row.inventory_variance_minor or row.drop_variance_minor)


def _distinct_pins(made_by: list[Run]) -> list[tuple[dict[str, object], int]]:
    """The pins that the day's runs were made under, with how many runs each; more than one deserves a look."""
    distinct: list[tuple[dict[str, object], int]] = []
    for run in made_by:
        pins = dict(run.pins)
        for index, (known, number) in enumerate(distinct):
            if known == pins:
                distinct[index] = (known, number + 1)
                break
        else:
            distinct.append((pins, 1))
    return distinct


def _zone_name(zone: dt.tzinfo, day: dt.date) -> str:
    """The zone's own name where it has one, as Asia/Macau; CST would be Chicago's as well."""
    return getattr(zone, "key", "") or dt.datetime.combine(day, dt.time(12), zone).strftime("%Z")
