"""``pitaudit report``."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from flows.cli.terminal import CLEAN, require_lake, say, tell_unjudged, warn_of_players


def report(
    *,
    lake: Path | None = None,
    day: dt.date,
    output: Annotated[Path, Parameter(name=("--output", "-o"))],
    settings: Path | None = None,
) -> int:
    """Write a gaming day's report as one HTML file, which needs no network to be read.

    Example: `pitaudit report --lake lake --day 2026-01-05 -o report.html`

    Parameters
    ----------
    lake
        The lake's folder, unless the settings name it.
    day
        The gaming day.
    output
        The file to write.
    settings
        A settings file other than pitaudit.toml.
    """
    from analytics.report import write_report
    from flows.settings import load

    chosen = load(settings)
    source = require_lake(lake, chosen, day)
    reconciled = write_report(source, day, output, chosen.time_zone)
    warn_of_players(source, day)
    say(f"{output} is written")
    tell_unjudged(((row.reason, row.wagers) for row in reconciled.unjudged), json=False)
    return CLEAN
