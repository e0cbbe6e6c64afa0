"""A Kafka topic as a sink: idempotent, acknowledged by all replicas, keyed by table.

All events of a table are in one partition, in order. A record's timestamp is the event's own; its headers say that it is Avro,
and of which schema. What the topic holds becomes an archive through :mod:`producers.archiver`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any, Final

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import KafkaError, KafkaTimeoutError
from kafka.partitioner.default import murmur2

from producers.kafka_client import BOOTSTRAP_MS, KafkaFailed, Settings, connect, explained, sentence
from replayer.sources.layout import require_table_id
from schemas.codec import MessageUnreadable, decode, split_message

TIMEOUT_MS: Final = 60_000
_CONTENT_TYPE: Final = ("content-type", b"application/avro")
_LINGER_MS: Final = 20
_BATCH_BYTES: Final = 131_072
_TAIL: Final = 1_000


class KafkaSink:
    """Writes to ``topic``, which must exist. ``settings`` are passed through to kafka-python.

    A sink that lost an event takes no more: open a new one and continue after its ``last_seq``.

    Raises:
        KafkaFailed: no connection, no right, or no such topic.
    """

    def __init__(
        self, bootstrap: str, topic: str, *, settings: Settings | None = None, timeout_ms: int = TIMEOUT_MS
    ) -> None:
        self._bootstrap = bootstrap
        self._topic = topic
        self._timeout_ms = timeout_ms
        self._settings: dict[str, Any] = {
            "allow_auto_create_topics": False,
            "bootstrap_timeout_ms": min(timeout_ms, BOOTSTRAP_MS),
            "request_timeout_ms": min(timeout_ms - _LINGER_MS, 30_000),
            **(settings or {}),
        }
        self._lost: BaseException | None = None
        self._taken: dict[str, int] = {}
        self._durable: dict[str, int] = {}
        self._consumer = connect(
            KafkaConsumer,
            bootstrap,
            topic,
            **{"enable_auto_commit": False, "isolation_level": "read_committed", **self._settings},
        )
        with explained(bootstrap, topic):
            self._partitions: list[int] = sorted(self._consumer.partitions_for_topic(topic))
        if not self._partitions:
            self._consumer.close()
            raise KafkaFailed(f"topic {topic} does not exist at {bootstrap}: create it with `pitaudit topic create`")
        producing = {
            "enable_idempotence": True,
            "acks": "all",
            "linger_ms": _LINGER_MS,
            "batch_size": _BATCH_BYTES,
            "compression_type": "zstd",
            "delivery_timeout_ms": timeout_ms,
            "max_block_ms": timeout_ms,
        }
        self._producer = connect(KafkaProducer, bootstrap, topic, **(producing | self._settings))

    def last_seq(self, table_id: str) -> int:
        """The highest ``seq`` of the table, looked up from the end of its partition."""
        if table_id not in self._taken:
            require_table_id(table_id)
            with explained(self._bootstrap, self._topic):
                self._taken[table_id] = self._durable[table_id] = self._look_up(table_id)
        return self._taken[table_id]

    def append(self, table_id: str, gaming_day: dt.date, seq: int, message: bytes) -> None:
        """Hand an event to the producer.

        Raises:
            TableIdRefused: the table id could not stand in an archive.
            KafkaFailed: an event was lost before, or the producer's buffer stays full.
        """
        if table_id not in self._taken:
            self.last_seq(table_id)
        self._raise_if_lost()
        writer, _ = split_message(message)
        with explained(self._bootstrap, self._topic):
            sent = self._producer.send(
                self._topic,
                key=table_id.encode(),
                value=message,
                headers=[_CONTENT_TYPE, ("schema", writer.fingerprint.hex().encode())],
                partition=self._partition(table_id),
                timestamp_ms=max(0, decode(message).at // 1000),  # Kafka knows no time before 1970
            )
        sent.add_errback(self._note_lost)
        self._taken[table_id] = max(self._taken[table_id], seq)

    def flush(self) -> Mapping[str, int]:
        """Wait until all replicas have everything.

        Raises:
            KafkaFailed: they do not in time, or some event was lost.
        """
        self._raise_if_lost()
        try:
            self._producer.flush(timeout=self._timeout_ms / 1000 + 5)  # the producer itself gives up before that
        except KafkaError as error:
            self._note_lost(error)
        self._raise_if_lost()
        self._durable.update(self._taken)
        return {table_id: seq for table_id, seq in self._durable.items() if seq}

    def seal(self, table_id: str, gaming_day: dt.date) -> None:
        """Flush: a topic has no table-days, the archiver seals them."""
        self.flush()

    def close(self) -> None:
        """End the producer at once; what was not flushed may or may not arrive."""
        self._producer.close(timeout=0 if self._lost else 5)
        self._consumer.close()

    def _note_lost(self, error: BaseException) -> None:
        if self._lost is None:
            self._lost = error

    def _raise_if_lost(self) -> None:
        if self._lost is not None:
            why = sentence(self._lost, self._bootstrap, self._topic)
            raise KafkaFailed(f"{why}; only events acknowledged before are recorded") from self._lost

    def _partition(self, table_id: str) -> int:
        return self._partitions[(int(murmur2(table_id.encode())) & 0x7FFFFFFF) % len(self._partitions)]

    def _look_up(self, table_id: str) -> int:
        partition = TopicPartition(self._topic, self._partition(table_id))
        self._consumer.assign([partition])
        begin = self._consumer.beginning_offsets([partition])[partition]
        end = self._consumer.end_offsets([partition])[partition]
        window = _TAIL
        while True:
            first = max(begin, end - window)
            found = max(self._seqs(partition, first, end, table_id), default=0)
            if found or first == begin:
                return found
            window *= 8

    def _seqs(self, partition: TopicPartition, first: int, end: int, table_id: str) -> Iterator[int]:
        self._consumer.seek(partition, first)
        idle = 0
        while self._consumer.position(partition) < end:
            records = self._consumer.poll(timeout_ms=500).get(partition, [])
            idle = 0 if records else idle + 500
            if idle >= self._timeout_ms:
                raise KafkaTimeoutError(f"partition {partition.partition} cannot be read")
            for record in records:
                try:
                    event = decode(record.value or b"")
                except MessageUnreadable:
                    continue
                if event.table_id == table_id:
                    yield event.seq
