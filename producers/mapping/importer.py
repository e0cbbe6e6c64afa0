"""Brings another system's round log into the archive: all of it or none, and the same file twice changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from producers.mapping.events import not_recorded, opening_events, round_events
from producers.mapping.map_file import Map, read_map
from producers.mapping.rounds import Round, TableDayName, gather
from producers.mapping.source import Fault, read_rows
from producers.recorder import Recorder
from producers.sinks.archive import ArchiveSink, write_durably
from replayer.sources.archive import TableDayRef, read_events, table_days
from replayer.sources.layout import quarantine_file
from replayer.sources.quarantine import Quarantined
from schemas.codec import decode
from schemas.event import Event

Progress = Callable[[int, int], None]
"""Called with the rounds written so far and the rounds in all."""

_SHOWN: Final = 10
_EVERY: Final = 500
_WHOLE_JOURNAL: Final = 1 << 62


class ImportRefused(ValueError):
    """Nothing was imported; the message says where in which file the reason stands and what to do."""


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What an import did.

    Attributes:
        imported: table-days that were written; ``already`` those that the archive held with these very events.
        rounds, hands, events: what stands in all of these table-days.
        rows: rows of the file; ``quarantined`` of them are in the file ``quarantine`` with the reason.
        not_recorded: what the log does not hold: checks that need it are reported as not made.
        absent: columns that the map names and no row has, each with what it is mapped to.
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
    absent: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON has it."""
        return {
            "file": str(self.file),
            "imported": [_named(day) for day in self.imported],
            "already": [_named(day) for day in self.already],
            "rounds": self.rounds,
            "hands": self.hands,
            "events": self.events,
            "rows": self.rows,
            "quarantined": self.quarantined,
            "quarantine": str(self.quarantine) if self.quarantine else None,
            "not_recorded": list(self.not_recorded),
            "absent": self.absent,
        }


def _named(table_day: TableDayName) -> dict[str, str]:
    return {"table_id": table_day[0], "gaming_day": table_day[1].isoformat()}


def import_log(file: Path, map_file: Path, archive: Path, on_progress: Progress | None = None) -> ImportSummary:
    """Import ``file`` as ``map_file`` says. Every table-day is written whole or not at all; a rerun completes.

    Raises:
        MapFaulty: the map cannot be used.
        SourceUnreadable: the file as a whole cannot be read by it.
        ImportRefused: a bad row where the map does not ask for quarantine, no round left, or other events in the
            archive under the same table and gaming day. Nothing was written.
        SinkBusy, NotDurable: another process writes the table, or the disk refused; table-days that were written stay.
    """
    plan = read_map(map_file)
    gathered = gather(read_rows(file, plan), plan)
    if gathered.faults and plan.source.on_bad_row == "refuse":
        raise ImportRefused(_refusal(file, gathered.faults, plan))
    if not gathered.rounds:
        raise ImportRefused(f"{file}: none of its {gathered.rows} rows gives a round; {_listed(gathered.faults)}")
    days = {
        table_day: list(rounds) for table_day, rounds in groupby(gathered.rounds, key=lambda round_: round_.table_day)
    }
    bad = sorted([*gathered.faults, *gathered.left_out], key=lambda fault: fault.line)
    quarantine = quarantine_file(archive, file.name) if bad else None
    sink = ArchiveSink(archive)
    try:
        already = [day for day, rounds in days.items() if _is_there(sink, archive, day, rounds, plan)]
        if quarantine is not None:
            _keep(quarantine, _quarantine_lines(file, bad), file)
        written = _Writing(sink, plan, len(gathered.rounds), on_progress)
        for day, rounds in days.items():
            written.write(day, rounds, there=day in already)
    finally:
        sink.close()
    return ImportSummary(
        file=file,
        imported=tuple(day for day in days if day not in already),
        already=tuple(already),
        rounds=len(gathered.rounds),
        hands=sum(len(seat.hands) for round_ in gathered.rounds for seat in round_.seats),
        events=written.events,
        rows=gathered.rows,
        quarantined=len(bad),
        quarantine=quarantine,
        not_recorded=tuple(sorted(not_recorded(gathered.rounds, plan))),
        absent={plan.columns[fact]: fact for fact in gathered.absent},
    )


def table_day_events(table_day: TableDayName, rounds: Sequence[Round], plan: Map) -> Iterator[Event]:
    """All events of a table-day, not numbered yet."""
    yield from opening_events(table_day, rounds, plan)
    for round_ in rounds:
        yield from round_events(round_, plan)


class _Writing:
    def __init__(self, sink: ArchiveSink, plan: Map, total: int, on_progress: Progress | None) -> None:
        self._sink = sink
        self._plan = plan
        self._total = total
        self._on_progress = on_progress
        self._rounds = 0
        self.events = 0

    def write(self, table_day: TableDayName, rounds: Sequence[Round], *, there: bool) -> None:
        """Write a table-day with one flush, so that a process that dies leaves all of it or nothing."""
        table_id, gaming_day = table_day
        recorder = None if there else Recorder(self._sink, table_id)
        for event in table_day_events(table_day, rounds, self._plan):
            self.events += 1
            if recorder is not None:
                recorder.record(
                    event.kind, round=event.round, at=event.at, gaming_day=gaming_day, table=event.table,
                    option=event.option, card=event.card, wager=event.wager, decision=event.decision, chips=event.chips,
                )  # fmt: skip
            if event.kind == "RoundClosed":
                self._progress()
        self._sink.seal(table_id, gaming_day)

    def _progress(self) -> None:
        self._rounds += 1
        if self._on_progress is not None and (self._rounds % _EVERY == 0 or self._rounds == self._total):
            self._on_progress(self._rounds, self._total)


def _is_there(sink: ArchiveSink, archive: Path, table_day: TableDayName, rounds: Sequence[Round], plan: Map) -> bool:
    """Whether the archive holds these very events.

    Raises:
        ImportRefused: it holds others under the same name.
    """
    table_id, gaming_day = table_day
    held: list[Event] = []
    if sink.last_seq(table_id):  # opening the table completes a seal that was interrupted
        for ref in table_days(archive, gaming_day, table_id):
            held += read_events(ref)
        held += [decode(message) for message in sink.tail(table_id, gaming_day, _WHOLE_JOURNAL)]
    if not held:
        return False
    if [replace(event, seq=1) for event in held] == list(table_day_events(table_day, rounds, plan)):
        return True
    ref = TableDayRef(gaming_day, table_id, archive)
    raise ImportRefused(
        f"{ref.archive} holds other events of table {table_id} on gaming day {gaming_day}: two logs cannot have one name. "
        "Give another table id or gaming day in the map's [table], or import into another archive"
    )


def _refusal(file: Path, faults: Sequence[Fault], plan: Map) -> str:
    return (
        f"{file}: nothing was imported, {_listed(faults)}. Correct the log or the map {plan.path}, "
        'or set [source] on_bad_row = "quarantine" to import the rounds without bad rows'
    )


def _listed(faults: Sequence[Fault]) -> str:
    shown = "; ".join(str(fault) for fault in faults[:_SHOWN])
    more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    return f"{len(faults)} bad row{'s' if len(faults) != 1 else ''}: {shown}{more}"


def _quarantine_lines(file: Path, faults: Sequence[Fault]) -> bytes:
    lines = (Quarantined(file.name, 0, fault.line, str(fault), fault.text.encode()).to_json() for fault in faults)
    return "".join(f"{line}\n" for line in lines).encode()


def _keep(quarantine: Path, kept: bytes, file: Path) -> None:
    if quarantine.exists():
        if quarantine.read_bytes() == kept:
            return
        raise ImportRefused(
            f"{quarantine} holds bad rows of another {file.name}: nothing was imported. "
            "Rename the log, or move that file away when it is dealt with"
        )
    quarantine.parent.mkdir(parents=True, exist_ok=True)
    write_durably(quarantine, kept)
