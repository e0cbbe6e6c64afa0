"""Reads the manifests of a table-day's parts, each checked against its path and the part before it."""

from __future__ import annotations

import datetime as dt
import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from replayer.sources.layout import TABLE_ID, Manifest, PartName, part_name
from replayer.sources.listing import sealed_in
from replayer.sources.misplaced import NOT_READ, REMEDY, misplaced
from replayer.sources.safe_files import MOST_LOG, MOST_SMALL, closed, read_file
from replayer.sources.safe_texts import TextRefused
from replayer.sources.table_days import TableDayRef
from schemas.container import ContainerDamaged, Header, read_header
from schemas.printable import printable

_MOST_SHOWN: Final = 500


class TableDayDamaged(Exception):
    """A table-day cannot be read: ``what`` is wrong with ``file``, at byte ``position``, None where it is the whole file."""

    def __init__(self, file: Path, what: str, position: int | None = None) -> None:
        super().__init__(file, what, position)  # pickled for worker processes by these
        self.file, self.what, self.position = file, what, position

    def __str__(self) -> str:
        what = self.what if len(self.what) <= _MOST_SHOWN else f"{self.what[:_MOST_SHOWN]}..."
        return printable(f"{self.file}{'' if self.position is None else f', byte {self.position}'}: {what}")


def read_manifests(ref: TableDayRef) -> tuple[Manifest, ...]:
    """The manifests of a table-day's parts, in order; TableDayDamaged where one is missing, unreadable, or of something else."""
    manifests: list[Manifest] = []
    for name in _parts(ref):
        path, container = name.manifest(ref.archive), name.container(ref.archive)
        if not os.path.lexists(path):
            raise _without_manifest(ref, container)
        try:
            manifest = Manifest.from_json(read_part_file(path, MOST_SMALL))
        except TextRefused as error:
            raise TableDayDamaged(path, f"no whole manifest: {error}") from None
        if (manifest.table_id, manifest.gaming_day) != (ref.table_id, ref.gaming_day):
            raise claims_other(ref, path, manifest.table_id, manifest.gaming_day)
        if manifest.part != name.part:
            raise TableDayDamaged(path, f"it says that it is part {manifest.part}, its path says part {name.part}")
        if manifest.follows != (manifests[-1].sha256 if manifests else None):
            raise TableDayDamaged(path, "it follows another container than the part before it")
        if not os.path.lexists(container):
            raise TableDayDamaged(container, "the container is missing, its manifest is there")
        manifests.append(manifest)
    return tuple(manifests)


def claimed_totals(manifests: Sequence[Manifest]) -> tuple[int, int, int]:
    """The first number, the last number and the count of a table-day's events, by its manifests."""
    return (
        min(part.first_seq for part in manifests),
        max(part.last_seq for part in manifests),
        sum(part.count for part in manifests),
    )


def _parts(ref: TableDayRef) -> list[PartName]:
    """The parts with a file, in order, and the first missing one where later parts exist."""
    if ref.table_id.endswith(NOT_READ) and (lying := ref.misplaced or _misplaced(ref)):
        raise _out_of_place(lying)
    folder = ref.archive / ref.gaming_day.isoformat()
    if os.path.lexists(folder) and not folder.is_dir():
        raise TableDayDamaged(folder, "it is no folder of a gaming day")
    try:
        files = [folder / name for name in sealed_in(folder).get(ref.table_id, ())]
    except OSError as error:
        raise TableDayDamaged(folder, closed(folder, error)) from None
    found = {name.part for name in map(part_name, files) if name}
    if not found:
        if files:
            raise TableDayDamaged(files[0], "no table-day of an archive has such a name")
        raise TableDayDamaged(folder / f"{ref.table_id}.avro", "there is no such sealed table-day")
    whole = next(part for part in itertools.count() if part not in found)
    return [PartName(ref.gaming_day, ref.table_id, part) for part in range(whole + (whole < len(found)))]


def _misplaced(ref: TableDayRef) -> list[Path]:
    """The misplaced logs of a table-day that somebody named, and did not find in a list."""
    named = (ref.gaming_day, ref.table_id)
    return [each.file for each in misplaced(ref.archive) if (each.gaming_day, each.table_id) == named]


def _out_of_place(files: Sequence[Path]) -> TableDayDamaged:
    more = f", as {len(files) - 1} more of it" if len(files) > 1 else ""
    return TableDayDamaged(files[0], f"not read{more}; an archive keeps no log under this path: put it {REMEDY}")


def _without_manifest(ref: TableDayRef, container: Path) -> TableDayDamaged:
    if os.path.lexists(container):
        try:
            named = table_day_in(read_header(read_part_file(container, MOST_LOG)))
        except ContainerDamaged:
            named = None
        if named is None:
            return TableDayDamaged(container, "a container without a manifest, and not one of an archive")
        if named != (ref.table_id, ref.gaming_day):
            return claims_other(ref, container, *named)
        return TableDayDamaged(container, "a container without a manifest: it was not sealed to the end")
    return TableDayDamaged(container, "a part of the table-day is missing, with its manifest")


def table_day_in(header: Header) -> tuple[str, dt.date] | None:
    """The table and the gaming day that a container's header names; None where it names none, as another program's may."""
    try:
        return header.metadata["table_id"], dt.date.fromisoformat(header.metadata["gaming_day"])
    except (KeyError, ValueError):
        return None


def claims_other(ref: TableDayRef, file: Path, table_id: str, gaming_day: dt.date | None) -> TableDayDamaged:
    """The damage of a file that names another table or gaming day (None: one beyond the calendar) than its path."""
    claimed = gaming_day or "a day beyond the calendar"
    what = f"it says that it is table {table_id} of {claimed}, its path says {ref.table_id} of {ref.gaming_day}"
    if gaming_day is not None and TABLE_ID.fullmatch(table_id):
        other = PartName(gaming_day, table_id).container(ref.archive)
        if os.path.lexists(other) and other != file.with_suffix(other.suffix):
            what += f"; {other} is that table-day: two table-days with one name"
    return TableDayDamaged(file, what)


def read_part_file(file: Path, most: int) -> bytes:
    """Read a file; a failure damages its table-day, not the whole run."""
    try:
        return read_file(file, most)
    except OSError as error:
        raise TableDayDamaged(file, f"it cannot be read: {error.strerror}") from None
