"""The lake: verdicts as Parquet files, few a table and gaming day, and a connection that sees them as SQL views.

================================================================  ========================================================
``LAKE/data/wagers/gaming_day=2026-01-05/part-0.parquet``         a table of ``replayer.verdicts.tables.TABLES`` for a gaming day
``LAKE/parts/2026-01-05.json``                                    which runs these files hold, and their digests
``LAKE/staged/gaming_day=2026-01-05/BATCH-wagers.parquet``        the same of some table-days that a night just judged
``LAKE/staged/gaming_day=2026-01-05/BATCH.json``                  which runs these are, and the digests of their files
``LAKE/runs/2026-01-05/T1.json``                                  the run that made them; without it there is no table-day
``LAKE/judged/2026-01-05/T1.jsonl``                               every log that was ever judged for the table-day, and who
                                                                  acknowledged changes
``LAKE/days/2026-01-05.json``                                     what concerns the whole gaming day: quarantine, damage,
                                                                  gaps between days, what a topic lost, and what became of
                                                                  each table that it should have had
``LAKE/acknowledged/2026-01-05/T1.jsonl``                         who said that a table may be absent, or may have played
                                                                  (:mod:`.statuses`)
``LAKE/acknowledged/lost/DIGEST.jsonl``                           who said that a loss of a topic may stand (:mod:`.losses`)
``LAKE/acknowledged/quarantine/pit.jsonl``                        who answered for messages in quarantine
                                                                  (:mod:`.acknowledged_messages`)
``LAKE/acknowledged/found/2026-01-05.jsonl``                      who looked into what was found
                                                                  (:mod:`.acknowledged_findings`)
``LAKE/.lock`` ``LAKE/.turn``                                     held by the run that writes, and by the one that is next
================================================================  ========================================================

A rewrite first removes the run's manifest. After a crash the table-day has no manifest: nobody reads it, and the next run
writes it again. Every file is held to its digest before it is used: a batch's note has the digests of its Parquet files,
``LAKE/parts`` those of the parts, and each JSON file its own. A table-day with a file that does not have its digest is left out
and named, and the next run of the gaming day judges it again.
"""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from analytics.lake.compaction import compact
from analytics.lake.files import LakeNotWritable, LakeUnusable, NotHeld, clear_away, sha256_of, written
from analytics.lake.holding import Holding, LeftOut, changes_of, damage_of, days_of, hold_days, runs, tables_of
from analytics.lake.lock import LakeBusy, OnWait, reading, writing
from analytics.lake.memory import Change, memory_file, recall, remember
from analytics.lake.note import DatedAhead, DayNote, note_day, noted, read_note
from analytics.lake.parts import (
    DayFiles,
    Version,
    part_file,
    parts_file,
    parts_text,
    runs_of,
    staged_file,
    staged_folder,
    staged_note,
)
from analytics.lake.run import Pins, Run, read_run, run_file
from analytics.lake.views import connect, require_usable, views
from analytics.pseudonyms import pseudonymised
from analytics.waiting import WAIT_SECONDS
from producers.sinks.durable import make_folder, sync_folder, write_durably
from replayer.sources.archive import (
    TableDayDamaged,
    TableDayRef,
    claimed_totals,
    read_columns,
    read_manifests,
    read_sealed,
)
from replayer.sources.layout import require_table_id
from replayer.sources.left_out import numbers_on_other_days
from replayer.verdicts.replay import Replayed
from replayer.verdicts.tables import TABLES

__all__ = [
    "WAIT_SECONDS", "Change", "DatedAhead", "DayFiles", "DayNote", "Holding", "LakeBusy", "LakeNotWritable", "LakeUnusable",
    "LakeWriter", "LeftOut", "NotHeld", "OnWait", "Pins", "Run", "changes_of", "clear_away", "compact", "connect", "damage_of",
    "days_of", "forget", "hold_days", "is_current", "note_day", "noted", "part_file", "parts_file", "read_note", "read_run",
    "reading", "require_usable", "run_file", "runs", "staged_file", "staged_folder", "tables_of", "views", "write", "writing",
]  # fmt: skip


def write(lake: Path, judged: Sequence[Replayed], pins: Pins) -> None:
    """Put the verdicts of table-days into the lake, in place of earlier ones: into a batch of files for each gaming day, until
    :func:`compact` puts them together with the others of the day.

    Raises:
        KeyError: what was played was not asked for (``replay_table_days(..., play=True)``).
        TableIdRefused: a table id could not stand in a path.
        LakeNotWritable: the disk is full, say; some of the table-days may then be absent, all others are as they were.
        OSError: something is in the way of one of their files; likewise.
    """
    for each in judged:
        require_table_id(each.table_id)
    days = {each.gaming_day for each in judged}
    with written(lake):
        for day in sorted(days):
            own = [each for each in judged if each.gaming_day == day]
            _write(lake, day, sorted(own, key=lambda each: each.table_id), pins)


def _write(lake: Path, day: dt.date, judged: Sequence[Replayed], pins: Pins) -> None:
    held = DayFiles(lake, day).tables
    runs = [_run_of(lake, each, pins, known=each.table_id in held) for each in judged]
    if any(run.memory for run in runs):
        sync_folder(memory_file(lake, day, "").parent)
    for run in runs:
        _forget(lake, day, run.table_id)
    rows = {name: _packed([each.tables()[name] for each in judged], name, pins) for name in TABLES}
    digests = {name: sha256_of(packed) for name, packed in rows.items()}
    note = parts_text(day, [[Version(runs_of(runs), digests)]]).encode()
    batch = sha256_of(note)
    make_folder(staged_folder(lake, day))
    # A batch that a power cut takes does not hold, and is made anew.
    for name, packed in rows.items():
        write_durably(staged_file(lake, name, day, batch), packed, synced=False)
    write_durably(staged_note(lake, day, batch), note, synced=False)
    manifests = run_file(lake, day, "").parent
    make_folder(manifests)
    for run in runs:
        write_durably(run_file(lake, day, run.table_id), run.to_json().encode(), named=False)
    sync_folder(manifests)


def _run_of(lake: Path, replayed: Replayed, pins: Pins, *, known: bool) -> Run:
    """The run that made a table-day's verdicts, of which the lake remembers the log; ``known`` is whether rows lie in it."""
    day, table_id = replayed.gaming_day, replayed.table_id
    earlier = None
    with suppress(NotHeld):
        earlier = read_run(lake, day, table_id)
    judged = run_file(lake, day, table_id).exists() or (known and not memory_file(lake, day, table_id).exists())
    memory = remember(lake, day, table_id, replayed.sealed, earlier, judged=judged)
    return Run(
        table_id,
        day,
        replayed.sealed,
        pins.to_dict(),
        replayed.digest,
        memory,
        replayed.wagers.height,
        replayed.on_other_days,
    )


def _packed(frames: Sequence[pl.DataFrame], name: str, pins: Pins) -> bytes:
    """The rows of some table-days, concatenated, as a file of Parquet."""
    frame = pl.concat(frames)
    kept = frame if pins.pseudonyms is None else pseudonymised(frame, pins.pseudonyms)
    rows = kept.lazy().match_to_schema(TABLES[name]).drop("gaming_day")  # the folder says the day
    out = io.BytesIO()
    # It is read once, to be put together with the others: packing it well takes more time than it saves.
    rows.sink_parquet(out, compression="lz4", statistics=False)
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class LakeWriter:
    """Writes what it is given into a lake; travels to worker processes (``replayer.verdicts.run.Keep``)."""

    lake: Path
    pins: Pins

    def __call__(self, judged: Sequence[Replayed]) -> None:
        """Write some table-days."""
        write(self.lake, judged, self.pins)


def forget(lake: Path, gaming_day: dt.date, table_id: str) -> None:
    """Take a table-day out of sight: its log was found damaged, say. Its rows go with the next :func:`compact`.

    Raises:
        LakeNotWritable: the lake is read-only, say.
    """
    with written(lake):
        _forget(lake, gaming_day, table_id)


def _forget(lake: Path, gaming_day: dt.date, table_id: str) -> None:
    manifest = run_file(lake, gaming_day, table_id)
    with suppress(FileNotFoundError, IsADirectoryError):  # there is none; or none that anybody could read
        manifest.unlink()
        sync_folder(manifest.parent)


def is_current(lake: Path, ref: TableDayRef, pins: Pins, files: DayFiles | None = None) -> bool:
    """Whether the lake holds a table-day's verdicts made from these very bytes under these very pins.

    Containers and files are digested, not only their manifests believed: damage since the last run makes a run necessary.
    ``files`` are those of the gaming day, where others of its table-days were asked about before.
    """
    try:
        run = read_run(lake, ref.gaming_day, ref.table_id)
        if run.pins != pins.to_dict() or recall(lake, ref.gaming_day, ref.table_id, run).damage:
            return False
        (files or DayFiles(lake, ref.gaming_day)).hold(run)
        manifests = read_manifests(ref)
        for part in manifests:
            read_sealed(part, ref.archive)
        first, last, count = claimed_totals(manifests)
        on_other_days = (
            0 if count == last - first + 1 else len(numbers_on_other_days(ref, manifests, read_columns(ref)))
        )
    except (NotHeld, TableDayDamaged):
        return False
    return tuple(part.sha256 for part in manifests) == run.parts and on_other_days == run.elsewhere
