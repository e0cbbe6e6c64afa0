"""The description of the lake's tables and columns, as ``replayer.verdicts.tables`` defines them, for people and programs."""

from __future__ import annotations

from typing import Any

from analytics.lake.views import SQL_TYPES
from replayer.verdicts.tables import DEFINITIONS, Table

_INTRODUCTION = """\
# The tables of the lake

`pitaudit lake --describe` prints this page, `--json` gives it to programs. It is made from the definitions in
`replayer/verdicts/tables.py`.

Every table has `table_id`, `gaming_day`; with `round`, `seat` and `hand`, or with the number of an event (`seq`), its rows join
those of the others: a finding's `seq` is the `placed_seq` or `settled_seq` of a wager, the `seq` of a decision or of a custody
event. Times are UTC with zone, to the microsecond. Amounts are whole minor units of the row's currency, 100 to the major
unit; a sum of them is made in 128 bits. Players appear under pseudonyms.
"""


def description() -> list[dict[str, Any]]:
    """Every table with its grain and its columns: name, SQL type, unit (empty where there is none), meaning."""
    return [
        {
            "table": table.name,
            "grain": f"one row is {table.grain}",
            "columns": [
                {"name": c.name, "type": SQL_TYPES[table.schema[c.name]], "unit": c.unit, "meaning": c.meaning}
                for c in table.columns
            ],
        }
        for table in DEFINITIONS.values()
    ]


def page() -> str:
    """The same as a Markdown page, readable on a terminal too."""
    return "\n".join([_INTRODUCTION, *map(_section, DEFINITIONS.values())])


def _section(table: Table) -> str:
    lines = [
        f"## {table.name}",
        "",
        f"One row is {table.grain}.",
        "",
        "| column | type | unit | meaning |",
        "| --- | --- | --- | --- |",
    ]
    for column in table.columns:
        cells = (f"`{column.name}`", SQL_TYPES[table.schema[column.name]], column.unit, column.meaning)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])
