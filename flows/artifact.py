"""A gaming day's reconciliation as Markdown, for Prefect's page, where text out of logs cannot become markup; and the report to
which it links, where a flow keeps that."""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

from analytics.reconciliation.reconcile import gravest
from analytics.reconciliation.result import Reconciliation
from analytics.report import write_report
from analytics.texts import Grid, amount, count, label
from flows.known_errors import CouldNotRun
from flows.settings import Settings
from flows.summary import Night, findings_of, made_anew, not_as_expected, not_judged, one_sentence, restored, unjudged
from producers.outputs import require_output
from producers.sinks.durable import make_folder

_LETTERS: Final = 1000
_MOST_CHANGES: Final = 200
_MOST_FINDINGS: Final = 100
_MOST_TABLES: Final = 100
"""Rows on the page at most; the rest is counted, and the report has it."""


def escaped(text: str) -> str:
    """``text`` so that Markdown and the HTML in it show it letter by letter, on one line.

    >>> escaped("<b>T1|*</b>")
    '&lt;b&gt;T1\\\\|\\\\*&lt;/b&gt;'
    """
    plain = label(text, _LETTERS).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]()#+!|~-])", r"\\\1", plain)


def markdown(night: Night, lake: Path, report: str = "") -> str:
    """The sentence, the report (Markdown of its own), what was found and where, what is missing and why, the figures."""
    said = night.reconciliation
    changed = tuple((c.table_id, c.message, str(c.acknowledged or "no")) for c in said.log_changes)
    parts = [
        f"# {escaped(f'Tables of {said.gaming_day}')}",
        escaped(one_sentence(night)),
        *([report] if report else []),
        *_section(not_judged([night])),
        *_section(not_as_expected([night])),
        *_lines("Damaged in the lake", made_anew(night)),
        *_lines("Logs that were restored", restored(night)),
        *_section(Grid("Logs that changed after they were judged", ("table", "what", "acknowledged"), changed)),
        *_findings(night, lake),
        *_book_changes(said),
        *_lines("Lost before the archive had them", [f"{each.name}: {each}".removeprefix(": ") for each in said.lost]),
        *_lines("Messages in quarantine that somebody answered for", list(map(str, said.note.answered))),
        *_section(unjudged([night])),
        *_figures(said),
    ]
    return "\n\n".join(parts) + "\n"


def _section(grid: Grid) -> list[str]:
    return [f"## {grid.title}", _grid(grid)] if grid.rows else []


def _lines(title: str, texts: Sequence[str]) -> list[str]:
    return [f"## {title}", *map(escaped, texts)] if texts else []


def _book_changes(said: Reconciliation) -> Iterator[str]:
    if listed := said.book_changes[:_MOST_CHANGES]:
        yield "## Corrections and late entries"
        rows = [(c.table_id, str(c.seq or ""), c.what, c.before or "", c.after or "") for c in listed]
        yield _table(("table", "event", "what", "before", "after"), rows)
    if left := len(said.book_changes) - len(listed):
        yield f"{left} more are in the report."


def _findings(night: Night, lake: Path) -> Iterator[str]:
    said = night.reconciliation
    if not said.findings:
        yield "No findings."
        return
    found, number = gravest(lake, said, _MOST_FINDINGS)
    yield "## Findings"
    if found:
        rows = [
            (
                each.table_id,
                "" if each.round is None else str(each.round),
                "" if each.seat is None else str(each.seat),
                each.code,
                "" if each.delta_minor is None else f"{amount(each.delta_minor, sign=True)} {currency or ''}".rstrip(),
                each.article,
                each.message,
            )
            for each, currency in found
        ]
        titles = ("table", "round", "seat", "code", "amount", "article", "what")
        yield _table(titles, rows, figures=(1, 2, 4))
    if number > len(found):
        yield f"{count(number - len(found))} more are in the report and in the lake."
    yield "### Findings by code"
    yield _grid(findings_of([night]))


def _figures(said: Reconciliation) -> Iterator[str]:
    """The figures of the tables, those first that do not agree, and of the house."""
    grid = said.grid()
    tables = grid.rows[: len(said.tables) + len(said.stretches)]
    house = grid.rows[len(tables) :]
    off = said.disagreeing.union(said.incomplete)
    shown = sorted(tables, key=lambda row: row[0].partition(" ")[0] not in off)[:_MOST_TABLES]
    yield "## Figures"
    yield _grid(dataclasses.replace(grid, rows=(*shown, *house)))
    if len(tables) > len(shown):
        yield f"{count(len(tables) - len(shown))} more rows are in the report."


def _grid(grid: Grid) -> str:
    shown = grid.without_empty_columns()
    return _table(shown.names, shown.rows, shown.figures)


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]], figures: Sequence[int] = ()) -> str:
    rules = ["---:" if place in figures else "---" for place in range(len(titles))]
    lines = [titles, rules, *([escaped(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# The report


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
