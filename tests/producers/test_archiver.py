"""A topic becomes the very same archive that the embedded recorder writes, whatever happens on the way."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from kafka import KafkaProducer

from producers.archiver import Archived, Options, archive_topic
from producers.archiver.place import Place, places, write_place
from producers.archiver.sharing import Sharing
from producers.archiver.view import lag_of
from producers.kafka_client import KafkaFailed, partition_of
from producers.recorder import Recorder
from producers.sinks import Sink
from producers.sinks.archive import ArchiveSink
from producers.topic import Shape
from replayer.sources.archive import read_table_day
from replayer.sources.layout import PartName, offsets_folder
from replayer.sources.manifests import read_manifests
from replayer.sources.quarantine import quarantined
from replayer.sources.table_days import TableDayRef, table_days
from schemas.codec import MARKER, MessageUnreadable, admit, current, encode
from schemas.encoder import varint
from schemas.event import CardAt, Chips, Decision, Event, Table
from tests.commands import PITAUDIT
from tests.odd import foreign_datum
from tests.producers.dealing import DAY, NEXT_DAY, NOON, seqs
from tests.producers.following import Topic, dealt
from tests.waiting import wait_for

DAY_MICROS = 86_400_000_000


def record_table_days(sink: Sink) -> None:
    """Two days of three tables, opened, dealt two hundred cards and closed."""
    for number in (1, 2, 3):
        recorder = Recorder(sink, f"T{number}")
        for day, noon in ((DAY, NOON), (NEXT_DAY, NOON + DAY_MICROS)):
            recorder.record("TableOpened", at=noon, table=Table("black_jack", "MOP", 7), chips=Chips(1000))
            for i in range(200):
                recorder.record("CardDealt", round=1, at=noon + i, card=CardAt(1, 0, "Th", "up"))
            recorder.record("TableClosed", at=noon + 200, chips=Chips(1000))
            recorder.seal(day)


def sealed(archive: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(archive)): path.read_bytes()
        for path in archive.glob("*/*")
        if path.suffix in {".avro", ".json"}
    }


@pytest.fixture
def embedded(tmp_path: Path) -> dict[str, bytes]:
    """The archive of the same table-days as the recorder writes it without a broker."""
    sink = ArchiveSink(tmp_path / "embedded")
    record_table_days(sink)
    sink.close()
    return sealed(tmp_path / "embedded")


def fill(topic: Topic, spool: Path) -> None:
    with closing(topic.sink(spool)) as sink:
        record_table_days(sink)
        sink.drain(60)


def test_both_paths_give_the_same_bytes(topic: Topic, tmp_path: Path, embedded: dict[str, bytes]) -> None:
    fill(topic, tmp_path / "spool")
    progress: list[int] = []
    done = topic.archive(tmp_path / "archive", on_progress=lambda now: progress.append(now.behind))
    assert sealed(tmp_path / "archive") == embedded
    assert len(embedded) == 12
    assert (done.events, done.duplicates, done.quarantined, done.behind) == (3 * 2 * 202, 0, 0, 0)
    assert done.sealed == sorted((f"T{n}", day) for n in (1, 2, 3) for day in (DAY, NEXT_DAY))
    assert sum(done.offsets.values()) == 3 * 2 * 202
    assert progress[-1] == 0


def test_it_tells_kafka_how_far_it_is(topic: Topic, tmp_path: Path) -> None:
    fill(topic, tmp_path / "spool")
    group = f"watch-{uuid.uuid4().hex[:8]}"
    done = topic.archive(tmp_path, group=group)
    with topic.admin() as admin:
        held = admin.list_group_offsets(group)[group]
    assert {partition.partition: at.offset for partition, at in held.items()} == done.offsets


KILLED_AGAIN_AND_AGAIN = """
import os, signal, sys
from pathlib import Path
from producers.archiver import Options, archive_topic

bootstrap, topic, archive = sys.argv[1:]
left = 0

def counted(name):
    real = getattr(os, name)
    def call(*arguments, **options):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)
    setattr(os, name, call)

for name in ("pwrite", "fsync", "rename", "unlink"):
    counted(name)
for left in range(1, 200, 2):
    archiver = os.fork()
    if not archiver:
        archive_topic(Options(bootstrap, topic, Path(archive), until_end=True))
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(archiver, 0)[1])
    print(code, flush=True)
    if code != -signal.SIGKILL:
        break
"""
"""An archiver in a process of its own that is killed before its first step, then one before its third, until one ends."""


def test_killed_again_and_again_it_ends_with_the_same_archive(
    topic: Topic, tmp_path: Path, embedded: dict[str, bytes]
) -> None:
    fill(topic, tmp_path / "spool")
    topic.produce(b"junk")
    archive = tmp_path / "archive"
    arguments = [topic.bootstrap, topic.name, str(archive)]
    done = subprocess.run(
        [sys.executable, "-c", KILLED_AGAIN_AND_AGAIN, *arguments], check=True, capture_output=True, text=True
    )
    *killed, last = map(int, done.stdout.split())
    assert last == 0, done.stderr
    assert set(killed) == {-signal.SIGKILL} and len(killed) > 10
    assert sealed(archive) == embedded
    assert [refused.message for refused in quarantined(archive)] == [b"junk"]
    again = topic.archive(archive)
    assert (again.events, again.duplicates, again.sealed) == (0, 0, [])


def test_a_topic_read_again_from_its_beginning_changes_nothing(topic: Topic, tmp_path: Path) -> None:
    fill(topic, tmp_path / "spool")
    topic.produce(b"junk")
    topic.archive(tmp_path)
    before = sealed(tmp_path)
    shutil.rmtree(offsets_folder(tmp_path, topic.name))
    again = topic.archive(tmp_path)
    assert (again.events, again.duplicates, again.quarantined, again.sealed) == (0, 3 * 2 * 202, 0, [])
    assert sealed(tmp_path) == before
    assert len([*quarantined(tmp_path)]) == 1


def test_offsets_beyond_the_end_mean_another_topic_and_all_of_it_is_read(topic: Topic, tmp_path: Path) -> None:
    topic.produce(dealt(1), dealt(2))
    write_place(tmp_path, topic.name, Place(0, next=50))
    assert topic.archive(tmp_path).events == 2


def test_what_cannot_be_taken_goes_to_quarantine_with_its_coordinates(topic: Topic, tmp_path: Path) -> None:
    unknown = MARKER + bytes(8) + dealt(1)[10:]
    messages = [
        b"junk",
        unknown,
        dealt(1)[:-1],
        dealt(1) + b"\0",
        None,
        dealt(1),
        dealt(1),
        dealt(1, card="9c"),
        dealt(2),
    ]
    topic.produce(*messages)
    foreign = Event("..", 1, NOON, DAY, "WagersClosed", 1)
    topic.produce(encode(foreign))
    done = topic.archive(tmp_path)
    assert (done.events, done.duplicates, done.quarantined) == (2, 1, 7)
    refused = [*quarantined(tmp_path)]
    assert [(item.topic, item.partition, item.offset) for item in refused] == [
        (topic.name, 0, offset) for offset in (0, 1, 2, 3, 4, 7, 9)
    ]
    assert [item.message for item in refused][:4] == messages[:4]
    for item, reason in zip(
        refused,
        [
            "no Avro single-object message",
            "schema fingerprint 0000000000000000 is not in schemas/index.json",
            "the datum does not fit its schema: remark: cut off at byte",
            "1 byte is left over",
            "an empty message, such as deletes a key of a compacted topic, is no event",
            "table T1 has another event 1",
            "table id '..'",
        ],
        strict=True,
    ):
        assert reason in item.reason
    assert read_table_day(TableDayRef(DAY, "T1", tmp_path)).events["card_card"].to_list() == ["Th", "Th"]


def test_a_message_that_cannot_be_decoded_is_refused_in_words_and_not_in_those_of_a_library() -> None:
    whole = dealt(1)
    begin = MARKER + current().fingerprint
    far = b"\x04T1\x02" + varint(2**61) + whole[whole.index(varint(NOON + 1)) + len(varint(NOON + 1)) :]
    for message, reason in [
        (whole[:-3], "the datum does not fit its schema: decision: cut off"),
        (begin + b"\x04\xff\xfe" + whole[13:], "table_id: the text at byte 1 is no UTF-8"),
        (begin + b"\x80\x80\x80\x80\x80\x20abc", "table_id: a text of 549755813888 bytes at byte 0"),
        (begin + far, "a time or a day in it is beyond the calendar, which has the years 1 to 9999"),
        (begin, "cut off: 10 bytes, and C3 01 and a fingerprint alone are 10"),
    ]:
        with pytest.raises(MessageUnreadable) as refused:
            admit(message)
        assert reason in str(refused.value)
        assert "Error" not in str(refused.value)


def test_what_breaks_the_contract_is_quarantined_with_its_reason_and_what_is_spelled_otherwise_is_taken(
    topic: Topic, tmp_path: Path
) -> None:
    """Anybody may write to a topic; one announced total of -1, or a kind of -1, stopped a whole archive when replayed."""
    total = Event("T1", 2, NOON, DAY, "TotalAnnounced", 1, decision=Decision(1, points=-1))
    slip = Event("T1", 2, NOON, DAY, "ChipsFilled", chips=Chips(-50_000_00, "F1"))
    far = Event("T1", 2**40, NOON, DAY, "WagersClosed", 1)
    foreign = [MARKER + current().fingerprint + foreign_datum(event) for event in (total, slip, far)]
    kind = encode(Event("T1", 2, NOON, DAY, "WagersClosed", 1))
    of_last_kind = kind[:-9] + varint(-1) + bytes(8)
    long_winded = dealt(2).replace(b"\x04T1", b"\x84\x00T1")
    topic.produce(dealt(1), *foreign, of_last_kind, long_winded, dealt(2))
    done = topic.archive(tmp_path)
    assert (done.events, done.duplicates, done.quarantined) == (2, 1, 4)
    for item, reason in zip(
        quarantined(tmp_path),
        [
            "decision.points is -1; it is 0 to 999",
            "chips.amount_minor is -5000000; it is 0 to",
            "seq is 1099511627776; it is 1 to",
            "kind: index -1",
        ],
        strict=True,
    ):
        assert reason in item.reason
    assert read_table_day(TableDayRef(DAY, "T1", tmp_path)).events["card_card"].to_list() == ["Th", "Th"]


def test_an_aborted_transaction_never_happened(topic: Topic, tmp_path: Path) -> None:
    producer = KafkaProducer(bootstrap_servers=topic.bootstrap, transactional_id=f"t-{uuid.uuid4().hex}")
    producer.init_transactions()
    for card, end in (("9c", producer.abort_transaction), ("Th", producer.commit_transaction)):
        producer.begin_transaction()
        producer.send(topic.name, key=b"T1", value=dealt(1, card=card), partition=0)
        producer.flush()
        end()
    producer.close()
    done = topic.archive(tmp_path)
    assert (done.events, done.quarantined) == (1, 0)
    assert read_table_day(TableDayRef(DAY, "T1", tmp_path)).events["card_card"].to_list() == ["Th"]


def test_what_waits_behind_a_transaction_under_way_is_not_taken_for_the_end(topic: Topic, tmp_path: Path) -> None:
    """Another program's transaction hides what came behind it: the run ended well, sealed, and took none of it."""
    foreign = KafkaProducer(bootstrap_servers=topic.bootstrap, transactional_id=topic.name)
    foreign.init_transactions()
    foreign.begin_transaction()
    foreign.send(topic.name, b"no event", partition=0).get(timeout=30)
    topic.produce(dealt(1), dealt(2))
    archive = tmp_path / "archive"
    with pytest.raises(KafkaFailed, match="3 messages short of the end"):
        topic.archive(archive, timeout_seconds=3)
    assert lag_of(topic.bootstrap, topic.name, {}).ends[0] == 3
    foreign.abort_transaction()
    foreign.close()
    done = topic.archive(archive)
    assert (done.events, done.quarantined, done.behind) == (2, 0, 0)


def test_a_header_whose_name_is_no_utf_8_keeps_neither_archiver_nor_recorder_from_its_message(
    topic: Topic, tmp_path: Path
) -> None:
    """A broker takes it. The partition, and all others with it, stood still for ever, and no recorder found its last number."""

    class Name(str):
        def encode(self, *_: str) -> bytes:
            return b"\xffname"

    with closing(KafkaProducer(bootstrap_servers=topic.bootstrap, linger_ms=500)) as producer:
        for message in (dealt(1), b"no event", dealt(2)):  # in one batch
            producer.send(topic.name, message, headers=[(Name("name"), b"value")], partition=partition_of("T1", 3))
    with closing(topic.sink(tmp_path / "spool")) as sink:
        recorder = Recorder(sink, "T1")
        assert recorder.record("WagersClosed", round=1, gaming_day=DAY).seq == 3
        recorder.flush()
        sink.drain(60)
    done = topic.archive(tmp_path / "archive")
    assert (done.events, done.quarantined, done.behind) == (3, 1, 0)


@pytest.mark.parametrize("milliseconds", [253_402_300_800_000, 2**62], ids=["the year 10000", "the year 146 million"])
def test_a_message_that_waits_and_is_dated_outside_the_calendar_is_counted(topic: Topic, milliseconds: int) -> None:
    """Any program may date a message so. `pitaudit status` ended with a fault of its own, and told nothing."""
    with closing(KafkaProducer(bootstrap_servers=topic.bootstrap)) as producer:
        producer.send(topic.name, dealt(1), partition=0, timestamp_ms=milliseconds).get(timeout=30)
    lag = lag_of(topic.bootstrap, topic.name, {})
    assert (lag.ends[0], lag.waiting) == (1, {})


def test_following_it_seals_a_closed_table_day_once_it_is_quiet_and_links_what_comes_late(
    topic: Topic, tmp_path: Path
) -> None:
    closed = encode(Event("T1", 2, NOON + 2, DAY, "TableClosed", chips=Chips(1000)))
    topic.produce(dealt(1), closed, dealt(1, "T2"))
    late = [dealt(3)]

    def stop() -> bool:
        """Send a late event when the first part is sealed, stop when the late one is."""
        parts = [part for part in (0, 1) if PartName(DAY, "T1", part).manifest(tmp_path).exists()]
        if parts == [0] and late:
            topic.produce(late.pop())
        return parts == [0, 1]

    done = topic.archive(tmp_path, quiet_seconds=0.2, stop=stop, now=lambda: NOON / 1e6, until_end=False)
    assert done.sealed == [("T1", DAY), ("T1", DAY)]
    assert [(ref.table_id, ref.gaming_day) for ref in table_days(tmp_path)] == [("T1", DAY)], (
        "T2 was not closed, and its day goes on"
    )
    assert [manifest.count for manifest in read_manifests(TableDayRef(DAY, "T1", tmp_path))] == [2, 1]
    assert topic.archive(tmp_path).sealed == [("T2", DAY)]


def test_started_again_it_still_seals_what_was_closed_before(topic: Topic, tmp_path: Path) -> None:
    closed = encode(Event("T1", 2, NOON + 2, DAY, "TableClosed", chips=Chips(1000)))
    topic.produce(dealt(1), closed)
    done = Archived()

    def take(now: Archived) -> None:
        done.events, done.sealed = now.events, list(now.sealed)

    topic.archive(tmp_path, stop=lambda: done.events == 2, on_progress=take, until_end=False)
    assert done.sealed == []
    topic.archive(tmp_path, quiet_seconds=0.1, stop=lambda: bool(done.sealed), on_progress=take, until_end=False)
    assert done.sealed == [("T1", DAY)]


def test_no_broker_is_one_clear_sentence(tmp_path: Path) -> None:
    with pytest.raises(KafkaFailed, match=r"no connection to Kafka at 127\.0\.0\.1:9: look at host"):
        archive_topic(Options("127.0.0.1:9", "events", tmp_path, until_end=True, timeout_seconds=1))


# Several archivers share the partitions of one topic, and a topic may grow while it is read


TABLES = [f"T{number}" for number in range(4)]


@contextmanager
def service(topic: Topic, archive: Path) -> Iterator[subprocess.Popen[bytes]]:
    """``pitaudit archive``, as a service manager starts it."""
    command = [PITAUDIT, "archive", "--kafka", topic.bootstrap, "--topic", topic.name, "--archive", archive]
    running = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        yield running
    finally:
        if running.poll() is None:
            running.terminate()
            assert running.wait(120) == 0


def readers(archive: Path, topic: Topic) -> set[int]:
    """The processes that read a partition of a topic."""
    folder = archive / ".journal" / "offsets" / topic.name
    return {int(file.read_text().strip() or 0) for file in folder.glob("*.lock")}


def test_two_archivers_share_a_topic_and_one_that_is_killed_is_replaced_within_seconds(
    kafka_bootstrap: str, tmp_path: Path
) -> None:
    topic = Topic(kafka_bootstrap, f"events-{uuid.uuid4().hex[:8]}")
    topic.create(Shape(partitions=4, replication=1, min_in_sync=1))

    def record(numbers: range) -> None:
        for partition, table in enumerate(TABLES):
            topic.produce(*(dealt(number, table) for number in numbers), partition=partition)

    with service(topic, tmp_path) as one, service(topic, tmp_path) as two:
        wait_for(lambda: readers(tmp_path, topic) == {one.pid, two.pid})
        record(range(1, 20))
        wait_for(lambda: [place.next for place in places(tmp_path, topic.name)] == [19] * 4)
        os.kill(one.pid, signal.SIGKILL)
        one.wait()
        record(range(20, 40))
        wait_for(lambda: [place.next for place in places(tmp_path, topic.name)] == [39] * 4)
        assert readers(tmp_path, topic) == {two.pid}
    done = topic.archive(tmp_path)
    assert (done.events, len(done.sealed)) == (0, 4)
    for table in TABLES:
        assert seqs(tmp_path, table) == list(range(1, 40))


def test_a_partition_that_is_new_is_read_and_reported_as_no_trouble(topic: Topic, tmp_path: Path) -> None:
    """A table whose events come by another partition from then on goes on as well."""
    topic.produce(dealt(1))
    with topic.following(tmp_path) as archiver:
        wait_for(lambda: archiver.done.events == 1)
        with topic.admin() as admin:
            admin.create_partitions({topic.name: 5})
        topic.produce(dealt(2), dealt(1, "T2"), partition=4)
        wait_for(lambda: archiver.done.events == 3)
    assert archiver.done.lost == []
    assert archiver.notices("") == []
    assert [place.partition for place in places(tmp_path, topic.name)] == [0, 1, 2, 3, 4]


def test_a_partition_is_given_up_with_its_tables_when_another_archiver_comes(topic: Topic, tmp_path: Path) -> None:
    for partition, table in enumerate(TABLES[:3]):
        topic.produce(dealt(1, table), partition=partition)
    with topic.following(tmp_path) as one:
        wait_for(lambda: one.done.events == 3)
        with topic.following(tmp_path) as two:
            wait_for(lambda: two.done.offsets)
            for partition, table in enumerate(TABLES[:3]):
                topic.produce(dealt(2, table), partition=partition)
            wait_for(lambda: one.done.events + two.done.events == 6)
            assert two.done.events > 0
            assert not one.done.stuck and not two.done.stuck


def test_partitions_are_shared_in_turn_and_none_is_left_or_held_twice(tmp_path: Path) -> None:
    here = [Sharing(tmp_path, "events") for _ in range(3)]
    parts = [sharing.fair(range(7)) for sharing in here]
    assert sorted(number for part in parts for number in part) == list(range(7))
    assert {len(part) for part in parts} == {2, 3}
    assert here[0].take(1)
    assert not here[1].take(1)
    here[0].leave()
    assert here[1].take(1)
    assert sorted(number for sharing in here[1:] for number in sharing.fair(range(7))) == list(range(7))
    for sharing in here[1:]:
        sharing.leave()
    assert not list(tmp_path.rglob("archiver-*"))


def test_brokers_topic_group_and_archive_come_from_the_settings(topic: Topic, tmp_path: Path) -> None:
    topic.produce(dealt(1))
    (tmp_path / "pitaudit.toml").write_text(
        'archive = "kept"\n'
        f'[kafka]\nbootstrap_servers = "{topic.bootstrap}"\ntopic = "{topic.name}"\ngroup = "g-{topic.name}"\n'
    )
    ordered = [PITAUDIT, "archive", "--until-end", "--json"]
    done = subprocess.run(ordered, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["events"] == 1
    assert (tmp_path / "kept" / str(DAY) / "T1.avro").exists()
    with topic.admin() as admin:
        [group] = admin.list_group_offsets(f"g-{topic.name}").values()
    assert {at.partition: held.offset for at, held in group.items()}[0] == 1
