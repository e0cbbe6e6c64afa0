"""``lake.duckdb``: the lake's tables and measures as views, for tools that read DuckDB (``lake/README.md`` says what they see).

Each run of a gaming day replaces it atomically; unchanged days are copied from the previous one (:mod:`analytics.view_cache`).
The files are found next to the opened database, whose spill folder's name tells its own folder.
"""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import duckdb

from analytics import marts
from analytics.lake import LakeContents, LakeNotWritable, LakeUnusable, days_of
from analytics.lake.files import SPILL, write_guard
from analytics.lake.views import create_views, quoted
from analytics.view_cache import CachedDay, current_day, read_cache, write_cache
from producers.sinks.durable import write_durably
from replayer.verdicts.tables import DEFINITIONS

NAME: Final = "lake.duckdb"
_FOLDER: Final = f"""CREATE MACRO lake_folder() AS coalesce(
    getvariable('lake'),
    CASE WHEN suffix(current_setting('temp_directory'), '{NAME}.tmp')
    THEN left(current_setting('temp_directory'), -{len(NAME + ".tmp")}) ELSE $folder END)"""


def write_database(lake: Path) -> None:
    """Write ``lake.duckdb`` anew; the caller has locked the lake (:func:`analytics.lake.writing`).

    Raises:
        LakeUnusable: the lake cannot be read.
        LakeNotWritable: its disk is full, say; the database is then unchanged.
    """
    kept = read_cache(lake / NAME)
    gaming_days = days_of(lake, None, None)
    try:
        _write(lake, [current_day(lake, day, kept.get(day)) for day in gaming_days])
    except _Unreadable:  # a file was damaged since, though its time of change tells of none; the digests tell which
        _write(lake, [current_day(lake, day, None) for day in gaming_days])


class _Unreadable(LakeUnusable):
    """The database cannot read a file of the lake; the message is its error."""


def _write(lake: Path, days: list[CachedDay]) -> None:
    root, file = lake.resolve(), lake / NAME
    contents = LakeContents(left_out=[left for day in days for left in day.left_out])
    files = {
        name: {Path(path): own for day in days for path, own in day.files.get(name, {}).items()} for name in DEFINITIONS
    }
    # The next run removes the folder if this one is killed.
    with write_guard(lake), TemporaryDirectory(prefix=SPILL, dir=root) as folder:
        draft = Path(folder) / "draft.duckdb"
        try:
            with duckdb.connect() as connection:
                # In the oldest format, which every later version of DuckDB reads.
                connection.execute(f"ATTACH {quoted(draft)} AS draft (STORAGE_VERSION 'v1.0.0')")
                connection.execute("USE draft; BEGIN")
                connection.execute(_FOLDER.replace("$folder", quoted(f"{root}/")))
                marts.load(connection, (made for day in days for made in day.table_days()), persistent=True)
                try:
                    create_views(connection, contents, files, lambda path: f"lake_folder() || {quoted(path)}")
                except duckdb.Error as error:
                    raise _Unreadable(str(error).splitlines()[0]) from error
                _comment(connection)
                write_cache(connection, days)
                connection.execute("COMMIT; CHECKPOINT draft")  # DETACH would report its error on a second line
                connection.execute("USE memory; DETACH draft")
        except (duckdb.IOException, duckdb.TransactionException, duckdb.FatalException) as error:
            what = f"{str(error).splitlines()[0]}: make room there (or let it be written) and run it again"
            raise LakeNotWritable(errno.EIO, what, str(draft)) from error
        with suppress(FileNotFoundError):
            file.with_name(f"{NAME}.wal").unlink()  # of another tool's writes into the previous one
        write_durably(file, draft.read_bytes())


def _comment(connection: duckdb.DuckDBPyConnection) -> None:
    """Add the meaning of each table and column as comments, which other tools show."""
    comments = []
    for name, table in DEFINITIONS.items():
        comments.append(f"COMMENT ON VIEW {name} IS {quoted(f'One row is {table.grain}.')}")
        for column in table.columns:
            meaning = f"{column.meaning} [{column.unit}]" if column.unit else column.meaning
            comments.append(f'COMMENT ON COLUMN {name}."{column.name}" IS {quoted(meaning)}')
    connection.execute("; ".join(comments))
