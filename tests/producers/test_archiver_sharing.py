"""Several archivers share the partitions of one topic into one archive, and a topic may grow while it is read."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kafka import KafkaAdminClient

from producers.archiver import Options, archive_topic
from producers.archiver.place import places
from producers.archiver.sharing import Sharing
from producers.topic import Shape, create
from replayer.sources.archive import TableDayRef, read_columns
from tests.commands import PITAUDIT
from tests.producers.dealing import DAY
from tests.producers.following import Following, dealt, produce
from tests.waiting import wait_for

TABLES = [f"T{number}" for number in range(4)]


@contextmanager
def service(bootstrap: str, topic: str, archive: Path) -> Iterator[subprocess.Popen[bytes]]:
    """``pitaudit archive``, as a service manager starts it."""
    command = [PITAUDIT, "archive", "--kafka", bootstrap, "--topic", topic, "--archive", archive]
    running = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        yield running
    finally:
        if running.poll() is None:
            running.terminate()
            assert running.wait(120) == 0


def readers(archive: Path, topic: str) -> set[int]:
    """The processes that read a partition of a topic."""
    folder = archive / ".journal" / "offsets" / topic
    return {int(file.read_text().strip() or 0) for file in folder.glob("*.lock")}


def test_two_archivers_share_a_topic_and_one_that_is_killed_is_replaced_within_seconds(
    kafka_bootstrap: str, tmp_path: Path
) -> None:
    topic = f"events-{uuid.uuid4().hex[:8]}"
    create(kafka_bootstrap, topic, Shape(partitions=4, replication=1, min_in_sync=1))

    def record(numbers: range) -> None:
        for partition, table in enumerate(TABLES):
            produce(kafka_bootstrap, topic, *(dealt(number, table) for number in numbers), partition=partition)

    with service(kafka_bootstrap, topic, tmp_path) as one, service(kafka_bootstrap, topic, tmp_path) as two:
        wait_for(lambda: readers(tmp_path, topic) == {one.pid, two.pid})
        record(range(1, 20))
        wait_for(lambda: [place.next for place in places(tmp_path, topic)] == [19] * 4)
        os.kill(one.pid, signal.SIGKILL)
        one.wait()
        record(range(20, 40))
        wait_for(lambda: [place.next for place in places(tmp_path, topic)] == [39] * 4)
        assert readers(tmp_path, topic) == {two.pid}
    done = archive_topic(Options(kafka_bootstrap, topic, tmp_path, until_end=True))
    assert (done.events, len(done.sealed)) == (0, 4)
    for table in TABLES:
        assert read_columns(TableDayRef(DAY, table, tmp_path))["seq"].to_list() == list(range(1, 40))


def test_a_partition_that_is_new_is_read(kafka_bootstrap: str, kafka_topic: str, tmp_path: Path) -> None:
    """A table whose events come by another partition from then on goes on as well."""
    produce(kafka_bootstrap, kafka_topic, dealt(1))
    with Following(kafka_bootstrap, kafka_topic, tmp_path) as archiver:
        wait_for(lambda: archiver.done.events == 1)
        admin = KafkaAdminClient(bootstrap_servers=kafka_bootstrap)
        admin.create_partitions({kafka_topic: 5})
        admin.close()
        produce(kafka_bootstrap, kafka_topic, dealt(2), dealt(1, "T2"), partition=4)
        wait_for(lambda: archiver.done.events == 3)
    assert archiver.done.lost == []
    assert [place.partition for place in places(tmp_path, kafka_topic)] == [0, 1, 2, 3, 4]


def test_a_partition_is_given_up_with_its_tables_when_another_archiver_comes(
    kafka_bootstrap: str, kafka_topic: str, tmp_path: Path
) -> None:
    for partition, table in enumerate(TABLES[:3]):
        produce(kafka_bootstrap, kafka_topic, dealt(1, table), partition=partition)
    with Following(kafka_bootstrap, kafka_topic, tmp_path) as one:
        wait_for(lambda: one.done.events == 3)
        with Following(kafka_bootstrap, kafka_topic, tmp_path) as two:
            wait_for(lambda: two.done.offsets)
            for partition, table in enumerate(TABLES[:3]):
                produce(kafka_bootstrap, kafka_topic, dealt(2, table), partition=partition)
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


def test_brokers_topic_group_and_archive_come_from_the_settings(
    kafka_bootstrap: str, kafka_topic: str, tmp_path: Path
) -> None:
    produce(kafka_bootstrap, kafka_topic, dealt(1))
    (tmp_path / "pitaudit.toml").write_text(
        'archive = "kept"\n'
        f'[kafka]\nbootstrap_servers = "{kafka_bootstrap}"\ntopic = "{kafka_topic}"\ngroup = "g-{kafka_topic}"\n'
    )
    ordered = [PITAUDIT, "archive", "--until-end", "--json"]
    done = subprocess.run(ordered, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["events"] == 1
    assert (tmp_path / "kept" / str(DAY) / "T1.avro").exists()
    admin = KafkaAdminClient(bootstrap_servers=kafka_bootstrap)
    [group] = admin.list_group_offsets(f"g-{kafka_topic}").values()
    admin.close()
    assert {at.partition: held.offset for at, held in group.items()}[0] == 1
