"""A cache within ``lake.duckdb`` of what it shows of each gaming day, so that a night examines only the days that changed.

A day is taken from the cache where all its files have the same names, inodes, sizes and times of change as then. A damaged day
is examined each time, since a file that a disk does not give today may be readable tomorrow.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import duckdb

from analytics.lake import contents_of, note, parts, run
from analytics.lake.contents import LAKE_DAMAGED, LeftOut
from analytics.lake.files import sealed, unsealed
from analytics.lake.note import day_file
from analytics.lake.parts import data_folder, parts_file, staged_folder
from replayer.verdicts.tables import TABLES
from schemas.finding import CODES

FORMAT: Final = 1
_READ_BY: Final = repr((FORMAT, run.FORMAT, parts.FORMAT, note.FORMAT, sorted(TABLES), sorted(CODES))).encode()
"""A program that reads other formats looks at every day anew."""
_SETTLED_NS: Final = 2_000_000_000
"""A day that changed so lately is not kept: it could change again within the same tick of its time stamps."""
_MADE: Final = "CREATE SCHEMA kept; CREATE TABLE kept.days (gaming_day DATE, stamp VARCHAR, shown VARCHAR)"

Files = Mapping[str, Mapping[str, list[str] | None]]
"""Paths in the lake by table, each with the tables whose rows are to be taken from it; None for all of it."""


@dataclass(frozen=True, slots=True)
class MadeBy:
    """The readings of doubtful texts under which a table-day was judged."""

    table_id: str
    gaming_day: dt.date
    rulings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ShownDay:
    """What is shown of a gaming day. ``rulings`` are texts of JSON, each with the tables judged under them; ``stamp`` is empty
    where the day must be looked at again."""

    gaming_day: dt.date
    files: Files
    left_out: tuple[LeftOut, ...]
    rulings: Mapping[str, list[str]]
    stamp: str = ""

    def made_by(self) -> Iterator[MadeBy]:
        """How each table of the day was judged."""
        for text, tables in self.rulings.items():
            chosen = json.loads(text)
            yield from (MadeBy(table, self.gaming_day, chosen) for table in tables)

    def to_text(self) -> str:
        """The text that :func:`kept_in` reads."""
        left = [[each.table_id, each.why, each.code] for each in self.left_out]
        return sealed({"stamp": self.stamp, "files": self.files, "left_out": left, "rulings": self.rulings}, lines=True)


def shown_day(lake: Path, day: dt.date, kept: ShownDay | None, *, trusted: bool = True) -> ShownDay:
    """What is to be shown of a gaming day: what was ``kept`` of it where it is as it was then. Unless ``believed`` its files are
    held to their digests.

    Raises:
        LakeUnusable: the lake cannot be read.
    """
    stamp = _stamp(lake, day)
    if kept is not None and stamp and kept.stamp == stamp:
        return kept
    contents = contents_of(lake, day, day, trusted=trusted)
    rulings: dict[str, list[str]] = {}
    for each in contents.runs:
        rulings.setdefault(json.dumps(each.rulings, sort_keys=True), []).append(each.table_id)
    files = {
        name: {str(file.relative_to(lake)): None if own is None else sorted(own) for file, own in of_table.items()}
        for name, of_table in contents.files.items()
    }
    whole = all(left.code != LAKE_DAMAGED.code for left in contents.left_out)
    return ShownDay(day, files, tuple(contents.left_out), rulings, stamp if whole else "")


def keep(connection: duckdb.DuckDBPyConnection, days: list[ShownDay]) -> None:
    """Put what is shown into the database, for the next night."""
    connection.execute(_MADE)
    rows = [(each.gaming_day, each.stamp, each.to_text()) for each in days if each.stamp]
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        connection.execute(
            "INSERT INTO kept.days SELECT unnest(CAST(? AS DATE[])), unnest(CAST(? AS VARCHAR[])), unnest(CAST(? AS VARCHAR[]))",
            columns,
        )


def kept_in(database: Path) -> dict[dt.date, ShownDay]:
    """What a database was made with; nothing of one that is damaged or that somebody changed."""
    if not database.is_file():
        return {}
    try:
        with duckdb.connect(str(database), read_only=True, config={"enable_external_access": False}) as connection:
            rows = connection.execute("SELECT gaming_day, shown FROM kept.days").fetchall()
    except duckdb.Error:
        return {}
    found = {}
    for day, text in rows:
        try:
            found[day] = _parsed(day, unsealed(text.encode(), lines=True))
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return found


def _parsed(day: dt.date, said: Mapping[str, Any]) -> ShownDay:
    left = tuple(LeftOut(table_id, day, why, code) for table_id, why, code in said["left_out"])
    if said["files"].keys() != TABLES.keys():
        raise ValueError
    return ShownDay(day, said["files"], left, said["rulings"], said["stamp"])


def _stamp(lake: Path, day: dt.date) -> str:
    """A digest over what the file system says of all files that speak of a gaming day; empty where it does not say, or where
    one changed but now."""
    name = day.isoformat()
    folders = [lake / folder / name for folder in ("runs", "judged", "acknowledged")]
    folders += [data_folder(lake, table, day) for table in TABLES]
    folders.append(staged_folder(lake, day))
    digest = sha256(_READ_BY + name.encode())
    newest = 0
    try:
        for stamps in (*map(_stamps_of, (day_file(lake, day), parts_file(lake, day))), *map(_listed, folders)):
            digest.update(repr(stamps).encode())
            newest = max(newest, *(changed for *_, changed in stamps), 0)
    except OSError:
        return ""
    return digest.hexdigest() if time.time_ns() - newest > _SETTLED_NS else ""


Stamps = list[tuple[str, int, int, int]]
"""Files by name: inode, size, when it was changed."""


def _stamps_of(file: Path) -> Stamps:
    try:
        about = file.stat()
    except FileNotFoundError:
        return []
    return [(file.name, about.st_ino, about.st_size, about.st_ctime_ns)]


def _listed(folder: Path) -> Stamps:
    found: Stamps = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                about = entry.stat()
                kind = stat.S_IFMT(about.st_mode)
                found.append((f"{entry.name}/{kind}", about.st_ino, about.st_size, about.st_ctime_ns))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(found)
