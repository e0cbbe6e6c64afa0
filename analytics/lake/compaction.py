"""Merges the table-days of a gaming day into a few files, so that a year's lake can be read.

``LAKE/parts`` first records which files replace which; only after they have, each by a rename, the staged files are removed. So
wherever a run is killed, every table-day is in an intact file, and the next run continues. The content of a part depends on the
runs alone: the rows of many table-days, sorted by table. A batch that has exactly those of a part is moved, not merged.
"""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

import polars as pl

from analytics.lake.files import NotIntact, read_whole, sha256_of, write_guard
from analytics.lake.parts import (
    DayFiles,
    Parts,
    Version,
    data_folder,
    packed,
    parts_file,
    parts_text,
    runs_of,
    staged_folder,
)
from analytics.lake.run import Run, read_run, tables_with_runs
from producers.sinks.durable import make_folder, sync_folder, write_durably
from replayer.processes.spread import spread
from replayer.sources.safe_files import listed
from replayer.verdicts.run import is_large, kept_together
from replayer.verdicts.tables import TABLES


def compact(lake: Path, gaming_day: dt.date, workers: int = 1) -> None:
    """Merge the present table-days of a gaming day, with ``workers`` processes; where that fails every one stays where it is."""
    with write_guard(lake):
        files = DayFiles(lake, gaming_day)
        runs = list(_whole_runs(files))
        wanted = kept_together(runs, [run.events for run in runs])
        _replace(files, wanted, workers)
        _remove_obsolete(lake, gaming_day, len(wanted))


def _whole_runs(files: DayFiles) -> Iterator[Run]:
    for table_id in sorted(tables_with_runs(files.lake, files.gaming_day)):
        with suppress(NotIntact):  # readers of the lake report it; its rows must not be visible
            run = read_run(files.lake, files.gaming_day, table_id)
            files.files_of(run)
            yield run


def _replace(files: DayFiles, wanted: Sequence[Sequence[Run]], workers: int) -> None:
    lake, day = files.lake, files.gaming_day
    ready: Parts = []
    merges: list[_Merge] = []
    moves: list[tuple[Path, Path]] = []
    for number, part in enumerate(wanted):
        there = files.place_of(runs_of(part), number, or_batch=is_large(run.events for run in part))
        ready.append([there[1]] if there else [])
        if there is None:
            merges += [_merge(files, part, number, name) for name in TABLES]
        elif there[0] != number:
            moves += [(files.file(name, there[0]), files.file(name, number)) for name in TABLES]
    if files.parts == ready and not moves and not files.damage:
        return
    one = len(merges) == len(TABLES)  # which takes less time than to start another process, if a night has kept none
    digests = iter([*spread(_write_draft, merges, 1 if one else workers, taking_part=True)])
    for part, versions in zip(wanted, ready, strict=True):
        if not versions:
            versions.append(Version(runs_of(part), {name: next(digests) for name in TABLES}))
    between = [
        [*before, *(version for version in after if version not in before)]
        for before, after in zip_longest(files.parts, ready, fillvalue=())
    ]
    file = parts_file(lake, day)
    write_durably(file, parts_text(day, between).encode())
    moves += [(merge.draft, merge.place) for merge in merges]
    for draft, place in moves:
        make_folder(place.parent)
        draft.replace(place)
    for folder in {place.parent for _, place in moves}:
        sync_folder(folder)
    write_durably(file, parts_text(day, ready).encode())


@dataclass(frozen=True, slots=True)
class _Merge:
    """The merge that makes a file of a part.

    Attributes:
        sources: the files that have its rows, each with its digest and the tables whose rows are taken, None for all.
        ordered: whether the tables are in their final order in the sources.
        draft, place: the file's path before the rename and after it.
    """

    sources: Sequence[tuple[Path, str, Sequence[str] | None]]
    ordered: bool
    draft: Path
    place: Path


def _merge(files: DayFiles, part: Sequence[Run], number: int, name: str) -> _Merge:
    sources: dict[Path, list[str]] = {}
    for run in part:
        sources.setdefault(files.files_of(run, (name,))[name], []).append(run.table_id)
    return _Merge(
        [
            (file, files.digest(file), None if files.tables_in(file, name) == set(tables) else tables)
            for file, tables in sources.items()
        ],
        list(chain.from_iterable(sources.values())) == [run.table_id for run in part],
        files.file(name, f"_part-{number}"),
        files.file(name, number),
    )


def _write_draft(merge: _Merge) -> str:
    """Write the draft of a file of a part, with the rows of its table-days one after the other; returns its SHA-256."""
    parts = []
    for file, digest, tables in merge.sources:
        data = read_whole(file)
        if sha256_of(data) != digest:
            raise NotIntact(file, "was changed while it was read")
        rows_in_file = pl.scan_parquet(data)
        parts.append(rows_in_file if tables is None else rows_in_file.filter(pl.col("table_id").is_in(tables)))
    rows = pl.concat(parts)
    if not merge.ordered:
        rows = rows.sort("table_id", maintain_order=True)
    part = packed(rows, lasting=True)
    write_durably(merge.draft, part)
    return sha256_of(part)


def _remove_obsolete(lake: Path, day: dt.date, count: int) -> None:
    """Remove files that are no longer read: staged ones, whose rows are in the parts by now, and parts from ``count`` on."""
    shutil.rmtree(staged_folder(lake, day), ignore_errors=True)
    with suppress(OSError):  # it is not there, or not empty
        staged_folder(lake, day).parent.rmdir()
    for name in TABLES:
        for file in listed(data_folder(lake, name, day), "part-*.parquet"):
            number = file.stem.removeprefix("part-")
            if number.isdecimal() and int(number) >= count:
                file.unlink()
