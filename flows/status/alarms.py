"""What somebody should look at: each kind of it has a name that does not change, for those who route alarms by it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from schemas.plural import first_few


class Alarm(StrEnum):
    """Kinds of what somebody should look at, the worst first; ``meaning`` says what each counts."""

    meaning: str

    def __new__(cls, name: str, meaning: str) -> Alarm:
        """A kind by its lasting name."""
        kind = str.__new__(cls, name)
        kind._value_, kind.meaning = name, meaning
        return kind

    LOST_MESSAGES = "lost_messages", "messages that the topic no longer has and the archive never took"
    JOURNAL_DAMAGED = "journal_damaged", "journals of which acknowledged events cannot be read"
    SPOOL_DAMAGED = "spool_damaged", "tables whose spool cannot be read"
    PLACE_DAMAGED = "place_damaged", "partitions of which it cannot be read how far they were taken"
    LAKE_DAMAGED = "lake_damaged", "table-days whose verdicts in the lake are missing or not as they were written"
    LOG_CHANGED = "log_changed", "sealed logs that were replaced after they were judged, not acknowledged"
    LAKE_HELD = "lake_held", "runs that have held the lake for hours, so that no other can write it"
    ARCHIVER_SILENT = "archiver_silent", "partitions that no archiver has looked at for minutes"
    TOPIC_UNREACHABLE = "topic_unreachable", "topics that cannot be asked, or have partitions without a leader"
    BEHIND = "behind", "messages of the topic that the archive should have taken by now"
    SPOOL_WAITING = "spool_waiting", "events that have waited in a spool for minutes"
    TABLE_LATE = "table_late", "table-days that are not sealed although their gaming day is over"
    TABLE_NOT_JUDGED = "table_not_judged", "tables of judged days that are absent, not sealed, damaged or failed"
    LOG_MISPLACED = "log_misplaced", "logs that lie where an archive keeps none, in a place that tells no gaming day"
    DATED_AHEAD = "dated_ahead", "table-days dated beyond today, for a table's clock or an import is wrong"
    DAY_WAITING = "day_waiting", "gaming days that should have their verdicts by now"
    LEFT_BEHIND = "left_behind", "gaming days with logs and no verdicts, too far back for a night (catch_up_days)"
    FINDINGS = "findings", "gaming days with findings that nobody said to have looked into"
    IMPORT_UNFINISHED = "import_unfinished", "table-days of an import that is under way or was killed"
    QUARANTINED = "quarantined", "messages that could not be taken"
    WAGERS_UNJUDGED = "wagers_unjudged", "wagers that nobody could judge"
    CLOCK_BACK = "clock_back", "by the machine's clock the lake was written in the future"


@dataclass(frozen=True, slots=True)
class Raised:
    """An alarm with how many there are of what it counts, and one sentence."""

    alarm: Alarm
    count: int
    message: str


def time_text(at: dt.datetime | None) -> str | None:
    """A time as JSON has it."""
    return at.isoformat(timespec="seconds") if at else None


_NAMED: Final = 3


def named(texts: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    return first_few(texts, _NAMED)


def raised_for(alarm: Alarm, said: str, texts: Sequence[str]) -> Iterator[Raised]:
    """An alarm that counts and names some things; none where there is nothing."""
    if texts:
        yield Raised(alarm, len(texts), said + named(texts))
