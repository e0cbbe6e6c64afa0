"""What is accepted is never lost: behind a spool, a recorder outlives brokers, processes and rivals."""

from __future__ import annotations

import datetime as dt
import errno
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import fastavro
import pytest
from kafka import KafkaProducer
from kafka.admin import ConfigResource, ConfigResourceType

from producers.claims import RecorderRefused
from producers.kafka_client import KafkaFailed, partition_of, settings_from
from producers.link import DELIVERY_MS, Link, Target
from producers.recorder import Recorder
from producers.sinks import NotDurable, SinkBusy
from producers.sinks.kafka import Fill, KafkaSink
from producers.spool import SpoolClaims, SpoolFull, TableSpool, spool_id
from producers.spool_recovery import hand_to_quarantine, leftovers
from producers.topic import check
from replayer.sources.table_days import table_days
from schemas.codec import MARKER, current, decode, encode
from schemas.event import Event
from tests.archives import read_events
from tests.bits import flip
from tests.full_disk import small_disk
from tests.producers.dealing import card_dealt
from tests.producers.following import ALONE, Topic, dealt
from tests.waiting import wait_for

PASSWORD = {
    "KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
    "KAFKA_SASL_MECHANISM": "SCRAM-SHA-512",
    "KAFKA_SASL_USERNAME": "auditor",
    "KAFKA_SASL_PASSWORD": "correct horse",
    "PATH": "/bin",
}
NOBODY = "127.0.0.1:9"
SOON = 2_000  # milliseconds that an event may be on its way, where a test waits for them to pass


def close_bets(recorder: Recorder, times: int = 1) -> Event:
    for _ in range(times):
        event = recorder.record("WagersClosed", round=1, at=(recorder.last_seq + 1) * 1_000_000)
    return event


def record(sink: KafkaSink, times: int, table_id: str = "T1") -> Recorder:
    """A recorder that has recorded and flushed some events."""
    recorder = Recorder(sink, table_id)
    close_bets(recorder, times)
    recorder.flush()
    return recorder


def record_and_send(sink: KafkaSink, times: int) -> None:
    """The same, by a recorder that ends when its events are in the topic."""
    with closing(sink):
        record(sink, times)
        sink.drain(60)


def refused(sink: KafkaSink, why: str, error: type[Exception] = RecorderRefused) -> None:
    """No recorder of T1 may begin."""
    with closing(sink), pytest.raises(error, match=why):
        Recorder(sink, "T1")


def numbers(topic: Topic, table_id: str = "T1") -> list[int]:
    events = [decode(record.value) for record in topic.records()]
    return [event.seq for event in events if event.table_id == table_id]


def archived(topic: Topic, archive: Path) -> list[int]:
    """The numbers that the archive has in the end: each event of the topic exactly once."""
    assert topic.archive(archive).quarantined == 0
    return [event.seq for ref in table_days(archive) for event in read_events(ref)]


def cut_off(topic: str, spool: Path, **options: Any) -> KafkaSink:
    """A sink that no broker answers."""
    return Topic(NOBODY, topic, {"bootstrap_timeout_ms": 100}).sink(spool, **options)


def claimed(spool: Path, limit: int = 1 << 30) -> None:
    """A spool that has recorded T1 before, so that it needs no broker to go on."""
    table = TableSpool(spool, "T1", limit)
    table.keep_claim(SpoolClaims(1, ("earlier",)))
    table.begin_at(0)
    table.close()


# Outages


@pytest.mark.prove
def test_an_outage_longer_than_an_event_may_be_on_its_way_loses_nothing_and_play_does_not_wait(
    lone_broker: Any, tmp_path: Path
) -> None:
    topic = Topic(lone_broker.bootstrap, "events")
    topic.create()
    with closing(topic.sink(tmp_path / "spool", delivery_ms=SOON)) as sink:
        recorder = record(sink, 1)
        sink.drain(60)
        assert sink.fill.connected
        close_bets(recorder, 4000)
        recorder.flush()
        lone_broker.stop()  # while these are on their way
        slowest = 0.0
        least, most = time.monotonic() + 3 * SOON / 1000, time.monotonic() + 30
        while time.monotonic() < least or (sink.fill.connected and time.monotonic() < most):
            began = time.monotonic()
            close_bets(recorder)
            assert recorder.flush() == recorder.last_seq
            slowest = max(slowest, time.monotonic() - began)
            time.sleep(0.02)
        assert slowest < 5  # a sync of the disk, on a machine that others use as well
        fill = sink.fill
        assert not fill.connected
        assert fill.last_error
        assert fill.events >= 30
        assert fill.oldest_at == (recorder.last_seq - fill.events + 1) * 1_000_000
        with pytest.raises(KafkaFailed, match=rf"{fill.events:,} events still wait in .*"):
            sink.drain(0.2)
        lone_broker.start()
        last = close_bets(recorder).seq
        recorder.flush()
        sink.drain(60)
        assert (sink.fill.events, sink.fill.bytes, sink.fill.last_error) == (0, 0, "")
    assert archived(topic, tmp_path / "archive") == list(range(1, last + 1))


def test_a_recorder_starts_and_goes_on_while_the_broker_is_gone(lone_broker: Any, tmp_path: Path) -> None:
    topic = Topic(lone_broker.bootstrap, "events")
    topic.create()
    spool, soon = tmp_path / "spool", {"bootstrap_timeout_ms": 1000}
    record_and_send(topic.sink(spool), 3)
    lone_broker.stop()
    for begin in (3, 5):
        with closing(topic.sink(spool, settings=soon)) as sink:
            assert Recorder(sink, "T1").last_seq == begin
            record(sink, 2)
    # a spool that never held the table cannot know its numbers
    refused(topic.sink(tmp_path / "new", settings=soon), "no connection to Kafka", KafkaFailed)
    lone_broker.start()
    with closing(topic.sink(spool)) as sink:  # drains although nobody records
        assert sink.resume() == ["T1"]
        sink.drain(60)
    assert numbers(topic) == list(range(1, 8))


def test_an_event_that_comes_while_the_spool_is_written_is_not_acknowledged_yet(
    topic: Topic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = TableSpool.sync

    def sync(spool: TableSpool) -> int:
        durable = written(spool)
        close_bets(recorder)  # in another thread, this moment
        return durable

    with closing(topic.sink(tmp_path)) as sink:
        recorder = Recorder(sink, "T1")
        close_bets(recorder)
        monkeypatch.setattr(TableSpool, "sync", sync)
        assert recorder.flush() == 1
        monkeypatch.undo()
        assert recorder.flush() == 2


def test_a_batch_that_went_missing_before_one_that_arrived_is_sent(topic: Topic, tmp_path: Path) -> None:
    """A connection that breaks may leave a later batch in the topic without the one before it."""
    spool = tmp_path / "spool"
    claimed(spool)
    with closing(cut_off(topic.name, spool)) as sink:
        recorder = Recorder(sink, "T1")
        events = [close_bets(recorder) for _ in range(9)]
        recorder.flush()
    with closing(KafkaProducer(bootstrap_servers=topic.bootstrap)) as producer:
        for event in events[:3] + events[6:8]:
            headers = [("recorder", spool_id(spool).encode())]
            producer.send(topic.name, key=b"T1", value=encode(event), headers=headers).get(timeout=30)
    with closing(topic.sink(spool)) as sink:
        sink.resume()
        sink.drain(60)
    assert numbers(topic) == [1, 2, 3, 7, 8, 4, 5, 6, 7, 8, 9]
    assert archived(topic, tmp_path / "archive") == list(range(1, 10))


def test_a_topic_that_lost_what_it_acknowledged_is_reported_and_play_goes_on(topic: Topic, tmp_path: Path) -> None:
    noted: list[str] = []
    record_and_send(topic.sink(tmp_path), 3)
    anew = Topic(topic.bootstrap, f"{topic.name}-anew")
    anew.create()
    with closing(anew.sink(tmp_path, on_trouble=noted.append)) as sink:
        assert record(sink, 2).last_seq == 5
        sink.drain(60)
    assert numbers(anew) == [4, 5]
    assert [line.split(":")[0] for line in noted] == [
        f"topic {anew.name} has table T1 up to seq 0 only and acknowledged 3"
    ]


def test_a_topic_that_was_cut_before_a_spool_knew_its_table_is_reported(topic: Topic, tmp_path: Path) -> None:
    """The table began with 1 again without a word, and all that it recorded went to quarantine."""
    noted: list[str] = []
    topic.produce(dealt(1))
    topic.cut(1)
    with closing(topic.sink(tmp_path, on_trouble=noted.append)) as sink:
        assert record(sink, 1).last_seq == 1
    assert len(noted) == 1 and "has none of table T1, which begins with seq 1" in noted[0]


# A table that cannot be sent


def test_a_segment_that_is_damaged_stops_its_table_only(topic: Topic, tmp_path: Path) -> None:
    """It is found when the table is claimed, and kept every other table of the spool from the topic."""
    with closing(topic.sink(tmp_path)) as sink:
        record(sink, 1, "T1")
        record(sink, 1, "T2")
        sink.drain(60)
    with closing(cut_off(topic.name, tmp_path, limit_bytes=20_000)) as sink:
        for _ in range(60):  # into several segments, of which a recorder that starts reads the last one
            record(sink, 1, "T1")
    segment = min(path for path in (tmp_path / "T1").iterdir() if path.name.isdigit())
    flip(segment, -1)
    noted: list[str] = []
    with closing(topic.sink(tmp_path, on_trouble=noted.append)) as sink:
        assert record(sink, 1, "T1").last_seq == 62
        record(sink, 5, "T2")
        with pytest.raises(KafkaFailed, match=rf"61 events still wait .*{segment.name}, byte \d+: .*spool repair"):
            sink.drain(5)
    assert numbers(topic, "T2") == [1, 2, 3, 4, 5, 6]
    assert len(noted) == 1, "once"
    assert str(segment) in noted[0]


def test_an_event_of_a_newer_program_stops_its_table_only(topic: Topic, tmp_path: Path) -> None:
    with closing(topic.sink(tmp_path)) as sink:
        record(sink, 1, "T1")
        record(sink, 1, "T2")
        sink.drain(60)
    with closing(TableSpool(tmp_path, "T1")) as table:
        table.add(2, MARKER + b"tomorrow" + b"event")
        table.sync()
    noted: list[str] = []
    with closing(topic.sink(tmp_path, on_trouble=noted.append)) as sink:
        assert Recorder(sink, "T1").last_seq == 2
        record(sink, 1, "T2")
        with pytest.raises(KafkaFailed, match=rf"1 event still waits .*table T1 of {tmp_path}: schema fingerprint"):
            sink.drain(5)
    assert numbers(topic, "T2") == [1, 2]
    assert len(noted) == 1
    assert [(each.table_id, each.events, each.damage[:18]) for each in leftovers(tmp_path)] == [
        ("T1", 1, "schema fingerprint"),
        ("T2", 0, ""),
    ]


def test_what_kept_a_table_from_the_topic_at_its_start_is_forgotten_once_it_is_over(
    topic: Topic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``fill`` told for ever of a broker that was gone when the recorder began."""
    record_and_send(topic.sink(tmp_path), 1)
    gone = threading.Event()
    gone.set()
    look = Link.read_claims

    def looked(link: Link) -> None:
        if gone.is_set():
            raise KafkaFailed("it is gone")
        look(link)

    monkeypatch.setattr(Link, "read_claims", looked)
    with closing(topic.sink(tmp_path)) as sink:
        record(sink, 1)
        assert sink.fill.last_error == "it is gone"
        gone.clear()
        sink.drain(60)
        assert (sink.fill.connected, sink.fill.last_error) == (True, "")


# Kills

RECORDING = """
import sys
from pathlib import Path
from producers.recorder import Recorder
from producers.sinks.kafka import KafkaSink

bootstrap, topic, spool, noted = sys.argv[1:]
recorder = Recorder(KafkaSink(bootstrap, topic, Path(spool)), "T1")
with open(noted, "ab", buffering=0) as acknowledged:
    while True:
        for _ in range(5):
            recorder.record("WagersClosed", round=1, at=(recorder.last_seq + 1) * 1_000_000)
        acknowledged.write(b"%d\\n" % recorder.flush())
"""


def test_a_recorder_killed_at_any_moment_loses_nothing_and_records_nothing_twice(topic: Topic, tmp_path: Path) -> None:
    spool, noted = tmp_path / "spool", tmp_path / "noted"
    noted.touch()
    chance = random.Random(5)
    for _ in range(4):
        before = noted.stat().st_size
        command = [sys.executable, "-c", RECORDING, topic.bootstrap, topic.name, str(spool), str(noted)]
        process = subprocess.Popen(command)
        wait_for(lambda before=before: noted.stat().st_size > before, 120, every=0.01)
        time.sleep(chance.uniform(0, 0.6))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    acknowledged = [int(line) for line in noted.read_bytes().splitlines()]
    with closing(topic.sink(spool)) as sink:
        last = Recorder(sink, "T1").last_seq
        sink.drain(60)
    assert acknowledged == sorted(set(acknowledged))
    assert last >= acknowledged[-1]
    first_seen = list(dict.fromkeys(numbers(topic)))
    assert first_seen == list(range(1, last + 1))
    assert archived(topic, tmp_path / "archive") == first_seen


# Rivals

CLAIMING = """
import sys, time
from pathlib import Path
from producers.claims import RecorderRefused
from producers.recorder import Recorder
from producers.sinks.kafka import KafkaSink

bootstrap, topic, spool = sys.argv[1:]
sink = KafkaSink(bootstrap, topic, Path(spool))
print("ready", flush=True)
sys.stdin.readline()
try:
    recorder = Recorder(sink, "T1")
    for _ in range(50):
        recorder.record("WagersClosed", round=1, at=(recorder.last_seq + 1) * 1_000_000)
        recorder.flush()
    sink.drain(60)
    print("recorded", recorder.last_seq, flush=True)
except RecorderRefused as error:
    print("refused", error, flush=True)
"""


def test_of_two_processes_that_begin_a_fresh_table_at_once_exactly_one_records_it(topic: Topic, tmp_path: Path) -> None:
    both = [
        subprocess.Popen(
            [sys.executable, "-c", CLAIMING, topic.bootstrap, topic.name, str(tmp_path / spool)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for spool in ("one", "two")
    ]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = sorted(process.communicate(timeout=180)[0].strip() for process in both)
    assert said[0] == "recorded 50"
    assert said[1].startswith("refused table T1 is recorded by the recorder of spool ")
    assert numbers(topic) == list(range(1, 51))


def test_a_second_recorder_of_a_table_is_refused_wherever_it_is(topic: Topic, tmp_path: Path) -> None:
    with closing(topic.sink(tmp_path / "here")) as sink:
        recorder = Recorder(sink, "T1")
        refused(topic.sink(tmp_path / "here"), "is being written by process", SinkBusy)
        with closing(topic.sink(tmp_path / "elsewhere")) as other:
            with pytest.raises(
                RecorderRefused, match=rf"process {os.getpid()}\) since .* UTC, claim 1: .* take the table"
            ):
                Recorder(other, "T1")
            record(other, 2, "T2")  # another table of the same house is none of its business
        close_bets(recorder)
        recorder.flush()
        sink.drain(60)
    # nobody runs there now, and the table is still theirs
    refused(topic.sink(tmp_path / "elsewhere"), "is recorded by")


@pytest.fixture
def taken_over(topic: Topic, tmp_path: Path) -> Iterator[tuple[KafkaSink, Recorder, list[str]]]:
    """A recorder with three events in the topic, whose table another one took over and went on with two more."""
    noted: list[str] = []
    old = topic.sink(tmp_path / "old", delivery_ms=SOON, on_trouble=noted.append)
    new = topic.sink(tmp_path / "new", take_over=True)
    with closing(old), closing(new):
        before = record(old, 3)
        old.drain(60)
        began = time.monotonic()
        after = record(new, 2)
        assert time.monotonic() - began >= SOON / 1000  # nothing of the old one is on its way any more
        assert after.last_seq == 5
        new.drain(60)
        yield old, before, noted


def test_a_table_that_is_taken_over_goes_on_in_the_new_spool_only(
    topic: Topic, taken_over: tuple[KafkaSink, Recorder, list[str]], tmp_path: Path
) -> None:
    old, before, noted = taken_over
    wait_for(lambda: noted)  # although it records nothing
    assert noted[0].startswith("table T1 was taken over by the recorder of spool ")
    with pytest.raises(RecorderRefused, match="was taken over by"):
        close_bets(before)
    assert "was taken over" in old.fill.last_error
    assert old.flush() == {"T1": 3}
    assert numbers(topic) == [1, 2, 3, 4, 5]
    refused(topic.sink(tmp_path / "old"), "is being written by process", SinkBusy)


def test_what_was_accepted_by_a_recorder_that_was_taken_over_meanwhile_stays_and_is_reported(
    topic: Topic, tmp_path: Path
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    record_and_send(topic.sink(old, delivery_ms=SOON), 3)
    with closing(cut_off(topic.name, old)) as sink:
        record(sink, 2)  # cut off from the broker
    record_and_send(topic.sink(new, take_over=True), 1)
    for take_over, why in ((False, "is recorded by"), (True, "other events of table T1 under the numbers from 4 on")):
        refused(
            topic.sink(old, take_over=take_over, delivery_ms=SOON),
            rf"{why}.*keeps 2 events accepted here, from seq 4 on",
        )
    table = TableSpool(old, "T1")
    assert [entry.seq for entry in table.unsent(9)] == [4, 5]
    table.close()


def copied(spool: Path, to: Path) -> Path:
    """A copy of a spool whose sender may be replacing a file: again where one was gone that ``cp`` had listed."""
    for _ in range(20):
        if subprocess.run(["cp", "-a", spool, to], check=False).returncode == 0:
            return to
        shutil.rmtree(to)
    raise AssertionError("no copy of the spool was whole")


def test_a_spool_that_was_set_back_is_refused_before_it_uses_a_number_again(topic: Topic, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    with closing(topic.sink(spool)) as sink:
        recorder = record(sink, 3)
        sink.drain(60)
        copy = copied(spool, tmp_path / "while")
        close_bets(recorder, 2)
        recorder.flush()
        sink.drain(60)
    record_and_send(topic.sink(spool), 2)
    refused(topic.sink(copy), "is a copy of that spool, was set back, or")
    latest = (spool / "T1" / "claim.json").read_bytes()
    (copy / "T1" / "claim.json").write_bytes(latest)
    refused(topic.sink(copy), r"up to seq 7 through this spool, which ends with 3: .* was set back")
    assert numbers(topic) == list(range(1, 8))


@pytest.mark.parametrize("recorded", [1, 5], ids=["fewer than the topic has", "more"])
def test_events_that_a_spool_accepted_after_it_was_set_back_are_not_taken_for_those_under_their_numbers(
    topic: Topic, tmp_path: Path, recorded: int
) -> None:
    """They were marked as sent, as the topic had events of the same numbers and recorder, and were nowhere."""
    with closing(topic.sink(tmp_path / "spool", delivery_ms=SOON)) as sink:
        recorder = record(sink, 3)
        sink.drain(60)
        copy = copied(tmp_path / "spool", tmp_path / "copy")
        close_bets(recorder, 3)
        recorder.flush()
        sink.drain(60)
    with closing(cut_off(topic.name, copy)) as sink:
        restored = Recorder(sink, "T1")
        for _ in range(recorded):
            restored.record("WagersClosed", round=2, at=(restored.last_seq + 1) * 1_000_000)
        assert restored.flush() == 3 + recorded
    refused(topic.sink(copy), rf"has another event 4 of table T1 from this spool: .* keeps {recorded} event")
    refused(topic.sink(copy, take_over=True), "take the table over through a new spool first")
    with closing(topic.sink(tmp_path / "new", take_over=True)) as sink:
        record(sink, 1)
        sink.drain(60)
    here = Target(topic.bootstrap, topic.name, copy, spool_id(copy), topic.settings, DELIVERY_MS)
    assert hand_to_quarantine(here) == {"T1": recorded}
    assert topic.archive(tmp_path / "archive").quarantined == recorded


def test_a_recorder_killed_between_its_claim_and_the_note_of_it_is_not_refused(topic: Topic, tmp_path: Path) -> None:
    record_and_send(topic.sink(tmp_path), 1)
    table = TableSpool(tmp_path, "T1")
    table.keep_claim(SpoolClaims(0, ("before", *table.claim.sessions)))  # as it was noted before the claim was written
    table.close()
    with closing(topic.sink(tmp_path)) as sink:
        assert record(sink, 1).last_seq == 2
        sink.drain(60)
    assert [int(dict(each.headers)["claim"]) for each in topic.records()] == [1, 2]


def test_claims_that_are_gone_with_their_topic_are_made_again(topic: Topic, tmp_path: Path) -> None:
    record_and_send(topic.sink(tmp_path / "one"), 1)
    with topic.admin() as admin:
        admin.delete_topics([f"{topic.name}.recorders"])
    with (
        closing(topic.sink(tmp_path / "two")) as sink,
        pytest.raises(
            KafkaFailed,
            match=rf"{topic.name}.recorders does not exist .*: create it with `.* create --topic {topic.name}`",
        ),
    ):
        Recorder(sink, "T1")
    topic.create()
    # its last event says whose the table is
    refused(topic.sink(tmp_path / "two"), "up to seq 1")
    record_and_send(topic.sink(tmp_path / "one"), 1)
    claims = [int(dict(each.headers)["claim"]) for each in topic.records()]
    assert claims == [1, 2]  # the numbers go on although the topic began anew


# Limits


def test_a_spool_that_nears_its_limit_warns_the_table_and_at_its_limit_takes_no_more(tmp_path: Path) -> None:
    claimed(tmp_path)
    noted: list[Fill] = []
    with closing(cut_off("events", tmp_path, limit_bytes=20_000, on_fill=noted.append)) as sink:
        recorder = Recorder(sink, "T1")
        with pytest.raises(
            SpoolFull, match=r"is full: \d+ events wait for topic events, \d+ of 20000 bytes; no connection"
        ):
            for _ in range(400):
                close_bets(recorder)
                recorder.flush()
        accepted = recorder.last_seq
        assert recorder.flush() == accepted
    assert 0.8 <= noted[0].share < 0.85
    assert 0.9 < noted[-1].share <= 1.05
    assert noted[-1].events == accepted
    with closing(cut_off("events", tmp_path)) as sink:
        assert Recorder(sink, "T1").last_seq == accepted


def test_a_disk_that_was_full_is_drained_and_play_goes_on(topic: Topic, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, "256k"):
        with closing(topic.sink(disk / "spool", limit_bytes=1 << 20)) as sink:
            record(sink, 1)
        acknowledged = 0
        with closing(cut_off(topic.name, disk / "spool", limit_bytes=1 << 20)) as sink:
            recorder = Recorder(sink, "T1")
            with pytest.raises(NotDurable, match=f"{os.strerror(errno.ENOSPC)}; .* make room"):
                while True:
                    close_bets(recorder, 100)
                    acknowledged = recorder.flush()
        assert acknowledged
        with closing(topic.sink(disk / "spool", limit_bytes=1 << 20)) as sink:
            recorder = Recorder(sink, "T1")
            assert recorder.last_seq == acknowledged
            sink.drain(60)
            close_bets(recorder, 500)
            deadline = time.monotonic() + 90
            while True:
                try:
                    assert recorder.flush() == acknowledged + 500
                    break
                except NotDurable:  # the sender makes room
                    assert time.monotonic() < deadline
                    time.sleep(0.1)
            sink.drain(60)
    assert numbers(topic) == list(range(1, acknowledged + 501))


# Messages, connections


def test_a_message_says_what_it_is(topic: Topic, tmp_path: Path) -> None:
    with closing(topic.sink(tmp_path)) as sink:
        at = dt.datetime(2009, 6, 1, 12, tzinfo=dt.UTC)
        recorder = Recorder(sink, "T1")
        recorder.record("WagersClosed", round=1, at=at)
        recorder.flush()
        sink.drain(60)
    (said,) = topic.records()
    assert said.key == b"T1"
    assert said.timestamp == at.timestamp() * 1000
    assert dict(said.headers) == {
        "content-type": b"application/avro",
        "schema": current().fingerprint.hex().encode(),
        "recorder": (tmp_path / "id").read_bytes(),
        "claim": b"1",
    }


def test_an_event_of_a_clock_that_is_wrong_keeps_no_other_from_the_topic(topic: Topic, tmp_path: Path) -> None:
    """Kafka refuses what is dated an hour ahead unless the topic is told otherwise, and all of the spool waited behind it."""
    with closing(topic.sink(tmp_path)) as sink:
        recorder = Recorder(sink, "T1")
        for year in (2009, 9998, 1, 2009):
            recorder.record("WagersClosed", round=1, at=dt.datetime(year, 6, 1, 12, tzinfo=dt.UTC))
        recorder.flush()
        sink.drain(60)
    assert numbers(topic) == [1, 2, 3, 4]


def test_a_topic_that_takes_no_time_ahead_is_named_with_what_to_do(topic: Topic, tmp_path: Path) -> None:
    with topic.admin() as admin:
        held = {"message.timestamp.after.max.ms": "3600000"}
        admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic.name, configs=held)])
    noted: list[str] = []
    with closing(topic.sink(tmp_path, on_trouble=noted.append)) as sink:
        recorder = Recorder(sink, "T1")
        recorder.record("WagersClosed", round=1, at=dt.datetime(9998, 6, 1, 12, tzinfo=dt.UTC))
        recorder.flush()
        with pytest.raises(NotDurable, match=f"`pitaudit topic check --topic {topic.name}` says which"):
            sink.drain(3)
    assert len(noted) == 1 and "takes no event whose own time is so far" in noted[0], "all tables wait behind it"


def test_tls_user_and_password_are_taken_from_the_environment_and_a_wrong_one_is_refused(
    lone_broker: Any, tmp_path: Path
) -> None:
    Topic(lone_broker.bootstrap, "events").create()
    topic = Topic(lone_broker.sasl_bootstrap, "events")
    right = PASSWORD | {"KAFKA_SSL_CAFILE": str(lone_broker.ca_file)}
    record_and_send(topic.sink(tmp_path / "right", settings=settings_from(right)), 1)
    wrong = right | {"KAFKA_SASL_PASSWORD": "guess"}
    for environment, why in ((wrong, "wrong password shows only like this"), (PASSWORD, "no connection to Kafka")):
        settings = settings_from(environment) | {"bootstrap_timeout_ms": 3000}
        sink = topic.sink(tmp_path / "wrong", settings=settings)
        with closing(sink), pytest.raises(KafkaFailed, match=why):
            Recorder(sink, "T1")


def test_a_topic_that_does_not_exist_is_named(kafka_bootstrap: str, tmp_path: Path) -> None:
    noted: list[str] = []
    with (
        closing(Topic(kafka_bootstrap, "nowhere").sink(tmp_path, on_trouble=noted.append)) as sink,
        pytest.raises(KafkaFailed, match="topic nowhere does not exist") as told,
    ):
        Recorder(sink, "T1")
    assert noted == [str(told.value)], "one that is deleted while a recorder sends is told to nobody else"


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"security_protocol": "CARRIER_PIGEON"}, "look at host, port, security protocol"),
        ({"security_protocol": "SSL", "ssl_cafile": "/nowhere.pem"}, "127"),
    ],
)
def test_options_that_do_not_fit_are_a_clear_error(settings: dict[str, str], why: str, tmp_path: Path) -> None:
    options = {**settings, "bootstrap_timeout_ms": 1000}
    sink = Topic(NOBODY, "events", options).sink(tmp_path)
    with closing(sink), pytest.raises(KafkaFailed, match=why):
        Recorder(sink, "T1")


@pytest.mark.parametrize("protocol", ["SASL-SSL", "sasl_ssl", "TLS", ""])
def test_no_event_goes_in_plain_text_where_the_protocol_is_misspelled(
    protocol: str, topic: Topic, tmp_path: Path
) -> None:
    """kafka-python takes whatever it does not know for no TLS and no password."""
    none = f"'{protocol}' is none, it is one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL"
    sink = topic.sink(tmp_path, settings={"security_protocol": protocol})
    with closing(sink), pytest.raises(KafkaFailed, match=none):
        Recorder(sink, "T1")


@pytest.mark.parametrize(
    ("settings", "set_", "wanted"),
    [
        ({"sasl_plain_username": "auditor"}, "user's name", "SASL_SSL"),
        ({"sasl_plain_password": "hunter2", "security_protocol": "SSL"}, "password", "SASL_SSL"),
        ({"ssl_cafile": "ca.pem"}, "an option of TLS", "SSL"),
        ({"ssl_cafile": "ca.pem", "security_protocol": "SASL_PLAINTEXT"}, "an option of TLS", "SSL"),
    ],
)
def test_no_event_goes_in_plain_text_where_a_password_or_a_certificate_is_set(
    settings: dict[str, str], set_: str, wanted: str, topic: Topic, tmp_path: Path
) -> None:
    """kafka-python leaves them out without a word where the protocol uses none, as the one does that it takes unless told."""
    sink = topic.sink(tmp_path, settings=settings)
    with closing(sink), pytest.raises(KafkaFailed, match=f"{set_}.* KAFKA_SECURITY_PROTOCOL={wanted}") as refused:
        Recorder(sink, "T1")
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("address", ["localhost:abc", "localhost:99999", "localhost:0", "localhost:9092,other:x"])
def test_an_address_with_no_port_that_there_is_names_no_broker(address: str, tmp_path: Path) -> None:
    sink = Topic(address, "events").sink(tmp_path / "spool")
    with closing(sink), pytest.raises(KafkaFailed, match=f"^{address} is no address of a broker: write HOST:PORT"):
        Recorder(sink, "T1")


@pytest.mark.parametrize("option", ["ssl_cafile", "ssl_certfile", "ssl_keyfile"])
def test_a_certificate_that_is_not_there_is_no_broker_that_does_not_answer(option: str, tmp_path: Path) -> None:
    absent = tmp_path / "ca.pem"
    sink = Topic(NOBODY, "events", {"security_protocol": "SSL", option: str(absent)}).sink(tmp_path / "spool")
    why = f"KAFKA_{option.upper()} names {absent}: No such file or directory"
    with closing(sink), pytest.raises(KafkaFailed, match=re.escape(why)):
        Recorder(sink, "T1")


def test_a_password_among_the_brokers_is_refused_and_repeated_nowhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    topic, noted = Topic(f"SASL_SSL://auditor:hunter2@{NOBODY}", "events"), []
    calls = [
        topic.create,
        lambda: check(topic.bootstrap, topic.name, ALONE),
        lambda: topic.archive(tmp_path / "archive", on_line=noted.append),
    ]
    with closing(topic.sink(tmp_path / "spool", on_trouble=noted.append)) as sink:
        for call in (lambda: Recorder(sink, "T1"), *calls):
            with pytest.raises(
                KafkaFailed, match="holds a user's name or password: set the variables KAFKA_SASL_"
            ) as error:
                call()
            assert "hunter2" not in str(error.value)
    assert "hunter2" not in caplog.text + "".join(map(str, noted))
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and b"hunter2" in file.read_bytes()]


def test_a_message_that_breaks_the_contract_has_used_no_number_of_its_table(topic: Topic, tmp_path: Path) -> None:
    """The archiver quarantines it. The recorder went on behind its number, which no event may have, and recorded no more."""
    record_and_send(topic.sink(tmp_path), 1)
    datum = fastavro.schemaless_reader(BytesIO(topic.records()[0].value[10:]), current().parsed, None)
    out = BytesIO()
    fastavro.schemaless_writer(out, current().parsed, {**cast("dict[str, Any]", datum), "seq": 2**63 - 1})
    topic.produce(MARKER + current().fingerprint + out.getvalue(), partition=partition_of("T1", 3))
    with closing(topic.sink(tmp_path)) as sink:
        record(sink, 1)
        sink.drain(60)
    done = topic.archive(tmp_path / "archive")
    assert (done.events, done.quarantined) == (2, 1)
    assert [event.seq for ref in table_days(tmp_path / "archive") for event in read_events(ref)] == [1, 2]


def test_an_event_under_another_key_than_its_table_has_used_its_number(topic: Topic, tmp_path: Path) -> None:
    """The archiver takes it. The recorder used its number again, and what it recorded went to quarantine."""
    own = partition_of("T1", 3)
    with closing(KafkaProducer(bootstrap_servers=topic.bootstrap)) as producer:
        producer.send(topic.name, dealt(1), b"table T1", partition=own).get(timeout=30)
    topic.produce(dealt(7, table_id="T2"), partition=own)
    with closing(topic.sink(tmp_path / "spool")) as sink:
        assert record(sink, 1).last_seq == 2
        sink.drain(60)
    assert sorted(archived(topic, tmp_path / "archive")) == [1, 2, 7]


def test_a_stranger_who_sends_for_a_recorders_table_pushes_no_event_of_the_recorder_aside(
    topic: Topic, tmp_path: Path
) -> None:
    """The stranger's events stood in the log, the recorder's were quarantined, and a spool in which they waited was refused."""
    sink = topic.sink(tmp_path / "spool")
    with closing(sink):
        recorder = record(sink, 2)
        sink.drain(60)
        topic.produce(*(encode(card_dealt(seq)) for seq in (3, 4, 9)), partition=partition_of("T1", 3))
        close_bets(recorder)
        recorder.flush()
        sink.drain(60)
    record_and_send(topic.sink(tmp_path / "spool"), 1)
    done = topic.archive(tmp_path / "archive")
    held = [event for ref in table_days(tmp_path / "archive") for event in read_events(ref)]
    assert [(event.seq, event.kind) for event in held] == [(seq, "WagersClosed") for seq in (1, 2, 3, 4)]
    assert done.quarantined == 3


def test_who_opens_a_table_while_the_sink_is_closed_gets_an_answer(tmp_path: Path) -> None:
    """A thread that waits for a silent broker would keep the process from ending."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        sink = KafkaSink(f"127.0.0.1:{silent.getsockname()[1]}", "t", tmp_path / "spool")
        refused: list[str] = []

        def open_table() -> None:
            with pytest.raises(NotDurable) as failed:
                sink.last_seq("T1")
            refused.append(str(failed.value))

        opening = threading.Thread(target=open_table, daemon=True)
        opening.start()
        silent.settimeout(10)
        connection, _ = silent.accept()
        with connection:
            sink.close()
            opening.join(10)
    assert refused == [f"table T1 of {tmp_path / 'spool'}: the sink was closed; make another one to record"]
