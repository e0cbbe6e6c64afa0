"""A database connection that sees the table-days of a lake as SQL views, and can read nothing else."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import polars as pl

from analytics.lake.contents import LakeContents
from analytics.lake.files import SPILL, LakeUnusable, NotIntact, locked, stamp_of
from producers.outputs import is_archive, is_lake
from replayer.sources.layout import gaming_days
from replayer.verdicts.tables import TABLES, TIME
from schemas.printable import printable

if TYPE_CHECKING:
    import duckdb

SQL_TYPES: Final[Mapping[pl.DataType, str]] = {
    pl.String(): "VARCHAR",
    pl.Date(): "DATE",
    pl.Int64(): "BIGINT",
    pl.Int32(): "INTEGER",
    pl.Boolean(): "BOOLEAN",
    TIME: "TIMESTAMP WITH TIME ZONE",
}
"""The type that the views give a column."""
_CLOSED: Final = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,  # or a variable of this program could be read as a table
}


def quoted(path: Path | str) -> str:
    """A text or path as an SQL literal."""
    return "'" + str(path).replace("'", "''") + "'"


Named = Callable[[Path], str]
Files = Mapping[Path, Collection[str] | None]
"""Files with rows, each with the tables whose rows are to be taken from it; None for all of it."""


def require_usable(lake: Path, archive: Path | None = None) -> None:
    """Require a path that the database can read, outside the archive, and a new lake outside every archive and other lake. Raises
    LakeUnusable where it has a wildcard or is not UTF-8, is the archive or one of its folders, or a new lake of another one,
    within another or around the archive."""
    root = lake.resolve()
    if set("*?[") & set(str(root)):
        raise LakeUnusable(f"{root}: a lake's path must hold none of * ? [")
    try:
        str(root).encode()
    except UnicodeEncodeError:
        raise LakeUnusable(f"{str(root)!r}: a lake's path must be UTF-8") from None
    if root.exists() and not root.is_dir():
        raise LakeUnusable(f"{root} is no folder: name another for the lake")
    archives, there = [archive.resolve()] if archive else [], is_lake(root)
    archives += () if there else filter(is_archive, (root, *root.parents))
    if any(_is_of(each, root) for each in archives):
        raise LakeUnusable(f"{root} is of an archive, which only ever grows: name another folder for the lake")
    if not there and (outer := next(filter(is_lake, root.parents), None)):
        raise LakeUnusable(f"{root} lies in a lake, {outer}: name another folder for the lake")
    if not there and archive and archive.resolve().is_relative_to(root):
        raise LakeUnusable(f"{root} holds the archive, {archive}: name another folder for the lake")


def _is_of(archive: Path, root: Path) -> bool:
    """Whether a folder is an archive, the folder of a gaming day in it, or a hidden folder of it."""
    if not root.is_relative_to(archive):
        return False
    inside = root.relative_to(archive).parts
    return not inside or inside[0].startswith(".") or inside[0] in map(str, gaming_days(archive))


@contextmanager
def views(
    lake: Path, contents: LakeContents, limits: Mapping[str, str | int] = MappingProxyType({})
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with a view for each table over the table-days of a lake's contents, and ``left_out`` for the others.

    Tables whose files were not checked have no rows. The connection can open the files with the rows, its private spill folder
    and nothing else; it has no network, and no statement can change these settings. ``limits`` are further ones, for memory,
    time and spill space. Raises LakeUnusable where the lake cannot be used, or one of its files changed since or cannot be read.
    """
    import duckdb  # noqa: PLC0415 - programs that only write a lake, or only read its settings, start faster without it

    require_usable(lake)
    root = lake.resolve()
    try:
        with ExitStack() as stack:
            if root.is_dir():
                stack.enter_context(locked(root))
            spill = _spill_in(root)
            stack.callback(shutil.rmtree, spill, ignore_errors=True)
            connection = stack.enter_context(duckdb.connect(config=dict(_CLOSED)))
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute(f"SET temp_directory = {quoted(spill)}")
            for setting, value in limits.items():
                connection.execute(f"SET {setting} = '{value}'")
            files = {
                name: {root / path.relative_to(lake): own for path, own in contents.files.get(name, {}).items()}
                for name in contents.tables
            }
            create_views(connection, contents, files)
            opened = [path for of_table in files.values() for path in of_table]
            connection.execute(f"SET allowed_paths = [{', '.join(map(quoted, opened))}]")
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            yield connection
            require_unchanged(contents)
    except (duckdb.IOException, duckdb.InvalidInputException) as error:  # it names the file
        require_unchanged(contents)
        said = str(error).splitlines()[0]
        raise LakeUnusable(f"the database cannot read the lake or has no room in {root}: {said}") from error


def create_views(
    connection: duckdb.DuckDBPyConnection, contents: LakeContents, files: Mapping[str, Files], named: Named = quoted
) -> None:
    """Create a view for each table over some files, none of them for no rows, and the table ``left_out`` of the table-days
    without files; ``named`` gives the SQL expression of a file's path."""
    for name, schema in TABLES.items():
        connection.execute(f"CREATE OR REPLACE VIEW {name} AS {_select(schema, files.get(name, {}), named)}")
    # A file name may be invalid UTF-8, which the database would refuse.
    left_out = [(left.gaming_day, printable(left.table_id) or None, printable(left.why)) for left in contents.left_out]
    kinds = {"gaming_day": "DATE", "table_id": "VARCHAR", "why": "VARCHAR"}
    create_table(connection, "TABLE left_out", kinds, left_out)


def create_table(
    connection: duckdb.DuckDBPyConnection, what: str, kinds: Mapping[str, str], rows: Iterable[Sequence[object]]
) -> None:
    """Create ``what``, a table with columns of some types and with these rows, in one statement for all rows."""
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in kinds]
    unnested = ", ".join(f"unnest(CAST(? AS {kind}[])) AS {name}" for name, kind in kinds.items())
    connection.execute(f"CREATE OR REPLACE {what} AS SELECT {unnested}", columns)


def _spill_in(root: Path) -> Path:
    """A private folder to spill into: in the lake, or in the system's temporary folder if the lake is read-only."""
    try:
        return Path(tempfile.mkdtemp(prefix=SPILL, dir=root))
    except OSError:
        return Path(tempfile.mkdtemp(prefix="pitaudit-"))


def require_unchanged(contents: LakeContents) -> None:
    """Check that the files have not changed since they were digested: a run may have rewritten them. Raises LakeUnusable where
    one has."""
    for file, stamp in contents.stamps.items():
        try:
            same = stamp_of(file) == stamp
        except NotIntact:
            same = False
        if not same:
            raise LakeUnusable(
                f"{file} was changed while it was read: ask again, and run its gaming day if it stays so"
            )


def _select(schema: pl.Schema, files: Files, named: Named) -> str:
    kinds = [(name, SQL_TYPES[kind]) for name, kind in schema.items()]
    if not files:
        nothing = ", ".join(f'CAST(NULL AS {kind}) AS "{name}"' for name, kind in kinds)
        return f"SELECT {nothing} WHERE false"
    # The gaming day is in the folder's name only; hive partitioning would also make columns of other folders' names.
    values = {name: f'"{name}"' for name in schema}
    values |= {"gaming_day": "regexp_extract(filename, 'gaming_day=([0-9-]{10})/[^/]*$', 1)"}
    columns = ", ".join(f'CAST({values[name]} AS {kind}) AS "{name}"' for name, kind in kinds)
    groups: dict[tuple[str, ...] | None, list[Path]] = {}
    for file, taken in files.items():
        groups.setdefault(None if taken is None else tuple(sorted(taken)), []).append(file)
    return " UNION ALL ".join(
        f"SELECT {columns} FROM read_parquet([{', '.join(map(named, group))}], filename = true, "  # noqa: S608 (quoted, our own)
        f"hive_partitioning = false)"
        + ("" if taken is None else f" WHERE table_id IN ({', '.join(map(quoted, taken))})")
        for taken, group in groups.items()
    )
