"""How far a run is: the line that is reported every minute; for a run to the topic's end what is left, and when to give up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from producers.archiver.ingestion import Ingestion
from producers.archiver.interface import OpenTable, Options, Progress
from producers.archiver.sealing import Sealing
from producers.archiver.view import TopicSnapshot
from producers.kafka_client import KafkaFailed
from replayer.sources.lost import lost_messages
from schemas.plural import plural

_EVERY_SECONDS: Final = 60.0


class ProgressLines:
    """Makes the progress lines of one run."""

    def __init__(self, options: Options, ingestion: Ingestion, sealing: Sealing) -> None:
        self.began = options.monotonic()
        self._options = options
        self._ingestion = ingestion
        self._sealing = sealing
        self._last_at = self.began
        self._last_events = 0

    @property
    def is_due(self) -> bool:
        """Whether a minute has passed."""
        return self._options.monotonic() - self._last_at >= _EVERY_SECONDS

    def line(self, snapshot: TopicSnapshot | None, trouble: str) -> Progress:
        """The run's progress after a snapshot, or before the first; ``trouble`` is what prevents it from reading at present."""
        options, now = self._options, self._options.monotonic()
        seconds = max(now - self._last_at, 1e-9)
        rate = (self._ingestion.done.events - self._last_events) / seconds
        self._last_at, self._last_events = now, self._ingestion.done.events
        under_way = sorted(self._ingestion.under_way(), key=lambda table_day: (table_day[1], table_day[0]))
        partitions = self._ingestion.partitions
        lag = sum(each.place.end - each.safe_to for each in partitions.values())
        return Progress(
            at=options.moment(),
            topic=options.topic,
            partitions=tuple(sorted(partitions)),
            events=self._ingestion.done.events,
            rate=rate,
            lag=None if snapshot is None else max(0, lag),
            open=len(under_way),
            oldest=OpenTable(*under_way[0], self._sealing.quiet_seconds(under_way[0])) if under_way else None,
            quarantined=self._ingestion.quarantine.count,
            lost=sum(lost.topic == options.topic for lost in lost_messages(options.archive)),
            stuck=self._ingestion.stuck.why,
            trouble=trouble,
        )


class Ending:
    """The end of one run: the topic's end at the run's first snapshot.

    Attributes:
        targets: the end offset of each partition; None before the first snapshot.
        others: the offsets of the partitions that other archivers read.
    """

    def __init__(self, options: Options) -> None:
        self.targets: dict[int, int] | None = None
        self.others: dict[int, int] = {}
        self._options = options
        self._remaining: int | None = None
        self._further_at = options.monotonic()

    def note_snapshot(self, snapshot: TopicSnapshot, others: Mapping[int, int]) -> None:
        """Note the ends of the first snapshot, and the offsets of the partitions that are not read here. Without a leader a
        partition has no end: that is KafkaFailed."""
        if self.targets is None:
            if snapshot.leaderless:
                raise KafkaFailed(f"topic {self._options.topic}: {snapshot.leaderless}")
            self.targets = dict(snapshot.ends)
        self.others = {partition: others.get(partition, 0) for partition in self.targets}

    def remaining(self, at: Mapping[int, int]) -> int | None:
        """The offsets left to read, where ``at`` are those of the partitions read here; None before the first snapshot."""
        if self.targets is None:
            return None
        where = self.others | dict(at)
        return sum(max(0, end - where[partition]) for partition, end in self.targets.items())

    def is_over_time(self, left: int | None) -> bool:
        """Whether the offsets left have been the same for the run's time limit."""
        now = self._options.monotonic()
        if left != self._remaining:
            self._remaining, self._further_at = left, now
        return now - self._further_at >= self._options.timeout_seconds

    def no_answer(self, at: Mapping[int, int], unreadable: str) -> KafkaFailed:
        """The error with which the run gives up; ``unreadable`` says which partitions cannot be read, if any."""
        targets = self.targets or {}
        of_others = [str(p) for p, end in sorted(targets.items()) if p not in at and self.others[p] < end]
        held = f", of which another archiver reads partition {', '.join(of_others)}" if of_others else ""
        left = plural(self._remaining or 0, "message")
        said = unreadable or f"topic {self._options.topic}: no answer"
        return KafkaFailed(
            f"{said} for {self._options.timeout_seconds:g} seconds, {left} short of the "
            f"end{held}; what was taken is safe, run again and it goes on"
        )
