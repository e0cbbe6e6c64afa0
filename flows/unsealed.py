"""Finds the events of table-days that an archive has not sealed, and counts the parts that it has."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from producers.sinks.journal import JournalDamaged, read_journal
from producers.sinks.stored import of_another
from replayer.sources.layout import MANIFEST, journals_by_day, part_name
from replayer.sources.listing import named_table, sealed_in
from replayer.sources.table_days import TableDayRef, under_import
from schemas.codec import MessageUnreadable, decode
from schemas.event import moment
from schemas.plural import plural
from schemas.printable import printable


@dataclass(frozen=True, slots=True)
class Unsealed:
    """Events of a table that are not sealed: how many, when the last happened (ISO 8601); None where that is not known.

    ``damage`` says why they cannot be read, where they cannot.
    """

    events: int | None
    last_at: str | None = None
    damage: str = ""

    def __str__(self) -> str:
        if self.damage:
            return self.damage
        if self.events is None:
            return "an import of it is under way or was killed"
        last = f", the last at {self.last_at}" if self.last_at else ""
        return f"{plural(self.events, 'event is', 'events are')} not sealed{last}"


def unsealed_of(archive: Path, refs: Iterable[TableDayRef]) -> dict[TableDayRef, Unsealed]:
    """What of some table-days is not sealed."""
    on_their_way = under_import(archive)
    return {ref: Unsealed(None) if ref in on_their_way else _in_journals(ref) for ref in refs}


def _in_journals(ref: TableDayRef) -> Unsealed:
    events, last = 0, None
    ((_, files, why),) = journals_by_day(ref.archive, ref.gaming_day)
    if why:
        return Unsealed(None, None, why)
    for file in files:
        if named_table(file) != ref.table_id:
            continue
        if (name := part_name(file)) is None:
            return Unsealed(None, None, f"{printable(str(file))}: no table-day of an archive has such a name")
        try:
            contents = read_journal(file)
            if elsewhere := of_another(name, contents.ends):
                return Unsealed(None, None, f"{file}: {elsewhere}")
            events += len(contents.entries)
            last = max([last or 0, *(decode(entry.message).at for entry in contents.entries[-1:])]) or None
        except (JournalDamaged, MessageUnreadable) as error:
            return Unsealed(None, None, f"its journal cannot be read: {error}; `pitaudit repair` keeps what is whole")
        except OSError as error:
            return Unsealed(None, None, f"{file} cannot be read: {error.strerror}")
    return Unsealed(events, None if last is None else moment(last).isoformat(timespec="seconds"))


def parts_of(archive: Path, day: dt.date) -> Mapping[str, int]:
    """How many sealed parts each table has of a gaming day, by the names of their containers and manifests; none where its
    folder cannot be read, which reading its tables shows. Of a table that is on its way into the archive nothing is sealed."""
    listed: Mapping[str, Sequence[str]] = {}
    with suppress(OSError):
        listed = sealed_in(archive / day.isoformat())
    hidden = {ref.table_id for ref in under_import(archive, day)}
    return {
        table: sum(name.replace(MANIFEST, ".avro") in names for name in names if name.endswith(MANIFEST))
        for table, names in listed.items()
        if table not in hidden
    }
