"""A recorder's connection: what it reads of claims and events, and what it sends, where a broker answers in every order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kafka import KafkaConsumer, TopicPartition
from kafka.errors import KafkaTimeoutError, UnsupportedCodecError

from producers.claims import Claim
from producers.kafka_client import KafkaFailed, KafkaRefused, partition_of
from producers.link import Link, Target
from schemas.codec import encode
from tests.producers.dealing import card_dealt
from tests.producers.following import dealt
from tests.waiting import wait_for

EVENTS = TopicPartition("events", 0)
OTHER = TopicPartition("events", 1)
CLAIMS = TopicPartition("events.recorders", 0)
T1 = Claim("T1", 1, "ours", 1, session="first", at=1_767_585_600_000_000)


@dataclass
class Broker:
    """Two topics in memory: values and headers by offset, None for what only moves the offset, such as the end of a transaction.

    ``begins`` are offsets before which a partition was cut, ``unseen`` how many of its last records came after its end was asked
    for. ``before_poll`` is called before each answer; every other answer is empty.
    """

    logs: dict[TopicPartition, list[tuple[bytes | None, list[tuple[str, bytes]]] | None]]
    begins: dict[TopicPartition, int] = field(default_factory=lambda: defaultdict(int))
    unseen: int = 0
    sought: list[tuple[TopicPartition, int]] = field(default_factory=list)
    sent: list[dict[str, Any]] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    options: list[dict[str, Any]] = field(default_factory=list)
    before_poll: Callable[[], object] = lambda: None
    refuses: Exception | None = None

    def add(self, message: bytes | None, claim: int = 0, recorder: str = "ours", at: TopicPartition = EVENTS) -> None:
        """Another record."""
        headers = [("claim", b"%d" % claim), ("recorder", recorder.encode())] if claim else []
        self.logs[at].append((message, headers))


class Consumer:
    """A client that reads them, three records at once."""

    def __init__(self, broker: Broker) -> None:
        self._broker, self._at, self._polls = broker, dict[TopicPartition, int](), 0

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        return {each.partition for each in self._broker.logs if each.topic == topic} or None

    def end_offsets(self, asked: list[TopicPartition]) -> dict[TopicPartition, int]:
        return {each: len(self._broker.logs[each]) - self._broker.unseen for each in asked}

    def beginning_offsets(self, asked: list[TopicPartition]) -> dict[TopicPartition, int]:
        return {each: self._broker.begins[each] for each in asked}

    def assign(self, asked: list[TopicPartition]) -> None:
        self._at = dict.fromkeys(asked, -1)

    def seek(self, partition: TopicPartition, offset: int) -> None:
        assert partition in self._at, "it is not read"
        self._at[partition] = offset
        self._broker.sought.append((partition, offset))

    def position(self, partition: TopicPartition) -> int:
        return self._at[partition]

    def poll(self, timeout_ms: int) -> dict[TopicPartition, list[Any]]:
        self._broker.before_poll()
        self._polls += 1
        ((partition, at),) = self._at.items()
        assert at >= self._broker.begins[partition], "it was cut before"
        if self._polls % 2:
            return {}
        found = [*enumerate(self._broker.logs[partition])][at : at + 3]
        self._at[partition] += len(found)
        records = [SimpleNamespace(offset=o, value=each[0], headers=each[1]) for o, each in found if each]
        return {partition: records} if records else {}

    def close(self, *, autocommit: bool) -> None:
        self._broker.done.append(f"consumer closed {autocommit}")


class Producer:
    """A client that writes them."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._sender = SimpleNamespace(force_close=lambda: broker.done.append("pending events dropped"))

    def send(self, topic: str, **record: Any) -> Any:
        self._broker.sent.append(record)
        self._broker.logs[TopicPartition(topic, record["partition"])].append((record["value"], record["headers"]))
        return SimpleNamespace(get=self._answer)

    def _answer(self, timeout: float) -> None:
        if self._broker.refuses:
            raise self._broker.refuses

    def flush(self, timeout: float) -> None:
        self._broker.done.append("flushed")

    def close(self, timeout: float) -> None:
        self._broker.done.append("producer closed")


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Broker]:
    made = Broker({EVENTS: [], OTHER: [], CLAIMS: []})

    def connect(client: Any, bootstrap: str, topic: str, **options: Any) -> Any:
        made.options.append(options)
        return Consumer(made) if client is KafkaConsumer else Producer(made)

    monkeypatch.setattr("producers.link.connect", connect)
    monkeypatch.setattr("producers.link._TAIL", 2)
    yield made


def link() -> Link:
    return Link(Target("127.0.0.1:9", "events", Path("spool"), "ours", {"client_id": "pit"}, 4000))


def claimed(broker: Broker, *claims: Claim) -> None:
    for each in claims:
        broker.add(each.to_json(), at=CLAIMS)


def test_each_claim_is_read_once_and_all_again_where_their_topic_was_made_anew(broker: Broker) -> None:
    here = link()
    here.read_claims()
    assert broker.sought == []
    broker.add(None, at=CLAIMS)
    broker.add(b"no claim", at=CLAIMS)
    claimed(broker, T1)
    here.read_claims()
    here.read_claims()
    assert (here.owners, broker.sought) == ({"T1": T1}, [(CLAIMS, 0)])
    second = replace(T1, number=2, follows="first", session="second")
    claimed(broker, second)
    here.read_claims()
    assert (here.owners, broker.sought[1:]) == ({"T1": second}, [(CLAIMS, 3)])
    broker.logs[CLAIMS] = []
    claimed(broker, replace(T1, table_id="T2"))
    here.read_claims()
    assert [*here.owners] == ["T2"]
    claimed(broker, T1, T1, T1)
    broker.begins[CLAIMS] = 3
    here.read_claims()
    assert [*here.owners] == ["T2", "T1"] and broker.sought[-1] == (CLAIMS, 3)


def test_a_claim_is_written_with_its_time_and_known_at_once(broker: Broker) -> None:
    here = link()
    here.claim(T1)
    assert here.owners == {"T1": T1}
    [sent] = broker.sent
    assert (sent["key"], sent["partition"], sent["timestamp_ms"]) == (b"T1", 0, 1_767_585_600_000)
    broker.refuses = KafkaTimeoutError("late")
    with pytest.raises(KafkaFailed, match="late"):
        here.claim(T1)


def test_a_tables_last_event_is_searched_from_the_end_as_far_as_is_asked(broker: Broker) -> None:
    for seq in range(1, 31):
        broker.add(dealt(seq), 1)
    here = link()
    last = here.last_event("T1", None)
    assert (last.seq, last.recorder, last.claim, broker.sought) == (30, "ours", 1, [(EVENTS, 28)])
    assert {seq for seq, _ in here.last_event("T1", 20).own} == {*range(15, 31)}
    assert broker.sought[1:] == [(EVENTS, 28), (EVENTS, 14)]
    broker.sought.clear()
    assert {seq for seq, _ in here.last_event("T1", 29).own} == {29, 30}
    assert broker.sought == [(EVENTS, 28)]
    broker.add(dealt(31), 2, "theirs")
    last = here.last_event("T1", 31)
    assert (last.recorder, last.own) == ("theirs", frozenset({(30, dealt(30))}))


def test_what_is_no_event_of_the_table_is_passed_over(broker: Broker) -> None:
    broker.add(dealt(3), 1)
    for message in (None, b"T1", dealt(4)[:-1] + b"T1", dealt(5, "T2"), encode(card_dealt(6, table_id="T11"))):
        broker.add(message, 1)
    broker.logs[EVENTS].append(None)
    assert link().last_event("T1", None).seq == 3
    assert link().last_event("T3", None) == (0, "", 0, frozenset())


def test_what_came_after_the_end_was_asked_for_or_was_cut_before_the_begin_is_not_there(broker: Broker) -> None:
    for seq in range(1, 6):
        broker.add(dealt(seq), 1)
    broker.unseen = 1
    assert link().last_event("T1", None).seq == 4
    broker.begins[EVENTS] = 3
    assert {seq for seq, _ in link().last_event("T1", 1).own} == {4}
    assert link().is_cut()
    broker.begins[EVENTS] = 0
    assert not link().is_cut()


def test_where_the_tables_own_partition_has_nothing_the_last_event_of_all_others_counts(broker: Broker) -> None:
    broker.logs[TopicPartition("events", 2)] = []
    own, *others = (TopicPartition("events", (partition_of("T1", 3) + n) % 3) for n in range(3))
    here = link()
    assert here.last_event("T1", None).seq == 0
    for seq, each in zip((4, 3), others, strict=True):
        broker.add(dealt(seq), at=each)
    assert here.last_event("T1", None).seq == 4
    broker.add(dealt(2), at=own)
    assert here.last_event("T1", None).seq == 2


def test_of_a_table_that_is_claimed_only_what_came_under_a_claim_has_used_a_number(broker: Broker) -> None:
    here = link()
    broker.add(dealt(9))
    claimed(broker, T1)
    here.read_claims()
    assert here.last_event("T1", None).seq == 9, "nothing came under the claim yet"
    broker.add(dealt(2), 1)
    broker.add(dealt(10))
    assert here.last_event("T1", None).seq == 2
    assert link().last_event("T1", None).seq == 10, "of which this one knows no claim"


def test_a_partition_that_gives_nothing_is_given_up_and_one_that_moves_is_not(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("producers.link._TAIL", 100)
    clock = [0]
    monkeypatch.setattr("producers.link.time", SimpleNamespace(monotonic=lambda: clock[0]))

    def wait() -> None:
        clock[0] += 5

    broker.before_poll = wait
    broker.logs[EVENTS] += [None] * 12
    broker.add(dealt(7))
    assert link().last_event("T1", None).seq == 7
    clock[0] = 0
    monkeypatch.setattr(Consumer, "poll", lambda *_, **__: wait() or {})
    with pytest.raises(KafkaFailed, match="partition 0 cannot be read"):
        link().last_event("T1", None)
    assert clock[0] == 15, "later than ten seconds after the last answer"


def test_messages_in_a_compression_that_is_not_at_hand_are_told_as_what_does_not_pass_by_itself(broker: Broker) -> None:
    """A recorder that came back waited behind them for ever and told nobody."""
    broker.add(dealt(1))

    def unpack() -> None:
        raise UnsupportedCodecError("Libraries for snappy compression codec not found")

    broker.before_poll = unpack
    with pytest.raises(KafkaRefused, match="install what reads them"):
        link().last_event("T1", None)


def test_an_event_is_sent_to_its_tables_partition_with_its_time_and_all_are_waited_for(broker: Broker) -> None:
    here = link()
    early = encode(replace(card_dealt(2), at=-5_000))
    here.send([("T1", 7, dealt(1)), ("T1", 7, early)])
    assert [each["timestamp_ms"] for each in broker.sent] == [1_767_585_600_000, 0]
    assert {(each["key"], each["partition"]) for each in broker.sent} == {(b"T1", here._partition("T1").partition)}
    assert dict(broker.sent[0]["headers"])["claim"] == b"7" and broker.done == ["flushed"]
    assert here.last_event("T1", None).seq == 2
    broker.refuses = KafkaTimeoutError("late")
    with pytest.raises(KafkaFailed, match="late"):
        here.send([("T1", 7, dealt(3))])


def test_what_is_closed_commits_nothing_and_sends_nothing_more(broker: Broker) -> None:
    with closing(link()):
        pass
    wait_for(lambda: broker.done == ["consumer closed False", "pending events dropped", "producer closed"])
    broker.done.clear()
    del broker.logs[CLAIMS]
    with pytest.raises(KafkaRefused, match=r"events\.recorders does not exist"):
        link()
    assert broker.done == ["consumer closed False"]


def test_no_topic_is_made_and_an_event_is_never_doubled_or_taken_for_safe_too_early(broker: Broker) -> None:
    link()
    consumer, producer = broker.options
    assert {each["client_id"] for each in broker.options} == {"pit"}
    assert not consumer["allow_auto_create_topics"] and not producer["allow_auto_create_topics"]
    assert not consumer["enable_auto_commit"] and producer["enable_idempotence"] and producer["acks"] == "all"
    assert (producer["delivery_timeout_ms"], producer["request_timeout_ms"]) == (4000, 2000)
