"""What gaming days came to, on standard output: why they are not clean, and one sentence at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flows.cli.terminal import print_grid, warn

if TYPE_CHECKING:
    from flows.night import Night


def print_why(nights: Sequence[Night]) -> None:
    """What was found, what has no verdicts, what was not expected or was acknowledged, and what nobody could judge."""
    from flows import summary

    if found := summary.findings_of(nights):
        print_grid(summary.findings_grid(found))
    for grid in (summary.not_judged(nights), summary.not_as_expected(nights), summary.unjudged(nights)):
        if grid.rows:
            print_grid(grid)


def last_line(sentence: str, *, clean: bool, json: bool) -> None:
    """The sentence, after all else; on standard error beside a JSON object, where it is not clean."""
    if not json:
        print(sentence)
    elif not clean:
        warn(sentence)
