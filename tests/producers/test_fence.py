"""The archiver takes nothing new from a recorder whose table was taken over, and loses nothing of it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from kafka import KafkaProducer

from producers.archiver import archive_topic
from producers.fence import Fence, FencedOff
from producers.recorder import Recorder
from producers.sinks import NotDurable
from producers.sinks.memory import MemorySink
from replayer.sources.archive import read_events, table_days
from replayer.sources.layout import claim_file, quarantine_file
from replayer.sources.quarantine import read_quarantine
from schemas.codec import decode, encode
from schemas.event import Event


def events(count: int, at: int = 0) -> list[Event]:
    recorder = Recorder(MemorySink(), "T1")
    return [recorder.record("WagersClosed", round=1, at=at + n * 1_000_000) for n in range(1, count + 1)]


def under(claim: int) -> list[tuple[str, bytes | None]]:
    return [("claim", b"%d" % claim)]


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
    fence.admit(said[2], [], 2)  # another producer's
    fence.admit(said[2], under(3), 2)


def test_what_an_archiver_knew_of_the_claims_the_next_one_knows(tmp_path: Path) -> None:
    said = events(2)
    before = Fence(tmp_path, "events")
    before.admit(said[0], under(3), 0)
    before.flush()
    with pytest.raises(FencedOff):
        Fence(tmp_path, "events").admit(said[1], under(2), 1)
    file = claim_file(tmp_path, "events", "T1")
    file.write_bytes(file.read_bytes().replace(b"3", b"2", 1))
    with pytest.raises(NotDurable, match=r"T1\.txt: it is not as it was written; remove it"):
        Fence(tmp_path, "events").admit(said[1], under(2), 1)


@pytest.mark.parametrize("text", [b"", b"-1", b"one", b"9" * 30])
def test_a_header_that_is_no_claim_is_none(text: bytes, tmp_path: Path) -> None:
    fence = Fence(tmp_path, "events")
    fence.admit(events(1)[0], under(3), 0)
    fence.admit(events(1)[0], [("claim", text)], 0)


def test_a_paused_recorder_that_wakes_after_it_was_taken_over_does_not_push_the_owner_aside(
    kafka_bootstrap: str, kafka_topic: str, tmp_path: Path
) -> None:
    owned, late = events(6), events(5, at=7_000_000)
    sent = [(event, 1) for event in owned[:2]]
    sent += [(event, 2) for event in owned[2:4]]
    sent += [(event, 1) for event in late[2:]]  # 3 and 4 are the owner's, 5 would go on
    sent += [(event, 2) for event in owned[4:]]
    with closing(KafkaProducer(bootstrap_servers=kafka_bootstrap)) as producer:
        for event, claim in sent:
            producer.send(kafka_topic, key=b"T1", value=encode(event), headers=under(claim)).get(timeout=30)
    done = archive_topic(kafka_bootstrap, kafka_topic, tmp_path, until_end=True)
    assert [event for ref in table_days(tmp_path) for event in read_events(ref)] == owned
    assert done.quarantined == 3
    held = read_quarantine(quarantine_file(tmp_path, kafka_topic))
    assert [decode(line.message) for line in held] == late[2:]
    assert "recorded under claim 1, after the table was taken over under claim 2" in held[2].reason
