"""``pitaudit explain``."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from cyclopts import Parameter

from analytics.texts import visible
from flows.cli.options import Archive, SettingsFile, settings_of
from flows.cli.terminal import CLEAN, FOUND, print_json
from flows.cli.warnings import warn_of_pseudonyms
from flows.known_errors import CouldNotRun
from replayer.processes.judging import without_cycle_collection


@without_cycle_collection()
def explain(
    archive: Archive,
    /,
    *,
    table: str,
    round_: Annotated[str, Parameter(name="--round")],
    day: dt.date | None = None,
    identities: bool = False,
    json: bool = False,
    settings: SettingsFile = None,
) -> int:
    """Explain one round, card by card: the rules by which it was settled, what was due and what was paid.

    Example: `pitaudit explain archive --table T3 --round 118 --day 2026-01-05`

    Parameters
    ----------
    table
        The table.
    round_
        The round's number within the table-day, or its name in an imported log; '#12' is always the number.
    day
        The gaming day; may be left out where the archive holds only one of this table.
    identities
        Show players as the log names them, not under pseudonyms.
    json
        One JSON object on standard output.
    """
    from replayer.explanation import NoSuchRound, explain_round
    from replayer.processes.failure import in_one_line, is_failure
    from replayer.sources.archive import read_table_day
    from replayer.sources.layout import why_no_archive
    from replayer.sources.manifests import TableDayDamaged
    from replayer.sources.table_days import TableDayRef, table_days
    from schemas.identity import Pseudonyms

    chosen = settings_of(settings)
    if day is None:
        refs = table_days(archive, table=table)
        if not refs:
            tables = sorted({ref.table_id for ref in table_days(archive)})
            if not tables:
                there = why_no_archive(archive) or "holds no sealed table-day"
                raise CouldNotRun(f"archive {archive} {there}: check the path")
            there = f"has sealed ones of {', '.join(tables)}"
            raise CouldNotRun(f"archive {archive} has no sealed table-day of {table}, it {there}: check --table")
        days = sorted({ref.gaming_day for ref in refs})
        if len(days) > 1:
            raise CouldNotRun(
                f"archive {archive} has {len(days)} gaming days of table {table}, {days[0]} to {days[-1]}: choose with --day"
            )
        [day] = days
    try:
        table_day = read_table_day(TableDayRef(day, table, archive))
    except TableDayDamaged as damaged:
        raise CouldNotRun(f"{damaged}; `pitaudit replay {archive}` lists what there is") from None
    named = str if identities else Pseudonyms.from_environment().of
    try:
        explanation = explain_round(table_day, round_, chosen.replay, named=named, zone=chosen.time_zone)
    except BaseException as error:
        if isinstance(error, NoSuchRound) or not is_failure(error):
            raise
        raise CouldNotRun(f"table {table} of {day} could not be judged: {in_one_line(error)}") from error
    if not identities:
        warn_of_pseudonyms()
    if json:
        print_json(explanation.to_dict())
    else:
        print(visible(explanation.text(), "\n\t"))
    grave = any(finding.severity != "advisory" for finding in explanation.findings)
    unjudged = any(wager.status == "unjudged" for wager in explanation.wagers)
    return FOUND if grave or unjudged or explanation.delta_minor else CLEAN
