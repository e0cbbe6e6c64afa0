"""How far the archive is behind its topics, by the archiver's notes, and by the brokers where they are known."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from flows.pending_days import CLOCKS_DIFFER_SECONDS
from flows.status.alarms import Alarm, Raised, named, raised_for, time_text
from producers.archiver.place import Place, places_and_damage
from producers.sinks import NotDurable
from schemas.plural import plural

SILENT_SECONDS: Final = 180
"""An archiver writes every minute when it looked at the topic last; without it for so long it is missed."""
BEHIND_SECONDS: Final = 300
"""What the archive has not of a topic is its archiver's work of the moment, for so long."""
BEHIND_OFFSETS: Final = 10_000
"""The same where no broker says how old it is."""


@dataclass(frozen=True, slots=True)
class Partition:
    """One partition of a topic.

    Attributes:
        next: the first offset not safe in the archive; None where nothing of the partition was ever taken.
        end: its end offset, by the broker if it was asked, else as last seen by the archiver; ``lag``: the difference.
        seen_at: when an archiver looked at it last and wrote that down.
        waiting_since: when the first message that is not safe was recorded, where a broker was asked.
    """

    partition: int
    next: int | None
    end: int
    lag: int
    seen_at: dt.datetime | None
    waiting_since: dt.datetime | None = None

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        times = {"seen_at": time_text(self.seen_at), "waiting_since": time_text(self.waiting_since)}
        return {**asdict(self), **times}


@dataclass(frozen=True, slots=True)
class TopicStatus:
    """A topic that is taken over into the archive.

    Attributes:
        asked: whether a broker answered; ``trouble`` why it did not, or what is wrong with the topic there.
        damaged: why places of partitions cannot be read.
        missing: ranges that the topic lacks and the archive never took, which no archiver wrote down yet.
    """

    topic: str
    partitions: tuple[Partition, ...] = ()
    asked: bool = False
    trouble: str = ""
    damaged: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def lag(self) -> int:
        """Offsets that are not safe in the archive."""
        return sum(each.lag for each in self.partitions)

    @property
    def seen_at(self) -> dt.datetime | None:
        """When an archiver looked at the topic last: at the partition that waits longest; None where one was never looked at."""
        seen = [each.seen_at for each in self.partitions]
        return min((at for at in seen if at), default=None) if all(seen) else None

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "topic": self.topic,
            "asked": self.asked,
            "trouble": self.trouble,
            "lag": self.lag,
            "seen_at": time_text(self.seen_at),
            "partitions": [each.to_dict() for each in self.partitions],
            "damaged": list(self.damaged),
            "missing": list(self.missing),
        }

    def alarms(self, now: dt.datetime) -> Iterator[Raised]:
        """What somebody should look at."""
        yield from raised_for(Alarm.LOST_MESSAGES, f"topic {self.topic}: ", self.missing)
        yield from raised_for(Alarm.PLACE_DAMAGED, "", self.damaged)
        if self.trouble:
            yield Raised(Alarm.TOPIC_UNREACHABLE, 1, self.trouble)
        silent = [each for each in self.partitions if not each.seen_at or _is_silent(now, each.seen_at)]
        if silent or not (self.partitions or self.damaged):
            said = f"topic {self.topic}: no archiver ever looked at it"
            if any(each.seen_at for each in self.partitions):
                which = named([str(each.partition) for each in silent])
                said = f"topic {self.topic}: no archiver looked at partition {which}"
            if oldest := min((each.seen_at for each in silent if each.seen_at), default=None):
                said += f" since {oldest:%Y-%m-%d %H:%M:%S} UTC"
                said += ", which this machine's clock has not reached: set the clocks right" if oldest > now else ""
            yield Raised(Alarm.ARCHIVER_SILENT, max(1, len(silent)), f"{said}; start `pitaudit archive`")
        late = [each for each in self.partitions if self._is_behind(each, now)]
        if late:
            oldest = min((each.waiting_since for each in late if each.waiting_since), default=None)
            since = f", the oldest recorded at {oldest:%Y-%m-%d %H:%M:%S} UTC" if oldest else ""
            lag = sum(each.lag for each in late)
            yield Raised(
                Alarm.BEHIND,
                lag,
                f"topic {self.topic}: {plural(lag, 'message is', 'messages are')} not in the archive{since}",
            )

    def _is_behind(self, each: Partition, now: dt.datetime) -> bool:
        if each.waiting_since is not None:
            return (now - each.waiting_since).total_seconds() > BEHIND_SECONDS
        return each.lag >= BEHIND_OFFSETS


def look_at_topic(archive: Path, topic: str, brokers: str | None, settings: Mapping[str, str]) -> TopicStatus:
    """Look at a topic; with ``brokers`` these are asked, which takes some seconds; no answer counts as trouble."""
    kept = places_and_damage(archive, topic)
    known = {place.partition: place for place in kept if isinstance(place, Place)}
    damaged = tuple(str(each) for each in kept if isinstance(each, NotDurable))
    own = tuple(Partition(each.partition, each.next, each.end, each.lag, each.seen_at) for each in known.values())
    if brokers is None:
        return TopicStatus(topic, own, damaged=damaged)
    from producers.archiver.view import lag_of  # noqa: PLC0415 - Kafka's client is imported where it is asked

    try:
        look = lag_of(brokers, topic, {at: place.next for at, place in known.items()}, settings)
    except NotDurable as error:
        return TopicStatus(topic, own, trouble=str(error), damaged=damaged)
    partitions, missing = [], []
    for partition in sorted(look.partitions | known.keys()):
        place = known.get(partition)
        begin, end = look.begins.get(partition, 0), look.ends.get(partition)
        if end is None:
            end = place.end if place else 0
        taken = place.next if place else None
        if place and look.topic_id and place.topic_id not in ("", look.topic_id):
            missing.append(f"partition {partition} is another topic's of the same name than the archive took")
            begin, taken = 0, None
        elif taken is not None and taken < begin:
            missing.append(f"partition {partition} has lost the messages {taken} to {begin - 1}")
        elif taken is not None and partition in look.ends and taken > end:
            missing.append(f"partition {partition} ends at {end}, and the archive took it up to {taken}")
        lag = max(0, end - max(begin, taken or 0))
        seen_at = place.seen_at if place else None
        partitions.append(Partition(partition, taken, end, lag, seen_at, look.waiting.get(partition)))
    trouble = f"topic {topic}: {look.leaderless}" if look.leaderless else ""
    return TopicStatus(topic, tuple(partitions), True, trouble, damaged, tuple(missing))


def _is_silent(now: dt.datetime, seen_at: dt.datetime) -> bool:
    """An archiver that looked ahead of this clock would pass for one that just looked, until the clock is there."""
    return not -CLOCKS_DIFFER_SECONDS <= (now - seen_at).total_seconds() <= SILENT_SECONDS
