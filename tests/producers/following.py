"""An archiver that goes on in a thread, and what tests wait for."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from kafka import KafkaProducer

from producers.archiver import Archived, Line, Notice, Options, archive_topic
from schemas.codec import encode
from schemas.event import CardAt, Event

SECONDS = 90.0
DAY = dt.date(2026, 1, 5)
NOON = 1_767_585_600_000_000


def dealt(seq: int, table_id: str = "T1") -> bytes:
    """The message of a card that was dealt."""
    return encode(Event(table_id, seq, NOON + seq, DAY, "CardDealt", 1, card=CardAt(1, 0, "Th", "up")))


def wait_for(what: Callable[[], Any], seconds: float = SECONDS) -> None:
    """Wait until something is so."""
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not come to be so"
        time.sleep(0.05)


class Following:
    """``archive_topic`` without an end, until the block is left."""

    def __init__(self, bootstrap: str, topic: str, archive: Path, **options: Any) -> None:
        self.lines: list[Line] = []
        self.done = Archived()
        self.error: BaseException | None = None
        self._ask = bootstrap, topic, archive
        self._options = options
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        def keep(now: Archived) -> None:
            self.done = now

        try:
            archive_topic(
                Options(
                    *self._ask, stop=self._stop.is_set, on_line=self.lines.append, on_progress=keep, **self._options
                )
            )
        except BaseException as error:
            self.error = error

    def told(self, words: str) -> list[str]:
        """What it told of trouble and its end, with these words in it."""
        return [line.what for line in self.lines if isinstance(line, Notice) and words in line.what]

    def __enter__(self) -> Following:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(30)
        assert not self._thread.is_alive()
        if self.error is not None and error is None:
            raise self.error


def produce(bootstrap: str, topic: str, *messages: bytes | None, partition: int = 0) -> None:
    """Send messages to a partition and wait until the broker has them."""
    producer = KafkaProducer(bootstrap_servers=bootstrap)
    for message in messages:
        producer.send(topic, value=message, partition=partition)
    producer.flush(timeout=30)
    producer.close()
