"""A recorder's connection to Kafka: reads the tables' owners and last events, and sends events."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.consumer.fetcher import ConsumerRecord
from kafka.errors import KafkaError, KafkaTimeoutError

from producers.claims import CLAIM, Claim, Owners, claim_number, recorders_topic
from producers.kafka_client import KafkaRefused, Settings, connect, explained, no_topic, partition_of
from schemas.codec import MessageUnreadable, admit, decode, split_message
from schemas.event import EventRejected

DELIVERY_MS: Final = 10_000
"""How long an event may be in flight; then the connection is replaced, and the next one finds out what arrived."""

RECORDER: Final = "recorder"
_CONTENT_TYPE: Final = ("content-type", b"application/avro")
_REQUEST_MS: Final = 5_000
_LINGER_MS: Final = 5
_BATCH_BYTES: Final = 131_072
_TAIL: Final = 1_000
_FETCHED: Final = 10_000
_ENDING_SECONDS: Final = 5.0
_READ_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Target:
    """The topic that events are sent to, and the recorder that they are sent as."""

    bootstrap: str
    topic: str
    spool: Path
    recorder: str
    settings: Settings = field(repr=False)
    delivery_ms: int

    @property
    def stale_ms(self) -> int:
        """How long claims that were read may be relied on."""
        return self.delivery_ms // 2


class LastEvent(NamedTuple):
    """The last event of a table in its topic.

    Attributes:
        seq: 0 where there is none.
        recorder, claim: the spool and the claim that it was recorded under.
        own: this recorder's events that were seen, each with its number. After a broken connection a later batch may be there
            without an earlier one, so they may have gaps.
    """

    seq: int
    recorder: str
    claim: int
    own: frozenset[tuple[int, bytes]] = frozenset()


class Link:
    """A connection, used by one thread; KafkaRefused without a right to the topic or without such a topic; KafkaFailed, as its
    methods, without an answer. After an error it must be replaced."""

    def __init__(self, target: Target) -> None:
        self._target = target
        bootstrap, topic = target.bootstrap, target.topic
        self._claims = TopicPartition(recorders_topic(topic), 0)
        self._next_claim = 0
        self.owners = Owners()
        common = {"request_timeout_ms": _REQUEST_MS, "allow_auto_create_topics": False}
        reading = {"enable_auto_commit": False, "max_poll_records": _FETCHED, "fetch_max_wait_ms": 100}
        producing = {
            "enable_idempotence": True,
            "acks": "all",
            "linger_ms": _LINGER_MS,
            "batch_size": _BATCH_BYTES,
            "compression_type": "zstd",
            "request_timeout_ms": min(_REQUEST_MS, target.delivery_ms // 2),
            "delivery_timeout_ms": target.delivery_ms,
            "max_block_ms": target.delivery_ms,
        }
        self._producer: Any = None
        self._consumer = connect(KafkaConsumer, bootstrap, topic, **(common | reading | dict(target.settings)))
        try:
            with explained(bootstrap, topic):
                numbers = self._partition_numbers(topic)
                self._partition_numbers(self._claims.topic)
            self._partitions = [TopicPartition(topic, number) for number in numbers]
            self._producer = connect(KafkaProducer, bootstrap, topic, **(common | producing | dict(target.settings)))
        except BaseException:
            self.close()
            raise

    def _partition_numbers(self, topic: str) -> list[int]:
        numbers = sorted(self._consumer.partitions_for_topic(topic) or ())
        if not numbers:
            raise KafkaRefused(no_topic(self._target.bootstrap, topic, self._target.topic))
        return numbers

    def close(self) -> None:
        """Close the connection; events in flight may or may not arrive."""
        self._consumer.close(autocommit=False)
        if self._producer is not None:
            threading.Thread(target=_end, args=(self._producer,), daemon=True).start()  # without waiting for a broker

    def read_claims(self) -> None:
        """Read the claims written since the last time into ``owners``."""
        with explained(self._target.bootstrap, self._claims.topic):
            end = self._consumer.end_offsets([self._claims])[self._claims]
            if end < self._next_claim:  # the topic was made anew
                self.owners, self._next_claim = Owners(), 0
            if end > self._next_claim:
                begin = self._consumer.beginning_offsets([self._claims])[self._claims]
                self._consumer.assign([self._claims])
                for record in self._records(self._claims, max(begin, self._next_claim), end):
                    claim = Claim.from_json(record.value or b"")
                    if claim is not None:
                        self.owners.add(claim)
                self._next_claim = end

    def claim(self, claim: Claim) -> None:
        """Write a claim and read all claims up to it: ``owners`` then tells whether the table is this recorder's. Without
        an answer the claim may or may not have been written."""
        with explained(self._target.bootstrap, self._claims.topic):
            written = self._producer.send(
                self._claims.topic,
                key=claim.table_id.encode(),
                value=claim.to_json(),
                headers=[("content-type", b"application/json")],
                partition=self._claims.partition,
                timestamp_ms=claim.at // 1000,
            )
            written.get(timeout=self._target.delivery_ms / 1000 + 1)
        self.read_claims()

    def last_event(self, table_id: str, back_to: int | None) -> LastEvent:
        """A table's last event, and its events from a number on; None for the last one only.

        Partitions added later moved tables, so all partitions are searched where the table's own has no event. Once a table is
        claimed, what comes under no claim is quarantined and has used no number; older events of a table may have none.
        """
        with explained(self._target.bootstrap, self._target.topic):
            if self.owners.get(table_id) and (claimed := self._last(table_id, back_to, only_claimed=True)).seq:
                return claimed
            return self._last(table_id, back_to)

    def _last(self, table_id: str, back_to: int | None, *, only_claimed: bool = False) -> LastEvent:
        own = self._partition(table_id)
        found = self._search(own, table_id, back_to, only_claimed)
        others = (self._search(each, table_id, back_to, only_claimed) for each in self._partitions if each != own)
        return found if found.seq else max(others, default=found)

    def is_cut(self) -> bool:
        """Whether the topic no longer has its first messages."""
        with explained(self._target.bootstrap, self._target.topic):
            return any(self._consumer.beginning_offsets(self._partitions).values())

    def send(self, events: Iterable[tuple[str, int, bytes]]) -> None:
        """Put events into the topic, those of each table in order: the table, the number of the claim under which it is sent, and
        the message of each. Returns when all replicas in sync have them; after KafkaFailed some may be there and some not, and
        :meth:`last_event` on another connection tells which.
        """
        with explained(self._target.bootstrap, self._target.topic):
            sent = [self._send(*event) for event in events]
            self._producer.flush(timeout=self._target.delivery_ms / 1000 + 1)
            for future in sent:
                future.get(timeout=0)

    def _send(self, table_id: str, claim: int, message: bytes) -> Any:
        writer, _ = split_message(message)
        return self._producer.send(
            self._target.topic,
            key=table_id.encode(),
            value=message,
            headers=[
                _CONTENT_TYPE,
                ("schema", writer.fingerprint.hex().encode()),
                (RECORDER, self._target.recorder.encode()),
                (CLAIM, b"%d" % claim),
            ],
            partition=self._partition(table_id).partition,
            timestamp_ms=max(0, decode(message).at // 1000),  # Kafka has no times before 1970
        )

    def _partition(self, table_id: str) -> TopicPartition:
        return self._partitions[partition_of(table_id, len(self._partitions))]

    def _search(self, partition: TopicPartition, table_id: str, back_to: int | None, only_claimed: bool) -> LastEvent:
        """The table's last event in a partition, searched from its end."""
        self._consumer.assign([partition])
        begin = self._consumer.beginning_offsets([partition])[partition]
        end = before = self._consumer.end_offsets([partition])[partition]
        found: list[LastEvent] = []
        window = _TAIL
        while before > begin and (not found or (back_to is not None and min(found).seq > back_to)):
            first = max(begin, end - window)
            records = self._records(partition, first, before)
            events = (_as_last_event(record, table_id, self._target.recorder) for record in records)
            found += (each for each in events if each and (each.claim or not only_claimed))
            before, window = first, window * 8
        own = frozenset[tuple[int, bytes]]().union(*(each.own for each in found))
        return max(found, default=LastEvent(0, "", 0))._replace(own=own)

    def _records(self, partition: TopicPartition, first: int, end: int) -> Iterator[ConsumerRecord]:
        """The records of the assigned partition, from one offset up to another."""
        self._consumer.seek(partition, first)
        answered = time.monotonic()
        while (position := self._consumer.position(partition)) < end:
            records = self._consumer.poll(timeout_ms=500).get(partition, [])
            if self._consumer.position(partition) > position:
                answered = time.monotonic()
            elif time.monotonic() - answered > _READ_SECONDS:
                raise KafkaTimeoutError(f"partition {partition.partition} cannot be read")
            yield from (record for record in records if record.offset < end)


def _as_last_event(record: ConsumerRecord, table_id: str, own: str) -> LastEvent | None:
    """The table's last event by a record, with it where it is of the recorder ``own``; None where the record is no event of the
    table, or none that keeps the contract."""
    message: bytes = record.value or b""
    if table_id.encode() not in message:  # whatever its key, which the archiver does not ask for
        return None
    try:
        event, _ = admit(message)  # what the archiver quarantines has used no number
    except (MessageUnreadable, EventRejected):
        return None
    if event.table_id != table_id:
        return None
    recorder = (dict(record.headers).get(RECORDER) or b"").decode(errors="replace")
    mine = frozenset({(event.seq, message)} if recorder == own else ())
    return LastEvent(event.seq, recorder, claim_number(record.headers), mine)


def _end(producer: Any) -> None:
    """Close a producer without sending its pending events: ``close`` alone would send them first, or give up and stay open."""
    producer._sender.force_close()
    with contextlib.suppress(KafkaError):
        producer.close(timeout=_ENDING_SECONDS)
