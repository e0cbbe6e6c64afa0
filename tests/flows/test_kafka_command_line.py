"""Through a real Kafka and straight to disk: one log, one digest."""

from __future__ import annotations

import datetime as dt
import json
import re
import select
import subprocess
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from producers.recorder import Recorder
from producers.sinks.kafka import KafkaSink
from schemas.codec import encode
from schemas.notation import parse_events
from tests import house
from tests.archives import append
from tests.commands import PITAUDIT, Run
from tests.flows.property import Property
from tests.producers.following import topic_of_one_partition
from tests.servers import environment
from tests.waiting import wait_for


def test_both_paths_give_one_archive_and_one_digest(pitaudit: Run, kafka_bootstrap: str, tmp_path: Path) -> None:
    straight, through = tmp_path / "straight", tmp_path / "through"
    topic = ("--topic", f"events-{uuid.uuid4().hex[:12]}")
    ordered = ("simulate", "--archive", straight, "--tables", "3", "--rounds", "15", "--days", "2", "--faults", "0.2")
    made = pitaudit(*ordered, "--kafka", kafka_bootstrap, *topic, "--json")
    assert made.returncode == 0, made.stderr
    taken = pitaudit("archive", "--kafka", kafka_bootstrap, "--archive", through, "--until-end", *topic, "--json")
    assert taken.returncode == 0, taken.stderr
    files = [
        {file.relative_to(folder): file.read_bytes() for file in folder.glob("2*/*")} for folder in (straight, through)
    ]
    assert len(files[0]) == 12
    assert files[0] == files[1]
    said = [json.loads(pitaudit("replay", folder, "--json").stdout) for folder in (straight, through)]
    assert said[0]["events"] == json.loads(taken.stdout)["events"]
    assert said[0]["digest"] == said[1]["digest"]
    assert said[0]["findings"] == said[1]["findings"] != {}


def test_messages_that_are_none_exit_1_and_are_counted_by_every_report(
    pitaudit: Run, kafka_bootstrap: str, kafka_topic: str, pit: Property
) -> None:
    from kafka import KafkaProducer  # noqa: PLC0415 - only tests that need a broker pay for the import

    producer = KafkaProducer(bootstrap_servers=kafka_bootstrap)
    producer.send(kafka_topic, b"no event").get(timeout=30)
    producer.close()
    ordered = (
        "archive",
        "--kafka",
        kafka_bootstrap,
        "--archive",
        pit.archive,
        "--until-end",
        "--topic",
        kafka_topic,
        "--json",
    )
    done = pitaudit(*ordered)
    assert done.returncode == 1
    assert json.loads(done.stdout)["quarantined"] == 1
    assert "could not be taken" in done.stderr
    replayed = pitaudit("replay", pit.archive, "--table", "T1", "--json")
    assert (replayed.returncode, json.loads(replayed.stdout)["quarantined"]) == (1, 1)


def test_a_run_to_the_end_beside_an_archiver_names_what_it_left_open(
    pitaudit: Run, kafka_bootstrap: str, tmp_path: Path
) -> None:
    """It sealed nothing, said so in no word and ended with exit 0."""
    topic, archive = topic_of_one_partition(kafka_bootstrap), tmp_path / "archive"
    topic.produce(*(encode(event) for event in parse_events(house.UNDER_WAY, table_id="T1", gaming_day=house.DAY)))
    ordered = ("archive", "--kafka", kafka_bootstrap, "--archive", archive, "--until-end", "--topic", topic.name)
    with topic.following(archive, quiet_seconds=86_400) as following:
        wait_for(lambda: following.done.events)
        beside = pitaudit(*ordered)
        assert (beside.returncode, "not sealed, since another archiver reads" in beside.stderr) == (1, True)
        [left] = json.loads(pitaudit(*ordered, "--json").stdout)["left_open"]
        assert f"{left['gaming_day']} {left['table_id']}: it seals" in beside.stderr
    alone = json.loads(pitaudit(*ordered, "--json").stdout)
    assert (alone["left_open"], alone["sealed"]) == ([], [left])


def test_a_topic_that_is_not_there_is_one_line(pitaudit: Run, kafka_bootstrap: str, tmp_path: Path) -> None:
    done = pitaudit(
        "archive", "--kafka", kafka_bootstrap, "--archive", tmp_path / "a", "--until-end", "--topic", "nope"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "topic nope does not exist" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_stopped_archiver_ends_at_a_safe_point(
    pitaudit: Run, kafka_bootstrap: str, kafka_topic: str, tmp_path: Path
) -> None:
    ordered = ["archive", "--kafka", kafka_bootstrap, "--archive", tmp_path / "a", "--topic", kafka_topic, "--json"]
    running = subprocess.Popen([PITAUDIT, *ordered], env=environment(), stdout=subprocess.PIPE, text=True)
    kafka = ("--kafka", kafka_bootstrap, "--topic", kafka_topic)
    made = pitaudit("simulate", "--archive", tmp_path / "b", *kafka, "--tables", "1")
    assert made.returncode == 0, made.stderr
    wait_for(lambda: list((tmp_path / "a").rglob("*.journal")), 120)
    running.terminate()
    first, _ = running.communicate(timeout=180)
    assert running.returncode == 0
    rest = pitaudit(*ordered, "--until-end")
    straight, through = (json.loads(pitaudit("replay", tmp_path / name, "--json").stdout) for name in ("b", "a"))
    assert json.loads(first)["events"] + json.loads(rest.stdout)["events"] == straight["events"]
    assert through["digest"] == straight["digest"]


def test_another_avro_consumer_reads_the_topic_as_the_page_says(
    kafka_bootstrap: str, kafka_topic: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(KafkaSink(kafka_bootstrap, kafka_topic, tmp_path)) as sink:
        recorder = Recorder(sink, "T1")
        recorder.record("WagersClosed", round=1, at=dt.datetime(2009, 6, 1, 12, tzinfo=dt.UTC))
        recorder.flush()
        sink.drain(60)
    page = (Path(__file__).parents[2] / "producers" / "README.md").read_text(encoding="utf-8")
    [code] = re.findall(r"^```consumer\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(code.splitlines()) <= 10
    code = code.replace("pitaudit.events", kafka_topic).replace("127.0.0.1:9092", kafka_bootstrap)
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - our own text
    assert capsys.readouterr().out == "T1 1 2009-06-01 12:00:00+00:00 WagersClosed\n"


def test_a_topic_is_created_as_it_must_be_and_one_that_is_not_is_reported(pitaudit: Run, kafka_bootstrap: str) -> None:
    alone = ("--replication", "1", "--min-in-sync", "1")
    named = ("--kafka", kafka_bootstrap, "--topic", f"events-{uuid.uuid4().hex[:12]}")
    assert pitaudit("topic", "create", *named, *alone).returncode == 0
    assert pitaudit("topic", "check", *named, *alone).returncode == 0
    answer = pitaudit("topic", "check", *named, "--json")
    assert answer.returncode == 1
    assert any("on a single broker" in fault["what"] for fault in json.loads(answer.stdout)["faults"])


def test_what_a_topic_lost_is_reported_by_every_report_of_the_days_that_it_may_concern(
    pitaudit: Run, kafka_bootstrap: str, tmp_path: Path
) -> None:
    """456 messages that retention had cut were lost without a word: exit 0, clean, green."""
    from kafka import KafkaAdminClient, KafkaProducer, TopicPartition  # noqa: PLC0415

    topic, archive, lake = topic_of_one_partition(kafka_bootstrap).name, tmp_path / "archive", tmp_path / "lake"
    producer = KafkaProducer(bootstrap_servers=kafka_bootstrap)
    day, events = house.DAY, list(parse_events(house.SOUND, table_id="T1", gaming_day=house.DAY))
    for message in (*([b"gone"] * 3), *map(encode, events)):
        producer.send(topic, message)
    producer.flush()
    admin = KafkaAdminClient(bootstrap_servers=kafka_bootstrap)
    admin.delete_records({TopicPartition(topic, 0): 3})
    taken = pitaudit(
        "archive", "--kafka", kafka_bootstrap, "--archive", archive, "--until-end", "--topic", topic, "--json"
    )
    assert taken.returncode == 1
    [lost] = json.loads(taken.stdout)["lost"]
    assert (lost["partition"], lost["from"], lost["to"], lost["why"]) == (0, 0, 3, "deleted")
    sentence = "messages 0 to 2 were deleted before the archive had taken them"
    expected = {"name": f"{topic}/0-0-deleted-{lost['topic_id'][:8]}", **lost, "acknowledged": None}
    replayed = pitaudit("replay", archive, "--json")
    assert (replayed.returncode, json.loads(replayed.stdout)["lost"]) == (1, [expected])
    night = pitaudit("nightly", "--archive", archive, "--lake", lake, "--day", str(day), "--json")
    said = json.loads(night.stdout)
    assert (night.returncode, said["clean"], said["lost"]) == (1, False, [expected])
    page = tmp_path / "report.html"
    reported = pitaudit("report", "--lake", lake, "--day", str(day), "-o", page)
    assert reported.returncode == 1
    for text in (taken.stderr, replayed.stderr, night.stderr, reported.stderr, page.read_text()):
        assert sentence in text
    producer.close()
    admin.close()


def test_as_a_service_it_prints_a_json_object_a_line(kafka_bootstrap: str, kafka_topic: str, tmp_path: Path) -> None:
    with closing(KafkaSink(kafka_bootstrap, kafka_topic, tmp_path / "spool")) as sink:
        append(sink, *parse_events(house.SOUND, gaming_day=house.DAY))
        sink.flush()
        sink.drain(60)
    command = [PITAUDIT, "archive", "--kafka", kafka_bootstrap, "--topic", kafka_topic]
    ordered = [*command, "--archive", tmp_path / "a", "--quiet", "0.3", "--json"]
    running = subprocess.Popen(ordered, env=environment(), stdout=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        assert select.select([running.stdout], [], [], 60)[0], "it printed nothing"
        sealed = json.loads(running.stdout.readline())
        assert (sealed["line"], sealed["table_id"], sealed["gaming_day"]) == ("sealed", "T1", str(house.DAY))
        running.terminate()
        last, _ = running.communicate(timeout=180)
    finally:
        running.kill()
    assert running.returncode == 0
    assert json.loads(last)["sealed"] == [{"table_id": "T1", "gaming_day": str(house.DAY)}]


def test_a_spool_that_a_dead_recorder_left_is_seen_and_drained(
    pitaudit: Run, kafka_bootstrap: str, kafka_topic: str, tmp_path: Path
) -> None:
    spool, other = tmp_path / "spool", tmp_path / "other"
    kafka = ("--kafka", kafka_bootstrap, "--topic", kafka_topic)

    def record(bootstrap: str, folder: Path, **options: Any) -> None:
        with closing(
            KafkaSink(bootstrap, kafka_topic, folder, settings={"bootstrap_timeout_ms": 3000}, **options)
        ) as sink:
            recorder = Recorder(sink, "T1")
            recorder.record("WagersClosed", round=1 + (folder == other), at=(recorder.last_seq + 1) * 1_000_000)
            recorder.flush()
            if bootstrap == kafka_bootstrap:
                sink.drain(60)

    def left() -> tuple[int, Any]:
        done = pitaudit("spool", "status", spool, "--json")
        (table,) = json.loads(done.stdout)["tables"]
        return done.returncode, (table["table_id"], table["events"], table["last_seq"], table["oldest_at"])

    record(kafka_bootstrap, spool, delivery_ms=2000)
    assert left() == (0, ("T1", 0, 1, None))
    record("127.0.0.1:9", spool)
    assert left() == (1, ("T1", 1, 2, 2_000_000))
    drained = pitaudit("spool", "drain", spool, *kafka)
    assert (drained.returncode, left()) == (0, (0, ("T1", 0, 2, None))), drained.stderr
    # Another recorder takes the table over while this one is cut off, and both go on with number 3.
    with closing(KafkaSink(kafka_bootstrap, kafka_topic, spool, delivery_ms=2000)) as sink:
        sink.last_seq("T1")
    record("127.0.0.1:9", spool)
    record(kafka_bootstrap, other, take_over=True)
    refused = pitaudit("spool", "drain", spool, *kafka)
    assert refused.returncode == 2
    assert "keeps 1 event accepted here, from seq 3 on" in refused.stderr
    handed = pitaudit("spool", "drain", spool, *kafka, "--stranded")
    assert (handed.returncode, left()) == (1, (0, ("T1", 0, 3, None))), handed.stderr
    ordered = ("--archive", tmp_path / "archive", "--until-end", "--json")
    archived = json.loads(pitaudit("archive", *kafka, *ordered).stdout)
    assert (archived["events"], archived["quarantined"]) == (3, 1)
    assert pitaudit("spool", "status", tmp_path).returncode == 2
