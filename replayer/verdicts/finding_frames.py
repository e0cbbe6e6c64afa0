"""The findings of a table-day as frames: in a fixed order, with the data of their events, the advisories of one code in one row.

An advisory may concern every wager of a table, and a list of thousands would hide what matters. So ``findings`` has one row per
code of advisory, with their number and stakes; ``advisories`` has each of them at its event.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

import polars as pl

from replayer.engine.stacked_days import SPAN
from replayer.integrity.inspection import Log
from replayer.log.columns import SUM, TableDay, of_kind
from replayer.verdicts.frames import Dealers
from replayer.verdicts.tables import FINDINGS, TABLES
from schemas.bounds import NUMBERS
from schemas.finding import Finding, Severity
from schemas.money import format_amount

_SCHEMA: Final = FINDINGS.digested
"""A finding without the data of its event."""
_FOUND: Final = [name for name in _SCHEMA if name != "times"]
_NONE: Final = _SCHEMA.to_frame()
_ORDER: Final = ("seq", "code", "seat", "message")
_MOST: Final = 2**63 - 1
"""The limit of a 64-bit column; a larger sum stands in the message only."""


def findings_frame(found: Iterable[Finding]) -> pl.DataFrame:
    """Findings as a frame in the fixed order, without the data of their events."""
    rows = [{name: getattr(finding, name) for name in _FOUND} | {"times": 1} for finding in found]
    return in_order(pl.DataFrame(rows, schema=_SCHEMA)) if rows else _NONE


def one_per_code(found: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The findings of a table-day with one row for all advisories of a code, and the advisories one by one.

    The row stands where the first of them was found; ``times`` says how many there are, ``stake_minor`` and ``delta_minor``
    are sums.
    """
    if found.is_empty():
        return found, found
    advisories = found.filter(_ADVISORY)
    if advisories["code"].n_unique() == advisories.height:
        return found, advisories
    rows = [_one_row(own) for own in advisories.partition_by("code")]
    return in_order(found.filter(~_ADVISORY).vstack(pl.DataFrame(rows, schema=found.schema))), advisories


def in_order(found: pl.DataFrame) -> pl.DataFrame:
    """Findings in the fixed order."""
    return found.sort(_ORDER, nulls_last=True, maintain_order=True)


_ADVISORY: Final = pl.col("severity") == str(Severity.ADVISORY)


def _one_row(own: pl.DataFrame) -> dict[str, object]:
    first = own.row(0, named=True)
    if own.height == 1:
        return first
    stake, delta = (_sum(own[name]) for name in ("stake_minor", "delta_minor"))
    on = "" if stake is None else f", on stakes of {format_amount(stake)}"
    articles = dict.fromkeys(article for article in own["article"] if article)
    return first | {
        "article": "; ".join(articles),
        "message": f"{own.height} times{on}; first: {first['message']}",
        "delta_minor": None if delta is None or abs(delta) > _MOST else delta,
        "before": None,
        "after": None,
        "corrected_by": None,
        "times": own.height,
        "stake_minor": None if stake is None or stake > _MOST else stake,
    }


def _sum(amounts: pl.Series) -> int | None:
    known = amounts.drop_nulls().cast(SUM)
    return int(known.sum()) if known.len() else None


def with_events(
    found: Sequence[pl.DataFrame], read: Sequence[TableDay], logs: Sequence[Log], dealers: Dealers
) -> list[pl.DataFrame]:
    """The findings of each table-day with the time, dealer, player and amount of each finding's event, as corrected in
    time; of different events with one number only that on which they agree, as neither is believed."""
    stacked = pl.concat(frame.with_columns(key=_stacked_seq(day)) for day, frame in enumerate(found))
    if stacked.is_empty():
        return [_NO_FINDINGS] * len(found)
    keys = stacked.select("key").drop_nulls().unique()
    events = [
        day.events.select("at", *_PLAYERS, *_AMOUNTS, part=day.part_of_each, key=_stacked_seq(number))
        for number, (day, own) in enumerate(zip(read, found, strict=True))
        if own.height
    ]
    shown = (
        pl.concat(events)
        .join(keys, on="key", how="semi")
        .filter(pl.col("part") == pl.col("part").min().over("key"))
        .select("key", *_NAMED, at=pl.when(pl.col("at").is_between(*NUMBERS["at"])).then(pl.col("at")))
        .group_by("key", maintain_order=True)
        .agg(pl.when(pl.all().n_unique() == 1).then(pl.all().first()))
    )
    corrected = [_corrected(log.events).select(*_NAMED, key=_stacked_seq(day)) for day, log in enumerate(logs)]
    shown = shown.update(pl.concat(corrected), on="key")
    shown = shown.with_columns(dealers.at(shown["key"]))
    completed = stacked.join(shown, on="key", how="left", maintain_order="left")
    completed = completed.select(_NO_FINDINGS.columns).cast(_NO_FINDINGS.schema)
    begins = accumulate((frame.height for frame in found), initial=0)
    return [completed.slice(begin, frame.height) for begin, frame in zip(begins, found, strict=False)]


_NO_FINDINGS: Final = TABLES["findings"].to_frame()
_PLAYERS: Final = ("wager_player", "decision_player", "chips_player")
_AMOUNTS: Final = ("wager_stake_minor", "chips_amount_minor")
_NAMED: Final = (pl.coalesce(_PLAYERS).alias("player"), pl.coalesce(_AMOUNTS).alias("amount_minor"))


def _corrected(events: pl.DataFrame) -> pl.DataFrame:
    """Those of the events that have a correction, which is applied to them."""
    targets = of_kind(events, ("CorrectionMade",), "remark_refers_to")["remark_refers_to"]
    return events.filter(pl.col("seq").is_in(targets.implode())) if targets.len() else events.clear()


def _stacked_seq(day: int) -> pl.Expr:
    return pl.when(pl.col("seq").is_between(0, SPAN - 1)).then(pl.col("seq") + day * SPAN)
