"""Finds the events of table-days that an archive has not sealed, and counts the parts that it has.

It needs no lock: a journal that is being written is read as far as it is acknowledged.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from producers.sinks.journal import Entry, JournalDamaged, out_of_place, read_ends, read_journal
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


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A part of a table-day that is not sealed; part 0 is the first, all others are late.

    Where it was not ``read_through``, only the ends of its journal were: ``events`` then counts the numbers from the first to the
    last, and damage in between does not show.
    """

    table_id: str
    gaming_day: dt.date
    part: int
    events: int  # on the disk
    last_at: dt.datetime | None  # of the last event received; None where there is none or it cannot be read
    changed_at: dt.datetime | None  # when it was received, by the machine's clock, where that was asked
    damage: str = ""  # why the journal cannot be read
    first_at: dt.datetime | None = None  # of the first event received, likewise
    read_through: bool = True


def unsealed_of(archive: Path, refs: Iterable[TableDayRef]) -> dict[TableDayRef, Unsealed]:
    """What of some table-days is not sealed."""
    on_their_way = under_import(archive)
    return {ref: Unsealed(None) if ref in on_their_way else _in_journals(ref) for ref in refs}


def _in_journals(ref: TableDayRef) -> Unsealed:
    ((_, files, why),) = journals_by_day(ref.archive, ref.gaming_day)
    own = [_examined(file, ref.gaming_day) for file in files if named_table(file) == ref.table_id]
    if damage := why or next((each.damage for each in own if each.damage), ""):
        return Unsealed(None, None, damage)
    last = max((each.last_at for each in own if each.last_at), default=None)
    return Unsealed(sum(each.events for each in own), last.isoformat(timespec="seconds") if last else None)


def under_way(archive: Path, most_bytes: int | None = None) -> list[UnderWay]:
    """The table-days that have a journal, by gaming day and table.

    Of more than ``most_bytes`` of journals, those of the newest gaming days are not read through; None: all are. The folder of a
    gaming day that cannot be read is damage under the day's name, OSError where it is that of all journals.
    """
    found: list[UnderWay] = []
    room = most_bytes
    for day, files, why in journals_by_day(archive):
        if why:
            found.append(UnderWay(day.isoformat(), day, 0, 0, None, None, why))
        for file in files:
            try:
                about = file.stat()
            except FileNotFoundError:
                if not file.is_symlink():  # it was just sealed
                    continue
                about = file.lstat()  # a link to a disk that is not mounted
            if room is not None:
                room -= about.st_size
            changed = dt.datetime.fromtimestamp(about.st_mtime, dt.UTC)
            found.append(_examined(file, day, changed, read_through=room is None or room >= 0))
    return sorted(found, key=lambda each: (each.gaming_day, each.table_id, each.part))


def _examined(file: Path, day: dt.date, changed: dt.datetime | None = None, *, read_through: bool = True) -> UnderWay:
    name, events, first, last, damage = part_name(file), 0, None, None, ""
    try:
        if name is None:
            damage = f"{printable(str(file))}: no table-day of an archive has such a name"
        elif not read_through:
            first, last, last_seq = read_ends(file)
            events = last_seq - first.seq + 1 if first else 0
        elif entries := read_journal(file).entries:
            events, first, last = len(entries), entries[0], entries[-1]
        ends = filter(None, (first, last))
        if name and (elsewhere := out_of_place(file, ends, name.table_id, name.gaming_day)):
            events, first, last, damage = 0, None, None, elsewhere
    except JournalDamaged as error:
        damage = f"{error}; `pitaudit repair` keeps what is whole"
    except OSError as error:
        damage = printable(f"{file}: {error.strerror}")
    place = named_table(file), day, name.part if name else 0
    return UnderWay(*place, events, _at(last), changed, damage, _at(first), read_through or bool(damage))


def _at(entry: Entry | None) -> dt.datetime | None:
    try:
        return moment(decode(entry.message).at) if entry else None
    except (MessageUnreadable, OverflowError):
        return None


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
