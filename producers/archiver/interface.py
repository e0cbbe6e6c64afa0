"""What an archiver is asked to do, what it has done, and the lines that it reports: one a minute, one for each sealing, one when
trouble begins and one when it ends."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

from producers import ARCHIVER_GROUP, QUIET_SECONDS
from producers.kafka_client import Settings
from producers.recorder import GamingDays
from producers.sinks import TableDayName
from replayer.sources.layout import FILE_MODE, Manifest
from replayer.sources.lost import Lost
from replayer.sources.safe_texts import json_object
from schemas.plural import plural


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table-day that is not sealed, with the seconds since its last event came."""

    table_id: str
    gaming_day: dt.date
    quiet_seconds: int | None


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of an archiver.

    Attributes:
        events: taken since it began; ``rate``: per second since the previous line.
        lag: offsets from the first message not safe to the end, over the partitions read here; None before Kafka's first answer.
        oldest: the table-day that has been open longest, by its gaming day; ``open`` how many there are.
        quarantined: messages of the topic in quarantine, ``lost``: its missing ranges, both including earlier runs.
        stuck: tables that cannot be written, and why.
        trouble: what prevents it from reading at present; empty where nothing does.
    """

    at: dt.datetime
    topic: str
    partitions: tuple[int, ...]
    events: int
    rate: float
    lag: int | None
    open: int
    oldest: OpenTable | None
    quarantined: int
    lost: int
    stuck: dict[str, str] = field(default_factory=dict)
    trouble: str = ""

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return {"line": "progress", **json_object(self), "rate": round(self.rate, 1)}

    def __str__(self) -> str:
        behind = "lag not known" if self.lag is None else f"lag {self.lag:,}"
        parts = [plural(self.events, "event"), f"{self.rate:,.1f} a second", behind]
        if self.oldest is None:
            parts.append("no table open")
        else:
            parts.append(
                f"{plural(self.open, 'table-day')} open, oldest {self.oldest.gaming_day} {self.oldest.table_id}"
            )
        parts.append(f"{self.quarantined} in quarantine")
        parts += [f"{plural(self.lost, 'range')} lost"] if self.lost else []
        parts += [f"stuck: {', '.join(self.stuck)}"] if self.stuck else []
        parts += [self.trouble] if self.trouble else []
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Sealed:
    """A part of a table-day was sealed; part 0 is the first, all others are late."""

    at: dt.datetime
    manifest: Manifest

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "line": "sealed",
            "at": self.at.isoformat(),
            "table_id": self.manifest.table_id,
            "gaming_day": str(self.manifest.gaming_day),
            "part": self.manifest.part,
            "events": self.manifest.count,
            "sha256": self.manifest.sha256,
        }

    def __str__(self) -> str:
        part = f", late part {self.manifest.part}" if self.manifest.part else ""
        events = f"{plural(self.manifest.count, 'event')}, {self.manifest.first_seq} to {self.manifest.last_seq}"
        return f"sealed {self.manifest.gaming_day} {self.manifest.table_id}{part}: {events}"


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice for the operator: trouble, its end, or lost messages. ``bad`` is false for good news."""

    at: dt.datetime
    what: str
    bad: bool = True

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return {"line": "trouble" if self.bad else "told", "at": self.at.isoformat(), "what": self.what}

    def __str__(self) -> str:
        return self.what


Line = Progress | Sealed | Notice


@dataclass(slots=True)
class Archived:
    """The result of a run of the archiver.

    Attributes:
        offsets: the offset of the first message that is not safe, by partition that it read.
        behind: the offsets from there to the end, over these partitions.
        stuck: tables that could not be written in the end, with the reason.
        lost: messages that the run found missing in the topic.
        left_open: table-days that a run to the end did not seal, since another archiver reads their partitions.
    """

    events: int = 0
    duplicates: int = 0
    quarantined: int = 0
    sealed: list[TableDayName] = field(default_factory=list)
    offsets: dict[int, int] = field(default_factory=dict)
    behind: int = 0
    stuck: dict[str, str] = field(default_factory=dict)
    lost: list[Lost] = field(default_factory=list)
    left_open: list[TableDayName] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a run.

    ``group`` is the consumer group whose offsets are committed; ``on_line`` is called with a line a minute, one for each sealing
    and one for each trouble. ``now`` gives seconds since 1970 by the machine's clock, ``monotonic`` those of a clock that cannot
    be set.
    """

    bootstrap: str
    topic: str
    archive: Path
    _: KW_ONLY
    group: str = ARCHIVER_GROUP
    settings: Settings = field(default_factory=dict, repr=False)
    until_end: bool = False
    quiet_seconds: float = QUIET_SECONDS
    timeout_seconds: float = 60.0
    gaming_days: GamingDays = field(default_factory=GamingDays)
    file_mode: int = FILE_MODE
    on_progress: Callable[[Archived], None] = lambda _: None
    on_line: Callable[[Line], None] = lambda _: None
    stop: Callable[[], bool] = lambda: False
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time

    def moment(self) -> dt.datetime:
        """The time by the machine's clock, to the second."""
        return dt.datetime.fromtimestamp(self.now(), dt.UTC).replace(microsecond=0)

    def notify(self, what: str, *, bad: bool = True) -> None:
        """Report trouble, or with ``bad`` false that it is over."""
        self.on_line(Notice(self.moment(), what, bad))

    def today(self) -> dt.date:
        """The gaming day by the machine's clock."""
        return self.gaming_days.of(int(self.now() * 1_000_000))
