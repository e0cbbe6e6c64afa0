"""What of an archive is open, late, damaged, refused, lost or on its way: by names, small files and journals."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from analytics.lake import DatedAhead
from analytics.lake.acknowledged_messages import acknowledged_messages, removed_messages
from analytics.lake.losses import Loss, losses, removed_losses
from flows.pending_days import unreached
from flows.settings import Settings
from flows.status.alarms import Alarm, Raised, raised_for, time_text
from flows.unsealed import UnderWay, under_way
from replayer.sources.layout import quarantine_folder
from replayer.sources.lost import lost_messages
from replayer.sources.quarantine import counts
from replayer.sources.safe_texts import json_object
from replayer.sources.table_days import TableDayRef, under_import
from schemas.plural import plural

LATE_SECONDS: Final = 300
"""So long after the archiver's quiet time has passed since the gaming day's end, an open table-day is late."""
_MOST_JOURNAL_BYTES: Final = 16 << 20
"""Journals are read through up to so many bytes at a look; of more, the ends are read."""


@dataclass(frozen=True, slots=True)
class ArchiveStatus:
    """The status of an archive besides its sealed table-days.

    Attributes:
        open: the table-days that are not sealed, by gaming day and table; ``late`` those of them that should be by now, their
            gaming day being over.
        quarantined: messages by quarantine file, ``answered`` those of them that somebody answered for;
            ``quarantined_lately`` those files that changed in the days looked at; ``quarantine_removed`` says which of them are
            no longer what somebody answered for.
        lost: all ranges ever found missing; ``lost_lately``: the unacknowledged ones that may concern the days looked at.
        coming: table-days of an import that are not in their places yet.
        undated: the logs, and ``ahead`` the table-days, that no nightly run reaches.
    """

    folder: Path
    open: tuple[UnderWay, ...]
    late: tuple[UnderWay, ...]
    quarantined: Mapping[str, int]
    answered: Mapping[str, int]
    quarantined_lately: frozenset[str]
    quarantine_removed: tuple[str, ...]
    lost: tuple[Loss, ...]
    lost_lately: tuple[Loss, ...]
    coming: tuple[TableDayRef, ...]
    undated: tuple[Path, ...]
    ahead: tuple[DatedAhead, ...]

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        late = set(self.late)
        return {
            "folder": str(self.folder),
            "open": [
                {
                    "table_id": each.table_id,
                    "gaming_day": each.gaming_day.isoformat(),
                    "part": each.part,
                    "events": None if each.damage else each.events,
                    "since": time_text(each.first_at),
                    "last_at": time_text(each.last_at),
                    "came_at": time_text(each.changed_at),
                    "late": each in late,
                    "damage": each.damage,
                    "read_through": each.read_through,
                }
                for each in self.open
            ],
            "quarantined": dict(self.quarantined),
            "answered": dict(self.answered),
            "lost": [each.to_dict() for each in self.lost],
            "coming": [{"table_id": e.table_id, "gaming_day": e.gaming_day.isoformat()} for e in self.coming],
            "misplaced": len(self.undated),
            "ahead": [json_object(each) for each in self.ahead],
        }

    def alarms(self) -> Iterator[Raised]:
        """What somebody should look at."""
        damaged = [each.damage for each in self.open if each.damage]
        for alarm, found in ((Alarm.LOST_MESSAGES, self.lost_lately), (Alarm.JOURNAL_DAMAGED, damaged)):
            if found:
                more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
                yield Raised(alarm, len(found), f"{found[0]}{more}")
        which = [f"{each.gaming_day} {each.table_id}" for each in self.late]
        yield from raised_for(Alarm.TABLE_LATE, "not sealed although the gaming day is over: ", which)
        said = "logs lie where an archive keeps none: not read; put them into their places, or take them out of it: "
        yield from raised_for(Alarm.LOG_MISPLACED, said, list(map(str, self.undated)))
        said = "dated beyond today; look into the table's clock, or the import that brought it: "
        yield from raised_for(Alarm.DATED_AHEAD, said, [f"{each.gaming_day} {each.table_id}" for each in self.ahead])
        which = [f"{each.gaming_day} {each.table_id}" for each in self.coming]
        yield from raised_for(Alarm.IMPORT_UNFINISHED, "an import is under way or was killed (run it again): ", which)
        if refused := sum(self.quarantined[file] - self.answered.get(file, 0) for file in self.quarantined_lately):
            said = f"{plural(refused, 'message')} could not be taken: {self.folder / 'quarantine'}"
            yield Raised(Alarm.QUARANTINED, refused, "; ".join([said, *self.quarantine_removed]))


def look_at_archive(
    folder: Path, lake: Path | None, now: dt.datetime, chosen: Settings, first: dt.date
) -> ArchiveStatus:
    """Look at an archive.

    Args:
        lake: which knows what was acknowledged.
        first: the first of the gaming days looked at: what is older is listed, and raises no alarm.
    """
    grace = dt.timedelta(seconds=chosen.kafka_quiet_seconds + LATE_SECONDS)
    lost = losses(lake, [*lost_messages(folder), *(removed_losses(lake, first) if lake else ())])
    removed = {each.file: each.why for each in removed_messages(lake, folder)}
    refused = Counter(counts(folder)) + Counter(removed.keys())
    agreed: Counter[str] = Counter()
    for each in acknowledged_messages(lake, folder):
        agreed[each.source] += each.messages
    left = under_way(folder, most_bytes=_MOST_JOURNAL_BYTES)
    return ArchiveStatus(
        folder,
        tuple(left),
        # By the time since the day's end: behind the calendar's last end there is no time.
        tuple(each for each in left if now - chosen.end_of(each.gaming_day) > grace),
        refused,
        agreed,
        frozenset(file for file in refused if _changed(quarantine_folder(folder) / file) >= chosen.end_of(first))
        | removed.keys(),
        tuple(removed.values()),
        lost,
        tuple(each for each in lost if each.open and each.lost.last_day >= first),
        tuple(sorted(under_import(folder))),
        *unreached(folder, chosen.last_gaming_day(now)),
    )


def _changed(file: Path) -> dt.datetime:
    """When a file was changed last; what cannot be looked at counts as changed now."""
    try:
        return dt.datetime.fromtimestamp(file.stat().st_mtime, dt.UTC)
    except OSError:
        return dt.datetime.max.replace(tzinfo=dt.UTC)
