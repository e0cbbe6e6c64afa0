"""Claims: which recorder a table belongs to, so that two never record it at the same time.

``TOPIC.recorders`` has one partition, so all recorders see all claims in one order, and every reader finds the same owner
of a table. Nothing is ever removed from it: it says who recorded which table since when.

A claim is taken where the table is free, where it follows the owner's (a recorder that starts again), or where it takes
over. Each that is taken has a higher number than the one before. The number goes into the headers of the events
(a fencing token): what a recorder that was taken over still has on its way is told apart by it.
Source: M. Kleppmann, Designing Data-Intensive Applications, chapter 8, "Fencing tokens".
"""

from __future__ import annotations

import json
import os
import socket
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final, Self

from producers.recorder import now
from producers.sinks import SinkBusy
from replayer.sources.safe_files import TextRefused, read_json
from schemas.event import moment


class RecorderRefused(SinkBusy):
    """The table belongs to another recorder; the message says to whom, since when, and what to do."""


def recorders_topic(topic: str) -> str:
    """The topic of the claims to the tables of a topic."""
    return f"{topic}.recorders"


@dataclass(frozen=True, slots=True)
class Claim:
    """A recorder's claim to a table.

    Attributes:
        number: its place among the claims of the table that are taken, 1 for the first.
        session: a name of its own.
        follows: the session of the claim that the same recorder held before; empty where it held none.
        takes_over: it is deliberate that somebody else's claim ends with this one.
        delivery_ms: so long an event may be on its way to the broker after this recorder last looked whose the table is.
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
    def from_json(cls, text: bytes) -> Self | None:
        """A claim out of a message; None where it is none."""
        try:
            said: dict[str, Any] = read_json(text)
            claim = cls(**said)
            whole = all(type(said.get(each.name)) is _TYPES[str(each.type)] for each in fields(cls))
        except (TextRefused, TypeError):
            return None
        return claim if whole and claim.number > 0 and 0 <= claim.at < _END_OF_TIME else None

    def __str__(self) -> str:
        who = f"the recorder of spool {self.recorder[:8]} on {self.host} (process {self.pid})"
        return f"{who} since {moment(self.at):%Y-%m-%d %H:%M:%S} UTC, claim {self.number}"


_END_OF_TIME: Final = 1 << 57  # microseconds: 4,500 years
_TYPES: Final[Mapping[str, type]] = {"str": str, "int": int, "bool": bool}


class Owners:
    """Who owns each table, folded from the claims in their order."""

    def __init__(self) -> None:
        self._owners: dict[str, Claim] = {}

    def add(self, claim: Claim) -> bool:
        """Fold the next claim; whether it is taken."""
        owner = self._owners.get(claim.table_id)
        follows = owner is None or claim.takes_over or claim.follows == owner.session
        if not follows or (owner is not None and claim.number <= owner.number):
            return False
        self._owners[claim.table_id] = claim
        return True

    def of(self, table_id: str) -> Claim | None:
        """The owner's claim; None where nobody ever claimed the table."""
        return self._owners.get(table_id)
