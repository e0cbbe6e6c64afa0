"""The lake: verdicts in a few Parquet files a table and gaming day, and a connection that reads them as SQL views.

``README.md`` names its files, and says how each is held to its digest. A rewrite first removes the run's manifest. After a crash
the table-day has no manifest: it is not read, and the next run writes it again. Whatever writes into a lake is called by who has
locked it (:func:`analytics.lake.lock.writing`), and raises ``LakeNotWritable`` where its disk is full.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import polars as pl

from analytics.lake.compaction import compact
from analytics.lake.contents import LakeContents, LeftOut, contents_of, damage_of, days_of, runs, tables_of, whole_run
from analytics.lake.files import LakeNotWritable, LakeUnusable, NotIntact, remove_leftovers, sha256_of, write_guard
from analytics.lake.lock import LakeBusy, OnWait, reading, writing
from analytics.lake.memory import Change, memory_file, remember
from analytics.lake.note import DatedAhead, DayNote, note_day, note_or_empty, read_note
from analytics.lake.parts import DayFiles, Version, packed, part_file, parts_text, runs_of, staged_folder
from analytics.lake.run import Pins, Run, intact_run, run_file
from analytics.lake.views import require_usable, views
from analytics.pseudonyms import pseudonymised
from producers.sinks.durable import sync_folder, write_durably
from replayer.sources.archive import read_sealed, read_table_day
from replayer.sources.layout import Manifest, require_table_id
from replayer.sources.manifests import TableDayDamaged, claimed_totals, read_manifests
from replayer.sources.table_days import TableDayRef
from replayer.verdicts.replay import Replayed
from replayer.verdicts.run import is_large
from replayer.verdicts.tables import TABLES

__all__ = [
    "Change", "DatedAhead", "DayFiles", "DayNote", "LakeBusy", "LakeContents", "LakeNotWritable", "LakeUnusable", "LeftOut",
    "OnWait", "Pins", "Run", "compact", "contents_of", "damage_of", "days_of", "forget", "is_current", "log_of",
    "note_day", "note_or_empty", "read_note", "reading", "remove_leftovers", "require_usable", "run_file", "runs", "tables_of",
    "views", "write", "writing",
]  # fmt: skip


def write(lake: Path, judged: Sequence[Replayed], pins: Pins) -> None:
    """Write the verdicts of table-days into the lake, in place of earlier ones: as a batch of files for each gaming day, which
    :func:`compact` merges with the others of the day.

    Raises:
        KeyError: they were judged without hands and decisions (``replay_table_days(..., play=True)``).
        TableIdRefused: a table id is not allowed in a path.
        LakeNotWritable, OSError: some of the table-days may then be absent, all others are unchanged.
    """
    for each in judged:
        require_table_id(each.table_id)
    days = {each.gaming_day for each in judged}
    with write_guard(lake):
        for day in sorted(days):
            own = [each for each in judged if each.gaming_day == day]
            _write(lake, day, sorted(own, key=lambda each: each.table_id), pins)


def _write(lake: Path, day: dt.date, judged: Sequence[Replayed], pins: Pins) -> None:
    present = DayFiles(lake, day).tables
    runs = [_run_of(lake, each, pins, has_rows=each.table_id in present) for each in judged]
    if any(run.memory for run in runs):
        sync_folder(memory_file(lake, day, "").parent)
    for run in runs:
        forget(lake, day, run.table_id)
    large = is_large(run.events for run in runs)
    rows = {name: packed(_rows([each.tables()[name] for each in judged], name, pins), lasting=large) for name in TABLES}
    digests = {name: sha256_of(file) for name, file in rows.items()}
    note = parts_text(day, [[Version(runs_of(runs), digests)]]).encode()
    batch = sha256_of(note)
    # Without a sync: a batch damaged by a power cut does not have its digest, and is judged again.
    for name, file in rows.items():
        write_durably(part_file(lake, name, day, batch), file, synced=large, named=False)
    write_durably(staged_folder(lake, day) / f"{batch}.json", note, synced=False)
    manifests = run_file(lake, day, "").parent
    for run in runs:
        write_durably(run_file(lake, day, run.table_id), run.to_json().encode(), named=False)
    sync_folder(manifests)


def _run_of(lake: Path, replayed: Replayed, pins: Pins, *, has_rows: bool) -> Run:
    """The run that made a table-day's verdicts, with its log in the lake's memory; ``has_rows``: the lake has rows of it."""
    day, table_id = replayed.gaming_day, replayed.table_id
    earlier = intact_run(lake, day, table_id)
    judged = run_file(lake, day, table_id).exists() or (has_rows and not memory_file(lake, day, table_id).exists())
    memory = remember(lake, day, table_id, replayed.sealed, earlier, judged=judged)
    return Run(
        table_id,
        day,
        replayed.sealed,
        pins.to_dict(),
        replayed.digest,
        memory,
        int(replayed.table_days["events"][0]),
        replayed.on_other_days,
    )


def _rows(frames: Sequence[pl.DataFrame], name: str, pins: Pins) -> pl.LazyFrame:
    """The rows of some table-days, one after the other."""
    frame = pseudonymised(pl.concat(frames), pins.pseudonyms)
    return frame.lazy().match_to_schema(TABLES[name]).drop("gaming_day")  # the folder says the day


def forget(lake: Path, gaming_day: dt.date, table_id: str) -> None:
    """Remove a table-day's manifest, so that nobody reads it: its log is damaged, say. :func:`compact` removes its rows."""
    manifest = run_file(lake, gaming_day, table_id)
    with write_guard(lake), suppress(FileNotFoundError, IsADirectoryError):  # there is none, or an unreadable one
        manifest.unlink()
        sync_folder(manifest.parent)


def is_current(ref: TableDayRef, pins: Pins, files: DayFiles) -> bool:
    """Whether a lake has a table-day's verdicts made from exactly these bytes under exactly these pins; ``files`` are those of
    the gaming day. Containers and files are digested: damage since the last run makes a run necessary."""
    try:
        run = whole_run(files, ref.table_id)
        if run.pins != pins.to_dict() or not (manifests := log_of(ref.archive, run)):
            return False
        first, last, count = claimed_totals(manifests)
        on_other_days = 0 if count == last - first + 1 else len(read_table_day(ref).on_other_days)
    except (NotIntact, TableDayDamaged):
        return False
    return on_other_days == run.on_other_days


def log_of(archive: Path, run: Run) -> Sequence[Manifest]:
    """The manifests of the very log that a run's verdicts were made from, every container digested; none where an archive has
    another."""
    try:
        manifests = read_manifests(TableDayRef(run.gaming_day, run.table_id, archive))
        for part in manifests:
            read_sealed(part, archive)
    except TableDayDamaged:
        return []
    return manifests if tuple(part.sha256 for part in manifests) == run.parts else []
