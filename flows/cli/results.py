"""Prints the result of gaming days: the log of each run, why they are not clean, and one sentence at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from flows.cli.terminal import print_grid, say, warn
from flows.cli.warnings import warn_of_changes, warn_of_lost
from schemas.plural import plural

if TYPE_CHECKING:
    from flows.night import Night

_MOST_CHANGES: Final = 20
"""Corrections and late entries printed on standard error at most."""


def print_night(night: Night) -> None:
    """Print the log of a gaming day's run on standard error."""
    from flows.summary import made_anew, restored

    day = night.reconciliation.gaming_day
    say(f"{day}: {plural(len(night.replayed), 'table-day')} replayed, {len(night.unchanged)} unchanged")
    for what in (*made_anew(night), *restored(night)):
        warn(f"{day}: {what}")
    undone = night.undone
    for table, why in undone.items():
        warn(f"{day} {table}: {why}")
    warn_of_lost(night.reconciliation.lost)
    warn_of_changes(night.reconciliation.open_log_changes)
    changes = night.reconciliation.book_changes
    for change in changes[:_MOST_CHANGES]:
        warn(f"{day} {change.table_id} seq {change.seq}: {change.code}: {change.what}")
    if len(changes) > _MOST_CHANGES:
        warn(f"{day}: {len(changes) - _MOST_CHANGES} more corrections and late entries; the report lists them")
    for each in night.reconciliation.open_statuses:
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


def last_line(sentence: str, *, clean: bool, json: bool) -> None:
    """The sentence, after all else; on standard error beside a JSON object, where it is not clean."""
    if not json:
        print(sentence)
    elif not clean:
        warn(sentence)
