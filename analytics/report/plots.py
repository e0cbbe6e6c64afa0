"""The plots of a reconciliation: a bounded number of rows each, and their looks in ``plots.json``, written in Vega-Lite.

Amounts become floats in major units here and nowhere else, as pixels need no avos. Names from the log are shortened by
:func:`analytics.texts.label` and appear as data only: the renderer compiles all other parts of a specification.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

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


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot's specification and a remark for its reader; both empty where there is nothing to draw."""

    specification: dict[str, Any]
    note: str = ""


NO_PLOT: Final = Plot({})


def _plot(name: str, rows: list[dict[str, Any]], note: str) -> Plot:
    looks = _looks()
    return Plot({**looks[name], "config": looks["config"], "data": {"values": rows}}, note)


@cache
def _looks() -> dict[str, Any]:
    """The looks of each plot, without its rows, and in ``config`` what all have in common."""
    looks: dict[str, Any] = json.loads((resources.files(__package__) / "plots.json").read_text(encoding="utf-8"))
    return looks


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
    left_out = len(day.tables) - len(tables)
    note = f"{left_out:,} tables are not drawn: those that do not agree come first, then the largest handles."
    return _plot("wins", rows, note if left_out else "")


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
    left_out = len(rated) - len(tables)
    note = f"{left_out:,} tables with smaller stakes on them are not drawn." if left_out else ""
    return _plot("luck", rows, note)


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
        {"dealer": dealer, "line": places[dealer], "hour": hour.isoformat(), "side": side, "amount": _major(minor)}
        for (dealer, hour, side), minor in sorted(sums.items())
    ]
    note = f"{left_out:,} payments at no time of this gaming day, or in a further currency, are not drawn."
    return _plot("deltas", rows, note if left_out else "")


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


def _major(minor: int) -> float:
    return minor / 10**DECIMALS
