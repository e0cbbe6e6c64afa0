"""Simulates a pit for one or several gaming days, in one or several processes."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from producers.outputs import require_output, write_output
from producers.simulator.faults import Label
from producers.simulator.plan import TablePlan, pit
from producers.simulator.table import NotPlayed, simulate_table_day
from producers.sinks import NotDurable, SequenceConflict, Sink
from producers.sinks.archive import ArchiveSink
from producers.sinks.durable import make_folder
from replayer.processes.judging import without_cycle_collection
from replayer.processes.spread import spread
from replayer.sources.layout import FILE_MODE
from replayer.sources.table_days import table_days, unsealed
from schemas.plural import plural
from schemas.table_day import EncodedDay

DEFAULT_DAY: Final = dt.date(2009, 6, 1)

SinkFactory = Callable[[], Sink]
"""Makes a sink in the process that writes to it; it must survive pickling where there are several workers."""
_SimulateDay = Callable[[TablePlan, dt.date, int], tuple[EncodedDay, tuple[Label, ...]]]


class AlreadyThere(ValueError):
    """The archive has another table-day with the name of a simulated one."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The totals of a simulation: ``faults`` counts the planted ones by kind, ``labels`` is the number of expected findings."""

    table_days: int
    events: int
    rounds: int
    labels: int
    faults: Counter[str]


def simulate(
    archive: Path,
    *,
    copy_into: SinkFactory | None = None,
    day: dt.date = DEFAULT_DAY,
    days: int = 1,
    tables: int | Iterable[TablePlan] = 12,
    rounds: int = 60,
    seed: object = 0,
    faults: float = 0.0,
    labels_path: Path | None = None,
    workers: int = 1,
    file_mode: int = FILE_MODE,
    on_progress: Callable[[str, dt.date], None] = lambda *_: None,
) -> Summary:
    """Simulate a pit into an archive. The same arguments give the same bytes.

    So repeating an interrupted simulation completes it, and repeating a complete one changes nothing, but with a copy.

    Arguments:
        copy_into: makes sinks that get the same events; the archive may then have none of the table-days.
        tables: the number of tables of the default pit, or the plans of another pit.
        rounds: the number of rounds a table and day.
        faults: the rate of planted faults a round.
        file_mode: the permissions of the archive's files.
        labels_path: the file for the expected findings, as JSON lines.
        on_progress: called for each finished table-day with table and day.

    Raises:
        AlreadyThere: the archive has other events of one of the table-days.
        NotPlayed: no text of a game's regulation is at hand for a day, or the day is outside the calendar.
        NotDurable: a sink failed.
    """
    if labels_path is not None:
        require_output(labels_path, archive)  # before simulating
    calendar = _calendar(day, days)
    plans = list(pit(tables, calendar)) if isinstance(tables, int) else list(tables)
    if copy_into is not None:
        _require_absent(archive, plans, calendar)
    simulate_day = partial(simulate_table_day, rounds=rounds, seed=seed, faults=faults)
    run = partial(_table, partial(ArchiveSink, archive, file_mode), copy_into, simulate_day, calendar)
    events, labels = 0, list[Label]()
    # Tables with the same rules go to one process, which caches the answers of the rules.
    by_rules = sorted(range(len(plans)), key=lambda number: (plans[number].game, sorted(plans[number].options.items())))
    days_of = spread(run, plans, workers, taking_part=True, order=by_rules)
    for plan, simulated in zip(plans, days_of, strict=True):
        for gaming_day, (count, expected) in zip(calendar, simulated, strict=True):
            events += count
            labels += expected
            on_progress(plan.table_id, gaming_day)
    if labels_path is not None:
        labels.sort(key=lambda label: (label.gaming_day, label.table_id))
        make_folder(labels_path.parent, file_mode)
        write_output(labels_path, "".join(f"{label.to_json()}\n" for label in labels).encode(), file_mode)
    table_days = len(plans) * len(calendar)
    faults_by_id = {(label.fault_id, label.round): label.fault for label in labels}
    return Summary(table_days, events, table_days * rounds, len(labels), Counter(faults_by_id.values()))


def _calendar(day: dt.date, days: int) -> list[dt.date]:
    """The gaming days; each needs the dates before and after it to exist."""
    if day == dt.date.min or days > (dt.date.max - day).days:
        one = dt.timedelta(days=1)
        first, last = dt.date.min + one, dt.date.max - one
        raise NotPlayed(
            f"{plural(days, 'gaming day')} from {day} would not fit: they go from {first} to {last}; "
            "choose others with --day and --days"
        )
    return [day + dt.timedelta(days=offset) for offset in range(days)]


def _require_absent(archive: Path, plans: list[TablePlan], calendar: list[dt.date]) -> None:
    """Require that an archive has none of the table-days: not every sink recognises repeated events."""
    wanted = {(plan.table_id, day) for plan in plans for day in calendar}
    for ref in (*table_days(archive), *unsealed(archive)):
        if (ref.table_id, ref.gaming_day) in wanted:
            raise AlreadyThere(
                f"{archive} already holds {ref.table_id} of {ref.gaming_day}; simulate into another folder and another topic, "
                "or other days"
            )


@without_cycle_collection()
def _table(
    into: Callable[[], ArchiveSink],
    copy_into: SinkFactory | None,
    simulate_day: _SimulateDay,
    calendar: list[dt.date],
    plan: TablePlan,
) -> list[tuple[int, tuple[Label, ...]]]:
    """Simulate one table for all days, in order, as its numbering continues from day to day; returns the number of events and the
    expected findings of each."""
    with closing(into()) as archive, closing(copy_into()) if copy_into else nullcontext() as copy:
        try:
            return [_table_day(archive, copy, simulate_day, plan, day) for day in calendar]
        except SequenceConflict as conflict:
            raise AlreadyThere(f"{conflict}; simulate into another folder, or other days") from None


def _table_day(
    archive: ArchiveSink,
    copy: Sink | None,
    simulate_day: _SimulateDay,
    plan: TablePlan,
    day: dt.date,
) -> tuple[int, tuple[Label, ...]]:
    """Simulate a table-day into an archive, a copy into another sink, and seal it. Events that the archive already has are
    written again with the same content; NotDurable where the two hold different events of the table."""
    last_seq = archive.last_seq(plan.table_id)
    if copy is not None and (other := copy.last_seq(plan.table_id)) != last_seq:
        raise NotDurable(
            f"table {plan.table_id}: one sink ends with seq {last_seq}, the other with {other}; "
            "they must hold the same log: choose an empty archive and an empty topic"
        )
    if first_seq := archive.day(plan.table_id, day).first_seq:
        last_seq = first_seq - 1
    written, labels = simulate_day(plan, day, last_seq)
    if copy is not None:
        for seq, message in written.one_by_one():
            copy.append(plan.table_id, day, seq, message)
        copy.seal(plan.table_id, day)
    archive.take_day(written)
    return len(written.seqs), labels
