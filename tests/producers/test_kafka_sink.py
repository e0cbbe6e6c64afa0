"""What a Kafka sink says when the broker, the password or an event is gone."""

import datetime as dt
from contextlib import closing

import pytest
from kafka import KafkaConsumer

from producers.kafka_client import KafkaFailed, settings_from
from producers.recorder import Recorder
from producers.sinks.kafka import KafkaSink
from producers.topic import Shape, create
from schemas.codec import current
from schemas.event import Event

PASSWORD = {
    "KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
    "KAFKA_SASL_MECHANISM": "SCRAM-SHA-512",
    "KAFKA_SASL_USERNAME": "auditor",
    "KAFKA_SASL_PASSWORD": "correct horse",
    "PATH": "/bin",
}


def close_bets(recorder: Recorder) -> Event:
    return recorder.record("WagersClosed", round=1, at=recorder.last_seq + 1)


def test_a_broker_that_goes_away_leaves_acknowledged_events_and_a_clear_error(lone_broker: object) -> None:
    bootstrap: str = lone_broker.bootstrap  # type: ignore[attr-defined]
    create(bootstrap, "events", Shape(partitions=1, replication=1, min_in_sync=1))
    sink = KafkaSink(bootstrap, "events", timeout_ms=3000)
    recorder = Recorder(sink, "T1")
    close_bets(recorder)
    assert recorder.flush() == 1
    lone_broker.stop()  # type: ignore[attr-defined]
    close_bets(recorder)
    lost = "did not answer in time.* only events acknowledged before are recorded"
    with pytest.raises(KafkaFailed, match=lost):
        recorder.flush()
    with pytest.raises(KafkaFailed, match=lost):
        close_bets(recorder)
    with pytest.raises(KafkaFailed, match=lost):
        recorder.flush()
    sink.close()
    lone_broker.start()  # type: ignore[attr-defined]
    sink = KafkaSink(bootstrap, "events")
    again = Recorder(sink, "T1")
    assert again.last_seq == 1
    assert close_bets(again).seq == 2
    assert again.flush() == 2
    sink.close()


def test_a_broker_that_comes_back_in_time_is_not_noticed(lone_broker: object) -> None:
    bootstrap: str = lone_broker.bootstrap  # type: ignore[attr-defined]
    create(bootstrap, "events", Shape(partitions=1, replication=1, min_in_sync=1))
    sink = KafkaSink(bootstrap, "events")
    recorder = Recorder(sink, "T1")
    close_bets(recorder)
    lone_broker.stop()  # type: ignore[attr-defined]
    close_bets(recorder)
    lone_broker.start()  # type: ignore[attr-defined]
    assert recorder.flush() == 2
    sink.close()


def test_tls_user_and_password_are_taken_from_the_environment_and_a_wrong_one_is_refused(lone_broker: object) -> None:
    create(lone_broker.bootstrap, "events", Shape(partitions=1, replication=1, min_in_sync=1))  # type: ignore[attr-defined]
    bootstrap: str = lone_broker.sasl_bootstrap  # type: ignore[attr-defined]
    right = PASSWORD | {"KAFKA_SSL_CAFILE": str(lone_broker.ca_file)}  # type: ignore[attr-defined]
    sink = KafkaSink(bootstrap, "events", settings=settings_from(right))
    recorder = Recorder(sink, "T1")
    close_bets(recorder)
    assert recorder.flush() == 1
    sink.close()
    wrong = settings_from(right | {"KAFKA_SASL_PASSWORD": "guess"})
    with pytest.raises(KafkaFailed, match="wrong password shows only like this"):
        KafkaSink(bootstrap, "events", settings=wrong, timeout_ms=3000)
    with pytest.raises(KafkaFailed, match="no connection to Kafka"):  # nobody vouches for this broker
        KafkaSink(bootstrap, "events", settings=settings_from(PASSWORD), timeout_ms=3000)


def test_a_topic_that_does_not_exist_is_named(kafka_bootstrap: str) -> None:
    with pytest.raises(KafkaFailed, match="topic nowhere does not exist"):
        KafkaSink(kafka_bootstrap, "nowhere")


def test_options_that_do_not_fit_are_a_clear_error() -> None:
    with pytest.raises(KafkaFailed, match="look at host, port, security protocol"):
        KafkaSink("127.0.0.1:9", "events", settings={"security_protocol": "CARRIER_PIGEON"}, timeout_ms=1000)
    with pytest.raises(KafkaFailed, match="127"):
        KafkaSink(
            "127.0.0.1:9",
            "events",
            settings={"security_protocol": "SSL", "ssl_cafile": "/nowhere.pem"},
            timeout_ms=1000,
        )


def test_the_last_number_is_found_behind_many_events_of_other_tables(kafka_bootstrap: str, kafka_topic: str) -> None:
    create(kafka_bootstrap, f"{kafka_topic}-one", Shape(partitions=1, replication=1, min_in_sync=1))
    sink = KafkaSink(kafka_bootstrap, f"{kafka_topic}-one")
    quiet, busy = Recorder(sink, "T1"), Recorder(sink, "T2")
    for recorder, count in ((quiet, 5), (busy, 3000)):
        for _ in range(count):
            close_bets(recorder)
    sink.flush()
    sink.close()
    again = KafkaSink(kafka_bootstrap, f"{kafka_topic}-one")
    assert (again.last_seq("T1"), again.last_seq("T2"), again.last_seq("T3")) == (5, 3000, 0)
    again.close()


def test_a_message_says_what_it_is(kafka_bootstrap: str, kafka_topic: str) -> None:
    with closing(KafkaSink(kafka_bootstrap, kafka_topic)) as sink:
        at = dt.datetime(2009, 6, 1, 12, tzinfo=dt.UTC)
        recorder = Recorder(sink, "T1")
        recorder.record("WagersClosed", round=1, at=at)
        recorder.flush()
    reading = {"auto_offset_reset": "earliest", "consumer_timeout_ms": 5000}
    with closing(KafkaConsumer(kafka_topic, bootstrap_servers=kafka_bootstrap, **reading)) as consumer:
        record = next(iter(consumer))
    assert record.key == b"T1"
    assert record.timestamp == at.timestamp() * 1000
    assert dict(record.headers) == {
        "content-type": b"application/avro",
        "schema": current().fingerprint.hex().encode(),
    }
