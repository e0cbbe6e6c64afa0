"""Brings another system's round log into the archive: all of it or none, and the same file twice changes nothing.

An import is one batch (:mod:`producers.sinks.batch`): whenever it is killed, all of its table-days are in the archive or
none is read, and the same import run again ends with the same bytes.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from itertools import groupby, starmap
from pathlib import Path
from typing import Any, Final

from producers.mapping.events import RecordedRound, not_recorded, numbered, opening
from producers.mapping.map_file import Map, read_map
from producers.mapping.rounds import Gatherer, Progress
from producers.mapping.row import Fault
from producers.mapping.source import Log
from producers.sinks import TableDayName
from producers.sinks.archive import ArchiveSink
from producers.sinks.batch import Batch
from replayer.law.calendar import version_at, version_named
from replayer.processes.judging import without_cycle_collection
from replayer.sources.layout import FILE_MODE, quarantine_file, receipt_file
from replayer.sources.quarantine import Quarantined, quarantine_lines
from replayer.sources.safe_files import MOST_SMALL, listed, read_file
from replayer.sources.safe_texts import decoded
from schemas.event import EventRejected
from schemas.plural import plural
from schemas.table_day import EncodedDay, encoded_day

_SHOWN: Final = 10


class ImportRefused(ValueError):
    """Nothing was imported; the message names the file, the place and the reason, and says what to do."""


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """The result of an import.

    Attributes:
        imported: table-days that were written; ``already``: those that the archive had with the same events.
        rounds, hands, events: their numbers in all of these table-days.
        rows: the number of rows of the file; ``quarantined``: of those in the file ``quarantine``, with the reason.
        not_recorded: facts that the log does not record: checks that need them are reported as not made.
        unread: columns, or keys of a JSON line, that the map names nowhere.
        absent: mapped columns that no row has, each with its fact.
        twice: table-days as which the same log was imported before, with another map: its money counts twice.
        open_end: the file's last line has no line break, so it may be cut off.
        missing: table-days with the first and the last number of each run of missing rounds.
        other_law: the map names a dated law; gaming days with rounds at a time when another was in force, and its id.
    """

    file: Path
    imported: tuple[TableDayName, ...]
    already: tuple[TableDayName, ...]
    rounds: int
    hands: int
    events: int
    rows: int
    quarantined: int
    quarantine: Path | None
    not_recorded: tuple[str, ...]
    unread: tuple[str, ...]
    absent: dict[str, str]
    open_end: bool
    twice: tuple[TableDayName, ...]
    missing: tuple[tuple[TableDayName, int, int], ...]
    other_law: tuple[tuple[dt.date, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            **asdict(self),
            "file": str(self.file),
            "imported": [_as_json(day) for day in self.imported],
            "already": [_as_json(day) for day in self.already],
            "quarantine": str(self.quarantine) if self.quarantine else None,
            "twice": [_as_json(day) for day in self.twice],
            "missing": [
                {**_as_json(day), "first_round": first, "last_round": last} for day, first, last in self.missing
            ],
            "other_law": [{"gaming_day": day.isoformat(), "in_force": law} for day, law in self.other_law],
        }


def _as_json(table_day: TableDayName) -> dict[str, str]:
    return {"table_id": table_day[0], "gaming_day": table_day[1].isoformat()}


@without_cycle_collection()
def import_log(
    file: Path,
    map_file: Path,
    archive: Path,
    on_progress: Progress | None = None,
    file_mode: int = FILE_MODE,
    in_force: Mapping[str, dt.date] | None = None,
) -> ImportSummary:
    """Import ``file`` by ``map_file``: all of its table-days or none. A rerun completes a killed import. ``in_force`` replaces
    first days of the law's versions, by id.

    Raises:
        MapFaulty: the map cannot be used.
        SourceUnreadable: the file as a whole cannot be read with it.
        ImportRefused: a bad row without quarantine in the map, values of the map that break the contract, no round left, or
            other events in the archive under the same table and gaming day. Nothing was written.
        SinkBusy: another process writes a table or imports into the archive. Nothing was written.
        NotDurable: the disk failed. Nothing was written, or the message says where it is kept for the next run.
    """
    plan = read_map(map_file)
    log = Log(file, plan)
    gatherer = Gatherer(log)
    all_rounds = gatherer.gather(on_progress)
    _require_rounds(all_rounds, gatherer, file, plan)
    days = {table_day: list(rounds) for table_day, rounds in groupby(all_rounds, key=lambda round_: round_.table_day)}
    try:
        openings = {table_day: opening(rounds, plan) for table_day, rounds in days.items()}
    except EventRejected as rejected:
        raise ImportRefused(f"{plan.path}: nothing was imported, {rejected}") from None
    bad = sorted([*gatherer.faults.values(), *gatherer.left_out.values()], key=lambda fault: fault.line)
    quarantine = quarantine_file(archive, file.name) if bad else None
    already: list[TableDayName] = []
    events = 0
    with closing(ArchiveSink(archive, file_mode)) as sink, Batch(sink) as batch:
        before = _imported_before(archive, log.sha256)
        for day, rounds in days.items():
            first = sink.day(day[0], day[1]).first_seq
            encoded = encoded_day(day[0], day[1], numbered(openings[day], rounds, first or batch.last_seq(day[0]) + 1))
            events += len(encoded.messages)
            if first is None:
                batch.add(encoded)
            elif _holds(sink, encoded):
                already.append(day)
            else:
                held = f"{archive} holds other events of table {day[0]} on gaming day {day[1]}"
                raise ImportRefused(
                    f"{held} of this very log, by another map or an earlier version of this program, and they stay as they are: "
                    "import it into another archive to have it as it is read now"
                    if day in before
                    else f"{held}: two logs cannot have one name. Files that have parts of one day are imported as one. "
                    "Import it into another archive if it is that log with other rounds or rows, which would count twice here; "
                    "else give another table id or gaming day in the map's [table]"
                )
        if quarantine is not None:
            _add_quarantine(batch, quarantine, file, bad)
        _write_receipt(batch, archive, log.sha256, days)
        for day in already:
            sink.seal(day[0], day[1])
        batch.commit()
    return ImportSummary(
        file=file,
        imported=tuple(day for day in days if day not in already),
        already=tuple(already),
        rounds=len(all_rounds),
        hands=sum(round_.hands for round_ in all_rounds),
        events=events,
        rows=gatherer.rows,
        quarantined=len(bad),
        quarantine=quarantine,
        not_recorded=tuple(sorted(not_recorded(all_rounds, plan))),
        unread=gatherer.unread(),
        absent=gatherer.absent(),
        missing=tuple(gatherer.missing()),
        open_end=plan.source.format == "csv" and log.open_end,
        twice=tuple(sorted(before.difference(days))),
        other_law=tuple(sorted({*_other_law(all_rounds, plan, in_force)})),
    )


def _other_law(
    rounds: Iterable[RecordedRound], plan: Map, in_force: Mapping[str, dt.date] | None
) -> Iterator[tuple[dt.date, str]]:
    """The gaming day of each round for whose time another version was in force than the dated one of the map, and its id."""
    named = version_named(plan.table.regulation)
    for round_ in rounds if named.in_force else ():
        law = version_at(named.game, round_.at, in_force)
        if law is None or law.id != named.id:
            yield round_.table_day[1], law.id if law else "none at hand"


def _require_rounds(rounds: Sequence[RecordedRound], gatherer: Gatherer, file: Path, plan: Map) -> None:
    faults = [fault for _, fault in sorted(gatherer.faults.items())]
    if faults and plan.source.on_bad_row == "refuse":
        raise ImportRefused(
            f"{file}: nothing was imported, {_fault_list(faults)}. Correct the log or the map {plan.path}, "
            'or set [source] on_bad_row = "quarantine" to import the rounds without bad rows'
        )
    if others := gatherer.of_other_seats():
        raise ImportRefused(
            f"{file}: nothing was imported, column {others[0]!r} is of a seat that {plan.path} does not list: add it to [source] "
            "seats, or take its columns out of the log"
        )
    if gatherer.unplaced:
        raise ImportRefused(
            f"{file}: nothing was imported, {_fault_list(gatherer.unplaced)}. None of them tells its round, and as the "
            "rows of a round stand apart, any may lack that hand: sort the log by rounds, or correct these rows"
        )
    if not rounds:
        raise ImportRefused(
            f"{file}: no round in {plural(gatherer.rows, 'row')}; {_fault_list(faults)}"
            if gatherer.rows
            else f"{file}: there is no row in it, and so no round; nothing was imported"
        )


def _holds(sink: ArchiveSink, day: EncodedDay) -> bool:
    """Whether the archive has exactly these events of a table-day, sealed or not."""
    held = sink.day(day.table_id, day.gaming_day)
    same = starmap(partial(held.holds, sink.archive), zip(day.seqs, day.messages, strict=True))
    return held.last_seq == day.seqs[-1] and all(same)


def _write_receipt(batch: Batch, archive: Path, log: str, days: Iterable[TableDayName]) -> None:
    """Write the receipt of a log's table-days."""
    lines = "".join(f"{gaming_day} {table_id}\n" for table_id, gaming_day in days).encode()
    receipt = receipt_file(archive, log, hashlib.sha256(lines).hexdigest()[:16])
    if not receipt.exists():
        batch.add_file(receipt, lines)


def _imported_before(archive: Path, log: str) -> set[TableDayName]:
    """The table-days as which a log was imported before, by its receipts."""
    before: set[TableDayName] = set()
    for file in listed(receipt_file(archive, log, "").parent, f"{log}.*.txt"):
        try:
            words = (line.split(" ", 1) for line in decoded(read_file(file, MOST_SMALL)).splitlines())
            before |= {(table_id, dt.date.fromisoformat(day)) for day, table_id in words}
        except ValueError as error:
            raise ImportRefused(f"{file}: it is not as an import wrote it, {error}; move it away") from None
    return before


def _fault_list(faults: Sequence[Fault]) -> str:
    shown = "; ".join(str(fault) for fault in faults[:_SHOWN])
    more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    return f"{plural(len(faults), 'bad row')}: {shown}{more}"


def _add_quarantine(batch: Batch, quarantine: Path, file: Path, faults: Sequence[Fault]) -> None:
    refused = [Quarantined(file.name, 0, fault.line, str(fault), fault.text.encode()) for fault in faults]
    lines = [message.to_json().encode() for message in refused]
    if not quarantine.exists():
        batch.add_file(quarantine, b"".join(lines))
    elif [*quarantine_lines(quarantine)] != lines:
        raise ImportRefused(
            f"{quarantine} holds bad rows of another {file.name}: nothing was imported. "
            "Rename the log, or move that file away when it is dealt with"
        )
