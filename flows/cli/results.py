"""Prints the result of gaming days: the log of each run, why they are not clean, and one sentence at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from flows.cli.terminal import CLEAN, FOUND, print_grid, say, warn
from flows.cli.warnings import warn_of_changes, warn_of_lost
from schemas.plural import plural

if TYPE_CHECKING:
    from flows.summary import Night

_MOST_CHANGES: Final = 20
"""Corrections and late entries printed on standard error at most."""


def print_night(night: Night) -> None:
    """Print the log of the run of a gaming day on standard error."""
    from flows.summary import made_anew, restored

    said, undone = night.reconciliation, night.undone
    day = said.gaming_day
    say(f"{day}: {plural(len(night.replayed), 'table-day')} replayed, {len(night.unchanged)} unchanged")
    for what in (*made_anew(night), *restored(night)):
        warn(f"{day}: {what}")
    for table, why in undone.items():
        warn(f"{day} {table}: {why}")
    warn_of_lost(said.lost)
    warn_of_changes(said.open_log_changes)
    for change in said.book_changes[:_MOST_CHANGES]:
        warn(f"{day} {change.table_id} seq {change.seq}: {change.code}: {change.what}")
    if (more := len(said.book_changes) - _MOST_CHANGES) > 0:
        warn(f"{day}: {more} more corrections and late entries; the report lists them")
    for each in said.open_statuses:
        if each.table_id not in undone:
            warn(f"{day} {each.table_id}: {each.why}")


def print_why(nights: Sequence[Night]) -> None:
    """What was found, what has no verdicts, what was not expected or was acknowledged, and what nobody could judge."""
    from flows import summary

    for grid in (
        summary.findings_of(nights), summary.not_judged(nights), summary.not_as_expected(nights), summary.unjudged(nights)
    ):  # fmt: skip
        if grid.rows:
            print_grid(grid)


def last_line(sentence: str, *, clean: bool, json: bool) -> int:
    """Print the sentence, after all else; on standard error beside a JSON object, where it is not clean. Gives the exit code."""
    if not json:
        print(sentence)
    elif not clean:
        warn(sentence)
    return CLEAN if clean else FOUND
