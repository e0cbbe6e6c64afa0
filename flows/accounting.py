"""Accounts for a gaming day's tables after a night or a replay: the status of each table expected or found, noted in the lake."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from analytics.database import write_database
from analytics.lake import Change, DayNote, compact, days_of, forget, note_or_empty, tables_of
from analytics.lake.acknowledged_messages import acknowledged_messages, remember_messages
from analytics.lake.losses import losses_of
from analytics.lake.memory import changes
from analytics.lake.run import intact_run
from analytics.lake.statuses import FOUND_BEFORE, Status, TableStatus, with_acknowledgement
from analytics.reconciliation.reconcile import note_and_reconcile
from analytics.reconciliation.result import Reconciliation
from flows.expected import Expectation, Expecting
from flows.gaps import claimed_numbers, gaps_before
from flows.pending_days import still_expected
from flows.unsealed import Unsealed, parts_of
from replayer.sources.quarantine import Refused
from replayer.sources.table_days import TableDayRef
from replayer.verdicts.replay_totals import TABLE_DAY_UNJUDGED, Outcome, Summary
from schemas.plural import plural

GONE: Final = "its files are no longer in the archive"


def account(
    archive: Path,
    lake: Path,
    day: dt.date,
    expected: Expectation,
    done: Sequence[Outcome],
    *,
    sealed: Collection[str],
    open_: Mapping[str, Unsealed],
    refused: Refused,
    begun: DayNote,
    workers: int = 1,
) -> Reconciliation:
    """Note in the lake what concerns a gaming day as a whole, with the status of each table, and reconcile its tables.

    Tables without verdicts are taken out of the lake, so that no earlier verdicts pass for this run's.

    Args:
        done: what became of the tables that were replayed.
        sealed: the tables that have sealed files, read or not; ``open_`` those of which something is not sealed.
        refused: the archive's quarantine.
        begun: the note with what no nightly run reaches, where it was looked for.
    """
    failed = {each.table_id: each.damage for each in done if TABLE_DAY_UNJUDGED in each.findings}
    unread = {each.table_id: each.damage for each in done if each.damage and each.table_id not in failed}
    hidden = [table for table, left in open_.items() if left == Unsealed(None)]  # by an import that is under way
    gone = tables_of(lake, day).difference(sealed, hidden)
    damaged = dict.fromkeys(sorted(gone), unread.get(str(day), GONE))  # of all of them where it is the day's folder
    damaged |= unread | {table: f"not replayed: {why}" for table, why in failed.items()}
    damaged |= {table: left.damage for table, left in open_.items() if left.damage and table not in sealed}
    for table in damaged:
        forget(lake, day, table)
    compact(lake, day, workers)
    # Where a log was read, what was sealed since waits for the next run.
    unread_parts = {table: parts for table, parts in parts_of(archive, day).items() if table in damaged}
    nothing = "the archive has nothing of it"
    absent = dict.fromkeys(expected.tables, nothing) | dict.fromkeys(expected.found, FOUND_BEFORE)
    if str(day) in damaged:
        absent = dict.fromkeys(absent, "the folder of the day cannot be read")
    absent |= {
        table: f"{nothing} but {plural(messages, 'message')} in quarantine"
        for (table, of), messages in refused.tables.items()
        if of == day
    }
    unnamed = "the register does not name it on this day"
    became = {table: (Status.ABSENT, why) for table, why in absent.items()}
    became |= {table: (Status.JUDGED, unnamed if expected.of(table) is False else "") for table in sealed}
    became |= {table: (Status.NOT_SEALED, str(left)) for table, left in open_.items()}
    became |= {table: (Status.DAMAGED, why) for table, why in damaged.items()}
    became |= {table: (Status.FAILED, why) for table, why in failed.items()}
    statuses = []
    for table, (status, why) in sorted(became.items()):
        left = open_.get(table)
        events, last_at = (left.events, left.last_at) if left else (None, None)
        run = intact_run(lake, day, table) if table in sealed else None
        parts = len(run.parts) if run else unread_parts.get(table, 0)
        known = expected.of(table), parts, events, last_at, why, expected.games.get(table)
        statuses.append(TableStatus(table, status, *known))
    remember_messages(lake, archive)
    numbers = claimed_numbers(archive, day, sealed)
    note = replace(
        begun,
        quarantined=refused.messages,
        damaged=damaged,
        between=gaps_before(archive, lake, day, numbers),
        numbers=numbers,
        tables=tuple(statuses),
        basis=expected.basis,
        lost=losses_of(archive, lake, day),
        answered=acknowledged_messages(lake, archive),
    )
    return note_and_reconcile(lake, day, note)


def note_replay(
    archive: Path,
    lake: Path,
    summary: Summary,
    unsealed: Mapping[TableDayRef, Unsealed],
    refused: Refused,
    expecting: Expecting,
) -> list[tuple[dt.date, TableStatus]]:
    """Note in the lake what a replay of whole gaming days found besides verdicts, with what of the archive was ``unsealed``;
    ``refused`` is the quarantine.
    The tables that keep these days from being clean, as a night reports them."""
    kept: list[tuple[dt.date, TableStatus]] = []
    by_day: dict[dt.date, list[Outcome]] = {}
    for outcome in summary.outcomes:
        by_day.setdefault(outcome.gaming_day, []).append(outcome)
    for day, outcomes in sorted(by_day.items()):
        said = account(
            archive,
            lake,
            day,
            still_expected(archive, lake, day, expecting),
            outcomes,
            sealed={outcome.table_id for outcome in outcomes},
            open_={ref.table_id: left for ref, left in unsealed.items() if ref.gaming_day == day},
            refused=refused,
            begun=DayNote(),
        )
        kept += [(day, each) for each in said.open_statuses]
    write_database(lake)
    return kept


def gone_days(lake: Path, summary: Summary) -> Iterator[tuple[dt.date, TableStatus]]:
    """What the lake knows of gaming days of which the archive has no sealed log: tables that were judged, and those that were
    absent. Nothing is noted of these days: where another archive was named by mistake, no verdict is taken out of the lake."""
    there = {outcome.gaming_day for outcome in summary.outcomes}
    for day in days_of(lake, None, None):
        if day in there:
            continue
        for table in sorted(tables_of(lake, day)):
            yield day, TableStatus(table, Status.DAMAGED, why=GONE)
        for noted in note_or_empty(lake, day).tables or ():
            status = with_acknowledgement(lake, day, noted)
            if status.status is Status.ABSENT and status.open:
                yield day, status


def open_changes(lake: Path, summary: Summary) -> list[Change]:
    """The unacknowledged changes of the replayed logs."""
    return [
        change
        for each in summary.outcomes
        for change in changes(lake, each.gaming_day, each.table_id, intact_run(lake, each.gaming_day, each.table_id))
        if change.open
    ]
