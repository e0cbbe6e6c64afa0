"""``pitaudit nightly``."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from flows.cli.archived import tell_of_imports
from flows.cli.terminal import (
    CLEAN,
    FOUND,
    AtLeastOne,
    print_grid,
    print_json,
    progress,
    require_folder,
    say,
    tell_unjudged,
    warn,
    warn_of_changes,
    warn_of_lost,
    warn_of_pseudonyms,
)
from flows.cli.through_prefect import asked_for

if TYPE_CHECKING:
    from flows.runs import Night


_MOST_CHANGES = 20
"""Corrections and late entries told on standard error at most."""


def nightly(
    *,
    folder: Annotated[Path | None, Parameter(name="--archive")] = None,
    lake: Path | None = None,
    day: dt.date | None = None,
    workers: AtLeastOne | None = None,
    prefect: bool = False,
    json: bool = False,
    settings: Path | None = None,
) -> int:
    """Replay what changed of one gaming day and reconcile every table of it.

    With --prefect, or where PREFECT_API_URL is set, it runs as a flow whose history and artifacts the Prefect server
    keeps; otherwise it needs no server at all.

    Example: `pitaudit nightly --archive archive --lake lake --day 2026-01-05`

    Parameters
    ----------
    folder
        The archive's folder, unless the settings name it.
    lake
        The lake's folder, unless the settings name it; made where it is missing.
    day
        The gaming day; the last one that ended unless set.
    workers
        Processes to use; 1 unless set.
    prefect
        Run as a Prefect flow.
    json
        One JSON object on standard output: gaming_day, clean, replayed, unchanged, unsealed, failed, made_anew (tables
        whose verdicts were damaged in the lake, and how), damaged, log_changes (logs that were replaced after they were
        judged), quarantined, lost (messages that a topic lost before the archive had them), tables, house,
        settlement_causes, custody_leads, custody_findings, stretches, book_changes (corrections and late entries), findings,
        unjudged, not_checked, seconds.
    settings
        A settings file other than pitaudit.toml.
    """
    from flows.runs import run_nightly
    from flows.settings import load

    chosen = load(settings)
    source = require_folder(folder, chosen.archive, "archive")
    target = require_folder(lake, chosen.lake, "lake")
    wanted = day or chosen.last_gaming_day(dt.datetime.now(dt.UTC))
    count = workers or chosen.workers
    if asked_for(prefect):
        from flows.cli.through_prefect import nightly_flow

        night = nightly_flow(source, target, wanted, count, settings)
    else:
        with progress(f"Gaming day {wanted}", None) as step:
            night = run_nightly(source, target, wanted, chosen.replay, workers=count, on_table_day=step)
    warn_of_pseudonyms()
    tell(night)
    tell_of_imports(source)
    if json:
        print_json(night.to_dict())
    else:
        print_grid(night.reconciliation.grid())
    tell_unjudged(((row.reason, row.wagers) for row in night.reconciliation.unjudged), json=json)
    return CLEAN if night.clean else FOUND


def tell(night: Night) -> None:
    """What the log of the run says about a gaming day, on standard error."""
    day = night.reconciliation.gaming_day
    say(f"{day}: {len(night.replayed)} table-days replayed, {len(night.unchanged)} unchanged")
    from flows.artifact import made_anew

    for what in made_anew(night):
        warn(f"{day}: {what}")
    for table, why in night.undone.items():
        warn(f"{day} {table}: {why}")
    warn_of_lost(night.reconciliation.lost)
    warn_of_changes(night.reconciliation.open_log_changes)
    changes = night.reconciliation.book_changes
    for change in changes[:_MOST_CHANGES]:
        warn(f"{day} {change.table_id} seq {change.seq}: {change.code}: {change.what}")
    if len(changes) > _MOST_CHANGES:
        warn(f"{day}: {len(changes) - _MOST_CHANGES} more corrections and late entries; the report lists them")
    if night.unsealed:
        warn(f"{day}: under way and not sealed, so not replayed: {', '.join(night.unsealed)}")
