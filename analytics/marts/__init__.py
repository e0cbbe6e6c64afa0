"""The measures, one ``.sql`` file each: a SELECT that becomes a view of the file's name, over the lake's views.

The head of each file says what the measure means, its unit and its grain. Amounts are minor units as whole numbers;
nothing but ratios and statistics is ever a DOUBLE. A sum of amounts is a HUGEINT of 128 bits, as the database makes it:
10^22 of the largest amounts fit, and no sum is ever cast to fewer bits.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from fractions import Fraction
from functools import cache
from graphlib import TopologicalSorter
from importlib import resources
from typing import Any, Final

import duckdb

_COMMENT: Final = re.compile(r"--.*$", re.MULTILINE)
_OF_TABLE_DAYS: Final = "Grain: table-day."
_SMALL: Final = ("table_days", "custody")
"""Tables of the lake with one row a table-day, or a few dozen."""


@cache
def measures() -> dict[str, str]:
    """The text of every mart by name, each after those that it reads."""
    texts = {
        file.name.removesuffix(".sql"): file.read_text(encoding="utf-8")
        for file in resources.files(__name__).iterdir()
        if file.name.endswith(".sql")
    }
    reads = {name: _words(texts[name]) & texts.keys() - {name} for name in sorted(texts)}
    return {name: texts[name] for name in TopologicalSorter(reads).static_order()}


def _words(sql: str) -> set[str]:
    return set(re.findall(r"\w+", _COMMENT.sub("", sql)))


def needed_by(sql: str) -> set[str]:
    """The marts that a statement reads, and those that they read."""
    needed: set[str] = set()
    for name in reversed(measures()):
        if name in _words(sql) or any(name in _words(measures()[other]) for other in needed):
            needed.add(name)
    return needed


@cache
def house_edges() -> tuple[dict[str, Any], ...]:
    """The house's edge on each wager where it is known: exact fractions, with source and assumption."""
    text = (resources.files(__name__) / "house_edges.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)["edge"])


def load(connection: duckdb.DuckDBPyConnection, *, only: Collection[str] | None = None, compute: bool = False) -> None:
    """Create the marts on a connection that ``analytics.lake.connect`` gave: all, or ``only`` some, as views.

    With ``compute`` the measures of table-days are worked out at once and kept: right for who reads most of them, as
    each is then planned and scanned once, however many others rest on it. The lake's small tables, of which every
    measure reads one, are kept as well: each of their files is then opened once, and not once a measure.
    """
    for name in _SMALL if compute else ():
        connection.execute(f'CREATE TEMP TABLE "{name}" AS FROM main."{name}"')
    connection.execute(
        "CREATE TEMP TABLE house_edges (regulation VARCHAR, wager VARCHAR,"
        " edge_numerator BIGINT, edge_denominator BIGINT, variance DOUBLE)"
    )
    rows = []
    for edge in house_edges():
        share = Fraction(edge["edge"])
        values = (share.numerator, share.denominator, float(Fraction(edge["variance"])))
        rows += [(regulation, wager, *values) for regulation in edge["regulations"] for wager in edge["wagers"]]
    connection.executemany("INSERT INTO house_edges VALUES (?, ?, ?, ?, ?)", rows)
    for name, text in measures().items():
        if only is None or name in only:
            kept = compute and _OF_TABLE_DAYS in text
            connection.execute(f'CREATE {"TEMP TABLE" if kept else "VIEW"} "{name}" AS\n{text}')
