"""A run to the topic's end: what is left of it, and when it is to give up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from producers.archiver.standing import leaderless
from producers.archiver.view import Look
from producers.kafka_client import KafkaFailed
from replayer.wording import plural


@dataclass(slots=True)
class Ending:
    """The end of one run; it is where the topic ended when the run first looked.

    Attributes:
        targets: by partition, the offset behind the last message to take; None before the first look.
        others: how far the partitions are that another archiver reads.
    """

    topic: str
    timeout_seconds: float
    monotonic: Callable[[], float]
    targets: dict[int, int] | None = None
    others: dict[int, int] = field(default_factory=dict)
    _remaining: int | None = None
    _further_at: float = 0.0

    def __post_init__(self) -> None:
        self._further_at = self.monotonic()

    def look(self, look: Look, others: Mapping[int, int]) -> None:
        """Note the ends of the first look, and how far the partitions are that are not read here.

        Raises:
            KafkaFailed: a partition has no leader, so that its end is not known.
        """
        if self.targets is None:
            if without := leaderless(look):
                raise KafkaFailed(f"topic {self.topic}: {without}")
            self.targets = dict(look.ends)
        self.others = {partition: others.get(partition, 0) for partition in self.targets}

    def remaining(self, at: Mapping[int, int]) -> int | None:
        """Offsets left to read, where each partition that is read here is ``at``; None before the first look."""
        if self.targets is None:
            return None
        where = self.others | dict(at)
        return sum(max(0, end - where[partition]) for partition, end in self.targets.items())

    def further(self, left: int | None) -> None:
        """Note what is left; where it is as much as before, the time goes on."""
        if left != self._remaining:
            self._remaining, self._further_at = left, self.monotonic()

    @property
    def is_over_time(self) -> bool:
        """Whether the run got no further for its time."""
        return self.monotonic() - self._further_at >= self.timeout_seconds

    def no_answer(self, at: Mapping[int, int]) -> KafkaFailed:
        """Why the run gives up."""
        targets = self.targets or {}
        of_others = [str(p) for p, end in sorted(targets.items()) if p not in at and self.others[p] < end]
        held = f", of which another archiver reads partition {', '.join(of_others)}" if of_others else ""
        left = plural(self._remaining or 0, "message")
        return KafkaFailed(
            f"topic {self.topic}: no answer for {self.timeout_seconds:g} seconds, {left} short of the "
            f"end{held}; what was taken is safe, run again and it goes on"
        )
