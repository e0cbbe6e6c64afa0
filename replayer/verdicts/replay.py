"""Replays table-days: log, situations, judgements, settlement, verdicts. Equal logs give equal bytes everywhere."""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import polars as pl

from replayer.engine.reconstruct import Reconstruction, by_game_and_rounding, reconstruct
from replayer.engine.replay_settings import ReplaySettings
from replayer.engine.stacked_days import SPAN
from replayer.integrity.inspection import Log, inspect_all
from replayer.log.columns import TableDay
from replayer.log.numbers import Runs, runs_of
from replayer.processes.judging import within_a_query, without_cycle_collection
from replayer.verdicts.finding_frames import findings_frame, in_order, one_per_code, with_events
from replayer.verdicts.findings import findings_of
from replayer.verdicts.frames import (
    Dealers,
    by_day,
    custody_frame,
    decisions_frame,
    hands_frame,
    rounds_frame,
    wagers_frame,
)
from replayer.verdicts.hands import OF_WAGERS
from replayer.verdicts.payment import match_settlements
from replayer.verdicts.superseded import superseded_findings
from replayer.verdicts.tables import DEFINITIONS, PLAYED, TABLES, TIME, USUAL_VALUES
from schemas.finding import Finding


@dataclass(frozen=True, slots=True)
class Replayed:
    """The verdicts of a table-day: frames as ``replayer.verdicts.tables`` describes them, and their digest.

    ``played`` has hands and decisions, if they were wanted. ``on_other_days`` counts the sequence numbers that other gaming days
    hold, ``numbers`` are those of its events as read; ``sealed`` and ``since`` are as in ``TableDay``.
    """

    table_id: str
    gaming_day: dt.date
    wagers: pl.DataFrame
    rounds: pl.DataFrame
    findings: pl.DataFrame
    advisories: pl.DataFrame
    custody: pl.DataFrame
    table_days: pl.DataFrame
    digest: str
    played: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    on_other_days: int = 0
    sealed: tuple[str, ...] = ()
    since: int | None = None
    numbers: Runs = ()

    def tables(self) -> dict[str, pl.DataFrame]:
        """The frames by the names of ``replayer.verdicts.tables.TABLES``."""
        return {name: getattr(self, name) for name in TABLES if name not in PLAYED} | dict(self.played)


@within_a_query
def replay_table_days(
    days: Sequence[TableDay], settings: ReplaySettings | None = None, *, play: bool = False
) -> list[Replayed]:
    """Replay several table-days together, with the same verdicts as one by one; ``play`` adds hands and decisions."""
    chosen = settings or ReplaySettings()
    with without_cycle_collection():
        judged = _replay_table_days(days, chosen, play=play)
        found = [one.findings for one in judged]
        superseded = superseded_findings(
            days, found, lambda some: [one.findings for one in _replay_table_days(some, chosen)]
        )
        return [_with_superseded(one, own) for one, own in zip(judged, superseded, strict=True)]


def replay_round(
    day: TableDay, round_: int, settings: ReplaySettings
) -> tuple[pl.DataFrame, pl.DataFrame, Reconstruction]:
    """The wagers and findings of one round and those that it depends on, as :func:`replay_table_days` gives them, and the
    reconstruction. No other round is judged (:func:`replayer.engine.reconstruct.rounds_behind`)."""
    with without_cycle_collection():
        wagers, found, rebuilt = _replay_round(day, round_, settings)
        (superseded,) = superseded_findings(
            [day], [found], lambda some: [_replay_round(one, round_, settings)[1] for one in some]
        )
    return wagers, in_order(found.vstack(superseded)), rebuilt


def _replay_round(
    day: TableDay, round_: int, settings: ReplaySettings
) -> tuple[pl.DataFrame, pl.DataFrame, Reconstruction]:
    (log,) = inspect_all([day])
    rebuilt = reconstruct([log], log.opened.game, settings, shown=round_)
    settled, findings = _money(rebuilt, settings.readings_for(log.table_id)("X-2"), Dealers(rebuilt))
    (wagers,) = by_day([log], rebuilt.game, settled, TABLES["wagers"])
    return wagers, findings_frame(findings[0]), rebuilt


def _with_superseded(replayed: Replayed, superseded: pl.DataFrame) -> Replayed:
    """The verdicts of a table-day with the superseded findings of its earlier parts."""
    if superseded.is_empty():
        return replayed
    found = in_order(replayed.findings.vstack(superseded))
    tables = {**replayed.tables(), "findings": found}
    (digest,) = _digests({name: [frame] for name, frame in tables.items()})
    head = replayed.table_days.with_columns(digest=pl.lit(digest))
    return replace(replayed, findings=found, table_days=head, digest=digest)


def _replay_table_days(days: Sequence[TableDay], settings: ReplaySettings, *, play: bool = False) -> list[Replayed]:
    logs = inspect_all(days)
    replayed: dict[int, Replayed] = {}
    for (name, rounding), numbers in by_game_and_rounding(logs, [settings] * len(logs)).items():
        own, read = [logs[number] for number in numbers], [days[number] for number in numbers]
        verdicts = _verdicts_of(reconstruct(own, name, settings), rounding, read, play=play)
        replayed.update(zip(numbers, verdicts, strict=True))
    return [replayed[number] for number in range(len(days))]


def _verdicts_of(rebuilt: Reconstruction, rounding: str, read: Sequence[TableDay], *, play: bool) -> Iterator[Replayed]:
    """The verdicts of each stacked table-day; ``read`` has its events as read, including those set aside."""
    dealers = Dealers(rebuilt)
    wagers, found = _money(rebuilt, rounding, dealers)
    rebuilt = _what_tables_read(rebuilt)
    tables = {"wagers": wagers, "rounds": rounds_frame(rebuilt, dealers), "custody": custody_frame(rebuilt, dealers)}
    if play:
        tables |= {"hands": hands_frame(rebuilt, dealers), "decisions": decisions_frame(rebuilt, dealers)}
    not_checked, logs, game = _not_checked(rebuilt), rebuilt.logs, rebuilt.game
    del rebuilt, wagers  # they take more memory than the verdicts
    parts = {name: by_day(logs, game, tables.pop(name), TABLES[name]) for name in list(tables)}
    completed = with_events([findings_frame(of_day) for of_day in found], read, logs, dealers)
    parts["findings"], parts["advisories"] = map(list, zip(*map(one_per_code, completed), strict=True))
    of_days = [dict(zip(parts, own, strict=True)) for own in zip(*parts.values(), strict=True)]
    digests = _digests(parts)
    sealed = (day.sealed[-1] if day.sealed else "" for day in read)
    each = zip(logs, parts["wagers"], parts["rounds"], sealed, digests, not_checked, strict=True)
    table_days = pl.DataFrame([_table_day(*one) for one in each], schema=TABLES["table_days"])
    for day, own, digest, head in zip(read, of_days, digests, table_days.iter_slices(1), strict=True):
        played = {name: own.pop(name) for name in PLAYED if name in own}
        yield Replayed(
            day.table_id,
            day.gaming_day,
            table_days=head,
            digest=digest,
            played=played,
            on_other_days=len(day.on_other_days),
            sealed=day.sealed,
            since=day.since,
            numbers=runs_of(day.events["seq"]),
            **own,
        )


def _what_tables_read(rebuilt: Reconstruction) -> Reconstruction:
    """The reconstruction without what the tables do not need, which takes most of the memory."""
    if rebuilt.judged is None:
        return rebuilt
    histories = rebuilt.judged.histories
    judged = replace(rebuilt.judged, histories=replace(histories, wagers=histories.wagers.select("ri", "seat")))
    return replace(rebuilt, judged=judged, wagers=rebuilt.wagers.select(OF_WAGERS))


def _money(rebuilt: Reconstruction, rounding: str, dealers: Dealers) -> tuple[pl.DataFrame, list[list[Finding]]]:
    """The wagers matched with their settlements, and the findings of each table-day."""
    matched, nothing = match_settlements(rebuilt, rounding)
    wagers = wagers_frame(matched, rebuilt, dealers)
    return wagers, findings_of(rebuilt, wagers, matched, nothing)


def _not_checked(rebuilt: Reconstruction) -> list[Counter[str]]:
    """The number of times that each check could not be made, for each stacked table-day."""
    counts = [Counter(log.not_checked) for log in rebuilt.logs]
    if rebuilt.judged is not None:
        days = (rebuilt.rounds // SPAN).to_list()
        times_of = Counter((days[ri], checks) for ri, checks in rebuilt.judged.judgements.not_checked)
        for (day, checks), times in times_of.items():
            for check in checks:
                counts[day][check] += times
    return counts


def _table_day(
    log: Log, wagers: pl.DataFrame, rounds: pl.DataFrame, container_sha256: str, digest: str, not_checked: Counter[str]
) -> dict[str, object]:
    events = log.events
    numbers = [*(events["seq"][0], events["seq"][-1]), *log.left_out] if events.height else [*log.left_out]
    return {
        "table_id": log.table_id,
        "gaming_day": log.gaming_day,
        "game": log.opened.game,
        "currency": log.opened.currency,
        "seats": log.opened.seats,
        "first_seq": min(numbers, default=None),
        "last_seq": max(numbers, default=None),
        "events": events.height + len(log.left_out),
        "rounds": rounds.height,
        "wagers": wagers.height,
        "unsettled": int((wagers["status"] == "unsettled").sum()),
        "container_sha256": container_sha256,
        "digest": digest,
        "not_checked": json.dumps(dict(sorted(not_checked.items()))),
    }


_LINES: Final = 1 << 14
"""Rows written as text at a time."""


def _digests(parts: Mapping[str, Sequence[pl.DataFrame]]) -> list[str]:
    """For each table-day the SHA-256 over the canonical text (CSV) of its wagers, rounds, findings, custody and, where there are
    any, advisories, in this order."""
    digests = [hashlib.sha256() for _ in parts["wagers"]]
    for name in ("wagers", "rounds", "findings", "custody", "advisories"):
        for digest, frame in zip(digests, _plain(name, parts[name]), strict=True):
            if name == "advisories" and frame.is_empty():
                continue
            usual = {
                one for one, value in USUAL_VALUES.items() if one in frame and not frame[one].ne_missing(value).any()
            }
            said = [one for one in frame.columns if one not in usual]
            digest.update(f"{','.join(said)}\n".encode())
            for some in frame[said].iter_slices(_LINES):  # none where there are no rows
                text = io.BytesIO()
                some.write_csv(text, include_header=False, null_value="\\N")
                digest.update(text.getvalue())
            digest.update(b"\0")
    return [digest.hexdigest() for digest in digests]


def _plain(name: str, frames: Sequence[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The digested columns of a table for each table-day, as numbers and texts: a day is written much faster as a text."""
    whole = (
        pl.concat(frames)
        .select(DEFINITIONS[name].digested.names())
        .with_columns(pl.col(TIME).to_physical(), pl.col("gaming_day").cast(pl.String))
    )
    begin = 0
    for frame in frames:
        yield whole.slice(begin, frame.height)
        begin += frame.height
