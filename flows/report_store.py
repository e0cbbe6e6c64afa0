"""Where a flow keeps the report of a gaming day, and by which address it can be opened."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from pathlib import Path
from urllib.parse import quote

from analytics.reconciliation.result import Reconciliation
from analytics.report import write_report
from flows.known_errors import CouldNotRun
from flows.settings import Settings
from producers.outputs import require_output
from producers.sinks.durable import make_folder


def report_file(chosen: Settings, lake: Path, day: dt.date) -> Path:
    """The file of a report: where the settings say, in the lake's own folder unless they do; several lakes may share one."""
    return ((chosen.reports or lake / "reports") / f"{key(lake, day)}.html").resolve()


def report_link(chosen: Settings, lake: Path, day: dt.date) -> str:
    """The link to a report in Markdown; where no web server shows it with the path in words, because a browser opens no local
    file from a server's page."""
    file = report_file(chosen, lake, day)
    if chosen.reports_url:
        return f"[Report of {day}](<{chosen.reports_url.rstrip('/')}/{quote(file.name)}>)"
    return f"[Report of {day}](<{file.as_uri()}>): `{file}`"


def keep_report(chosen: Settings, lake: Path, said: Reconciliation) -> None:
    """Write the report of a gaming day; its folder is made where it is missing. Raises CouldNotRun where its folder cannot be
    written, or is one of an archive."""
    file = report_file(chosen, lake, said.gaming_day)
    try:
        require_output(file)
        make_folder(file.parent)
        write_report(lake, said, file, chosen.time_zone)
    except OSError as error:
        why = f"{error.strerror or error}: make room or set `reports` in pitaudit.toml, and run the day again"
        raise CouldNotRun(f"the report {file} could not be written: {why}") from error


def key(lake: Path, day: dt.date) -> str:
    """A name for what belongs to a lake and gaming day: of small letters, digits and dashes, as Prefect wants it.

    >>> key(Path("/srv/Lake_1"), dt.date(2009, 6, 1))
    'reconciliation-2009-06-01-lake-1-50c261e9'
    """
    slug = re.sub("[^a-z0-9]+", "-", lake.resolve().name.lower()).strip("-")[:24]
    digest = hashlib.sha256(str(lake.resolve()).encode(errors="surrogateescape")).hexdigest()[:8]
    return "-".join(part for part in ("reconciliation", day.isoformat(), slug, digest) if part)
