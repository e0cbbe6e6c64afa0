"""The report of a gaming day: one HTML file that loads nothing, for the screen and for paper."""

from __future__ import annotations

import datetime as dt
import errno
import json
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any, Final

import jinja2
from markupsafe import Markup

from analytics.lake import Run, runs
from analytics.reconciliation.result import Books, CustodyLead, Reconciliation, SettlementCause
from analytics.report import plots
from analytics.report.drawing import draw
from analytics.sentence import sentence, totals_of
from analytics.texts import NOTHING, amount, count, label, percent
from producers.outputs import write_output
from schemas.identity import WITHOUT_KEY
from schemas.plural import plural

MOST_CHANGES: Final = 2000
"""Corrections and late entries listed at most, by table in the order of the log."""
MOST_PAYMENTS: Final = 2000
"""Payments listed at most, the largest effects first; the report says how many are left out."""
MOST_LEADS: Final = 50
"""Leads listed at most for a table; the report says how many are left out."""
MOST_REASONS: Final = 200
"""Rows of unjudged wagers listed at most; the report says how many are left out."""
_LETTERS: Final = 1000
"""Characters of one text at most: a log may have any text, and the page must stay readable."""


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("analytics.report", ""),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_labelled,
    )
    environment.filters |= {"amount": amount, "signed": lambda minor: amount(minor, sign=True)}
    environment.filters |= {"count": count, "percent": percent, "plural": plural, "number": _number}
    return environment.get_template("report.html.j2")


def render(lake: Path, day: Reconciliation, zone: dt.tzinfo = dt.UTC) -> str:
    """The report of a reconciliation as HTML; times are shown in ``zone``."""
    shown = {row.table_id for row in day.tables}
    manifests = [run for run in runs(lake, day.gaming_day, day.gaming_day) if run.table_id in shown]
    largest = sorted(day.settlement_causes, key=lambda cause: -abs(cause.effect_minor))
    concerned = day.disagreeing.union(cause.table_id for cause in largest)
    listed: defaultdict[str, list[SettlementCause]] = defaultdict(list)
    for cause in sorted(largest[:MOST_PAYMENTS], key=lambda cause: (cause.seq is None, cause.seq or 0)):
        listed[cause.table_id].append(cause)
    books = _books_with_leads(day)
    causes = [(row, listed[row.table_id], books[row.table_id]) for row in day.tables if row.table_id in concerned]
    drawings = {
        "wins": plots.wins_by_table(day),
        "luck": plots.luck_by_table(day),
        "deltas": plots.deltas_by_dealer(day, zone),
    }
    drawn = draw({name: plot.specification for name, plot in drawings.items() if plot.specification})
    return _template().render(
        day=day,
        sentence=sentence(str(day.gaming_day), totals_of(day)),
        causes=causes,
        rounded=_rounded(day),
        left_out=max(0, len(largest) - MOST_PAYMENTS),
        changes=day.book_changes[:MOST_CHANGES],
        changes_left_out=max(0, len(day.book_changes) - MOST_CHANGES),
        most_leads=MOST_LEADS,
        most_reasons=MOST_REASONS,
        # The only markup that is not escaped here: the renderer of the drawings has escaped its texts.
        plots={name: svg and Markup(svg) for name, svg in drawn.items()},  # noqa: S704
        notes={name: plot.note for name, plot in drawings.items()},
        runs=manifests,
        pins=_distinct_pins(manifests),
        without_key=WITHOUT_KEY if any(run.players == "pseudonyms without a key" for run in manifests) else "",
        zone=_zone_name(zone, day.gaming_day),
    )


def write_report(lake: Path, day: Reconciliation, path: Path, zone: dt.tzinfo = dt.UTC) -> None:
    """Write the report of a reconciliation to a file, atomically, or into a device or pipe. Raises OSError where the file cannot
    be written."""
    if not path.name:
        raise OSError(errno.EINVAL, "is no file: name one for the report", str(path))
    write_output(path, render(lake, day, zone).encode())


def _labelled(value: Any) -> Any:
    """A value as the page shows it: texts are shortened and made visible, markup is the template's own."""
    return label(value, _LETTERS) if isinstance(value, str) and not isinstance(value, Markup) else value


def _rounded(day: Reconciliation) -> Counter[str | None]:
    """The part of the settlement gap that is rounding, by currency: fractions of a minor unit, which no chip can pay (X-2)."""
    currencies = {row.table_id: row.currency for row in day.tables}
    rounded: Counter[str | None] = Counter()
    for cause in day.settlement_causes:
        if cause.delta_minor is not None:
            rounded[currencies[cause.table_id]] += cause.effect_minor + cause.delta_minor
    return rounded


def _books_with_leads(day: Reconciliation) -> defaultdict[str, list[tuple[Books, list[CustodyLead]]]]:
    leads: defaultdict[tuple[str, int], list[CustodyLead]] = defaultdict(list)
    for lead in day.custody_leads:
        leads[lead.table_id, lead.stretch].append(lead)
    by_table: defaultdict[str, list[tuple[Books, list[CustodyLead]]]] = defaultdict(list)
    for books in day.books:
        if books.inventory_variance_minor or books.drop_variance_minor:
            by_table[books.table_id].append((books, leads[books.table_id, books.stretch]))
    return by_table


def _number(name: int | None) -> str:
    """A number that is a name (of a round, a seat, an event), not a count."""
    return NOTHING if name is None else str(name)


def _distinct_pins(manifests: list[Run]) -> list[tuple[dict[str, object], str, int]]:
    """The distinct pins of the day's runs, how players are named, and the number of runs; more than one is worth a look."""
    under: dict[str, list[Run]] = {}
    for run in manifests:
        under.setdefault(json.dumps(run.pins, sort_keys=True), []).append(run)
    return [(dict(first.pins), first.players, 1 + len(others)) for first, *others in under.values()]


def _zone_name(zone: dt.tzinfo, day: dt.date) -> str:
    """The zone's name, such as Asia/Macau; its abbreviation only where it has none, as CST is Chicago's too."""
    return getattr(zone, "key", "") or dt.datetime.combine(day, dt.time(12), zone).strftime("%Z")
