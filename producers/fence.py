"""The archiver's side of the claims: nothing new is taken from a recorder whose table was taken over.

A message says in its header under which claim it was recorded. Once one of a newer claim came, a message of an older one
that would go on with the table is refused, and quarantined with the reason. One that only comes again, or that fills a
hole, has a number that was used already: the archive itself judges that one.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path

from producers.link import claim_number
from producers.sinks import NotDurable
from producers.sinks.durable import make_folder, write_durably
from replayer.sources.layout import FILE_MODE, claim_file
from replayer.sources.safe_files import MOST_SMALL, read_file
from schemas.event import Event


class FencedOff(ValueError):
    """The message was sent by a recorder whose table was taken over."""


class Fence:
    """The newest claims of a topic's tables under which messages came.

    Only the holder of a table's lock may read and write its claim.
    """

    def __init__(self, archive: Path, topic: str, file_mode: int = FILE_MODE) -> None:
        self._archive = archive
        self._topic = topic
        self._mode = file_mode
        self._newest: dict[str, int] = {}
        self._unwritten: set[str] = set()

    def admit(self, event: Event, headers: Iterable[tuple[str, bytes | None]], last_seq: int) -> None:
        """Hold a message to the newest claim; one without a claim is of no recorder with a spool, and passes.

        Arguments:
            last_seq: the highest ``seq`` that the archive has of the table.

        Raises:
            FencedOff: it goes on with a table that was taken over since.
            NotDurable: what is known of the table's claims cannot be read.
        """
        number = claim_number(headers)
        if not number:
            return
        newest = self._newest.get(event.table_id)
        if newest is None:
            newest = self._newest[event.table_id] = self._read(event.table_id)
        if number < newest and event.seq > last_seq:
            raise FencedOff(
                f"table {event.table_id} seq {event.seq}: recorded under claim {number}, after the table was taken over under "
                f"claim {newest}"
            )
        if number > newest:
            self._newest[event.table_id] = number
            self._unwritten.add(event.table_id)

    def is_unwritten(self, table_id: str) -> bool:
        """Whether something is new of a table that is not written down yet."""
        return table_id in self._unwritten

    def let_go(self, table_id: str) -> None:
        """Forget a table, with any claim not written yet: from now on, the next holder of its lock writes."""
        self._newest.pop(table_id, None)
        self._unwritten.discard(table_id)

    def flush_table(self, table_id: str) -> None:
        """Write down what is new of a table: after its events, or one that is read again would be refused, and before it is
        noted how far the topic was read.

        Raises:
            NotDurable: it cannot be written.
        """
        if table_id in self._unwritten:
            path = claim_file(self._archive, self._topic, table_id)
            try:
                make_folder(path.parent, self._mode)
                write_durably(path, _line(self._newest[table_id]), self._mode)
            except OSError as error:
                raise NotDurable(f"{path}: {error.strerror}; make room and run again") from error
            self._unwritten.discard(table_id)

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
