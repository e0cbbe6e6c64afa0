"""Questions of a fraud investigator, run by name: one ``.sql`` file each, over the lake's views and measures.

The head of each file::

    -- Question: the question of an investigator.           (for the ten of README.md in this folder, which shows them)
    -- Ask: name=value, the parameters of that question.    (where they are not the defaults)
    -- Purpose: what the query shows.
    -- Innocent: what else would explain a row.
    -- Param: min_count int = 2 | its meaning               (types: date, int, number, hours, text; none: not given)

Every query also has the parameters ``first`` and ``last``, the gaming days that it reads. Values are passed to the database as
prepared parameters. A row is a place to look, not an accusation.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from analytics import marts
from analytics.isolation import without_failing
from analytics.lake import LakeContents, contents_of, require_usable

Value = dt.date | int | float | str | None
OmittedCounts = Mapping[str, tuple[int, int]]
"""The number of rows that a query leaves out, and of all such rows, by what they are (``buy-ins of which the log names no
player``)."""

_HEAD: Final = re.compile(r"^-- (Purpose|Innocent): (.+)$", re.MULTILINE)
_HEAD_LINE: Final = re.compile(r"-- (Question|Ask|Purpose|Innocent|Param): ")
_PARAMETER: Final = re.compile(r"^-- Param: (\w+) (\w+) = (\S+) \| (.+)$", re.MULTILINE)
_NOT_GIVEN: Final = "none"
_ROWS: Final = (
    ("wagers", "wagers", "true"),
    ("custody", "buy-ins", "kind = 'CashBoughtIn'"),
    ("hands", "hands", "seat IS NOT NULL"),
    ("rounds", "rounds", "true"),
)
"""What a query is about by the first of these tables that it reads, and the condition for its rows."""
_OMITS: Final = {
    "dealer IS NOT NULL": ("dealer IS NULL", "of which the log names no dealer"),
    "player IS NOT NULL": ("player IS NULL", "of which the log names no player"),
    "delta_minor IS NOT NULL": ("delta_minor IS NULL", "without a settlement or a known due"),
    "wager IN ('main'": ("wager IN ('all', 'hand')", "that the log settles in one amount with others"),
}
"""Which rows a query leaves out by a condition in its text, and what they are."""
_LARGEST: Final = 1_000_000_000
"""The largest number: no larger interval, ratio or time in seconds makes sense."""


def _within(number: Callable[[str], float], least: float, most: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        value = number(text)
        if not least <= value <= most:  # refuses NaN too
            raise ValueError
        return value

    return read


def _text(text: str) -> str:
    text.encode()  # an argument may have any bytes
    return text


_TYPES: Final[Mapping[str, tuple[Callable[[str], Value], str, str]]] = {
    "date": (dt.date.fromisoformat, "DATE", "a date like 2026-01-05"),
    "int": (_within(int, 0, 2**63 - 1), "BIGINT", "a whole number that is not negative"),
    "number": (_within(float, 0, _LARGEST), "DOUBLE", f"a number from 0 to {_LARGEST:,}"),
    "hours": (_within(int, -24, 24), "BIGINT", "a whole number of hours, a day at most"),
    "text": (_text, "VARCHAR", "a text in UTF-8"),
}


class QueryRefused(ValueError):
    """No such query or parameter, or a value of another type; the message says what there is."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a query; ``default`` is its text in the head, ``none`` where it is optional."""

    name: str
    kind: str
    default: str
    meaning: str

    def value(self, text: str) -> Value:
        """The value of a text; raises QueryRefused where the text is not of the parameter's type."""
        parse, _, what = _TYPES[self.kind]
        if text == _NOT_GIVEN and self.default == _NOT_GIVEN:
            return None
        try:
            return parse(text)
        except ValueError:
            raise QueryRefused(f"{self.name}={text}: {what} is needed ({self.meaning})") from None


_DAYS: Final = (
    Parameter("first", "date", _NOT_GIVEN, "first gaming day"),
    Parameter("last", "date", _NOT_GIVEN, "last gaming day"),
)
"""The parameters of every query."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query: its purpose, innocent explanations of a row, its parameters and its text."""

    name: str
    purpose: str
    innocent: str
    parameters: tuple[Parameter, ...]
    sql: str

    def days(self, given: Mapping[str, str]) -> tuple[dt.date | None, dt.date | None]:
        """The first and the last gaming day that it reads; None where not limited."""
        values = self.values(given)
        first, last = values["first"], values["last"]
        return first if isinstance(first, dt.date) else None, last if isinstance(last, dt.date) else None

    def values(self, params: Mapping[str, str]) -> dict[str, Value]:
        """The value of each parameter: of the texts in ``params``, as given on a command line, or the default. Raises
        QueryRefused where there is no such parameter, a value is of another type, or the last day before the first."""
        unknown = params.keys() - {parameter.name for parameter in self.parameters}
        if unknown:
            have = ", ".join(f"{p.name} ({p.kind}, default {p.default})" for p in self.parameters)
            raise QueryRefused(f"{self.name} has no parameter {', '.join(sorted(unknown))}; it has: {have}")
        values = {p.name: p.value(params.get(p.name, p.default)) for p in self.parameters}
        first, last = values["first"], values["last"]
        if isinstance(first, dt.date) and isinstance(last, dt.date) and last < first:
            raise QueryRefused(f"first={first} is later than last={last}: swap them")
        return values

    def with_values(self, params: Mapping[str, str]) -> str:
        """The statement with its parameters' values inserted, for other tools; raises as :meth:`values`."""
        values = self.values(params)
        text = "\n".join(line for line in self.sql.splitlines() if not _HEAD_LINE.match(line))
        text = re.sub(
            r"(\s+AND )?\(\$(\w+) IS NULL OR ([^()]*)\)",  # an optional condition
            lambda one: f"{one[1] or ''}{one[3]}" if values[one[2]] is not None else "" if one[1] else "true",
            text,
        )
        return re.sub(r"\$(\w+)", lambda found: _literal(values[found[1]]), text).strip() + "\n"


@cache
def queries() -> Mapping[str, Query]:
    """All queries by name."""
    files = sorted(resources.files(__name__).iterdir(), key=lambda file: file.name)
    return {
        query.name: query
        for file in files
        if file.name.endswith(".sql")
        for query in [_parsed(file.name.removesuffix(".sql"), file.read_text(encoding="utf-8"))]
    }


def _parsed(name: str, text: str) -> Query:
    head = dict(_HEAD.findall(text))
    parameters = (*_DAYS, *(Parameter(*found) for found in _PARAMETER.findall(text)))
    for parameter in parameters:
        parameter.value(parameter.default)  # a wrong default fails here, not when the query is run
    return Query(name, head["Purpose"], head["Innocent"], parameters, text)


def _literal(value: Value) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, dt.date):
        return f"DATE '{value}'"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def query_named(name: str) -> Query:
    """The query with a name; raises QueryRefused where there is none."""
    found = queries().get(name)
    if found is None:
        raise QueryRefused(f"no query {name!r}; there are: {', '.join(queries())}")
    return found


def run(name: str, lake: Path, params: Mapping[str, str]) -> tuple[pl.DataFrame, LakeContents, OmittedCounts]:
    """The rows of a query; the lake's contents for the gaming days, without table-days on which the query fails; and the numbers
    of rows that the query leaves out as the log does not tell what it asks for.

    Raises:
        QueryRefused: as :func:`query_named` and :meth:`Query.values`.
        LakeUnusable: the lake cannot be read.
    """
    query = query_named(name)
    values = query.values(params)
    require_usable(lake)
    contents = contents_of(lake, *query.days(params), tables=marts.tables_read_by(query.sql))

    def ask(connection: duckdb.DuckDBPyConnection, _: LakeContents) -> tuple[pl.DataFrame, OmittedCounts]:
        marts.load(connection, only=marts.needed_by(query.sql))
        frame = connection.sql(_typed(query), params=values).pl()
        sums = pl.col(pl.Decimal(38, 0))  # DuckDB gives HUGEINT to Polars as a decimal
        return frame.with_columns(sums.cast(pl.Int128)), _omitted(connection, query)

    (frame, omitted), contents = without_failing(lake, contents, ask)
    return frame, contents, omitted


def _omitted(connection: duckdb.DuckDBPyConnection, query: Query) -> OmittedCounts:
    read = marts.tables_read_by(query.sql)
    table, what, condition = next(rows for rows in _ROWS if rows[0] in read)
    omitted: dict[str, tuple[int, int]] = {}
    for text, (such, why) in _OMITS.items():
        if text in query.sql:
            count = f'SELECT count(*) FILTER ({such}), count(*) FROM "{table}" WHERE {condition}'  # noqa: S608 (constants)
            ((number, every),) = connection.execute(count).fetchall()
            if number:
                omitted[f"{what} {why}"] = (number, every)
    return omitted


def _typed(query: Query) -> str:
    """The text with each placeholder cast to its parameter's type, so that NULL has a type too."""
    casts = {parameter.name: _TYPES[parameter.kind][1] for parameter in query.parameters}
    return re.sub(r"\$(\w+)", lambda found: f"CAST(${found[1]} AS {casts[found[1]]})", query.sql)
