"""Specifications of the plots of a reconciliation, each with a bounded number of rows.

Amounts become floats in major units here and nowhere else, as pixels need no avos. Names from the log are shortened by
:func:`analytics.texts.label` and appear as data only: the renderer compiles all other parts of a specification.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
import polars as pl

from analytics.reconciliation.result import Reconciliation, SettlementCause, TableRow
from analytics.texts import label
from schemas.money import DECIMALS

MOST_TABLES: Final = 40
"""Tables drawn at most: those with a gap first, then by handle. The report says how many are left out."""
MOST_DEALERS: Final = 24
"""Dealers drawn by name at most, the largest sums first; the others of a currency share a line."""
MOST_OTHERS: Final = 2
"""Shared lines at most, those of most dealers first."""
BAND: Final = 3
"""Standard deviations of luck to either side: by Chebyshev, at most one table in nine is expected outside by chance, as long as
no stake depends on earlier results."""
BIN: Final = dt.timedelta(minutes=30)
"""Payments of one dealer and side within this time are one mark."""
_DRAWN_DAYS: Final = 2
"""Local days drawn, from the gaming day on: it ends on the next calendar day."""
_LETTERS: Final = 24

_INK: Final = "#1f2933"
_FAINT: Final = "#d9dee3"
_WINS: Final = {"due": "#9aa5b1", "recorded": "#486581", "accounted": "#102a43"}
_SIDES: Final = {"overpaid": "#b44d12", "underpaid": "#2b6cb0"}
_SHAPES: Final = {"overpaid": "triangle-up", "underpaid": "triangle-down"}
_WIDTH: Final = 1020
_AMOUNTS: Final = alt.Axis(format="~s", tickCount=8)
_HOURS: Final = alt.Axis(format="%H:%M", tickCount=12)
_LEGEND: Final = alt.Legend(orient="top")
_FONT: Final = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot's specification and a remark for its reader; both empty where there is nothing to draw."""

    specification: dict[str, Any]
    note: str = ""


NO_PLOT: Final = Plot({})


def wins_by_table(day: Reconciliation) -> Plot:
    """Win due, recorded and accounted of each table side by side."""
    tables = drawn(day.tables)
    if not tables:
        return NO_PLOT
    names = _table_names(tables)
    rows = [
        {"table": names[row.table_id], "win": name, "order": order, "amount": _major(value)}
        for row in tables
        for order, (name, value) in enumerate(
            (("due", row.win_due_minor), ("recorded", row.win_recorded_minor), ("accounted", row.win_accounted_minor))
        )
        if value is not None
    ]
    chart = (
        alt.Chart(pl.DataFrame(rows))
        .mark_bar(height={"band": 0.82})
        .encode(
            x=alt.X("amount:Q", title="win, from the house's side", axis=_AMOUNTS),
            y=alt.Y("table:N", title=None),
            yOffset=alt.YOffset("win:N", sort=list(_WINS)),
            color=alt.Color("win:N", title="win", scale=_scale(_WINS), legend=_LEGEND),
            order="order:Q",
        )
        .properties(width=_WIDTH, height=alt.Step(10))
    )
    left_out = len(day.tables) - len(tables)
    note = f"{left_out:,} tables are not drawn: those that do not agree come first, then the largest handles."
    return Plot(_styled(chart), note if left_out else "")


def luck_by_table(day: Reconciliation) -> Plot:
    """Win due beside theoretical win and the band of three standard deviations, over the wagers whose edge is exact."""
    rated = [row for row in day.tables if row.luck_deviation_minor]
    tables = sorted(rated, key=lambda row: (-row.theoretical_stake_minor, row.table_id))[:MOST_TABLES]
    tables.sort(key=lambda row: row.table_id)
    names = _table_names(tables)
    rows = [
        {
            "table": names[row.table_id],
            "theoretical": _major(row.theoretical_win_minor),
            "due": _major(row.theoretical_win_minor + row.luck_minor),
            "low": (row.theoretical_win_minor - BAND * row.luck_deviation_minor) / 10**DECIMALS,
            "high": (row.theoretical_win_minor + BAND * row.luck_deviation_minor) / 10**DECIMALS,
        }
        for row in tables
        if row.theoretical_win_minor is not None and row.luck_minor is not None and row.luck_deviation_minor
    ]
    if not rows:
        return NO_PLOT
    base = alt.Chart().encode(y=alt.Y("table:N", title=None))
    band = base.mark_bar(color=_FAINT, height={"band": 0.55}).encode(
        x=alt.X("low:Q", title="win over the wagers whose edge is exact, and over no others", axis=_AMOUNTS),
        x2="high:Q",
    )
    expected = base.mark_tick(color=_WINS["recorded"], thickness=2, size=14).encode(x="theoretical:Q")
    due = base.mark_point(filled=True, size=55, color=_SIDES["overpaid"]).encode(x="due:Q")
    left_out = len(rated) - len(tables)
    note = f"{left_out:,} tables with smaller stakes on them are not drawn." if left_out else ""
    # The layers share their data: Altair would name a layer's own by its printed form, which depends on POLARS_* variables.
    chart = alt.layer(band, expected, due, data=pl.DataFrame(rows)).properties(width=_WIDTH, height=alt.Step(20))
    return Plot(_styled(chart), note)


def deltas_by_dealer(day: Reconciliation, zone: dt.tzinfo) -> Plot:
    """Wrong payments by dealer, half hour and side, as marks sized by their sum."""
    wrong = _wrong_payments(day)
    lines = _dealer_lines(wrong)
    sums: Counter[tuple[str, dt.datetime, str]] = Counter()
    left_out = 0
    for cause, dealer in wrong:
        hour = _half_hour(cause.at_micros, day.gaming_day, zone)
        if hour is None or dealer not in lines:
            left_out += 1
        else:
            sums[lines[dealer], hour, "overpaid" if cause.effect_minor < 0 else "underpaid"] += abs(cause.effect_minor)
    if not sums:
        return NO_PLOT
    places = {line: place for place, line in enumerate(dict.fromkeys(lines.values()))}
    rows = [
        {"dealer": dealer, "line": places[dealer], "hour": hour, "side": side, "amount": _major(minor)}
        for (dealer, hour, side), minor in sorted(sums.items())
    ]
    chart = (
        alt.Chart(pl.DataFrame(rows))
        .mark_point(filled=True, opacity=0.75)
        .encode(
            x=alt.X("hour:T", title=None, scale=alt.Scale(type="utc", padding=12), axis=_HOURS),
            y=alt.Y("dealer:N", title=None, sort=alt.EncodingSortField("line", op="min")),
            size=alt.Size("amount:Q", scale=alt.Scale(range=[25, 420]), legend=None),
            color=alt.Color("side:N", title=None, scale=_scale(_SIDES), legend=_LEGEND),
            shape=alt.Shape("side:N", title=None, scale=_scale(_SHAPES), legend=_LEGEND),
        )
        .properties(width=_WIDTH, height=alt.Step(22))
    )
    note = f"{left_out:,} payments at no time of this gaming day, or in a further currency, are not drawn."
    return Plot(_styled(chart), note if left_out else "")


def drawn(tables: Sequence[TableRow]) -> list[TableRow]:
    """The tables that are drawn, in the order of their names."""
    ranked = sorted(
        tables,
        key=lambda row: (not (row.settlement_gap_minor or row.custody_gap_minor), -row.handle_minor, row.table_id),
    )
    return sorted(ranked[:MOST_TABLES], key=lambda row: row.table_id)


_Dealer = tuple[str, str]
"""A dealer's name and the currency of the table, empty where the day has only one."""


def _wrong_payments(day: Reconciliation) -> list[tuple[SettlementCause, _Dealer]]:
    currencies = _currencies(day.tables)
    return [
        (cause, (cause.dealer or "not on the log", currencies.get(cause.table_id, "")))
        for cause in day.settlement_causes
        if cause.cause not in ("rounding", "unmatched", "unsettled", "untold") and cause.effect_minor
    ]


def _dealer_lines(wrong: Sequence[tuple[SettlementCause, _Dealer]]) -> dict[_Dealer, str]:
    """The line of the plot on which a dealer's payments are drawn, in the order of the lines.

    Sums of several currencies are not compared: the largest dealers of each have lines of their own. Dealers have no line only
    where more currencies than :data:`MOST_OTHERS` have further dealers.
    """
    sums: Counter[_Dealer] = Counter()
    for cause, dealer in wrong:
        sums[dealer] += abs(cause.effect_minor)
    places: Counter[str] = Counter()
    ranked: list[tuple[int, _Dealer]] = []
    for dealer in sorted(sums, key=lambda dealer: (-sums[dealer], dealer)):
        ranked.append((places[dealer[1]], dealer))
        places[dealer[1]] += 1
    ranked.sort()
    named = sorted(dealer for _, dealer in ranked[:MOST_DEALERS])
    lines = {(name, unit): _with_unit(label(name, _LETTERS) or "(blank)", unit) for name, unit in named}
    others = [dealer for _, dealer in ranked[MOST_DEALERS:]]
    numbers = Counter(unit for _, unit in others)
    summed = {unit for unit, _ in numbers.most_common(MOST_OTHERS)}
    for name, unit in sorted(others):
        if unit in summed:
            lines[name, unit] = _with_unit(f"{numbers[unit]:,} other dealer{'s' * (numbers[unit] > 1)}", unit)
    return lines


def _table_names(tables: Sequence[TableRow]) -> dict[str, str]:
    currencies = _currencies(tables)
    return {row.table_id: _with_unit(label(row.table_id, _LETTERS), currencies.get(row.table_id, "")) for row in tables}


def _currencies(tables: Sequence[TableRow]) -> dict[str, str]:
    """The currency of each table; empty where they all have the same."""
    units = {row.table_id: label(row.currency or "no currency", _LETTERS) for row in tables}
    return units if len(set(units.values())) > 1 else {}


def _with_unit(name: str, unit: str) -> str:
    return f"{name}, {unit}" if unit else name


def _half_hour(at_micros: int | None, day: dt.date, zone: dt.tzinfo) -> dt.datetime | None:
    """The half hour of a local time; None where it is outside the days drawn.

    It is marked as UTC, like the axis: the renderer would convert a time without a zone to the machine's.
    """
    if at_micros is None:
        return None
    try:
        local = dt.datetime.fromtimestamp(at_micros // 1_000_000, zone).replace(tzinfo=dt.UTC)
    except (OverflowError, ValueError, OSError):
        return None  # beyond the calendar
    midnight = dt.datetime.combine(local, dt.time(), dt.UTC)
    return midnight + (local - midnight) // BIN * BIN if 0 <= (local.date() - day).days < _DRAWN_DAYS else None


def _scale(marks: Mapping[str, str]) -> alt.Scale:
    return alt.Scale(domain=list(marks), range=list(marks.values()))


def _major(minor: int) -> float:
    return minor / 10**DECIMALS


def _styled(chart: Any) -> dict[str, Any]:
    styled: dict[str, Any] = (
        chart.configure(font=_FONT, background="transparent", padding={"left": 40, "top": 5, "right": 5, "bottom": 5})
        .configure_view(stroke=None)
        .configure_axis(
            gridColor=_FAINT, domainColor=_FAINT, tickColor=_FAINT, labelColor=_INK, titleColor=_INK,
            labelFontSize=11, titleFontSize=11, titleFontWeight="normal", labelLimit=200,
        )
        .configure_legend(labelColor=_INK, titleColor=_INK, labelFontSize=11, titleFontSize=11)
        .to_dict()
    )  # fmt: skip
    return styled
