"""Where the rows of a table-day lie, and whether they are as they were written.

A night judges each table-day into files of its own, under ``LAKE/staged``. At its end they are put together into few files a
gaming day, under ``LAKE/data`` (:mod:`analytics.lake.compaction`). ``LAKE/parts/2026-01-05.json`` says which runs these hold
and what their digests are. As long as they are being replaced it names the files before and after: each is known by its digest.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from analytics.lake.files import NotHeld, is_there, read_sealed_text, read_whole, sealed, sha256_of
from analytics.lake.run import Run, Stamp, stamp_of
from replayer.verdicts.tables import TABLES

FORMAT: Final = 1
_PLACES: Final = 1024
"""Names of parts that are kept: each is asked for once for every table-day in it."""


@dataclass(frozen=True, slots=True)
class Version:
    """What a part holds: the runs, as table and digest of the run's manifest, and the SHA-256 of each table's file."""

    runs: Mapping[str, str]
    files: Mapping[str, str]


Parts = list[list[Version]]
"""The parts of a gaming day, each in the versions in which its files may be; one, unless they are being replaced."""


def parts_file(lake: Path, gaming_day: dt.date) -> Path:
    """Where it stands what the parts of a gaming day hold."""
    return lake / "parts" / f"{gaming_day.isoformat()}.json"


def data_folder(lake: Path, table: str, gaming_day: dt.date) -> Path:
    """Where the rows of a table lie, of all table-days of a gaming day."""
    return lake / "data" / table / f"gaming_day={gaming_day.isoformat()}"


@lru_cache(_PLACES)
def part_file(lake: Path, table: str, gaming_day: dt.date, number: int) -> Path:
    """A part of these rows."""
    return data_folder(lake, table, gaming_day) / f"part-{number}.parquet"


def staged_file(lake: Path, table: str, gaming_day: dt.date, table_id: str) -> Path:
    """Where the rows of one table-day lie until they are put together with the others."""
    return lake / "staged" / table / f"gaming_day={gaming_day.isoformat()}" / f"{table_id}.parquet"


def day_of(file: Path) -> dt.date:
    """The gaming day of a file with rows, which its folder's name says."""
    return dt.date.fromisoformat(file.parent.name.removeprefix("gaming_day="))


def read_parts(lake: Path, gaming_day: dt.date) -> Parts:
    """What the parts of a gaming day hold; none where none were made.

    Raises:
        NotHeld: it is not as it was written.
    """
    file = parts_file(lake, gaming_day)
    if not is_there(file):
        return []
    values, _ = read_sealed_text(file)
    try:
        said = values["format"], values["gaming_day"]
        parts = [[_version(version) for version in part] for part in values["parts"]]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise NotHeld(file, "does not say what the parts of a gaming day hold") from None
    if said != (FORMAT, gaming_day.isoformat()):
        raise NotHeld(file, f"is not of {gaming_day} in format {FORMAT}")
    return parts


def _version(values: Mapping[str, Any]) -> Version:
    runs, files = dict(values["runs"]), dict(values["files"])
    if files.keys() != TABLES.keys() or not all(isinstance(text, str) for text in (*runs.values(), *files.values())):
        raise ValueError
    return Version(runs, files)


def parts_text(gaming_day: dt.date, parts: Parts) -> str:
    """The text that :func:`read_parts` reads."""
    described = [[{"runs": dict(each.runs), "files": dict(each.files)} for each in part] for part in parts]
    return sealed({"format": FORMAT, "gaming_day": gaming_day.isoformat(), "parts": described})


@lru_cache(maxsize=1)
def _tables_by_stamp(lake: Path, gaming_day: dt.date, _: Stamp) -> frozenset[str]:
    return frozenset(
        table for versions in read_parts(lake, gaming_day) for version in versions for table in version.runs
    )


def has_rows(lake: Path, gaming_day: dt.date, table_id: str) -> bool:
    """Whether rows of a table-day lie in the lake, those of a forgotten run as well.

    Nobody can say whose rows the parts hold where what says so is not as it was written: then none are known of.
    A night asks this of each table-day that it writes: what the parts hold is read once, until somebody writes it anew.
    """
    if os.path.lexists(staged_file(lake, "table_days", gaming_day, table_id)):
        return True
    try:
        return table_id in _tables_by_stamp(lake, gaming_day, stamp_of(parts_file(lake, gaming_day)))
    except NotHeld:
        return False


@dataclass(slots=True)
class DayFiles:
    """The files of a gaming day, each digested once, however many table-days it holds. Believed as long as nobody writes.

    With ``believed`` a file that is there is taken to be as it was written, unless the parts are being replaced.
    """

    lake: Path
    gaming_day: dt.date
    stamps: dict[Path, Stamp] = field(default_factory=dict)
    parts: Parts = field(default_factory=list)
    damage: NotHeld | None = None
    believed: bool = False
    _digests: dict[Path, str | NotHeld] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            self.parts = read_parts(self.lake, self.gaming_day)
        except NotHeld as damage:
            self.damage = damage

    @property
    def tables(self) -> set[str]:
        """The tables whose rows the parts hold; none where nobody can read which."""
        return {table for versions in self.parts for version in versions for table in version.runs}

    def has(self, table_id: str) -> bool:
        """Whether rows of a table lie here, those of a forgotten run as well."""
        staged = staged_file(self.lake, "table_days", self.gaming_day, table_id)
        return os.path.lexists(staged) or any(table_id in each.runs for part in self.parts for each in part)

    def digest(self, file: Path) -> str:
        """The SHA-256 of a file.

        Raises:
            NotHeld: it cannot be read.
        """
        if file not in self._digests:
            try:
                self.stamps[file] = stamp_of(file)
                self._digests[file] = sha256_of(read_whole(file))
            except NotHeld as damage:
                self._digests[file] = damage
        digest = self._digests[file]
        if isinstance(digest, NotHeld):
            raise digest
        return digest

    def holds(self, file: Path, sha256: str) -> bool:
        """Whether a file has that digest."""
        if self.believed and all(len(versions) == 1 for versions in self.parts):
            return file.is_file()
        try:
            return self.digest(file) == sha256
        except NotHeld:
            return False

    def hold(self, run: Run, tables: Collection[str] = tuple(TABLES)) -> dict[str, Path]:
        """The file of each table in which the rows of a run lie, as it was written.

        Raises:
            NotHeld: one is not there or not as it was written.
        """
        versions = list(self._versions_with(run))
        return {name: self._file_of(run, name, versions) for name in tables}

    def _file_of(self, run: Run, name: str, versions: Sequence[tuple[int, Version]]) -> Path:
        named = None
        for number, version in versions:
            file = part_file(self.lake, name, self.gaming_day, number)
            if self.holds(file, version.files[name]):
                return file
            named = file
        staged = staged_file(self.lake, name, self.gaming_day, run.table_id)
        if self.holds(staged, run.files[name]):
            return staged
        if named is None and self.damage is not None and not is_there(staged):
            raise self.damage
        wanted = staged if named is None else named
        self.digest(wanted)
        raise NotHeld(wanted, "is not as it was written: its SHA-256 is not the one that it was written with")

    def _versions_with(self, run: Run) -> Iterator[tuple[int, Version]]:
        identity = run.identity
        for number, versions in enumerate(self.parts):
            yield from ((number, each) for each in versions if each.runs.get(run.table_id) == identity)

    def tables_in(self, file: Path, name: str) -> set[str]:
        """The tables with rows in a file that :meth:`hold` gave."""
        for number, versions in enumerate(self.parts):
            if file == part_file(self.lake, name, self.gaming_day, number):
                return set().union(*(each.runs for each in versions if self.holds(file, each.files[name])))
        return {file.stem}
