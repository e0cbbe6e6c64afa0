"""A topic as it must be, and what is said of one that is not."""

import shlex
import subprocess
import uuid
from contextlib import closing
from pathlib import Path

import pytest
from kafka import KafkaAdminClient
from kafka.admin import ConfigResource, ConfigResourceType

from producers.kafka_client import KafkaFailed, KafkaRefused
from producers.topic import Shape, check, create
from tests.conftest import Broker, jars_of_kafka
from tests.waiting import wait_for

ALONE = Shape(partitions=2, replication=1, min_in_sync=1)  # the tests' broker is alone


@pytest.fixture
def topic() -> str:
    """A name that no topic has."""
    return f"events-{uuid.uuid4().hex[:12]}"


def test_a_topic_that_was_created_is_as_it_must_be(kafka_bootstrap: str, topic: str) -> None:
    assert create(kafka_bootstrap, topic, ALONE)
    assert check(kafka_bootstrap, topic, ALONE) == []
    assert not create(kafka_bootstrap, topic, ALONE)  # and is left alone


def test_without_the_topic_of_its_recorders_a_topic_is_not_as_it_must_be(kafka_bootstrap: str, topic: str) -> None:
    create(kafka_bootstrap, topic, ALONE)
    with closing(KafkaAdminClient(bootstrap_servers=kafka_bootstrap)) as admin:
        admin.delete_topics([f"{topic}.recorders"])
    wait_for(lambda: check(kafka_bootstrap, topic, ALONE))  # a broker that is busy still describes it for a moment
    (fault,) = check(kafka_bootstrap, topic, ALONE)
    assert fault.what.startswith(f"topic {topic}.recorders does not exist")
    assert not create(kafka_bootstrap, topic, ALONE)
    assert check(kafka_bootstrap, topic, ALONE) == []
    with closing(KafkaAdminClient(bootstrap_servers=kafka_bootstrap)) as admin:
        (described,) = admin.describe_topics([f"{topic}.recorders"])
    assert len(described["partitions"]) == 1  # all claims in one order


def test_what_would_lose_events_is_named_with_what_to_do(kafka_bootstrap: str, topic: str) -> None:
    bad = {
        "retention.ms": "604800000",
        "cleanup.policy": "compact",
        "unclean.leader.election.enable": "true",
        "max.message.bytes": "100000",
    }
    admin = KafkaAdminClient(bootstrap_servers=kafka_bootstrap)
    admin.create_topics({topic: {"num_partitions": 1, "replication_factor": 1, "configs": bad}}, wait_for_metadata=True)
    admin.close()
    faults = check(kafka_bootstrap, topic, Shape(partitions=2, replication=3, min_in_sync=2))
    said = {fault.what.split(" is ")[0].split(",")[0]: fault.do for fault in faults}
    assert set(said) == {
        "retention.ms",
        "cleanup.policy",
        "unclean.leader.election.enable",
        "max.message.bytes",
        "message.timestamp.after.max.ms",
        "compression.type",
        "min.insync.replicas",
        "replication",
        "1 partition",
        f"topic {topic}.recorders does not exist: no table can be recorded",
    }
    assert said["retention.ms"].endswith(f"--entity-name {topic} --add-config retention.ms=-1")
    assert said["cleanup.policy"].endswith("cleanup.policy=delete")
    missing = f"topic {topic}.recorders does not exist: no table can be recorded"
    assert said[missing] == f"`pitaudit topic create --topic {topic}`"


@pytest.mark.prove
def test_what_to_do_about_a_topic_is_done_as_it_is_typed(kafka_bootstrap: str, topic: str, kafka_jars: Path) -> None:
    """Without --bootstrap-server Kafka's own command refused it."""
    bad = {"retention.ms": "604800000", "cleanup.policy": "compact", "max.message.bytes": "100000"}
    create(kafka_bootstrap, topic, ALONE)
    with closing(KafkaAdminClient(bootstrap_servers=kafka_bootstrap)) as admin:
        admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, configs=bad)])
    faults = check(kafka_bootstrap, topic, ALONE)
    assert len(faults) == len(bad)
    for fault in faults:
        program, *options = shlex.split(fault.do)
        assert program == "kafka-configs.sh"
        subprocess.run(["java", "-cp", f"{kafka_jars}/*", "kafka.admin.ConfigCommand", *options], check=True)
    assert check(kafka_bootstrap, topic, ALONE) == []


@pytest.mark.prove
def test_a_broker_before_3_6_takes_events_of_any_time_and_is_asked_for_no_limit(
    kafka_key: Path, tmp_path: Path
) -> None:
    broker = Broker(jars_of_kafka("3.5.2"), kafka_key, tmp_path)
    broker.start()
    try:
        assert create(broker.bootstrap, "events", ALONE)
        assert check(broker.bootstrap, "events", ALONE) == []
    finally:
        broker.stop()


def test_more_replicas_than_brokers_is_one_clear_sentence(kafka_bootstrap: str, topic: str) -> None:
    with pytest.raises(KafkaFailed, match=r"replication factor of 3 .* only 1 broker") as told:
        create(kafka_bootstrap, topic, Shape(1, 3, 2))
    assert "CreateTopicsRe" not in str(told.value), "what the programs said to each other is not for people"


def test_a_topic_that_is_not_there_is_named(kafka_bootstrap: str) -> None:
    with pytest.raises(
        KafkaFailed, match=r"topic nowhere does not exist .*: create it with `pitaudit topic create --topic nowhere`"
    ):
        check(kafka_bootstrap, "nowhere", ALONE)


def test_a_name_that_no_topic_can_have_is_refused_with_those_that_one_can(kafka_bootstrap: str) -> None:
    """It was told as `[Error 17] InvalidTopicError`."""
    for do in (check, create):
        with pytest.raises(KafkaFailed, match=r"^'pit/events' is no topic's name: letters, digits"):
            do(kafka_bootstrap, "pit/events", ALONE)


def test_a_shape_that_cannot_be_is_refused() -> None:
    for partitions, replication, min_in_sync in ((1, 2, 3), (1, 2, 0), (0, 2, 2)):
        with pytest.raises(
            KafkaRefused, match=f"{min_in_sync} of {replication} replicas in sync, {partitions} partitions"
        ):
            Shape(partitions, replication, min_in_sync)
