"""Claims tell which recorder owns a table, so that two never record it at the same time.

``TOPIC.recorders`` has one partition, so all recorders see all claims in one order, and every reader finds the same owner
of a table. Nothing is ever removed from it, so it is also the history of owners.

A claim is successful where the table is free, where it follows the owner's (a recorder that starts again), or where it takes
over. Each successful claim has a higher number than the one before. The number goes into the headers of the events as a
fencing token, which marks events that a recorder still had in flight when its table was taken over.
Source: M. Kleppmann, Designing Data-Intensive Applications, chapter 8, "Fencing tokens".
"""

from __future__ import annotations

import json
import os
import socket
import uuid
from dataclasses import asdict, dataclass, field, fields
from typing import Final

from producers.recorder import now
from producers.sinks import SinkBusy
from replayer.sources.safe_texts import TextRefused, parsed, read_json
from schemas.event import moment


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
        """The claim in a message; None where it has none."""
        try:
            values = read_json(text)
            claim = parsed(Claim, values)
        except (TextRefused, KeyError, TypeError):
            return None
        complete = len(values) == len(fields(cls))
        return claim if complete and claim.number > 0 and 0 <= claim.at < _END_OF_TIME else None

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
