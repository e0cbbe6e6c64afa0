"""How fast a table records behind a spool, and how fast a spool drains: ``python tests/bench/recording.py HOST:PORT``.

Needs a broker that may be written to; makes a topic of its own. Prints one JSON object: milliseconds from an event to its
acknowledgement (record and flush, one event each), with the broker and without one, and events a second of draining.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
import uuid
from contextlib import closing
from pathlib import Path

from producers.recorder import Recorder
from producers.sinks.kafka import KafkaSink
from producers.topic import Shape, create

ONE_BY_ONE = 1_000
BACKLOG = 100_000
AWAY = "127.0.0.1:9"


def flushed(recorder: Recorder) -> dict[str, float]:
    """Milliseconds of recording and flushing an event."""
    took = []
    for _ in range(ONE_BY_ONE):
        began = time.perf_counter()
        recorder.record("WagersClosed", round=1)
        recorder.flush()
        took.append(1000 * (time.perf_counter() - began))
    return {"median_ms": round(statistics.median(took), 3), "p99_ms": round(statistics.quantiles(took, n=100)[98], 3)}


def measure(bootstrap: str, spool: Path) -> dict[str, object]:
    """All figures."""
    topic = f"bench-{uuid.uuid4().hex[:12]}"
    create(bootstrap, topic, Shape(partitions=1, replication=1, min_in_sync=1))
    with closing(KafkaSink(bootstrap, topic, spool)) as sink:
        connected = flushed(Recorder(sink, "T1"))
        sink.drain(60)
    with closing(KafkaSink(AWAY, topic, spool)) as sink:
        recorder = Recorder(sink, "T1")
        alone = flushed(recorder)
        for _ in range(BACKLOG - ONE_BY_ONE):
            recorder.record("WagersClosed", round=1)
        recorder.flush()
    with closing(KafkaSink(bootstrap, topic, spool)) as sink:
        sink.last_seq("T1")  # claimed and looked up
        began, waiting = time.perf_counter(), sink.fill.events
        sink.drain(600)
        drained = waiting / (time.perf_counter() - began)
    return {"flush": connected, "flush_without_broker": alone, "drained_events_per_second": round(drained)}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(sys.argv[1], Path(folder)), indent=2))
