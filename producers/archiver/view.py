"""Reads a topic over one connection: its id, its partitions' begins and ends, its messages."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.admin import OffsetSpec
from kafka.errors import KafkaTimeoutError, for_code
from kafka.structs import OffsetAndMetadata

from producers.archiver.options import Options
from producers.kafka_client import connect, explained

_BATCH: Final = 10_000
_ANSWER_MS: Final = 5_000
"""How long a request between two reads may take before the connection is made anew."""
_METADATA_MS: Final = 10_000
_CLOSE_MS: Final = 1_000


@dataclass(frozen=True, slots=True)
class TopicSnapshot:
    """The partitions of a topic at a moment of the monotonic clock, with their begin and end offsets.

    A partition without a leader is among ``partitions`` but has no begin and end.
    """

    at: float
    topic_id: str
    partitions: frozenset[int]
    begins: Mapping[int, int] = field(default_factory=dict)
    ends: Mapping[int, int] = field(default_factory=dict)

    @property
    def leaderless(self) -> str:
        """A sentence about partitions that have no leader; empty where all have one."""
        without = ", ".join(map(str, sorted(self.partitions - self.ends.keys())))
        return without and f"no leader of partition {without}: look at the brokers that are down"


class TopicView:
    """A connection to read a topic. Errors of kafka-python are raised unchanged, except while connecting.

    Raises:
        KafkaFailed: no connection.
        KafkaRefused: no right, or options that kafka-python refuses.
    """

    def __init__(self, options: Options, *, bootstrap_ms: int) -> None:
        self._options = options
        bootstrap, topic = options.bootstrap, options.topic
        settings = dict(options.settings)
        reading = {
            "group_id": None,  # reading needs no right to the group
            "enable_auto_commit": False,
            "auto_offset_reset": "none",  # this program decides where to continue, and reports it
            "isolation_level": "read_committed",
            "allow_auto_create_topics": False,
            "max_poll_records": _BATCH,
            "metadata_max_age_ms": _METADATA_MS,
        }
        waiting = {"bootstrap_timeout_ms": bootstrap_ms}
        self._consumer = connect(KafkaConsumer, bootstrap, topic, **(reading | waiting | settings))
        self._in_group = reading | waiting | settings | {"group_id": options.group}
        self._committer: Any = None
        try:
            asking = {"request_timeout_ms": _ANSWER_MS} | waiting
            self._admin = connect(KafkaAdminClient, bootstrap, topic, **(asking | settings))
        except BaseException:
            self._consumer.close(timeout_ms=_CLOSE_MS)
            raise

    def snapshot(self) -> TopicSnapshot:
        """The topic at present.

        Raises:
            KafkaFailed: no answer. KafkaRefused: no such topic, or no right to it.
        """
        at = self._options.monotonic()
        with explained(self._options.bootstrap, self._options.topic):
            (described,) = self._admin.describe_topics([self._options.topic])
            if described["error_code"]:
                raise for_code(described["error_code"])
            has_leader_by_partition = {
                each["partition_index"]: each["leader_id"] >= 0 for each in described["partitions"]
            }
            asked = [self._of(partition) for partition, has_leader in has_leader_by_partition.items() if has_leader]
            # The admin client knows a partition that was just added, unlike the consumer, whose ends leave out open transactions
            # besides: their messages are not read yet.
            begins, ends = (
                self._admin.list_partition_offsets(dict.fromkeys(asked, spec), timeout_ms=_ANSWER_MS)
                for spec in (OffsetSpec.EARLIEST, OffsetSpec.LATEST)
            )
        return TopicSnapshot(
            at,
            str(described["topic_id"] or ""),
            frozenset(has_leader_by_partition),
            {at.partition: begin.offset for at, begin in begins.items()},
            {at.partition: end.offset for at, end in ends.items()},
        )

    def read_from(self, offsets: Mapping[int, int]) -> None:
        """Read only these partitions, each from an offset on."""
        self._consumer.assign([self._of(partition) for partition in sorted(offsets)])
        for partition, offset in offsets.items():
            self._consumer.seek(self._of(partition), offset)

    def poll(self, milliseconds: int) -> list[Any]:
        """The next messages, in order within each partition."""
        if not self._consumer.assignment():
            return []
        return [record for records in self._consumer.poll(timeout_ms=milliseconds).values() for record in records]

    def position(self, partition: int) -> int:
        """The offset that is read next, after any control records of transactions."""
        offset = self._consumer.position(self._of(partition), timeout_ms=_ANSWER_MS)
        if offset is None:
            raise KafkaTimeoutError(f"partition {partition}: where it is read is not known")
        return int(offset)

    def commit(self, offsets: Mapping[int, int]) -> None:
        """Commit the group's offsets to Kafka, for tools that watch its lag."""
        with explained(self._options.bootstrap, self._options.topic):
            committed = {
                self._of(partition): OffsetAndMetadata(offset, "", -1) for partition, offset in offsets.items()
            }
            if self._committer is None:
                self._committer = connect(KafkaConsumer, self._options.bootstrap, self._options.topic, **self._in_group)
            self._committer.commit(committed, timeout_ms=_ANSWER_MS)

    def close(self) -> None:
        """Close the connection, even if it does not answer."""
        reading = {"autocommit": False, "timeout_ms": _CLOSE_MS}
        for client, options in ((self._admin, {}), (self._committer, reading), (self._consumer, reading)):
            if client is not None:
                with contextlib.suppress(Exception):  # of a failed connection
                    client.close(**options)

    def _of(self, partition: int) -> TopicPartition:
        return TopicPartition(self._options.topic, partition)
