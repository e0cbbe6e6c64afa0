"""The local spool of a recorder that writes to Kafka: accepted events are on this disk until the topic has them.

=================================  ================================================================================
``SPOOL/id``                       the id of the spool, which every message has in its headers
``SPOOL/T1/lock``                  locked by the process that records the table
``SPOOL/T1/claim.json``            the claims under which the table was recorded through this spool
``SPOOL/T1/sent.json``             a ``seq`` up to which the topic has the table; it may have more
``SPOOL/T1/00000000000000000001``  a segment: a journal of events from that ``seq`` on, removed when all were sent and
                                   a later segment exists, so that the last number used is always known
``SPOOL/T1/000...1.damaged-120``   a damaged segment, set aside; numbers up to 120 are not used again
=================================  ================================================================================

An event is acknowledged when its segment is synced. This module does not use Kafka.
"""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from producers.sinks import NotDurable, SequenceConflict, disk_explained, read_kept
from producers.sinks.durable import sync_folder, write_durably
from producers.sinks.journal import Entry, Journal
from producers.sinks.lock import Lock
from producers.sinks.repair import most_used_of
from replayer.sources.layout import TABLE_ID
from replayer.sources.safe_files import MOST_SMALL, listed, read_file
from replayer.sources.safe_texts import digested_json, json_object, parsed, read_digested_json

SEGMENT_BYTES: Final = 1024 * 1024
SENT_AT_ONCE: Final = 2_000
"""Events that are read from a spool to be sent together."""
_SENT: Final = "sent.json"
_CLAIM: Final = "claim.json"
_LOCK: Final = "lock"
_REMOVE_IT: Final = "remove it, the topic is asked instead"
_NOTED_SECONDS: Final = 1.0
_FRAME_BYTES: Final = 32


class SpoolFull(NotDurable):
    """The spool has reached its limit: no event is accepted until the topic has taken some."""


@dataclass(frozen=True, slots=True)
class SpoolClaims:
    """The claims of a spool to a table.

    Attributes:
        number: that of the last successful claim, 0 where there was none.
        sessions: those of that claim and of later attempts, which may have succeeded without an answer.
        settled: whether the table's last event in the topic was read since a claim took it over.
    """

    number: int = 0
    sessions: tuple[str, ...] = ()
    settled: bool = True


def spool_id(folder: Path) -> str:
    """The id of the spool in ``folder``; a new spool gets one."""
    path = folder / "id"
    try:
        if not path.exists():
            draft = folder / f".id.{uuid.uuid4().hex}"
            write_durably(draft, uuid.uuid4().hex.encode())
            with contextlib.suppress(FileExistsError):  # another process was faster; its id is used
                path.hardlink_to(draft)
            draft.unlink()
            sync_folder(folder)
        return read_file(path, MOST_SMALL).decode("ascii")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise NotDurable(f"{path}: {why}; a spool needs a folder of its own that can be written") from error


def spooled_tables(folder: Path) -> list[str]:
    """The tables that have been recorded through the spool in ``folder``, also those whose folder is a link to a disk that is not
    mounted."""
    return [path.name for path in listed(folder) if TABLE_ID.fullmatch(path.name) and not path.is_file()]


def segments(folder: Path) -> list[Path]:
    """The segments in a table's folder, in order."""
    return sorted(path for path in folder.iterdir() if path.name.isdigit())


def noted_sent(folder: Path) -> int:
    """The ``seq`` up to which the topic has the table, as noted in the table's folder; it may have more."""
    first = next((int(path.name) for path in segments(folder)), 1)
    noted = read_kept(folder / _SENT, lambda data: int(read_digested_json(data)["sent"]), _REMOVE_IT)
    return max(noted or 0, first - 1)


def lock_table(spool: Path, table_id: str) -> Lock:
    """Take the lock of a table in a spool."""
    return Lock(spool / table_id / _LOCK, f"table {table_id} of {spool}")


class TableSpool:
    """The events of one table that the topic may not have yet. One thread appends, another one sends.

    Attributes:
        last_seq: the highest ``seq`` taken, synced or not, sent or not.
        sent: the ``seq`` up to which the topic is known to have the table.
        claim: the claims of this spool to the table.
        known: whether the table was recorded through this spool, or its last event in the topic was read.

    Raises:
        SinkBusy: another process on this machine records the table.
        NotDurable: the folder cannot be written, or a file in it is damaged. So do its methods.
    """

    def __init__(self, folder: Path, table_id: str, segment_bytes: int = SEGMENT_BYTES) -> None:
        self._folder = folder / table_id
        self._segment_bytes = segment_bytes
        self._guard = threading.Lock()
        self._closed = False
        self._lock = lock_table(folder, table_id)
        try:
            self._sizes = {path: path.stat().st_size for path in segments(self._folder)}  # in order
            self._open = self._segment(max(self._sizes)) if self._sizes else None
            self._written = self._open.entries() if self._open else []
            mend = "remove it, and take the table over"
            claimed = read_kept(self._folder / _CLAIM, lambda said: parsed(SpoolClaims, read_digested_json(said)), mend)
            self.claim = claimed or SpoolClaims()
            self.sent = noted_sent(self._folder)
            highest_aside = most_used_of(self._folder.glob("*.damaged-*"))
        except BaseException:
            self._lock.close()
            raise
        self._oldest_segment: list[Entry] = []
        self._pending_bytes = 0
        self._noted_at = 0.0
        self.known = (self._folder / _SENT).exists() or self._open is not None
        self._synced = max(self.sent, self._open.last_seq if self._open else 0)
        self.last_seq = max(self._synced, highest_aside)

    @property
    def pending(self) -> bool:
        """Whether there are events that are not synced."""
        return self._pending_bytes > 0

    @property
    def waiting(self) -> int:
        """The number of synced events that the topic is not known to have, at most: a recorder leaves no number out."""
        return max(0, self._synced - self.sent)

    @property
    def size(self) -> int:
        """The bytes of events that wait for the topic, on disk or for the next :meth:`sync`."""
        with self._guard:
            return (sum(self._sizes.values()) if self.waiting else 0) + self._pending_bytes

    def keep_claim(self, claim: SpoolClaims) -> None:
        """Write the claims."""
        self._keep(_CLAIM, json_object(claim))
        self.claim = claim

    def add(self, seq: int, message: bytes) -> None:
        """Take an event for the next :meth:`sync`; SequenceConflict where its number has been used."""
        with self._guard:
            if seq <= self.last_seq:
                raise SequenceConflict(f"{self._folder} ends with seq {self.last_seq}, {seq} was used already")
            journal = self._open
            if journal is None or self._sizes[journal.path] >= self._segment_bytes:
                self._sync_open()
                journal = self._open = self._segment(self._folder / f"{seq:020d}")
                self._written, self._sizes[journal.path] = [], 0
            journal.add(seq, message)
            self.last_seq = seq
            self._pending_bytes += len(message) + _FRAME_BYTES

    def _segment(self, path: Path) -> Journal:
        return Journal(path, f"pitaudit spool repair {self._folder.parent}", self._folder.name)

    def sync(self) -> int:
        """Write all events to disk and wait until they are durable; returns the ``seq`` up to which they are. NotDurable where
        they cannot be written and are still pending: sync again."""
        with self._guard:
            self._sync_open()
            return self.last_seq

    def _sync_open(self) -> None:
        if self._open is None or not self._open.pending:
            return
        pending = list(self._open.pending)
        self._open.sync()
        self._written += pending
        self._pending_bytes = 0
        self._synced = max(self._synced, pending[-1].seq)
        self._sizes[self._open.path] = self._open.path.stat().st_size

    def begin_at(self, sent: int) -> None:
        """Continue after the ``seq`` up to which the topic has the table, and note it."""
        self._keep(_SENT, {"sent": sent})
        with self._guard:
            self.sent = max(self.sent, sent)
            self.last_seq = max(self.last_seq, sent)
            self._synced = max(self._synced, sent)
            self.known = True

    def unsent(self, most: int = SENT_AT_ONCE) -> list[Entry]:
        """Up to ``most`` synced events that the topic may not have, in order."""
        with self._guard:
            while len(self._sizes) > 1 and not self._closed:
                oldest, after = islice(self._sizes, 2)
                if not self._oldest_segment:  # a full segment is read once
                    self._oldest_segment = self._segment(oldest).entries()
                if self._oldest_segment and self._oldest_segment[-1].seq > self.sent:
                    return [entry for entry in self._oldest_segment if entry.seq > self.sent][:most]
                if not self._sizes[after]:  # until the next segment is on disk, this one has the last number
                    return []
                oldest.unlink(missing_ok=True)
                del self._sizes[oldest]
                self._oldest_segment = []
            return [] if self._closed else [entry for entry in self._written if entry.seq > self.sent][:most]

    def mark_sent(self, seq: int) -> None:
        """Note that the topic has everything up to ``seq``; on disk once a second at most, as the topic can tell it."""
        seq = min(seq, self._synced)
        if self._closed or seq <= self.sent:
            return
        with self._guard:
            self.sent = seq
        if time.monotonic() - self._noted_at >= _NOTED_SECONDS:
            with contextlib.suppress(NotDurable):  # a full disk must not stop sending
                self._keep(_SENT, {"sent": seq})
            self._noted_at = time.monotonic()

    def _keep(self, name: str, values: dict[str, Any]) -> None:
        if self._closed:
            raise NotDurable(f"{self._folder} was let go")
        with disk_explained(self._folder / name):
            write_durably(self._folder / name, digested_json(values).encode())

    def close(self) -> None:
        """Release the table; events that were not synced are not recorded."""
        if not self._closed:
            with contextlib.suppress(NotDurable):
                if self.sent:
                    self._keep(_SENT, {"sent": self.sent})
            self._closed = True
            self._lock.close()
