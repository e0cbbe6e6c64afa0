"""``pitaudit lake``."""

from __future__ import annotations

from flows.cli.terminal import CLEAN, print_json
from flows.known_errors import CouldNotRun


def lake(*, describe: bool = False, json: bool = False) -> int:
    """Say what the lake's tables hold: every column with its type, its unit and what it means.

    Example: `pitaudit lake --describe`

    Parameters
    ----------
    describe
        Print the tables and their columns, as Markdown.
    json
        With --describe: one JSON object on standard output: tables, each with table, grain and columns (name, type, unit,
        meaning).
    """
    from analytics.lake.describe import description, page

    if not describe:
        raise CouldNotRun("what of the lake? `pitaudit lake --describe` prints its tables and columns")
    if json:
        print_json({"tables": description()})
    else:
        print(page(), end="")
    return CLEAN
