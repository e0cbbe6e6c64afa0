"""Where a flow keeps the report of a gaming day, and by which address it can be opened."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from analytics.reconciliation.result import Reconciliation
from analytics.report import write_report
from flows.night import Night
from flows.settings import Settings
from producers.outputs import require_output
from producers.sinks.durable import make_folder


class ReportNotKept(Exception):
    """The report of a gaming day could not be written; the message says where and why.

    ``night`` is the day itself, which has its verdicts, where one was run.
    """

    def __init__(self, why: str, night: Night | None = None) -> None:
        super().__init__(why)
        self.night = night


@dataclass(frozen=True, slots=True)
class Reports:
    """The folder of the reports, and the address under which a web server shows it, where one does."""

    folder: Path
    url: str | None
    zone: dt.tzinfo

    @classmethod
    def of(cls, settings: Settings, lake: Path) -> Reports:
        """Where the settings say; in the lake's own folder unless they do."""
        return cls(settings.reports or lake / "reports", settings.reports_url, settings.time_zone)

    def file(self, lake: Path, day: dt.date) -> Path:
        """The file of a report; several lakes may keep theirs in one folder."""
        return (self.folder / f"{key(lake, day)}.html").resolve()

    def address(self, lake: Path, day: dt.date) -> str:
        """The link to a report."""
        file = self.file(lake, day)
        return f"{self.url.rstrip('/')}/{quote(file.name)}" if self.url else file.as_uri()

    def link(self, lake: Path, day: dt.date) -> str:
        """The link in Markdown, with the path in words, because a browser opens no local file from a server's page."""
        link = f"[Report of {day}](<{self.address(lake, day)}>)"
        return link if self.url else f"{link}: `{self.file(lake, day)}`"

    def keep(self, lake: Path, said: Reconciliation) -> None:
        """Write the report of a gaming day; its folder is made where it is missing. Raises ReportNotKept where its folder cannot
        be written, or is one of an archive."""
        file = self.file(lake, said.gaming_day)
        try:
            require_output(file)
            make_folder(file.parent)
            write_report(lake, said, file, self.zone)
        except OSError as error:
            why = f"{error.strerror or error}: make room or set `reports` in pitaudit.toml, and run the day again"
            raise ReportNotKept(f"the report {file} could not be written: {why}") from error


def key(lake: Path, day: dt.date) -> str:
    """A name for what belongs to a lake and gaming day: of small letters, digits and dashes, as Prefect wants it.

    >>> key(Path("/srv/Lake_1"), dt.date(2009, 6, 1))
    'reconciliation-2009-06-01-lake-1-50c261e9'
    """
    slug = re.sub("[^a-z0-9]+", "-", lake.resolve().name.lower()).strip("-")[:24]
    digest = hashlib.sha256(str(lake.resolve()).encode(errors="surrogateescape")).hexdigest()[:8]
    return "-".join(part for part in ("reconciliation", day.isoformat(), slug, digest) if part)
