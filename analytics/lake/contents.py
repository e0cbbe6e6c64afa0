"""The contents of a lake for some gaming days: the runs whose files are all intact, and why the other table-days are left out.

A judged table-day cannot disappear unnoticed: its manifest, its verdicts, its memory, or the note of its day tell its table.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from analytics.lake.files import LakeUnusable, NotIntact, Stamp
from analytics.lake.memory import Change, changes, memory_file, recall
from analytics.lake.note import DayNote, read_note
from analytics.lake.parts import DayFiles, day_of
from analytics.lake.run import Run, intact_run, read_run, run_file, tables_named_in, tables_with_runs
from analytics.lake.statuses import Status, TableStatus, with_acknowledgement
from replayer.sources.layout import gaming_days
from replayer.sources.safe_files import listed
from replayer.verdicts.replay_totals import CONTAINER_DAMAGED
from replayer.verdicts.tables import TABLES
from schemas.finding import of_integrity

LAKE_DAMAGED: Final = of_integrity(
    "LAKE_DAMAGED", "A table-day's verdicts in the lake are missing or not as they were written"
)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A table-day without reliable verdicts. ``table_id`` is empty where the note of the day is damaged.

    ``code`` is its finding: ``CONTAINER_DAMAGED`` where the day's note has the reason, a damaged log, say; ``LAKE_DAMAGED`` where
    a file of the lake itself is damaged: the next run of the gaming day judges the table-day again.
    """

    table_id: str
    gaming_day: dt.date
    why: str
    code: str = LAKE_DAMAGED


@dataclass(slots=True)
class LakeContents:
    """The contents of a lake for some gaming days.

    Attributes:
        runs: the runs whose manifests and files are intact.
        left_out: all other table-days that the lake knows of.
        changes: logs that differ from those judged before, including acknowledged ones.
        tables: the tables whose files were checked against their digests.
        files: these files by table, each with the table ids whose rows are taken from it, None for all.
        statuses: the status of each table, by gaming day; without days whose tables no run recorded.
        unfinished: those of these gaming days whose last run did not finish.
        stamps: the files' stamps, which tell whether a file has changed since.
    """

    runs: list[Run] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    tables: Collection[str] = tuple(TABLES)
    files: dict[str, dict[Path, frozenset[str] | None]] = field(default_factory=dict)
    statuses: dict[dt.date, tuple[TableStatus, ...]] = field(default_factory=dict)
    unfinished: list[dt.date] = field(default_factory=list)
    stamps: dict[Path, Stamp] = field(default_factory=dict)

    @property
    def incomplete(self) -> list[LeftOut]:
        """Table-days with incomplete verdicts, because later events are not sealed."""
        without = {(left.gaming_day, left.table_id) for left in self.left_out}
        return [
            LeftOut(each.table_id, day, each.why, each.code)
            for day, tables in self.statuses.items()
            for each in tables
            if each.open and each.status is Status.NOT_SEALED and (day, each.table_id) not in without
        ]

    @property
    def unaccounted(self) -> list[dt.date]:
        """The gaming days with verdicts whose expected tables no run recorded."""
        return sorted({run.gaming_day for run in self.runs} - self.statuses.keys())

    def only(self, runs: Iterable[Run]) -> LakeContents:
        """The same with some of the runs, and no row of the others."""
        kept = list(runs)
        had, has = _tables_by_day(self.runs), _tables_by_day(kept)
        files: dict[str, dict[Path, frozenset[str] | None]] = {}
        for name, of_table in self.files.items():
            files[name] = {}
            for file, own in of_table.items():
                day = day_of(file)
                taken = own if has.get(day) == had.get(day) else (own or had[day]) & has.get(day, frozenset())
                if taken is None or taken:
                    files[name][file] = taken
        return replace(self, runs=kept, files=files)

    @property
    def open_changes(self) -> list[Change]:
        """The changes that are not acknowledged."""
        return [change for change in self.changes if change.open]


def _tables_by_day(runs: Iterable[Run]) -> dict[dt.date, frozenset[str]]:
    found: dict[dt.date, set[str]] = {}
    for run in runs:
        found.setdefault(run.gaming_day, set()).add(run.table_id)
    return {day: frozenset(tables) for day, tables in found.items()}


def contents_of(
    lake: Path,
    first: dt.date | None = None,
    last: dt.date | None = None,
    tables: Collection[str] = tuple(TABLES),
) -> LakeContents:
    """The contents of a lake for the gaming days from ``first`` to ``last``, both included; only files of ``tables`` are
    checked."""
    contents = LakeContents(tables=tables)
    for day in days_of(lake, first, last):
        note = DayNote()
        try:
            note = read_note(lake, day) or note
        except LakeUnusable as damaged:
            contents.left_out.append(LeftOut("", day, str(damaged)))
        runs, left = len(contents.runs), len(contents.left_out)
        was_judged = {each.table_id for each in note.tables or () if each.status is Status.JUDGED}
        files = DayFiles(lake, day)
        sources: dict[str, dict[Path, set[str]]] = {name: {} for name in tables}
        for table_id in sorted({*tables_of(lake, day), *note.damaged, *note.waiting, *was_judged}):
            for name, file in _add_table_day(contents, files, table_id, note.damaged.get(table_id, "")).items():
                sources[name].setdefault(file, set()).add(table_id)
        for name, of_day in sources.items():
            all_of = {file: files.tables_in(file, name) for file in of_day}
            taken = {file: None if own >= all_of[file] else frozenset(own) for file, own in of_day.items()}
            contents.files.setdefault(name, {}).update(taken)
        contents.stamps |= files.stamps
        if note.tables is not None:
            contents.unfinished += [] if note.accounted else [day]
            judged = {run.table_id for run in contents.runs[runs:]}
            lacks = {each.table_id: each.why for each in contents.left_out[left:]}
            contents.statuses[day] = tuple(_statuses(lake, day, note.tables, judged, lacks))
            contents.left_out += [
                LeftOut(each.table_id, day, each.why, each.code)
                for each in contents.statuses[day]
                if each.open and each.table_id not in judged and each.table_id not in lacks
            ]
    return contents


def _statuses(
    lake: Path, day: dt.date, noted: Iterable[TableStatus], judged: Collection[str], lacks: Mapping[str, str]
) -> Iterator[TableStatus]:
    """The status of each table, sorted: the one that the run ``noted``, corrected by what the lake has and ``lacks`` now."""
    known = {each.table_id: each for each in noted}
    for table_id in sorted({*known, *judged, *lacks}):
        each = known.get(table_id) or TableStatus(table_id, Status.JUDGED)
        if table_id in lacks and each.status is not Status.FAILED:
            each = replace(each, status=Status.DAMAGED, why=lacks[table_id])
        elif table_id in judged and each.status is not Status.NOT_SEALED:
            each = replace(each, status=Status.JUDGED, why=each.why if each.status is Status.JUDGED else "")
        yield with_acknowledgement(lake, day, each)


def _add_table_day(contents: LakeContents, files: DayFiles, table_id: str, noted: str) -> dict[str, Path]:
    """Add a table-day to the runs, or to those left out; returns the file of each table, none where it is left out."""
    lake, day = files.lake, files.gaming_day
    run = None
    found: dict[str, Path] = {}
    try:
        run = read_run(lake, day, table_id)
        found = files.files_of(run, contents.tables)
        contents.runs.append(run)
    except NotIntact as damaged:
        code = CONTAINER_DAMAGED if noted else LAKE_DAMAGED
        why = noted or f"{damaged}; `pitaudit nightly --day {day}` makes it anew"
        contents.left_out.append(LeftOut(table_id, day, why, code))
    contents.changes += changes(lake, day, table_id, run)
    return found


def whole_run(files: DayFiles, table_id: str) -> Run:
    """The run of a table-day; raises NotIntact where its manifest, a file with its rows or its memory is not intact."""
    lake, day = files.lake, files.gaming_day
    run = read_run(lake, day, table_id)
    files.files_of(run)
    if damage := recall(lake, day, table_id, run).damage:
        raise NotIntact(memory_file(lake, day, table_id), damage)
    return run


def damage_of(files: DayFiles, table_id: str) -> str:
    """The damage of a table-day in the lake, with the file; empty where there is none, or the lake does not know it."""
    own = (file(files.lake, files.gaming_day, table_id) for file in (run_file, memory_file))
    if any(map(os.path.lexists, own)) or table_id in files.tables:
        try:
            whole_run(files, table_id)
        except NotIntact as damaged:
            return str(damaged)
    return ""


def runs(lake: Path, first: dt.date | None = None, last: dt.date | None = None) -> list[Run]:
    """The intact manifests between two gaming days, both included, by day and table; :func:`contents_of` checks their files."""
    found: list[Run] = []
    for day in days_of(lake, first, last):
        found += filter(None, (intact_run(lake, day, table_id) for table_id in sorted(tables_with_runs(lake, day))))
    return found


def days_of(lake: Path, first: dt.date | None, last: dt.date | None) -> list[dt.date]:
    """The gaming days that any folder of the lake has a file of, from ``first`` to ``last``, both included."""
    days = {day for folder in ("runs", "judged") for day in gaming_days(lake / folder)}
    for file in (*listed(lake / "days", "*.json"), *listed(lake / "parts", "*.json")):
        with suppress(ValueError):
            days.add(dt.date.fromisoformat(file.stem))
    return sorted(day for day in days if (first is None or day >= first) and (last is None or day <= last))


def tables_of(lake: Path, gaming_day: dt.date) -> set[str]:
    """Every table that has or had verdicts of a gaming day in the lake, including forgotten and damaged ones."""
    judged = tables_named_in(memory_file(lake, gaming_day, "").parent, ".jsonl")
    return tables_with_runs(lake, gaming_day) | judged | DayFiles(lake, gaming_day).tables
