"""A connection that sees the table-days of a lake as SQL views, and reads nothing else."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from analytics.lake.files import SPILL, LakeUnusable, NotHeld, in_use
from analytics.lake.holding import Holding, hold_days
from analytics.lake.run import run_file, stamp_of
from replayer.verdict import TABLES, TIME

SQL_TYPES: Final[Mapping[pl.DataType, str]] = {
    pl.String(): "VARCHAR",
    pl.Date(): "DATE",
    pl.Int64(): "BIGINT",
    pl.Int32(): "INTEGER",
    pl.Boolean(): "BOOLEAN",
    TIME: "TIMESTAMP WITH TIME ZONE",
}
"""The type that the views give a column."""
_GLOB: Final = frozenset("*?[")


def require_usable(lake: Path, archive: Path | None = None) -> None:
    """Hold a lake's path to what a database can read, and apart from the archive.

    Raises:
        LakeUnusable: it holds a wildcard or is no UTF-8, or it is the archive's.
    """
    root = lake.resolve()
    if _GLOB & set(str(root)):
        raise LakeUnusable(f"{root}: a lake's path must hold none of * ? [")
    try:
        str(root).encode()
    except UnicodeEncodeError:
        raise LakeUnusable(f"{str(root)!r}: a lake's path must be UTF-8") from None
    if root.exists() and not root.is_dir():
        raise LakeUnusable(f"{root} is no folder: name another for the lake")
    if archive is not None and archive.resolve() == root:
        raise LakeUnusable(f"{root} is the archive, which only ever grows: name another folder for the lake")


@contextmanager
def connect(
    lake: Path, first: dt.date | None = None, last: dt.date | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with a view for each table of ``replayer.verdict.TABLES``, over whole table-days only.

    An empty lake gives empty views. A table-day whose run was not finished is not seen; :func:`hold_days` tells of it.

    Raises:
        LakeUnusable: the lake cannot be used, or a file of a whole table-day is not as it was written.
    """
    require_usable(lake)
    held = hold_days(lake, first, last)
    for left in held.left_out:
        if left.table_id and os.path.lexists(run_file(lake, left.gaming_day, left.table_id)):
            raise LakeUnusable(f"a file of the lake cannot be read, run its gaming day again: {left.why}")
    with views(lake, held) as connection:
        yield connection


@contextmanager
def views(lake: Path, held: Holding) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with views over the table-days that a lake holds, for the tables that were held to their digests.

    It reads the lake's folder and nothing else, and fetches nothing.

    Raises:
        LakeUnusable: the lake cannot be used, or one of its files changed since or cannot be read.
    """
    require_usable(lake)
    root = lake.resolve()
    spill = root / f"{SPILL}{uuid.uuid4().hex}"
    connection = duckdb.connect(config={"autoinstall_known_extensions": False, "autoload_known_extensions": False})
    try:
        with ExitStack() as stack:
            if root.is_dir():
                stack.enter_context(in_use(root))
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute(f"SET temp_directory = {_quoted(spill)}")
            for name in held.tables:
                files = {root / file.relative_to(lake): taken for file, taken in held.files.get(name, {}).items()}
                connection.execute(f"CREATE VIEW {name} AS {_select(TABLES[name], files)}")
            connection.execute(f"SET allowed_directories = [{_quoted(root)}]")
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            yield connection
            _unchanged(held)
    except (duckdb.IOException, duckdb.InvalidInputException) as error:  # it names the file
        _unchanged(held)
        said = str(error).splitlines()[0]
        raise LakeUnusable(f"the database cannot read the lake or has no room in {root}: {said}") from error
    finally:
        connection.close()
        shutil.rmtree(spill, ignore_errors=True)


def _unchanged(held: Holding) -> None:
    """Hold the files to the moment at which they had their digests: a run may have written them anew meanwhile.

    Raises:
        LakeUnusable: one was changed.
    """
    for file, stamp in held.stamps.items():
        try:
            same = stamp_of(file) == stamp
        except NotHeld:
            same = False
        if not same:
            raise LakeUnusable(
                f"{file} was changed while it was read: ask again, and run its gaming day if it stays so"
            )


def _select(schema: pl.Schema, files: Mapping[Path, frozenset[str] | None]) -> str:
    """The rows of some files, each with the tables whose rows are to be taken from it; None for all."""
    kinds = [(name, SQL_TYPES[kind]) for name, kind in schema.items()]
    if not files:
        nothing = ", ".join(f'CAST(NULL AS {kind}) AS "{name}"' for name, kind in kinds)
        return f"SELECT {nothing} WHERE false"
    # The gaming day stands in the folder's name alone, and no other folder's name may pass for a column.
    said = {"gaming_day": "regexp_extract(filename, 'gaming_day=([0-9-]{10})/[^/]*$', 1)"}
    columns = ", ".join(f'CAST({said.get(name, _name(name))} AS {kind}) AS "{name}"' for name, kind in kinds)
    groups: dict[frozenset[str] | None, list[Path]] = {}
    for file, taken in files.items():
        groups.setdefault(taken, []).append(file)
    return " UNION ALL ".join(
        f"SELECT {columns} FROM read_parquet([{', '.join(map(_quoted, group))}], filename = true, "  # noqa: S608 (quoted, our own)
        f"hive_partitioning = false)"
        + ("" if taken is None else f" WHERE table_id IN ({', '.join(map(_text, sorted(taken)))})")
        for taken, group in groups.items()
    )


def _name(column: str) -> str:
    return f'"{column}"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _quoted(path: Path) -> str:
    return _text(str(path))
