"""What waits in spools: what recorders accepted and the topic has not."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from flows.status.alarms import Alarm, Raised, named, time_text
from schemas.event import moment

if TYPE_CHECKING:
    from producers.spool_recovery import LeftOver

WAITING_SECONDS: Final = 300
"""What a recorder accepted is on its way to the topic for so long."""


@dataclass(frozen=True, slots=True)
class SpoolStatus:
    """What waits in a spool, table by table."""

    folder: Path
    tables: tuple[LeftOver, ...]

    @property
    def events(self) -> int:
        """How many events wait, at most."""
        return sum(each.events for each in self.tables)

    @property
    def oldest_at(self) -> dt.datetime | None:
        """When the oldest of them happened."""
        oldest = min((each.oldest_at for each in self.tables if each.oldest_at is not None), default=None)
        return None if oldest is None else moment(oldest)

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "folder": str(self.folder),
            "events": self.events,
            "oldest_at": time_text(self.oldest_at),
            "tables": [
                {"table_id": each.table_id, "events": each.events, "bytes": each.bytes, "damage": each.damage}
                for each in self.tables
                if each.events or each.damage
            ],
        }

    def alarms(self, now: dt.datetime) -> Iterator[Raised]:
        """What somebody should look at."""
        if damaged := [each for each in self.tables if each.damage]:
            yield Raised(Alarm.SPOOL_DAMAGED, len(damaged), damaged[0].damage)
        late = [
            each
            for each in self.tables
            if each.oldest_at is not None and (now - moment(each.oldest_at)).total_seconds() > WAITING_SECONDS
        ]
        if late:
            said = f"{self.folder}: the topic has not what these tables recorded: "
            which = named([each.table_id for each in late])
            yield Raised(Alarm.SPOOL_WAITING, sum(each.events for each in late), f"{said}{which}")


def look_at_spool(folder: Path) -> SpoolStatus:
    """Look at a spool; recorders may go on meanwhile. Raises NotDurable where there is no spool in this folder."""
    from producers.spool_recovery import leftovers  # noqa: PLC0415 - it needs Kafka's client

    return SpoolStatus(folder, tuple(leftovers(folder)))
