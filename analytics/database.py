"""``lake.duckdb``: the lake's tables and measures as views in a file that any tool opens which speaks DuckDB.

It is made for others and derived from the rest: no question is answered from it, no digest is kept of it, and each run of a
gaming day makes it anew, whole or not at all; days that did not change since are taken from the one before
(:mod:`analytics.view_cache`). Its views name exactly the files of the table-days whose manifests hold at that moment, and its
table ``left_out`` names the others; whoever reads through it takes the bytes of those files as they are by then.

The views find the files beside the database that was opened, wherever that lies and from whichever folder it is opened: the
database's own folder is in the name of the one that it would spill into. Where it is attached to another database, that says
nothing, and the files are looked for where the lake lay when it was made, or where ``SET VARIABLE lake = '/mnt/lake/'`` says.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import duckdb

from analytics import marts
from analytics.lake import LakeContents, LakeNotWritable, LakeUnusable, days_of
from analytics.lake.files import SPILL, write_guard
from analytics.lake.views import Files, create_views, quoted
from analytics.view_cache import ShownDay, keep, kept_in, shown_day
from producers.sinks.durable import write_durably
from replayer.verdicts.tables import DEFINITIONS

NAME: Final = "lake.duckdb"
_STORAGE: Final = "v1.0.0"
"""The oldest format of the file, which every later version reads."""
_FOLDER: Final = f"""CREATE MACRO lake_folder() AS coalesce(
    getvariable('lake'),
    CASE WHEN suffix(current_setting('temp_directory'), '{NAME}.tmp')
    THEN left(current_setting('temp_directory'), -{len(NAME + ".tmp")}) ELSE $folder END)"""


def write_database(lake: Path) -> None:
    """Make ``lake.duckdb`` anew.

    The caller holds the lake (:func:`analytics.lake.writing`), so that no run writes meanwhile.

    Raises:
        LakeUnusable: the lake cannot be read.
        LakeNotWritable: its disk is full, say; the database is then as it was before.
    """
    kept = kept_in(lake / NAME)
    gaming_days = days_of(lake, None, None)
    try:
        _write(lake, [shown_day(lake, day, kept.get(day)) for day in gaming_days])
    except _Unreadable:  # a file that was taken to be as it was written is not: which one its digest tells
        try:
            _write(lake, [shown_day(lake, day, kept.get(day), trusted=False) for day in gaming_days])
        except _Unreadable:
            _write(lake, [shown_day(lake, day, None, trusted=False) for day in gaming_days])


class _Unreadable(LakeUnusable):
    """The database cannot read a file that it is to show; the message is what it says of it."""


def _write(lake: Path, days: list[ShownDay]) -> None:
    root, file = lake.resolve(), lake / NAME
    contents = LakeContents(left_out=[left for day in days for left in day.left_out])
    # The next run clears it away if this is killed.
    with write_guard(lake), TemporaryDirectory(prefix=SPILL, dir=root) as folder:
        draft = Path(folder) / "draft.duckdb"
        try:
            with duckdb.connect() as connection:
                connection.execute(f"ATTACH {quoted(draft)} AS draft (STORAGE_VERSION '{_STORAGE}')")
                connection.execute("USE draft; BEGIN")
                connection.execute(_FOLDER.replace("$folder", quoted(f"{root}/")))
                marts.load(connection, (made for day in days for made in day.made_by()), lasting=True)
                try:
                    create_views(connection, contents, _files(days), lambda path: f"lake_folder() || {quoted(path)}")
                except duckdb.Error as error:
                    raise _Unreadable(str(error).splitlines()[0]) from error
                _comment(connection)
                keep(connection, days)
                connection.execute("COMMIT; CHECKPOINT draft")  # whose trouble DETACH would tell on a second line
                connection.execute("USE memory; DETACH draft")
        except (duckdb.IOException, duckdb.TransactionException, duckdb.FatalException) as error:
            what = f"{str(error).splitlines()[0]}: make room there (or let it be written) and run it again"
            raise LakeNotWritable(errno.EIO, what, str(draft)) from error
        with suppress(FileNotFoundError):
            file.with_name(f"{NAME}.wal").unlink()  # what somebody wrote into the one before
        write_durably(file, draft.read_bytes())


def _files(days: Iterable[ShownDay]) -> dict[str, Files]:
    """The files of some days by table, as paths in the lake."""
    found: dict[str, dict[Path, frozenset[str] | None]] = {}
    for day in days:
        for name, of_table in day.files.items():
            files = found.setdefault(name, {})
            files.update((Path(path), None if own is None else frozenset(own)) for path, own in of_table.items())
    return {**found}


def _comment(connection: duckdb.DuckDBPyConnection) -> None:
    """Store the meaning of each table and column as a comment, which other tools show."""
    said = []
    for name, table in DEFINITIONS.items():
        said.append(f"COMMENT ON VIEW {name} IS {quoted(f'One row is {table.grain}.')}")
        for column in table.columns:
            meaning = f"{column.meaning} [{column.unit}]" if column.unit else column.meaning
            said.append(f'COMMENT ON COLUMN {name}."{column.name}" IS {quoted(meaning)}')
    connection.execute("; ".join(said))
