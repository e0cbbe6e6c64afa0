"""Reads a topic over one connection: its id, its partitions' begins and ends, its messages; and measures how far the archive is
behind it, from the brokers themselves, without committing anything."""

from __future__ import annotations

import contextlib
import datetime as dt
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.admin import OffsetSpec
from kafka.errors import KafkaTimeoutError, for_code
from kafka.structs import OffsetAndMetadata

from producers.archiver.interface import Options
from producers.kafka_client import Settings, connect, explained
from schemas.event import moment

_BATCH: Final = 10_000
_ANSWER_MS: Final = 5_000
"""How long a request between two reads may take before the connection is made anew."""
_METADATA_MS: Final = 10_000
_CLOSE_MS: Final = 1_000
_BOOTSTRAP_MS: Final = 3_000
_READ_SECONDS: Final = 3.0
_POLL_MS: Final = 200


@dataclass(frozen=True, slots=True)
class TopicSnapshot:
    """The partitions of a topic at a moment of the monotonic clock, with their begin and end offsets.

    A partition without a leader is among ``partitions`` but has no begin and end. ``waiting``, which :func:`lag_of` fills, maps a
    partition to the time (UTC) of the first message that the archive does not have: the event's time where the topic keeps the
    recorders' timestamps. A partition where that message has no time of the calendar is left out.
    """

    at: float
    topic_id: str
    partitions: frozenset[int]
    begins: Mapping[int, int] = field(default_factory=dict)
    ends: Mapping[int, int] = field(default_factory=dict)
    waiting: Mapping[int, dt.datetime] = field(default_factory=dict)

    @property
    def leaderless(self) -> str:
        """A sentence about partitions that have no leader; empty where all have one."""
        without = ", ".join(map(str, sorted(self.partitions - self.ends.keys())))
        return without and f"no leader of partition {without}: look at the brokers that are down"


class TopicView:
    """A connection to read a topic, which is made as :func:`producers.kafka_client.connect` does; later errors of kafka-python
    are raised unchanged. ``reading`` has the partitions that are read, and the offset from which each goes on."""

    def __init__(self, options: Options, *, bootstrap_ms: int) -> None:
        self.reading: dict[int, int] = {}
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
        """The topic at present; KafkaFailed without an answer, KafkaRefused where there is no such topic, or no right to it."""
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
        self.reading = dict(offsets)

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
        self.reading[partition] = int(offset)
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


def lag_of(bootstrap: str, topic: str, taken: Mapping[int, int], settings: Settings | None = None) -> TopicSnapshot:
    """The topic at present, and for what it waits; ``taken`` has the first offset not safe in the archive, by partition. Takes
    seconds. KafkaFailed without an answer, KafkaRefused where there is no such topic, no right to it, or options do not fit."""
    options = Options(bootstrap, topic, Path(), settings=settings or {})
    with explained(bootstrap, topic), contextlib.closing(TopicView(options, bootstrap_ms=_BOOTSTRAP_MS)) as view:
        snapshot = view.snapshot()
        starts = {number: max(begin, taken.get(number, begin)) for number, begin in snapshot.begins.items()}
        behind = {number: start for number, start in starts.items() if start < snapshot.ends[number]}
        times = _first_times(view, behind)
    return replace(snapshot, waiting={number: at for number, at in times.items() if at is not None})


def _first_times(view: TopicView, behind: Mapping[int, int]) -> dict[int, dt.datetime | None]:
    found: dict[int, dt.datetime | None] = {}
    deadline = time.monotonic() + _READ_SECONDS
    while (left := behind.keys() - found.keys()) and time.monotonic() < deadline:
        if left != view.reading.keys():
            view.read_from({partition: behind[partition] for partition in left})
        for record in view.poll(_POLL_MS):
            if record.partition not in found:
                found[record.partition] = _moment(record.timestamp)
    return found


def _moment(milliseconds: int | None) -> dt.datetime | None:
    """The time of a message; None where it has none, or one outside the calendar, which any program may write."""
    if milliseconds is None or milliseconds < 0:
        return None
    try:
        return moment(milliseconds * 1000)
    except OverflowError:
        return None
