"""SQL questions over a lake: one SELECT at a time, which reads the rows of intact table-days and nothing else.

There are three layers of protection. A question is parsed before it runs: it must be a SELECT throughout, may use only the table
functions that generate rows or describe columns, and no file as a table. The database opens no other file, loads no extension and
lets no setting be changed (:func:`analytics.lake.views.views`). Memory, time and spill space are limited by the database, and
memory by the system too, since some functions of the database allocate outside its limit.
"""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

import duckdb

from analytics import marts
from analytics.lake import LakeContents, views
from analytics.lake.views import require_unchanged
from replayer.processes.failure import is_interrupt

MOST_TEXT: Final = 100_000
"""Characters of a text of questions at most."""
_BATCH: Final = 2_000
_MOST_NESTED: Final = 250
_NESTING: Final = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_QUERY_NODES: Final = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
_TABLE_FUNCTIONS: Final = frozenset(
    {"range", "generate_series", "unnest", "json_each", "json_tree", "duckdb_columns", "duckdb_views", "duckdb_tables",
     "duckdb_functions", "pragma_table_info"}
)  # fmt: skip
_FILE_MARKS: Final = "./"
"""The database reads a table whose name has one of these as a file."""
_PLAIN_TYPES: Final = frozenset(
    {"BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
     "UHUGEINT", "FLOAT", "DOUBLE", "VARCHAR"}
)  # fmt: skip
_NUMBER_TYPES: Final = _PLAIN_TYPES - {"BOOLEAN", "VARCHAR"}
_TIME_FORMATS: Final = {"TIMESTAMP": "%Y-%m-%dT%H:%M:%S.%f", "TIMESTAMP WITH TIME ZONE": "%Y-%m-%dT%H:%M:%S.%f+00:00"}

Cell = bool | int | float | str | None


class QuestionRefused(ValueError):
    """The question is not allowed or failed; the message says why in one line."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one question: memory and spill space in MiB, and seconds."""

    memory: int = 1024
    spill: int = 8192
    seconds: int = 600

    def settings(self) -> dict[str, str | int]:
        """The limits as settings of the database."""
        return {
            "memory_limit": f"{self.memory}MiB",
            "max_temp_directory_size": f"{self.spill}MiB",
            "max_execution_time": 1000 * self.seconds,
        }


_DEFAULT_LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows of a question, all computed before the first is read.

    ``figures`` tells which columns are numbers. Values other than numbers, booleans and texts are texts: a time in UTC by
    ISO 8601, a decimal with its digits, a list or structure as JSON.
    """

    columns: tuple[str, ...]
    figures: tuple[bool, ...]
    height: int
    _cursor: duckdb.DuckDBPyConnection

    def rows(self) -> Iterator[tuple[Cell, ...]]:
        """Each row, once."""
        while batch := self._cursor.fetchmany(_BATCH):
            yield from batch


def questions(text: str, limits: Limits = _DEFAULT_LIMITS) -> list[str]:
    """The questions in a text, separated by ``;``. Raises QuestionRefused where there is none, or one is no SQL or no SELECT."""
    if len(text) > MOST_TEXT:
        raise QuestionRefused(f"the text has {len(text):,} characters; {MOST_TEXT:,} are the most")
    if "\0" in text:
        raise QuestionRefused("the text holds a character of no meaning, NUL")
    try:
        text.encode()
    except UnicodeEncodeError as error:  # an argument may have any bytes
        raise QuestionRefused(f"the text is no UTF-8 at character {error.start + 1}") from None
    if max(accumulate(_NESTING.get(letter, 0) for letter in text), default=0) > _MOST_NESTED:
        raise QuestionRefused(
            f"the question is nested too deeply: {_MOST_NESTED} brackets within each other are the most"
        )
    with _bounded(limits), duckdb.connect() as parser:
        try:
            found = [(statement.query.strip(), statement.type.name) for statement in parser.extract_statements(text)]
        except duckdb.Error as error:
            raise QuestionRefused(_reason(error)) from None
        for question, kind in found:
            _require_select(parser, question, kind)
    if not found:
        raise QuestionRefused("there is no question: write a SELECT, `SHOW TABLES` or `DESCRIBE wagers`")
    return [question for question, _ in found]


def _require_select(parser: duckdb.DuckDBPyConnection, question: str, kind: str) -> None:
    (text,) = parser.execute("SELECT CAST(json_serialize_sql(?) AS VARCHAR)", [question]).fetchone() or ("{}",)
    try:
        tree = json.loads(text)
    except RecursionError:
        raise QuestionRefused("the question is nested too deeply") from None
    if tree.get("error"):
        raise QuestionRefused(
            f"{kind} is refused: the lake is only read, by SELECT, SHOW TABLES, DESCRIBE or SUMMARIZE"
        )
    ahead: list[Any] = [tree]
    while ahead:
        node = ahead.pop()
        if isinstance(node, list):
            ahead += node
        elif isinstance(node, dict):
            _require_reading(node)
            ahead += node.values()


def _require_reading(node: dict[str, Any]) -> None:
    if "cte_map" in node and node.get("type") not in _QUERY_NODES:
        what = str(node.get("type")).removesuffix("_QUERY_NODE")
        raise QuestionRefused(f"{what} is refused: the lake is only read")
    if node.get("type") == "BASE_TABLE" and any(mark in str(node.get("table_name")) for mark in _FILE_MARKS):
        # A file of the lake too: it may have rows of table-days that are left out.
        raise QuestionRefused(
            f"{node['table_name']} is refused: a question reads the lake's tables and measures, not files"
        )
    if node.get("type") == "TABLE_FUNCTION":
        name = str(node["function"].get("function_name", "")).lower()
        if name not in _TABLE_FUNCTIONS:
            raise QuestionRefused(f"{name}() is refused: a question reads the lake's tables and measures, not files")


@contextmanager
def answer_to(lake: Path, contents: LakeContents, question: str, limits: Limits) -> Iterator[Answer]:
    """The answer to one of :func:`questions`, over a lake's contents.

    Raises:
        QuestionRefused: it names an unknown table or column, fails on a value, or exceeds ``limits``.
        LakeUnusable: a file of the lake changed meanwhile or cannot be read.
    """
    with _bounded(limits), views(lake, contents, limits.settings()) as connection:
        marts.load(connection, contents.runs)
        try:
            # A schema of its own, so that SHOW TABLES does not list the answer.
            connection.execute("CREATE SCHEMA asked")
            connection.execute(f"CREATE TABLE asked.answer AS\n{question}\n")
            about = connection.execute("DESCRIBE asked.answer").fetchall()
            (height,) = connection.execute("SELECT count(*) FROM asked.answer").fetchone() or (0,)
            shown = ", ".join(_selected(name, kind) for name, kind, *_ in about)
            columns = tuple(name for name, *_ in about)
            figures = tuple(_column_type(kind) in _NUMBER_TYPES or kind.startswith("DECIMAL") for _, kind, *_ in about)
            require_unchanged(contents)  # before a row is given out
            yield Answer(columns, figures, height, connection.execute(f"SELECT {shown} FROM asked.answer"))  # noqa: S608 (types)
        except duckdb.InterruptException:
            raise QuestionRefused(
                f"stopped after {limits.seconds} s: ask for less, or give it more --seconds"
            ) from None
        except (duckdb.IOException, duckdb.OutOfMemoryException):
            raise
        except duckdb.Error as error:
            raise QuestionRefused(_reason(error)) from None
        except RuntimeError as error:
            if is_interrupt(error):
                raise KeyboardInterrupt from None
            raise


def _column_type(kind: str) -> str:
    return "HUGEINT" if kind.startswith("DECIMAL") and kind.endswith(",0)") else kind


def _selected(name: str, kind: str) -> str:
    column = '"' + name.replace('"', '""') + '"'
    if _column_type(kind) in _PLAIN_TYPES:
        return column if kind == _column_type(kind) else f"CAST({column} AS HUGEINT)"
    if kind in _TIME_FORMATS:
        return f"strftime({column}, '{_TIME_FORMATS[kind]}')"
    nested = kind.endswith("]") or kind.startswith(("STRUCT(", "MAP(", "UNION("))
    return f"CAST(to_json({column}) AS VARCHAR)" if nested else f"CAST({column} AS VARCHAR)"


def _reason(error: BaseException) -> str:
    """The database's error on a question, without the excerpt that shows where."""
    return " ".join(str(error).partition("\nLINE ")[0].split()) or type(error).__name__


@contextmanager
def _bounded(limits: Limits) -> Iterator[None]:
    """Limit this process's memory too: functions that make one long text allocate outside the database's limit. Raises
    QuestionRefused where the block needs more memory."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = _data_size() + ((2 * limits.memory + 1024) << 20)
    bounds = [most, *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_DATA, (min(bounds), hard))
    try:
        yield
    except (duckdb.OutOfMemoryException, MemoryError):
        given = f"{limits.memory:,} MiB of memory and {limits.spill:,} MiB of disk"
        raise QuestionRefused(f"it needs more than {given}: ask for less, or give it more --memory") from None
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data_size() -> int:
    """The bytes of this process's data segment; 0 where the system does not tell."""
    with suppress(OSError, ValueError, StopIteration):
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return 1024 * int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmData:")))
    return 0
