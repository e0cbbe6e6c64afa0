"""Whose a table is follows from the order of the claims alone, whoever reads them."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka import KafkaProducer

from producers.archiver import Options
from producers.archiver.ingestion import Ingestion
from producers.archiver.place import Place
from producers.claims import Claim, Fence, FencedOff, Owners
from producers.recorder import Recorder
from producers.sinks import NotDurable
from producers.sinks.archive import ArchiveSink
from producers.sinks.memory import MemorySink
from replayer.sources.layout import claim_file
from replayer.sources.quarantine import quarantined
from replayer.sources.table_days import table_days
from schemas.codec import decode, encode
from schemas.event import Event
from tests.archives import read_events
from tests.producers.following import Topic
from tests.waiting import wait_for

FIRST = Claim("T1", 1, "spool-a", 10_000, host="pit-3", pid=7, at=1_767_585_600_000_000)


def owner_of(*claims: Claim) -> Claim | None:
    owners = Owners()
    for claim in claims:
        owners.add(claim)
    return owners.get("T1")


def test_of_two_who_claim_a_free_table_the_first_has_it() -> None:
    assert owner_of(FIRST, Claim("T1", 1, "spool-b", 10_000)) == FIRST


def test_a_recorder_that_starts_again_follows_its_own_claim() -> None:
    again = Claim("T1", 2, "spool-a", 10_000, follows=FIRST.session)
    assert owner_of(FIRST, again) == again


def test_a_copy_of_a_spool_that_was_claimed_since_is_refused() -> None:
    again = Claim("T1", 2, "spool-a", 10_000, follows=FIRST.session)
    copy = Claim("T1", 3, "spool-a", 10_000, follows=FIRST.session)
    assert owner_of(FIRST, again, copy) == again


def test_a_table_is_taken_over_only_deliberately() -> None:
    deliberate = Claim("T1", 2, "spool-b", 10_000, follows=FIRST.session, takes_over=True)
    assert owner_of(FIRST, replace(deliberate, takes_over=False, follows="")) == FIRST
    assert owner_of(FIRST, deliberate) == deliberate


def test_of_two_who_take_over_at_once_the_first_has_it() -> None:
    one, two = (Claim("T1", 2, spool, 10_000, takes_over=True) for spool in ("spool-b", "spool-c"))
    assert owner_of(FIRST, one, two) == one


@given(
    st.lists(st.tuples(st.integers(1, 4), st.sampled_from("abc"), st.sampled_from("abc"), st.booleans()), max_size=12)
)
def test_the_numbers_of_the_claims_that_are_taken_only_rise(said: list[tuple[int, str, str, bool]]) -> None:
    owners, taken = Owners(), [0]
    for number, session, follows, takes_over in said:
        claim = Claim("T1", number, "spool", 0, session=session, follows=follows, takes_over=takes_over)
        if owners.add(claim):
            assert owners.get("T1") == claim
            taken.append(number)
    assert taken == sorted(set(taken))


def test_a_claim_is_read_back_and_says_who_where_and_since_when() -> None:
    assert Claim.from_json(FIRST.to_json()) == FIRST
    later = json.dumps(json.loads(FIRST.to_json()) | {"more": 1}).encode()
    assert Claim.from_json(later) == FIRST, "a recorder of this version must not take its table for free"
    assert str(FIRST) == "the recorder of spool spool-a on pit-3 (process 7) since 2026-01-05 04:00:00 UTC, claim 1"


@pytest.mark.parametrize(
    "change",
    [{"number": "1"}, {"number": 0}, {"at": 10**20}, {"at": -1}, {"table_id": None}, {"takes_over": 1}],
)
def test_what_is_no_claim_gives_nobody_a_table(change: dict[str, object]) -> None:
    said = json.loads(FIRST.to_json()) | change
    assert Claim.from_json(json.dumps(said).encode()) is None


@pytest.mark.parametrize("text", [b"", b"no claim", b"[]", b"7", b"{}", b'{"a":' * 99])
def test_what_is_no_json_gives_nobody_a_table(text: bytes) -> None:
    assert Claim.from_json(text) is None


# The archiver takes nothing new from a recorder whose table was taken over, and loses nothing of it


def events(count: int, at: int = 0, table_id: str = "T1") -> list[Event]:
    recorder = Recorder(MemorySink(), table_id)
    return [recorder.record("WagersClosed", round=1, at=at + n * 1_000_000) for n in range(1, count + 1)]


def under(claim: int) -> list[tuple[str, bytes | None]]:
    return [("claim", b"%d" % claim)]


def send(topic: Topic, partition: int, claim: int, *said: Event) -> None:
    """Send events as a recorder under a claim does, by a partition."""
    with closing(KafkaProducer(bootstrap_servers=topic.bootstrap)) as producer:
        for event in said:
            message = encode(event)
            producer.send(topic.name, message, event.table_id.encode(), under(claim), partition).get(timeout=30)


def test_what_goes_on_under_an_older_claim_is_refused_and_what_comes_again_is_not(tmp_path: Path) -> None:
    fence = Fence(tmp_path, "events")
    said = events(4)
    fence.admit(said[0], under(1), 0)
    fence.admit(said[1], under(3), 1)
    with pytest.raises(
        FencedOff, match="table T1 seq 3: recorded under claim 1, after the table was taken over under claim 3"
    ):
        fence.admit(said[2], under(1), 2)
    fence.admit(said[0], under(1), 2)
    fence.admit(said[0], [], 2)  # another program's
    with pytest.raises(
        FencedOff, match="table T1 seq 3: sent under no claim, and the table belongs to the recorder of claim 3"
    ):
        fence.admit(said[2], [], 2)
    fence.admit(said[2], under(3), 2)


def test_what_an_archiver_knew_of_the_claims_the_next_one_knows(tmp_path: Path) -> None:
    said = events(2)
    before = Fence(tmp_path, "events")
    before.admit(said[0], under(3), 0)
    before.flush_table("T1")
    with pytest.raises(FencedOff):
        Fence(tmp_path, "events").admit(said[1], under(2), 1)
    file = claim_file(tmp_path, "events", "T1")
    file.write_bytes(file.read_bytes().replace(b"3", b"2", 1))
    with pytest.raises(NotDurable, match=r"T1\.txt: it is not as it was written; remove it"):
        Fence(tmp_path, "events").admit(said[1], under(2), 1)


@pytest.mark.parametrize("text", [b"", b"-1", b"one", b"9" * 30])
def test_a_header_that_is_no_claim_is_none(text: bytes, tmp_path: Path) -> None:
    fence = Fence(tmp_path, "events")
    fence.admit(events(1)[0], [("claim", text)], 0)
    fence.admit(events(1)[0], under(3), 0)
    with pytest.raises(FencedOff, match="sent under no claim"):
        fence.admit(events(1)[0], [("claim", text)], 0)


def test_a_paused_recorder_that_wakes_after_it_was_taken_over_does_not_push_the_owner_aside(
    topic: Topic, tmp_path: Path
) -> None:
    owned, late = events(6), events(5, at=7_000_000)
    sent = [(event, 1) for event in owned[:2]]
    sent += [(event, 2) for event in owned[2:4]]
    sent += [(event, 1) for event in late[2:]]  # 3 and 4 are the owner's, 5 would go on
    sent += [(event, 2) for event in owned[4:]]
    for event, claim in sent:
        send(topic, 0, claim, event)
    done = topic.archive(tmp_path)
    assert [event for ref in table_days(tmp_path) for event in read_events(ref)] == owned
    assert done.quarantined == 3
    held = [*quarantined(tmp_path)]
    assert [decode(line.message) for line in held] == late[2:]
    assert "recorded under claim 1, after the table was taken over under claim 2" in held[2].reason


def test_the_fence_stands_after_a_restart_and_for_what_comes_by_another_partition(topic: Topic, tmp_path: Path) -> None:
    owned, late = events(4), events(6, at=7_000_000)

    def run() -> int:
        return topic.archive(tmp_path).quarantined

    send(topic, 0, 1, *owned[:2])
    send(topic, 0, 2, owned[2])
    assert run() == 0
    send(topic, 0, 1, late[3])
    assert run() == 1
    send(topic, 1, 1, *late[4:])
    assert run() == 2
    send(topic, 1, 2, owned[3])
    assert run() == 0
    assert [event for ref in table_days(tmp_path) for event in read_events(ref)] == owned
    held = [*quarantined(tmp_path)]
    assert [decode(line.message) for line in held] == late[3:]
    assert all("recorded under claim 1, after the table was taken over under claim 2" in line.reason for line in held)


def test_the_fence_goes_with_a_partition_to_another_archiver_and_back(topic: Topic, tmp_path: Path) -> None:
    tables = ["T0", "T1", "T2"]
    owned, late = ({each: events(3, at, each) for each in tables} for at in (0, 7_000_000))

    def each_table(claim: int, said: dict[str, list[Event]], index: int) -> None:
        for partition, table in enumerate(tables):
            send(topic, partition, claim, said[table][index])

    with topic.following(tmp_path) as one:
        each_table(2, owned, 0)
        wait_for(lambda: one.done.events == 3)
        with topic.following(tmp_path) as two:
            wait_for(lambda: two.done.offsets)
            each_table(1, late, 1)
            wait_for(lambda: one.done.quarantined + two.done.quarantined == 3)
            assert two.done.quarantined > 0, "the partition came without what was known of its tables"
            each_table(3, owned, 1)
            wait_for(lambda: one.done.events + two.done.events == 6)
        each_table(2, late, 2)  # whoever had the partition before knew claim 2 only
        wait_for(lambda: one.done.quarantined + two.done.quarantined == 6)
        each_table(3, owned, 2)
        wait_for(lambda: one.done.events + two.done.events == 9)
    topic.archive(tmp_path)
    assert {ref.table_id: list(read_events(ref)) for ref in table_days(tmp_path)} == owned


# What of a claim is not on the disk yet, step by step.


@dataclass
class Message:
    """What the archiver reads of a message."""

    partition: int
    offset: int
    value: bytes
    headers: list[tuple[str, bytes | None]]


def message(event: Event, claim: int, offset: int) -> Message:
    return Message(0, offset, encode(event), under(claim))


def taking(archive: Path) -> Ingestion:
    """An archiver of an empty partition 0."""
    made = Ingestion(ArchiveSink(archive), Options("", "events", archive), lambda *_: None)
    made.begin(Place(0))
    return made


def test_a_partition_that_is_added_takes_no_claim_away_that_is_not_written_yet(tmp_path: Path) -> None:
    owned, late = events(3), events(3, at=7_000_000)
    here = taking(tmp_path)
    here.take(message(owned[0], 1, 0))
    here.flush()
    here.take(message(owned[1], 2, 1))
    here.begin(Place(1))  # an archiver that died leaves it to this one
    here.flush()
    here.take(message(late[2], 1, 2))
    assert here.done.quarantined == 1


def test_a_take_over_that_only_a_refused_message_shows_is_known_after_a_restart(tmp_path: Path) -> None:
    """A paused recorder's event slipped in just before the owner's first: that one is refused, and the old one ends there."""
    owned, late = events(3), events(3, at=7_000_000)
    here = taking(tmp_path)
    here.take(message(late[0], 1, 0))
    here.flush()
    here.take(message(owned[0], 2, 1))
    assert here.done.quarantined == 1
    here.flush()
    here.sink.close()
    again = taking(tmp_path)
    again.take(message(late[1], 1, 2))
    again.take(message(owned[1], 2, 3))
    again.flush()
    again.sink.close()
    kept = ArchiveSink(tmp_path).day("T1", owned[0].gaming_day).entries()
    assert [decode(entry.message) for entry in kept] == [late[0], owned[1]]


def test_a_claim_that_cannot_be_written_stops_its_table_and_the_place_does_not_go_past_it(tmp_path: Path) -> None:
    file = claim_file(tmp_path, "events", "T1")
    file.parent.mkdir(parents=True)
    owned, other = events(2), events(1, table_id="T2")
    here = taking(tmp_path)
    here.take(message(owned[0], 1, 0))
    here.flush()
    file.unlink()
    file.mkdir()  # nothing can be written in its place
    here.take(message(owned[1], 2, 1))
    here.take(message(other[0], 1, 2))
    here.flush()
    assert list(here.stuck) == ["T1"]
    assert (here.partitions[0].safe_to, here.partitions[0].at, here.sink.last_seq("T2")) == (1, 3, 1)
    file.rmdir()
    here.try_again(all_of_them=True)
    assert (here.partitions[0].at, list(here.stuck)) == (1, [])
    here.take(message(owned[1], 2, 1))
    here.flush()
    assert here.partitions[0].safe_to == 2
    assert Fence(tmp_path, "events").admit(owned[1], under(2), 1) is None
    with pytest.raises(FencedOff):
        Fence(tmp_path, "events").admit(owned[1], under(1), 1)
