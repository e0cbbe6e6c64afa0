"""Writes a part of a table-day: the container of its events, its columnar copy, and the manifest with their digests."""

from __future__ import annotations

import hashlib
import io
from dataclasses import replace
from pathlib import Path

from producers.sinks.copy import write_copy
from producers.sinks.durable import make_folder, write_durably
from producers.sinks.journal import Entry
from replayer.sources.layout import FILE_MODE, Manifest, PartName
from replayer.sources.left_out_note import KEY
from replayer.sources.safe_files import MOST_LOG, read_file
from schemas.codec import in_one_schema
from schemas.container import write_container


def write_part(archive: Path, data: bytes, manifest: Manifest, mode: int = FILE_MODE) -> Manifest:
    """Write one part, container first; an existing container must be the same. Returns the manifest as written: with the
    digest of the columnar copy, if there is one."""
    container = manifest.name.container(archive)
    make_folder(container.parent, mode)
    if container.exists() and read_file(container, MOST_LOG) != data:
        raise FileExistsError(0, "a container without manifest is there and differs from the journal; move it away")
    write_durably(container, data, mode)
    copied = replace(manifest, columns_sha256=write_copy(archive, data, manifest, mode))
    try:
        write_durably(manifest.name.manifest(archive), copied.to_json().encode(), mode)
    except OSError:
        if copied == manifest:
            raise
        manifest.name.columns(archive).unlink()  # a full disk may have room for one of the two
        write_durably(manifest.name.manifest(archive), manifest.to_json().encode(), mode)
        return manifest
    return copied


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
