"""Claims tell which recorder owns a table, so that two never record it at the same time.

``TOPIC.recorders`` has one partition, so all recorders see all claims in one order, and every reader finds the same owner
of a table. Nothing is ever removed from it, so it is also the history of owners.

A claim is successful where the table is free, where it follows the owner's (a recorder that starts again), or where it takes
over. Each successful claim has a higher number than the one before. The number goes into the headers of the events as a
fencing token, which marks events that a recorder still had in flight when its table was taken over: once a message of a newer
claim came, the archiver refuses one of an older claim, or of none, that would continue the table, and quarantines it with the
reason. A duplicate, or one that fills a gap, has a number below the last one: the archive itself decides on it.
Source: M. Kleppmann, Designing Data-Intensive Applications, chapter 8, "Fencing tokens".
"""

from __future__ import annotations

import json
import os
import socket
import uuid
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Final

from producers.recorder import now
from producers.sinks import SinkBusy, disk_explained, read_kept
from producers.sinks.durable import write_durably
from replayer.sources.layout import FILE_MODE, claim_file
from replayer.sources.safe_texts import TextRefused, parsed, read_json
from schemas.event import Event, moment

CLAIM: Final = "claim"
"""The header of a message with the number of the claim that it was recorded under."""
_DIGITS: Final = 20


class RecorderRefused(SinkBusy):
    """The table belongs to another recorder; the message says which, since when, and what to do."""


def recorders_topic(topic: str) -> str:
    """The topic of the claims to the tables of a topic."""
    return f"{topic}.recorders"


@dataclass(frozen=True, slots=True)
class Claim:
    """A recorder's claim to a table.

    Attributes:
        number: its number among the successful claims of the table, from 1.
        session: its unique id.
        follows: the session of the same recorder's claim before; empty where there was none.
        takes_over: it deliberately ends another recorder's claim.
        delivery_ms: how long an event may be in flight after this recorder last read the claims.
        recorder: the id of its spool.
        host, pid, at: where the recorder runs, and when it claimed (UTC microseconds since 1970).
    """

    table_id: str
    number: int
    recorder: str
    delivery_ms: int
    follows: str = ""
    takes_over: bool = False
    session: str = field(default_factory=lambda: uuid.uuid4().hex)
    host: str = field(default_factory=socket.gethostname)
    pid: int = field(default_factory=os.getpid)
    at: int = field(default_factory=now)

    def to_json(self) -> bytes:
        """The claim as a message."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_json(cls, text: bytes) -> Claim | None:
        """The claim in a message, whatever a later version adds to it; None where it has none."""
        try:
            values = read_json(text)
            claim = parsed(Claim, {each.name: values[each.name] for each in fields(cls)})
        except (TextRefused, KeyError, TypeError):
            return None
        return claim if claim.number > 0 and 0 <= claim.at < _END_OF_TIME else None

    def __str__(self) -> str:
        who = f"the recorder of spool {self.recorder[:8]} on {self.host} (process {self.pid})"
        return f"{who} since {moment(self.at):%Y-%m-%d %H:%M:%S} UTC, claim {self.number}"


_END_OF_TIME: Final = 1 << 57  # microseconds: 4,500 years


class Owners(dict[str, Claim]):
    """The claim of each table's owner, folded from the claims in order."""

    def add(self, claim: Claim) -> bool:
        """Fold the next claim; returns whether it is successful."""
        owner = self.get(claim.table_id)
        follows = owner is None or claim.takes_over or claim.follows == owner.session
        if not follows or (owner is not None and claim.number <= owner.number):
            return False
        self[claim.table_id] = claim
        return True


def claim_number(headers: Iterable[tuple[str, bytes | None]]) -> int:
    """The claim that a message was recorded under; 0 where its headers name none."""
    number = dict(headers).get(CLAIM) or b""
    return int(number) if number.isdigit() and len(number) < _DIGITS else 0


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
        return read_kept(path, _number_in, "remove it: the next event says which claim is the newest") or 0


def _number_in(line: bytes) -> int:
    number = int(line.split()[0])
    if line != _line(number):
        raise ValueError("it is not as it was written")
    return number


def _line(number: int) -> bytes:
    return b"%d %08x\n" % (number, zlib.crc32(b"%d" % number))
