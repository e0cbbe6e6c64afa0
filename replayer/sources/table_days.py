"""Lists the table-days of an archive by the names of their files: sealed, unsealed, and on their way into it. Nothing is read."""

from __future__ import annotations

import datetime as dt
import os
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from replayer.sources.layout import batch_folder, gaming_days, journals_by_day, named_day, parts_on_their_way
from replayer.sources.listing import SEALED, named_table, sealed_in
from replayer.sources.misplaced import misplaced


@dataclass(frozen=True, slots=True, order=True)
class TableDayRef:
    """A table-day of an archive by the names of its files, before anything is read; ``misplaced`` are those out of place."""

    gaming_day: dt.date
    table_id: str
    archive: Path
    misplaced: tuple[Path, ...] = field(default=(), compare=False)


def table_days(archive: Path, day: dt.date | None = None, table: str | None = None) -> list[TableDayRef]:
    """The table-days in their places, and misplaced logs whose path names a gaming day, by gaming day and table, those of one
    table with what may hold one of it; reading one of the latter raises its damage. OSError where a folder cannot be read."""
    lying: defaultdict[tuple[dt.date, str], list[Path]] = defaultdict(list)
    for each in misplaced(archive):
        if each.gaming_day and day in (None, each.gaming_day) and (table is None or each.may_be_of(table)):
            lying[each.gaming_day, each.table_id].append(each.file)
    refs = {TableDayRef(*named, archive, tuple(files)) for named, files in lying.items()}
    return sorted(refs | table_days_in_place(archive, day, table))


def sealed_and_unsealed(
    archive: Path, day: dt.date | None = None, table: str | None = None
) -> tuple[list[TableDayRef], list[TableDayRef]]:
    """The :func:`table_days` and the :func:`unsealed` ones. One that is sealed meanwhile is among the one or the other."""
    before = set(unsealed(archive, day, table))
    sealed = table_days(archive, day, table)
    return sealed, sorted(before.difference(sealed).union(unsealed(archive, day, table)))


def table_days_in_place(archive: Path, day: dt.date | None = None, table: str | None = None) -> set[TableDayRef]:
    """The table-days with a sealed file, without those of a batch on its way.

    A file with a foreign name is listed under that name, made printable. Something else in the place of a gaming day's folder,
    and a folder that cannot be read, is listed under the folder's name, also for one table, which may be in it; reading it
    raises the damage.
    """
    while True:
        refs = _with_files(archive, day, table)
        hidden = under_import(archive)
        # If the listing is the same before and after, what was hidden in between is all of a batch or nothing.
        if not batch_folder(archive).is_dir() or refs == _with_files(archive, day, table):
            return refs - hidden


def _with_files(archive: Path, day: dt.date | None, table: str | None) -> set[TableDayRef]:
    refs: set[TableDayRef] = set()
    for gaming_day in [day] if day else gaming_days(archive):
        folder = archive / gaming_day.isoformat()
        if os.path.lexists(folder) and not folder.is_dir():
            refs.add(TableDayRef(gaming_day, folder.name, archive))
            continue
        try:
            sealed = sealed_in(folder)
            refs.update(TableDayRef(gaming_day, each, archive) for each in sealed if table in (None, each))
        except OSError:
            refs.add(TableDayRef(gaming_day, folder.name, archive))
    return refs


def under_import(archive: Path, day: dt.date | None = None) -> set[TableDayRef]:
    """The table-days, all or those of a day, of a batch on its way into the archive: an import under way, or one that was killed;
    with a container or a manifest alone, too."""
    return {
        TableDayRef(of, named_table(file), archive)
        for file in parts_on_their_way(archive)
        if file.suffix in SEALED and (of := named_day(file.parent.name)) and day in (None, of)
    }


def unsealed(archive: Path, day: dt.date | None = None, table: str | None = None) -> list[TableDayRef]:
    """The table-days with a journal, which holds events not yet sealed, and those of a batch on its way. They are not replayed. A
    journal with a foreign name is listed under that name, a gaming day's folder that cannot be read under the day, also for one
    table, which may be in it. OSError where the folder of all journals cannot be read."""
    refs = {ref for ref in under_import(archive, day) if table in (None, ref.table_id)}
    for each, files, closed_ in journals_by_day(archive, day):
        names = [each.isoformat()] if closed_ else [name for name in map(named_table, files) if table in (None, name)]
        refs.update(TableDayRef(each, name, archive) for name in names)
    return sorted(refs)
