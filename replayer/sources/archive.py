"""Reads sealed table-days: checks the digest first, then decodes directly into columns.

An Avro container has no end mark, and a flipped bit can decode to another card, so nothing is decoded before the file's SHA-256
equals the one in its manifest. A fault is TableDayDamaged, with file and byte. Where the manifest also pins a columnar copy of
the container, the columns are read from the copy; a faulty copy is ignored.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from replayer.log.columns import TableDay, of_kind
from replayer.log.compaction import PIECE
from replayer.processes.failure import in_one_line, is_failure
from replayer.sources.copies import most_bytes, read_copy
from replayer.sources.decoding import flat
from replayer.sources.layout import Manifest
from replayer.sources.left_out import MOST_NUMBERS, NumbersLeftOut
from replayer.sources.manifests import TableDayDamaged, claims_other, read_manifests, read_part_file, table_day_in
from replayer.sources.safe_files import MOST_LOG, read_file
from replayer.sources.table_days import TableDayRef
from schemas.codec import Schema, UnknownSchema, current, schema_of
from schemas.container import ContainerDamaged, first_damage, first_stray, in_one, read_blocks, read_header
from schemas.plural import plural

_EPOCH: Final = dt.date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class _Part:
    """A container of a table-day whose digest is the manifest's, and the schema it was written with."""

    ref: TableDayRef
    manifest: Manifest
    file: Path
    data: bytes
    schema: Schema
    note: NumbersLeftOut


def read_table_day(ref: TableDayRef) -> TableDay:
    """A table-day, late parts behind the first, with the numbers that other days hold; TableDayDamaged where a file is not what
    was sealed, or not of this table-day."""
    [read] = read_table_days([ref])
    if isinstance(read, TableDayDamaged):
        raise read
    return read


def read_table_days(refs: Iterable[TableDayRef]) -> Iterator[TableDay | TableDayDamaged]:
    """Table-days in order; for one that cannot be read, the damage. Small ones are decoded together, some ``PIECE`` events at a
    time, because a container of thirty events costs as much as one of a thousand."""
    waiting: list[list[_Part] | TableDayDamaged] = []
    free = PIECE
    for ref in refs:
        try:
            manifests = read_manifests(ref)
            events = sum(part.count for part in manifests)
            if events > free:
                yield from _decoded(waiting)
                waiting, free = [], PIECE
            waiting.append(list(_verified(ref, manifests)))
        except TableDayDamaged as damaged:
            waiting.append(damaged)
        else:
            free -= events
    yield from _decoded(waiting)


def _decoded(waiting: Sequence[list[_Part] | TableDayDamaged]) -> Iterator[TableDay | TableDayDamaged]:
    parts = [part for one in waiting if isinstance(one, list) for part in one]
    known = {part.file: frame for part in parts if (frame := _copied(part)) is not None}
    known |= _decoded_in_one([part for part in parts if part.file not in known])
    for one in waiting:
        if isinstance(one, TableDayDamaged):
            yield one
            continue
        try:
            own = [known[part.file] if part.file in known else _columns(part) for part in one]
        except TableDayDamaged as damaged:
            yield damaged
        else:
            yield TableDay(
                one[0].ref.table_id,
                one[0].ref.gaming_day,
                own[0] if len(own) == 1 else pl.concat(own),
                _on_other_days(one, own),
                sealed=tuple(part.manifest.sha256 for part in one),
                parts=tuple(part.manifest.count for part in one),
                since=one[0].note.since,
            )


def _on_other_days(parts: Sequence[_Part], events: Sequence[pl.DataFrame]) -> frozenset[int]:
    """The numbers that a table-day (its ``events`` part by part) leaves out and other gaming days of the table hold.

    A number left out within its play is missing, whatever later day claims it (:meth:`NumbersLeftOut.numbers`).
    """
    own = pl.concat(frame["seq"] for frame in events).unique().sort()
    if len(own) == own[-1] - own[0] + 1:
        return frozenset()
    closings = (of_kind(frame, ("TableClosed",), "seq")["seq"].min() for frame in events)
    closed: int | None = next((seq for seq in closings if seq is not None), None)  # type: ignore[assignment]
    found: set[int] = set()
    above = parts[0].manifest.first_seq
    for part in parts:
        if part.manifest.last_seq > above:  # than all before
            found |= part.note.numbers(above, part.manifest.last_seq, closed, MOST_NUMBERS - len(found))
            above = part.manifest.last_seq
    return frozenset(found.difference(own.to_list()))


def read_sealed(part: Manifest, archive: Path) -> bytes:
    """A container's bytes; TableDayDamaged where their digest is not that of the manifest, or they cannot be read."""
    file = part.name.container(archive)
    data = read_part_file(file, MOST_LOG)
    if hashlib.sha256(data).hexdigest() != part.sha256:
        raise _altered(file, data, part)
    return data


def _verified(ref: TableDayRef, manifests: Sequence[Manifest]) -> Iterator[_Part]:
    for manifest in manifests:
        file = manifest.name.container(ref.archive)
        data = read_sealed(manifest, ref.archive)
        try:
            header = read_header(data)
            schema = schema_of(header.schema_text)
        except ContainerDamaged as error:
            raise TableDayDamaged(file, error.what, error.position) from None
        except UnknownSchema as error:
            raise TableDayDamaged(file, str(error), 0) from None
        if (schema.sha256, schema.fingerprint.hex()) != (manifest.schema_sha256, manifest.schema_fingerprint):
            raise TableDayDamaged(file, "it was written with another schema than its manifest says", 0)
        if (named := table_day_in(header)) and named != (ref.table_id, ref.gaming_day):
            raise claims_other(ref, file, *named)
        yield _Part(ref, manifest, file, data, schema, NumbersLeftOut.from_metadata(header.metadata))


def _require_blocks(part: _Part) -> None:
    """Check that a container's blocks are whole and hold what its manifest says, before memory is allocated for their claims."""
    try:
        count = sum(block.count for block in read_blocks(part.data))
    except ContainerDamaged as error:
        raise TableDayDamaged(part.file, error.what, error.position) from None
    if count != part.manifest.count:
        raise _claims_others(part, count)


def _altered(file: Path, data: bytes, manifest: Manifest) -> TableDayDamaged:
    cut = f"{len(data)} bytes instead of {manifest.bytes}; " if len(data) != manifest.bytes else ""
    what = f"{cut}its SHA-256 is not the manifest's"
    found = first_damage(data, manifest.count)
    if found is None:
        return TableDayDamaged(file, f"{what}, although every block can be read")
    before = f"{found.readable} of {manifest.count} events stand before it"
    return TableDayDamaged(file, f"{what}: {found.what}; {before}", found.position)


def _day(days: pl.Series) -> dt.date | None:
    """The first of some days; None where it lies outside of Python's calendar."""
    number = int(days.to_physical()[0])
    try:
        return _EPOCH + dt.timedelta(days=number)
    except OverflowError:
        return None


def _unreadable(part: _Part, error: BaseException) -> TableDayDamaged:
    """The damage of a container that no reader takes although its digest is right: another program wrote it so."""
    stray = first_stray(part.data, part.schema)
    if stray is None:
        return TableDayDamaged(part.file, f"its events cannot be read: {in_one_line(error)}")
    before = f"{plural(stray.readable, 'event stands', 'events stand')} before it"
    return TableDayDamaged(part.file, f"{stray.what}; {before}", stray.position)


def _claims_others(part: _Part, count: int) -> TableDayDamaged:
    claimed = part.manifest
    what = f"it holds {plural(count, 'event')}, its manifest says {claimed.count}, {claimed.first_seq} to {claimed.last_seq}"
    return TableDayDamaged(part.file, what)


def _columns(part: _Part) -> pl.DataFrame:
    _require_blocks(part)
    try:
        frame = flat(part.data, part.schema)
    except BaseException as error:
        if not is_failure(error):
            raise
        raise _unreadable(part, error) from error
    return _checked(part, frame)


def _copied(part: _Part) -> pl.DataFrame | None:
    """The columns of a part from its columnar copy; None where the copy is missing or faulty in any way."""
    claimed = part.manifest
    if claimed.columns_sha256 is None or part.schema is not current():
        return None
    try:
        data = read_file(claimed.name.columns(part.ref.archive), most_bytes(len(part.data)))
        if hashlib.sha256(data).hexdigest() != claimed.columns_sha256:
            return None
        return _checked(part, read_copy(data, claimed.sha256))
    except BaseException as error:
        if not is_failure(error):
            raise
        return None


def _checked(part: _Part, frame: pl.DataFrame) -> pl.DataFrame:
    """The columns of a part, checked against its manifest and its path."""
    ref, claimed = part.ref, part.manifest
    if (frame.height, frame["seq"].min(), frame["seq"].max()) != (claimed.count, claimed.first_seq, claimed.last_seq):
        raise _claims_others(part, frame.height)
    strange = (frame["table_id"].ne_missing(ref.table_id) | frame["gaming_day"].ne_missing(ref.gaming_day)).arg_true()
    if strange.len():
        named = frame.select("table_id", "gaming_day")[strange]
        raise claims_other(ref, part.file, named["table_id"][0], _day(named["gaming_day"]))
    return frame


def _decoded_in_one(parts: Sequence[_Part]) -> dict[Path, pl.DataFrame]:
    """The columns of each part, decoded together; none where one is not as its manifest says: reading it alone will tell."""
    if len(parts) < 2 or any(part.schema is not current() for part in parts):
        return {}
    try:
        for part in parts:
            _require_blocks(part)
        frame = flat(in_one([part.data for part in parts]), current())
        begins = itertools.accumulate((part.manifest.count for part in parts), initial=0)
        return {
            part.file: _checked(part, frame.slice(begin, part.manifest.count))
            for begin, part in zip(begins, parts, strict=False)
        }
    except BaseException as error:
        if not is_failure(error):
            raise
        return {}
