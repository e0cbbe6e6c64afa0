"""The measures (marts), one ``.sql`` file each: a SELECT that becomes a view of the file's name, over the lake's views.

The head of each file has the measure's meaning, unit and grain. Amounts are whole minor units; only ratios and statistics are
DOUBLE. The database sums amounts as HUGEINT of 128 bits: 10^22 of the largest amounts fit, and no sum is cast to fewer bits.
"""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from functools import cache
from graphlib import TopologicalSorter
from importlib import resources
from typing import Any, Final, NamedTuple

import duckdb

from analytics.lake.run import Run
from analytics.lake.views import SQL_TYPES, create_table
from replayer.contract.readings import Readings
from replayer.law.rulings import UnknownRuling, readings_by
from replayer.verdicts.tables import TABLES

_COMMENT: Final = re.compile(r"--.*$", re.MULTILINE)
_LITERAL: Final = re.compile(r"'[^']*'")
_PAYMENTS: Final = "payments"
"""The measure with a row for each payment: to keep them takes more time than to read them again."""


@cache
def measures() -> dict[str, str]:
    """The text of every measure by name, each after those that it reads."""
    texts = {
        file.name.removesuffix(".sql"): file.read_text(encoding="utf-8")
        for file in resources.files(__name__).iterdir()
        if file.name.endswith(".sql")
    }
    reads = {name: _named_in(texts[name]) & texts.keys() - {name} for name in sorted(texts)}
    return {name: texts[name] for name in TopologicalSorter(reads).static_order()}


@cache
def _named_in(measure: str) -> set[str]:
    """The words of a measure's text, without comments and literals: the names of what it reads are among them."""
    return _identifiers(_LITERAL.sub("", _COMMENT.sub("", measure)))


def _identifiers(sql: str) -> set[str]:
    """The words of a statement, those of its comments too: a text may have their marks, and a table left out has no rows."""
    return set(re.findall(r"\w+", sql.lower()))


def needed_by(sql: str) -> set[str]:
    """The measures that a statement reads, and those that they read."""
    needed: set[str] = set()
    for name in reversed(measures()):
        if name in _identifiers(sql) or any(name in _named_in(measures()[other]) for other in needed):
            needed.add(name)
    return needed


def tables_read_by(sql: str) -> set[str]:
    """The tables of ``replayer.verdicts.tables.TABLES`` that a statement reads, itself or through measures."""
    return TABLES.keys() & _identifiers(sql).union(*(_named_in(measures()[name]) for name in needed_by(sql)))


@cache
def house_edges() -> tuple[dict[str, Any], ...]:
    """The exact house edges by wager: fractions, their source, and the readings of doubtful texts that they require."""
    text = (resources.files(__name__) / "house_edges.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)["edge"])


Edges = tuple[tuple[Any, ...], ...]


class JudgedTableDay(NamedTuple):
    """A table-day, and the readings of doubtful texts and other settings under which it was judged."""

    table_id: str
    gaming_day: dt.date
    rulings: Mapping[str, str]


def load(
    connection: duckdb.DuckDBPyConnection,
    judged: Iterable[Run | JudgedTableDay] = (),
    *,
    only: Collection[str] | None = None,
    compute: bool = False,
    persistent: bool = False,
) -> None:
    """Create the measures on a connection of ``analytics.lake.views``, as views.

    Args:
        judged: the table-days with their readings. House edges are exact under some readings only, so a table-day that is not
            among these has no theoretical win.
        only: the measures to create; all unless given.
        compute: compute the measures once and keep them as tables, for callers that read most of them.
        persistent: create no temporary tables, so that everything outlives the connection.
    """
    kinds = {"table_id": "VARCHAR", "gaming_day": "DATE", "regulation": "VARCHAR", "wager": "VARCHAR"}
    kinds |= {"edge_numerator": "BIGINT", "edge_denominator": "BIGINT", "variance": "DOUBLE", "covariance": "DOUBLE"}
    edges_under = cache(_edges_under)  # most table-days have the same readings
    rows = (row for run in judged for row in _edges_of(run, edges_under))
    create_table(connection, f"{'' if persistent else 'TEMP '}TABLE house_edges", kinds, rows)
    wanted = {name: text for name, text in measures().items() if only is None or name in only}
    (_compute if compute else _create_views)(connection, wanted)


def _compute(connection: duckdb.DuckDBPyConnection, wanted: Mapping[str, str]) -> None:
    for name, text in wanted.items():
        connection.execute(f'CREATE {"VIEW" if name == _PAYMENTS else "TEMP TABLE"} "{name}" AS\n{text}')


def _create_views(connection: duckdb.DuckDBPyConnection, wanted: Mapping[str, str]) -> None:
    """Create views, each after those that it reads. That binds all of it, down to the files: to make it fast, empty temporary
    tables of the same columns stand in meanwhile."""
    read = set().union(*map(_named_in, wanted.values()))
    lake_tables = TABLES.keys() & read
    for name in lake_tables:
        columns = ", ".join(f'"{column}" {SQL_TYPES[kind]}' for column, kind in TABLES[name].items())
        connection.execute(f'CREATE TEMP TABLE "{name}" ({columns})')
    own_measures = [name for name in wanted if name in read]
    for name, text in wanted.items():
        connection.execute(f'CREATE VIEW "{name}" AS\n{text}')
        if name in own_measures:
            connection.execute(f'CREATE TEMP TABLE "{name}" AS FROM "{name}" LIMIT 0')
    for name in (*lake_tables, *own_measures):
        connection.execute(f'DROP TABLE temp.main."{name}"')


def _edges_of(
    run: Run | JudgedTableDay, edges_under: Callable[[frozenset[tuple[str, str]]], Edges]
) -> Iterable[tuple[Any, ...]]:
    """The exact edges of a table-day, as rows of ``house_edges``."""
    own = f"{run.table_id}/"
    chosen = {name: reading for name, reading in run.rulings.items() if "/" not in name}
    chosen |= {name.removeprefix(own): value for name, value in run.rulings.items() if name.startswith(own)}
    return ((run.table_id, run.gaming_day, *edge) for edge in edges_under(frozenset(chosen.items())))


def _edges_under(chosen: frozenset[tuple[str, str]]) -> Edges:
    """Regulation, wager, edge and moments of each edge that is exact under some readings."""
    readings = _readings(dict(chosen))
    found = []
    for edge in house_edges():
        if readings is None or any(readings(ruling) != reading for ruling, reading in edge["readings"].items()):
            continue
        share = Fraction(edge["edge"])
        moments = (float(Fraction(edge["variance"])), float(Fraction(edge["covariance"])))
        found += [
            (regulation, wager, share.numerator, share.denominator, *moments)
            for regulation in edge["regulations"]
            for wager in edge["wagers"]
        ]
    return tuple(found)


def _readings(chosen: dict[str, str]) -> Readings | None:
    """The readings chosen; None where this program does not know one of them."""
    preset = chosen.pop("preset", "default")
    chosen.pop("regulation", None)
    try:
        return readings_by(chosen, preset)
    except UnknownRuling:
        return None
