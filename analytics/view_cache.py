"""Caches in ``lake.duckdb`` the files and table-days of each gaming day, so that a night examines only the days that changed, by
the names, inodes, sizes and times of change of their files. A damaged day is examined each time: what cannot be read today may
be readable tomorrow.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import duckdb

from analytics.lake import contents_of, note, parts, run
from analytics.lake.contents import LAKE_DAMAGED, LeftOut
from analytics.lake.note import day_file
from analytics.lake.parts import data_folder, parts_file, staged_folder
from analytics.lake.views import create_table
from analytics.marts import JudgedTableDay
from replayer.sources.safe_texts import digested_json, json_object, parsed, read_digested_json
from replayer.verdicts.tables import TABLES
from schemas.finding import CODES

FORMAT: Final = 2
_FORMATS: Final = repr((FORMAT, run.FORMAT, parts.FORMAT, note.FORMAT, sorted(TABLES), sorted(CODES))).encode()
"""The formats that a day was read by: a program with others examines every day again."""
_SETTLED_NS: Final = 2_000_000_000
"""A day that changed more recently is not cached: it could change again within one tick of its time stamps."""

Files = Mapping[str, Mapping[str, list[str] | None]]
"""Paths in the lake by table, each with the table ids whose rows are taken from it; None for all."""


@dataclass(frozen=True, slots=True)
class CachedDay:
    """A gaming day in the database. ``rulings`` are JSON texts, each with the tables judged under them; ``stamp`` is empty where
    the day must be examined again."""

    gaming_day: dt.date
    files: Files
    left_out: tuple[LeftOut, ...]
    rulings: Mapping[str, list[str]]
    stamp: str = ""

    def table_days(self) -> Iterator[JudgedTableDay]:
        """Each table-day with its readings."""
        for text, tables in self.rulings.items():
            chosen = json.loads(text)
            yield from (JudgedTableDay(table, self.gaming_day, chosen) for table in tables)


def current_day(lake: Path, day: dt.date, cached: CachedDay | None) -> CachedDay:
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
    return CachedDay(day, files, tuple(contents.left_out), rulings, stamp if intact else "")


def write_cache(connection: duckdb.DuckDBPyConnection, days: list[CachedDay]) -> None:
    """Write the cache into the database, for the next night."""
    rows = ((each.gaming_day, each.stamp, digested_json(json_object(each), line=True)) for each in days if each.stamp)
    connection.execute("CREATE SCHEMA kept")
    create_table(connection, "TABLE kept.days", {"gaming_day": "DATE", "stamp": "VARCHAR", "shown": "VARCHAR"}, rows)


def read_cache(database: Path) -> dict[dt.date, CachedDay]:
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
            day = parsed(CachedDay, read_digested_json(text.encode(), line=True))
            found[day.gaming_day] = day
    return found


def _stamp(lake: Path, day: dt.date) -> str:
    """A digest over names, inodes, sizes and times of change of all files of a gaming day; empty where one cannot be looked at or
    changed just now."""
    name = day.isoformat()
    folders = [lake / folder / name for folder in ("runs", "judged", "acknowledged")]
    folders += [data_folder(lake, table, day) for table in TABLES]
    folders.append(staged_folder(lake, day))
    try:
        stamps = [_stamp_of(file) for file in (day_file(lake, day), parts_file(lake, day)) if file.exists()]
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
