"""``pitaudit replay``."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.cli.options import Archive, OnlyDay, OnlyTable, SettingsFile, Wait, Workers, settings_of
from flows.cli.results import last_line
from flows.cli.terminal import money, print_grid, print_json, print_table, progress, warn
from flows.cli.warnings import sealed_table_days, warn_of_changes, warn_of_imports, warn_of_lost, warn_of_pseudonyms
from schemas.plural import spoken

if TYPE_CHECKING:
    from analytics.lake.statuses import TableStatus
    from flows.summary import NotJudged
    from replayer.verdicts.replay_totals import Summary


def replay(
    archive: Archive,
    /,
    *,
    day: OnlyDay = None,
    table: OnlyTable = None,
    workers: Workers | None = None,
    lake: Path | None = None,
    json: bool = False,
    wait: Wait = None,
    settings: SettingsFile = None,
) -> int:
    """Replay an archive's table-days and settle every wager again.

    What the archive has and is not sealed cannot be judged, is named and makes the exit code 1; with --lake and without --table
    so does every table that a gaming day should have had, as `pitaudit nightly` knows them, and without --day every one of a
    gaming day that the lake knows and of which the archive has nothing any more.

    The digest that it prints depends on the log, the rules and the settings only: not on the number of workers, the
    order of the files or the way by which the events came.

    Example: `pitaudit replay archive --day 2026-01-05 --workers 2 --json`

    Parameters
    ----------
    workers
        Processes to use, each for one table-day at a time; 1 unless set.
    lake
        Write the verdicts into the lake in this folder as well.
    json
        One JSON object on standard output: table_days, damaged (those that could not be read or judged), events, rounds,
        wagers, unsettled, discrepancies (overpaid and underpaid, each count, amount_minor and currency, or by_currency where
        there are several), findings (count by code; the advisories of a code are one a table-day), advisories (by code the
        count, stake_minor and currency of all, or by_currency), not_checked (name and count), unjudged (wagers of which the
        rules could not say what was due: reason and count), quarantined, lost (messages that a topic lost before the archive
        had them), unsealed, misplaced (logs where an archive keeps none, in a place that tells no gaming day), not_judged (each
        table-day without verdicts or not all of them: what became of it and why), digest, seconds, sentence (the last line
        without --json); with --lake, log_changes (logs of these table-days that were replaced after they were judged).
    """
    from analytics.lake import compact, require_usable, write, writing
    from analytics.lake.acknowledged_messages import acknowledged_messages, refused_messages
    from analytics.lake.losses import losses
    from flows.plan import note_waiting, pins_of
    from flows.summary import left_by_replay, not_judged_grid, replayed
    from replayer.sources.lost import lost_messages
    from replayer.sources.quarantine import in_quarantine
    from replayer.verdicts.run import replay_all

    chosen = settings_of(settings, workers=workers, wait_seconds=wait)
    refs, unsealed, misplaced = sealed_table_days(archive, day, table)
    if lake:
        from flows.accounting import gone_days, note_replay, open_changes

        require_usable(lake, archive)
    keep = partial(write, lake, pins=pins_of(chosen.replay)) if lake else None
    replaced = []
    open_: list[tuple[dt.date, TableStatus]] = []
    with writing(lake, f"a replay of {archive}", chosen.wait_seconds, warn) if lake else nullcontext():
        if lake and table is None:
            note_waiting(lake, refs)
        with progress("Replaying", len(refs)) as step:
            summary = replay_all(
                refs,
                workers=chosen.workers,
                settings=chosen.replay,
                keep=keep,
                on_table_day=lambda outcome: step(f"{outcome.gaming_day} {outcome.table_id}"),
            )
        refused = refused_messages(lake, archive)
        open_refused = refused.messages - sum(each.messages for each in acknowledged_messages(lake, archive))
        lost = losses(lake, lost_messages(archive, day))
        if lake:
            warn_of_pseudonyms()
            if table is None:  # one table cannot speak for its gaming day
                open_ = note_replay(archive, lake, summary, unsealed, refused, chosen.expecting)
                open_ += gone_days(lake, summary) if day is None else ()
            else:
                for gaming_day in sorted({outcome.gaming_day for outcome in summary.outcomes}):
                    compact(lake, gaming_day)
            replaced = open_changes(lake, summary)
    left = left_by_replay(summary, unsealed, open_)
    _warn_of_tables(left, open_, summary)
    for why in refused.unreadable:
        warn(why)
    warn_of_lost(lost)
    warn_of_changes(replaced)
    if open_refused:
        warn(in_quarantine(open_refused, archive))
    warn_of_imports(archive)
    said = replayed(summary, left, open_, open_refused, lost, len(replaced), misplaced)
    if json:
        whole = summary.to_dict() | {
            "quarantined": refused.messages,
            "lost": [each.to_dict() for each in lost],
            "unsealed": len(unsealed),
            "misplaced": misplaced,
            "not_judged": [each._asdict() for each in left],
            "sentence": said,
        }
        print_json(whole | ({"log_changes": [change.to_dict() for change in replaced]} if lake else {}))
    else:
        _print(summary)
        if left:
            print_grid(not_judged_grid(left))
    clean = summary.clean and not (
        left or open_ or open_refused or any(each.open for each in lost) or replaced or misplaced
    )
    return last_line(said, clean=clean, json=json)


def _warn_of_tables(left: Sequence[NotJudged], open_: Sequence[tuple[dt.date, TableStatus]], summary: Summary) -> None:
    from analytics.lake.statuses import Status

    for each in left:
        warn(f"{each.gaming_day} {each.table_id}: {each.what}: {each.why}")
    for gaming_day, status in open_:
        if status.status is Status.JUDGED:
            warn(f"{gaming_day} {status.table_id}: {status.why}")
    for finding in summary.between:
        warn(f"{finding.code} {finding.table_id} {finding.gaming_day}: {finding.message}")


def _amounts(value: dict[str, Any], name: str) -> list[str]:
    """An amount, or one a currency, a line each."""
    amounts = value.get("by_currency", {value["currency"] or "": value[name]})
    return [f"{money(each)} {of}".rstrip() for of, each in amounts.items()]


def _print(summary: Summary) -> None:
    said = summary.to_dict()
    counts = ("table_days", "events", "rounds", "wagers", "unsettled")
    rows: list[tuple[str, object, object]] = [(spoken(name), said[name], "") for name in counts]
    for name, value in said["discrepancies"].items():
        rows.append((name, value["count"], _amounts(value, "amount_minor")))
    rows += [(code, number, "") for code, number in said["findings"].items()]
    for code, sums in said["advisories"].items():
        rows.append(
            (
                f"{code}: times, and on stakes",
                sums["count"],
                _amounts(sums, "stake_minor") if sums["stake_minor"] != 0 else "",
            )
        )
    rows += [(f"not judged: {reason}", number, "") for reason, number in said["unjudged"].items()]
    rows += [(f"not checked: {check}", number, "") for check, number in said["not_checked"].items()]
    print_table("Replayed", ("", "count", "amount"), rows, figures=(1, 2))
    print(f"digest {said['digest']}")
    print(f"{said['seconds']} s")
