"""A process that records some tables: the events of a simulated week, each when it is due, through a spool into Kafka.

``python tests/soak/recorder.py ORDER.json``, again and again after each kill: it goes on behind the last number that its
spool has. To ``acks`` it appends a JSON line for each flush, and for what still waits in the spool.
"""

from __future__ import annotations

import base64
import json
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from producers.sinks.kafka import KafkaSink

MOST_TOGETHER = 1_000


def record(order: dict[str, Any]) -> None:
    """Record all that is due until the last event of the week is in the topic."""
    acks = Path(order["acks"]).open("a", buffering=1)  # noqa: SIM115 - a line each, open until a kill

    def note(**said: Any) -> None:
        acks.write(json.dumps(said) + "\n")

    def trouble(what: str) -> None:
        sys.stderr.write(f"{what}\n")

    with closing(KafkaSink(order["kafka"], order["topic"], Path(order["spool"]), on_trouble=trouble)) as sink:
        reached = {table_id: sink.last_seq(table_id) for table_id in order["tables"]}
        events = Path(order["events"]).read_text().splitlines()
        due = [event for event in map(json.loads, events) if event["seq"] > reached[event["table"]]]
        note(opened=time.time(), waiting=sink.fill.events)
        at, looked = 0, 0.0
        while at < len(due):
            now, first = time.time(), at
            began = time.perf_counter()
            while at < len(due) and due[at]["due"] <= now and at - first < MOST_TOGETHER:
                event = due[at]
                sink.append(event["table"], event["day"], event["seq"], base64.b64decode(event["message"]))
                at += 1
            if at > first:
                sink.flush()
                acked = [[event["table"], event["day"], event["seq"]] for event in due[first:at]]
                note(at=time.time(), seconds=time.perf_counter() - began, acked=acked)
            else:
                time.sleep(0.02)
            if time.time() - looked >= 0.25:
                looked = time.time()
                note(looked=looked, waiting=sink.fill.events)
        while sink.fill.events:
            time.sleep(0.1)
        note(done=time.time())


if __name__ == "__main__":
    record(json.loads(Path(sys.argv[1]).read_text()))
