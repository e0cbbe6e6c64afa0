"""What an error of kafka-python is told as: one sentence that says each thing once."""

from __future__ import annotations

import pytest
from kafka.errors import CoordinatorNotAvailableError, KafkaConnectionError, NodeNotReadyError, RequestTimedOutError

from producers.kafka_client import sentence


@pytest.mark.parametrize("error", [NodeNotReadyError("No node_id provided"), KafkaConnectionError("closed")])
def test_a_broker_that_is_gone_is_told_as_that(error: Exception) -> None:
    """An archiver whose broker was killed said `NodeNotReadyError: NodeNotReadyError: No node_id provided`."""
    assert sentence(error, "broker:9092", "pit") == "Kafka at broker:9092 does not answer"


@pytest.mark.parametrize("error", [CoordinatorNotAvailableError(), RequestTimedOutError("late")])
def test_an_errors_name_is_said_once(error: Exception) -> None:
    assert sentence(error, "broker:9092", "pit").count(type(error).__name__) == 1


def test_an_error_that_is_not_kafkas_is_named() -> None:
    assert sentence(OSError("no route"), "broker:9092", "pit").endswith("OSError: no route")
