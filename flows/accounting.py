"""Accounts for a gaming day's tables: the status of each table expected or found."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from analytics.lake.statuses import Status, TableStatus
from flows.expected import Expectation
from producers.sinks.journal import JournalDamaged, read_journal
from replayer.sources.archive import TableDayRef, under_import
from replayer.sources.layout import MANIFEST, journals_by_day, part_name
from replayer.sources.listing import named_table, sealed_in
from replayer.sources.quarantine import Quarantined
from replayer.sources.safe_files import printable
from schemas.codec import MessageUnreadable, decode
from schemas.event import moment
from schemas.plural import plural

GONE: Final = "its files are no longer in the archive"


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


def unsealed_on(archive: Path, refs: Iterable[TableDayRef]) -> dict[str, Unsealed]:
    """The unsealed table-days of one gaming day, by table."""
    return {ref.table_id: left for ref, left in unsealed_of(archive, refs).items()}


def _in_journals(ref: TableDayRef) -> Unsealed:
    events, last = 0, None
    ((_, files, why),) = journals_by_day(ref.archive, ref.gaming_day)
    if why:
        return Unsealed(None, None, why)
    for file in files:
        if named_table(file) != ref.table_id:
            continue
        if part_name(file) is None:
            return Unsealed(None, None, f"{printable(str(file))}: no table-day of an archive has such a name")
        try:
            entries = read_journal(file).entries
            events += len(entries)
            last = max([last or 0, *(decode(entry.message).at for entry in entries[-1:])]) or None
        except (JournalDamaged, MessageUnreadable) as error:
            return Unsealed(None, None, f"its journal cannot be read: {error}; `pitaudit repair` keeps what is whole")
        except OSError as error:
            return Unsealed(None, None, f"{file} cannot be read: {error.strerror}")
    return Unsealed(events, None if last is None else moment(last).isoformat(timespec="seconds"))


def in_quarantine(messages: Iterable[Quarantined], day: dt.date) -> Counter[str]:
    """How many messages in quarantine can be read and say that they are of a gaming day, by table."""
    tables: Counter[str] = Counter()
    for message in messages:
        with suppress(MessageUnreadable):
            event = decode(message.message)
            tables[event.table_id] += event.gaming_day == day
    return +tables


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


def statuses(
    archive: Path,
    day: dt.date,
    expected: Expectation,
    *,
    sealed: Collection[str],
    unsealed: Mapping[str, Unsealed],
    refused: Mapping[str, int],
    damaged: Mapping[str, str],
    failed: Mapping[str, str],
) -> Iterator[TableStatus]:
    """The status of each table that was expected or is known in any way, by table.

    Args:
        sealed: the tables that have sealed files, read or not.
        refused: the number of messages in quarantine by table.
        damaged: tables whose log cannot be read, and why; ``failed`` those on which the program failed.
    """
    parts = parts_of(archive, day)
    for table in sorted({*expected.tables, *expected.found, *sealed, *unsealed, *refused, *damaged, *failed}):
        left = unsealed.get(table)
        why = ""
        if table in failed:
            status, why = Status.FAILED, failed[table]
        elif table in damaged:
            status, why = Status.DAMAGED, damaged[table]
        elif left:
            status, why = Status.NOT_SEALED, str(left)
        elif table in sealed:
            status = Status.JUDGED
            why = "the register does not name it on this day" if expected.of(table) is False else ""
        else:
            status, why = Status.ABSENT, "the archive has nothing of it"
            if str(day) in damaged:
                why = "the folder of the day cannot be read"
            elif table not in expected.tables:
                why += ", though an earlier run found something"
            if table in refused:
                why = f"the archive has nothing of it but {plural(refused[table], 'message')} in quarantine"
        yield TableStatus(
            table,
            status,
            expected.of(table),
            parts.get(table, 0),
            left.events if left else None,
            left.last_at if left else None,
            why,
            expected.games.get(table),
        )
