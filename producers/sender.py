"""The thread that sends a spool's events to its topic, whatever happens to brokers, and claims the tables.

Only this thread talks to Kafka. Each round it reads the claims and the spooled events, and sends these under the recorder's own
claim. A failed connection is replaced: on the new one the last event of each table is looked up first, so that no event is
skipped and none that arrived is sent again. An event still in flight on the old connection may arrive after that; it is a
duplicate, which the archiver drops.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from producers.claims import Claim, RecorderRefused
from producers.kafka_client import KafkaFailed, KafkaRefused
from producers.link import LastEvent, Link, Target
from producers.sinks import NotDurable
from producers.sinks.journal import Entry
from producers.spool import SENT_AT_ONCE, SpoolClaims, TableSpool
from schemas.codec import MessageUnreadable, split_message
from schemas.plural import plural

_IDLE_SECONDS: Final = 1.0
"""How soon an idle recorder learns that its table was taken over."""
_MARGIN_MS: Final = 1_000
"""How long it may take to hand a batch to the producer."""
_RETRY_SECONDS: Final = (0.2, 0.5, 1.0, 2.0, 5.0)
_ENDING_SECONDS: Final = 2.0
_TRIES: Final = 3
_SESSIONS: Final = 100

_log: Final = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class SpooledTable:
    """A table whose events a sender sends from its spool.

    Attributes:
        checked: set once it is known whether the table is this recorder's, or Kafka has failed.
        refused: why the table is not this recorder's; empty as long as it may be.
        failed: why Kafka did not answer, or the spool could not be read.
        claim: the claim under which its events are sent; None before one was successful.
        link: the connection on which its last event in the topic was looked up.
        quiet_until: until when a former recorder's events may still arrive, by the monotonic clock.
    """

    table_id: str
    spool: TableSpool
    take_over: bool
    checked: threading.Event = field(default_factory=threading.Event)
    refused: str = ""
    failed: str = ""
    claim: Claim | None = None
    link: Link | None = None
    quiet_until: float = 0.0


def up_to_date(link: Link, table_id: str, spool: TableSpool) -> LastEvent:
    """A table's last event in the topic. Events of the spool that the topic turns out to have are noted in the spool."""
    waiting = spool.unsent()
    last = link.last_event(table_id, waiting[0].seq if waiting else None)
    while waiting and waiting[0] in last.own:
        arrived = list(itertools.takewhile(last.own.__contains__, waiting))
        spool.mark_sent(arrived[-1].seq)
        waiting = spool.unsent()
    return last


class Sender(threading.Thread):
    """Sends the events of ``tables``, to which others may come meanwhile, until it is stopped. ``on_trouble`` is called in this
    thread with a message for the operator."""

    def __init__(self, target: Target, tables: Mapping[str, SpooledTable], on_trouble: Callable[[str], None]) -> None:
        super().__init__(name=f"spool {target.spool}", daemon=True)
        self.trouble = ""
        self.connected = False
        self._target = target
        self._on_trouble = on_trouble
        self._tables = tables
        self._link: Link | None = None
        self._wake_up = threading.Event()
        self._stopping = threading.Event()

    def wake(self) -> None:
        """Send without waiting: there are new events, or a new table."""
        self._wake_up.set()

    def stop(self) -> None:
        """Stop sending; a thread that waits for a broker ends later by itself."""
        self._stopping.set()
        self._wake_up.set()
        if self.ident is not None:
            self.join(_ENDING_SECONDS)

    def run(self) -> None:
        """Send rounds of batches until stopped."""
        tries = 0
        while not self._stopping.is_set():
            self._wake_up.clear()
            try:
                sent = self._round()
            except Exception as error:
                self._note_failure(error)
                self._stopping.wait(_RETRY_SECONDS[min(tries, len(_RETRY_SECONDS) - 1)])
                tries += 1
            else:
                tries = 0
                if not sent:
                    self._wake_up.wait(_IDLE_SECONDS)
        self._drop_link()

    def _note_failure(self, error: Exception) -> None:
        if not isinstance(error, NotDurable):
            _log.error("%s: the connection is made anew", self.name, exc_info=error)
        self._drop_link()
        before, self.trouble = self.trouble, str(error) or type(error).__name__
        if isinstance(error, KafkaRefused) and self.trouble != before:
            self._report(self.trouble)
        for table in list(self._tables.values()):
            if not table.checked.is_set():
                table.failed = self.trouble
                table.checked.set()

    def _drop_link(self) -> None:
        self.connected = False
        if self._link is not None:
            self._link.close()
            self._link = None

    def _round(self) -> int:
        """Send a batch of each table; returns the number of events."""
        target = self._target
        if self._link is None:
            self._link = Link(target)
        link = self._link
        link.read_claims()
        tables = [each for each in list(self._tables.values()) if not each.refused and not self._stopping.is_set()]
        ready = [table for table in tables if self._is_ready(link, table)]
        share = SENT_AT_ONCE // max(1, len(ready)) + 1
        unsent = {table: self._unsent(table, share) for table in ready}
        read_at = time.monotonic()
        link.read_claims()
        ours = {table: entries for table, entries in unsent.items() if entries and self._is_ready(link, table)}
        if self._stopping.is_set() or time.monotonic() - read_at > target.stale_ms / 1000:
            return len(ours)  # the claims may have changed since they were read
        link.send(
            (table.table_id, table.claim.number, entry.message)
            for table, entries in ours.items()
            if table.claim is not None
            for entry in entries
        )
        self.connected, self.trouble = True, ""  # first, as drain() may ask once everything is marked
        for table, entries in ours.items():
            table.spool.mark_sent(entries[-1].seq)
        return sum(map(len, ours.values()))

    def _unsent(self, table: SpooledTable, most: int) -> list[Entry]:
        """The next events of a table; none where its spool, or one of the events, cannot be read."""
        try:
            entries = table.spool.unsent(most)
            for entry in entries:
                split_message(entry.message)
        except NotDurable as error:
            self._stop_table(table, str(error))
            return []
        except MessageUnreadable as error:  # a newer program recorded it
            self._stop_table(table, f"table {table.table_id} of {self._target.spool}: {error}")
            return []
        table.failed = ""
        return entries

    def _stop_table(self, table: SpooledTable, why: str) -> None:
        """Note that a table cannot be sent; the others continue."""
        if table.failed != why and not self._stopping.is_set():
            table.failed = why
            self._report(why)

    def _is_ready(self, link: Link, table: SpooledTable) -> bool:
        """Whether the table is this recorder's, its spool is readable, and its last event in the topic is known."""
        ready = False
        try:
            owner = link.owners.get(table.table_id)
            if table.claim is not None and owner is not None and owner.session != table.claim.session:
                message = f"table {table.table_id} was taken over by {owner}; this recorder has ended"
                raise RecorderRefused(f"{message}{self._stranded_note(table)}")
            last = None
            if table.claim is None or owner is None:
                table.link = None
                last = self._claim(link, table)
            if table.link is not link:
                if time.monotonic() < table.quiet_until:
                    return False
                self._reconcile(link, table, last or up_to_date(link, table.table_id, table.spool))
                table.link = link
            ready = True
        except RecorderRefused as error:
            table.refused = str(error)
            self._report(table.refused)
        except KafkaFailed:
            raise
        except NotDurable as error:
            self._stop_table(table, str(error))
        table.checked.set()
        return ready

    def _claim(self, link: Link, table: SpooledTable) -> LastEvent:
        """Claim the table for this recorder; gives its last event. RecorderRefused where the table is another one's."""
        spool, last = table.spool, up_to_date(link, table.table_id, table.spool)
        for _ in range(_TRIES):
            owner, claims = link.owners.get(table.table_id), spool.claim
            foreign = (
                owner.session not in claims.sessions if owner else last.recorder not in ("", self._target.recorder)
            )
            if foreign and not table.take_over:
                raise RecorderRefused(self._refusal(table, owner, last))
            self._require_no_conflict(table, last)
            claim = Claim(
                table.table_id,
                max(claims.number, last.claim, owner.number if owner else 0) + 1,
                self._target.recorder,
                self._target.stale_ms + _MARGIN_MS + self._target.delivery_ms,
                follows=owner.session if owner else "",
                takes_over=foreign,
            )
            tried = (*claims.sessions, claim.session)[-_SESSIONS:]
            try:
                spool.keep_claim(SpoolClaims(claims.number, tried, claims.settled and not foreign))
            except NotDurable:
                if owner is None or foreign:
                    raise
                table.claim = owner  # the disk is full: events can still be sent under the existing claim
                return last
            link.claim(claim)
            if link.owners.get(table.table_id) == claim:
                table.claim = claim
                if not spool.claim.settled:
                    table.quiet_until = time.monotonic() + (owner or claim).delivery_ms / 1000
                spool.keep_claim(SpoolClaims(claim.number, (claim.session,), spool.claim.settled))
                return last
        raise RecorderRefused(self._refusal(table, link.owners.get(table.table_id), last))

    def _reconcile(self, link: Link, table: SpooledTable, last: LastEvent) -> None:
        """Bring the spool's state into line with the topic; raises as :meth:`_require_no_conflict`."""
        spool = table.spool
        self._require_no_conflict(table, last)
        if last.seq < spool.sent:
            self._report(
                f"topic {self._target.topic} has table {table.table_id} up to seq {last.seq} only and acknowledged {spool.sent}: "
                "events are gone from it; look for a topic made anew, cut by retention, or a broker that lost its disk"
            )
        if not (spool.known or last.seq) and link.is_cut():
            self._report(
                f"topic {self._target.topic} has lost its first messages and has none of table {table.table_id}, which begins "
                "with seq 1: the archiver quarantines what has a number that its archive has already; look at its retention"
            )
        if not spool.known or last.seq > spool.last_seq:
            spool.begin_at(last.seq)
        if not spool.claim.settled:
            spool.keep_claim(replace(spool.claim, settled=True))

    def _require_no_conflict(self, table: SpooledTable, last: LastEvent) -> None:
        """Raise RecorderRefused where this spool was set back, or the topic has other events under its numbers."""
        spool, own = table.spool, last.recorder == self._target.recorder
        waiting, numbers = spool.unsent(), {seq for seq, _ in last.own}
        set_back = f"{self._target.spool} was set back to an earlier state"
        for entry in waiting:
            if entry.seq in numbers and entry not in last.own:
                raise RecorderRefused(
                    f"the topic has another event {entry.seq} of table {table.table_id} from this spool: {set_back}, or copied; "
                    f"take the table over through a new spool first; {self._stranded(table)}"
                )
        if own and spool.known and last.seq > spool.last_seq and not table.take_over:
            raise RecorderRefused(
                f"the topic has table {table.table_id} up to seq {last.seq} through this spool, "
                f"which ends with {spool.last_seq}: {set_back}; "
                f"take the table over to go on behind seq {last.seq}"
            )
        if waiting and not own and last.seq >= waiting[0].seq:
            raise RecorderRefused(
                f"the topic has other events of table {table.table_id} under the numbers from {waiting[0].seq} on: "
                f"{self._stranded(table)}"
            )

    def _refusal(self, table: SpooledTable, owner: Claim | None, last: LastEvent) -> str:
        if owner is None:
            who = f"the recorder of spool {last.recorder[:8]}, up to seq {last.seq}"
        elif owner.recorder == self._target.recorder:
            who = f"{owner}; {self._target.spool} is a copy of that spool, was set back, or has sent to another cluster since"
        else:
            who = str(owner)
        return (
            f"table {table.table_id} is recorded by {who}: record it there, or end that recorder, let its spool drain "
            f"(`pitaudit spool status`), and take the table over with take_over=True{self._stranded_note(table)}"
        )

    def _stranded_note(self, table: SpooledTable) -> str:
        return f"; {self._stranded(table)}" if table.spool.waiting else ""

    def _stranded(self, table: SpooledTable) -> str:
        return (
            f"{self._target.spool} keeps {plural(table.spool.waiting, 'event')} accepted here, "
            f"from seq {table.spool.sent + 1} on; `pitaudit spool drain --stranded` hands them to the archiver's quarantine, "
            "where every report counts them"
        )

    def _report(self, trouble: str) -> None:
        try:
            self._on_trouble(trouble)
        except Exception:  # code of the table system
            _log.exception("on_trouble failed")
