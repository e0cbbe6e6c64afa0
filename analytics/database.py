"""``lake.duckdb``: the lake's tables and measures as views, for tools that read DuckDB (``lake/README.md`` says what they see).

Each run of a gaming day replaces it atomically. It keeps the files and table-days of each gaming day, so that a night examines
only the days that changed, by the names, inodes, sizes and times of change of their files. A damaged day is examined each time:
what cannot be read today may be readable tomorrow. The files are found next to the opened database, whose spill folder's name
tells its own folder.
"""

from __future__ import annotations

import datetime as dt
import errno
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import duckdb

from analytics import marts
from analytics.lake import LakeContents, LakeUnusable, LeftOut, contents_of, days_of, note, parts, run
from analytics.lake.contents import LAKE_DAMAGED
from analytics.lake.files import SPILL, write_guard
from analytics.lake.views import create_table, create_views, quoted
from producers.sinks.durable import write_durably
from replayer.sources.safe_texts import digested_json, json_object, parsed, read_digested_json
from replayer.verdicts.tables import DEFINITIONS, TABLES
from schemas.finding import CODES

NAME: Final = "lake.duckdb"
_FOLDER: Final = f"""CREATE MACRO lake_folder() AS coalesce(
    getvariable('lake'),
    CASE WHEN suffix(current_setting('temp_directory'), '{NAME}.tmp')
    THEN left(current_setting('temp_directory'), -{len(NAME + ".tmp")}) ELSE $folder END)"""
FORMAT: Final = 2
_FORMATS: Final = repr((FORMAT, run.FORMAT, parts.FORMAT, note.FORMAT, sorted(TABLES), sorted(CODES))).encode()
"""The formats that a day was read by: a program with others examines every day again."""
_SETTLED_NS: Final = 2_000_000_000
"""A day that changed more recently is not kept: it could change again within one tick of its time stamps."""


def write_database(lake: Path) -> None:
    """Write ``lake.duckdb`` anew; the caller has locked the lake (:func:`analytics.lake.writing`).

    Raises:
        LakeUnusable: the lake cannot be read.
        LakeNotWritable: its disk is full, say; the database is then unchanged.
    """
    kept = _read_cache(lake / NAME)
    gaming_days = days_of(lake, None, None)
    try:
        _write(lake, [_current_day(lake, day, kept.get(day)) for day in gaming_days])
    except _Unreadable:  # a file was damaged since, though its time of change tells of none; the digests tell which
        _write(lake, [_current_day(lake, day, None) for day in gaming_days])


class _Unreadable(LakeUnusable):
    """The database cannot read a file of the lake; the message is its error."""


def _write(lake: Path, days: list[_CachedDay]) -> None:
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
                _write_cache(connection, days)
                connection.execute("COMMIT; CHECKPOINT draft")  # DETACH would report its error on a second line
                connection.execute("USE memory; DETACH draft")
        except (duckdb.IOException, duckdb.TransactionException, duckdb.FatalException) as error:
            why = str(error).splitlines()[0].rpartition(": ")[2]  # without its own words and the name of the draft
            raise OSError(errno.ENOSPC, why, str(file)) from error  # to which the guard adds what to do
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


# The days that it keeps


@dataclass(frozen=True, slots=True)
class _CachedDay:
    """A gaming day in the database. ``files`` are paths in the lake by table, each with the table ids whose rows are taken from
    it, None for all; ``rulings`` JSON texts, each with the tables judged under them. ``stamp`` is empty where the day must be
    examined again."""

    gaming_day: dt.date
    files: Mapping[str, Mapping[str, list[str] | None]]
    left_out: tuple[LeftOut, ...]
    rulings: Mapping[str, list[str]]
    stamp: str = ""

    def table_days(self) -> Iterator[marts.JudgedTableDay]:
        for text, tables in self.rulings.items():
            chosen = json.loads(text)
            yield from (marts.JudgedTableDay(table, self.gaming_day, chosen) for table in tables)


def _current_day(lake: Path, day: dt.date, cached: _CachedDay | None) -> _CachedDay:
    """A gaming day as the lake has it now: the ``cached`` one if its files are the same. Raises LakeUnusable where the lake
    cannot be read."""
    stamp = _stamp(lake, day)
    if cached is not None and stamp and cached.stamp == stamp:
        return cached
    contents = contents_of(lake, day, day)
    rulings: dict[str, list[str]] = {}
    for each in contents.runs:
        rulings.setdefault(json.dumps(each.rulings, sort_keys=True), []).append(each.table_id)
    files = {
        name: {str(file.relative_to(lake)): None if own is None else sorted(own) for file, own in of_table.items()}
        for name, of_table in contents.files.items()
    }
    intact = all(left.code != LAKE_DAMAGED for left in contents.left_out)
    return _CachedDay(day, files, tuple(contents.left_out), rulings, stamp if intact else "")


def _write_cache(connection: duckdb.DuckDBPyConnection, days: list[_CachedDay]) -> None:
    rows = ((each.gaming_day, each.stamp, digested_json(json_object(each), line=True)) for each in days if each.stamp)
    connection.execute("CREATE SCHEMA kept")
    create_table(connection, "TABLE kept.days", {"gaming_day": "DATE", "stamp": "VARCHAR", "shown": "VARCHAR"}, rows)


def _read_cache(database: Path) -> dict[dt.date, _CachedDay]:
    """The cache in a database; empty where it is missing, damaged or was changed."""
    if not database.is_file():
        return {}
    try:
        with duckdb.connect(str(database), read_only=True, config={"enable_external_access": False}) as connection:
            rows = connection.execute("SELECT shown FROM kept.days").fetchall()
    except duckdb.Error:
        return {}
    found = {}
    for (text,) in rows:
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            day = parsed(_CachedDay, read_digested_json(text.encode(), line=True))
            found[day.gaming_day] = day
    return found


def _stamp(lake: Path, day: dt.date) -> str:
    """A digest over names, inodes, sizes and times of change of all files of a gaming day; empty where one cannot be looked at or
    changed just now."""
    name = day.isoformat()
    folders = [lake / folder / name for folder in ("runs", "judged", "acknowledged")]
    folders += [parts.data_folder(lake, table, day) for table in TABLES]
    folders.append(parts.staged_folder(lake, day))
    try:
        stamps = [_stamp_of(file) for file in (note.day_file(lake, day), parts.parts_file(lake, day)) if file.exists()]
        for folder in folders:
            with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
                stamps += sorted(map(_stamp_of, entries))
    except OSError:
        return ""
    newest = max((changed for *_, changed in stamps), default=0)
    digest = sha256(_FORMATS + repr((name, stamps)).encode())
    return digest.hexdigest() if time.time_ns() - newest > _SETTLED_NS else ""


def _stamp_of(file: Path | os.DirEntry[str]) -> tuple[str, int, int, int]:
    about = file.stat()
    return file.name, about.st_ino, about.st_size, about.st_ctime_ns
