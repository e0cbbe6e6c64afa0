"""Reports failures of a run once, and their end, with growing waits between retries, so that archivers do not retry in step."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from producers.archiver.options import Options
from producers.archiver.view import TopicSnapshot, TopicView
from producers.kafka_client import KafkaFailed
from producers.sinks import NotDurable
from replayer.processes.failure import in_one_line, is_failure

_FIRST: Final = 0.5
_MOST: Final = 15.0


@dataclass(slots=True)
class Backoff:
    """The waits, in seconds, between tries of one thing: longer and longer, with jitter."""

    most: float = _MOST
    tries: int = 0

    def next(self) -> float:
        """The seconds to wait before the next try."""
        whole = min(self.most, _FIRST * 2.0 ** min(self.tries, 16))
        self.tries += 1
        return whole * random.uniform(0.5, 1.0)  # noqa: S311 - no secret

    def reset(self) -> None:
        """After a success: start with short waits again."""
        self.tries = 0


class Trouble:
    """The trouble of one run.

    Attributes:
        now: the present trouble; empty where there is none.
        is_disk: whether the archive cannot be written, which the topic's answers do not end.
    """

    def __init__(self, options: Options, notify: Callable[..., None]) -> None:
        self.now = ""
        self.is_disk = False
        self._options = options
        self._notify = notify
        self._since = 0.0
        self._leaderless = ""
        self._wait = Backoff()

    def begins(self, error: BaseException, *, quiet: bool) -> float:
        """Report a failure, unless it was reported or with ``quiet``; returns the seconds to wait before the next try."""
        where = f"Kafka at {self._options.bootstrap}, topic {self._options.topic}"
        what = str(error) if isinstance(error, NotDurable) else f"{where}: {in_one_line(error)}"
        if what != self.now and not quiet:
            self._notify(f"{what}; it is tried again until it works")
        if not self.now:
            self._since = self._options.monotonic()
        self.now = what
        self.is_disk = isinstance(error, NotDurable) and not isinstance(error, KafkaFailed)
        return self._wait.next()

    def was_read(self) -> None:
        """Note that the topic was read."""
        if not self.is_disk:
            if self.now:
                self._ends(f"topic {self._options.topic} answers again")
            self._wait.reset()

    def was_written(self) -> None:
        """Note that the archive was written."""
        if self.is_disk:
            self._ends(f"{self._options.archive} can be written again")

    def report_leaders(self, snapshot: TopicSnapshot) -> None:
        """Report partitions without a leader, and when all have one again."""
        if snapshot.leaderless != self._leaderless:
            self._leaderless = snapshot.leaderless
            self._notify(self._leaderless or "every partition has a leader again", bad=bool(self._leaderless))

    def _ends(self, what: str) -> None:
        self._notify(f"{what} after {self._options.monotonic() - self._since:.0f} s", bad=False)
        self.now = ""
        self.is_disk = False
        self._wait.reset()


class GroupOffsets:
    """Commits the consumer group's offsets, for tools that watch the lag in Kafka; the archive never reads them.

    Two refusals in a row are reported once; commits are retried with growing waits.
    """

    def __init__(self, options: Options, notify: Callable[..., None]) -> None:
        self._options = options
        self._notify = notify
        self._committed: dict[int, int] = {}
        self._wait = Backoff()
        self._again_at = float("-inf")

    def commit(self, view: TopicView, offsets: Mapping[int, int], *, now: bool = False) -> None:
        """Commit the changed offsets, unless Kafka refused recently; ``now`` tries in any case."""
        changed = {partition: at for partition, at in offsets.items() if self._committed.get(partition) != at}
        if not changed or (self._options.monotonic() < self._again_at and not now):
            return
        try:
            view.commit(changed)
        except BaseException as error:
            if not is_failure(error):
                raise
            if self._wait.tries == 1:  # a single refusal is the broker going away, which is reported elsewhere
                self._notify(
                    f"offsets of group {self._options.group} cannot be committed, which only those who watch its lag in "
                    f"Kafka miss: {in_one_line(error)}"
                )
            self._again_at = self._options.monotonic() + self._wait.next()
            return
        self._committed |= changed
        if self._wait.tries > 1:
            self._notify(f"offsets of group {self._options.group} are committed again", bad=False)
        self._wait.reset()
