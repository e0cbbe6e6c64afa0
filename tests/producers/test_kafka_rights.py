"""A right that is missing or taken away is named with what to grant; what was accepted waits, and nothing is lost of it."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaAdminClient
from kafka.admin import ACL, ACLOperation, ACLPermissionType, ResourcePattern, ResourceType

from producers.archiver import Options, archive_topic
from producers.claims import recorders_topic
from producers.kafka_client import KafkaFailed, KafkaRefused, settings_from
from producers.recorder import Recorder
from producers.sinks.kafka import KafkaSink
from producers.topic import check, create
from tests.conftest import PASSWORD, USER, Broker
from tests.producers.following import ALONE, Following, dealt, produce, topic_of_one_partition
from tests.waiting import wait_for

pytestmark = pytest.mark.kafka

AUDITOR, NOBODY = f"User:{USER}", "User:nobody"
READ, WRITE, DESCRIBE = ACLOperation.READ, ACLOperation.WRITE, ACLOperation.DESCRIBE


@pytest.fixture
def known(kafka_broker: Broker) -> dict[str, str]:
    """How the auditor comes to the broker."""
    said = {
        "KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
        "KAFKA_SASL_MECHANISM": "SCRAM-SHA-512",
        "KAFKA_SASL_USERNAME": USER,
        "KAFKA_SASL_PASSWORD": PASSWORD,
        "KAFKA_SSL_CAFILE": str(kafka_broker.ca_file),
    }
    return settings_from(said)


@pytest.fixture
def topic(kafka_broker: Broker) -> str:
    return topic_of_one_partition(kafka_broker.bootstrap)


@pytest.fixture
def rules(kafka_broker: Broker) -> Iterator[Any]:
    """Makes rules about topics and groups, and takes them away again when the test is over."""
    admin = KafkaAdminClient(bootstrap_servers=kafka_broker.bootstrap)
    made: list[ACL] = []

    def rule(
        name: str, *operations: ACLOperation, who: str = AUDITOR, kind: ResourceType = ResourceType.TOPIC
    ) -> list[ACL]:
        acls = [ACL(who, "*", each, ACLPermissionType.ALLOW, ResourcePattern(kind, name)) for each in operations]
        admin.create_acls(acls)
        made.extend(acls)
        return acls

    def away(acls: list[ACL]) -> None:
        admin.delete_acls(acls)
        for acl in acls:
            made.remove(acl)

    rule.away = away  # type: ignore[attr-defined]
    yield rule
    if made:
        admin.delete_acls(made)
    admin.close()


def test_an_archiver_without_the_right_to_read_ends_with_what_to_grant(
    kafka_broker: Broker, known: dict[str, str], topic: str, rules: Any, tmp_path: Path
) -> None:
    produce(kafka_broker.bootstrap, topic, dealt(1))
    rules(topic, READ, who=NOBODY)
    with pytest.raises(KafkaRefused, match=f"no right to topic {topic} at .*: grant it Read and Describe on the topic"):
        archive_topic(Options(kafka_broker.sasl_bootstrap, topic, tmp_path, settings=known))
    with pytest.raises(KafkaRefused, match="grant it Read and Describe"):
        archive_topic(Options(kafka_broker.sasl_bootstrap, topic, tmp_path, settings=known, until_end=True))
    rules(topic, DESCRIBE)
    with pytest.raises(KafkaRefused, match="grant it Read and Describe"):  # it may see the topic and not read it
        archive_topic(Options(kafka_broker.sasl_bootstrap, topic, tmp_path, settings=known, until_end=True))
    rules(topic, READ)
    assert (
        archive_topic(Options(kafka_broker.sasl_bootstrap, topic, tmp_path, settings=known, until_end=True)).events == 1
    )


def test_a_right_that_is_taken_away_is_reported_once_and_given_back_the_archiver_goes_on_by_itself(
    kafka_broker: Broker, known: dict[str, str], topic: str, rules: Any, tmp_path: Path
) -> None:
    """It said each second by turns that it had no right and that the topic answered again."""
    given = rules(topic, READ, DESCRIBE)
    with Following(kafka_broker.sasl_bootstrap, topic, tmp_path, settings=known) as archiver:
        produce(kafka_broker.bootstrap, topic, dealt(1), dealt(2))
        wait_for(lambda: archiver.done.events == 2)
        rules(topic, DESCRIBE)
        rules.away(given)
        rules(topic, DESCRIBE)  # it may see the topic and read nothing
        produce(kafka_broker.bootstrap, topic, dealt(3))
        wait_for(lambda: archiver.told("it is tried again"))
        time.sleep(5)
        [said] = archiver.told("it is tried again")
        assert "grant it Read and Describe" in said and archiver.told("answers again") == []
        rules(topic, READ)
        wait_for(lambda: archiver.done.events == 3)
        wait_for(lambda: archiver.told("answers again"))
    assert (archiver.done.duplicates, archiver.done.lost) == (0, [])


def test_no_right_to_the_group_costs_no_event_and_is_reported_once(
    kafka_broker: Broker, known: dict[str, str], topic: str, rules: Any, tmp_path: Path
) -> None:
    group = f"group-{uuid.uuid4().hex[:8]}"
    rules(group, READ, who=NOBODY, kind=ResourceType.GROUP)
    with Following(kafka_broker.sasl_bootstrap, topic, tmp_path, settings=known, group=group) as archiver:
        produce(kafka_broker.bootstrap, topic, dealt(1))
        wait_for(lambda: archiver.told("no right to the consumer group"))
        produce(kafka_broker.bootstrap, topic, dealt(2))
        wait_for(lambda: archiver.done.events == 2)
    assert len(archiver.told("grant it Read on the group")) == 1


def test_a_recorder_without_the_right_to_write_keeps_what_it_accepts_and_says_why_until_it_may(
    kafka_broker: Broker, known: dict[str, str], topic: str, rules: Any, tmp_path: Path
) -> None:
    with closing(KafkaSink(kafka_broker.sasl_bootstrap, topic, tmp_path / "spool", settings=known)) as sink:
        recorder = Recorder(sink, "T1")
        recorder.record("WagersClosed", round=1, at=1)
        recorder.flush()
        sink.drain(60)
        rules(topic, READ, DESCRIBE)
        for number in range(2, 6):
            recorder.record("WagersClosed", round=1, at=number)
        began = time.monotonic()
        recorder.flush()
        assert time.monotonic() - began < 5, "play never waits for the broker"
        wait_for(lambda: "no right to topic" in sink.fill.last_error)
        assert sink.fill.events == 4
        rules(topic, WRITE)
        sink.drain(60)
    assert archive_topic(Options(kafka_broker.bootstrap, topic, tmp_path / "a", until_end=True)).events == 5


def test_who_may_not_create_or_look_at_a_topic_is_told_so(
    kafka_broker: Broker, known: dict[str, str], topic: str, rules: Any
) -> None:
    name = f"mine-{uuid.uuid4().hex[:8]}"
    rules(name, READ, who=NOBODY)
    rules("kafka-cluster", READ, who=NOBODY, kind=ResourceType.CLUSTER)
    with pytest.raises(KafkaFailed, match="no right"):
        create(kafka_broker.sasl_bootstrap, name, ALONE, known)
    rules(topic, READ, who=NOBODY)
    with pytest.raises(KafkaFailed, match=f"no right to topic {topic}"):  # it said that there was none
        check(kafka_broker.sasl_bootstrap, topic, ALONE, known)


def rights_in_the_runbook(user: str) -> list[tuple[str, list[ACLOperation]]]:
    """What the runbook's table gives a user on the topic, on that of the recorders, and on the group."""
    text = (Path(__file__).parents[2] / "flows" / "deployment" / "RUNBOOK.md").read_text(encoding="utf-8")
    _, head, rows = re.split(r"^\| Kafka user \|(.*)\|$", text, flags=re.MULTILINE)
    [row] = re.findall(rf"^\| {user} \|(.*)\|$", rows, re.MULTILINE)
    names = re.findall(r"`(.+?)`", head)
    return [
        (name, [ACLOperation[each.upper()] for each in re.findall(r"\w+", cell)])
        for name, cell in zip(names, row.split("|"), strict=True)
    ]


def test_with_the_rights_that_the_runbook_names_and_no_others_tables_record_and_the_archiver_archives(
    kafka_broker: Broker, known: dict[str, str], topic: str, rules: Any, tmp_path: Path
) -> None:
    """It said that tables need to write the topic: a recorder also reads it, and reads and writes the claims."""
    group = f"group-{uuid.uuid4().hex[:8]}"
    ours = {"pitaudit.events": topic, "pitaudit.events.recorders": recorders_topic(topic), "pitaudit-archiver": group}
    kinds = {group: ResourceType.GROUP}
    for name in ours.values():
        rules(name, READ, who=NOBODY, kind=kinds.get(name, ResourceType.TOPIC))  # whoever is not named has no right now
    rules("kafka-cluster", READ, who=NOBODY, kind=ResourceType.CLUSTER)

    def given(user: str) -> list[list[ACL]]:
        rights = [(ours[name], operations) for name, operations in rights_in_the_runbook(user) if operations]
        return [rules(name, *operations, kind=kinds.get(name, ResourceType.TOPIC)) for name, operations in rights]

    tables = given("tables")
    with closing(KafkaSink(kafka_broker.sasl_bootstrap, topic, tmp_path / "spool", settings=known)) as sink:
        recorder = Recorder(sink, "T1")
        recorder.record("WagersClosed", round=1, at=1)
        recorder.flush()
        sink.drain(60)
    for acls in tables:
        rules.away(acls)
    given("archiver")
    with Following(kafka_broker.sasl_bootstrap, topic, tmp_path / "a", settings=known, group=group) as archiver:
        wait_for(lambda: archiver.done.events == 1)
    assert archiver.told("") == []
    with closing(KafkaAdminClient(bootstrap_servers=kafka_broker.bootstrap)) as admin:
        assert [at.offset for at in admin.list_group_offsets(group)[group].values()] == [1]
