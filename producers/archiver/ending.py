"""The progress of a run to the topic's end, and when to give up."""

from __future__ import annotations

from collections.abc import Mapping

from producers.archiver.options import Options
from producers.archiver.view import TopicSnapshot
from producers.kafka_client import KafkaFailed
from schemas.plural import plural


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

    def note_remaining(self, left: int | None) -> None:
        """Note the offsets left; a change restarts the time limit."""
        if left != self._remaining:
            self._remaining, self._further_at = left, self._options.monotonic()

    @property
    def is_over_time(self) -> bool:
        """Whether the run made no progress for its time limit."""
        return self._options.monotonic() - self._further_at >= self._options.timeout_seconds

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
