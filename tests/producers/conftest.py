from __future__ import annotations

import os

import pytest

from tests.producers.following import Topic


@pytest.fixture
def topic(kafka_bootstrap: str, kafka_topic: str) -> Topic:
    """A fresh topic of three partitions."""
    return Topic(kafka_bootstrap, kafka_topic)


@pytest.fixture
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that read thousands of files which are wrong: nothing that they write has to outlive a power cut."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
