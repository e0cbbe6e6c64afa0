"""What a run of a gaming day has to do: to judge the table-days whose verdicts in the lake were not made from the very bytes in
the archive, under the same rules and settings."""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import replayer
import schemas
from analytics.lake import DayFiles, LakeUnusable, damage_of, days_of, is_current, remove_leftovers, tables_of
from analytics.lake.note import DayNote, note_day, note_or_empty, read_note
from analytics.lake.run import Pins, run_file
from flows.expected import Expectation
from flows.known_errors import CouldNotRun
from flows.pending_days import first_within, left_behind, still_expected, unreached
from flows.settings import Settings
from flows.summary import Night
from flows.unsealed import Unsealed, unsealed_of
from replayer.engine.replay_settings import ReplaySettings
from replayer.sources.layout import gaming_days, journals
from replayer.sources.misplaced import misplaced
from replayer.sources.table_days import TableDayRef, sealed_and_unsealed
from schemas.plural import plural


def require_archive(archive: Path, lake: Path) -> None:
    """Require an archive, so that no table is taken for absent where the path is mistyped or its disk not mounted. Journals alone
    are one where the lake has no verdicts: what begins to record at an empty mount point makes some. Raises CouldNotRun where
    there is none."""
    what = "it holds no gaming day" if archive.is_dir() else "there is no archive"
    there = gaming_days(archive) or any(each.gaming_day for each in misplaced(archive))
    known = [] if there else days_of(lake, None, None)
    begun = gaming_days(journals(archive)) and not any(tables_of(lake, day) for day in known)
    if known and not begun:
        said = f"{lake} knows of {plural(len(known), 'gaming day')}, {known[0]} to {known[-1]}"
        raise CouldNotRun(f"{archive}: {what}, and {said}; check the path, or whether its disk is mounted")


class NothingToRun(LookupError):
    """The archive holds no sealed table-day of those wanted; the message says what there is.

    ``nights`` are earlier gaming days that waited for verdicts and were run nevertheless.
    """

    def __init__(self, why: str, nights: Sequence[Night] = ()) -> None:
        super().__init__(why)
        self.nights = list(nights)


@dataclass(frozen=True, slots=True)
class Plan:
    """The work of a run on a gaming day.

    Attributes:
        made_anew: tables whose verdicts in the lake were altered, with what is wrong (the empty name stands for the day's note).
        unread: tables whose logs the previous run could not read, with the reason.
        expected: the tables that the day should have; ``open``: those not sealed.
        note: the day's note, begun with what no nightly run reaches by itself; with ``left_behind`` in the run of the last gaming
            day only, for a backfill may be on its way to them.
    """

    stale: tuple[TableDayRef, ...]
    unchanged: tuple[TableDayRef, ...]
    made_anew: Mapping[str, str]
    unread: Mapping[str, str]
    expected: Expectation
    open: Mapping[str, Unsealed]
    note: DayNote


def plan(archive: Path, lake: Path, day: dt.date, chosen: Settings) -> Plan:
    """The work of a run of ``day`` in a lake that is usable (:func:`analytics.lake.require_usable`).

    Leftovers of killed runs are removed from the lake, and the table-days about to be judged are noted in it: readers
    meanwhile, or after a kill, report them as missing.

    Raises:
        NothingToRun: the archive has nothing of that day, no table was expected to have, and the lake does not know it.
        CouldNotRun: there is no archive, though the lake has verdicts of one.
    """
    require_archive(archive, lake)
    remove_leftovers(lake)
    present, not_sealed = sealed_and_unsealed(archive, day)
    left = {ref.table_id: what for ref, what in unsealed_of(archive, not_sealed).items()}
    expected = still_expected(archive, lake, day, chosen.expecting)
    if not (present or tables_of(lake, day) or left or expected.tables or expected.in_use or days_of(lake, day, day)):
        raise NothingToRun(why_nothing(archive, day))
    pins = pins_of(chosen.replay)
    files = DayFiles(lake, day)
    current = {ref for ref in present if is_current(ref, pins, files)}
    stale = tuple(ref for ref in present if ref not in current)
    made_anew, unread = _damaged_in(files, [ref.table_id for ref in stale]), note_or_empty(lake, day).unread
    note_waiting(lake, stale)
    over = chosen.last_gaming_day(dt.datetime.now(dt.UTC))
    undated, ahead = unreached(archive, over)
    behind = left_behind(archive, lake, first_within(chosen.catch_up_days, day)) if day >= over else ()
    return Plan(
        stale=stale,
        unchanged=tuple(ref for ref in present if ref in current),
        made_anew=made_anew,
        unread=unread,
        expected=expected,
        open=left,
        note=DayNote(misplaced=len(undated), ahead=ahead, left_behind=behind),
    )


@cache
def rules_digest() -> str:
    """SHA-256 over every file that can change a verdict: the rooms that judge, and the schemas that they read."""
    digest = hashlib.sha256()
    for room in (schemas, replayer):
        root = Path(room.__path__[0])
        rules = (file for file in root.rglob("*") if file.suffix in (".py", ".toml", ".avsc", ".json"))
        files = {file.relative_to(root.parent).as_posix(): file for file in rules}
        for name in sorted(files):
            digest.update(name.encode() + b"\0" + hashlib.sha256(files[name].read_bytes()).digest())
    return digest.hexdigest()


def pins_of(settings: ReplaySettings) -> Pins:
    """The pins of a run with these settings; table-days made under other pins are made anew."""
    chosen = {"preset": settings.preset, **settings.readings}
    chosen |= {
        f"{table}/{name}": reading
        for table, readings in settings.table_readings.items()
        for name, reading in readings.items()
    }
    chosen |= {f"in_force/{name}": day.isoformat() for name, day in settings.in_force.items()}
    chosen |= {f"option/{name}": value for name, value in settings.options.items()}
    if settings.regulation:
        chosen["regulation"] = settings.regulation
    return Pins(version("pitaudit"), rules_digest(), chosen)


def note_waiting(lake: Path, refs: Iterable[TableDayRef]) -> None:
    """Note in the lake which table-days a run is about to judge."""
    tables: dict[dt.date, list[str]] = {}
    for ref in refs:
        tables.setdefault(ref.gaming_day, []).append(ref.table_id)
    for day, waiting in tables.items():
        note_day(
            lake, day, dataclasses.replace(note_or_empty(lake, day), quarantined=None, waiting=tuple(sorted(waiting)))
        )


def _damaged_in(files: DayFiles, tables: Sequence[str]) -> dict[str, str]:
    """What of a gaming day's tables in the lake is not as it was written; those that its note names have no verdicts, and of
    those whose run was killed nothing was written whole."""
    lake, day = files.lake, files.gaming_day
    damaged: dict[str, str] = {}
    note = DayNote()
    try:
        note = read_note(lake, day) or note
    except LakeUnusable as unusable:
        damaged[""] = str(unusable)
    known = {*note.damaged, *(each for each in note.waiting if not os.path.lexists(run_file(lake, day, each)))}
    damaged |= {table: damage_of(files, table) for table in tables if table not in known}
    return {table: what for table, what in damaged.items() if what}


def why_nothing(archive: Path, day: dt.date) -> str:
    """Why there is nothing to run of a gaming day, and what the archive has instead."""
    if not archive.is_dir():
        return f"{archive}: there is no archive; make one with `pitaudit simulate`, `import` or `archive`"
    days = gaming_days(archive)
    has = f"it has {plural(len(days), 'gaming day')}, {days[0]} to {days[-1]}" if days else "it has none at all"
    return f"{archive} has no sealed table-day of {day}: {has}; no table was expected either"
