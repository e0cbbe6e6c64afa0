"""Copies a Kafka topic into the archive, each event exactly once, until stopped.

``run`` reads the topic and reconnects, ``ingestion`` writes events, ``stuck`` isolates tables that cannot be written,
``topic_check`` finds messages that the topic lost, ``sealing`` decides when a table-day is complete, ``sharing`` divides the
partitions among several archivers of one archive, ``place`` keeps the offset of each partition.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from producers.archiver.lines import Line, Notice, Progress, Sealed
from producers.archiver.run import Archived, Options, Run
from producers.archiver.sealing import QUIET_SECONDS
from producers.kafka_client import KafkaRefused, Settings
from producers.recorder import GamingDays
from replayer.sources.layout import FILE_MODE

__all__ = ["GROUP", "QUIET_SECONDS", "Archived", "Line", "Notice", "Progress", "Sealed", "archive_topic"]

GROUP: Final = "pitaudit-archiver"
_TOPIC: Final = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}")


def archive_topic(
    bootstrap: str,
    topic: str,
    archive: Path,
    *,
    until_end: bool = False,
    quiet_seconds: float = QUIET_SECONDS,
    timeout_seconds: float = 60.0,
    group: str = GROUP,
    settings: Settings | None = None,
    gaming_days: GamingDays | None = None,
    file_mode: int = FILE_MODE,
    on_progress: Callable[[Archived], None] = lambda _: None,
    on_line: Callable[[Line], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
    monotonic: Callable[[], float] = time.monotonic,
    now: Callable[[], float] = time.time,
) -> Archived:
    """Copy ``topic`` into ``archive`` and seal finished table-days.

    With ``until_end`` it stops at the topic's end as of its start, and seals every table-day that it has events of. Otherwise it
    continues until ``stop`` returns true, also without a broker, and seals a table-day once it is closed, or once its gaming day
    is over and no event of it came for ``quiet_seconds``; later events go into a linked part.

    Several archivers of one topic and one archive on one host share the partitions. A table that cannot be written does not stop
    the others. ``group`` is the consumer group whose offsets are committed; ``on_line`` is called with a line a minute, one for
    each sealing and one for each trouble.

    Raises:
        KafkaRefused: no right, no such topic, options that do not fit.
        KafkaFailed: a run to the end has no connection, or no answer for ``timeout_seconds``.
        NotDurable: the archive's own files cannot be read or, in a run to the end, written. Events taken before are safe.
    """
    if not _TOPIC.fullmatch(topic):
        raise KafkaRefused(f"{topic!r} is no topic's name: letters, digits, '.', '_' and '-', 249 at most")
    run = Run(
        Options(
            bootstrap=bootstrap,
            topic=topic,
            archive=archive,
            group=group,
            settings=settings or {},
            until_end=until_end,
            quiet_seconds=quiet_seconds,
            timeout_seconds=timeout_seconds,
            gaming_days=gaming_days or GamingDays(),
            file_mode=file_mode,
            on_progress=on_progress,
            on_line=on_line,
            stop=stop,
            monotonic=monotonic,
            now=now,
        )
    )
    run.read()
    return run.done
