"""Plots of a reconciliation as SVG texts, drawn without a browser and without a network.

Amounts become major units as floats here and nowhere else: a pixel needs no avo.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import polars as pl
import vl_convert

from analytics.reconcile import Reconciliation, SettlementCause, TableRow
from schemas.money import DECIMALS

MOST_TABLES: Final = 40
"""Tables drawn at most: those with a gap first, then by handle. The report says how many are left out."""

_INK: Final = "#1f2933"
_FAINT: Final = "#d9dee3"
_WINS: Final = {"due": "#9aa5b1", "recorded": "#486581", "accounted": "#102a43"}
_SIDES: Final = {"overpaid": "#b44d12", "underpaid": "#2b6cb0"}
_WIDTH: Final = 1060
_AMOUNTS: Final = alt.Axis(format="~s", tickCount=8)
_FONT: Final = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"


def wins_by_table(day: Reconciliation) -> str | None:
    """Win due, recorded and accounted of each table side by side; None without tables."""
    tables = drawn(day.tables)
    if not tables:
        return None
    rows = [
        {"table": row.table_id, "win": name, "order": order, "amount": _major(value)}
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
            y=alt.Y("table:N", title=None, sort=[row.table_id for row in tables]),
            yOffset=alt.YOffset("win:N", sort=list(_WINS)),
            color=alt.Color(
                "win:N",
                title="win",
                scale=alt.Scale(domain=list(_WINS), range=list(_WINS.values())),
                legend=alt.Legend(orient="top"),
            ),
            order="order:Q",
        )
        .properties(width=_WIDTH, height=alt.Step(10))
    )
    return _svg(chart, "wins")


def luck_by_table(day: Reconciliation) -> str | None:
    """Win due beside theoretical win and the band of two standard deviations; None where no deviation is known."""
    rows = [
        {
            "table": row.table_id,
            "theoretical": _major(row.theoretical_win_minor),
            "due": _major(row.theoretical_win_minor + row.luck_minor),
            "low": (row.theoretical_win_minor - 2 * row.luck_deviation_minor) / 10**DECIMALS,
            "high": (row.theoretical_win_minor + 2 * row.luck_deviation_minor) / 10**DECIMALS,
        }
        for row in drawn(day.tables)
        if row.theoretical_win_minor is not None and row.luck_minor is not None and row.luck_deviation_minor
    ]
    if not rows:
        return None
    base = alt.Chart(pl.DataFrame(rows)).encode(
        y=alt.Y("table:N", title=None, sort=[str(row["table"]) for row in rows])
    )
    band = base.mark_bar(color=_FAINT, height={"band": 0.55}).encode(
        x=alt.X("low:Q", title="win over the wagers whose edge is known", axis=_AMOUNTS), x2="high:Q"
    )
    expected = base.mark_tick(color=_WINS["recorded"], thickness=2, size=14).encode(x="theoretical:Q")
    due = base.mark_point(filled=True, size=55, color=_SIDES["overpaid"]).encode(x="due:Q")
    return _svg((band + expected + due).properties(width=_WIDTH, height=alt.Step(20)), "luck")


def deltas_by_dealer(day: Reconciliation, zone: dt.tzinfo) -> str | None:
    """Every wrong payment at its hour and dealer, by size and side; None where there is none."""
    rows = [
        {
            "dealer": cause.dealer or "not on the log",
            "hour": _wall_clock(cause.at_micros, zone),
            "side": "overpaid" if cause.effect_minor < 0 else "underpaid",
            "amount": _major(abs(cause.effect_minor)),
        }
        for cause in _timed(day.settlement_causes)
        if cause.at_micros is not None
    ]
    if not rows:
        return None
    chart = (
        alt.Chart(pl.DataFrame(rows))
        .mark_point(filled=True, opacity=0.75)
        .encode(
            x=alt.X("hour:T", title=None, scale=alt.Scale(type="utc"), axis=alt.Axis(format="%H:%M", tickCount=12)),
            y=alt.Y("dealer:N", title=None),
            size=alt.Size("amount:Q", scale=alt.Scale(range=[25, 420]), legend=None),
            color=alt.Color(
                "side:N",
                title=None,
                scale=alt.Scale(domain=list(_SIDES), range=list(_SIDES.values())),
                legend=alt.Legend(orient="top"),
            ),
            shape=alt.Shape(
                "side:N",
                title=None,
                scale=alt.Scale(domain=list(_SIDES), range=["triangle-up", "triangle-down"]),
                legend=alt.Legend(orient="top"),
            ),
        )
        .properties(width=_WIDTH, height=alt.Step(22))
    )
    return _svg(chart, "deltas")


def drawn(tables: Sequence[TableRow]) -> list[TableRow]:
    """The tables that are drawn, in the order of their names."""
    ranked = sorted(
        tables,
        key=lambda row: (not (row.settlement_gap_minor or row.custody_gap_minor), -row.handle_minor, row.table_id),
    )
    return sorted(ranked[:MOST_TABLES], key=lambda row: row.table_id)


def _timed(causes: Sequence[SettlementCause]) -> list[SettlementCause]:
    return [cause for cause in causes if cause.cause not in ("rounding", "unmatched") and cause.effect_minor]


def _major(minor: int) -> float:
    return minor / 10**DECIMALS


def _wall_clock(at_micros: int, zone: dt.tzinfo) -> dt.datetime:
    """The local time without its zone: the renderer must not shift it to the zone of the machine that draws."""
    return dt.datetime.fromtimestamp(at_micros // 1_000_000, zone).replace(tzinfo=None)


def _svg(chart: Any, name: str) -> str:
    styled = (
        chart.configure(font=_FONT, background="transparent")
        .configure_view(stroke=None)
        .configure_axis(
            gridColor=_FAINT, domainColor=_FAINT, tickColor=_FAINT, labelColor=_INK, titleColor=_INK,
            labelFontSize=11, titleFontSize=11, titleFontWeight="normal", labelLimit=160,
        )
        .configure_legend(labelColor=_INK, titleColor=_INK, labelFontSize=11, titleFontSize=11)
    )  # fmt: skip
    svg: str = vl_convert.vegalite_to_svg(styled.to_dict())
    # Inside HTML the name spaces are known, and several drawings must not share the ids of their clip paths.
    svg = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", svg)
    return re.sub(r'(\bid="|url\(#)', rf"\g<1>{name}-", svg)
