"""Reports failures of a run once, and their end, with growing waits between retries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from producers.archiver.backoff import Backoff
from producers.archiver.topic_check import leaderless
from producers.archiver.view import TopicSnapshot
from producers.kafka_client import KafkaFailed
from producers.sinks import NotDurable
from replayer.failure import in_one_line


class Trouble:
    """The trouble of one run.

    Attributes:
        now: the present trouble; empty where there is none.
        is_disk: whether the archive cannot be written, which the topic's answers do not end.
    """

    def __init__(
        self, archive: Path, bootstrap: str, topic: str, notify: Callable[..., None], monotonic: Callable[[], float]
    ) -> None:
        self.now = ""
        self.is_disk = False
        self._archive = archive
        self._bootstrap = bootstrap
        self._topic = topic
        self._notify = notify
        self._monotonic = monotonic
        self._since = 0.0
        self._leaderless = ""
        self._wait = Backoff()

    def begins(self, error: BaseException, *, quiet: bool) -> float:
        """Report a failure, unless it was reported or with ``quiet``; returns the seconds to wait before the next try."""
        where = f"Kafka at {self._bootstrap}, topic {self._topic}"
        what = str(error) if isinstance(error, NotDurable) else f"{where}: {in_one_line(error)}"
        if what != self.now and not quiet:
            self._notify(f"{what}; it is tried again until it works")
        if not self.now:
            self._since = self._monotonic()
        self.now = what
        self.is_disk = isinstance(error, NotDurable) and not isinstance(error, KafkaFailed)
        return self._wait.next()

    def was_read(self) -> None:
        """Note that the topic was read."""
        if not self.is_disk:
            if self.now:
                self._ends(f"topic {self._topic} answers again")
            self._wait.reset()

    def was_written(self) -> None:
        """Note that the archive was written."""
        if self.is_disk:
            self._ends(f"{self._archive} can be written again")

    def report_leaders(self, snapshot: TopicSnapshot) -> None:
        """Report partitions without a leader, and when all have one again."""
        if (without := leaderless(snapshot)) != self._leaderless:
            self._leaderless = without
            self._notify(without or "every partition has a leader again", bad=bool(without))

    def _ends(self, what: str) -> None:
        self._notify(f"{what} after {self._monotonic() - self._since:.0f} s", bad=False)
        self.now = ""
        self.is_disk = False
        self._wait.reset()
