"""Writes ``README.md`` of the queries' folder: ten questions of an investigator, each with the SQL that answers it.

Run ``.venv/bin/python tests/analytics/page_of_questions.py`` after a change of a query; a test compares them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from textwrap import fill
from typing import Final

from analytics import queries as folder
from analytics.queries import Query, queries

FILE: Final = Path(folder.__file__).with_name("README.md")
_WIDTH: Final = 128
_QUESTION: Final = re.compile(r"^-- Question: (.+)$", re.MULTILINE)
_ASK: Final = re.compile(r"^-- Ask: (.+)$", re.MULTILINE)
_HEAD: Final = """# Ten questions of an investigator

Each is a named query: `pitaudit query NAME` asks it, for some gaming days with `--param first=2009-06-01 --param
last=2009-06-30`, and `pitaudit query NAME --sql` prints it with its parameters in it. So it stands below, as `pitaudit sql`
and any tool that opens `lake.duckdb` take it: a place to begin one's own questions from. `pitaudit query --list` names the
other queries.

A row is a place to look and accuses nobody; what else would explain it stands beside it. Amounts are minor units (avos,
cents), `paid` and `due` are what a wager changes in the player's chips, and `delta` is paid less due: positive where the house
overpaid. Times are UTC. Amounts of two currencies are never added up.
"""


def page() -> str:
    """The page's text."""
    return "\n".join([_HEAD, *(_section(number, *asked) for number, asked in enumerate(ten(), 1))])


def ten() -> list[tuple[Query, str]]:
    """The queries that answer the ten questions, each with its question."""
    return [(each, question[1]) for each in queries().values() if (question := _QUESTION.search(each.sql))]


def asked(query: Query) -> dict[str, str]:
    """The parameters with which a query answers its question."""
    named = _ASK.search(query.sql)
    return dict(pair.split("=", 1) for pair in named[1].split()) if named else {}


def _section(number: int, query: Query, question: str) -> str:
    params = "".join(f" --param {name}={value}" for name, value in asked(query).items())
    shows = query.purpose[0].upper() + query.purpose[1:]
    innocent = query.innocent[0].upper() + query.innocent[1:]
    parameters = [f"- `{p.name}` ({p.kind}, {_default(p.default)}): {p.meaning}" for p in query.parameters]
    return "\n".join(
        [
            f"## {number}. {question}",
            "",
            fill(shows, _WIDTH),
            "",
            fill(f"What else would explain a row: {innocent}", _WIDTH),
            "",
            *parameters,
            "",
            "```console",
            f"$ pitaudit query {query.name}{params}",
            "```",
            "",
            "```sql",
            query.with_values(asked(query)) + "```",
            "",
        ]
    )


def _default(default: str) -> str:
    return "all unless given" if default == "none" else f"{default} unless given"


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{FILE} is written\n")
