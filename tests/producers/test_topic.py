"""A topic as it must be, and what is said of one that is not."""

import uuid
from contextlib import closing

import pytest
from kafka import KafkaAdminClient

from producers.kafka_client import KafkaFailed
from producers.topic import Shape, check, create

ALONE = Shape(partitions=2, replication=1, min_in_sync=1)  # the tests' broker is alone


def test_a_topic_that_was_created_is_as_it_must_be(kafka_bootstrap: str) -> None:
    topic = f"events-{uuid.uuid4().hex[:12]}"
    assert create(kafka_bootstrap, topic, ALONE)
    assert check(kafka_bootstrap, topic, ALONE) == []
    assert not create(kafka_bootstrap, topic, ALONE)  # and is left alone


def test_without_the_topic_of_its_recorders_a_topic_is_not_as_it_must_be(kafka_bootstrap: str) -> None:
    topic = f"events-{uuid.uuid4().hex[:12]}"
    create(kafka_bootstrap, topic, ALONE)
    with closing(KafkaAdminClient(bootstrap_servers=kafka_bootstrap)) as admin:
        admin.delete_topics([f"{topic}.recorders"])
    (fault,) = check(kafka_bootstrap, topic, ALONE)
    assert fault.what.startswith(f"topic {topic}.recorders does not exist")
    assert not create(kafka_bootstrap, topic, ALONE)
    assert check(kafka_bootstrap, topic, ALONE) == []
    with closing(KafkaAdminClient(bootstrap_servers=kafka_bootstrap)) as admin:
        (described,) = admin.describe_topics([f"{topic}.recorders"])
    assert len(described["partitions"]) == 1  # all claims in one order


def test_what_would_lose_events_is_named_with_what_to_do(kafka_bootstrap: str) -> None:
    topic = f"events-{uuid.uuid4().hex[:12]}"
    bad = {"retention.ms": "604800000", "cleanup.policy": "compact", "unclean.leader.election.enable": "true"}
    admin = KafkaAdminClient(bootstrap_servers=kafka_bootstrap)
    admin.create_topics({topic: {"num_partitions": 1, "replication_factor": 1, "configs": bad}}, wait_for_metadata=True)
    admin.close()
    faults = check(kafka_bootstrap, topic, Shape(partitions=2, replication=3, min_in_sync=2))
    said = {fault.what.split(" is ")[0].split(",")[0]: fault.do for fault in faults}
    assert set(said) == {
        "retention.ms",
        "cleanup.policy",
        "unclean.leader.election.enable",
        "min.insync.replicas",
        "replication",
        "1 partition(s)",
        f"topic {topic}.recorders does not exist: no table can be recorded",
    }
    assert said["retention.ms"].endswith(f"--entity-name {topic} --add-config retention.ms=-1")
    assert said["cleanup.policy"].endswith("cleanup.policy=delete")


def test_more_replicas_than_brokers_is_one_clear_sentence(kafka_bootstrap: str) -> None:
    with pytest.raises(KafkaFailed, match=r"[Rr]eplication"):
        create(kafka_bootstrap, f"events-{uuid.uuid4().hex[:12]}", Shape(1, 3, 2))


def test_a_topic_that_is_not_there_is_named(kafka_bootstrap: str) -> None:
    with pytest.raises(KafkaFailed, match=r"topic nowhere does not exist .*: create it with `pitaudit topic create`"):
        check(kafka_bootstrap, "nowhere", ALONE)


def test_a_shape_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="3 of 2 replicas"):
        Shape(partitions=1, replication=2, min_in_sync=3)
