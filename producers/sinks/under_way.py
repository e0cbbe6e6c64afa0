"""Lists the table-days that are not sealed, with the number and times of their events on disk.

It needs no lock: a journal that is being written is read as far as it is acknowledged.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path

from producers.sinks.journal import Entry, JournalDamaged, read_ends, read_journal
from producers.sinks.stored import of_another
from replayer.sources.layout import journals_by_day, part_name
from replayer.sources.listing import named_table
from schemas.codec import MessageUnreadable, decode
from schemas.event import moment
from schemas.printable import printable


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
    changed_at: dt.datetime | None  # when it was received, by the machine's clock
    damage: str = ""  # why the journal cannot be read
    first_at: dt.datetime | None = None  # of the first event received, likewise
    read_through: bool = True


def under_way(archive: Path, most_bytes: int | None = None) -> list[UnderWay]:
    """The table-days that have a journal, by gaming day and table.

    Of more than ``most_bytes`` of journals, those of the newest gaming days are not read through; None: all are. The folder of a
    gaming day that cannot be read is damage under the day's name, OSError where it is that of all journals.
    """
    found: list[UnderWay] = []
    paths: list[Path] = []
    for each, files, why in journals_by_day(archive):
        paths += files
        if why:
            found.append(UnderWay(each.isoformat(), each, 0, 0, None, None, why))
    room = most_bytes
    for path in paths:
        try:
            about = path.stat()
        except FileNotFoundError:  # it was just sealed
            continue
        if room is not None:
            room -= about.st_size
        changed = dt.datetime.fromtimestamp(about.st_mtime, dt.UTC)
        found.append(_examined(path, changed, read_through=room is None or room >= 0))
    return sorted(found, key=lambda each: (each.gaming_day, each.table_id, each.part))


def _examined(path: Path, changed: dt.datetime, *, read_through: bool) -> UnderWay:
    name, events, first, last, damage = part_name(path), 0, None, None, ""
    try:
        if name is None:
            damage = f"{printable(str(path))}: no table-day of an archive has such a name"
        elif not read_through:
            first, last, last_seq = read_ends(path)
            events = last_seq - first.seq + 1 if first else 0
        elif entries := read_journal(path).entries:
            events, first, last = len(entries), entries[0], entries[-1]
    except JournalDamaged as error:
        damage = f"{error}; `pitaudit repair` keeps what is whole"
    except OSError as error:
        damage = printable(f"{path}: {error.strerror}")
    at = named_table(path), dt.date.fromisoformat(path.parent.name), name.part if name else 0
    if name and (elsewhere := of_another(name, filter(None, (first, last)))):
        return UnderWay(*at, 0, None, changed, f"{path}: {elsewhere}")
    return UnderWay(*at, events, _at(last), changed, damage, _at(first), read_through or bool(damage))


def _at(entry: Entry | None) -> dt.datetime | None:
    try:
        return moment(decode(entry.message).at) if entry else None
    except (MessageUnreadable, OverflowError):
        return None
