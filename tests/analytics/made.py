"""Verdicts made by hand: a table-day is written down as its rows, fields that do not matter are filled in."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from analytics import queries
from analytics.lake import Pins
from analytics.reconciliation.reconcile import reconcile
from analytics.report import render as render_reconciliation
from replayer.verdicts.replay import Replayed
from replayer.verdicts.tables import PLAYED, TABLES, TIME

DAY = dt.date(2026, 1, 5)
AT = int(dt.datetime(2026, 1, 5, 13, 30, tzinfo=dt.UTC).timestamp()) * 1_000_000
"""A moment of it, in microseconds."""
PINS = Pins("1.0", "rules")
Rows = Iterable[Mapping[str, Any]]


def run(name: str, lake: Path, params: Mapping[str, str] | None = None) -> pl.DataFrame:
    """The rows of a query, over a lake of which nothing is left out."""
    rows, contents, _ = queries.run(name, lake, params or {})
    assert not contents.left_out
    return rows


def render(lake: Path, day: dt.date, zone: dt.tzinfo = dt.UTC) -> str:
    """The report of a gaming day."""
    return render_reconciliation(lake, reconcile(lake, day), zone)


def _frame(table: str, table_id: str, day: dt.date, rows: Rows) -> pl.DataFrame:
    schema = TABLES[table]
    known = [{name: value for name, value in row.items() if name in schema} for row in rows]
    filled = [dict.fromkeys(schema) | {"table_id": table_id, "gaming_day": day} | row for row in known]
    counted = {name: pl.Int64 if kind == TIME else kind for name, kind in schema.items()}  # times as microseconds
    return pl.DataFrame(filled, schema=counted).cast(schema)


def wager(round_: int, stake: int, paid: int | None, due: int | None, **more: Any) -> dict[str, Any]:
    """A wager on seat 1; ``delta`` and ``status`` follow from what was paid and due."""
    status = "unjudged" if due is None else "unsettled" if paid is None else "judged"
    delta = None if due is None or paid is None else paid - due
    return {
        "round": round_, "seat": 1, "hand": 0, "wager": "main", "player": "alice", "dealer": "D1",
        "placed_seq": 10 * round_, "settled_seq": None if paid is None else 10 * round_ + 9,
        "placed_at": 60_000_000 * round_, "settled_at": None if paid is None else 60_000_000 * round_ + 49_000_000,
        "stake_minor": stake, "paid_minor": paid, "due_minor": due,
        "delta_minor": delta, "status": status, "article": "57/2009 art. 10(2)", "rulings": "",
    } | more  # fmt: skip


def custody(*steps: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Custody events in order: ``("ChipsFilled", amount, slip)``; numbered from 1001. A ``dict`` at the end of one says more."""
    names = ("kind", "amount_minor", "slip", "player")
    return [
        {"seq": 1001 + index, "at": 1_000_000 * index, "dealer": "D1"}
        | dict(zip(names, (value for value in step if not isinstance(value, dict)), strict=False))
        | next((value for value in step if isinstance(value, dict)), {})
        for index, step in enumerate(steps)
    ]


def replayed(
    table_id: str = "T1",
    day: dt.date = DAY,
    *,
    wagers: Rows = (),
    custody: Rows = (),
    rounds: Rows = (),
    findings: Rows = (),
    decisions: Rows = (),
    hands: Rows = (),
    **table_day: Any,
) -> Replayed:
    """The verdicts of one table-day; rounds are made for the wagers where none are given."""
    wagers = list(wagers)
    numbers = sorted({row["round"] for row in wagers})
    rounds = list(rounds) or [
        {
            "round": number, "game": "black_jack", "regulation": "bj.57-2009", "dealer": "D1", "shoe": 1,
            "first_seq": 10 * number, "last_seq": 10 * number + 9, "started_at": 60_000_000 * number,
            "closed_at": 60_000_000 * number + 20_000_000, "ended_at": 60_000_000 * number + 50_000_000,
            "seats": 1, "status": "played",
        }
        for number in numbers
    ]  # fmt: skip
    day_row = {
        "game": "black_jack", "currency": "MOP", "seats": 7, "first_seq": 1, "last_seq": 2000, "events": 2000,
        "rounds": len(rounds), "wagers": len(wagers), "unsettled": sum(w["status"] == "unsettled" for w in wagers),
        "container_sha256": "c" * 64, "digest": "d" * 64, "not_checked": "{}",
    }  # fmt: skip
    frames = {
        "wagers": wagers,
        "rounds": rounds,
        "findings": findings,
        "advisories": [row for row in findings if row.get("severity") == "advisory"],
        "custody": custody,
        "decisions": decisions,
        "hands": hands,
        "table_days": [day_row | table_day],
    }
    said = {name: (day_row | table_day)[name] for name in ("game", "currency")}
    made = {name: _frame(name, table_id, day, [said | dict(row) for row in rows]) for name, rows in frames.items()}
    played = {name: made.pop(name) for name in PLAYED}
    digest = hashlib.sha256(repr(frames).encode()).hexdigest()
    return Replayed(
        table_id, day, digest=digest, sealed=(frames["table_days"][0]["container_sha256"],), played=played, **made
    )
