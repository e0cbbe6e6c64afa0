"""Finds the files that have the rows of a table-day, and checks that they are intact.

A night writes the table-days in batches, each as files under ``LAKE/staged`` with a note, whose digest names the batch, of its
runs and the files' digests. At its end they are merged into a few files a gaming day under ``LAKE/data``
(:mod:`analytics.lake.compaction`); a batch as large as a part is written as one, and only moved. ``LAKE/parts`` has their runs
and digests, both old and new while files are being replaced.
"""

from __future__ import annotations

import datetime as dt
import io
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Final

import polars as pl

from analytics.lake.files import NotIntact, Stamp, is_there, read_note_file, read_whole, sha256_of, stamp_of
from analytics.lake.run import Run, run_file
from replayer.sources.safe_files import listed
from replayer.sources.safe_texts import digested_json, parsed
from replayer.verdicts.tables import TABLES

FORMAT: Final = 1
_ROW_GROUP: Final = 1 << 16
_CACHED_PATHS: Final = 1024
"""Cached paths: each is needed once for every table-day in the file."""


@dataclass(frozen=True, slots=True)
class Version:
    """The content of a part: its runs, as table and digest of the run's manifest, and the SHA-256 of each table's file."""

    runs: Mapping[str, str]
    files: Mapping[str, str]


Parts = list[list[Version]]
"""The parts of a gaming day, each with the versions that its files may have; one, unless they are being replaced."""


def parts_file(lake: Path, gaming_day: dt.date) -> Path:
    """The file that tells the content of a gaming day's parts."""
    return lake / "parts" / f"{gaming_day.isoformat()}.json"


def data_folder(lake: Path, table: str, gaming_day: dt.date) -> Path:
    """The folder of a table's rows of a gaming day."""
    return lake / "data" / table / f"gaming_day={gaming_day.isoformat()}"


def staged_folder(lake: Path, gaming_day: dt.date) -> Path:
    """The folder of the batches of a gaming day that are not merged yet."""
    return lake / "staged" / f"gaming_day={gaming_day.isoformat()}"


@lru_cache(_CACHED_PATHS)
def part_file(lake: Path, table: str, gaming_day: dt.date, place: int | str) -> Path:
    """The file of a table's rows of a gaming day: of a part by its number, of a batch that is not merged yet by its name."""
    if isinstance(place, int):
        return data_folder(lake, table, gaming_day) / f"part-{place}.parquet"
    return staged_folder(lake, gaming_day) / f"{place}-{table}.parquet"


def day_of(file: Path) -> dt.date:
    """The gaming day of a file with rows, by its folder's name."""
    return dt.date.fromisoformat(file.parent.name.removeprefix("gaming_day="))


def read_parts(file: Path, gaming_day: dt.date) -> Parts:
    """The parts of a gaming day, or of a batch, by a file; none where there is no such file. Raises NotIntact where it is
    damaged."""
    if not is_there(file):
        return []
    values, _ = read_note_file(file)
    try:
        said = values["format"], values["gaming_day"]
        parts = parsed(Parts, values["parts"])
        if any(version.files.keys() != TABLES.keys() for version in chain.from_iterable(parts)):
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise NotIntact(file, "does not say what the parts of a gaming day hold") from None
    if said != (FORMAT, gaming_day.isoformat()):
        raise NotIntact(file, f"is not of {gaming_day} in format {FORMAT}")
    return parts


def runs_of(part: Iterable[Run]) -> dict[str, str]:
    """The runs of a part or batch, as its file names them: table and digest of the manifest."""
    return {run.table_id: run.identity for run in part}


def packed(rows: pl.LazyFrame, *, lasting: bool) -> bytes:
    """Some rows as a Parquet file: of a part, or else of a batch, which is read once: better compression takes more time than it
    saves."""
    out = io.BytesIO()
    if lasting:
        rows.sink_parquet(out, compression="zstd", row_group_size=_ROW_GROUP)
    else:
        rows.sink_parquet(out, compression="lz4", statistics=False)
    return out.getvalue()


def parts_text(gaming_day: dt.date, parts: Parts) -> str:
    """The text that :func:`read_parts` reads."""
    described = [list(map(asdict, part)) for part in parts]
    return digested_json({"format": FORMAT, "gaming_day": gaming_day.isoformat(), "parts": described})


@dataclass(slots=True)
class DayFiles:
    """The files of a gaming day, each digested once, however many table-days it has. Valid as long as nobody writes.

    Attributes:
        stamps: the files' stamps at the time they were digested.
        damage: why the content of some file is unknown; None where all is known.
    """

    lake: Path
    gaming_day: dt.date
    stamps: dict[Path, Stamp] = field(default_factory=dict)
    parts: Parts = field(default_factory=list)
    damage: NotIntact | None = None
    _digests: dict[Path, str | NotIntact] = field(default_factory=dict)
    # Of each part by number, and of each batch by name.
    _versions: list[tuple[int | str, Version]] = field(default_factory=list)
    _versions_of_run: dict[tuple[str, str], list[tuple[int | str, Version]]] = field(default_factory=dict)
    _versions_in: dict[str, defaultdict[Path, list[Version]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            self.parts = read_parts(parts_file(self.lake, self.gaming_day), self.gaming_day)
        except NotIntact as damage:
            self.damage = damage
        self._versions = [(number, each) for number, versions in enumerate(self.parts) for each in versions]
        for note in listed(staged_folder(self.lake, self.gaming_day), "*.json"):
            try:
                batch = read_parts(note, self.gaming_day)
                self._versions += [(note.stem, version) for version in chain.from_iterable(batch)]
            except NotIntact as damage:
                self.damage = self.damage or damage
        for place, version in self._versions:
            for run in version.runs.items():
                self._versions_of_run.setdefault(run, []).append((place, version))

    def file(self, name: str, place: int | str) -> Path:
        """The file of a table's rows in a place, as :func:`part_file` has it."""
        return part_file(self.lake, name, self.gaming_day, place)

    @property
    def tables(self) -> set[str]:
        """The tables with rows in these files, including those of forgotten runs; none where that cannot be read."""
        return {table_id for table_id, _ in self._versions_of_run}

    def digest(self, file: Path) -> str:
        """The SHA-256 of a file; raises NotIntact where it cannot be read."""
        if file not in self._digests:
            try:
                self.stamps[file] = stamp_of(file)
                self._digests[file] = sha256_of(read_whole(file))
            except NotIntact as damage:
                self._digests[file] = damage
        digest = self._digests[file]
        if isinstance(digest, NotIntact):
            raise digest
        return digest

    def is_intact(self, file: Path, sha256: str) -> bool:
        """Whether a file has that digest."""
        try:
            return self.digest(file) == sha256
        except NotIntact:
            return False

    def place_of(self, runs: Mapping[str, str], part: int, *, or_batch: bool) -> tuple[int | str, Version] | None:
        """Where exactly these runs lie, intact: in that part or, with ``or_batch``, in a batch; None where they do not."""
        for place, version in self._versions:
            if version.runs == runs and (place == part or (or_batch and isinstance(place, str))):
                files = [(self.file(name, place), version.files[name]) for name in TABLES]
                if all(self.is_intact(*file) for file in files):
                    return place, version
        return None

    def files_of(self, run: Run, tables: Collection[str] = tuple(TABLES)) -> dict[str, Path]:
        """The intact file of each table with the rows of a run; raises NotIntact where one is missing or damaged."""
        versions = self._versions_of_run.get((run.table_id, run.identity), [])
        if not versions:
            manifest = run_file(self.lake, self.gaming_day, run.table_id)
            raise self.damage or NotIntact(manifest, "is of a run whose rows do not lie in the lake")
        return {name: self._file_of(name, versions) for name in tables}

    def _file_of(self, name: str, versions: Sequence[tuple[int | str, Version]]) -> Path:
        files = [(self.file(name, place), version.files[name]) for place, version in versions]
        for file, sha256 in files:
            if self.is_intact(file, sha256):
                return file
        file = files[0][0]
        self.digest(file)
        raise NotIntact(file, "is not as it was written: its SHA-256 is not the one that it was written with")

    def tables_in(self, file: Path, name: str) -> set[str]:
        """The tables with rows in a file that :meth:`files_of` gave."""
        if name not in self._versions_in:
            versions_in = self._versions_in[name] = defaultdict(list)
            for place, version in self._versions:
                versions_in[self.file(name, place)].append(version)
        versions = self._versions_in[name][file]
        return set().union(*(each.runs for each in versions if self.is_intact(file, each.files[name])))
