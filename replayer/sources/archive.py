"""Reads sealed table-days: checks the digest first, then decodes directly into columns.

An Avro container has no end mark, and a flipped bit can decode to another card, so nothing is decoded before the file's SHA-256
equals the one in its manifest. A fault is raised as :class:`Damage`, with file and byte. Where the manifest also pins a columnar
copy of the container, the columns are read from the copy; a faulty copy is ignored.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl

from replayer.log.compaction import PIECE
from replayer.processes.failure import in_one_line, is_failure
from replayer.sources.copies import most_bytes, read_copy
from replayer.sources.decoding import flat, flat_in_one
from replayer.sources.layout import (
    TABLE_ID,
    Manifest,
    ManifestUnreadable,
    PartName,
    batch_folder,
    gaming_days,
    journals_by_day,
    named_day,
    part_name,
    parts_on_their_way,
)
from replayer.sources.listing import SEALED, named_table, sealed_in
from replayer.sources.misplaced import REMEDY, misplaced, misplaced_of
from replayer.sources.safe_files import MOST_LOG, MOST_SMALL, closed, printable, read_file
from schemas.codec import MessageUnreadable, Schema, UnknownSchema, current, decode_datum, schema_of
from schemas.container import ContainerDamaged, Header, first_damage, first_stray, read_blocks, read_datums, read_header
from schemas.event import Event
from schemas.plural import plural

_MOST_SHOWN: Final = 500
_EPOCH: Final = dt.date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Damage:
    """What is wrong with a file. ``position`` is the byte where it shows, None where it concerns the whole file."""

    file: Path
    position: int | None
    what: str

    def __str__(self) -> str:
        what = self.what if len(self.what) <= _MOST_SHOWN else f"{self.what[:_MOST_SHOWN]}..."
        return printable(f"{self.file}{'' if self.position is None else f', byte {self.position}'}: {what}")


class TableDayDamaged(Exception):
    """A table-day cannot be read; ``damage`` says where and why."""

    def __init__(self, damage: Damage) -> None:
        super().__init__(str(damage))
        self.damage = damage

    def __reduce__(self) -> tuple[type[TableDayDamaged], tuple[Damage]]:
        return TableDayDamaged, (self.damage,)  # makes it picklable for worker processes


@dataclass(frozen=True, slots=True, order=True)
class TableDayRef:
    """A table-day of an archive by the names of its files, before anything is read."""

    gaming_day: dt.date
    table_id: str
    archive: Path


@dataclass(frozen=True, slots=True)
class _Part:
    """A container whose digest is the manifest's, and the schema it was written with."""

    manifest: Manifest
    file: Path
    data: bytes
    schema: Schema


class _Verified(NamedTuple):
    """A table-day whose parts have the digests of their manifests."""

    ref: TableDayRef
    parts: tuple[_Part, ...]


def table_days(archive: Path, day: dt.date | None = None, table: str | None = None) -> list[TableDayRef]:
    """The table-days in their places, and misplaced logs whose path names a gaming day, by gaming day and table, those of one
    table with what may hold one of it; reading one of the latter raises its damage.

    Raises:
        OSError: a folder cannot be read.
    """
    refs = {
        TableDayRef(each.gaming_day, each.table_id, archive)
        for each in misplaced(archive)
        if each.gaming_day and day in (None, each.gaming_day) and (table is None or each.may_be_of(table))
    }
    refs.update(table_days_in_place(archive, day, table))
    return sorted(refs)


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
        if _there(folder) and not folder.is_dir():
            refs.add(TableDayRef(gaming_day, folder.name, archive))
            continue
        try:
            sealed = sealed_in(folder)
            refs.update(TableDayRef(gaming_day, each, archive) for each in sealed if table in (None, each))
        except OSError:
            refs.add(TableDayRef(gaming_day, folder.name, archive))
    return refs


def under_import(archive: Path, day: dt.date | None = None) -> set[TableDayRef]:
    """The table-days, all or those of a day, of a batch on its way into the archive: an import under way, or one that was killed.
    A table-day without its container or manifest there counts too."""
    return {
        TableDayRef(of, named_table(file), archive)
        for file in parts_on_their_way(archive)
        if file.suffix in SEALED and (of := named_day(file.parent.name)) and day in (None, of)
    }


def unsealed(archive: Path, day: dt.date | None = None, table: str | None = None) -> list[TableDayRef]:
    """The table-days with a journal, which holds events not yet sealed, and those of a batch on its way. They are not replayed. A
    journal with a foreign name is listed under that name, a gaming day's folder that cannot be read under the day, also for one
    table, which may be in it.

    Raises:
        OSError: the folder of all journals cannot be read.
    """
    refs = {ref for ref in under_import(archive, day) if table in (None, ref.table_id)}
    for each, files, closed_ in journals_by_day(archive, day):
        names = [each.isoformat()] if closed_ else [name for name in map(named_table, files) if table in (None, name)]
        refs.update(TableDayRef(each, name, archive) for name in names)
    return sorted(refs)


def read_manifests(ref: TableDayRef) -> tuple[Manifest, ...]:
    """The manifests of a table-day's parts, in order, each checked against its path and the part that it follows.

    Raises:
        TableDayDamaged: one is missing, unreadable, or names something else.
    """
    manifests: list[Manifest] = []
    for name in _parts(ref):
        path, container = name.manifest(ref.archive), name.container(ref.archive)
        if not _there(path):
            raise _without_manifest(ref, container)
        try:
            manifest = Manifest.from_json(_read(path, MOST_SMALL))
        except ManifestUnreadable as error:
            raise TableDayDamaged(Damage(path, None, f"no whole manifest: {error}")) from None
        if manifest.name != name:
            raise _claims_other(ref, path, manifest.table_id, manifest.gaming_day)
        if manifest.follows != (manifests[-1].sha256 if manifests else None):
            raise TableDayDamaged(Damage(path, None, "it follows another container than the part before it"))
        if not _there(container):
            raise TableDayDamaged(Damage(container, None, "the container is missing, its manifest is there"))
        manifests.append(manifest)
    return tuple(manifests)


def claimed_totals(manifests: Sequence[Manifest]) -> tuple[int, int, int]:
    """The first number, the last number and the count of a table-day's events, by its manifests."""
    return (
        min(part.first_seq for part in manifests),
        max(part.last_seq for part in manifests),
        sum(part.count for part in manifests),
    )


def read_columns(ref: TableDayRef) -> pl.DataFrame:
    """All events of a table-day as flat columns (schema ``replayer.log.columns.FLAT``), late parts behind the first.

    Raises:
        TableDayDamaged: a file is not what was sealed, or not of this table-day.
    """
    [read] = read_all([ref])
    if isinstance(read, TableDayDamaged):
        raise read
    return read.columns


class Sealed(NamedTuple):
    """A table-day as read: the manifests of its parts and its events, as :func:`read_columns` gives them."""

    ref: TableDayRef
    manifests: tuple[Manifest, ...]
    columns: pl.DataFrame


def read_all(refs: Iterable[TableDayRef]) -> Iterator[Sealed | TableDayDamaged]:
    """The manifests and columns of table-days, in order; for one that cannot be read, the damage.

    Small ones are decoded together, about :data:`~replayer.log.compaction.PIECE` events at a time, because a container of thirty
    events costs as much as one of a thousand.
    """
    waiting: list[_Verified | TableDayDamaged] = []
    free = PIECE
    for ref in refs:
        try:
            manifests = read_manifests(ref)
            events = sum(part.count for part in manifests)
            if events > free:
                yield from _decoded(waiting)
                waiting, free = [], PIECE
            waiting.append(_Verified(ref, tuple(_verified(ref, manifests))))
        except TableDayDamaged as damaged:
            waiting.append(damaged)
        else:
            free -= events
    yield from _decoded(waiting)


def _decoded(waiting: Sequence[_Verified | TableDayDamaged]) -> Iterator[Sealed | TableDayDamaged]:
    parts = [(one.ref, part) for one in waiting if isinstance(one, _Verified) for part in one.parts]
    copied = {part.file: _copied(ref, part) for ref, part in parts}
    decoded = _decoded_in_one([part for _, part in parts if copied[part.file] is None])
    for one in waiting:
        if isinstance(one, TableDayDamaged):
            yield one
            continue
        try:
            own = [
                frame if (frame := copied[part.file]) is not None
                else next(decoded) if decoded
                else _columns(one.ref, part)
                for part in one.parts
            ]  # fmt: skip
        except TableDayDamaged as damaged:
            yield damaged
        else:
            manifests = tuple(part.manifest for part in one.parts)
            yield Sealed(one.ref, manifests, own[0] if len(own) == 1 else pl.concat(own))


def read_events(ref: TableDayRef) -> Iterator[Event]:
    """All events of a table-day one by one, to compare events; twenty times slower than the columns.

    Raises:
        TableDayDamaged: as :func:`read_columns`.
    """
    for part in _verified(ref, read_manifests(ref)):
        _require_blocks(part)
        try:
            for datum, _ in read_datums(part.data):
                yield decode_datum(datum, part.schema)
        except (ContainerDamaged, MessageUnreadable) as error:
            raise TableDayDamaged(_unreadable(part, error)) from None


def read_sealed(part: Manifest, archive: Path) -> bytes:
    """A container's bytes, checked against the digest in its manifest.

    Raises:
        TableDayDamaged: they differ, or cannot be read.
    """
    file = part.name.container(archive)
    data = _read(file, MOST_LOG)
    if hashlib.sha256(data).hexdigest() != part.sha256:
        raise TableDayDamaged(_altered(file, data, part))
    return data


def _read(file: Path, most: int) -> bytes:
    """Read a file; a failure damages its table-day, not the whole run."""
    try:
        return read_file(file, most)
    except OSError as error:
        raise TableDayDamaged(Damage(file, None, f"it cannot be read: {error.strerror}")) from None


def _there(file: Path) -> bool:
    """Whether a name exists, whatever it is; reading it shows that."""
    return os.path.lexists(file)


def _parts(ref: TableDayRef) -> list[PartName]:
    """The parts with a file, in order, and the first missing one where later parts exist."""
    if lying := misplaced_of(ref.archive, ref.gaming_day, ref.table_id):
        raise TableDayDamaged(_out_of_place(lying))
    folder = ref.archive / ref.gaming_day.isoformat()
    if _there(folder) and not folder.is_dir():
        raise TableDayDamaged(Damage(folder, None, "it is no folder of a gaming day"))
    try:
        files = [folder / name for name in sealed_in(folder).get(ref.table_id, ())]
    except OSError as error:
        raise TableDayDamaged(Damage(folder, None, closed(folder, error))) from None
    found = {name.part for name in map(part_name, files) if name}
    if not found:
        if files:
            raise TableDayDamaged(Damage(files[0], None, "no table-day of an archive has such a name"))
        raise TableDayDamaged(Damage(folder / f"{ref.table_id}.avro", None, "there is no such table-day"))
    whole = next(part for part in itertools.count() if part not in found)
    return [PartName(ref.gaming_day, ref.table_id, part) for part in range(whole + (whole < len(found)))]


def _out_of_place(files: Sequence[Path]) -> Damage:
    more = f", as {len(files) - 1} more of it" if len(files) > 1 else ""
    what = f"an archive keeps no log under this path: put it {REMEDY}"
    return Damage(files[0], None, f"not read{more}; {what}")


def _verified(ref: TableDayRef, manifests: Sequence[Manifest]) -> Iterator[_Part]:
    for manifest in manifests:
        file = manifest.name.container(ref.archive)
        data = read_sealed(manifest, ref.archive)
        try:
            header = read_header(data)
            schema = schema_of(header.schema_text)
        except ContainerDamaged as error:
            raise TableDayDamaged(Damage(file, error.position, error.what)) from None
        except UnknownSchema as error:
            raise TableDayDamaged(Damage(file, 0, str(error))) from None
        if (schema.sha256, schema.fingerprint.hex()) != (manifest.schema_sha256, manifest.schema_fingerprint):
            raise TableDayDamaged(Damage(file, 0, "it was written with another schema than its manifest says"))
        if (named := _named(header)) and named != (ref.table_id, ref.gaming_day):
            raise _claims_other(ref, file, *named)
        yield _Part(manifest, file, data, schema)


def _named(header: Header) -> tuple[str, dt.date] | None:
    """The table and the gaming day that a container's header names; None where it names none, as another program's may."""
    try:
        return header.metadata["table_id"], dt.date.fromisoformat(header.metadata["gaming_day"])
    except (KeyError, ValueError):
        return None


def _require_blocks(part: _Part) -> None:
    """Check a container's blocks against its manifest, before memory is allocated for their claims.

    Raises:
        TableDayDamaged: a block is not whole, or they hold another number of events.
    """
    try:
        count = sum(block.count for block in read_blocks(part.data))
    except ContainerDamaged as error:
        raise TableDayDamaged(Damage(part.file, error.position, error.what)) from None
    if count != part.manifest.count:
        raise _claims_others(part.file, part.manifest, count)


def _altered(file: Path, data: bytes, manifest: Manifest) -> Damage:
    cut = f"{len(data)} bytes instead of {manifest.bytes}; " if len(data) != manifest.bytes else ""
    found = first_damage(data, manifest.count)
    if found is None:
        return Damage(file, None, f"{cut}its SHA-256 is not the manifest's, although every block can be read")
    where = f"{found.what}; {found.readable} of {manifest.count} events stand before it"
    return Damage(file, found.position, f"{cut}its SHA-256 is not the manifest's: {where}")


def _without_manifest(ref: TableDayRef, container: Path) -> TableDayDamaged:
    if _there(container):
        try:
            named = _named(read_header(_read(container, MOST_LOG)))
        except ContainerDamaged:
            named = None
        if named is None:
            return TableDayDamaged(Damage(container, None, "a container without a manifest, and not one of an archive"))
        if named != (ref.table_id, ref.gaming_day):
            return _claims_other(ref, container, *named)
        return TableDayDamaged(Damage(container, None, "a container without a manifest: it was not sealed to the end"))
    return TableDayDamaged(Damage(container, None, "a part of the table-day is missing, with its manifest"))


def _all_are(column: pl.Series, value: str | dt.date) -> bool:
    """Whether all rows of a column of texts or days have a value; compares physical numbers."""
    numbers, [wanted] = column.to_physical(), pl.Series([value], dtype=column.dtype).to_physical()
    return not column.has_nulls() and (numbers.min(), numbers.max()) == (wanted, wanted)


def _day(days: pl.Series) -> dt.date | None:
    """The first of some days; None where it lies outside of Python's calendar."""
    number = int(days.to_physical()[0])
    try:
        return _EPOCH + dt.timedelta(days=number)
    except OverflowError:
        return None


def _unreadable(part: _Part, error: BaseException) -> Damage:
    """The damage of a container that no reader takes although its digest is right: another program wrote it so."""
    stray = first_stray(part.data, part.schema)
    if stray is None:
        return Damage(part.file, None, f"its events cannot be read: {in_one_line(error)}")
    return Damage(
        part.file, stray.position, f"{stray.what}; {plural(stray.readable, 'event stands', 'events stand')} before it"
    )


def _claims_other(ref: TableDayRef, file: Path, table_id: str, gaming_day: dt.date | None) -> TableDayDamaged:
    claimed = gaming_day or "a day beyond the calendar"
    what = f"it says that it is table {table_id} of {claimed}, its path says {ref.table_id} of {ref.gaming_day}"
    if gaming_day is not None and TABLE_ID.fullmatch(table_id):
        other = PartName(gaming_day, table_id).container(ref.archive)
        if _there(other) and other != file.with_suffix(other.suffix):
            what += f"; {other} is that table-day: two table-days with one name"
    return TableDayDamaged(Damage(file, None, what))


def _claims_others(file: Path, claimed: Manifest, count: int) -> TableDayDamaged:
    what = f"it holds {plural(count, 'event')}, its manifest says {claimed.count}, {claimed.first_seq} to {claimed.last_seq}"
    return TableDayDamaged(Damage(file, None, what))


def _columns(ref: TableDayRef, part: _Part) -> pl.DataFrame:
    _require_blocks(part)
    try:
        frame = flat(part.data, part.schema)
    except BaseException as error:
        if not is_failure(error):
            raise
        raise TableDayDamaged(_unreadable(part, error)) from error
    return _checked(ref, part, frame)


def _copied(ref: TableDayRef, part: _Part) -> pl.DataFrame | None:
    """The columns of a part from its columnar copy; None where the copy is missing or faulty in any way."""
    claimed = part.manifest
    if claimed.columns_sha256 is None or part.schema is not current():
        return None
    try:
        data = read_file(claimed.name.columns(ref.archive), most_bytes(len(part.data)))
        if hashlib.sha256(data).hexdigest() != claimed.columns_sha256:
            return None
        return _checked(ref, part, read_copy(data, claimed.sha256))
    except BaseException as error:
        if not is_failure(error):
            raise
        return None


def _checked(ref: TableDayRef, part: _Part, frame: pl.DataFrame) -> pl.DataFrame:
    """The columns of a part, checked against its manifest and its path."""
    claimed = part.manifest
    if (frame.height, frame["seq"].min(), frame["seq"].max()) != (claimed.count, claimed.first_seq, claimed.last_seq):
        raise _claims_others(part.file, claimed, frame.height)
    if not (_all_are(frame["table_id"], ref.table_id) and _all_are(frame["gaming_day"], ref.gaming_day)):
        strange = frame.filter(
            pl.col("table_id").ne_missing(ref.table_id) | pl.col("gaming_day").ne_missing(ref.gaming_day)
        )
        raise _claims_other(ref, part.file, strange["table_id"][0], _day(strange["gaming_day"]))
    return frame


def _decoded_in_one(parts: Sequence[_Part]) -> Iterator[pl.DataFrame] | None:
    """The columns of each part, decoded together; None where one differs from its manifest, which reading it alone will
    report."""
    if len(parts) < 2 or any(part.schema is not current() for part in parts):
        return None
    try:
        for part in parts:
            _require_blocks(part)
        frame = flat_in_one([part.data for part in parts])
    except BaseException as error:
        if not is_failure(error):
            raise
        return None
    claimed = [part.manifest for part in parts]
    number = pl.Series([part.count for part in claimed], dtype=pl.Int64)
    if frame.height != number.sum():
        return None
    of_part = pl.int_range(number.len(), eager=True).repeat_by(number).explode()
    names = [pl.col("table_id").cast(pl.String), pl.col("gaming_day").to_physical()]  # a day may be beyond the calendar
    found = frame.select("seq", *names, part=of_part).group_by("part", maintain_order=True).agg(
        pl.col("seq").min().alias("first"), pl.col("seq").max().alias("last"),
        pl.col("table_id", "gaming_day").first(), same=pl.struct("table_id", "gaming_day").n_unique(),
    )  # fmt: skip
    wanted = [(part.first_seq, part.last_seq, part.table_id, (part.gaming_day - _EPOCH).days, 1) for part in claimed]
    if found.drop("part").rows() != wanted:
        return None
    ends = itertools.accumulate(part.count for part in claimed)
    return (frame.slice(end - part.count, part.count) for end, part in zip(ends, claimed, strict=True))
