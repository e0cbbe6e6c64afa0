"""When a table-day is sealed: by its closing, or when its day is over and it was quiet for long enough, whatever restarts."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from typing import Any

import pytest

from flows.unsealed import under_way
from producers.archiver import Options
from producers.archiver.sealing import Sealing
from producers.sinks.archive import ArchiveSink
from replayer.sources.layout import PartName
from replayer.sources.manifests import read_manifests
from replayer.sources.table_days import TableDayRef
from schemas.codec import encode
from schemas.event import CardAt, Chips, Event, Table
from tests.producers.dealing import DAY, NOON, seqs
from tests.producers.following import Topic
from tests.waiting import wait_for

T1 = ("T1", DAY)
DURING = NOON / 1e6
AFTER = DURING + 86_400


def event(seq: int, kind: str = "CardDealt", table_id: str = "T1") -> bytes:
    body: dict[str, Any] = {
        "CardDealt": {"card": CardAt(1, 0, "Th", "up")},
        "TableClosed": {"chips": Chips(1000)},
        "TableOpened": {"table": Table("black_jack", "MOP", 7), "chips": Chips(1000)},
        "DropCounted": {"chips": Chips(1000)},
    }[kind]
    return encode(Event(table_id, seq, NOON + seq, DAY, kind, 1 if kind == "CardDealt" else None, **body))


class Clock:
    """Two clocks that a test turns."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.wall = AFTER

    def pass_(self, seconds: float) -> None:
        self.seconds += seconds
        self.wall += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


class Service:
    """Decides as a process that has just been started; the one before it is gone."""

    def __init__(self, archive: Path, clock: Clock) -> None:
        self._archive = archive
        self._clock = clock
        self._sink = ArchiveSink(archive)

    def start(self) -> Sealing:
        self._sink.close()
        self._sink = ArchiveSink(self._archive)
        clock = self._clock
        options = Options("", "events", self._archive, monotonic=lambda: clock.seconds, now=lambda: clock.wall)
        return Sealing(self._sink, options)


@pytest.fixture
def service(tmp_path: Path, clock: Clock) -> Service:
    return Service(tmp_path, clock)


def journal(archive: Path, *messages: bytes, at: float) -> Path:
    """A table-day under way of which the last event came at a moment of the machine's clock."""
    sink = ArchiveSink(archive)
    for number, message in enumerate(messages, 1):
        sink.append("T1", DAY, number, message)
    sink.flush()
    sink.close()
    path = PartName(DAY, "T1").journal(archive)
    os.utime(path, (at, at))
    return path


def test_quiet_survives_a_restart(service: Service, tmp_path: Path, clock: Clock) -> None:
    journal(tmp_path, event(1), at=AFTER - 600)
    assert not service.start().is_ready(T1, clock.seconds)
    clock.pass_(299)
    assert not service.start().is_ready(T1, clock.seconds)
    clock.pass_(2)
    assert service.start().is_ready(T1, clock.seconds), "started a moment ago, and quiet for 901 seconds"


def test_a_clock_that_is_set_back_seals_nothing_early(service: Service, tmp_path: Path, clock: Clock) -> None:
    journal(tmp_path, event(1), at=AFTER)
    clock.wall = AFTER - 3_600
    started = service.start()
    assert not started.is_ready(T1, clock.seconds)
    clock.seconds += 899
    assert not started.is_ready(T1, clock.seconds)
    clock.seconds += 2
    assert started.is_ready(T1, clock.seconds)
    clock.wall = DURING
    assert not started.is_ready(T1, clock.seconds), "by this clock the gaming day is not over"


def test_a_day_that_is_not_over_is_not_sealed_however_quiet(service: Service, tmp_path: Path, clock: Clock) -> None:
    clock.wall = DURING
    journal(tmp_path, event(1), at=DURING - 50_000)
    assert not service.start().is_ready(T1, clock.seconds)


def test_a_closing_seals_within_a_minute_also_while_the_day_goes_on(
    service: Service, tmp_path: Path, clock: Clock
) -> None:
    clock.wall = DURING
    journal(tmp_path, event(1), event(2, "TableClosed"), at=DURING)
    started = service.start()
    clock.pass_(59)
    assert not started.is_ready(T1, clock.seconds), "a count of the drop may come a moment behind the closing"
    clock.pass_(2)
    assert started.is_ready(T1, clock.seconds)


def test_a_table_that_is_opened_again_is_not_closed(service: Service, clock: Clock) -> None:
    clock.wall = DURING
    started = service.start()
    started.note_event(T1, "TableClosed")
    started.note_event(T1, "TableOpened")
    clock.pass_(10_000)
    assert not started.is_ready(T1, clock.seconds)


def test_a_topic_that_cannot_be_read_is_not_quiet(service: Service, tmp_path: Path, clock: Clock) -> None:
    journal(tmp_path, event(1), at=AFTER)
    started = service.start()
    started.is_ready(T1, clock.seconds)
    last_look = 100.0
    clock.pass_(5_000)
    assert not started.is_ready(T1, last_look), "what came since the last look is not known"
    started.note_reconnect()
    assert not started.is_ready(T1, clock.seconds), "the tables have kept what they could not send"
    clock.pass_(901)
    assert started.is_ready(T1, clock.seconds)


def test_started_behind_a_backlog_nothing_is_sealed_before_it_is_read(topic: Topic, tmp_path: Path) -> None:
    """The archiver was down for hours: what it has is old, and the rest of the table-day waits in the topic."""
    topic.produce(event(1))
    with topic.following(tmp_path) as archiver:
        wait_for(lambda: archiver.done.events == 1)
    os.utime(PartName(DAY, "T1").journal(tmp_path), (0, 0))
    topic.produce(*(event(number) for number in range(2, 2000)))
    with topic.following(tmp_path, quiet_seconds=0.5) as archiver:
        wait_for(lambda: archiver.done.sealed)
    assert [part.count for part in read_manifests(TableDayRef(DAY, "T1", tmp_path))] == [1999]


def test_a_day_that_is_over_without_a_closing_is_sealed_once_it_is_quiet(topic: Topic, tmp_path: Path) -> None:
    topic.produce(event(1))
    with topic.following(tmp_path, quiet_seconds=0.5, now=lambda: DURING) as archiver:
        wait_for(lambda: archiver.done.events == 1)
        [waiting] = under_way(tmp_path)
        assert (waiting.table_id, waiting.gaming_day, waiting.events) == ("T1", DAY, 1)
        assert waiting.last_at == dt.datetime.fromtimestamp((NOON + 1) / 1e6, dt.UTC)
    assert archiver.done.sealed == []
    with topic.following(tmp_path, quiet_seconds=0.5, now=lambda: AFTER) as archiver:
        wait_for(lambda: archiver.done.sealed == [T1])
    assert under_way(tmp_path) == []


def test_what_comes_late_through_kafka_is_the_late_part_that_the_recorder_writes(topic: Topic, tmp_path: Path) -> None:
    first = [event(1, "TableOpened"), event(2), event(3, "TableClosed")]
    late = [event(4, "DropCounted"), event(5)]
    straight, through = ArchiveSink(tmp_path / "straight"), tmp_path / "through"
    for numbers, messages in ((range(1, 4), first), (range(4, 6), late)):
        for number, message in zip(numbers, messages, strict=True):
            straight.append("T1", DAY, number, message)
        straight.seal("T1", DAY)
        topic.produce(*messages, messages[0])
        done = topic.archive(through)
        assert (done.sealed, done.duplicates) == ([T1], 1)
    straight.close()
    files = [
        {path.name: path.read_bytes() for path in (tmp_path / name / str(DAY)).iterdir()}
        for name in ("straight", "through")
    ]
    assert files[0].keys() == {"T1.avro", "T1.json", "T1.late-1.avro", "T1.late-1.json"}
    assert files[0] == files[1]
    assert seqs(through) == [1, 2, 3, 4, 5]
