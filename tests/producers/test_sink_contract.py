"""One contract for every sink: what it takes in order, what it acknowledges, where it continues."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import pytest

from producers.recorder import Recorder
from producers.sinks import NotDurable, SequenceConflict, Sink
from producers.sinks.archive import ArchiveSink
from producers.sinks.kafka import KafkaSink
from producers.sinks.memory import MemorySink
from replayer.sources.layout import TableIdRefused
from replayer.sources.table_days import TableDayRef
from schemas.codec import decode, encode
from schemas.event import CardAt, Event
from tests.archives import read_events
from tests.producers.dealing import DAY, NOON
from tests.producers.following import Topic


@dataclass
class Adapter:
    """A way to open the same sink again, and to read what it made durable of a table."""

    open: Callable[[], Sink]
    read: Callable[[Sink, str], list[Event]]


def _read_archive(sink: Sink, table_id: str) -> list[Event]:
    assert isinstance(sink, ArchiveSink)
    sink.seal(table_id, DAY)
    return list(read_events(TableDayRef(DAY, table_id, sink.archive)))


def _read_topic(sink: Sink, topic: Topic, table_id: str) -> list[Event]:
    assert isinstance(sink, KafkaSink)
    sink.drain(30)
    events = [decode(record.value) for record in topic.records()]
    return [event for event in events if event.table_id == table_id]


@pytest.fixture(params=["memory", "archive", pytest.param("kafka", marks=pytest.mark.kafka)])
def adapter(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Adapter]:
    opened: list[Sink] = []

    def keep(sink: Sink) -> Sink:
        opened.append(sink)
        return sink

    match request.param:
        case "memory":
            only = MemorySink()
            yield Adapter(lambda: only, lambda _, table_id: [decode(m) for m in only.messages(table_id)])
        case "archive":
            yield Adapter(lambda: keep(ArchiveSink(tmp_path)), _read_archive)
        case _:
            topic: Topic = request.getfixturevalue("topic")
            yield Adapter(lambda: keep(topic.sink(tmp_path)), lambda sink, table: _read_topic(sink, topic, table))
    for sink in opened:
        sink.close()


def deal(recorder: Recorder, count: int) -> list[Event]:
    return [recorder.record("CardDealt", round=1, at=NOON + i, card=CardAt(1, 0, "Th", "up")) for i in range(count)]


def test_what_was_flushed_is_read_back_whole_and_in_order(adapter: Adapter) -> None:
    sink = adapter.open()
    recorder = Recorder(sink, "T1")
    events = deal(recorder, 100)
    assert recorder.flush() == 100
    assert adapter.read(sink, "T1") == events


def test_nothing_is_acknowledged_before_the_first_flush(adapter: Adapter) -> None:
    sink = adapter.open()
    assert sink.flush() == {}
    recorder = Recorder(sink, "T1")
    assert recorder.flush() == 0
    deal(recorder, 3)
    assert sink.flush() == {"T1": 3}


def test_a_new_recorder_continues_the_sequence(adapter: Adapter) -> None:
    sink = adapter.open()
    first = Recorder(sink, "T1")
    deal(first, 3)
    first.flush()
    sink.close()
    sink = adapter.open()
    again = Recorder(sink, "T1")
    assert again.last_seq == 3
    assert [event.seq for event in deal(again, 2)] == [4, 5]
    assert again.flush() == 5
    assert [event.seq for event in adapter.read(sink, "T1")] == [1, 2, 3, 4, 5]


def test_several_tables_share_a_sink_and_each_has_its_own_sequence(adapter: Adapter) -> None:
    sink = adapter.open()
    one, two = Recorder(sink, "T1"), Recorder(sink, "T2")
    expected_one, expected_two = [], []
    for _ in range(5):
        expected_one += deal(one, 2)
        expected_two += deal(two, 1)
    assert sink.flush() == {"T1": 10, "T2": 5}
    assert adapter.read(sink, "T1") == expected_one
    assert adapter.read(sink, "T2") == expected_two


def test_threads_share_a_sink_and_a_recorder_and_nothing_acknowledged_is_lost(adapter: Adapter) -> None:
    """What one thread recorded while another flushed was acknowledged and not written, or tables stood as damaged."""
    sink = adapter.open()
    shared = Recorder(sink, "T0")

    def play(table_id: str) -> tuple[list[Event], list[Event]]:
        own = Recorder(sink, table_id)
        mine, ours = [], []
        for _ in range(15):
            mine += deal(own, 3)
            ours += deal(shared, 1)
            assert own.flush() == own.last_seq
        return mine, ours

    tables = ["T1", "T2", "T3", "T4"]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(len(tables)) as threads:
            played = dict(zip(tables, threads.map(play, tables), strict=True))
    finally:
        sys.setswitchinterval(before)
    assert shared.flush() == 60
    for table_id, (mine, _) in played.items():
        assert adapter.read(sink, table_id) == mine
    assert adapter.read(sink, "T0") == sorted(
        chain(*(ours for _, ours in played.values())), key=lambda event: event.seq
    )


def test_another_event_under_a_used_number_is_a_conflict_and_the_first_stays(adapter: Adapter) -> None:
    sink = adapter.open()
    recorder = Recorder(sink, "T1")
    events = deal(recorder, 2)
    other = encode(replace(events[0], at=NOON + 99))
    for _ in range(2):  # before and after the flush
        with pytest.raises(SequenceConflict):
            sink.append("T1", DAY, 1, other)
        recorder.flush()
    assert adapter.read(sink, "T1") == events


def test_sealing_flushes(adapter: Adapter) -> None:
    sink = adapter.open()
    events = deal(Recorder(sink, "T1"), 4)
    sink.seal("T1", DAY)
    assert sink.flush() == {"T1": 4}
    assert adapter.read(sink, "T1") == events


def test_a_sink_that_was_closed_takes_nothing_any_more(adapter: Adapter) -> None:
    """It took the table again, so that nobody else could record it, and nothing was left to let go of it."""
    sink = adapter.open()
    if isinstance(sink, MemorySink):
        pytest.skip("whose events are there for nobody else")
    recorder = Recorder(sink, "T1")
    deal(recorder, 2)
    recorder.flush()
    sink.close()
    for act in (lambda: deal(recorder, 1), lambda: Recorder(sink, "T1")):
        with pytest.raises(NotDurable, match="the sink was closed"):
            act()
    assert Recorder(adapter.open(), "T1").last_seq == 2


def test_a_flush_after_the_sink_was_closed_acknowledges_nothing_that_was_dropped(adapter: Adapter) -> None:
    """It returned 0 as if nothing had been recorded."""
    sink = adapter.open()
    recorder = Recorder(sink, "T1")
    deal(recorder, 1)
    recorder.flush()
    deal(recorder, 2)
    sink.close()
    with pytest.raises(NotDurable, match="T1: the sink was closed; what it had acknowledged is safe"):
        recorder.flush()


def test_a_table_that_cannot_be_written_keeps_no_other_from_the_disk(adapter: Adapter, tmp_path: Path) -> None:
    """Those behind it in the order of their names were never acknowledged again."""
    sink = adapter.open()
    if isinstance(sink, MemorySink):
        pytest.skip("which has no file of its own")
    damaged, other = Recorder(sink, "T1"), Recorder(sink, "T2")
    deal(damaged, 1)
    deal(other, 1)
    sink.flush()
    (file,) = [*tmp_path.rglob("T1.journal"), *tmp_path.rglob("T1/0*")]
    file.write_bytes(file.read_bytes() + b"x")
    deal(damaged, 1)
    deal(other, 1)
    with pytest.raises(NotDurable, match=rf"{file}, byte"):
        other.flush()
    sink.close()
    sink = adapter.open()
    assert Recorder(sink, "T2").last_seq == 2


def test_of_two_recorders_of_a_table_on_one_sink_the_one_behind_is_refused(adapter: Adapter) -> None:
    """`record` did not say so."""
    sink = adapter.open()
    one, two = Recorder(sink, "T1"), Recorder(sink, "T1")
    deal(one, 2)
    with pytest.raises(SequenceConflict):
        two.record("WagersClosed", round=1, at=NOON)
    assert "SequenceConflict" in (Recorder.record.__doc__ or "")
    assert Recorder(sink, "T1").record("WagersClosed", round=1, at=NOON).seq == 3


@pytest.mark.parametrize("table_id", ["", "../T1", "T 1", "T1.late-1", ".T1", "T/1", "T" * 65, "TÁ", "2009-06-01"])
def test_a_table_id_that_could_not_stand_in_a_path_is_refused(adapter: Adapter, table_id: str) -> None:
    sink = adapter.open()
    with pytest.raises(TableIdRefused):
        Recorder(sink, table_id)
    with pytest.raises(TableIdRefused):
        sink.append(table_id, DAY, 1, b"")
