"""The measures, one ``.sql`` file each: a SELECT that becomes a view of the file's name, over the lake's views.

The head of each file says what the measure means, its unit and its grain. Amounts are minor units as whole numbers;
nothing but ratios and statistics is ever a DOUBLE. A sum of amounts is a HUGEINT of 128 bits, as the database makes it:
10^22 of the largest amounts fit, and no sum is ever cast to fewer bits.
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
from typing import Any, Final, Protocol

import duckdb

from analytics.lake.views import SQL_TYPES
from replayer.law.rulings import Readings, UnknownRuling
from replayer.verdicts.tables import TABLES

_COMMENT: Final = re.compile(r"--.*$", re.MULTILINE)
_LITERAL: Final = re.compile(r"'[^']*'")
_OF_TABLE_DAYS: Final = "Grain: table-day."
_SMALL: Final = ("table_days", "custody")
"""Tables of the lake with one row a table-day, or a few dozen."""
_READ_OFTEN: Final = ("slips", "counts", "winnings", "books", "rated_wagers", "expectations")
"""Measures on which several of table-days rest."""


@cache
def measures() -> dict[str, str]:
    """The text of every mart by name, each after those that it reads."""
    texts = {
        file.name.removesuffix(".sql"): file.read_text(encoding="utf-8")
        for file in resources.files(__name__).iterdir()
        if file.name.endswith(".sql")
    }
    reads = {name: _named_in(texts[name]) & texts.keys() - {name} for name in sorted(texts)}
    return {name: texts[name] for name in TopologicalSorter(reads).static_order()}


@cache
def _named_in(measure: str) -> set[str]:
    """The words of a measure's text that may name what it reads."""
    return _identifiers(_LITERAL.sub("", _COMMENT.sub("", measure)))


def _identifiers(sql: str) -> set[str]:
    return set(re.findall(r"\w+", _COMMENT.sub("", sql)))


def needed_by(sql: str) -> set[str]:
    """The marts that a statement reads, and those that they read."""
    needed: set[str] = set()
    for name in reversed(measures()):
        if name in _identifiers(sql) or any(name in _named_in(measures()[other]) for other in needed):
            needed.add(name)
    return needed


def tables_read_by(sql: str) -> set[str]:
    """The tables of ``replayer.verdicts.tables.TABLES`` that a statement reads, by itself or through the marts that it reads."""
    return TABLES.keys() & _identifiers(sql).union(*(_named_in(measures()[name]) for name in needed_by(sql)))


@cache
def house_edges() -> tuple[dict[str, Any], ...]:
    """The house's edge on each wager where it is exact: fractions, their source, and the readings under which they hold."""
    text = (resources.files(__name__) / "house_edges.toml").read_text(encoding="utf-8")
    return tuple(tomllib.loads(text)["edge"])


Edges = tuple[tuple[Any, ...], ...]


class MadeBy(Protocol):
    """What made a table-day: a run's manifest, say."""

    @property
    def table_id(self) -> str:
        """Its table."""

    @property
    def gaming_day(self) -> dt.date:
        """Its gaming day."""

    @property
    def rulings(self) -> Mapping[str, str]:
        """The readings of doubtful texts and other settings chosen."""


def load(
    connection: duckdb.DuckDBPyConnection,
    made_by: Iterable[MadeBy] = (),
    *,
    only: Collection[str] | None = None,
    compute: bool = False,
    lasting: bool = False,
) -> None:
    """Create the marts on a connection that ``analytics.lake.connect`` gave: all, or ``only`` some, as views.

    ``made_by`` are the runs that made the table-days. An edge holds under some readings of doubtful texts only, so that no
    theoretical win is stated of a table-day whose run is not among them.

    With ``compute`` the measures of table-days are worked out at once and kept: right for who reads most of them, as
    each is then planned and scanned once, however many others rest on it. The lake's small tables, of which every
    measure reads one, are kept as well: each of their files is then opened once, and not once a measure.

    With ``lasting`` everything outlives the connection.
    """
    kinds = {"table_id": "VARCHAR", "gaming_day": "DATE", "regulation": "VARCHAR", "wager": "VARCHAR"}
    kinds |= {"edge_numerator": "BIGINT", "edge_denominator": "BIGINT", "variance": "DOUBLE", "covariance": "DOUBLE"}
    under = cache(_edges_under)  # most table-days are judged under the same readings
    columns = zip(*(row for run in made_by for row in _edges_of(run, under)), strict=True)
    values = [list(column) for column in columns] or [[] for _ in kinds]
    unnested = ", ".join(f"unnest(CAST(? AS {kind}[])) AS {name}" for name, kind in kinds.items())
    passing = "" if lasting else "TEMP "
    connection.execute(f"CREATE {passing}TABLE house_edges AS SELECT {unnested}", values)
    wanted = {name: text for name, text in measures().items() if only is None or name in only}
    (_work_out if compute else _create_views)(connection, wanted)


def _work_out(connection: duckdb.DuckDBPyConnection, wanted: Mapping[str, str]) -> None:
    for name in _SMALL:
        connection.execute(f'CREATE TEMP TABLE "{name}" AS FROM main."{name}"')
    for name, text in wanted.items():
        kept = _OF_TABLE_DAYS in text or name in _READ_OFTEN
        connection.execute(f'CREATE {"TEMP TABLE" if kept else "VIEW"} "{name}" AS\n{text}')


def _create_views(connection: duckdb.DuckDBPyConnection, wanted: Mapping[str, str]) -> None:
    """Create views each after those that it reads.

    What a view reads is bound with it, down to the files. Meanwhile, therefore, all that others read is hidden by empty
    tables of the same columns, over which a view is soon bound.
    """
    read = set().union(*map(_named_in, wanted.values()))
    of_lake = TABLES.keys() & read
    for name in of_lake:
        columns = ", ".join(f'"{column}" {SQL_TYPES[kind]}' for column, kind in TABLES[name].items())
        connection.execute(f'CREATE TEMP TABLE "{name}" ({columns})')
    of_ours = [name for name in wanted if name in read]
    for name, text in wanted.items():
        connection.execute(f'CREATE VIEW "{name}" AS\n{text}')
        if name in of_ours:
            connection.execute(f'CREATE TEMP TABLE "{name}" AS FROM "{name}" LIMIT 0')
    for name in (*of_lake, *of_ours):
        connection.execute(f'DROP TABLE temp.main."{name}"')


def _edges_of(run: MadeBy, under: Callable[[frozenset[tuple[str, str]]], Edges]) -> Iterable[tuple[Any, ...]]:
    """The edges that hold of a table-day, as rows of ``house_edges``."""
    own = f"{run.table_id}/"
    chosen = {name: reading for name, reading in run.rulings.items() if "/" not in name}
    chosen |= {name.removeprefix(own): value for name, value in run.rulings.items() if name.startswith(own)}
    return ((run.table_id, run.gaming_day, *edge) for edge in under(frozenset(chosen.items())))


def _edges_under(chosen: frozenset[tuple[str, str]]) -> Edges:
    """Regulation, wager, edge and moments of each edge that holds under some readings."""
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
        return Readings(chosen, preset)
    except UnknownRuling:
        return None
