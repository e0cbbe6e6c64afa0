"""A leader that moves while a table plays: recorder, topic and archiver go on, and the archive has every event exactly once."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from kafka import KafkaAdminClient, TopicPartition
from kafka.errors import KafkaError

from producers.recorder import Recorder
from producers.topic import Shape, recorders_topic
from replayer.sources.table_days import table_days
from tests.archives import read_events
from tests.conftest import Broker
from tests.producers.following import Topic
from tests.waiting import wait_for

pytestmark = [pytest.mark.kafka, pytest.mark.prove, pytest.mark.timeout(600)]

TABLES = ("T1", "T2", "T3")
PREFERRED = 0


class Pair:
    """Two brokers of one cluster. The first one has the controller."""

    def __init__(self, first: Broker, second: Broker) -> None:
        self.first, self.second = first, second
        self.topic = Topic(f"{first.bootstrap},{second.bootstrap}", f"events-{uuid.uuid4().hex[:8]}")
        self.topic.create(Shape(partitions=2, replication=2, min_in_sync=1))
        with self.admin() as admin:
            admin.create_topics(
                {"__consumer_offsets": {"assignments": {0: [2]}, "configs": {"cleanup.policy": "compact"}}}
            )
        self.partitions = {self.topic.name: [0, 1], recorders_topic(self.topic.name): [0]}
        self.move_to(2, 1)

    @contextmanager
    def admin(self) -> Iterator[KafkaAdminClient]:
        with closing(KafkaAdminClient(bootstrap_servers=self.first.bootstrap)) as admin:
            yield admin

    def leaders(self) -> set[int]:
        """Who leads the partitions of both topics; nobody as long as a broker that is gone is asked."""
        try:
            with self.admin() as admin:
                said = admin.describe_topics(list(self.partitions))
        except KafkaError:
            return set()
        return {partition["leader_id"] for each in said for partition in each["partitions"]}

    def move_to(self, *replicas: int) -> None:
        """As ``kafka-reassign-partitions`` and then ``kafka-leader-election`` do: the first one leads."""
        with self.admin() as admin:
            every = [TopicPartition(name, number) for name, numbers in self.partitions.items() for number in numbers]
            assert not any(admin.alter_partition_reassignments(dict.fromkeys(every, replicas)).values())
            wait_for(lambda: not admin.list_partition_reassignments())
            if self.leaders() != {replicas[0]}:
                admin.elect_leaders(PREFERRED, self.partitions)
        wait_for(lambda: self.leaders() == {replicas[0]})


@pytest.fixture
def pair(kafka_jars: Path, kafka_key: Path, tmp_path: Path) -> Iterator[Pair]:
    with ExitStack() as running:
        brokers: list[Broker] = []
        for name in ("first", "second"):
            (tmp_path / name).mkdir()
            broker = Broker(kafka_jars, kafka_key, tmp_path / name, brokers[0] if brokers else None)
            broker.start()
            running.callback(broker.stop)
            brokers.append(broker)
        yield Pair(*brokers)


class Playing(Thread):
    """Tables that play until they are told to end, each event acknowledged by the spool before the next."""

    def __init__(self, pair: Pair, spool: Path) -> None:
        super().__init__()
        self.sink = pair.topic.sink(spool)
        self.slowest = 0.0
        self.error: BaseException | None = None
        self._over = Event()
        self._recorders = {table: Recorder(self.sink, table) for table in TABLES}

    def run(self) -> None:
        try:
            while not self._over.is_set():
                began = time.monotonic()
                for recorder in self._recorders.values():
                    recorder.record("WagersClosed", round=1)
                    recorder.flush()
                self.slowest = max(self.slowest, time.monotonic() - began)
                time.sleep(0.02)
        except BaseException as error:
            self.error = error

    def __enter__(self) -> Playing:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join()
        if self.error is None:
            self.sink.drain(120)
        self.sink.close()
        if self.error is not None:
            raise self.error

    def recorded(self) -> dict[str, int]:
        return {table: recorder.last_seq for table, recorder in self._recorders.items()}


def kill_the_leader(pair: Pair) -> None:
    """It is also the only one that has the offsets of the archiver's group."""
    pair.second.stop()
    wait_for(lambda: pair.leaders() == {1})
    pair.second.start()


def hang_the_leader(pair: Pair) -> None:
    """It answers nobody, another one leads, and then it is back and believes that it leads still."""
    with pair.second.hanging():
        wait_for(lambda: pair.leaders() == {1})


def move_by_tools(pair: Pair) -> None:
    for replicas in ((1, 2), (2, 1), (1,), (2,), (2, 1), (1, 2)):
        pair.move_to(*replicas)


@pytest.mark.parametrize("move", [kill_the_leader, hang_the_leader, move_by_tools])
def test_a_leader_that_moves_while_tables_play_costs_no_event_and_doubles_none(
    pair: Pair, tmp_path: Path, move: Callable[[Pair], None]
) -> None:
    archive = tmp_path / "archive"
    with pair.topic.following(archive) as archiver:
        with Playing(pair, tmp_path / "spool") as playing:
            wait_for(lambda: archiver.done.events > 100)
            move(pair)
            recorded = playing.recorded()
            wait_for(lambda: archiver.done.events > sum(recorded.values()))
        recorded = playing.recorded()
        wait_for(lambda: archiver.done.events == sum(recorded.values()))
    done = pair.topic.archive(archive)
    assert (done.events, done.quarantined, done.lost, done.behind) == (0, 0, [], 0)
    taken: dict[str, list[int]] = {}
    for ref in table_days(archive):
        taken.setdefault(ref.table_id, []).extend(event.seq for event in read_events(ref))
    assert taken == {table: list(range(1, last + 1)) for table, last in recorded.items()}
    assert playing.slowest < 5, "a table waits for no broker"
