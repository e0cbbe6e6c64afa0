"""Adds table-days to an archive together: all of them or none.

They are written to a draft folder that nothing reads. Renaming the draft commits them: from then on they belong to the archive,
but none of them is read until all are in their places. A process killed before the renaming leaves a draft, which the next
batch deletes; one killed later leaves files to be moved, which the next batch does, or the next process that opens one of their
tables. There is one batch at a time.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from producers.sinks import NotDurable, disk_explained
from producers.sinks.archive import ArchiveSink
from producers.sinks.durable import sync_folder, write_durably
from producers.sinks.journal import Entry
from producers.sinks.lock import Lock
from producers.sinks.part import put_copies, put_file, put_in_place, sealed_part, write_part
from replayer.sources.layout import PartName, batch_folder, copies, on_their_way, part_name
from replayer.sources.safe_files import files_below
from schemas.table_day import EncodedDay


class Batch:
    """A batch for the archive of ``sink``, which must not be used after :meth:`commit`.

    Used as a context manager, it finishes what an earlier batch left; without :meth:`commit` it leaves nothing.

    Raises:
        SinkBusy: another batch is under way, or a table of an earlier one is being written.
        NotDurable: the disk failed, or another file is in a place.
    """

    def __init__(self, sink: ArchiveSink) -> None:
        self._sink = sink
        self._archive = sink.archive
        self._mode = sink.file_mode
        self._draft = batch_folder(sink.archive) / "draft"
        self._numbers: dict[str, int] = {}

    def __enter__(self) -> Batch:
        what = f"another import into {self._archive}"
        self._lock = Lock(batch_folder(self._archive) / "lock", what, self._mode)
        try:
            self._finish()
            shutil.rmtree(self._draft, ignore_errors=True)
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._draft, ignore_errors=True)
        self._lock.close()

    def last_seq(self, table_id: str) -> int:
        """The highest ``seq`` of a table, in the archive and in this batch."""
        return self._numbers.get(table_id) or self._sink.last_seq(table_id)

    def add(self, day: EncodedDay) -> None:
        """Add a table-day that the archive does not have; its events are numbered from :meth:`last_seq` + 1 on. NotDurable where
        the disk failed, or a file without a manifest is in its place."""
        name = PartName(day.gaming_day, day.table_id)
        entries = [*map(Entry, day.seqs, day.messages)]
        if name.container(self._archive).exists():
            raise NotDurable(f"{name.container(self._archive)}: a container without a manifest is there; move it away")
        with disk_explained(name.container(self._draft), "nothing came into the archive"):
            write_part(self._draft, *sealed_part(name, entries, None), self._mode)
        self._numbers[day.table_id] = entries[-1].seq

    def add_file(self, place: Path, data: bytes) -> None:
        """Add a file that accompanies the table-days, for a place in the archive."""
        draft = self._draft / place.relative_to(self._archive)
        with disk_explained(draft, "nothing came into the archive"):
            write_durably(draft, data, self._mode)

    def commit(self) -> None:
        """Add everything to the archive; NotDurable where the disk failed: if the message says that bytes are kept, another batch
        or a sink completes this one."""
        if not self._draft.exists():
            return
        with disk_explained(self._draft, "nothing came into the archive"):
            self._draft.rename(on_their_way(self._archive))
            sync_folder(batch_folder(self._archive))
        self._finish()

    def _finish(self) -> None:
        """Move everything of a committed batch into its place, then remove the batch's folder."""
        whole = on_their_way(self._archive)
        if not whole.is_dir():
            return
        put_copies(whole, self._archive, self._mode)
        staged = [path for path in files_below(whole) if not path.is_relative_to(copies(whole))]
        missing = [path for path in staged if not (self._archive / path.relative_to(whole)).exists()]
        for table_id in sorted({name.table_id for name in map(part_name, missing) if name is not None}):
            self._sink.last_seq(table_id)  # takes its lock
            put_in_place(self._archive, table_id, self._mode)
        for path in staged:
            if part_name(path) is None:
                put_file(path, self._archive / path.relative_to(whole), self._mode)
        with disk_explained(whole, "all is in its place, do it again to say so"):
            shutil.rmtree(self._draft, ignore_errors=True)
            whole.rename(self._draft)
            sync_folder(batch_folder(self._archive))
        shutil.rmtree(self._draft, ignore_errors=True)
