"""Leaders that move, topics that are cut while somebody is behind, brokers whose disk is set back: what is there is taken
once, and what is gone is told with its range."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType

from producers.archiver import archive_topic
from producers.recorder import Recorder
from producers.sinks.kafka import KafkaSink
from producers.topic import Shape, create, recorders_topic
from replayer.sources.archive import read_events, table_days
from replayer.sources.lost import Why, lost_messages
from tests.conftest import Broker
from tests.producers.following import Following, dealt, produce, wait_for

ALONE = Shape(partitions=1, replication=1, min_in_sync=1)
TWICE = Shape(partitions=1, replication=2, min_in_sync=1)


@pytest.fixture
def pair(lone_broker: Broker, kafka_jars: Path, kafka_key: Path, tmp_path: Path) -> Iterator[tuple[Broker, Broker]]:
    """Two brokers of one cluster; the first one has the controller."""
    folder = tmp_path / "second"
    folder.mkdir()
    second = Broker(kafka_jars, kafka_key, folder, joins=lone_broker)
    second.start()
    yield lone_broker, second
    second.stop()


def leader(bootstrap: str, topic: str) -> int:
    with closing(KafkaAdminClient(bootstrap_servers=bootstrap)) as admin:
        return int(admin.describe_topics([topic])[0]["partitions"][0]["leader_id"])


def taken(archive: Path) -> list[int]:
    return [event.seq for ref in table_days(archive) for event in read_events(ref)]


def test_a_leader_that_moves_twice_while_events_flow_costs_none_and_doubles_none(
    pair: tuple[Broker, Broker], tmp_path: Path
) -> None:
    first, second = pair
    both, topic = f"{first.bootstrap},{second.bootstrap}", f"events-{uuid.uuid4().hex[:8]}"
    with closing(KafkaAdminClient(bootstrap_servers=both)) as admin:
        for name in (topic, recorders_topic(topic)):
            assigned = {0: [2, 1]}  # the second one leads
            admin.create_topics({name: {"replica_assignments": assigned, "configs": TWICE.configs()}})
    wait_for(lambda: leader(both, topic) == 2)
    with (
        closing(KafkaSink(both, topic, tmp_path / "spool")) as sink,
        Following(both, topic, tmp_path / "a") as archiver,
    ):
        recorder = Recorder(sink, "T1")

        def play(times: int) -> None:
            for _ in range(times):
                recorder.record("WagersClosed", round=1, at=(recorder.last_seq + 1) * 1_000_000)
            recorder.flush()

        play(100)
        wait_for(lambda: archiver.done.events == 100)
        second.stop()
        play(200)
        wait_for(lambda: leader(first.bootstrap, topic) == 1)
        wait_for(lambda: archiver.done.events == 300)
        second.start()
        wait_for(lambda: leader(both, topic) in {1, 2})
        play(50)
        sink.drain(60)
        wait_for(lambda: archiver.done.events == 350)
    done = archive_topic(both, topic, tmp_path / "a", until_end=True)
    assert (done.quarantined, done.lost) == (0, [])
    assert taken(tmp_path / "a") == list(range(1, 351))


def test_retention_that_overtakes_the_archiver_is_told_with_the_range_and_play_after_it_is_taken(
    kafka_jars: Path, kafka_key: Path, tmp_path: Path
) -> None:
    """A real retention: the broker deletes by the time of the messages, which is the events' own, of a day long gone."""
    folder = tmp_path / "broker"
    folder.mkdir()
    soon = {"log.retention.check.interval.ms": "500", "log.initial.task.delay.ms": "100"}
    broker = Broker(kafka_jars, kafka_key, folder, **soon)
    broker.start()
    try:
        topic = "pit"
        create(broker.bootstrap, topic, ALONE)
        produce(broker.bootstrap, topic, *map(dealt, range(1, 4)))
        assert archive_topic(broker.bootstrap, topic, tmp_path / "a", until_end=True).events == 3
        produce(broker.bootstrap, topic, *map(dealt, range(4, 11)))
        with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as admin:
            admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, {"retention.ms": "1"})])
        wait_for(lambda: _begin(broker.bootstrap, topic) == 10)
        with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as admin:
            admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, {"retention.ms": "-1"})])
        produce(broker.bootstrap, topic, *map(dealt, range(11, 13)))
        done = archive_topic(broker.bootstrap, topic, tmp_path / "a", until_end=True)
    finally:
        broker.stop()
    [lost] = done.lost
    assert (lost.why, lost.first, lost.end, done.events) == (Why.DELETED, 3, 10, 2)
    assert lost_messages(tmp_path / "a") == [lost]
    assert taken(tmp_path / "a") == [1, 2, 3, 11, 12]


def _begin(bootstrap: str, topic: str) -> int:
    with closing(KafkaConsumer(bootstrap_servers=bootstrap)) as consumer:
        at = TopicPartition(topic, 0)
        return int(consumer.beginning_offsets([at])[at])


def test_a_broker_whose_disk_was_set_back_is_told_and_neither_table_nor_archive_loses_what_it_has(
    lone_broker: Broker, tmp_path: Path
) -> None:
    """Restored from last night's copy it ends before what the archive took: other events may come under those offsets."""
    topic = "pit"
    create(lone_broker.bootstrap, topic, ALONE)
    produce(lone_broker.bootstrap, topic, *map(dealt, range(1, 6)))
    lone_broker.stop()
    data = tmp_path / "broker" / "log"
    shutil.copytree(data, tmp_path / "copy")
    lone_broker.start()
    produce(lone_broker.bootstrap, topic, *map(dealt, range(6, 11)))
    assert archive_topic(lone_broker.bootstrap, topic, tmp_path / "a", until_end=True).events == 10
    lone_broker.stop()
    shutil.rmtree(data)
    shutil.copytree(tmp_path / "copy", data)
    lone_broker.start()
    with Following(lone_broker.bootstrap, topic, tmp_path / "a") as archiver:
        wait_for(lambda: archiver.done.lost)
        produce(lone_broker.bootstrap, topic, *map(dealt, range(11, 14)))
        wait_for(lambda: archiver.done.events == 3)
    [lost] = lost_messages(tmp_path / "a")
    assert (lost.why, lost.first, lost.end) == (Why.CUT_BACK, 5, None)
    assert archive_topic(lone_broker.bootstrap, topic, tmp_path / "a", until_end=True).lost == []
    assert taken(tmp_path / "a") == list(range(1, 14)), "what was taken stays taken"
