"""Where the rows of a table-day lie, and whether they are as they were written.

A night judges some table-days at a time into files of their own, under ``LAKE/staged``, with a note of which runs they hold and
what their digests are; a batch bears the name of its note's digest. At its end they are put together into few files a gaming day,
under ``LAKE/data`` (:mod:`analytics.lake.compaction`), of which ``LAKE/parts/2026-01-05.json`` says the same. As long as they are
being replaced it names the files before and after: each is known by its digest.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Final

from analytics.lake.files import NotHeld, Stamp, is_there, read_sealed_text, read_whole, sealed, sha256_of, stamp_of
from analytics.lake.run import Run, run_file
from replayer.sources.safe_files import listed
from replayer.verdicts.tables import TABLES

FORMAT: Final = 1
_PLACES: Final = 1024
"""File names cached: each is needed once for every table-day in it."""


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


def staged_folder(lake: Path, gaming_day: dt.date) -> Path:
    """Where table-days lie until they are put together with the others of their gaming day."""
    return lake / "staged" / f"gaming_day={gaming_day.isoformat()}"


@lru_cache(_PLACES)
def staged_file(lake: Path, table: str, gaming_day: dt.date, batch: str) -> Path:
    """Where the rows of the table-days of a batch lie."""
    return staged_folder(lake, gaming_day) / f"{batch}-{table}.parquet"


def staged_note(lake: Path, gaming_day: dt.date, batch: str) -> Path:
    """Where it stands which runs a batch holds, and what its files' digests are."""
    return staged_folder(lake, gaming_day) / f"{batch}.json"


def day_of(file: Path) -> dt.date:
    """The gaming day of a file with rows, which its folder's name says."""
    return dt.date.fromisoformat(file.parent.name.removeprefix("gaming_day="))


def read_parts(file: Path, gaming_day: dt.date) -> Parts:
    """What a file says of the parts of a gaming day, or of a batch; none where there is no such file.

    Raises:
        NotHeld: it is not as it was written.
    """
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


def runs_of(part: Iterable[Run]) -> dict[str, str]:
    """Some runs by which a part or a batch names them."""
    return {run.table_id: run.identity for run in part}


def parts_text(gaming_day: dt.date, parts: Parts) -> str:
    """The text that :func:`read_parts` reads."""
    described = [[{"runs": dict(each.runs), "files": dict(each.files)} for each in part] for part in parts]
    return sealed({"format": FORMAT, "gaming_day": gaming_day.isoformat(), "parts": described})


@dataclass(slots=True)
class DayFiles:
    """The files of a gaming day, each digested once, however many table-days it holds. Believed as long as nobody writes.

    ``staged`` are the batches by name. With ``believed`` a file that is there is taken to be as it was written, unless the parts
    are being replaced.
    """

    lake: Path
    gaming_day: dt.date
    stamps: dict[Path, Stamp] = field(default_factory=dict)
    parts: Parts = field(default_factory=list)
    staged: dict[str, Version] = field(default_factory=dict)
    damage: NotHeld | None = None
    believed: bool = False
    _digests: dict[Path, str | NotHeld] = field(default_factory=dict)
    _holders: dict[tuple[str, str], list[tuple[int | str, Version]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            self.parts = read_parts(parts_file(self.lake, self.gaming_day), self.gaming_day)
        except NotHeld as damage:
            self.damage = damage
        for note in listed(staged_folder(self.lake, self.gaming_day), "*.json"):
            try:
                for version in chain.from_iterable(read_parts(note, self.gaming_day)):
                    self.staged[note.stem] = version
            except NotHeld as damage:
                self.damage = self.damage or damage
        for place, version in self._versions():
            for run in version.runs.items():
                self._holders.setdefault(run, []).append((place, version))

    def _versions(self) -> Iterator[tuple[int | str, Version]]:
        """Each part by its number and each batch by its name, with what it holds."""
        for number, versions in enumerate(self.parts):
            yield from ((number, each) for each in versions)
        yield from self.staged.items()

    def _file(self, name: str, place: int | str) -> Path:
        file = part_file if isinstance(place, int) else staged_file
        return file(self.lake, name, self.gaming_day, place)

    @property
    def tables(self) -> set[str]:
        """The tables with rows here, including those of forgotten runs; none where the note cannot be read."""
        return {table_id for table_id, _ in self._holders}

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
        holders = self._holders.get((run.table_id, run.identity), [])
        if not holders:
            manifest = run_file(self.lake, self.gaming_day, run.table_id)
            raise self.damage or NotHeld(manifest, "is of a run whose rows do not lie in the lake")
        return {name: self._file_of(name, holders) for name in tables}

    def _file_of(self, name: str, holders: Sequence[tuple[int | str, Version]]) -> Path:
        files = [(self._file(name, place), version.files[name]) for place, version in holders]
        for file, sha256 in files:
            if self.holds(file, sha256):
                return file
        named = files[0][0]
        self.digest(named)
        raise NotHeld(named, "is not as it was written: its SHA-256 is not the one that it was written with")

    def tables_in(self, file: Path, name: str) -> set[str]:
        """The tables with rows in a file that :meth:`hold` gave."""
        held = (each for place, each in self._versions() if self._file(name, place) == file)
        return set().union(*(each.runs for each in held if self.holds(file, each.files[name])))
