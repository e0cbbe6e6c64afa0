"""Messages for an archiver, and one that goes on in a thread."""

from __future__ import annotations

import threading
import uuid
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.consumer.fetcher import ConsumerRecord

from producers.archiver import Archived, Line, Notice, Options, archive_topic
from producers.topic import Shape, create
from schemas.codec import encode
from tests.producers.dealing import card_dealt

ALONE = Shape(partitions=1, replication=1, min_in_sync=1)


def dealt(seq: int, table_id: str = "T1", card: str = "Th") -> bytes:
    """The message of a card that was dealt."""
    return encode(card_dealt(seq, card, table_id=table_id))


def topic_of_one_partition(bootstrap: str) -> str:
    """A fresh topic's name."""
    topic = f"events-{uuid.uuid4().hex[:8]}"
    create(bootstrap, topic, ALONE)
    return topic


class Following:
    """``archive_topic`` without an end, until the block is left."""

    def __init__(self, bootstrap: str, topic: str, archive: Path, **options: Any) -> None:
        self.lines: list[Line] = []
        self.done = Archived()
        self.error: BaseException | None = None
        self._ask = bootstrap, topic, archive
        self._options = options
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        def keep(now: Archived) -> None:
            self.done = now

        try:
            archive_topic(
                Options(
                    *self._ask, stop=self._stop.is_set, on_line=self.lines.append, on_progress=keep, **self._options
                )
            )
        except BaseException as error:
            self.error = error

    def told(self, words: str) -> list[str]:
        """What it told of trouble and its end, with these words in it."""
        return [line.what for line in self.lines if isinstance(line, Notice) and words in line.what]

    def __enter__(self) -> Following:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(30)
        assert not self._thread.is_alive()
        if self.error is not None and error is None:
            raise self.error


def produce(bootstrap: str, topic: str, *messages: bytes | None, partition: int = 0) -> None:
    """Send messages to a partition and wait until the broker has them."""
    producer = KafkaProducer(bootstrap_servers=bootstrap)
    for message in messages:
        key = b"T1" if message is None else None  # a message has one of both
        producer.send(topic, value=message, key=key, partition=partition)
    producer.flush(timeout=30)
    producer.close()


def records(bootstrap: str, topic: str) -> list[ConsumerRecord]:
    """What a topic holds."""
    with closing(KafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)) as consumer:
        partitions = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)]
        consumer.assign(partitions)
        consumer.seek_to_beginning()
        ends = consumer.end_offsets(partitions)
        found = []
        while any(consumer.position(each) < end for each, end in ends.items()):
            found += [record for part in consumer.poll(timeout_ms=200).values() for record in part]
        return found
