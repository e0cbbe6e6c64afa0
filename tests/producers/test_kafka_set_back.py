"""Topics that are cut while somebody is behind, brokers whose disk is set back: what is there is taken once, and what is gone is
told with its range."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType

from producers.archiver import Options, archive_topic
from producers.topic import create
from replayer.sources.archive import read_events, table_days
from replayer.sources.lost import Why, lost_messages
from tests.conftest import Broker
from tests.producers.following import ALONE, Following, dealt, produce
from tests.waiting import wait_for

pytestmark = pytest.mark.kafka


def taken(archive: Path) -> list[int]:
    return [event.seq for ref in table_days(archive) for event in read_events(ref)]


def test_retention_that_overtakes_the_archiver_is_reported_with_the_range_and_play_after_it_is_taken(
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
        assert archive_topic(Options(broker.bootstrap, topic, tmp_path / "a", until_end=True)).events == 3
        produce(broker.bootstrap, topic, *map(dealt, range(4, 11)))
        with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as admin:
            admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, {"retention.ms": "1"})])
        wait_for(lambda: _begin(broker.bootstrap, topic) == 10)
        with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as admin:
            admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, {"retention.ms": "-1"})])
        produce(broker.bootstrap, topic, *map(dealt, range(11, 13)))
        done = archive_topic(Options(broker.bootstrap, topic, tmp_path / "a", until_end=True))
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


@pytest.mark.prove
def test_a_broker_whose_disk_was_set_back_is_reported_and_neither_table_nor_archive_loses_what_it_has(
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
    assert archive_topic(Options(lone_broker.bootstrap, topic, tmp_path / "a", until_end=True)).events == 10
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
    assert archive_topic(Options(lone_broker.bootstrap, topic, tmp_path / "a", until_end=True)).lost == []
    assert taken(tmp_path / "a") == list(range(1, 14)), "what was taken stays taken"
