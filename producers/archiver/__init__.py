"""Copies a Kafka topic into the archive, each event exactly once, until stopped.

``run`` reads the topic and reconnects, ``ingestion`` writes events, ``trouble`` isolates tables that cannot be written,
``topic_check`` finds messages that the topic lost, ``sealing`` decides when a table-day is complete, ``sharing`` divides the
partitions among several archivers of one archive, ``place`` keeps the offset of each partition.
"""

from __future__ import annotations

import re
from typing import Final

from producers.archiver.interface import Archived, Line, Notice, Options, Progress, Sealed
from producers.archiver.run import Run
from producers.kafka_client import KafkaRefused, no_topics_name

__all__ = ["Archived", "Line", "Notice", "Options", "Progress", "Sealed", "archive_topic"]

_TOPIC: Final = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}")


def archive_topic(options: Options) -> Archived:
    """Copy a topic into an archive and seal finished table-days.

    With ``until_end`` it stops at the topic's end as of its start, and seals every table-day that it has events of. Otherwise it
    continues until ``stop`` returns true, also without a broker, and seals a table-day once it is closed, or once its gaming day
    is over and no event of it came for ``quiet_seconds``; later events go into a linked part.

    Several archivers of one topic and one archive on one host share the partitions. A table that cannot be written does not stop
    the others.

    Raises:
        KafkaRefused: no right, no such topic, options that do not fit.
        KafkaFailed: a run to the end has no connection, or no answer for ``timeout_seconds``.
        NotDurable: the archive's own files cannot be read or, in a run to the end, written. Events taken before are safe.
    """
    if not _TOPIC.fullmatch(options.topic):
        raise KafkaRefused(no_topics_name(options.topic))
    return Run(options).read()
