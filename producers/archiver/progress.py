"""Makes the progress line that is reported every minute."""

from __future__ import annotations

import datetime as dt
from typing import Final

from producers.archiver.ingestion import Ingestion
from producers.archiver.lines import OpenTable, Progress
from producers.archiver.options import Options
from producers.archiver.sealing import Sealing
from producers.archiver.view import TopicSnapshot
from replayer.sources.lost import lost_messages

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
        rate = (self._ingestion.events - self._last_events) / seconds
        self._last_at, self._last_events = now, self._ingestion.events
        under_way = sorted(self._ingestion.under_way(), key=lambda table_day: (table_day[1], table_day[0]))
        partitions = self._ingestion.partitions
        lag = sum(each.place.end - self._ingestion.safe_to(number) for number, each in partitions.items())
        return Progress(
            at=options.moment(),
            topic=options.topic,
            partitions=tuple(sorted(partitions)),
            events=self._ingestion.events,
            rate=rate,
            lag=None if snapshot is None else max(0, lag),
            open=len(under_way),
            oldest=self._open(*under_way[0], now) if under_way else None,
            quarantined=self._ingestion.in_quarantine,
            lost=sum(lost.topic == options.topic for lost in lost_messages(options.archive)),
            stuck=self._ingestion.stuck.why,
            trouble=trouble,
        )

    def _open(self, table_id: str, gaming_day: dt.date, now: float) -> OpenTable:
        last_event_at = self._sealing.last_event_at((table_id, gaming_day))
        return OpenTable(table_id, gaming_day, None if last_event_at is None else now - last_event_at)
