"""The thread that drains a spool into its topic, whatever happens to brokers, and learns whose the tables are.

It alone talks to Kafka. Each round it looks at the claims, reads what is spooled, and sends it under the recorder's own
claim. A connection that fails is replaced: on the new one the end of each table is looked up first, so that nothing is
skipped, and nothing that arrived is sent again. What a dying connection still had on its way may arrive behind that look;
it is the same event again, which the archiver drops.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from producers.claims import Claim, RecorderRefused
from producers.kafka_client import KafkaFailed, Settings
from producers.link import Batch, Last, Link
from producers.sinks import NotDurable
from producers.sinks.entries import Entry
from producers.spool import Held, TableSpool
from replayer.wording import plural
from schemas.codec import MessageUnreadable, split_message

_BATCH: Final = 2_000
_IDLE_SECONDS: Final = 1.0
"""So soon an idle recorder learns that its table was taken over."""
_MARGIN_MS: Final = 1_000
"""So long it may take to hand a batch to the producer."""
_RETRY_SECONDS: Final = (0.2, 0.5, 1.0, 2.0, 5.0)
_ENDING_SECONDS: Final = 2.0
_TRIES: Final = 3
_SESSIONS: Final = 100

_log: Final = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Line:
    """A table's way from its spool to the topic.

    Attributes:
        answered: set once Kafka has said whether the table is this recorder's, or has failed.
        refused: why the table is not this recorder's; empty as long as it may be.
        failed: why Kafka did not answer, or the spool could not be read.
    """

    table_id: str
    spool: TableSpool
    take_over: bool
    answered: threading.Event = field(default_factory=threading.Event)
    refused: str = ""
    failed: str = ""
    claim: Claim | None = None
    link: Link | None = None
    quiet_until: float = 0.0


def up_to_date(link: Link, table_id: str, spool: TableSpool) -> Last:
    """A table's last event in the topic. Events of the spool that the topic turns out to have are noted in the spool.

    Raises:
        NotDurable: Kafka failed, or the spool cannot be read.
    """
    waiting = spool.unsent(_BATCH)
    last = link.last(table_id, waiting[0].seq if waiting else None)
    while waiting and waiting[0].seq in last.own:
        there = list(itertools.takewhile(lambda entry: entry.seq in last.own, waiting))
        spool.mark_sent(there[-1].seq)
        waiting = spool.unsent(_BATCH)
    return last


@dataclass(frozen=True, slots=True)
class Where:
    """Where a sender sends to, and as whom."""

    bootstrap: str
    topic: str
    spool: Path
    recorder: str
    settings: Settings
    delivery_ms: int

    @property
    def stale_ms(self) -> int:
        """So long a look at the claims holds."""
        return self.delivery_ms // 2


class Sender(threading.Thread):
    """Sends until it is stopped. ``on_trouble`` is called in this thread with what somebody should look at."""

    def __init__(self, where: Where, on_trouble: Callable[[str], None]) -> None:
        super().__init__(name=f"spool {where.spool}", daemon=True)
        self.trouble = ""
        self.connected = False
        self._where = where
        self._on_trouble = on_trouble
        self._lines: list[Line] = []
        self._link: Link | None = None
        self._more = threading.Event()
        self._ending = threading.Event()

    def take(self, line: Line) -> None:
        """Send a table's events from now on."""
        self._lines = [*self._lines, line]
        self.wake()

    def leave(self, line: Line) -> None:
        """Leave a table alone again."""
        self._lines = [each for each in self._lines if each is not line]

    def wake(self) -> None:
        """There is more to send."""
        self._more.set()

    def end(self) -> None:
        """Send nothing any more; a thread that waits for a broker ends by itself, and notes nothing."""
        self._ending.set()
        self._more.set()
        if self.ident is not None:
            self.join(_ENDING_SECONDS)

    def run(self) -> None:
        """Send what there is, round after round."""
        tries = 0
        while not self._ending.is_set():
            self._more.clear()
            try:
                sent = self._round()
            except Exception as error:
                self._note_failure(error)
                self._ending.wait(_RETRY_SECONDS[min(tries, len(_RETRY_SECONDS) - 1)])
                tries += 1
            else:
                tries = 0
                if not sent:
                    self._more.wait(_IDLE_SECONDS)
        self._drop_link()

    def _note_failure(self, error: Exception) -> None:
        if not isinstance(error, NotDurable):
            _log.error("%s: the connection is made anew", self.name, exc_info=error)
        self._drop_link()
        self.trouble = str(error) or type(error).__name__
        for line in self._lines:
            if not line.answered.is_set():
                line.failed = self.trouble
                line.answered.set()

    def _drop_link(self) -> None:
        self.connected = False
        if self._link is not None:
            self._link.close()
            self._link = None

    def _round(self) -> int:
        """Send a batch of each table; how many events in all.

        Raises:
            KafkaFailed: no answer, try again.
        """
        where = self._where
        if self._link is None:
            self._link = Link(where.bootstrap, where.topic, where.recorder, where.settings, where.delivery_ms)
        link = self._link
        link.look()
        lines = [line for line in self._lines if not line.refused and not self._ending.is_set()]
        ready = [line for line in lines if self._is_ready(link, line)]
        share = _BATCH // max(1, len(ready)) + 1
        unsent = {line: self._unsent(line, share) for line in ready}
        looked = time.monotonic()
        link.look()
        ours = {line: entries for line, entries in unsent.items() if entries and self._is_ready(link, line)}
        if self._ending.is_set() or time.monotonic() - looked > where.stale_ms / 1000:
            return len(ours)  # what was seen of the claims may hold no longer
        link.send(
            Batch(line.table_id, line.claim.number, entries) for line, entries in ours.items() if line.claim is not None
        )
        self.connected, self.trouble = True, ""  # first: who waits until all is sent may ask next
        for line, entries in ours.items():
            line.spool.mark_sent(entries[-1].seq)
        return sum(map(len, ours.values()))

    def _unsent(self, line: Line, most: int) -> list[Entry]:
        """The next events of a table; none where its spool cannot be read, or an event of it."""
        try:
            entries = line.spool.unsent(most)
            for entry in entries:
                split_message(entry.message)
        except NotDurable as error:
            self._stop_table(line, str(error))
            return []
        except MessageUnreadable as error:  # a newer program recorded it
            self._stop_table(line, f"table {line.table_id} of {self._where.spool}: {error}")
            return []
        line.failed = ""
        return entries

    def _stop_table(self, line: Line, why: str) -> None:
        """A table cannot be sent, and all others go on."""
        if line.failed != why and not self._ending.is_set():
            line.failed = why
            self._in_trouble(why)

    def _is_ready(self, link: Link, line: Line) -> bool:
        """Whether the table is this recorder's, its spool is readable, and its last event in the topic is known.

        Raises:
            KafkaFailed: no answer.
        """
        try:
            owner = link.owners.of(line.table_id)
            if line.claim is not None and owner is not None and owner.session != line.claim.session:
                raise RecorderRefused(self._lost(line, owner))
            last = None
            if line.claim is None or owner is None:
                line.link = None
                last = self._claim(link, line)
            if line.link is not link:
                if time.monotonic() < line.quiet_until:
                    return False
                self._reconcile(line, last or up_to_date(link, line.table_id, line.spool))
                line.link = link
        except RecorderRefused as error:
            line.refused = str(error)
            self._in_trouble(line.refused)
            line.answered.set()
            return False
        except KafkaFailed:
            raise
        except NotDurable as error:
            self._stop_table(line, str(error))
            line.answered.set()
            return False
        line.answered.set()
        return True

    def _claim(self, link: Link, line: Line) -> Last:
        """Claim the table for this recorder; gives its last event, unless another recorder may still be sending.

        Raises:
            RecorderRefused: it is another one's.
            NotDurable: Kafka or the disk failed.
        """
        spool, last = line.spool, up_to_date(link, line.table_id, line.spool)
        for _ in range(_TRIES):
            owner, held = link.owners.of(line.table_id), spool.claim
            foreign = owner.session not in held.sessions if owner else last.recorder not in ("", self._where.recorder)
            if foreign and not line.take_over:
                raise RecorderRefused(self._refusal(line, owner, last))
            if not foreign:
                self._require_not_set_back(line, last)
            self._require_no_other(line, last)
            claim = Claim(
                line.table_id,
                max(held.number, last.claim, owner.number if owner else 0) + 1,
                self._where.recorder,
                self._where.stale_ms + _MARGIN_MS + self._where.delivery_ms,
                follows=owner.session if owner else "",
                takes_over=foreign,
            )
            tried = (*held.sessions, claim.session)[-_SESSIONS:]
            try:
                spool.keep_claim(Held(held.number, tried, held.settled and not foreign))
            except NotDurable:
                if owner is None or foreign:
                    raise
                line.claim = owner  # the disk is full: under the claim that is held it can be drained
                return last
            if self._ending.is_set():
                raise NotDurable(f"{self._where.spool} was let go")
            link.claim(claim)
            if link.owners.of(line.table_id) == claim:
                line.claim = claim
                if not spool.claim.settled:
                    line.quiet_until = time.monotonic() + (owner or claim).delivery_ms / 1000
                spool.keep_claim(Held(claim.number, (claim.session,), spool.claim.settled))
                return last
        raise RecorderRefused(self._refusal(line, link.owners.of(line.table_id), last))

    def _reconcile(self, line: Line, last: Last) -> None:
        """Bring the spool to where the topic is.

        Raises:
            RecorderRefused: the topic has other events under numbers that were accepted here.
            NotDurable: the disk failed.
        """
        spool, own = line.spool, last.recorder == self._where.recorder
        if own:
            self._require_not_set_back(line, last)
        self._require_no_other(line, last)
        if last.seq < spool.sent and spool.known:
            self._in_trouble(
                f"topic {self._where.topic} has table {line.table_id} up to seq {last.seq} only and acknowledged {spool.sent}: "
                "events are gone from it; look for a topic made anew, cut by retention, or a broker that lost its disk"
            )
        if not spool.known or last.seq > spool.last_seq:
            spool.begin_at(last.seq)
        if not spool.claim.settled:
            spool.keep_claim(spool.claim._replace(settled=True))

    def _require_not_set_back(self, line: Line, last: Last) -> None:
        spool = line.spool
        if spool.known and last.recorder == self._where.recorder and last.seq > spool.last_seq and not line.take_over:
            raise RecorderRefused(
                f"the topic has table {line.table_id} up to seq {last.seq} through this spool, which ends with {spool.last_seq}: "
                f"{self._where.spool} was set back to an earlier state; take the table over to go on behind seq {last.seq}"
            )

    def _require_no_other(self, line: Line, last: Last) -> None:
        waiting = line.spool.unsent(1)
        if waiting and last.recorder != self._where.recorder and last.seq >= waiting[0].seq:
            raise RecorderRefused(
                f"the topic has other events of table {line.table_id} under the numbers from {waiting[0].seq} on: "
                f"{self._stranded(line)}"
            )

    def _refusal(self, line: Line, owner: Claim | None, last: Last) -> str:
        if owner is None:
            who = f"the recorder of spool {last.recorder[:8]}, up to seq {last.seq}"
        elif owner.recorder == self._where.recorder:
            who = f"{owner}; {self._where.spool} is a copy of that spool, or was set back to an earlier state"
        else:
            who = str(owner)
        return (
            f"table {line.table_id} is recorded by {who}: record it there, or end that recorder, let its spool drain "
            f"(`pitaudit spool status`), and take the table over with take_over=True{self._stranded_note(line)}"
        )

    def _lost(self, line: Line, owner: Claim) -> str:
        return f"table {line.table_id} was taken over by {owner}; this recorder has ended{self._stranded_note(line)}"

    def _stranded_note(self, line: Line) -> str:
        return f"; {self._stranded(line)}" if line.spool.waiting else ""

    def _stranded(self, line: Line) -> str:
        return (
            f"{self._where.spool} keeps {plural(line.spool.waiting, 'event')} accepted here, from seq {line.spool.sent + 1} on; "
            "`pitaudit spool drain --stranded` hands them to the archiver's quarantine, where every report counts them"
        )

    def _in_trouble(self, trouble: str) -> None:
        self.trouble = trouble
        try:
            self._on_trouble(trouble)
        except Exception:  # the table's own code
            _log.exception("on_trouble failed")
