"""What an error of kafka-python is told as: one sentence that says each thing once."""

from __future__ import annotations

import pytest
from kafka.errors import (
    CoordinatorNotAvailableError,
    KafkaConnectionError,
    KafkaTimeoutError,
    NodeNotReadyError,
    RequestTimedOutError,
)

from producers.kafka_client import sentence


@pytest.mark.parametrize("error", [NodeNotReadyError("No node_id provided"), KafkaConnectionError("closed")])
def test_a_broker_that_is_gone_is_reported_as_that(error: Exception) -> None:
    """An archiver whose broker was killed said `NodeNotReadyError: NodeNotReadyError: No node_id provided`."""
    assert sentence(error, "broker:9092", "pit") == "Kafka at broker:9092 does not answer"


@pytest.mark.parametrize("error", [CoordinatorNotAvailableError(), RequestTimedOutError("late")])
def test_an_errors_name_is_said_once(error: Exception) -> None:
    assert sentence(error, "broker:9092", "pit").count(type(error).__name__) == 1


@pytest.mark.parametrize(
    ("error", "said"), [(KafkaTimeoutError(None), ""), (KafkaTimeoutError("no offsets"), ": no offsets")]
)
def test_an_answer_that_does_not_come_is_reported_without_words_that_say_nothing(error: Exception, said: str) -> None:
    """An archiver whose coordinator was killed said `did not answer in time: KafkaTimeoutError: None`."""
    assert sentence(error, "broker:9092", "pit") == f"Kafka at broker:9092 did not answer in time{said}"


def test_an_error_that_is_not_kafkas_is_named() -> None:
    assert sentence(OSError("no route"), "broker:9092", "pit").endswith("OSError: no route")
