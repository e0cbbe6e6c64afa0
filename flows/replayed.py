"""What a replay of whole gaming days leaves in the lake besides verdicts, so that it says what a night says."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

from analytics.database import write_database
from analytics.lake import Change, changes_of, days_of, note_or_empty, tables_of
from analytics.lake.statuses import Status, TableStatus, with_acknowledgement
from flows.accounting import GONE, account
from flows.expected import Expecting, still_expected
from flows.unsealed import unsealed_on
from replayer.sources.quarantine import Refused
from replayer.sources.table_days import unsealed
from replayer.verdicts.replay_totals import TABLE_DAY_UNJUDGED, Outcome, Summary


def note_replay(
    archive: Path, lake: Path, summary: Summary, refused: Refused, expecting: Expecting
) -> list[tuple[dt.date, TableStatus]]:
    """Note in the lake what a replay of whole gaming days found besides verdicts; ``refused`` is the quarantine.
    The tables that keep these days from being clean, as a night reports them."""
    kept: list[tuple[dt.date, TableStatus]] = []
    by_day: dict[dt.date, list[Outcome]] = {}
    for outcome in summary.outcomes:
        by_day.setdefault(outcome.gaming_day, []).append(outcome)
    for day, outcomes in sorted(by_day.items()):
        sealed = {outcome.table_id for outcome in outcomes}
        damaged = {outcome.table_id: outcome.damage for outcome in outcomes if outcome.damage}
        gone = damaged.get(str(day), GONE)  # of all of them where it is the day's folder
        damaged |= dict.fromkeys(tables_of(lake, day) - sealed, gone)
        said = account(
            archive,
            lake,
            day,
            still_expected(archive, lake, day, expecting),
            sealed=sealed,
            unsealed=unsealed_on(archive, unsealed(archive, day=day)),
            damaged=damaged,
            failed={each.table_id: each.damage for each in outcomes if TABLE_DAY_UNJUDGED.code in each.findings},
            refused=refused,
            between=(finding for finding in summary.between if finding.gaming_day == day),
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
        for outcome in summary.outcomes
        for change in changes_of(lake, outcome.gaming_day, outcome.table_id)
        if change.open
    ]
