"""Measures how far the archive is behind a topic, from the brokers themselves, without committing anything."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from producers.archiver.options import Options
from producers.archiver.view import TopicSnapshot, TopicView
from producers.kafka_client import Settings, explained
from schemas.event import moment

_BOOTSTRAP_MS: Final = 3_000
_READ_SECONDS: Final = 3.0
_POLL_MS: Final = 200


@dataclass(frozen=True, slots=True)
class TopicLag:
    """A topic as its brokers describe it.

    ``waiting`` maps a partition to the time (UTC) of the first message that the archive does not have: the event's time where
    the topic keeps the recorders' timestamps. A partition where that message has no time of the calendar is left out.
    """

    snapshot: TopicSnapshot
    waiting: Mapping[int, dt.datetime]


def lag_of(bootstrap: str, topic: str, taken: Mapping[int, int], settings: Settings | None = None) -> TopicLag:
    """Read the end offsets of a topic; ``taken`` has the first offset not safe in the archive, by partition. Takes seconds.

    Raises:
        KafkaFailed: no answer.
        KafkaRefused: no such topic, no right to it, or options that do not fit.
    """
    with explained(bootstrap, topic):
        options = Options(bootstrap, topic, Path(), settings=settings or {})
        with closing(TopicView(options, bootstrap_ms=_BOOTSTRAP_MS)) as view:
            snapshot = view.snapshot()
            starts = {number: max(begin, taken.get(number, begin)) for number, begin in snapshot.begins.items()}
            behind = {number: start for number, start in starts.items() if start < snapshot.ends[number]}
            times = _first_times(view, behind)
            return TopicLag(snapshot, {number: at for number, at in times.items() if at is not None})


def _first_times(view: TopicView, behind: Mapping[int, int]) -> dict[int, dt.datetime | None]:
    found: dict[int, dt.datetime | None] = {}
    deadline = time.monotonic() + _READ_SECONDS
    reading: frozenset[int] = frozenset()
    while (left := behind.keys() - found.keys()) and time.monotonic() < deadline:
        if left != reading:
            view.read_from({partition: behind[partition] for partition in left})
            reading = frozenset(left)
        for record in view.poll(_POLL_MS):
            if record.partition not in found:
                found[record.partition] = _moment(record.timestamp)
    return found


def _moment(milliseconds: int | None) -> dt.datetime | None:
    """The time of a message; None where it has none, or one outside the calendar, which any program may write."""
    if milliseconds is None or milliseconds < 0:
        return None
    try:
        return moment(milliseconds * 1000)
    except OverflowError:
        return None
