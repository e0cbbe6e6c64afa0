"""The measures, one ``.sql`` file each: a SELECT that becomes a view of the file's name, over the lake's views.

The head of each file says what the measure means, its unit and its grain. Amounts are minor units as whole numbers;
nothing but ratios and statistics is ever a DOUBLE.
"""

from __future__ import annotations

import re
import tomllib
from fractions import Fraction
from functools import cache
from graphlib import TopologicalSorter
from importlib import resources
from typing import Any, Final

import duckdb

_COMMENT: Final = re.compile(r"--.*$", re.MULTILINE)


@cache
def measures() -> dict[str, str]:
    """The text of every mart by name, each after those that it reads."""
    texts = {
        file.name.removesuffix(".sql"): file.read_text(encoding="utf-8")
        for file in resources.files(__name__).iterdir()
        if file.name.endswith(".sql")
    }
    words = {name: set(re.findall(r"\w+", _COMMENT.sub("", text))) for name, text in texts.items()}
    reads = {name: sorted((words[name] & texts.keys()) - {name}) for name in sorted(texts)}
    return {name: texts[name] for name in TopologicalSorter(reads).static_order()}


@cache
def house_edges() -> tuple[dict[str, Any], ...]:
    """The house's edge on each wager where it is known: exact fractions, with source and assumption."""
    text = (resources.files(__name__) / "house_edges.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)["edge"])


def load(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the views of all marts on a connection that ``analytics.lake.connect`` gave."""
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
        connection.execute(f'CREATE VIEW "{name}" AS\n{text}')
