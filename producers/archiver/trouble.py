"""Reports what fails once, and its end, with growing waits between retries, so that archivers do not retry in step: a run, a
table, a partition, the group's offsets."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from producers.archiver.interface import Options
from producers.archiver.view import TopicSnapshot, TopicView
from producers.kafka_client import KafkaFailed, reason
from producers.sinks import NotDurable, SinkBusy
from replayer.processes.failure import in_one_line, is_failure

_FIRST: Final = 0.5
_MOST: Final = 15.0
_MOST_OF_TABLE: Final = 60.0


@dataclass(slots=True)
class Backoff:
    """The waits, in seconds, between tries of one thing: longer and longer, with jitter; after a success another one begins.
    ``again_at`` is when to try it next."""

    most: float = _MOST
    tries: int = 0
    again_at: float = float("-inf")

    def next(self, now: float) -> float:
        """After a failure: when to try it next."""
        whole = min(self.most, _FIRST * 2.0 ** min(self.tries, 16))
        self.tries += 1
        self.again_at = now + whole * random.uniform(0.5, 1.0)  # noqa: S311 - no secret
        return self.again_at


class Trouble:
    """The trouble of one run.

    Attributes:
        now: the present trouble; empty where there is none.
        is_disk: whether the archive cannot be written, which the topic's answers do not end.
    """

    def __init__(self, options: Options) -> None:
        self.now = ""
        self.is_disk = False
        self._options = options
        self._since = 0.0
        self._leaderless = ""
        self._wait = Backoff()

    def begins(self, error: BaseException, *, quiet: bool) -> float:
        """Report a failure, unless it was reported or with ``quiet``; returns when to try again."""
        where = f"Kafka at {self._options.bootstrap}, topic {self._options.topic}"
        what = str(error) if isinstance(error, NotDurable) else f"{where}: {in_one_line(error)}"
        if what != self.now and not quiet:
            self._options.notify(f"{what}; it is tried again until it works")
        now = self._options.monotonic()
        if not self.now:
            self._since = now
        self.now = what
        self.is_disk = isinstance(error, NotDurable) and not isinstance(error, KafkaFailed)
        return self._wait.next(now)

    def was_read(self) -> None:
        """Note that the topic was read."""
        if self.now and not self.is_disk:
            self._ends(f"topic {self._options.topic} answers again")

    def was_written(self) -> None:
        """Note that the archive was written."""
        if self.is_disk:
            self._ends(f"{self._options.archive} can be written again")

    def report_leaders(self, snapshot: TopicSnapshot) -> None:
        """Report partitions without a leader, and when all have one again."""
        if snapshot.leaderless != self._leaderless:
            self._leaderless = snapshot.leaderless
            self._options.notify(self._leaderless or "every partition has a leader again", bad=bool(self._leaderless))

    def _ends(self, what: str) -> None:
        self._options.notify(f"{what} after {self._options.monotonic() - self._since:.0f} s", bad=False)
        self.now = ""
        self.is_disk = False
        self._wait = Backoff()


@dataclass(slots=True)
class StuckTable:
    """Why a table cannot be written, and what to do; ``busy``: only because another process has it open."""

    why: str
    busy: bool


class StuckTables(dict[str, StuckTable]):
    """The tables that cannot be written, by their ids: because of a damaged manifest or journal, a full disk, or another process.

    Such a table does not stop the others. One that is taken out could be opened again; its next flush shows whether it can be
    written.
    """

    def __init__(self, options: Options) -> None:
        super().__init__()
        self._options = options
        self._waits: dict[str, Backoff] = {}  # of those that were reported and not written since

    @property
    def why(self) -> dict[str, str]:
        """Why each cannot be written, by table."""
        return {table_id: self[table_id].why for table_id in sorted(self)}

    def mark_stuck(self, table_id: str, error: Exception) -> None:
        """Note that a table cannot be written."""
        why = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
        self[table_id] = StuckTable(why, isinstance(error, SinkBusy))
        if table_id not in self._waits:
            self._waits[table_id] = Backoff(_MOST_OF_TABLE)
            self._options.notify(
                f"table {table_id} is not written, its events wait in the topic and all others go on: {why}"
            )
        self._waits[table_id].next(self._options.monotonic())

    def to_retry(self, *, all_of_them: bool = False) -> list[str]:
        """The tables that are to be tried again now."""
        now = self._options.monotonic()
        return [table_id for table_id in sorted(self) if all_of_them or now >= self._waits[table_id].again_at]

    def note_written(self, table_id: str) -> None:
        """Note that a table's events were written."""
        if self._waits.pop(table_id, None):
            self._options.notify(f"table {table_id} is written again", bad=False)


@dataclass(slots=True)
class _Unreadable:
    """A partition whose message at ``offset`` cannot be read; ``why`` says it to the operator."""

    offset: int
    why: str
    wait: Backoff = field(default_factory=Backoff)


class UnreadablePartitions:
    """Partitions of which the next message cannot be read, because a broker's disk altered it, say.

    Such a partition does not stop the others: it is left out for growing waits. This is reported once, and once more when it is
    read again.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._partitions: dict[int, _Unreadable] = {}

    @property
    def now(self) -> str:
        """What cannot be read at present; empty where there is nothing."""
        return "; ".join(self._partitions[partition].why for partition in sorted(self._partitions))

    @property
    def left_out(self) -> frozenset[int]:
        """The partitions that are not to be read until their waits are over."""
        now = self._options.monotonic()
        return frozenset(partition for partition, each in self._partitions.items() if now < each.wait.again_at)

    def leave_out(self, partition: int, offset: int, error: Exception) -> None:
        """Leave a partition out for a while: its message at an offset cannot be read."""
        if partition not in self._partitions:
            why = f"{self._named(partition)} cannot be read at offset {offset}: {reason(error)}"
            self._partitions[partition] = _Unreadable(offset, why)
            self._options.notify(f"{why}; all others go on, and it is tried again until it works")
        self._partitions[partition].wait.next(self._options.monotonic())

    def note_offsets(self, at: Mapping[int, int]) -> None:
        """Note the next offset to read of each partition that is read here."""
        for partition, each in list(self._partitions.items()):
            if at.get(partition) != each.offset:
                del self._partitions[partition]
                if partition in at:
                    self._options.notify(f"{self._named(partition)} is read again", bad=False)

    def _named(self, partition: int) -> str:
        return f"partition {partition} of topic {self._options.topic}"


class GroupOffsets:
    """Commits the consumer group's offsets, for tools that watch the lag in Kafka; the archive never reads them.

    Two refusals in a row are reported once; commits are retried with growing waits.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._committed: dict[int, int] = {}
        self._wait = Backoff()

    def commit(self, view: TopicView, offsets: Mapping[int, int], *, now: bool = False) -> None:
        """Commit the changed offsets, unless Kafka refused recently; ``now`` tries in any case."""
        changed = {partition: at for partition, at in offsets.items() if self._committed.get(partition) != at}
        if not changed or (self._options.monotonic() < self._wait.again_at and not now):
            return
        try:
            view.commit(changed)
        except BaseException as error:
            if not is_failure(error):
                raise
            if self._wait.tries == 1:  # a single refusal is the broker going away, which is reported elsewhere
                why = str(error) if isinstance(error, NotDurable) else in_one_line(error)
                self._options.notify(
                    f"offsets of group {self._options.group} cannot be committed, which only those who watch its lag in "
                    f"Kafka miss: {why}"
                )
            self._wait.next(self._options.monotonic())
            return
        self._committed |= changed
        if self._wait.tries > 1:
            self._options.notify(f"offsets of group {self._options.group} are committed again", bad=False)
        self._wait = Backoff()
