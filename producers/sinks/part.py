"""Writes a part of a table-day: the container of its events, its columnar copy, and the manifest with their digests. What a batch
has written of them is put into its places.

The copy needs the column engine, which takes a third of a second to import, when a recorder seals. A part without one is read by
decoding its container.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from producers.sinks import NotDurable, disk_explained
from producers.sinks.durable import sync_folder, write_durably
from producers.sinks.journal import Entry
from replayer.processes.failure import is_failure
from replayer.sources.layout import FILE_MODE, MANIFEST, Manifest, PartName, copies, on_their_way, parts_on_their_way
from replayer.sources.left_out import KEY
from replayer.sources.safe_files import MOST_LOG, files_below, read_file
from schemas.codec import current, in_one_schema
from schemas.container import ContainerDamaged, read_datums, write_container

LEAST: Final = 1_000
"""Events of a part that gets a copy, at least: fewer are decoded as fast, and take less space."""
_THREADS: Final = Path("/proc/self/task")
_FIRST: Final = "polars-0"
"""The name of the column engine's first thread, which starts on its first use."""

_had_threads: int | None = None
"""The process in which the column engine had threads at its last fork."""


def write_part(archive: Path, data: bytes, manifest: Manifest, mode: int = FILE_MODE) -> Manifest:
    """Write one part, container first; an existing container must be the same. Returns the manifest as written: with the
    digest of the columnar copy, if there is one."""
    container = manifest.name.container(archive)
    if container.exists() and read_file(container, MOST_LOG) != data:
        raise FileExistsError(0, "a container without manifest is there and differs from the journal; move it away")
    write_durably(container, data, mode)
    copied = replace(manifest, columns_sha256=_write_copy(archive, data, manifest, mode))
    try:
        write_durably(manifest.name.manifest(archive), copied.to_json().encode(), mode)
    except OSError:
        if copied == manifest:
            raise
        manifest.name.columns(archive).unlink()  # a full disk may have room for one of the two
        write_durably(manifest.name.manifest(archive), manifest.to_json().encode(), mode)
        return manifest
    return copied


def remove_unfinished(container: Path, entries: list[Entry]) -> None:
    """Remove a container without a manifest, for which a full disk had no room, where the journal has its events and others
    since: the journal's seal takes its place."""
    if container.exists():
        with suppress(ContainerDamaged):  # who writes the part reports it
            held = {datum for datum, _ in read_datums(read_file(container, MOST_LOG))}
            if held < set(in_one_schema([entry.message for entry in entries])[1]):
                container.unlink()
                sync_folder(container.parent)


def sealed_part(
    name: PartName, entries: list[Entry], follows: str | None, left_out: str = ""
) -> tuple[bytes, Manifest]:
    """The container and the manifest of a part; ``left_out`` is its note on such numbers (:mod:`replayer.sources.left_out`)."""
    schema, datums = in_one_schema([entry.message for entry in entries])
    metadata = {"table_id": name.table_id, "gaming_day": name.gaming_day.isoformat(), "part": str(name.part)}
    if follows is not None:
        metadata["follows"] = follows
    if left_out:
        metadata[KEY] = left_out
    out = io.BytesIO()
    write_container(out, schema, datums, metadata)
    data = out.getvalue()
    return data, Manifest(
        table_id=name.table_id,
        gaming_day=name.gaming_day,
        part=name.part,
        count=len(entries),
        first_seq=entries[0].seq,
        last_seq=entries[-1].seq,
        bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        schema_fingerprint=schema.fingerprint.hex(),
        schema_sha256=schema.sha256,
        follows=follows,
    )


def _write_copy(archive: Path, container: bytes, manifest: Manifest, mode: int) -> str | None:
    """Write the columnar copy of a part's container; gives its digest, or None where the part gets none."""
    forked = _had_threads not in (None, os.getpid())  # from a process in which the column engine had threads
    if manifest.count < LEAST or manifest.schema_sha256 != current().sha256 or forked:
        return None
    place = manifest.name.columns(archive)
    try:
        from replayer.sources.copies import make_copy  # noqa: PLC0415 - only sealing needs the column engine

        copy = make_copy(container, manifest.sha256)
        # A copy damaged by a power cut does not have its digest, and is not read.
        write_durably(place, copy, mode, synced=False)
    except BaseException as error:
        if not is_failure(error):
            raise
        return None
    return hashlib.sha256(copy).hexdigest()


def put_in_place(archive: Path, table_id: str, mode: int) -> None:
    """Move the table-days of a table into their places that a killed batch left; for the holder of the table's lock only."""
    on_its_way = on_their_way(archive)
    for staged in sorted(parts_on_their_way(archive, f"{table_id}.*"), key=lambda path: path.suffix == MANIFEST):
        put_file(staged, archive / staged.relative_to(on_its_way), mode)


def put_file(staged: Path, place: Path, mode: int) -> None:
    """Put a file of a batch into its place, unless it is there; NotDurable where another file is, or the disk failed."""
    with disk_explained(place, f"{staged} has its bytes, do it again"):
        data = read_file(staged, MOST_LOG)
        if not place.exists():
            write_durably(place, data, mode)
        elif read_file(place, MOST_LOG) != data:
            raise NotDurable(f"{place}: it is not the file that {staged} has for this place; move it away")


def put_copies(staged: Path, archive: Path, mode: int) -> None:
    """Put the copies of a batch into their places; errors of the disk are ignored."""
    with suppress(OSError):
        for path in files_below(copies(staged)):
            place = archive / path.relative_to(staged)
            if not os.path.lexists(place):
                write_durably(place, read_file(path, MOST_LOG), mode, synced=False)


def _note_threads() -> None:
    """Note whether the engine has threads: a forked process does not have them, and the engine would wait for them forever."""
    global _had_threads  # noqa: PLW0603 - what a fork leaves behind is one for the process
    if "polars" in sys.modules:
        try:
            running = any((task / "comm").read_text().strip() == _FIRST for task in _THREADS.iterdir())
        except OSError:  # a thread ended, or the system does not show them
            running = True
        if running:
            _had_threads = os.getpid()


os.register_at_fork(before=_note_threads)
