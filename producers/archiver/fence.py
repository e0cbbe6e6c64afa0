"""The archiver's side of the claims: no new event is taken from a recorder whose table was taken over.

A message has the number of its claim in a header. Once one of a newer claim came, a message of an older claim, or of none, that
would continue the table is refused, and quarantined with the reason. A duplicate, or one that fills a gap, has a number below the
last one: the archive itself decides on it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path

from producers.link import claim_number
from producers.sinks import NotDurable, disk_explained
from producers.sinks.durable import write_durably
from replayer.sources.layout import FILE_MODE, claim_file
from replayer.sources.safe_files import MOST_SMALL, read_file
from schemas.event import Event


class FencedOff(ValueError):
    """The message was sent by a recorder whose table was taken over, or by another program than the table's recorder."""


class Fence:
    """The newest claims of a topic's tables under which messages came. Those of the tables ``unwritten`` are not on disk yet.

    Only the holder of a table's lock may read and write its claim, which raises NotDurable where the file cannot be.
    """

    def __init__(self, archive: Path, topic: str, file_mode: int = FILE_MODE) -> None:
        self._archive = archive
        self._topic = topic
        self._mode = file_mode
        self._newest: dict[str, int] = {}
        self.unwritten: set[str] = set()

    def admit(self, event: Event, headers: Iterable[tuple[str, bytes | None]], last_seq: int) -> None:
        """Check a message against the newest claim; one without a claim is admitted as long as no recorder has claimed its table.
        ``last_seq`` is the table's highest in the archive. FencedOff where it continues a table that another claim holds.
        """
        number = claim_number(headers)
        newest = self._newest.get(event.table_id)
        if newest is None:
            newest = self._newest[event.table_id] = self._read(event.table_id)
        if number < newest and event.seq > last_seq:
            late = f"recorded under claim {number}, after the table was taken over under claim {newest}"
            foreign = f"sent under no claim, and the table belongs to the recorder of claim {newest}"
            raise FencedOff(f"table {event.table_id} seq {event.seq}: {late if number else foreign}")
        if number > newest:
            self._newest[event.table_id] = number
            self.unwritten.add(event.table_id)

    def release(self, table_id: str) -> None:
        """Forget a table, with any claim not written yet: from now on, the next holder of its lock writes."""
        self._newest.pop(table_id, None)
        self.unwritten.discard(table_id)

    def flush_table(self, table_id: str) -> None:
        """Write a table's newer claim: after its events are flushed, or one that is read again would be refused, and before the
        offset in the topic is written."""
        if table_id in self.unwritten:
            path = claim_file(self._archive, self._topic, table_id)
            with disk_explained(path):
                write_durably(path, _line(self._newest[table_id]), self._mode)
            self.unwritten.discard(table_id)

    def _read(self, table_id: str) -> int:
        path = claim_file(self._archive, self._topic, table_id)
        try:
            held = read_file(path, MOST_SMALL)
            number = int(held.split()[0])
            if held != _line(number):
                raise ValueError("it is not as it was written")
        except FileNotFoundError:
            return 0
        except (OSError, ValueError, IndexError) as error:
            raise NotDurable(f"{path}: {error}; remove it: the next event says which claim is the newest") from error
        return number


def _line(number: int) -> bytes:
    return b"%d %08x\n" % (number, zlib.crc32(b"%d" % number))
