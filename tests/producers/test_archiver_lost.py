"""What a topic no longer has and the archive never took is found, told and written down for good; nothing is passed over."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, TopicPartition

from producers.archiver import Options, archive_topic
from producers.archiver.place import read_place
from producers.sinks.archive import ArchiveSink
from producers.topic import create
from replayer.sources.archive import TableDayRef, read_columns
from replayer.sources.layout import lost_folder, offsets_file
from replayer.sources.lost import Lost, Why, lost_file, lost_messages
from schemas.codec import encode
from schemas.event import CardAt, Event
from tests.bits import flipped_bit
from tests.producers.dealing import DAY, NOON
from tests.producers.following import ALONE, Following, dealt, produce, topic_of_one_partition
from tests.waiting import wait_for


@pytest.fixture
def topic(kafka_bootstrap: str) -> str:
    return topic_of_one_partition(kafka_bootstrap)


def make_anew(bootstrap: str, topic: str) -> None:
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    admin.delete_topics([topic])
    wait_for(lambda: admin.describe_topics([topic])[0]["error_code"])
    wait_for(lambda: create(bootstrap, topic, ALONE))
    admin.close()


def cut(bootstrap: str, topic: str, before: int) -> None:
    """Delete the oldest messages, as a topic's retention does."""
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    admin.delete_records({TopicPartition(topic, 0): before})
    admin.close()


def seqs(archive: Path) -> list[int]:
    return read_columns(TableDayRef(DAY, "T1", archive))["seq"].to_list()


def test_no_message_of_a_topic_made_anew_is_skipped_and_the_old_one_is_reported(
    kafka_bootstrap: str, topic: str, tmp_path: Path
) -> None:
    """It skipped as many messages of the new topic as it had taken of the old one, without a word."""
    produce(kafka_bootstrap, topic, *map(dealt, range(1, 6)))
    archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True))
    place = read_place(tmp_path, topic, 0)
    assert place is not None and place.next == 5 and len(place.topic_id) == 36
    make_anew(kafka_bootstrap, topic)
    produce(kafka_bootstrap, topic, *map(dealt, range(5, 15)))
    done = archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True))
    assert (done.events, done.duplicates, done.quarantined) == (9, 1, 0)
    [lost] = done.lost
    assert (lost.why, lost.partition, lost.first, lost.end) == (Why.REPLACED, 0, 5, None)
    assert lost.topic_id == place.topic_id
    assert lost.concerns(DAY) and not lost.concerns(DAY - dt.timedelta(1))
    assert seqs(tmp_path) == list(range(1, 15))
    again = archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True))
    assert (again.events, again.lost) == (0, [])
    assert lost_messages(tmp_path) == [lost], "it stays"


def test_a_topic_made_anew_and_still_empty_is_reported(kafka_bootstrap: str, topic: str, tmp_path: Path) -> None:
    produce(kafka_bootstrap, topic, dealt(1))
    archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True))
    make_anew(kafka_bootstrap, topic)
    assert len(archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True)).lost) == 1


def test_messages_that_retention_cut_before_they_were_taken_are_reported_with_their_range(
    kafka_bootstrap: str, topic: str, tmp_path: Path
) -> None:
    produce(kafka_bootstrap, topic, *map(dealt, range(1, 5)))
    archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True))
    produce(kafka_bootstrap, topic, *map(dealt, range(5, 11)))
    cut(kafka_bootstrap, topic, 8)
    done = archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True))
    [lost] = done.lost
    assert (lost.why, lost.partition, lost.first, lost.end, lost.first_day) == (Why.DELETED, 0, 4, 8, DAY)
    assert done.events == 2
    assert "messages 4 to 7 were deleted before the archive had taken them" in str(lost)
    assert seqs(tmp_path) == [1, 2, 3, 4, 9, 10]


def test_a_loss_may_concern_the_day_to_which_a_late_table_had_not_come(
    kafka_bootstrap: str, topic: str, tmp_path: Path
) -> None:
    """A week's soak: a table was sent a day late, into the part that was cut, and the report of its day did not tell."""
    first, second, third = (DAY + dt.timedelta(days) for days in range(3))

    def card(table_id: str, seq: int, day: dt.date) -> bytes:
        at = NOON + seq + (day - DAY).days * 86_400_000_000
        return encode(Event(table_id, seq, at, day, "CardDealt", 1, card=CardAt(1, 0, "Th", "up")))

    whole = [card("T1", 1, first), card("T2", 1, first), card("T1", 2, second), card("T1", 3, third)]
    produce(kafka_bootstrap, topic, *whole)
    archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True))
    produce(kafka_bootstrap, topic, card("T2", 2, second), card("T2", 3, second), card("T1", 4, third))
    cut(kafka_bootstrap, topic, 6)
    [lost] = archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True)).lost
    assert (lost.first, lost.end, lost.first_day) == (4, 6, second)
    assert not lost.concerns(first) and lost.concerns(second) and lost.concerns(third)


def test_what_was_cut_after_it_was_taken_is_not_missing(kafka_bootstrap: str, topic: str, tmp_path: Path) -> None:
    produce(kafka_bootstrap, topic, *map(dealt, range(1, 5)))
    archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True))
    cut(kafka_bootstrap, topic, 4)
    assert archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True)).lost == []


def test_an_archive_that_begins_behind_a_cut_says_what_it_never_had(
    kafka_bootstrap: str, topic: str, tmp_path: Path
) -> None:
    produce(kafka_bootstrap, topic, *map(dealt, range(1, 5)))
    cut(kafka_bootstrap, topic, 3)
    [lost] = archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True)).lost
    assert (lost.why, lost.first, lost.end, lost.first_day) == (Why.DELETED, 0, 3, None)


def test_a_topic_cut_or_made_anew_while_it_is_read_is_noticed(kafka_bootstrap: str, topic: str, tmp_path: Path) -> None:
    produce(kafka_bootstrap, topic, dealt(1))
    with Following(kafka_bootstrap, topic, tmp_path) as archiver:
        wait_for(lambda: archiver.done.events == 1)
        make_anew(kafka_bootstrap, topic)
        produce(kafka_bootstrap, topic, *map(dealt, range(1, 5)))
        wait_for(
            lambda: archiver.done.events == 4 and archiver.done.lost
        )  # the new topic's identity may be asked later
    assert [lost.why for lost in archiver.done.lost] == [Why.REPLACED]


def test_what_waits_for_a_stuck_table_and_is_cut_meanwhile_is_missing(
    kafka_bootstrap: str, topic: str, tmp_path: Path
) -> None:
    other = ArchiveSink(tmp_path)
    other.last_seq("T1")  # another process has the table
    produce(kafka_bootstrap, topic, dealt(1, "T2"), dealt(1), dealt(2), dealt(2, "T2"))
    done = archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True))
    assert (list(done.stuck), done.offsets) == (["T1"], {0: 1})
    other.close()
    cut(kafka_bootstrap, topic, 2)
    done = archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True))
    assert [(lost.first, lost.end) for lost in done.lost] == [(1, 2)]
    assert seqs(tmp_path) == [2]


def test_what_an_earlier_program_kept_is_taken_over(kafka_bootstrap: str, topic: str, tmp_path: Path) -> None:
    produce(kafka_bootstrap, topic, *map(dealt, range(1, 5)))
    archive_topic(Options(kafka_bootstrap, topic, tmp_path / "known", until_end=True))
    earlier = offsets_file(tmp_path, topic)
    earlier.parent.mkdir(parents=True)
    earlier.write_text(json.dumps({"offsets": {"0": 3}, "under_way": []}))
    done = archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True))
    assert (done.events, done.lost) == (1, []), "the three before are in its archive already, as it says"
    archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True))
    assert not earlier.exists()


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
