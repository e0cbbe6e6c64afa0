"""Tracks tables that cannot be written, because of a damaged manifest or journal, a full disk, or another process.

Such a table does not stop the others. Its events are left in the topic: the partition's offset stays at the first event that is
not safe, and when the table can be written, the partition is read again from there. Later events of other tables then come a
second time, and are dropped.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from producers.archiver.trouble import Backoff

_MOST_SECONDS: Final = 60.0


@dataclass(slots=True)
class StuckTable:
    """One table that cannot be written.

    Attributes:
        why: what is wrong and what to do.
        busy: whether the only reason is that another process has it open.
        held: the offset of its first event that is not safe, by partition.
        days: the gaming days of its waiting events.
    """

    table_id: str
    why: str
    busy: bool
    held: dict[int, int] = field(default_factory=dict)
    days: set[dt.date] = field(default_factory=set)
    again_at: float = 0.0


class StuckTables(dict[str, StuckTable]):
    """Those tables by their ids. One that is taken out could be opened again; its next flush shows whether it can be written."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        super().__init__()
        self._monotonic = monotonic
        self._waits: dict[str, Backoff] = {}

    @property
    def why(self) -> dict[str, str]:
        """Why each cannot be written, by table."""
        return {table_id: self[table_id].why for table_id in sorted(self)}

    def mark_stuck(self, table_id: str, why: str, *, busy: bool) -> None:
        """Note that a table cannot be written."""
        table = self.setdefault(table_id, StuckTable(table_id, why, busy))
        table.why, table.busy = why, busy
        table.again_at = self._monotonic() + self._waits.setdefault(table_id, Backoff(_MOST_SECONDS)).next()

    def hold(self, table_id: str, offsets: Mapping[int, int], days: Iterable[dt.date]) -> None:
        """Hold partitions back at the offsets of waiting events of a stuck table, on some gaming days."""
        table = self[table_id]
        for partition, offset in offsets.items():
            table.held[partition] = min(offset, table.held.get(partition, offset))
        table.days.update(days)

    def held_back_at(self, partition: int) -> int | None:
        """The offset at which stuck tables hold a partition back; None where none does."""
        return min((table.held[partition] for table in self.values() if partition in table.held), default=None)

    def days(self, partition: int) -> set[dt.date]:
        """The gaming days of the waiting events of a partition."""
        return {day for table in self.values() if partition in table.held for day in table.days}

    def to_retry(self, *, all_of_them: bool = False) -> list[StuckTable]:
        """The tables that are to be tried again now."""
        now = self._monotonic()
        return [self[table_id] for table_id in sorted(self) if all_of_them or now >= self[table_id].again_at]

    def reset_wait(self, table_id: str) -> None:
        """After a table was written: start with short waits if it becomes stuck again."""
        self._waits.pop(table_id, None)

    def forget(self, partition: int) -> None:
        """Forget a partition that is no longer read here; its waiting events are another archiver's."""
        for table in list(self.values()):
            table.held.pop(partition, None)
            if not table.held:
                del self[table.table_id]

    def raise_offsets_to(self, partition: int, begin: int) -> None:
        """Note that the topic no longer has messages before an offset."""
        for table in self.values():
            if partition in table.held:
                table.held[partition] = max(begin, table.held[partition])
