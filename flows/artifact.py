"""A gaming day's reconciliation as Markdown, for Prefect's page; text out of logs cannot become markup there."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Final

from analytics.lake import Change
from analytics.texts import label
from flows.runs import Night

_LETTERS: Final = 1000
_MOST_CHANGES: Final = 200


def artifact_key(day: dt.date) -> str:
    """The key under which Prefect keeps every version of a gaming day's reconciliation."""
    return f"reconciliation-{day.isoformat()}"


def escaped(text: str) -> str:
    """``text`` so that Markdown and the HTML in it show it letter by letter, on one line.

    >>> escaped("<b>T1|*</b>")
    '&lt;b&gt;T1\\\\|\\\\*&lt;/b&gt;'
    """
    plain = label(text, _LETTERS).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]()#+!|~-])", r"\\\1", plain)


def made_anew(night: Night) -> list[str]:
    """What of the day was damaged in the lake and made anew, in words."""
    return [
        f"what the lake held of {table or 'the day as a whole'} was damaged and was made anew: {what}"
        for table, what in night.made_anew.items()
    ]


def markdown(night: Night) -> str:
    """The reconciliation table, what was found, and which tables are missing and why."""
    said = night.reconciliation
    grid = said.grid()
    titles = [column.title for column in grid.columns]
    parts = [f"# {grid.title}", _table(titles, grid.rows, [column.figure for column in grid.columns])]
    if night.undone:
        parts += ["## Without verdicts", _table(("table", "why"), list(night.undone.items()))]
    if night.made_anew:
        parts += ["## Damaged in the lake", *(escaped(what) for what in made_anew(night))]
    if said.log_changes:
        changed = [(c.table_id, c.message, _acknowledged(c)) for c in said.log_changes]
        parts += ["## Logs that changed after they were judged", _table(("table", "what", "acknowledged"), changed)]
    if said.findings:
        rows = [(found.code, found.severity, found.title, str(found.count)) for found in said.findings]
        parts += ["## Findings", _table(("code", "severity", "what", "count"), rows, (False, False, False, True))]
    else:
        parts.append("No findings.")
    if said.book_changes:
        listed = said.book_changes[:_MOST_CHANGES]
        changes = [(c.table_id, str(c.seq or ""), c.what, c.before or "", c.after or "") for c in listed]
        about = ("table", "event", "what", "before", "after")
        parts += ["## Corrections and late entries", _table(about, changes)]
        if len(said.book_changes) > len(listed):
            parts.append(f"{len(said.book_changes) - len(listed)} more are in the report.")
    if said.quarantined:
        parts.append(f"{said.quarantined} message(s) are in quarantine.")
    if said.lost:
        parts += ["## Lost before the archive had them", *(escaped(str(lost)) for lost in said.lost)]
    if night.unsealed:
        parts.append(f"Not sealed, so not replayed: {escaped(', '.join(night.unsealed))}.")
    return "\n\n".join(parts) + "\n"


def _acknowledged(change: Change) -> str:
    who = change.acknowledged
    return f"by {who.by} at {who.at}: {who.reason}" if who else "no"


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]], figures: Sequence[bool] = ()) -> str:
    rules = ["---:" if figure else "---" for figure in figures] or ["---"] * len(titles)
    lines = [titles, rules, *([escaped(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
