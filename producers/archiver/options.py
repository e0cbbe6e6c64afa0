"""What an archiver is asked to do, and what it has done."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from producers import ARCHIVER_GROUP, QUIET_SECONDS
from producers.archiver.lines import Line, Notice
from producers.kafka_client import Settings
from producers.recorder import GamingDays
from producers.sinks import TableDayName
from replayer.sources.layout import FILE_MODE
from replayer.sources.lost import Lost


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
    settings: Settings = field(default_factory=dict)
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
