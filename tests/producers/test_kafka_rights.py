"""A right that is missing or taken away is named with what to grant; what was accepted waits, and nothing is lost of it."""

from __future__ import annotations

import logging
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
from kafka.errors import (
    CoordinatorNotAvailableError,
    KafkaConnectionError,
    KafkaTimeoutError,
    NodeNotReadyError,
    OutOfOrderSequenceNumberError,
    RequestTimedOutError,
)
from kafka.protocol.parser import KafkaProtocol
from kafka.protocol.sasl import SaslAuthenticateRequest

from producers.archiver import Options
from producers.claims import recorders_topic
from producers.kafka_client import KafkaFailed, KafkaRefused, sentence, settings_from
from producers.link import Target
from producers.recorder import Recorder
from producers.topic import check, create
from tests.conftest import PASSWORD, USER, Broker
from tests.producers.following import ALONE, Topic, dealt, topic_of_one_partition
from tests.waiting import wait_for

AUDITOR, NOBODY = f"User:{USER}", "User:nobody"
READ, WRITE, DESCRIBE = ACLOperation.READ, ACLOperation.WRITE, ACLOperation.DESCRIBE


@pytest.fixture
def topic(kafka_broker: Broker) -> Topic:
    """A topic as those come to it who may do everything."""
    return topic_of_one_partition(kafka_broker.bootstrap)


@pytest.fixture
def ours(kafka_broker: Broker, topic: Topic) -> Topic:
    """The same as the auditor comes to it."""
    said = {
        "KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
        "KAFKA_SASL_MECHANISM": "SCRAM-SHA-512",
        "KAFKA_SASL_USERNAME": USER,
        "KAFKA_SASL_PASSWORD": PASSWORD,
        "KAFKA_SSL_CAFILE": str(kafka_broker.ca_file),
    }
    return Topic(kafka_broker.sasl_bootstrap, topic.name, settings_from(said))


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
    topic: Topic, ours: Topic, rules: Any, tmp_path: Path
) -> None:
    topic.produce(dealt(1))
    rules(topic.name, READ, who=NOBODY)
    with pytest.raises(
        KafkaRefused, match=f"no right to topic {topic.name} at .*: grant it Read and Describe on the topic"
    ):
        ours.archive(tmp_path, until_end=False)
    with pytest.raises(KafkaRefused, match="grant it Read and Describe"):
        ours.archive(tmp_path)
    rules(topic.name, DESCRIBE)
    with pytest.raises(KafkaRefused, match="grant it Read and Describe"):  # it may see the topic and not read it
        ours.archive(tmp_path)
    rules(topic.name, READ)
    assert ours.archive(tmp_path).events == 1


def test_a_right_that_is_taken_away_is_reported_once_and_given_back_the_archiver_goes_on_by_itself(
    topic: Topic, ours: Topic, rules: Any, tmp_path: Path
) -> None:
    """It said each second by turns that it had no right and that the topic answered again."""
    given = rules(topic.name, READ, DESCRIBE)
    with ours.following(tmp_path) as archiver:
        topic.produce(dealt(1), dealt(2))
        wait_for(lambda: archiver.done.events == 2)
        rules(topic.name, DESCRIBE)
        rules.away(given)
        rules(topic.name, DESCRIBE)  # it may see the topic and read nothing
        topic.produce(dealt(3))
        wait_for(lambda: archiver.notices("it is tried again"))
        time.sleep(5)
        [said] = archiver.notices("it is tried again")
        assert "grant it Read and Describe" in said and archiver.notices("answers again") == []
        rules(topic.name, READ)
        wait_for(lambda: archiver.done.events == 3)
        wait_for(lambda: archiver.notices("answers again"))
    assert (archiver.done.duplicates, archiver.done.lost) == (0, [])


def test_no_right_to_the_group_costs_no_event_and_is_reported_once(
    topic: Topic, ours: Topic, rules: Any, tmp_path: Path
) -> None:
    group = f"group-{uuid.uuid4().hex[:8]}"
    rules(group, READ, who=NOBODY, kind=ResourceType.GROUP)
    with ours.following(tmp_path, group=group) as archiver:
        topic.produce(dealt(1))
        wait_for(lambda: archiver.notices("no right to the consumer group"))
        topic.produce(dealt(2))
        wait_for(lambda: archiver.done.events == 2)
    assert len(archiver.notices("grant it Read on the group")) == 1


def test_a_recorder_without_the_right_to_write_keeps_what_it_accepts_and_says_why_until_it_may(
    topic: Topic, ours: Topic, rules: Any, tmp_path: Path
) -> None:
    noted: list[str] = []
    with closing(ours.sink(tmp_path / "spool", on_trouble=noted.append)) as sink:
        recorder = Recorder(sink, "T1")
        recorder.record("WagersClosed", round=1, at=1)
        recorder.flush()
        sink.drain(60)
        rules(topic.name, READ, DESCRIBE)
        for number in range(2, 6):
            recorder.record("WagersClosed", round=1, at=number)
        began = time.monotonic()
        recorder.flush()
        assert time.monotonic() - began < 5, "play never waits for the broker"
        wait_for(lambda: "no right to topic" in sink.fill.last_error)
        assert sink.fill.events == 4
        rules(topic.name, WRITE)
        sink.drain(60)
    assert len(noted) == 1 and "no right to topic" in noted[0]
    assert topic.archive(tmp_path / "a").events == 5


def test_who_may_not_create_or_look_at_a_topic_is_told_so(topic: Topic, ours: Topic, rules: Any) -> None:
    name = f"mine-{uuid.uuid4().hex[:8]}"
    rules(name, READ, who=NOBODY)
    rules("kafka-cluster", READ, who=NOBODY, kind=ResourceType.CLUSTER)
    with pytest.raises(KafkaFailed, match="no right"):
        create(ours.bootstrap, name, ALONE, ours.settings)
    rules(topic.name, READ, who=NOBODY)
    with pytest.raises(KafkaFailed, match=f"no right to topic {topic.name}"):  # it said that there was none
        check(ours.bootstrap, ours.name, ALONE, ours.settings)


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
    topic: Topic, ours: Topic, rules: Any, tmp_path: Path
) -> None:
    """It said that tables need to write the topic: a recorder also reads it, and reads and writes the claims."""
    group = f"group-{uuid.uuid4().hex[:8]}"
    names = {"pitaudit.events": topic.name, "pitaudit.events.recorders": recorders_topic(topic.name)} | {
        "pitaudit-archiver": group
    }
    kinds = {group: ResourceType.GROUP}
    for name in names.values():
        rules(name, READ, who=NOBODY, kind=kinds.get(name, ResourceType.TOPIC))  # whoever is not named has no right now
    rules("kafka-cluster", READ, who=NOBODY, kind=ResourceType.CLUSTER)

    def given(user: str) -> list[list[ACL]]:
        rights = [(names[name], operations) for name, operations in rights_in_the_runbook(user) if operations]
        return [rules(name, *operations, kind=kinds.get(name, ResourceType.TOPIC)) for name, operations in rights]

    tables = given("tables")
    noted: list[str] = []
    with closing(ours.sink(tmp_path / "spool", on_trouble=noted.append)) as sink:
        recorder = Recorder(sink, "T1")
        recorder.record("WagersClosed", round=1, at=1)
        recorder.flush()
        sink.drain(60)
    for acls in tables:
        rules.away(acls)
    given("archiver")
    with ours.following(tmp_path / "a", group=group) as archiver:
        wait_for(lambda: archiver.done.events == 1)
    assert archiver.notices("") == []
    with topic.admin() as admin:
        assert [at.offset for at in admin.list_group_offsets(group)[group].values()] == [1]


# What an error of kafka-python is told as: one sentence that says each thing once


@pytest.mark.parametrize("error", [NodeNotReadyError("No node_id provided"), KafkaConnectionError("closed")])
def test_a_broker_that_is_gone_is_reported_as_that(error: Exception) -> None:
    """An archiver whose broker was killed said `NodeNotReadyError: NodeNotReadyError: No node_id provided`."""
    assert sentence(error, "broker:9092", "pit") == "Kafka at broker:9092 does not answer"


@pytest.mark.parametrize("error", [CoordinatorNotAvailableError(), OutOfOrderSequenceNumberError("late")])
def test_an_errors_name_is_said_once(error: Exception) -> None:
    assert sentence(error, "broker:9092", "pit").count(type(error).__name__) == 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KafkaTimeoutError(None), ""),
        (KafkaTimeoutError("no offsets"), ": no offsets"),
        (RequestTimedOutError("after 4999 ms"), ": after 4999 ms"),
    ],
)
def test_an_answer_that_does_not_come_is_reported_without_words_that_say_nothing(error: Exception, said: str) -> None:
    """An archiver whose coordinator was killed said `did not answer in time: KafkaTimeoutError: None`."""
    assert sentence(error, "broker:9092", "pit") == f"Kafka at broker:9092 did not answer in time{said}"


def test_an_error_that_is_not_kafkas_is_named() -> None:
    assert sentence(OSError("no route"), "broker:9092", "pit").endswith("OSError: no route")


def test_no_trace_of_an_error_shows_the_password_of_a_recorder_or_an_archiver() -> None:
    settings = {"sasl_plain_password": PASSWORD}
    target = Target("127.0.0.1:9", "events", Path("spool"), "ours", settings, 4000)
    assert PASSWORD not in f"{target}{Options('127.0.0.1:9', 'events', Path('archive'), settings=settings)}"


def test_who_logs_all_that_kafka_python_says_logs_no_password(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    parser = KafkaProtocol()
    parser.send_request(SaslAuthenticateRequest(version=1, auth_bytes=PASSWORD.encode()))
    assert PASSWORD.encode() in parser.send_bytes()
    assert PASSWORD not in caplog.text
