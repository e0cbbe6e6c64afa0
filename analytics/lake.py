"""The lake: verdicts as Parquet files, one file a table and table-day, and a connection that sees them as SQL views.

===================================  =============================================================================
``LAKE/wagers/2026-01-05/T1.parquet``  a table of ``replayer.verdict.TABLES`` for one table-day
``LAKE/runs/2026-01-05/T1.json``       the run that made them; written last, so without it there is no table-day
``LAKE/days/2026-01-05.json``          what concerns the whole gaming day: quarantine, damage, gaps between days
===================================  =============================================================================

A rewrite takes the run's manifest away first. A crash leaves a table-day without one: nobody reads it and the next run
writes it anew.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import duckdb
import polars as pl

from analytics.pseudonyms import pseudonymised
from replayer.replay import Replayed
from replayer.sources.archive import (
    TableDayDamaged,
    TableDayRef,
    claimed,
    numbers_elsewhere,
    read_columns,
    read_manifests,
    read_sealed,
)
from replayer.sources.layout import require_table_id
from replayer.verdict import TABLES
from schemas.finding import CODES, Finding
from schemas.identity import Pseudonyms

FORMAT: Final = 2
_SPILL: Final = ".spill"
_GLOB: Final = frozenset("*?[")
_SQL_TYPES: Final[Mapping[pl.DataType, str]] = {
    pl.String(): "VARCHAR",
    pl.Date(): "DATE",
    pl.Int64(): "BIGINT",
    pl.Int32(): "INTEGER",
}


class LakeUnusable(RuntimeError):
    """The folder is no lake that can be read; the message says which file and what to do."""


@dataclass(frozen=True, slots=True)
class Pins:
    """All that verdicts depend on besides the log.

    Attributes:
        program: version of the program.
        rules_digest: digest of the rules' source.
        rulings: readings and other settings chosen, by name.
        pseudonyms: what becomes of player ids; None keeps them as they are.
    """

    program: str
    rules_digest: str
    rulings: Mapping[str, str] = field(default_factory=dict)
    pseudonyms: Pseudonyms | None = field(default_factory=Pseudonyms.from_environment)

    def to_dict(self) -> dict[str, Any]:
        """As it stands in a run's manifest: the pseudonyms' key is told by its print only."""
        players = "identities" if self.pseudonyms is None else f"pseudonyms:{self.pseudonyms.print}"
        return {
            "program": self.program,
            "rules_digest": self.rules_digest,
            "rulings": dict(sorted(self.rulings.items())),
            "players": players,
        }


@dataclass(frozen=True, slots=True)
class Run:
    """A run's manifest: which log under which pins gave which verdicts, and how large their files are.

    ``elsewhere`` counts the numbers that the log leaves out and other gaming days held by then.
    """

    table_id: str
    gaming_day: dt.date
    container_sha256: str
    pins: Mapping[str, Any]
    digest: str
    bytes: Mapping[str, int]
    elsewhere: int = 0

    def to_json(self) -> str:
        """The manifest's text."""
        values = {
            "format": FORMAT,
            "table_id": self.table_id,
            "gaming_day": self.gaming_day.isoformat(),
            "container_sha256": self.container_sha256,
            "pins": dict(self.pins),
            "digest": self.digest,
            "bytes": dict(self.bytes),
            "elsewhere": self.elsewhere,
        }
        return json.dumps(values, indent=2, sort_keys=True) + "\n"


@dataclass(frozen=True, slots=True)
class DayNote:
    """What concerns a gaming day as a whole and no table-day can say.

    ``quarantined`` counts messages that could not be taken; ``damaged`` maps tables that could not be read to why;
    ``between`` holds findings between table-days (missing numbers).
    """

    quarantined: int = 0
    damaged: Mapping[str, str] = field(default_factory=dict)
    between: tuple[Finding, ...] = ()


def table_file(lake: Path, table: str, gaming_day: dt.date, table_id: str) -> Path:
    """Where a table of a table-day lies."""
    return lake / table / gaming_day.isoformat() / f"{table_id}.parquet"


def run_file(lake: Path, gaming_day: dt.date, table_id: str) -> Path:
    """Where the manifest of a table-day's run lies."""
    return lake / "runs" / gaming_day.isoformat() / f"{table_id}.json"


def _day_file(lake: Path, gaming_day: dt.date) -> Path:
    return lake / "days" / f"{gaming_day.isoformat()}.json"


def write(lake: Path, replayed: Replayed, pins: Pins) -> Run:
    """Put a table-day's verdicts into the lake, in place of earlier ones.

    Raises:
        TableIdRefused: the table id could not stand in a path.
        OSError: the disk failed; the table-day is then absent, all others are as they were.
    """
    require_table_id(replayed.table_id)
    forget(lake, replayed.gaming_day, replayed.table_id)
    sizes: dict[str, int] = {}
    for name, frame in replayed.tables().items():
        path = table_file(lake, name, replayed.gaming_day, replayed.table_id)
        kept = frame if pins.pseudonyms is None else pseudonymised(frame, pins.pseudonyms)
        _replace(path, kept.match_to_schema(TABLES[name]).write_parquet)
        sizes[name] = path.stat().st_size
    run = Run(
        replayed.table_id,
        replayed.gaming_day,
        replayed.table_days["container_sha256"][0],
        pins.to_dict(),
        replayed.digest,
        sizes,
        replayed.elsewhere,
    )
    _replace_text(run_file(lake, run.gaming_day, run.table_id), run.to_json())
    return run


@dataclass(frozen=True, slots=True)
class LakeWriter:
    """Writes what it is given into a lake; travels to worker processes (``replayer.run.Keep``)."""

    lake: Path
    pins: Pins

    def __call__(self, replayed: Replayed) -> None:
        """Write one table-day."""
        write(self.lake, replayed, self.pins)


def forget(lake: Path, gaming_day: dt.date, table_id: str) -> None:
    """Take a table-day out of sight: its log was found damaged, say. Its files stay until they are written again."""
    manifest = run_file(lake, gaming_day, table_id)
    if manifest.exists():
        manifest.unlink(missing_ok=True)  # another run of the same day may be quicker
        _sync_folder(manifest.parent)


def is_current(lake: Path, ref: TableDayRef, pins: Pins) -> bool:
    """Whether the lake holds a table-day's verdicts made from these very bytes under these very pins.

    The containers are digested, not only their manifests believed: damage since the last run makes a run necessary.
    """
    run = read_run(lake, ref.gaming_day, ref.table_id)
    if run is None or run.pins != pins.to_dict() or run.bytes.keys() != TABLES.keys():
        return False
    for name, size in run.bytes.items():
        path = table_file(lake, name, ref.gaming_day, ref.table_id)
        if not path.is_file() or path.stat().st_size != size:
            return False
    try:
        manifests = read_manifests(ref)
        for part in manifests:
            read_sealed(part, ref.archive)
        first, last, count = claimed(manifests)
        elsewhere = 0 if count == last - first + 1 else len(numbers_elsewhere(ref, read_columns(ref)))
    except TableDayDamaged:
        return False
    return manifests[-1].sha256 == run.container_sha256 and elsewhere == run.elsewhere


def read_run(lake: Path, gaming_day: dt.date, table_id: str) -> Run | None:
    """The manifest of a table-day's run; None where there is none or none that can be read (it is then run again)."""
    try:
        values = json.loads(run_file(lake, gaming_day, table_id).read_text(encoding="utf-8"))
        if values.pop("format") != FORMAT:
            return None
        values["gaming_day"] = dt.date.fromisoformat(values["gaming_day"])
        return Run(**values)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def runs(lake: Path, first: dt.date | None = None, last: dt.date | None = None) -> list[Run]:
    """The runs of all whole table-days between two gaming days, both included, by day and table."""
    found = []
    for path in sorted((lake / "runs").glob("*/*.json")):
        try:
            day = dt.date.fromisoformat(path.parent.name)
        except ValueError:
            continue
        if (first is None or day >= first) and (last is None or day <= last):
            run = read_run(lake, day, path.stem)
            if run is not None:
                found.append(run)
    return found


def tables_of(lake: Path, gaming_day: dt.date) -> set[str]:
    """Every table that ever had verdicts of a gaming day in the lake, forgotten ones as well."""
    return {path.stem for path in (lake / "table_days" / gaming_day.isoformat()).glob("[!.]*.parquet")}


def note_day(lake: Path, gaming_day: dt.date, note: DayNote) -> None:
    """Keep a day's note, in place of an earlier one."""
    between = [
        {"code": f.code, "table_id": f.table_id, "seq": f.seq, "message": f.message}
        for f in note.between
        if f.gaming_day == gaming_day
    ]
    values = {
        "format": FORMAT,
        "quarantined": note.quarantined,
        "damaged": dict(sorted(note.damaged.items())),
        "between": between,
    }
    _replace_text(_day_file(lake, gaming_day), json.dumps(values, indent=2, ensure_ascii=False) + "\n")


def read_note(lake: Path, gaming_day: dt.date) -> DayNote | None:
    """A day's note; None where none was made.

    Raises:
        LakeUnusable: it cannot be read.
    """
    path = _day_file(lake, gaming_day)
    if not path.exists():
        return None
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        between = tuple(
            Finding(f["code"], f["table_id"], gaming_day, f["seq"], message=f["message"]) for f in values["between"]
        )
        note = DayNote(values["quarantined"], values["damaged"], between)
    except (ValueError, KeyError, TypeError) as error:
        raise LakeUnusable(f"{path}: no note of a gaming day ({error!r}); run the day again") from None
    unknown = sorted({finding.code for finding in between} - CODES.keys())
    if unknown:
        raise LakeUnusable(f"{path}: finding codes {', '.join(unknown)} are not known; run the day again")
    return note


@contextmanager
def connect(
    lake: Path, first: dt.date | None = None, last: dt.date | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with a view for each table of ``replayer.verdict.TABLES``, over whole table-days only.

    It reads the lake's folder and nothing else, and fetches nothing. An empty lake gives empty views.

    Raises:
        LakeUnusable: the path holds a wildcard, or a whole table-day lacks a file or has a damaged one.
    """
    root = lake.resolve()
    if _GLOB & set(str(root)):
        raise LakeUnusable(f"{root}: a lake's path must hold none of * ? [")
    connection = duckdb.connect(config={"autoinstall_known_extensions": False, "autoload_known_extensions": False})
    try:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"SET temp_directory = {_quoted(root / _SPILL)}")
        present = runs(root, first, last)
        for name, schema in TABLES.items():
            files = [table_file(root, name, run.gaming_day, run.table_id) for run in present]
            missing = next((file for file in files if not file.is_file()), None)
            if missing is not None:
                raise LakeUnusable(f"{missing} is missing: run that table-day again")
            connection.execute(f"CREATE VIEW {name} AS {_select(schema, files)}")
        connection.execute(f"SET allowed_directories = [{_quoted(root)}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection
    except (duckdb.IOException, duckdb.InvalidInputException) as error:  # it names the file
        said = str(error).splitlines()[0]
        raise LakeUnusable(f"a file of the lake cannot be read, run its gaming day again: {said}") from error
    finally:
        connection.close()


def _select(schema: pl.Schema, files: list[Path]) -> str:
    kinds = [(name, _SQL_TYPES[kind]) for name, kind in schema.items()]
    if not files:
        nothing = ", ".join(f'CAST(NULL AS {kind}) AS "{name}"' for name, kind in kinds)
        return f"SELECT {nothing} WHERE false"
    columns = ", ".join(f'CAST("{name}" AS {kind}) AS "{name}"' for name, kind in kinds)
    return f"SELECT {columns} FROM read_parquet([{', '.join(map(_quoted, files))}])"  # noqa: S608 (quoted, our own)


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _replace(path: Path, fill: Callable[[Path], object]) -> None:
    """Write a file so that it is there whole or not at all, also after a power cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fill(draft)
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _replace_text(path: Path, text: str) -> None:
    _replace(path, lambda draft: draft.write_text(text, encoding="utf-8"))


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
