"""A topic becomes the very same archive that the embedded recorder writes, whatever happens on the way."""

import json
import shutil
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, KafkaProducer

from producers.archiver import Archived, Options, archive_topic
from producers.archiver.lag import lag_of
from producers.kafka_client import KafkaFailed
from producers.recorder import Recorder
from producers.sinks import Sink
from producers.sinks.archive import ArchiveSink
from producers.sinks.kafka import KafkaSink
from replayer.sources.archive import TableDayRef, read_columns, read_manifests, table_days
from replayer.sources.layout import PartName, offsets_file, offsets_folder
from replayer.sources.quarantine import quarantined
from schemas.codec import MARKER, current, encode
from schemas.encoder import varint
from schemas.event import CardAt, Chips, Decision, Event, Table
from tests.odd import foreign_datum
from tests.producers.dealing import DAY, NEXT_DAY, NOON
from tests.producers.following import dealt, produce

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


def fill(bootstrap: str, topic: str, spool: Path) -> None:
    sink = KafkaSink(bootstrap, topic, spool)
    record_table_days(sink)
    sink.drain(60)
    sink.close()


def test_both_paths_give_the_same_bytes(
    kafka_bootstrap: str, kafka_topic: str, tmp_path: Path, embedded: dict[str, bytes]
) -> None:
    fill(kafka_bootstrap, kafka_topic, tmp_path / "spool")
    progress: list[int] = []
    done = archive_topic(
        Options(
            kafka_bootstrap,
            kafka_topic,
            tmp_path / "archive",
            until_end=True,
            on_progress=lambda now: progress.append(now.behind),
        )
    )
    assert sealed(tmp_path / "archive") == embedded
    assert len(embedded) == 12
    assert (done.events, done.duplicates, done.quarantined, done.behind) == (3 * 2 * 202, 0, 0, 0)
    assert done.sealed == sorted((f"T{n}", day) for n in (1, 2, 3) for day in (DAY, NEXT_DAY))
    assert sum(done.offsets.values()) == 3 * 2 * 202
    assert progress[-1] == 0


def test_it_tells_kafka_how_far_it_is(kafka_bootstrap: str, kafka_topic: str, tmp_path: Path) -> None:
    fill(kafka_bootstrap, kafka_topic, tmp_path / "spool")
    group = f"watch-{uuid.uuid4().hex[:8]}"
    done = archive_topic(Options(kafka_bootstrap, kafka_topic, tmp_path, until_end=True, group=group))
    admin = KafkaAdminClient(bootstrap_servers=kafka_bootstrap)
    held = admin.list_group_offsets(group)[group]
    admin.close()
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
    kafka_bootstrap: str, kafka_topic: str, tmp_path: Path, embedded: dict[str, bytes]
) -> None:
    fill(kafka_bootstrap, kafka_topic, tmp_path / "spool")
    produce(kafka_bootstrap, kafka_topic, b"junk")
    archive = tmp_path / "archive"
    arguments = [kafka_bootstrap, kafka_topic, str(archive)]
    done = subprocess.run(
        [sys.executable, "-c", KILLED_AGAIN_AND_AGAIN, *arguments], check=True, capture_output=True, text=True
    )
    *killed, last = map(int, done.stdout.split())
    assert last == 0, done.stderr
    assert set(killed) == {-signal.SIGKILL} and len(killed) > 10
    assert sealed(archive) == embedded
    assert [refused.message for refused in quarantined(archive)] == [b"junk"]
    again = archive_topic(Options(kafka_bootstrap, kafka_topic, archive, until_end=True))
    assert (again.events, again.duplicates, again.sealed) == (0, 0, [])


def test_a_topic_read_again_from_its_beginning_changes_nothing(
    kafka_bootstrap: str, kafka_topic: str, tmp_path: Path
) -> None:
    fill(kafka_bootstrap, kafka_topic, tmp_path / "spool")
    produce(kafka_bootstrap, kafka_topic, b"junk")
    archive_topic(Options(kafka_bootstrap, kafka_topic, tmp_path, until_end=True))
    before = sealed(tmp_path)
    shutil.rmtree(offsets_folder(tmp_path, kafka_topic))
    again = archive_topic(Options(kafka_bootstrap, kafka_topic, tmp_path, until_end=True))
    assert (again.events, again.duplicates, again.quarantined, again.sealed) == (0, 3 * 2 * 202, 0, [])
    assert sealed(tmp_path) == before
    assert len(quarantined(tmp_path)) == 1


def test_offsets_beyond_the_end_mean_another_topic_and_all_of_it_is_read(
    kafka_bootstrap: str, kafka_topic: str, tmp_path: Path
) -> None:
    produce(kafka_bootstrap, kafka_topic, dealt(1), dealt(2))
    place = offsets_file(tmp_path, kafka_topic)
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps({"offsets": {"0": 50}, "under_way": []}))
    assert archive_topic(Options(kafka_bootstrap, kafka_topic, tmp_path, until_end=True)).events == 2


def test_what_cannot_be_taken_goes_to_quarantine_with_its_coordinates(
    kafka_bootstrap: str, kafka_topic: str, tmp_path: Path
) -> None:
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
    produce(kafka_bootstrap, kafka_topic, *messages)
    foreign = Event("..", 1, NOON, DAY, "WagersClosed", 1)
    produce(kafka_bootstrap, kafka_topic, encode(foreign))
    done = archive_topic(Options(kafka_bootstrap, kafka_topic, tmp_path, until_end=True))
    assert (done.events, done.duplicates, done.quarantined) == (2, 1, 7)
    refused = quarantined(tmp_path)
    assert [(item.topic, item.partition, item.offset) for item in refused] == [
        (kafka_topic, 0, offset) for offset in (0, 1, 2, 3, 4, 7, 9)
    ]
    assert [item.message for item in refused][:4] == messages[:4]
    for item, reason in zip(
        refused,
        [
            "no Avro single-object message",
            "schema fingerprint 0000000000000000 is not in schemas/index.json",
            "the datum does not fit its schema",
            "1 bytes are left over",
            "no Avro single-object message",
            "table T1 has another event 1",
            "table id '..'",
        ],
        strict=True,
    ):
        assert reason in item.reason
    assert read_columns(TableDayRef(DAY, "T1", tmp_path))["card_card"].to_list() == ["Th", "Th"]


def test_what_breaks_the_contract_is_quarantined_with_its_reason_and_what_is_spelled_otherwise_is_taken(
    kafka_bootstrap: str, kafka_topic: str, tmp_path: Path
) -> None:
    """Anybody may write to a topic; one announced total of -1, or a kind of -1, stopped a whole archive when replayed."""
    total = Event("T1", 2, NOON, DAY, "TotalAnnounced", 1, decision=Decision(1, points=-1))
    slip = Event("T1", 2, NOON, DAY, "ChipsFilled", chips=Chips(-50_000_00, "F1"))
    far = Event("T1", 2**40, NOON, DAY, "WagersClosed", 1)
    foreign = [MARKER + current().fingerprint + foreign_datum(event) for event in (total, slip, far)]
    kind = encode(Event("T1", 2, NOON, DAY, "WagersClosed", 1))
    of_last_kind = kind[:-9] + varint(-1) + bytes(8)
    long_winded = dealt(2).replace(b"\x04T1", b"\x84\x00T1")
    produce(kafka_bootstrap, kafka_topic, dealt(1), *foreign, of_last_kind, long_winded, dealt(2))
    done = archive_topic(Options(kafka_bootstrap, kafka_topic, tmp_path, until_end=True))
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
    assert read_columns(TableDayRef(DAY, "T1", tmp_path))["card_card"].to_list() == ["Th", "Th"]


def test_an_aborted_transaction_never_happened(kafka_bootstrap: str, kafka_topic: str, tmp_path: Path) -> None:
    producer = KafkaProducer(bootstrap_servers=kafka_bootstrap, transactional_id=f"t-{uuid.uuid4().hex}")
    producer.init_transactions()
    for card, end in (("9c", producer.abort_transaction), ("Th", producer.commit_transaction)):
        producer.begin_transaction()
        producer.send(kafka_topic, key=b"T1", value=dealt(1, card=card), partition=0)
        producer.flush()
        end()
    producer.close()
    done = archive_topic(Options(kafka_bootstrap, kafka_topic, tmp_path, until_end=True))
    assert (done.events, done.quarantined) == (1, 0)
    assert read_columns(TableDayRef(DAY, "T1", tmp_path))["card_card"].to_list() == ["Th"]


def test_what_waits_behind_a_transaction_under_way_is_not_taken_for_the_end(
    kafka_bootstrap: str, kafka_topic: str, tmp_path: Path
) -> None:
    """Another program's transaction hides what came behind it: the run ended well, sealed, and took none of it."""
    foreign = KafkaProducer(bootstrap_servers=kafka_bootstrap, transactional_id=kafka_topic)
    foreign.init_transactions()
    foreign.begin_transaction()
    foreign.send(kafka_topic, b"no event", partition=0).get(timeout=30)
    produce(kafka_bootstrap, kafka_topic, dealt(1), dealt(2))
    archive = tmp_path / "archive"
    with pytest.raises(KafkaFailed, match="3 messages short of the end"):
        archive_topic(Options(kafka_bootstrap, kafka_topic, archive, until_end=True, timeout_seconds=3))
    assert lag_of(kafka_bootstrap, kafka_topic, {}).snapshot.ends[0] == 3
    foreign.abort_transaction()
    foreign.close()
    done = archive_topic(Options(kafka_bootstrap, kafka_topic, archive, until_end=True))
    assert (done.events, done.quarantined, done.behind) == (2, 0, 0)


def test_following_it_seals_a_closed_table_day_once_it_is_quiet_and_links_what_comes_late(
    kafka_bootstrap: str, kafka_topic: str, tmp_path: Path
) -> None:
    closed = encode(Event("T1", 2, NOON + 2, DAY, "TableClosed", chips=Chips(1000)))
    produce(kafka_bootstrap, kafka_topic, dealt(1), closed, dealt(1, "T2"))
    late = [dealt(3)]

    def stop() -> bool:
        """Send a late event when the first part is sealed, stop when the late one is."""
        parts = [part for part in (0, 1) if PartName(DAY, "T1", part).manifest(tmp_path).exists()]
        if parts == [0] and late:
            produce(kafka_bootstrap, kafka_topic, late.pop())
        return parts == [0, 1]

    done = archive_topic(
        Options(kafka_bootstrap, kafka_topic, tmp_path, quiet_seconds=0.2, stop=stop, now=lambda: NOON / 1e6)
    )
    assert done.sealed == [("T1", DAY), ("T1", DAY)]
    assert [(ref.table_id, ref.gaming_day) for ref in table_days(tmp_path)] == [("T1", DAY)], (
        "T2 was not closed, and its day goes on"
    )
    assert [manifest.count for manifest in read_manifests(TableDayRef(DAY, "T1", tmp_path))] == [2, 1]
    assert archive_topic(Options(kafka_bootstrap, kafka_topic, tmp_path, until_end=True)).sealed == [("T2", DAY)]


def test_started_again_it_still_seals_what_was_closed_before(
    kafka_bootstrap: str, kafka_topic: str, tmp_path: Path
) -> None:
    closed = encode(Event("T1", 2, NOON + 2, DAY, "TableClosed", chips=Chips(1000)))
    produce(kafka_bootstrap, kafka_topic, dealt(1), closed)
    done = Archived()

    def take(now: Archived) -> None:
        done.events, done.sealed = now.events, list(now.sealed)

    archive_topic(Options(kafka_bootstrap, kafka_topic, tmp_path, stop=lambda: done.events == 2, on_progress=take))
    assert done.sealed == []
    archive_topic(
        Options(
            kafka_bootstrap, kafka_topic, tmp_path, quiet_seconds=0.1, stop=lambda: bool(done.sealed), on_progress=take
        )
    )
    assert done.sealed == [("T1", DAY)]


def test_a_topic_that_does_not_exist_is_named(kafka_bootstrap: str, tmp_path: Path) -> None:
    with pytest.raises(KafkaFailed, match="topic nowhere does not exist"):
        archive_topic(Options(kafka_bootstrap, "nowhere", tmp_path, until_end=True))


def test_no_broker_is_one_clear_sentence(tmp_path: Path) -> None:
    with pytest.raises(KafkaFailed, match=r"no connection to Kafka at 127\.0\.0\.1:9: look at host"):
        archive_topic(Options("127.0.0.1:9", "events", tmp_path, until_end=True, timeout_seconds=1))
