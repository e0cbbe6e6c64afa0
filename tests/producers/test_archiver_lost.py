"""What a topic no longer has and the archive never took is found, told and written down for good; nothing is passed over."""

from __future__ import annotations

import datetime as dt
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaConsumer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.errors import LogTruncationError
from kafka.structs import OffsetAndMetadata

from producers.archiver.ingestion import Ingestion
from producers.archiver.interface import Options
from producers.archiver.place import Place, read_place
from producers.archiver.topic_check import check_topic
from producers.archiver.view import TopicSnapshot
from producers.sinks.archive import ArchiveSink
from replayer.sources.layout import lost_folder
from replayer.sources.lost import Lost, Why, lost_file, lost_messages
from schemas.codec import encode
from schemas.event import CardAt, Event
from tests.bits import flipped_bit
from tests.conftest import Broker
from tests.producers.dealing import DAY, NOON, seqs
from tests.producers.following import Topic, dealt, topic_of_one_partition
from tests.waiting import wait_for


@pytest.fixture
def topic(kafka_bootstrap: str) -> Topic:
    return topic_of_one_partition(kafka_bootstrap)


def make_anew(topic: Topic) -> None:
    with topic.admin() as admin:
        admin.delete_topics([topic.name])
        wait_for(lambda: admin.describe_topics([topic.name])[0]["error_code"])
    wait_for(topic.create)


def test_no_message_of_a_topic_made_anew_is_skipped_and_the_old_one_is_reported(topic: Topic, tmp_path: Path) -> None:
    """It skipped as many messages of the new topic as it had taken of the old one, without a word."""
    topic.produce(*map(dealt, range(1, 6)))
    topic.archive(tmp_path)
    place = read_place(tmp_path, topic.name, 0)
    assert place is not None and place.next == 5 and len(place.topic_id) == 36
    make_anew(topic)
    topic.produce(*map(dealt, range(5, 15)))
    done = topic.archive(tmp_path)
    assert (done.events, done.duplicates, done.quarantined) == (9, 1, 0)
    [lost] = done.lost
    assert (lost.why, lost.partition, lost.first, lost.end) == (Why.REPLACED, 0, 5, None)
    assert lost.topic_id == place.topic_id
    assert lost.concerns(DAY) and not lost.concerns(DAY - dt.timedelta(1))
    assert seqs(tmp_path) == list(range(1, 15))
    again = topic.archive(tmp_path)
    assert (again.events, again.lost) == (0, [])
    assert lost_messages(tmp_path) == [lost], "it stays"


def test_what_a_topic_took_back_as_it_was_made_anew_is_one_loss(tmp_path: Path) -> None:
    """It was told again of the new topic, which had lost nothing."""
    options = Options("nobody", "events", tmp_path)
    with closing(ArchiveSink(tmp_path)) as sink:
        ingestion = Ingestion(sink, options, lambda *_: None)
        ingestion.begin(Place(0, "old", next=6, end=6))
        ingestion.partitions[0].diverged_at = 4
        looks = [TopicSnapshot(at, "new", frozenset({0}), {0: 0}, {0: 12}) for at in (0.0, 4.0, 6.0)]
        lost = [each for look in looks for each in check_topic(options, ingestion, look)]
    assert [(each.why, each.first) for each in lost] == [(Why.REPLACED, 6)]


@pytest.mark.parametrize(("diverged_at", "lost"), [(2, [(Why.CUT_BACK, 2)]), (3, [])])
def test_a_truncation_is_a_loss_where_it_lies_before_what_was_read(
    topic: Topic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, diverged_at: int, lost: list[tuple[Why, int]]
) -> None:
    """One told late, of a topic that was made anew since, is none: it was a second loss of the same messages."""
    real, told = KafkaConsumer.poll, list[LogTruncationError]()

    def poll(*arguments: Any, **options: Any) -> Any:
        if told:
            raise told.pop()
        return real(*arguments, **options)

    monkeypatch.setattr(KafkaConsumer, "poll", poll)
    topic.produce(*map(dealt, range(1, 4)))
    with topic.following(tmp_path) as archiver:
        wait_for(lambda: archiver.done.events == 3)
        told.append(LogTruncationError({TopicPartition(topic.name, 0): OffsetAndMetadata(diverged_at, "", -1)}))
        wait_for(lambda: not told)
        topic.produce(dealt(4))
        wait_for(lambda: archiver.done.events == 4)
    assert [(each.why, each.first) for each in archiver.done.lost] == lost


def test_a_topic_made_anew_and_still_empty_is_reported(topic: Topic, tmp_path: Path) -> None:
    topic.produce(dealt(1))
    topic.archive(tmp_path)
    make_anew(topic)
    assert len(topic.archive(tmp_path).lost) == 1


def test_messages_that_retention_cut_before_they_were_taken_are_reported_with_their_range(
    topic: Topic, tmp_path: Path
) -> None:
    topic.produce(*map(dealt, range(1, 5)))
    topic.archive(tmp_path)
    topic.produce(*map(dealt, range(5, 11)))
    topic.cut(8)
    done = topic.archive(tmp_path)
    [lost] = done.lost
    assert (lost.why, lost.partition, lost.first, lost.end, lost.first_day) == (Why.DELETED, 0, 4, 8, DAY)
    assert done.events == 2
    assert "messages 4 to 7 were deleted before the archive had taken them" in str(lost)
    assert seqs(tmp_path) == [1, 2, 3, 4, 9, 10]


def test_a_loss_may_concern_the_day_to_which_a_late_table_had_not_come(topic: Topic, tmp_path: Path) -> None:
    """A week's soak: a table was sent a day late, into the part that was cut, and the report of its day did not tell."""
    first, second, third = (DAY + dt.timedelta(days) for days in range(3))

    def card(table_id: str, seq: int, day: dt.date) -> bytes:
        at = NOON + seq + (day - DAY).days * 86_400_000_000
        return encode(Event(table_id, seq, at, day, "CardDealt", 1, card=CardAt(1, 0, "Th", "up")))

    whole = [card("T1", 1, first), card("T2", 1, first), card("T1", 2, second), card("T1", 3, third)]
    topic.produce(*whole)
    topic.archive(tmp_path)
    topic.produce(card("T2", 2, second), card("T2", 3, second), card("T1", 4, third))
    topic.cut(6)
    [lost] = topic.archive(tmp_path).lost
    assert (lost.first, lost.end, lost.first_day) == (4, 6, second)
    assert not lost.concerns(first) and lost.concerns(second) and lost.concerns(third)


def test_what_was_cut_after_it_was_taken_is_not_missing(topic: Topic, tmp_path: Path) -> None:
    topic.produce(*map(dealt, range(1, 5)))
    topic.archive(tmp_path)
    topic.cut(4)
    assert topic.archive(tmp_path).lost == []


def test_an_archive_that_begins_behind_a_cut_says_what_it_never_had(topic: Topic, tmp_path: Path) -> None:
    topic.produce(*map(dealt, range(1, 5)))
    topic.cut(3)
    [lost] = topic.archive(tmp_path).lost
    assert (lost.why, lost.first, lost.end, lost.first_day) == (Why.DELETED, 0, 3, None)


def test_a_topic_cut_or_made_anew_while_it_is_read_is_noticed(topic: Topic, tmp_path: Path) -> None:
    topic.produce(dealt(1))
    with topic.following(tmp_path) as archiver:
        wait_for(lambda: archiver.done.events == 1)
        make_anew(topic)
        topic.produce(*map(dealt, range(1, 5)))
        wait_for(
            lambda: archiver.done.events == 4 and archiver.done.lost
        )  # the new topic's identity may be asked later
    assert [lost.why for lost in archiver.done.lost] == [Why.REPLACED]


def test_what_waits_for_a_stuck_table_and_is_cut_meanwhile_is_missing(topic: Topic, tmp_path: Path) -> None:
    other = ArchiveSink(tmp_path)
    other.last_seq("T1")  # another process has the table
    topic.produce(dealt(1, "T2"), dealt(1), dealt(2), dealt(2, "T2"))
    done = topic.archive(tmp_path)
    assert (list(done.stuck), done.offsets) == (["T1"], {0: 1})
    other.close()
    topic.cut(2)
    done = topic.archive(tmp_path)
    assert [(lost.first, lost.end) for lost in done.lost] == [(1, 2)]
    assert seqs(tmp_path) == [2]


# The record that stays


LOST = Lost("events", "abcdef012345", 3, 100, 556, Why.DELETED, dt.datetime(2026, 1, 6, tzinfo=dt.UTC), DAY, DAY)


def test_no_flipped_bit_of_the_record_makes_a_loss_vanish(tmp_path: Path) -> None:
    file = lost_file(tmp_path, LOST)
    file.parent.mkdir(parents=True)
    whole = LOST.to_json().encode()
    file.write_bytes(whole)
    assert lost_messages(tmp_path, DAY) == [LOST]
    assert lost_messages(tmp_path, DAY + dt.timedelta(1)) == []
    for bit in range(0, len(whole) * 8, 3):
        file.write_bytes(flipped_bit(whole, bit))
        [found] = lost_messages(tmp_path, DAY)
        assert found == LOST or found.why is Why.UNREADABLE
    file.unlink()
    file.mkdir()
    (lost_folder(tmp_path) / "stray").write_text("{}")
    assert [found.why for found in lost_messages(tmp_path)] == [Why.UNREADABLE]


# Real retention, and disks that are set back


@pytest.mark.kafka
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
        topic = Topic(broker.bootstrap, "pit")
        topic.create()
        topic.produce(*map(dealt, range(1, 4)))
        assert topic.archive(tmp_path / "a").events == 3
        topic.produce(*map(dealt, range(4, 11)))
        with topic.admin() as admin:
            admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic.name, {"retention.ms": "1"})])
        wait_for(lambda: _begin(topic) == 10)
        with topic.admin() as admin:
            admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic.name, {"retention.ms": "-1"})])
        topic.produce(*map(dealt, range(11, 13)))
        done = topic.archive(tmp_path / "a")
    finally:
        broker.stop()
    [lost] = done.lost
    assert (lost.why, lost.first, lost.end, done.events) == (Why.DELETED, 3, 10, 2)
    assert lost_messages(tmp_path / "a") == [lost]
    assert seqs(tmp_path / "a") == [1, 2, 3, 11, 12]


def _begin(topic: Topic) -> int:
    with closing(KafkaConsumer(bootstrap_servers=topic.bootstrap)) as consumer:
        at = TopicPartition(topic.name, 0)
        return int(consumer.beginning_offsets([at])[at])


@pytest.mark.kafka
@pytest.mark.prove
def test_a_broker_whose_disk_was_set_back_is_reported_and_neither_table_nor_archive_loses_what_it_has(
    lone_broker: Broker, tmp_path: Path
) -> None:
    """Restored from last night's copy it ends before what the archive took: other events may come under those offsets."""
    topic = Topic(lone_broker.bootstrap, "pit")
    topic.create()
    topic.produce(*map(dealt, range(1, 6)))
    lone_broker.stop()
    data = tmp_path / "broker" / "log"
    shutil.copytree(data, tmp_path / "copy")
    lone_broker.start()
    topic.produce(*map(dealt, range(6, 11)))
    assert topic.archive(tmp_path / "a").events == 10
    lone_broker.stop()
    shutil.rmtree(data)
    shutil.copytree(tmp_path / "copy", data)
    lone_broker.start()
    with topic.following(tmp_path / "a") as archiver:
        wait_for(lambda: archiver.done.lost)
        topic.produce(*map(dealt, range(11, 14)))
        wait_for(lambda: archiver.done.events == 3)
    [lost] = lost_messages(tmp_path / "a")
    assert (lost.why, lost.first, lost.end) == (Why.CUT_BACK, 5, None)
    assert topic.archive(tmp_path / "a").lost == []
    assert seqs(tmp_path / "a") == list(range(1, 14)), "what was taken stays taken"
