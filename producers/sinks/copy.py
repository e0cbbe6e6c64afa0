"""Writes the columnar copy of a part that is being sealed. A part without a copy is read by decoding its container.

The copy needs the column engine, which takes a third of a second to import, when a recorder seals.
"""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from producers.sinks.durable import make_folder, write_durably
from replayer.processes.failure import is_failure
from replayer.sources.layout import Manifest, copies
from replayer.sources.safe_files import MOST_LOG, files_below, read_file
from schemas.codec import current

LEAST: Final = 1_000
"""Events of a part that gets a copy, at least: fewer are decoded as fast, and take less space."""
_THREADS: Final = Path("/proc/self/task")
_FIRST: Final = "polars-0"
"""The name of the column engine's first thread, which starts on its first use."""

_had_threads: int | None = None
"""The process in which the column engine had threads at its last fork."""


def write_copy(archive: Path, container: bytes, manifest: Manifest, mode: int) -> str | None:
    """Write the columnar copy of a part's container; gives its digest, or None where the part gets none."""
    if manifest.count < LEAST or manifest.schema_sha256 != current().sha256 or _without_threads():
        return None
    place = manifest.name.columns(archive)
    try:
        from replayer.sources.copies import make_copy  # noqa: PLC0415 - only sealing needs the column engine

        copy = make_copy(container, manifest.sha256)
        make_folder(place.parent, mode)
        # A copy damaged by a power cut does not have its digest, and is not read.
        write_durably(place, copy, mode, synced=False)
    except BaseException as error:
        if not is_failure(error):
            raise
        return None
    return hashlib.sha256(copy).hexdigest()


def put_copies(staged: Path, archive: Path, mode: int) -> None:
    """Put the copies of a batch into their places; errors of the disk are ignored."""
    with suppress(OSError):
        for path in files_below(copies(staged)):
            place = archive / path.relative_to(staged)
            if not os.path.lexists(place):
                make_folder(place.parent, mode)
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


def _without_threads() -> bool:
    """Whether this process was forked from one in which the column engine had threads."""
    return _had_threads not in (None, os.getpid())


os.register_at_fork(before=_note_threads)
