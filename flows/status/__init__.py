"""The status of a property: topic, archive, lake and spools, and what needs attention.

Reading it changes nothing and blocks nobody: names, notes and manifests, the ends of long journals, and of the lake the wagers of
its last gaming days. Replays, nightly runs and reports check every byte against its digest.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from flows.known_errors import CouldNotRun
from flows.settings import Settings
from flows.status.alarms import Alarm, Raised
from flows.status.archive import ArchiveStatus, look_at_archive
from flows.status.lake import LakeStatus, last_days, look_at_lake
from flows.status.spools import SpoolStatus, look_at_spool
from flows.status.topic import TopicStatus, look_at_topic
from producers.archiver.place import topics as topics_of
from producers.outputs import why_no_archive

DAYS: Final = 7
"""The default number of gaming days of the lake to look at."""


@dataclass(frozen=True, slots=True)
class Status:
    """How a property stood ``at`` a moment (UTC). ``archive`` and ``lake`` are None where none is named; ``alarms`` are what
    somebody should look at, the worst first; ``seconds`` is what the look took; ``trouble`` says why no later look told more,
    empty where this is how it stands."""

    at: dt.datetime
    topics: tuple[TopicStatus, ...]
    archive: ArchiveStatus | None
    lake: LakeStatus | None
    alarms: tuple[Raised, ...]
    seconds: float = 0.0
    spools: tuple[SpoolStatus, ...] = ()
    trouble: str = ""

    @property
    def fine(self) -> bool:
        """Whether the status is known and nothing needs attention."""
        return not (self.alarms or self.trouble)

    @property
    def sentence(self) -> str:
        """How it stands, in one sentence."""
        if self.trouble:
            return f"The status is not known: {self.trouble}."
        if self.fine:
            return "Nothing needs to be looked at."
        kinds = [f"{each.alarm.replace('_', ' ')} ({each.count:,})" for each in self.alarms]
        return f"Somebody should look: {', '.join(kinds)}."

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "at": self.at.isoformat(timespec="seconds"),
            "fine": self.fine,
            "sentence": self.sentence,
            "alarms": [asdict(each) for each in self.alarms],
            "topics": [each.to_dict() for each in self.topics],
            "archive": self.archive.to_dict() if self.archive else None,
            "lake": self.lake.to_dict() if self.lake else None,
            "spools": [each.to_dict() for each in self.spools],
            "seconds": round(self.seconds, 3),
        }


def look(
    archive: Path | None,
    lake: Path | None,
    now: dt.datetime | None = None,
    *,
    topic: str | None = None,
    brokers: str | None = None,
    kafka: Mapping[str, str] = MappingProxyType({}),
    spools: Iterable[Path] = (),
    days: int = DAYS,
    settings: Settings | None = None,
) -> Status:
    """Look at a property.

    Args:
        topic: the one that is taken over; None stands for every one of which the archive has anything.
        brokers: asked for the topic's ends; None: nobody is asked. ``kafka`` are options of kafka-python.
        spools: folders of recorders that write to Kafka.
        days: how many of the last gaming days that the lake knows.

    Raises:
        CouldNotRun: neither archive nor lake is there, or the archive that is named is not, or is a lake.
        LakeUnusable: there is no lake at its path.
        NotDurable: there is no spool where one is named.
        OSError: a folder cannot be read.
    """
    began = time.perf_counter()
    at, chosen = now or dt.datetime.now(dt.UTC), settings or Settings()
    if archive is not None and not archive.is_dir():
        raise CouldNotRun(f"{archive}: there is no archive; check the path, or whether its disk is mounted")
    if archive is not None and (why := why_no_archive(archive)):
        raise CouldNotRun(why)
    if archive is None and (lake is None or not lake.is_dir()):
        raise CouldNotRun(f"{lake}: there is no lake; check the path, or name an archive")
    topics: tuple[TopicStatus, ...] = ()
    in_archive = in_lake = None
    if archive is not None:
        watched = topics_of(archive) if topic is None else [topic]
        topics = tuple(look_at_topic(archive, each, brokers, kafka) for each in watched)
        over = chosen.last_gaming_day(at)
        first = over - dt.timedelta(days=days - 1)
        if lake is not None:
            first = min([first, *last_days(lake, days, over)])
        in_archive = look_at_archive(archive, lake, at, chosen, first)
    if lake is not None:
        in_lake = look_at_lake(lake, archive, at, chosen, days)
    in_spools = tuple(map(look_at_spool, spools))
    alarms = [alarm for each in topics for alarm in each.alarms(at)]
    alarms += in_archive.alarms() if in_archive else ()
    alarms += in_lake.alarms() if in_lake else ()
    alarms += [alarm for spool in in_spools for alarm in spool.alarms(at)]
    alarms.sort(key=lambda each: [*Alarm].index(each.alarm))
    return Status(at, topics, in_archive, in_lake, tuple(alarms), time.perf_counter() - began, in_spools)
