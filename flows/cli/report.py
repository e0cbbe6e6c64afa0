"""``pitaudit report``."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from flows.cli.options import NamedLake, SettingsFile, Wait, require_lake, settings_of
from flows.cli.terminal import CLEAN, FOUND, say, warn
from flows.cli.warnings import warn_of_changes, warn_of_lost, warn_of_no_account, warn_of_players, warn_of_unfinished


def report(
    *,
    lake: NamedLake = None,
    day: dt.date,
    output: Annotated[Path, Parameter(name=("--output", "-o"))],
    wait: Wait = None,
    settings: SettingsFile = None,
) -> int:
    """Write a gaming day's report as one HTML file, which needs no network to be read.

    Exit 1 where a table is absent or not sealed, where no run accounted for the tables of the day or its last run did not
    finish, where a table-day could not be read or judged, where verdicts are missing from the lake or not as they were written,
    or where a log was replaced after it was judged and nobody acknowledged it. What else was found is in the report and does not
    change the exit code.

    Example: `pitaudit report --lake lake --day 2026-01-05 -o report.html`

    Parameters
    ----------
    day
        The gaming day.
    output
        The file to write; nowhere in an archive or a lake but among the reports of one.
    """
    from analytics.lake import reading
    from analytics.reconciliation.reconcile import reconcile
    from analytics.report import write_report
    from analytics.sentence import sentence, totals_of

    chosen = settings_of(settings, lake=lake, wait_seconds=wait)
    source = require_lake(chosen, day)
    with reading(source, chosen.wait_seconds, warn):
        said = reconcile(source, day)
        write_report(source, said, output, chosen.time_zone)
        warn_of_players(source, day)
    for table, why in said.damaged.items():
        warn(f"{day} {table}: {why}")
    for each in said.open_statuses:
        if each.table_id not in said.damaged:
            warn(f"{day} {each.table_id}: {each.in_words}: {each.why}")
    if said.statuses is None:
        warn_of_no_account(day)
    if said.unfinished:
        warn_of_unfinished(day)
    warn_of_lost(said.lost)
    warn_of_changes(said.open_log_changes)
    say(f"{output} is written")
    print(sentence(str(day), totals_of(said)))
    missing = said.damaged or said.open_losses or not said.note.accounted or said.open_statuses
    return FOUND if missing or said.open_log_changes else CLEAN
