"""Takes a Kafka topic over into the archive, exactly once, for as long as there are tables.

``run`` reads and stays up, ``ingestion`` puts events onto the disk, ``stuck`` keeps one table's trouble from the others,
``standing`` notices what the topic lacks, ``sealing`` says when a table-day is complete, ``sharing`` divides the partitions among
several archivers of one archive, ``place`` remembers how far each was taken.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from producers.archiver.lines import Line, Notice, Progress, Sealed
from producers.archiver.run import Archived, Order, Run
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
    """Take ``topic`` over into ``archive`` and seal finished table-days.

    With ``until_end`` it ends where the topic ended when it began, and seals every table-day that it took events of.
    Without, it goes on until ``stop`` says so, whatever becomes of the broker, and seals a table-day once it is closed, or once
    its gaming day is over and nothing came of it for ``quiet_seconds``; what comes later goes into a linked part.

    Several archivers of one topic and one archive on one host share the partitions. A table that cannot be written stops
    alone. ``group`` names the consumer group whose offsets are committed; ``on_line`` is called with a line a minute, one a
    sealing and one for each trouble.

    Raises:
        KafkaRefused: no right, no such topic, options that do not fit.
        KafkaFailed: a run to the end has no connection, or no answer for ``timeout_seconds``.
        NotDurable: the archive's own files cannot be read or, in a run to the end, written. What was taken is safe.
    """
    if not _TOPIC.fullmatch(topic):
        raise KafkaRefused(f"{topic!r} is no topic's name: letters, digits, '.', '_' and '-', 249 at most")
    run = Run(
        Order(
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
