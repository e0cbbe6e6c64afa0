"""Whatever becomes of the broker or of one table, the archiver goes on and keeps what it has."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import uuid
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaConsumer
from kafka.admin import ConfigResource, ConfigResourceType

from producers.archiver import Progress, Sealed, ingestion
from producers.archiver.place import read_place
from producers.kafka_client import KafkaFailed, KafkaRefused
from producers.sinks import NotDurable
from producers.sinks.archive import ArchiveSink
from producers.topic import Shape
from replayer.sources.layout import PartName
from schemas.codec import encode
from schemas.event import Chips, Event
from tests.bits import flipped
from tests.commands import PITAUDIT
from tests.conftest import Broker
from tests.producers.dealing import DAY, NOON, seqs
from tests.producers.following import Topic, dealt, topic_of_one_partition
from tests.waiting import wait_for


def closed(seq: int, table_id: str = "T1") -> bytes:
    return encode(Event(table_id, seq, NOON + seq, DAY, "TableClosed", chips=Chips(1000)))


@pytest.mark.prove
def test_a_broker_that_is_gone_at_the_start_and_again_later_costs_no_event_and_is_reported_once(
    lone_broker: Broker, tmp_path: Path
) -> None:
    topic = topic_of_one_partition(lone_broker.bootstrap)
    topic.produce(*map(dealt, range(1, 4)))
    lone_broker.stop()
    with topic.following(tmp_path / "a") as archiver:
        wait_for(lambda: archiver.notices("no connection to Kafka"))
        lone_broker.start()
        wait_for(lambda: archiver.done.events == 3)
        assert len(archiver.notices("answers again")) == 1
        lone_broker.stop()
        wait_for(lambda: len(archiver.notices("tried again until it works")) == 2)
        lone_broker.start()
        topic.produce(*map(dealt, range(4, 8)))
        wait_for(lambda: archiver.done.events == 7)
        assert len(archiver.notices("answers again")) == 2
    assert archiver.done.behind == 0
    topic.archive(tmp_path / "a")
    assert seqs(tmp_path / "a") == list(range(1, 8))


def test_stopped_while_the_broker_is_gone_it_ends_in_order_with_what_it_has(
    lone_broker: Broker, tmp_path: Path
) -> None:
    topic = topic_of_one_partition(lone_broker.bootstrap)
    topic.produce(dealt(1))
    command = [PITAUDIT, "archive", "--kafka", topic.bootstrap, "--topic", topic.name]
    running = subprocess.Popen([*command, "--archive", tmp_path / "a"], stderr=subprocess.PIPE, text=True)
    wait_for(lambda: list((tmp_path / "a").rglob("T1.journal")))
    lone_broker.stop()
    assert running.stderr is not None
    assert "tried again until it works" in running.stderr.readline()
    running.terminate()
    _, said = running.communicate(timeout=120)
    assert running.returncode == 0, said
    assert "1 event archived" in said
    place = read_place(tmp_path / "a", topic.name, 0)
    assert place is not None and place.next == 1


def test_a_group_that_takes_no_offsets_is_reported_once_and_costs_no_event(topic: Topic, tmp_path: Path) -> None:
    """A member that subscribed has the group, so that the broker refuses everybody else's offsets."""
    group = f"taken-{uuid.uuid4().hex[:8]}"
    member = KafkaConsumer(topic.name, bootstrap_servers=topic.bootstrap, group_id=group, enable_auto_commit=False)
    wait_for(
        lambda: member.poll(timeout_ms=5000) is not None and member.assignment()
    )  # a shorter one ends before it joined
    try:
        with topic.following(tmp_path, group=group) as archiver:
            for number in range(1, 4):
                topic.produce(dealt(number))
                wait_for(lambda number=number: archiver.done.events == number)
            wait_for(lambda: archiver.notices("cannot be committed"))
        [said] = archiver.notices("cannot be committed")
        assert "KafkaFailed" not in said
    finally:
        member.close()
    place = read_place(tmp_path, topic.name, 0)
    assert place is not None and place.next == 3


def test_what_the_group_has_committed_is_never_believed(topic: Topic, tmp_path: Path) -> None:
    """A group that was reset past what is on the disk would have messages skipped."""
    topic.produce(*map(dealt, range(1, 6)))
    group = f"ahead-{uuid.uuid4().hex[:8]}"
    topic.archive(tmp_path / "one", group=group)
    assert topic.archive(tmp_path / "two", group=group).events == 5


def test_an_error_that_nobody_foresaw_is_reported_and_tried_again(
    topic: Topic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, left = KafkaConsumer.poll, [2]

    def poll(*arguments: Any, **options: Any) -> Any:
        if left[0]:
            left[0] -= 1
            raise RuntimeError("a fetcher that was closed")
        return real(*arguments, **options)

    monkeypatch.setattr(KafkaConsumer, "poll", poll)
    topic.produce(dealt(1))
    with topic.following(tmp_path) as archiver:
        wait_for(lambda: archiver.done.events == 1)
        assert archiver.notices("RuntimeError: a fetcher that was closed; it is tried again until it works")
        assert archiver.notices("answers again")


def test_a_topic_that_does_not_exist_ends_an_archiver_at_once(kafka_bootstrap: str, tmp_path: Path) -> None:
    for until_end in (False, True):
        with pytest.raises(KafkaRefused, match="topic nowhere does not exist"):
            Topic(kafka_bootstrap, "nowhere").archive(tmp_path, until_end=until_end)
    with pytest.raises(KafkaRefused, match="no topic's name"):
        Topic(kafka_bootstrap, "../nowhere").archive(tmp_path, until_end=False)


def test_a_partition_that_a_brokers_disk_altered_stops_alone_and_goes_on_once_it_is_mended(
    lone_broker: Broker, tmp_path: Path
) -> None:
    """No partition was read any more: each new connection met the same batch first."""
    topic = Topic(lone_broker.bootstrap, "events")
    topic.create(Shape(partitions=2, replication=1, min_in_sync=1))
    topic.produce(dealt(1))
    [segment] = tmp_path.glob("broker/log/events-0/*.log")
    whole = segment.read_bytes()
    with segment.open("r+b") as of_broker:  # which has it open as well
        of_broker.write(flipped(whole, len(whole) - 5))
    with topic.following(tmp_path / "a") as archiver:
        for number in range(1, 6):
            topic.produce(dealt(number, "T2"), partition=1)
            wait_for(lambda number=number: archiver.done.events == number)
        [said] = archiver.notices("partition 0 of topic events cannot be read at offset 0")
        assert "crc" in said and "look at the disk" in said and "all others go on" in said
        with pytest.raises(
            KafkaFailed, match=r"partition 0 .* cannot be read at offset 0.* 1 message short of the end"
        ):
            topic.archive(tmp_path / "b", timeout_seconds=6)
        with segment.open("r+b") as of_broker:
            of_broker.write(whole)
        wait_for(lambda: archiver.done.events == 6)
        assert archiver.notices("partition 0 of topic events is read again")
    assert (archiver.done.behind, archiver.done.quarantined, archiver.done.lost) == (0, 0, [])


def test_messages_in_a_compression_that_is_not_at_hand_say_what_to_do(topic: Topic, tmp_path: Path) -> None:
    """It was told as `UnsupportedCodecError: UnsupportedCodecError: ...` and nothing to do."""
    with topic.admin() as admin:
        admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic.name, {"compression.type": "snappy"})])
    topic.produce(dealt(1))
    with pytest.raises(
        KafkaFailed, match=r"install what reads them \(python-snappy for snappy\) and start again"
    ) as said:
        topic.archive(tmp_path, timeout_seconds=2)
    assert str(said.value).count("UnsupportedCodecError") == 1


def test_a_damaged_manifest_stops_its_table_only_and_none_of_its_events_is_acknowledged(
    topic: Topic, tmp_path: Path
) -> None:
    sink = ArchiveSink(tmp_path)
    sink.append("T1", DAY, 1, dealt(1))
    sink.seal("T1", DAY)
    sink.close()
    manifest = PartName(DAY, "T1").manifest(tmp_path)
    whole = manifest.read_bytes()
    manifest.write_bytes(whole[:-20])
    topic.produce(dealt(1, "T2"), dealt(2), dealt(2, "T2"), dealt(3), dealt(3, "T2"))
    done = topic.archive(tmp_path)
    assert (done.events, done.sealed, list(done.stuck)) == (3, [("T2", DAY)], ["T1"])
    assert "T1.json" in done.stuck["T1"]
    assert (done.offsets[0], done.behind) == (1, 4), "the first event of T1 that is not safe"
    assert seqs(tmp_path, "T2") == [1, 2, 3]
    manifest.write_bytes(whole)
    again = topic.archive(tmp_path)
    assert (again.events, again.stuck, again.offsets[0]) == (2, {}, 5)
    assert seqs(tmp_path) == [1, 2, 3]
    assert seqs(tmp_path, "T2") == [1, 2, 3]


def test_a_table_that_is_mended_while_it_waits_goes_on_by_itself(topic: Topic, tmp_path: Path) -> None:
    journal = PartName(DAY, "T1").journal(tmp_path)
    journal.parent.mkdir(parents=True)
    journal.write_bytes(b"no journal at all")
    topic.produce(dealt(1), dealt(1, "T2"))
    with topic.following(tmp_path) as archiver:
        wait_for(lambda: archiver.done.events == 1 and "T1" in archiver.done.stuck)
        topic.produce(dealt(2), dealt(2, "T2"))
        wait_for(lambda: archiver.done.events == 2)
        journal.unlink()
        wait_for(lambda: archiver.done.events == 4 and not archiver.done.stuck)
        assert len(archiver.notices("table T1 is not written")) == 1
        assert len(archiver.notices("table T1 is written again")) == 1
    topic.archive(tmp_path)
    assert seqs(tmp_path) == seqs(tmp_path, "T2") == [1, 2]


def test_a_disk_that_is_full_for_one_table_stops_that_table_only(
    topic: Topic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, full = os.pwrite, [True]

    def pwrite(descriptor: int, data: bytes, at: int) -> int:
        if full[0] and "T1.journal" in str(Path(f"/proc/self/fd/{descriptor}").readlink()):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data, at)

    monkeypatch.setattr(os, "pwrite", pwrite)
    with topic.following(tmp_path) as archiver:
        topic.produce(dealt(1), dealt(1, "T2"), dealt(2), dealt(2, "T2"))
        wait_for(lambda: "No space left" in archiver.done.stuck.get("T1", "") and archiver.done.behind == 4)
        place = read_place(tmp_path, topic.name, 0)
        assert place is not None and place.next == 0
        full[0] = False
        wait_for(lambda: not archiver.done.stuck and archiver.done.behind == 0)
    assert (archiver.done.events, archiver.done.duplicates) == (4, 0), "what was read again is not counted twice"
    topic.archive(tmp_path)
    assert seqs(tmp_path) == seqs(tmp_path, "T2") == [1, 2]


def test_a_full_disk_is_reported_once_and_no_answer_of_the_topic_passes_for_its_end(
    topic: Topic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archiver that could not write how far it was said each second that the disk was full and that the topic answered."""
    room, tries = False, 0
    write = ingestion.write_place

    def full(*arguments: Any) -> None:
        nonlocal tries
        tries += 1
        if not room:
            raise NotDurable("0.json: No space left on device; make room")
        write(*arguments)

    monkeypatch.setattr(ingestion, "write_place", full)
    topic.produce(dealt(1))
    with topic.following(tmp_path) as archiver:
        wait_for(lambda: tries > 6)
        assert len(archiver.notices("No space left")) == 1
        room = True
        wait_for(lambda: archiver.notices("can be written again"))
        topic.produce(dealt(2))
        wait_for(lambda: archiver.done.events == 2)
        assert archiver.notices("answers again") == []


def test_a_place_that_was_damaged_is_set_aside_and_nothing_is_skipped(topic: Topic, tmp_path: Path) -> None:
    topic.produce(*map(dealt, range(1, 4)))
    topic.archive(tmp_path)
    file = tmp_path / ".journal" / "offsets" / topic.name / "0.json"
    file.write_text(file.read_text().replace('"next": 3', '"next": 5'))
    topic.produce(*map(dealt, range(4, 7)))
    again = topic.archive(tmp_path)
    assert (again.events, again.duplicates, again.lost) == (3, 3, [])
    assert file.with_suffix(".json.damaged").exists()


def test_a_line_a_minute_and_one_a_sealing_say_where_it_stands(topic: Topic, tmp_path: Path) -> None:
    """A minute of its clock is a second of ours."""
    import time  # noqa: PLC0415 - the clock that is hurried

    began = time.monotonic()
    fast = {"monotonic": lambda: began + 60 * (time.monotonic() - began), "quiet_seconds": 100_000.0}
    topic.produce(dealt(1), dealt(2), b"junk", closed(3, "T2"))
    with topic.following(tmp_path, **fast) as archiver:
        wait_for(lambda: len([line for line in archiver.lines if isinstance(line, Progress) and line.quarantined]) > 1)
        wait_for(lambda: any(isinstance(line, Sealed) for line in archiver.lines))
    *_, last = [line for line in archiver.lines if isinstance(line, Progress)]
    assert (last.events, last.lag, last.quarantined, last.stuck, last.trouble) == (3, 0, 1, {}, "")
    assert last.oldest is not None and (last.oldest.table_id, last.oldest.gaming_day) == ("T1", DAY)
    assert last.partitions == (0, 1, 2)
    sealed = next(line for line in archiver.lines if isinstance(line, Sealed))
    said = json.loads(json.dumps(sealed.to_dict()))
    assert (said["line"], said["table_id"], said["part"], said["events"]) == ("sealed", "T2", 0, 1)
