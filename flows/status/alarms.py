"""What somebody should look at: each kind of it has a name that does not change, for those who route alarms by it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Alarm(StrEnum):
    """Kinds of what somebody should look at, the worst first."""

    LOST_MESSAGES = "lost_messages"
    JOURNAL_DAMAGED = "journal_damaged"
    SPOOL_DAMAGED = "spool_damaged"
    PLACE_DAMAGED = "place_damaged"
    LAKE_DAMAGED = "lake_damaged"
    LOG_CHANGED = "log_changed"
    LAKE_HELD = "lake_held"
    ARCHIVER_SILENT = "archiver_silent"
    TOPIC_UNREACHABLE = "topic_unreachable"
    BEHIND = "behind"
    SPOOL_WAITING = "spool_waiting"
    TABLE_LATE = "table_late"
    TABLE_NOT_JUDGED = "table_not_judged"
    LOG_MISPLACED = "log_misplaced"
    DATED_AHEAD = "dated_ahead"
    DAY_WAITING = "day_waiting"
    FINDINGS = "findings"
    IMPORT_UNFINISHED = "import_unfinished"
    QUARANTINED = "quarantined"
    WAGERS_UNJUDGED = "wagers_unjudged"
    CLOCK_BACK = "clock_back"


MEANING: Final = {
    Alarm.LOST_MESSAGES: "messages that the topic no longer has and the archive never took",
    Alarm.JOURNAL_DAMAGED: "journals of which acknowledged events cannot be read",
    Alarm.SPOOL_DAMAGED: "tables whose spool cannot be read",
    Alarm.PLACE_DAMAGED: "partitions of which it cannot be read how far they were taken",
    Alarm.LAKE_DAMAGED: "table-days whose verdicts in the lake are missing or not as they were written",
    Alarm.LOG_CHANGED: "sealed logs that were replaced after they were judged, not acknowledged",
    Alarm.LAKE_HELD: "runs that have held the lake for hours, so that no other can write it",
    Alarm.ARCHIVER_SILENT: "partitions that no archiver has looked at for minutes",
    Alarm.TOPIC_UNREACHABLE: "topics that cannot be asked, or have partitions without a leader",
    Alarm.BEHIND: "messages of the topic that the archive should have taken by now",
    Alarm.SPOOL_WAITING: "events that have waited in a spool for minutes",
    Alarm.TABLE_LATE: "table-days that are not sealed although their gaming day is over",
    Alarm.TABLE_NOT_JUDGED: "tables of judged days that are absent, not sealed, damaged or failed",
    Alarm.LOG_MISPLACED: "logs that lie where an archive keeps none, in a place that tells no gaming day",
    Alarm.DATED_AHEAD: "table-days dated beyond today, for a table's clock or an import is wrong",
    Alarm.DAY_WAITING: "gaming days that should have their verdicts by now",
    Alarm.FINDINGS: "gaming days with findings that nobody said to have looked into",
    Alarm.IMPORT_UNFINISHED: "table-days of an import that is under way or was killed",
    Alarm.QUARANTINED: "messages that could not be taken",
    Alarm.WAGERS_UNJUDGED: "wagers that nobody could judge",
    Alarm.CLOCK_BACK: "by the machine's clock the lake was written in the future",
}
"""What each kind counts."""


@dataclass(frozen=True, slots=True)
class Raised:
    """An alarm with how many there are of what it counts, and one sentence."""

    alarm: Alarm
    count: int
    message: str


def worst_first(raised: Iterable[Raised]) -> list[Raised]:
    """Alarms in the order of their kinds."""
    return sorted(raised, key=lambda each: [*Alarm].index(each.alarm))


def time_text(at: dt.datetime | None) -> str | None:
    """A time as JSON has it."""
    return at.isoformat(timespec="seconds") if at else None


_NAMED: Final = 3


def named(texts: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = len(texts) - _NAMED
    return ", ".join(texts[:_NAMED]) + (f" and {more} more" if more > 0 else "")
