"""The same days under other rules: what would have been due, and the money between the two.

Two questions are answered by the same comparison: *what if* other options, another version or another reading had held, and
the *ledger* of rulings: for each doubtful text that any round touches, the difference in money of each of its readings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from replayer.columns import SUM
from replayer.engine.elections import ReplaySettings
from replayer.engine.payment import exact_dues
from replayer.engine.reconstruct import by_game, reconstruct
from replayer.integrity.log import Log, TableDay, inspect_all
from replayer.law.calendar import games
from replayer.law.rulings import find, register

CHANGES: Final = pl.Schema(
    {
        "table_id": pl.String,
        "gaming_day": pl.Date,
        "round": pl.Int64,
        "seat": pl.Int32,
        "hand": pl.Int32,
        "wager": pl.String,
        "stake_minor": pl.Int64,
        "due_before": pl.Int64,  # null where it cannot be said
        "due_after": pl.Int64,
        "change_in_win": pl.Int64,  # of the house: what the players are due less; null where either due is
    }
)
_DUES: Final = ("seq", "round", "seat", "hand", "kind", "stake_minor", "due_minor", "rulings")


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """One other reading of one ruling: what it would change. ``change_in_win`` is the house's, in minor units."""

    ruling: str
    option: str
    reading: str
    in_force: str
    rounds_touched: int
    wagers_changed: int
    change_in_win: int
    unsettled: int


def what_if(days: Sequence[TableDay], before: ReplaySettings, after: ReplaySettings) -> pl.DataFrame:
    """The wagers that would be due something else under ``after`` (schema ``CHANGES``), in the order of the log."""
    parts = [_changes(log, _dues(log, before), _dues(log, after)) for log in inspect_all(days)]
    return pl.concat(parts) if parts else CHANGES.to_frame()


def ledger(days: Sequence[TableDay], settings: ReplaySettings) -> list[LedgerLine]:
    """What each other reading of each ruling on which money hangs would change; only touched rounds are settled again."""
    sums: dict[tuple[str, str], list[int]] = {}
    for log in inspect_all(days):
        base = _dues(log, settings)
        for ruling, touched in _touched(base).items():
            entry = register()[ruling]
            if not entry.money:
                continue
            held = settings.readings_for(log.table_id)(ruling)
            part = _only(log, touched, carried=_touches_carried(log, base, touched))
            for reading in entry.readings:
                if reading == held:
                    continue
                changed = _changes(part, _dues(part, settings), _dues(part, settings.with_reading(ruling, reading)))
                known = changed["change_in_win"].drop_nulls().cast(SUM)
                line = sums.setdefault((ruling, reading), [0, 0, 0, 0])
                line[0] += len(touched)
                line[1] += changed.height
                line[2] += int(known.sum())
                line[3] += changed.height - known.len()
    held_by = settings.readings_for("")
    return [
        LedgerLine(ruling, find(ruling).option, reading, held_by(ruling), *sums[ruling, reading])
        for ruling, entry in register().items()
        for reading in entry.readings
        if (ruling, reading) in sums
    ]


def added(parts: Sequence[Sequence[LedgerLine]]) -> list[LedgerLine]:
    """Ledgers of several parts of an archive as one."""
    lines: dict[tuple[str, str], LedgerLine] = {}
    for line in (line for part in parts for line in part):
        key = (line.ruling, line.reading)
        known = lines.get(key)
        lines[key] = line if known is None else _plus(known, line)
    order = {ruling: number for number, ruling in enumerate(register())}
    return sorted(lines.values(), key=lambda line: (order[line.ruling], line.reading))


def _plus(one: LedgerLine, other: LedgerLine) -> LedgerLine:
    counted: Mapping[str, int] = {
        name: getattr(one, name) + getattr(other, name)
        for name in ("rounds_touched", "wagers_changed", "change_in_win", "unsettled")
    }
    return replace(one, **counted)  # type: ignore[arg-type]


def _dues(log: Log, settings: ReplaySettings) -> pl.DataFrame:
    ((name, _),) = by_game([log])
    made = reconstruct([log], name, settings)
    dues = exact_dues(made.wagers, settings.readings_for(log.table_id))
    return dues.with_columns(round=made.rounds.gather(dues["ri"])).select(_DUES)


def _changes(log: Log, before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    both = before.join(after.select("seq", due_after="due_minor"), on="seq", how="inner", maintain_order="left")
    return (
        both.filter(pl.col("due_minor").ne_missing(pl.col("due_after")))
        .select(
            "round",
            "stake_minor",
            "due_after",
            table_id=pl.lit(log.table_id),
            gaming_day=pl.lit(log.gaming_day),
            seat=pl.col("seat").cast(pl.Int32),
            hand=pl.col("hand").cast(pl.Int32),
            wager=pl.col("kind"),
            due_before=pl.col("due_minor"),
            change_in_win=pl.col("due_minor") - pl.col("due_after"),
        )
        .select(list(CHANGES))
        .match_to_schema(CHANGES)
    )


def _touched(dues: pl.DataFrame) -> dict[str, list[int]]:
    """The rounds that each ruling touches."""
    asked = dues.filter(pl.col("rulings") != "").select("round", ruling=pl.col("rulings").str.split(" "))
    rounds = asked.explode("ruling").group_by("ruling").agg(pl.col("round").unique().sort())
    return dict(rounds.iter_rows())


def _touches_carried(log: Log, dues: pl.DataFrame, touched: Sequence[int]) -> bool:
    ((name, _),) = by_game([log])
    game = games().get(name or "")
    kinds = dues.filter(pl.col("round").is_in(touched))["kind"].unique().to_list()
    return game is not None and not game.wagers.carried.isdisjoint(kinds)


def _only(log: Log, rounds: Sequence[int], *, carried: bool) -> Log:
    """The log of some of its rounds; the whole log where a wager lives on from one of them into others."""
    if carried:
        return log
    kept = pl.col("round").is_null() | pl.col("round").is_in(rounds)
    return replace(log, events=log.events.filter(kept), findings=())
