"""A topic for tests of recorders and archivers, messages for it, and an archiver that runs in a thread."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.consumer.fetcher import ConsumerRecord

from producers.archiver import Archived, Line, Notice, Options, archive_topic
from producers.sinks.kafka import KafkaSink
from producers.topic import Shape, create
from schemas.codec import encode
from tests.producers.dealing import card_dealt

ALONE = Shape(partitions=1, replication=1, min_in_sync=1)


def dealt(seq: int, table_id: str = "T1", card: str = "Th") -> bytes:
    """The message of a dealt card."""
    return encode(card_dealt(seq, card, table_id=table_id))


def topic_of_one_partition(bootstrap: str) -> Topic:
    """A fresh topic."""
    topic = Topic(bootstrap, f"events-{uuid.uuid4().hex[:8]}")
    topic.create()
    return topic


@dataclass(frozen=True)
class Topic:
    """A topic at a broker. ``settings`` are the options of its recorders' and archivers' connections."""

    bootstrap: str
    name: str
    settings: dict[str, str] = field(default_factory=dict)

    def create(self, shape: Shape = ALONE) -> bool:
        """Create the topic, with the one of its recorders."""
        return create(self.bootstrap, self.name, shape)

    def sink(self, spool: Path, **options: Any) -> KafkaSink:
        """A sink for a recorder."""
        return KafkaSink(self.bootstrap, self.name, spool, **{"settings": self.settings, **options})

    def archive(self, archive: Path, *, until_end: bool = True, **options: Any) -> Archived:
        """Archive the topic, to its end unless told otherwise."""
        options = {"settings": self.settings, **options}
        return archive_topic(Options(self.bootstrap, self.name, archive, until_end=until_end, **options))

    def following(self, archive: Path, **options: Any) -> Following:
        """An archiver that runs until the block is left."""
        return Following(self, archive, **options)

    def produce(self, *messages: bytes | None, partition: int = 0) -> None:
        """Send messages to a partition and wait until the broker has them."""
        with closing(KafkaProducer(bootstrap_servers=self.bootstrap)) as producer:
            for message in messages:
                key = b"T1" if message is None else None  # a message has one of both
                producer.send(self.name, value=message, key=key, partition=partition)
            producer.flush(timeout=30)

    def records(self) -> list[ConsumerRecord]:
        """All records of the topic."""
        with closing(KafkaConsumer(bootstrap_servers=self.bootstrap, enable_auto_commit=False)) as consumer:
            partitions = [TopicPartition(self.name, number) for number in consumer.partitions_for_topic(self.name)]
            consumer.assign(partitions)
            consumer.seek_to_beginning()
            ends = consumer.end_offsets(partitions)
            found = []
            while any(consumer.position(each) < end for each, end in ends.items()):
                found += [record for part in consumer.poll(timeout_ms=200).values() for record in part]
            return found

    @contextmanager
    def admin(self) -> Iterator[KafkaAdminClient]:
        """An administrator's connection to the broker."""
        with closing(KafkaAdminClient(bootstrap_servers=self.bootstrap)) as admin:
            yield admin

    def cut(self, before: int) -> None:
        """Delete the oldest messages, as a topic's retention does."""
        with self.admin() as admin:
            admin.delete_records({TopicPartition(self.name, 0): before})


class Following:
    """``archive_topic`` without an end, until the block is left."""

    def __init__(self, topic: Topic, archive: Path, **options: Any) -> None:
        self.lines: list[Line] = []
        self.done = Archived()
        self.error: BaseException | None = None
        self._topic, self._archive, self._options = topic, archive, options
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        def keep(now: Archived) -> None:
            self.done = now

        try:
            listening = {"stop": self._stop.is_set, "on_line": self.lines.append, "on_progress": keep}
            self._topic.archive(self._archive, until_end=False, **listening, **self._options)
        except BaseException as error:
            self.error = error

    def notices(self, words: str) -> list[str]:
        """The notices of trouble and its end that have these words."""
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
