"""The thread that sends: claims, connection and topic change between any two of its steps, for which no broker can be asked."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows.cli import main
from producers.claims import Claim, Owners, RecorderRefused
from producers.kafka_client import KafkaFailed
from producers.link import LastEvent, Target
from producers.recorder import Recorder
from producers.sinks import NotDurable
from producers.sinks.kafka import Fill, KafkaSink
from producers.spool import SpoolClaims, TableSpool, spool_id
from schemas.codec import decode
from tests.producers.test_kafka_sink import close_bets, record
from tests.waiting import wait_for


class Cluster:
    """A topic, its claims, and what its connections were asked for. ``before`` is called with the name of each step."""

    def __init__(self) -> None:
        self.claims: list[Claim] = []
        self.events: list[tuple[str, str, int]] = []  # recorder, table, seq
        self.messages: dict[int, bytes] = {}
        self.looked_up: list[int | None] = []
        self.made = self.closed = self.reads = 0
        self.before: Callable[[str], object] = lambda _: None

    def seqs(self, table_id: str = "T1") -> list[int]:
        return [seq for _, table, seq in self.events if table == table_id]

    def rival(self, number: int) -> None:
        """Another recorder takes T1 over."""
        self.claims.append(Claim("T1", number, "rival", 1, takes_over=True))


class MemoryLink:
    """A connection to a cluster, as :class:`producers.link.Link`."""

    def __init__(self, cluster: Cluster, target: Target) -> None:
        self.owners = Owners()
        self._cluster, self._target, self._next = cluster, target, 0
        cluster.before("connect")
        cluster.made += 1

    def read_claims(self) -> None:
        self._cluster.reads += 1
        self._cluster.before("read")
        for claim in self._cluster.claims[self._next :]:
            self.owners.add(claim)
        self._next = len(self._cluster.claims)

    def claim(self, claim: Claim) -> None:
        self._cluster.before("claim")
        self._cluster.claims.append(claim)
        self.read_claims()

    def last_event(self, table_id: str, back_to: int | None) -> LastEvent:
        cluster, own = self._cluster, self._target.recorder
        cluster.looked_up.append(back_to)
        if not (seqs := cluster.seqs(table_id)):
            return LastEvent(0, "", 0)
        recorder = next(who for who, table, seq in cluster.events if (table, seq) == (table_id, max(seqs)))
        mine = frozenset((seq, cluster.messages.get(seq, b"")) for who, _, seq in cluster.events if who == own)
        return LastEvent(max(seqs), recorder, 1, mine)

    def is_cut(self) -> bool:
        return True

    def send(self, events: Iterable[tuple[str, int, bytes]]) -> None:
        self._cluster.before("send")
        for table_id, _, message in events:
            seq = decode(message).seq
            self._cluster.events.append((self._target.recorder, table_id, seq))
            self._cluster.messages[seq] = message

    def close(self) -> None:
        self._cluster.closed += 1


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    made = Cluster()
    monkeypatch.setattr("producers.sender.Link", lambda target: MemoryLink(made, target))
    monkeypatch.setattr("producers.sender._RETRY_SECONDS", (0.01,))
    monkeypatch.setattr("producers.sender._IDLE_SECONDS", 0.05)
    monkeypatch.setattr("producers.sender._MARGIN_MS", 0)
    yield made
    made.before = lambda _: None


def sink_in(spool: Path, **options: Any) -> KafkaSink:
    return KafkaSink("127.0.0.1:9", "events", spool, **options)


def failing(step: str, error: Exception) -> Callable[[str], None]:
    def before(now: str) -> None:
        if now == step:
            raise error

    return before


def logged(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    """What the sender logged, without what connections of other tests log as they end."""
    return [each for each in caplog.records if each.name == "producers.sender"]


def test_a_connection_that_fails_is_closed_and_on_the_next_one_what_waits_is_looked_up_first(
    cluster: Cluster, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    noted: list[str] = []
    with closing(sink_in(tmp_path, on_trouble=noted.append)) as sink:
        assert not sink.fill.connected
        recorder = record(sink, 3)
        sink.drain(5)
        assert (cluster.made, cluster.closed, sink.fill.connected) == (1, 0, True)
        noted.clear()
        cluster.before = failing("send", KafkaFailed("nobody answers"))
        close_bets(recorder, 2)
        recorder.flush()
        wait_for(lambda: sink.fill.last_error == "nobody answers" and not sink.fill.connected)
        cluster.before = lambda _: None
        sink.drain(5)
        assert cluster.looked_up[-1] == 4
        assert cluster.seqs() == [1, 2, 3, 4, 5]
        assert noted == [], "an outage is in fill, and a topic that was cut has the events of this table"
        assert not logged(caplog)
    assert cluster.closed == cluster.made > 1


def test_an_error_of_the_program_is_logged_with_where_it_was_and_sending_goes_on(
    cluster: Cluster, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(sink_in(tmp_path)) as sink:
        recorder = Recorder(sink, "T1")
        cluster.before = failing("send", ZeroDivisionError("odd"))
        close_bets(recorder)
        recorder.flush()
        wait_for(lambda: sink.fill.last_error == "odd")
        cluster.before = lambda _: None
        sink.drain(5)
    said = logged(caplog)[0]
    assert said.exc_info and said.getMessage() == f"spool {tmp_path}: the connection is made anew"


def test_what_is_recorded_is_sent_at_once_and_an_idle_recorder_asks_seldom(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("producers.sender._IDLE_SECONDS", 60.0)
    with closing(sink_in(tmp_path)) as sink:
        for table in ("T1", "T2", "T1"):
            record(sink, 1, table)
            wait_for(lambda: not sink.fill.events, 10)
            asked = cluster.reads
            time.sleep(0.05)
        assert cluster.reads <= asked + 4
        cluster.before = lambda _: time.sleep(0.1)
        record(sink, 1)
    assert f"spool {tmp_path}" not in [thread.name for thread in threading.enumerate()]


def test_however_many_tables_share_a_batch_each_has_an_event_in_it(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("producers.sender.SENT_AT_ONCE", 1)
    monkeypatch.setattr("producers.sender._IDLE_SECONDS", 60.0)  # which is waited for behind the last batch alone
    with closing(sink_in(tmp_path)) as sink:
        for table in ("T1", "T2"):
            record(sink, 2, table)
        sink.drain(5)
    assert cluster.seqs("T1") == cluster.seqs("T2") == [1, 2]


def test_a_table_that_is_taken_over_while_its_events_are_read_from_the_spool_sends_none_of_them(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_unsent = TableSpool.unsent

    def unsent(spool: TableSpool, *most: int) -> Any:
        found = read_unsent(spool, *most)
        if found and len(cluster.claims) == 1:
            cluster.rival(2)
        return found

    with closing(sink_in(tmp_path)) as sink:
        recorder = Recorder(sink, "T1")
        wait_for(lambda: cluster.claims)
        monkeypatch.setattr(TableSpool, "unsent", unsent)
        close_bets(recorder)
        with pytest.raises(RecorderRefused, match=r"was taken over by the recorder of spool rival .*keeps 1 event"):
            recorder.flush()  # on a busy machine the thread is faster
            sink.drain(5)
    assert cluster.seqs() == []


def test_claims_that_take_too_long_to_be_read_are_not_relied_on(cluster: Cluster, tmp_path: Path) -> None:
    with closing(sink_in(tmp_path, delivery_ms=100)) as sink:
        recorder = Recorder(sink, "T1")
        cluster.before = lambda step: time.sleep(0.06) if step == "read" else None
        began = cluster.reads
        close_bets(recorder)
        recorder.flush()
        wait_for(lambda: cluster.reads > began + 4)
        assert cluster.seqs() == []
        cluster.before = lambda _: None
        sink.drain(5)
    assert cluster.seqs() == [1]


def test_who_loses_a_table_to_another_at_each_try_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    cluster.before = lambda step: cluster.rival(10 * len(cluster.claims) + 10) if step == "claim" else None
    with closing(sink_in(tmp_path, take_over=True)) as sink, pytest.raises(RecorderRefused) as told:
        Recorder(sink, "T1")
    assert "is recorded by the recorder of spool rival" in str(told.value)
    assert "keeps" not in str(told.value), "no event waits"


def test_a_copy_of_the_spool_that_recorded_during_an_outage_is_found_on_the_next_connection(
    cluster: Cluster, tmp_path: Path
) -> None:
    with closing(sink_in(tmp_path)) as sink:
        record(sink, 3)
        sink.drain(5)
        cluster.before = failing("read", KafkaFailed("nobody answers"))
        wait_for(lambda: not sink.fill.connected)
        who = cluster.events[0][0]
        cluster.events += [(who, "T1", 4), (who, "T1", 5)]
        cluster.before = lambda _: None
        wait_for(lambda: "up to seq 5 through this spool, which ends with 3: " in sink.fill.last_error)


def test_who_drains_a_spool_into_another_topic_than_its_recorders_is_told(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last events of a table were in no archive, and the command said that all was well."""
    with closing(sink_in(tmp_path)) as sink:
        record(sink, 2)
        sink.drain(5)
        cluster.before = failing("read", KafkaFailed("nobody answers"))
        record(sink, 1)
    cluster.before, cluster.claims, cluster.events = lambda _: None, [], []
    assert main(["spool", "drain", str(tmp_path), "--kafka", "127.0.0.1:9"]) == 1
    assert "has table T1 up to seq 0 only and acknowledged 2" in capsys.readouterr().err
    assert cluster.seqs() == [3]


def test_a_spool_that_lost_a_tables_folder_goes_on_behind_what_the_topic_has_of_it(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("producers.sinks.kafka._PATIENCE_SECONDS", 0.0)  # that of a table whose numbers are known
    with closing(sink_in(tmp_path)) as sink:
        record(sink, 2)
        sink.drain(5)
    shutil.rmtree(tmp_path / "T1")
    cluster.claims.clear()
    cluster.before = lambda _: time.sleep(0.1)
    with closing(sink_in(tmp_path)) as sink:
        assert record(sink, 1).last_seq == 3
        sink.drain(5)
    assert cluster.seqs() == [1, 2, 3]


@pytest.mark.parametrize("lost", ["", "sent.json", "claim.json"])
def test_a_table_that_was_opened_once_needs_no_broker_unless_its_spool_lost_what_it_knew(
    cluster: Cluster, tmp_path: Path, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sink_in(tmp_path)) as sink:
        Recorder(sink, "T1")
        Recorder(sink, "T2")
    with closing(sink_in(tmp_path)) as sink:
        assert sink.resume() == [], "nothing waits"
    cluster.before = failing("connect", KafkaFailed("nobody answers"))
    if lost:
        (tmp_path / "T1" / lost).unlink()
        monkeypatch.setattr("producers.sinks.kafka._PATIENCE_SECONDS", 0.0)
        with closing(sink_in(tmp_path)) as sink, pytest.raises(KafkaFailed, match="nobody answers"):
            Recorder(sink, "T1")
        return
    with closing(sink_in(tmp_path)) as sink:
        record(sink, 1)
        cluster.before = lambda step: time.sleep(1) if step == "connect" else None
        began = time.monotonic()
        Recorder(sink, "T2")
        assert time.monotonic() - began < 1, "nobody waits at each table for a broker that is gone"
        assert sink.resume() == ["T1", "T2"]


def test_who_was_refused_a_table_holds_nothing_of_it_and_may_ask_again(cluster: Cluster, tmp_path: Path) -> None:
    cluster.rival(1)
    with closing(sink_in(tmp_path)) as sink:
        with pytest.raises(RecorderRefused):
            Recorder(sink, "T1")
        TableSpool(tmp_path, "T1").close()
        cluster.claims.append(replace(cluster.claims[0], number=2, recorder=spool_id(tmp_path), session="ours"))
        with closing(TableSpool(tmp_path, "T1")) as spool:
            spool.keep_claim(SpoolClaims(2, ("ours",)))
        assert record(sink, 1).last_seq == 1


def test_an_event_that_was_added_before_the_table_was_taken_over_is_not_acknowledged_without_a_word(
    cluster: Cluster, tmp_path: Path
) -> None:
    with closing(sink_in(tmp_path)) as sink:
        recorder = Recorder(sink, "T1")
        sink.drain(0)
        close_bets(recorder)
        cluster.rival(2)
        wait_for(lambda: "was taken over" in sink.fill.last_error)
        sink.drain(0)  # nothing that was flushed waits
        with pytest.raises(RecorderRefused, match="was taken over"):
            recorder.flush()


def test_how_full_a_spool_is_is_told_at_each_flush_from_its_warning_on_and_once_when_it_is_over(
    cluster: Cluster, tmp_path: Path
) -> None:
    told: list[Fill] = []
    with closing(sink_in(tmp_path, limit_bytes=6_000, on_fill=told.append)) as sink:
        recorders = [Recorder(sink, table) for table in ("T2", "T1")]
        cluster.before = failing("send", KafkaFailed("nobody answers"))
        numbers, near = list[int](), list[bool]()
        while len(told) < 2:
            recorder = recorders[len(numbers) > 3]
            recorder.record("WagersClosed", round=1, at=len(numbers) + 1)
            recorder.flush()
            numbers.append(len(told))
            near.append(sink.fill.share >= 0.8)
        assert numbers[-2:] == [1, 2] and near == [number > 0 for number in numbers]
        assert told[0].oldest_at == 1 and told[0].events == len(numbers) - 1
        cluster.before = lambda _: None
        sink.drain(5)
        for _ in range(2):
            recorders[0].flush()
            sink.flush()
        assert len(told) == 3 and told[2].share == 0


def test_a_sink_that_was_closed_opens_no_table_and_holds_none(cluster: Cluster, tmp_path: Path) -> None:
    sink = sink_in(tmp_path)
    sink.close()
    with pytest.raises(NotDurable, match=r"table T1 of .*: the sink was closed; make another one to record"):
        Recorder(sink, "T1")
    TableSpool(tmp_path, "T1").close()
    assert not cluster.made
    sink = sink_in(tmp_path)
    table = record(sink, 1)
    sink.close()
    with pytest.raises(NotDurable, match="the sink was closed"):
        close_bets(table, 2)


def test_a_table_that_was_taken_over_is_settled_once_its_last_event_was_read(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sink_in(tmp_path / "old", delivery_ms=20)) as sink:
        record(sink, 1)
        sink.drain(5)
    with closing(sink_in(tmp_path / "new", take_over=True, delivery_ms=20)) as sink:
        assert record(sink, 1).last_seq == 2
        sink.drain(5)
    with closing(TableSpool(tmp_path / "new", "T1")) as spool:
        assert spool.claim.settled
    monkeypatch.setattr("producers.sinks.kafka._PATIENCE_SECONDS", 0.0)
    cluster.before = lambda _: time.sleep(0.05)
    with closing(sink_in(tmp_path / "old", take_over=True)) as sink:
        assert Recorder(sink, "T1").last_seq == 2, "whose numbers are others' since"
