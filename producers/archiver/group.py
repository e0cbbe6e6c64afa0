"""Commits the consumer group's offsets to Kafka, for tools that watch the lag there. The archive never reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from producers.archiver.backoff import Backoff
from producers.archiver.view import TopicView
from replayer.failure import in_one_line, is_failure


class GroupOffsets:
    """Commits the offsets. Two refusals in a row are reported once; commits are retried with growing waits."""

    def __init__(self, group: str, notify: Callable[..., None], monotonic: Callable[[], float]) -> None:
        self._group = group
        self._notify = notify
        self._monotonic = monotonic
        self._committed: dict[int, int] = {}
        self._wait = Backoff()
        self._again_at = float("-inf")

    def commit(self, view: TopicView, offsets: Mapping[int, int], *, now: bool = False) -> None:
        """Commit the changed offsets, unless Kafka refused recently; ``now`` tries in any case."""
        changed = {partition: at for partition, at in offsets.items() if self._committed.get(partition) != at}
        if not changed or (self._monotonic() < self._again_at and not now):
            return
        try:
            view.commit(changed)
        except BaseException as error:
            if not is_failure(error):
                raise
            if self._wait.tries == 1:  # a single refusal is the broker going away, which is reported elsewhere
                self._notify(
                    f"offsets of group {self._group} cannot be committed, which only those who watch its lag in Kafka miss: "
                    f"{in_one_line(error)}"
                )
            self._again_at = self._monotonic() + self._wait.next()
            return
        self._committed |= changed
        if self._wait.tries > 1:
            self._notify(f"offsets of group {self._group} are committed again", bad=False)
        self._wait.reset()
